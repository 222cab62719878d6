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

// Whether all of these points lie beyond one side of the box.
static inline bool ch_points_miss(int count, const ChVec3* points, const ChBox3* box) {
  bool below[3] = {true, true, true}, above[3] = {true, true, true};
  for (int k = 0; k < count; ++k) {
    const double at[3] = {points[k].x, points[k].y, points[k].z};
    const double low[3] = {box->low.x, box->low.y, box->low.z}, high[3] = {box->high.x, box->high.y, box->high.z};
    for (int a = 0; a < 3; ++a) {
      below[a] &= at[a] < low[a];
      above[a] &= at[a] > high[a];
    }
  }
  return below[0] | below[1] | below[2] | above[0] | above[1] | above[2];
}

// Any shape but half-spaces and half-planes.
ChBox3 ch_shape_box(const ChPosed* shape);

// Least of direction . x over the shape.
double ch_shape_lowest(const ChPosed* shape, ChVec3 direction);

// The shape as another frame sees it, and its box along that frame's axes.
ChPosed ch_posed_in(const ChPosed* shape, const ChPosed* frame);
ChBox3 ch_shape_box_in(const ChPosed* shape, const ChPosed* frame);

#endif
