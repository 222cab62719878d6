// See shape_box.h. Along axis i a shape reaches h(R^T e_i), R^T e_i being row i of the turn.
#include "collide/shape_box.h"

#include "collide/skin/skin.h"

typedef struct Reach {
  double low, high;
} Reach;

static Reach vertex_reach(int count, const ChVec3* vertices, ChVec3 d) {
  Reach reach = {INFINITY, -INFINITY};
  for (int i = 0; i < count; ++i) {
    double x = ch_dot(d, vertices[i]);
    reach.low = fmin(reach.low, x);
    reach.high = fmax(reach.high, x);
  }
  return reach;
}

static Reach box_reach(const ChBox3* box, ChVec3 d) {
  ChVec3 middle = ch_scale(0.5, ch_add(box->low, box->high)), half = ch_scale(0.5, ch_sub(box->high, box->low));
  double centre = ch_dot(d, middle), r = fabs(d.x) * half.x + fabs(d.y) * half.y + fabs(d.z) * half.z;
  return (Reach){centre - r, centre + r};
}

// How far the shape reaches to both sides along d, unit, in its own frame.
static Reach shape_reach(const ChPosed* posed, ChVec3 d) {
  const ChShape* s = posed->shape;
  double r = 0.0;
  switch (s->type) {
    case CH_SHAPE_SPHERE:
    case CH_SHAPE_DISK:
      r = s->radius;
      break;
    case CH_SHAPE_CAPSULE:
      r = s->radius + fabs(d.z) * s->half_length;
      break;
    case CH_SHAPE_CYLINDER:
      r = s->radius * hypot(d.x, d.y) + fabs(d.z) * s->half_length;
      break;
    case CH_SHAPE_ELLIPSOID:
      r = ch_norm(ch_vec(s->half.x * d.x, s->half.y * d.y, s->half.z * d.z));
      break;
    case CH_SHAPE_ELLIPSE:
      r = hypot(s->half.x * d.x, s->half.y * d.y);
      break;
    case CH_SHAPE_BOX:
    case CH_SHAPE_RECTANGLE:
      r = fabs(d.x) * s->half.x + fabs(d.y) * s->half.y + fabs(d.z) * s->half.z;
      break;
    case CH_SHAPE_HULL:
    case CH_SHAPE_POLYGON:
      return vertex_reach(s->polytope->vertex_count, s->polytope->vertices, d);
    case CH_SHAPE_MESH:
    case CH_SHAPE_CHAIN:
      return box_reach(&s->mesh->nodes[0].box, d);
    case CH_SHAPE_SOFT:
      return box_reach(&posed->skin->box, d);
    default:
      r = INFINITY;
  }
  return (Reach){-r, r};
}

ChBox3 ch_shape_box(const ChPosed* shape) {
  Reach reach[3];
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
