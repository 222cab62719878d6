// Boxes along the axes: the smallest that holds a shape, and whether two meet.
#ifndef CH_COLLIDE_SHAPE_BOX_H
#define CH_COLLIDE_SHAPE_BOX_H

#include "collide/pairs.h"
#include "model/mesh/mesh.h"

// Touching is meeting.
static inline bool ch_boxes_meet(const ChBox3* a, const ChBox3* b) {
  return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
         a->low.z <= b->high.z && b->low.z <= a->high.z;
}

// Any shape but half-spaces and half-planes.
ChBox3 ch_shape_box(const ChPosed* shape);

// Least of direction . x over the shape.
double ch_shape_lowest(const ChPosed* shape, ChVec3 direction);

// The shape as another frame sees it, and its box along that frame's axes.
ChPosed ch_posed_in(const ChPosed* shape, const ChPosed* frame);
ChBox3 ch_shape_box_in(const ChPosed* shape, const ChPosed* frame);

#endif
