// S1 a card house, S2 an arch, S3 a stack of cubes, S4 a block on an incline. Rest is a solution of the first three.
#include <math.h>
#include <stddef.h>

#include "base/vector.h"
#include "scenes_bodies.h"

static const double GRAVITY = 9.81;
static const double RADIANS = M_PI / 180.0;

// Cards of length L and thickness t lean at theta; level k has levels - k triangles, horizontal cards between levels.
// Feet and tops are edges on faces, twin cards touch corner to corner, neighbouring feet do not touch.
ChSceneBodies ch_scene_cards(int levels) {
  const double L = 1.0, t = 0.02, theta = 67.0 * RADIANS, pitch = 1.01;
  const ChVec3 half = {0.5 * L, 0.7, 0.5 * t};
  ChSceneBodies scene = {.gravity = {0.0, 0.0, -GRAVITY}, .mu = 0.8, .size = L, .edges = true};
  ch_scene_add_ground(&scene);
  double dx = 0.5 * L * cos(theta) + 0.5 * t * sin(theta), rise = L * sin(theta) + t * cos(theta), z = 0.0;
  for (int k = 0; k < levels; ++k) {
    int n = levels - k;
    for (int i = 0; i < n; ++i) {
      double x = (i - 0.5 * (n - 1)) * pitch;
      ch_scene_add_box(&scene, false, ch_vec(x - dx, 0.0, z + 0.5 * rise), -theta, half);
      ch_scene_add_box(&scene, false, ch_vec(x + dx, 0.0, z + 0.5 * rise), theta, half);
    }
    for (int i = 0; i < n - 1; ++i)
      ch_scene_add_box(&scene, false, ch_vec((i - 0.5 * (n - 2)) * pitch, 0.0, z + rise + 0.5 * t), 0.0, half);
    z += rise + t;
  }
  return scene;
}

// The catenary z = 5 - a (cosh(x / a) - 1) by its arc length s = a sinh(x / a); its tangent is (a, -s) / hypot(a, s).
typedef struct Joint {
  double x, z, tangent[2];
} Joint;

static const double CATENARY = 3.0937961388712787;  // a: rise 5 over half the span 5

static Joint joint_at(double s) {
  const double a = CATENARY;
  double x = a * asinh(s / a), norm = hypot(a, s);
  return (Joint){.x = x, .z = 5.0 - (norm - a), .tangent = {a / norm, -s / norm}};
}

ChSceneBodies ch_scene_arch(void) {
  enum { BLOCKS = 27 };
  const double half_length = CATENARY * sinh(5.0 / CATENARY), half_thickness = 0.25, depth = 1.0;
  ChSceneBodies scene = {.gravity = {0.0, 0.0, -GRAVITY}, .mu = 0.6, .size = 1.0};
  for (int side = -1; side <= 1; side += 2) {
    Joint end = joint_at(side * half_length);
    ChVec3 at = {end.x + side * 0.5 * end.tangent[0], 0.0, end.z + side * 0.5 * end.tangent[1]};
    ch_scene_add_box(&scene, true, at, -atan2(end.tangent[1], end.tangent[0]), ch_vec(0.5, 0.7, 0.5));
  }
  for (int i = 0; i < BLOCKS; ++i) {
    double corners[4][2];
    for (int k = 0; k < 2; ++k) {
      Joint joint = joint_at(half_length * (2.0 * (i + k) / BLOCKS - 1.0));
      for (int side = -1; side <= 1; side += 2) {  // inner corner, outer corner; back at the second joint
        double* corner = corners[k ? (side < 0 ? 3 : 2) : (side < 0 ? 0 : 1)];
        corner[0] = joint.x - side * half_thickness * joint.tangent[1];
        corner[1] = joint.z + side * half_thickness * joint.tangent[0];
      }
    }
    ch_scene_add_prism(&scene, corners, depth);
  }
  return scene;
}

ChSceneBodies ch_scene_stack(int cubes) {
  ChSceneBodies scene = {.gravity = {0.0, 0.0, -GRAVITY}, .mu = 0.5, .size = 1.0};
  ch_scene_add_ground(&scene);
  for (int i = 0; i < cubes; ++i)
    ch_scene_add_box(&scene, false, ch_vec(0.0, 0.0, 0.5 + i), 0.0, ch_vec(0.5, 0.5, 0.5));
  return scene;
}

// The ground stays level and gravity leans.
ChSceneBodies ch_scene_incline(double share, double heading) {
  const double mu = 0.5;
  double slope = atan(share * mu), phi = heading * RADIANS;
  ChSceneBodies scene = {
      .gravity = ch_scale(GRAVITY, ch_vec(sin(slope) * cos(phi), sin(slope) * sin(phi), -cos(slope))),
      .mu = mu,
      .size = INFINITY};  // it may slide as far as it likes
  ch_scene_add_ground(&scene);
  ch_scene_add_box(&scene, false, ch_vec(0.0, 0.0, 0.15), 0.0, ch_vec(0.5, 0.5, 0.15));
  return scene;
}

double ch_scene_incline_acceleration(double share) {
  const double mu = 0.5;
  double slope = atan(share * mu);
  return GRAVITY * (sin(slope) - mu * cos(slope));
}
