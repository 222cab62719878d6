// Points, directions and rotations, as callers pass and receive them, and their algebra. SI units; z is up in space; a
// plane world uses x, y and angles about z.
#ifndef CARDHOUSE_GEOMETRY_H
#define CARDHOUSE_GEOMETRY_H

#include <math.h>
#include <stdbool.h>

typedef struct ChVec3 {
  double x, y, z;
} ChVec3;

// Unit quaternion.
typedef struct ChQuat {
  double w, x, y, z;
} ChQuat;

// x_world = at + orientation x_local
typedef struct ChFrame {
  ChVec3 at;
  ChQuat orientation;
} ChFrame;

// --- vectors ---------------------------------------------------------------------------------------------------------

static inline ChVec3 ch_vec(double x, double y, double z) {
  ChVec3 v = {x, y, z};
  return v;
}
static inline ChVec3 ch_add(ChVec3 a, ChVec3 b) { return ch_vec(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline ChVec3 ch_sub(ChVec3 a, ChVec3 b) { return ch_vec(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline ChVec3 ch_scale(double s, ChVec3 a) { return ch_vec(s * a.x, s * a.y, s * a.z); }
// a + s b
static inline ChVec3 ch_along(ChVec3 a, double s, ChVec3 b) { return ch_add(a, ch_scale(s, b)); }
static inline ChVec3 ch_neg(ChVec3 a) { return ch_vec(-a.x, -a.y, -a.z); }
static inline double ch_dot(ChVec3 a, ChVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline ChVec3 ch_cross(ChVec3 a, ChVec3 b) {
  return ch_vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double ch_norm(ChVec3 a) { return sqrt(ch_dot(a, a)); }
// Returns the unit vector along a, or a itself if it is zero.
static inline ChVec3 ch_unit(ChVec3 a) {
  double norm = ch_norm(a);
  return norm > 0.0 ? ch_vec(a.x / norm, a.y / norm, a.z / norm) : a;  // a division keeps axes exact
}
static inline bool ch_vec_finite(ChVec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }
static inline bool ch_vec_is_zero(ChVec3 a) { return a.x == 0.0 && a.y == 0.0 && a.z == 0.0; }
// Return x, y or z of a for axis 0, 1 or 2, and the unit vector along that axis.
static inline double ch_component(ChVec3 a, int axis) { return axis == 0 ? a.x : axis == 1 ? a.y : a.z; }
static inline ChVec3 ch_axis(int axis) { return ch_vec(axis == 0, axis == 1, axis == 2); }

// --- rotations -------------------------------------------------------------------------------------------------------

static inline ChQuat ch_quat_identity(void) {
  ChQuat q = {1.0, 0.0, 0.0, 0.0};
  return q;
}
// Returns the inverse rotation.
static inline ChQuat ch_quat_conjugate(ChQuat q) {
  ChQuat back = {q.w, -q.x, -q.y, -q.z};
  return back;
}
// Returns the rotation by b, then by a.
static inline ChQuat ch_quat_product(ChQuat a, ChQuat b) {
  ChQuat c = {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
              a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
  return c;
}
static inline ChQuat ch_quat_unit(ChQuat q) {
  double norm = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  ChQuat unit = {q.w / norm, q.x / norm, q.y / norm, q.z / norm};
  return unit;
}
// Returns the rotation about a unit axis by an angle in radians.
static inline ChQuat ch_quat_about(ChVec3 axis, double angle) {
  double s = sin(0.5 * angle);
  ChQuat q = {cos(0.5 * angle), s * axis.x, s * axis.y, s * axis.z};
  return q;
}
static inline ChVec3 ch_rotate(ChQuat q, ChVec3 a) {
  ChVec3 u = ch_vec(q.x, q.y, q.z), t = ch_scale(2.0, ch_cross(u, a));
  return ch_add(ch_along(a, q.w, t), ch_cross(u, t));
}
static inline ChVec3 ch_rotate_back(ChQuat q, ChVec3 a) { return ch_rotate(ch_quat_conjugate(q), a); }

// --- frames ----------------------------------------------------------------------------------------------------------

// Convert a point from the frame to the world, and from the world to the frame.
static inline ChVec3 ch_frame_point(ChFrame f, ChVec3 local) { return ch_add(f.at, ch_rotate(f.orientation, local)); }
static inline ChVec3 ch_frame_local(ChFrame f, ChVec3 world) {
  return ch_rotate_back(f.orientation, ch_sub(world, f.at));
}
// Converts the frame `inner` from `outer` to the world.
static inline ChFrame ch_frame_compose(ChFrame outer, ChFrame inner) {
  ChFrame f = {ch_frame_point(outer, inner.at), ch_quat_product(outer.orientation, inner.orientation)};
  return f;
}

#endif
