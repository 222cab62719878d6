// Fewer points a pair, for those who would rather have speed than a complete manifold.
#ifndef CH_COLLIDE_REDUCE_H
#define CH_COLLIDE_REDUCE_H

#include "collide/collide.h"

// Keeps at most four points of one pair: the deepest, the one farthest from it, and the two that are farthest to either
// side of the line through these, seen along the normal. Returns how many; they come first.
int ch_reduce_points(int count, ChGap* points);

#endif
