#include "support/soft_points.h"

#include <stdlib.h>
#include <string.h>

#include "support/worlds.h"

enum { POINTS_MAX = 64, MODES_MAX = 32 };

static double product(const ChSoftPoints* p, const ChVec3* a, const ChVec3* b) {
  double sum = 0.0;
  for (int k = 0; k < p->count; ++k) sum += p->mass[k] * ch_dot(a[k], b[k]);
  return sum;
}

// Gram and Schmidt, twice, against the first `count` of `basis`.
static void orthonormalise(const ChSoftPoints* p, ChVec3 (*basis)[POINTS_MAX], int count) {
  for (int pass = 0; pass < 2; ++pass)
    for (int j = 0; j < count; ++j) {
      double along = product(p, basis[j], basis[count]);
      for (int k = 0; k < p->count; ++k) basis[count][k] = ch_along(basis[count][k], -along, basis[j][k]);
    }
  double norm = sqrt(product(p, basis[count], basis[count]));
  for (int k = 0; k < p->count; ++k) basis[count][k] = ch_scale(1.0 / norm, basis[count][k]);
}

// The tensor |a|^2 1 - a a' made bilinear: a.b 1 - (a b' + b a') / 2.
static void add_inertia(double mass, ChVec3 a, ChVec3 b, double six[6]) {
  double dot = ch_dot(a, b);
  const double part[6] = {dot - a.x * b.x,
                          dot - a.y * b.y,
                          dot - a.z * b.z,
                          -0.5 * (a.x * b.y + a.y * b.x),
                          -0.5 * (a.x * b.z + a.z * b.x),
                          -0.5 * (a.y * b.z + a.z * b.y)};
  for (int k = 0; k < 6; ++k) six[k] += mass * part[k];
}

static void sum_integrals(const ChSoftPoints* p, const ChVec3* rest, ChVec3 (*U)[POINTS_MAX], ChSoft* soft) {
  int n = p->modes;
  double J[6] = {0};
  for (int k = 0; k < p->count; ++k) add_inertia(p->mass[k], rest[k], rest[k], J);
  soft->inertia = (ChMat3){{{J[0], J[3], J[4]}, {J[3], J[1], J[5]}, {J[4], J[5], J[2]}}};
  for (int a = 0; a < n; ++a) {
    soft->frequency[a] = p->frequency[a];
    soft->K0[a * n + a] = p->frequency[a] * p->frequency[a];
    for (int k = 0; k < p->count; ++k) {
      add_inertia(2.0 * p->mass[k], rest[k], U[a][k], soft->J1 + 6L * a);
      for (int i = 0; i < 3; ++i) soft->S[i * n + a] += p->clamped ? p->mass[k] * ch_component(U[a][k], i) : 0.0;
      for (int b = 0; b < n; ++b) {
        add_inertia(p->mass[k], U[a][k], U[b][k], soft->J2 + 6L * (a * n + b));
        ChVec3 c = ch_scale(p->mass[k], ch_cross(U[a][k], U[b][k]));
        for (int i = 0; i < 3; ++i) soft->C2[3L * (a * n + b) + i] += ch_component(c, i);
      }
    }
  }
}

static void make_skin(ChWorld* world, const ChSoftPoints* p, const ChVec3* rest, ChVec3 (*U)[POINTS_MAX],
                      ChSoftSkin* skin) {
  skin->vertex_count = p->count;
  skin->rest = CH_TAKE(world->arena, p->count, ChVec3);
  skin->shape = CH_TAKE(world->arena, 3L * p->count * p->modes, double);
  memcpy(skin->rest, rest, (size_t)p->count * sizeof *rest);
  for (int k = 0; k < p->count; ++k)
    for (int i = 0; i < 3; ++i)
      for (int a = 0; a < p->modes; ++a) skin->shape[(3L * k + i) * p->modes + a] = ch_component(U[a][k], i);
}

ChSoft* ch_test_soft(ChWorld* world, const ChSoftPoints* p) {
  if (p->count > POINTS_MAX || p->modes > MODES_MAX) abort();
  int n = p->modes, rigid = p->clamped ? 0 : 6;
  ChVec3 rest[POINTS_MAX], (*basis)[POINTS_MAX] = calloc((size_t)(rigid + n), sizeof *basis);
  ChSoft* soft = CH_TAKE(world->arena, 1, ChSoft);
  ChVec3 centre = {0, 0, 0};
  for (int k = 0; k < p->count; ++k) {
    soft->mass += p->mass[k];
    centre = ch_along(centre, p->mass[k], p->at[k]);
  }
  soft->centre = p->clamped ? ch_vec(0, 0, 0) : ch_scale(1.0 / soft->mass, centre);
  for (int k = 0; k < p->count; ++k) rest[k] = ch_sub(p->at[k], soft->centre);
  for (int j = 0; j < rigid + n; ++j) {
    for (int k = 0; k < p->count; ++k)
      basis[j][k] = j >= rigid ? p->shape[(j - rigid) * p->count + k]
                    : j < 3    ? ch_axis(j)
                               : ch_cross(ch_axis(j - 3), rest[k]);
    orthonormalise(p, basis, j);
  }
  soft->modes = n;
  soft->clamped = p->clamped;
  soft->alpha = p->alpha, soft->beta = p->beta;
  soft->frequency = CH_TAKE(world->arena, n, double);
  soft->K0 = CH_TAKE(world->arena, n * n, double);
  soft->J1 = CH_TAKE(world->arena, 6 * n, double);
  soft->J2 = CH_TAKE(world->arena, 6 * n * n, double);
  soft->C2 = CH_TAKE(world->arena, 3 * n * n, double);
  soft->S = CH_TAKE(world->arena, 3 * n, double);
  sum_integrals(p, rest, basis + rigid, soft);
  make_skin(world, p, rest, basis + rigid, &soft->skin);
  free(basis);
  return soft;
}

int ch_test_soft_body(ChWorld* world, const ChSoft* soft, ChVec3 at) {
  ChBodyDef def = ch_body_def_default();
  const ChMat3* J = &soft->inertia;
  def.position = at;
  def.mass = soft->mass;
  const double inertia[6] = {J->m[0][0], J->m[1][1], J->m[2][2], J->m[0][1], J->m[0][2], J->m[1][2]};
  memcpy(def.inertia, inertia, sizeof inertia);
  int body = ch_test_body(world, &def, NULL);
  world->bodies[body].soft = soft;
  return body;
}

static double draw(unsigned* seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (double)(1u << 24) - 0.5;
}

ChSoft* ch_test_soft_box(ChWorld* world, ChVec3 half, double mass, int modes, double lowest, double highest) {
  ChVec3 at[8], shape[18 * 8];
  double masses[8], frequency[18];
  unsigned seed = 7;
  for (int k = 0; k < 8; ++k) {
    at[k] = ch_vec(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z);
    masses[k] = mass / 8.0;
  }
  for (int a = 0; a < modes; ++a) {
    frequency[a] = lowest + (highest - lowest) * a / (modes > 1 ? modes - 1 : 1);
    for (int k = 0; k < 8; ++k) shape[a * 8 + k] = ch_vec(draw(&seed), draw(&seed), draw(&seed));
  }
  return ch_test_soft(
      world,
      &(ChSoftPoints){.count = 8, .at = at, .mass = masses, .modes = modes, .shape = shape, .frequency = frequency});
}
