// Options of a simulation.
#ifndef CH_STEP_OPTIONS_H
#define CH_STEP_OPTIONS_H

#include "step/state.h"

// Checks options and takes them over, names included. What was checked before and is the same is not checked again.
// `changed`: whether more than limits of time changed.
ChStatus ch_options_take(ChContext* context, ChSimulation* s, const ChSimulationOptions* options, bool* changed);

#endif
