// Springs along the tangents of contacts (assemble/spring.h): their stretches, from step to step.
//
// A stretch is a vector of the world in the plane of its contact. Between two steps it turns with the normal, by the
// shortest turn, and about the normal with the mean spin of both bodies, so that it does not change where both turn as
// one. It ends with its contact: where r_n is none, without a bond, and where the gap is out of reach.
#ifndef CH_STEP_SHEAR_H
#define CH_STEP_SHEAR_H

#include "step/state.h"

// Of each gap, in its plane of contact; NULL in a world without such springs. In the scratch arena of the step.
const ChVec3* ch_shears_of(ChSimulation* s, const ChMoment* moment);

// The stretch of a block after a step of reactions r, the block's own.
ChVec3 ch_shear_after(const ChSimulation* s, const ChRows* rows, int block, const ChGap* gap, const double* r,
                      double h);

// Energy that springs hold at the start of a step, and at its end, after its memory is stored.
double ch_shears_stored_before(const ChRows* rows);
double ch_shears_stored_after(const ChSimulation* s, const ChRows* rows);

#endif
