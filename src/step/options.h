// Options of a simulation.
#ifndef CH_STEP_OPTIONS_H
#define CH_STEP_OPTIONS_H

#include "step/state.h"

// Whether options make sense, solver's included.
ChStatus ch_simulation_options_check(ChContext* context, const ChSimulationOptions* options, const ChWorld* world);

#endif
