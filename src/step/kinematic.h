// Bodies that are moved by prescription.
#ifndef CH_STEP_KINEMATIC_H
#define CH_STEP_KINEMATIC_H

#include "step/state.h"

// Bodies that are moved by prescription: their mean velocity from now to `end`, h later, and their place at the end t
// of h seconds. Those that a caller leads somewhere arrive when the whole step ends, s->left from now.
void ch_kinematic_velocities(ChSimulation* s, double end, double h);
void ch_kinematic_arrive(ChSimulation* s, double t, double h);

#endif
