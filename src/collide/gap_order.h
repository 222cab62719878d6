// The order of a pair's points: by their keys, which are small beside the points.
#ifndef CH_COLLIDE_GAP_ORDER_H
#define CH_COLLIDE_GAP_ORDER_H

#include "collide/collide.h"

void ch_order_by_key(int count, ChGap* points);

#endif
