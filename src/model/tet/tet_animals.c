// Two animals: see tet_animals.h.
//
// f is the smooth minimum of the parts' distances, taken one after the other:
//   smin(a, b) = min(a, b) - max(k - |a - b|, 0)^2 / (4 k)
// which rounds the crease between two parts over a length of about k.
#include "model/tet/tet_animals.h"

#include <math.h>

typedef struct Part {
  ChVec3 a, b;    // an ellipsoid's centre and half axes, or a capsule's ends
  double ra, rb;  // radii at a capsule's ends; 0: an ellipsoid
  bool twice;     // mirrored at y = 0
} Part;

typedef struct Animal {
  int count;
  const Part* parts;
  double blend;
} Animal;

// Exact on the surface and of slope one there.
static double ellipsoid(ChVec3 x, ChVec3 half) {
  ChVec3 p = ch_vec(x.x / half.x, x.y / half.y, x.z / half.z), g = ch_vec(p.x / half.x, p.y / half.y, p.z / half.z);
  double level = ch_norm(p), slope = ch_norm(g);
  return slope > 0.0 ? level * (level - 1.0) / slope : -fmin(half.x, fmin(half.y, half.z));
}

static double capsule(ChVec3 x, const Part* part) {
  ChVec3 way = ch_sub(part->b, part->a), from = ch_sub(x, part->a);
  double t = fmin(fmax(ch_dot(from, way) / ch_dot(way, way), 0.0), 1.0);
  return ch_norm(ch_along(from, -t, way)) - (part->ra + t * (part->rb - part->ra));
}

static double distance(ChVec3 x, const Part* part) {
  if (part->twice) x.y = fabs(x.y);
  return part->ra > 0.0 ? capsule(x, part) : ellipsoid(ch_sub(x, part->a), part->b);
}

static double animal_distance(const void* state, ChVec3 x) {
  const Animal* animal = state;
  double f = distance(x, &animal->parts[0]);
  for (int k = 1; k < animal->count; ++k) {
    double next = distance(x, &animal->parts[k]), overlap = fmax(animal->blend - fabs(f - next), 0.0);
    f = fmin(f, next) - overlap * overlap / (4.0 * animal->blend);
  }
  return f;
}

static const Part dino_parts[] = {
    {{0.0, 0.0, 0.29}, {0.22, 0.125, 0.13}, 0.0, 0.0, false},        // trunk
    {{0.15, 0.0, 0.34}, {0.31, 0.0, 0.56}, 0.085, 0.055, false},     // neck
    {{0.31, 0.0, 0.58}, {0.42, 0.0, 0.56}, 0.06, 0.045, false},      // head
    {{-0.15, 0.0, 0.30}, {-0.36, 0.0, 0.21}, 0.10, 0.06, false},     // tail
    {{-0.36, 0.0, 0.21}, {-0.55, 0.0, 0.17}, 0.06, 0.04, false},     //
    {{0.12, 0.08, 0.24}, {0.14, 0.10, 0.055}, 0.06, 0.055, true},    // front legs
    {{-0.11, 0.08, 0.24}, {-0.13, 0.10, 0.055}, 0.07, 0.055, true},  // hind legs
};
static const Animal dino = {sizeof dino_parts / sizeof *dino_parts, dino_parts, 0.06};

static const Part rabbit_parts[] = {
    {{-0.03, 0.0, 0.24}, {0.25, 0.18, 0.20}, 0.0, 0.0, false},      // trunk
    {{0.22, 0.0, 0.46}, {0.15, 0.12, 0.125}, 0.0, 0.0, false},      // head
    {{0.17, 0.07, 0.54}, {0.06, 0.13, 0.84}, 0.055, 0.05, true},    // ears
    {{-0.29, 0.0, 0.19}, {0.08, 0.08, 0.08}, 0.0, 0.0, false},      // tail
    {{-0.19, 0.13, 0.06}, {0.0, 0.15, 0.055}, 0.065, 0.055, true},  // hind feet
    {{0.13, 0.09, 0.22}, {0.20, 0.11, 0.055}, 0.06, 0.055, true},   // front legs
};
static const Animal rabbit = {sizeof rabbit_parts / sizeof *rabbit_parts, rabbit_parts, 0.06};

const ChTetSolid ch_tet_dino = {animal_distance, &dino, {-0.66, -0.22, -0.06}, {0.54, 0.22, 0.72}};
const ChTetSolid ch_tet_rabbit = {animal_distance, &rabbit, {-0.44, -0.26, -0.06}, {0.44, 0.26, 0.96}};
