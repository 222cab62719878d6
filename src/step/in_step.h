// What the parts of a step ask of the simulation that makes it.
#ifndef CH_STEP_IN_STEP_H
#define CH_STEP_IN_STEP_H

#include "step/state.h"

// Whether the caller wants it to end: then nothing of it is kept.
bool ch_step_is_stopped(const ChSimulation* s);
// Whether the try at hand has missed, and is undone for it.
bool ch_step_is_rejected(const ChSimulation* s, const ChStepInfo* info);
// Whether the step at hand has used up its time.
bool ch_step_is_late(const ChSimulation* s);

// Gaps up to this take part, whether they close or not.
double ch_step_margin(const ChSimulation* s);
// Gaps at these positions.
ChStatus ch_simulation_gaps(ChContext* context, ChSimulation* s, const ChBodyState* states, double look_ahead,
                            const ChGap** gaps, int* count);

// After another world, gravity or law: the next step weighs the heap, and finds out what contacts store.
void ch_simulation_weigh(ChSimulation* s);

// One try of a step of length h that ends at `end`. CH_MAX_ITER: it missed and was undone, to the last bit, as
// s->trial wants it.
ChStatus ch_step_try(ChContext* context, ChSimulation* s, double h, double end, ChStepInfo* info);

// Seconds that the next step takes.
double ch_step_length(const ChSimulation* s);
// Whether the world looks the same at any time.
bool ch_world_is_autonomous(const ChWorld* world);

// Arrays of the world's sizes, in s->arena; states begin at the start.
void ch_simulation_take_arrays(ChSimulation* s);

#endif
