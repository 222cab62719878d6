// See shape_box.h. Along axis i a shape reaches h(R^T e_i), R^T e_i being row i of the turn.
#include "collide/shape_box.h"

#include "collide/skin/skin.h"
#include "model/shapes/shape_kind.h"

// How far the shape reaches to both sides along d, unit, in its own frame.
static ChReach shape_reach(const ChPosed* posed, ChVec3 d) {
  if (posed->skin) return ch_box_reach(&posed->skin->box, d);
  const ChShapeKind* kind = ch_shape_kind(posed->shape);
  return kind->reach ? kind->reach(posed->shape, d) : (ChReach){-INFINITY, INFINITY};
}

ChBox3 ch_shape_box(const ChPosed* shape) {
  ChReach reach[3];
  for (int i = 0; i < 3; ++i) {
    const double* row = shape->turn.m[i];
    reach[i] = shape_reach(shape, ch_vec(row[0], row[1], row[2]));
  }
  ChVec3 at = shape->frame.at;
  return (ChBox3){ch_vec(at.x + reach[0].low, at.y + reach[1].low, at.z + reach[2].low),
                  ch_vec(at.x + reach[0].high, at.y + reach[1].high, at.z + reach[2].high)};
}

double ch_shape_lowest(const ChPosed* shape, ChVec3 direction) {
  ChVec3 local = ch_mat_apply_transposed(&shape->turn, direction);
  return ch_dot(direction, shape->frame.at) + shape_reach(shape, local).low;
}

ChPosed ch_posed_in(const ChPosed* shape, const ChPosed* frame) {
  ChPosed seen = {.shape = shape->shape, .skin = shape->skin};
  seen.frame.at = ch_mat_apply_transposed(&frame->turn, ch_sub(shape->frame.at, frame->frame.at));
  seen.frame.orientation = ch_quat_product(ch_quat_conjugate(frame->frame.orientation), shape->frame.orientation);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) seen.turn.m[i][j] += frame->turn.m[k][i] * shape->turn.m[k][j];
  return seen;
}

ChBox3 ch_shape_box_in(const ChPosed* shape, const ChPosed* frame) {
  ChPosed seen = ch_posed_in(shape, frame);
  return ch_shape_box(&seen);
}
