// S5 a triangular pile of spheres in one plane, S6 spheres dropped into a box.
#include <math.h>
#include <stdint.h>

#include "base/vector.h"
#include "scenes_bodies.h"

static const double GRAVITY = 9.81;

// Every sphere rests in the gap between two of the row below; neighbours in a row touch. 210 spheres for a row of 20.
ChSceneBodies ch_scene_triangle(int row, double mu) {
  const double r = 0.1;
  ChSceneBodies scene = {.gravity = {0.0, 0.0, -GRAVITY}, .mu = mu, .size = 2.0 * r};
  ch_scene_add_ground(&scene);
  for (int k = 0; k < row; ++k)
    for (int i = 0; i < row - k; ++i)
      ch_scene_add_sphere(&scene, ch_vec((2 * i + k - (row - 1)) * r, 0.0, r + k * r * sqrt(3.0)), r, true);
  return scene;
}

// Between -0.009 and 0.009 m.
static double jitter(uint32_t* state) {
  *state = *state * 1664525u + 1013904223u;
  return ((double)(*state >> 8) / 16777216.0 - 0.5) * 0.018;
}

ChSceneBodies ch_scene_box_of_spheres(int count) {
  const double r = 0.1, pitch = 0.22, height = 4.0, thickness = 0.5;  // half height and half thickness of a wall
  int m = (int)floor(cbrt((double)count) + 1e-9);
  double inner = 0.11 * m + 0.01, middle = inner + thickness;
  uint32_t state = 12345u;
  ChSceneBodies scene = {.gravity = {0.0, 0.0, -GRAVITY}, .mu = 0.5, .size = INFINITY, .grains = true};
  ch_scene_add_ground(&scene);
  for (int side = -1; side <= 1; side += 2) {
    ch_scene_add_box(&scene, true, ch_vec(side * middle, 0.0, height), 0.0, ch_vec(thickness, middle, height));
    ch_scene_add_box(&scene, true, ch_vec(0.0, side * middle, height), 0.0, ch_vec(middle, thickness, height));
  }
  for (int i = 0; i < count; ++i) {
    double x = (i % m - 0.5 * (m - 1)) * pitch, y = (i / m % m - 0.5 * (m - 1)) * pitch,
           z = 0.12 + pitch * (i / (m * m));
    double dx = jitter(&state), dy = jitter(&state);
    ch_scene_add_sphere(&scene, ch_vec(x + dx, y + dy, z), r, false);
  }
  return scene;
}
