// What the shapes `segments` and `points` share.
#ifndef CH_MODEL_SHAPES_NET_PARTS_H
#define CH_MODEL_SHAPES_NET_PARTS_H

#include "model/shapes/net.h"
#include "model/shapes/shape_kind.h"

// `segments` are two indices each, `count` of them, or NULL; `weight` as in ChNet.
ChStatus ch_net_make(ChContext* context, ChWorld* world, const ChShapeDef* def, int count, const int* segments,
                     double weight, ChShape* shape);
ChMassProperties ch_net_mass(const ChShape* shape, double density);
ChReach ch_net_reach(const ChShape* shape, ChVec3 d);
ChPatches ch_net_surface(ChArena* arena, const ChShape* shape, const ChSurfaceView* view);
ChShapeRayFn ch_net_ray;

#endif
