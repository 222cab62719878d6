// How far deformable bodies are bent.
#ifndef CH_RECORD_DEFLECTION_H
#define CH_RECORD_DEFLECTION_H

#include "cardhouse/simulation.h"

// The largest displacement of a vertex of a skin from where it rests in its body's frame, metres; NaN stays.
double ch_deflection(const ChSimulation* simulation);

#endif
