// Samples of rounded surfaces come in crowds where a few say the same.
//
// A point that is apart, by more than a part of the spacing, is left out where another one of the pair is nearer to it
// than two spacings, has about its normal and will be closer by the end of the look-ahead. What touches or overlaps
// stays, so that nothing that carries comes and goes; what is left out is asked again a step later.
#ifndef CH_COLLIDE_THIN_OUT_H
#define CH_COLLIDE_THIN_OUT_H

#include "collide/collide.h"

// Returns how many stay; they come first.
int ch_thin_out(int count, ChGap* points, double spacing);

#endif
