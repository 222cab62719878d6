// Shapes and poses for tests of the narrow phase, without a world around them.
#ifndef CH_TESTS_SHAPES_H
#define CH_TESTS_SHAPES_H

#include "collide/pairs.h"
#include "support/random.h"

static inline ChShape ch_polytope_shape(ChShapeType type, const ChPolytope* p) {
  return (ChShape){.type = type, .polytope = p, .bound = p->radius};
}

static inline ChShape ch_box_shape(ChArena* arena, ChVec3 half) {
  ChShape shape = ch_polytope_shape(CH_SHAPE_BOX, ch_polytope_box(arena, half));
  shape.half = half;
  return shape;
}

static inline ChShape ch_sphere_shape(double radius) {
  return (ChShape){.type = CH_SHAPE_SPHERE, .radius = radius, .bound = radius};
}

static inline ChShape ch_capsule_shape(double radius, double half_length) {
  return (ChShape){
      .type = CH_SHAPE_CAPSULE, .radius = radius, .half_length = half_length, .bound = radius + half_length};
}

static inline ChShape ch_space_shape(ChVec3 normal, double offset) {
  return (ChShape){.type = CH_SHAPE_HALFSPACE, .normal = normal, .offset = offset, .bound = INFINITY};
}

static inline ChFrame ch_random_frame(ChRandom* r) {
  ChFrame frame;
  frame.at = ch_random_in_cube(r, 1.0);
  frame.orientation =
      ch_quat_unit((ChQuat){ch_random_normal(r), ch_random_normal(r), ch_random_normal(r), ch_random_normal(r)});
  return frame;
}

#endif
