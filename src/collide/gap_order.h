// The order of a pair's points: by their keys, which are small beside the points.
#ifndef CH_COLLIDE_GAP_ORDER_H
#define CH_COLLIDE_GAP_ORDER_H

#include "collide/collide.h"

void ch_order_by_key(int count, ChGap* points);

// What everybody behind the list relies on: by (shape, shape, key), the first body before the second, or a skin beside
// itself.
bool ch_gaps_are_sorted(int count, const ChGap* gaps);

#endif
