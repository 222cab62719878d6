// Facts about reduced St. Venant-Kirchhoff bodies: an exact quartic of the full law, and bent as far as the full body.
#include <stdlib.h>
#include <string.h>

#include "cardhouse/random.h"
#include "support/near.h"
#include "support/soft_parts.h"

static int make_arena(void** state) {
  *state = ch_arena_create(NULL);
  return 0;
}

static int drop_arena(void** state) {
  ch_arena_destroy(*state);
  return 0;
}

// int L1^a L2^b L3^c L4^d = 3! a! b! c! d! / (a + b + c + d + 3)! of the volume.
static void quadrature_is_exact_to_its_degree(void** state) {
  (void)state;
  static const double factorial[] = {1, 1, 2, 6, 24, 120, 720, 5040, 40320};
  const ChTetRule rules[2] = {ch_tet_rule_2(), ch_tet_rule_5()};
  const int degree[2] = {2, 5};
  for (int r = 0; r < 2; ++r)
    for (int a = 0; a <= degree[r]; ++a)
      for (int b = 0; a + b <= degree[r]; ++b)
        for (int c = 0; a + b + c <= degree[r]; ++c) {
          double sum = 0.0, exact = 6.0 * factorial[a] * factorial[b] * factorial[c] / factorial[a + b + c + 3];
          for (int p = 0; p < rules[r].count; ++p) {
            const double* L = rules[r].point[p];
            sum += rules[r].weight[p] * pow(L[0], a) * pow(L[1], b) * pow(L[2], c);
          }
          CHECK_NEAR(sum, exact, 1e-15);
        }
}

// A coarse bar and amplitudes that bend it by about its length.
enum { MODES = 9 };
typedef struct Case {
  ChSoftParts* parts;
  const ChSoft* soft;
  double q[MODES], *u;
} Case;

static Case make_case(ChArena* arena, bool clamped) {
  ChBar bar = ch_bar(CH_SOFT_STVK, clamped, MODES);
  bar.along = 4, bar.across = 1;
  Case c = {.parts = ch_bar_parts(arena, &bar), .soft = ch_bar_soft(arena, &bar)};
  assert_non_null(c.parts);
  assert_non_null(c.soft);
  int n = c.parts->matrices.n;
  uint64_t random = 5;
  c.u = CH_TAKE(arena, n, double);
  for (int a = 0; a < MODES; ++a) {
    c.q[a] = (ch_random_unit(&random) - 0.5) * sqrt(c.soft->mass);
    for (int i = 0; i < n; ++i) c.u[i] += c.q[a] * c.parts->U[(long)a * n + i];
  }
  return c;
}

static void reduced_energy_and_force_are_those_of_the_full_law(void** state) {
  ChArena* arena = *state;
  for (int clamped = 0; clamped < 2; ++clamped) {
    Case c = make_case(arena, clamped);
    int n = c.parts->matrices.n;
    double *f = CH_TAKE(arena, n, double), g[MODES], largest = 0.0;
    double full = ch_full_stvk(&c.parts->mesh, c.u, f, NULL);
    CHECK_NEAR(ch_soft_energy(c.soft, c.q), full, 1e-12 * full);
    ch_soft_force(c.soft, c.q, g);
    for (int a = 0; a < MODES; ++a) largest = fmax(largest, fabs(g[a]));
    for (int a = 0; a < MODES; ++a) {
      double sum = 0.0;
      for (int i = 0; i < n; ++i) sum += f[i] * c.parts->U[(long)a * n + i];
      CHECK_NEAR(g[a], sum, 1e-11 * largest);
    }
  }
}

// The five-point difference is exact for polynomials up to degree four.
static double difference(const double value[4], double h) {
  return (8.0 * (value[2] - value[1]) - (value[3] - value[0])) / (12.0 * h);
}

static void force_is_the_gradient_of_energy_and_stiffness_that_of_force(void** state) {
  Case c = make_case(*state, true);
  const double h = 0.1, offset[4] = {-2.0 * h, -h, h, 2.0 * h};
  double f[MODES], K[MODES * MODES], force[4][MODES], energy[4], scale = ch_soft_energy(c.soft, c.q);
  ch_soft_force(c.soft, c.q, f);
  ch_soft_stiffness(c.soft, c.q, K);
  for (int a = 0; a < MODES; ++a) {
    for (int k = 0; k < 4; ++k) {
      double moved[MODES];
      memcpy(moved, c.q, sizeof moved);
      moved[a] += offset[k];
      energy[k] = ch_soft_energy(c.soft, moved);
      ch_soft_force(c.soft, moved, force[k]);
    }
    CHECK_NEAR(f[a], difference(energy, h), 1e-12 * scale / h);
    for (int b = 0; b < MODES; ++b) {
      double value[4] = {force[0][b], force[1][b], force[2][b], force[3][b]};
      CHECK_NEAR(K[MODES * b + a], difference(value, h), 1e-12 * scale / (h * h));
    }
  }
}

// Turning the bent body costs nothing: E does not change when F becomes R F.
static void the_full_law_does_not_see_rotations(void** state) {
  ChArena* arena = *state;
  Case c = make_case(arena, false);
  double *turned = CH_TAKE(arena, c.parts->matrices.n, double), before = ch_full_stvk(&c.parts->mesh, c.u, NULL, NULL);
  ChQuat R = ch_quat_exp(ch_vec(0.7, -1.1, 0.4));
  for (int v = 0; v < c.parts->mesh.node_count; ++v) {
    ChVec3 X = c.parts->mesh.nodes[v], x = ch_add(X, ch_vec(c.u[3 * v], c.u[3 * v + 1], c.u[3 * v + 2]));
    ChVec3 moved = ch_sub(ch_rotate(R, x), X);
    turned[3 * v] = moved.x, turned[3 * v + 1] = moved.y, turned[3 * v + 2] = moved.z;
  }
  CHECK_NEAR(ch_full_stvk(&c.parts->mesh, turned, NULL, NULL), before, 1e-11 * before);
}

// The basis holds the lowest vibrations themselves.
static void small_motions_are_those_of_the_linear_modes(void** state) {
  ChBar bar = ch_bar(CH_SOFT_MODAL, false, MODES);
  bar.along = 4, bar.across = 1;
  const ChSoft* linear = ch_bar_soft(*state, &bar);
  Case c = make_case(*state, false);
  for (int a = 0; a < ch_soft_linear_modes(MODES); ++a) {
    double nearest = INFINITY;
    for (int b = 0; b < MODES; ++b) nearest = fmin(nearest, fabs(c.soft->frequency[b] / linear->frequency[a] - 1.0));
    CHECK_AT_MOST(nearest, 1e-9);
  }
}

// ---------------------------------------------------------------------------------------------------- bent by a load

// A cantilever with a force across its end, so large that the end moves by three tenths of the length: deflection and
// shortening of the reduced body beside the full one.
static void a_bent_bar_rests_where_the_full_one_does(void** state) {
  ChArena* arena = *state;
  ChBar bar = ch_bar(CH_SOFT_STVK, true, 12);
  ChSoftParts* parts = ch_bar_parts(arena, &bar);
  const ChSoft* soft = ch_bar_soft(arena, &bar);
  const ChSoftMesh* mesh = &parts->mesh;
  int n = parts->matrices.n, count = 0, tip = -1;
  for (int v = 0; v < mesh->node_count; ++v)
    if (mesh->nodes[v].x > 0.4999 * bar.length) ++count, tip = mesh->place[v];
  double stiffness = 3.0 * bar.def.young * bar.width * pow(bar.height, 3) / 12.0 / pow(bar.length, 3);
  double *f = CH_TAKE(arena, n, double), *u = CH_TAKE(arena, n, double), g[12], q[12], end[3] = {0};
  for (int v = 0; v < mesh->node_count; ++v)
    if (mesh->nodes[v].x > 0.4999 * bar.length) f[3 * mesh->place[v] + 2] = 0.345 * bar.length * stiffness / count;
  for (int a = 0; a < 12; ++a) {
    g[a] = 0.0;
    for (int i = 0; i < n; ++i) g[a] += parts->U[(long)a * n + i] * f[i];
  }
  assert_true(ch_full_stvk_rest(arena, &parts->matrices, f, u));
  assert_true(ch_soft_rest(soft, g, q));
  for (int a = 0; a < 12; ++a)
    for (int i = 0; i < 3; ++i) end[i] += parts->U[(long)a * n + 3 * tip + i] * q[a];
  CHECK_NEAR(u[3 * tip + 2], 0.3 * bar.length, 0.01 * bar.length);
  CHECK_NEAR(end[2] / u[3 * tip + 2], 1.0, 0.02);
  CHECK_NEAR(end[0] / u[3 * tip], 1.0, 0.02);  // shortening: a linear body has none
  CHECK_NEAR(ch_soft_energy(soft, q) / ch_full_stvk(mesh, u, NULL, NULL), 1.0, 0.02);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_arena, drop_arena)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(quadrature_is_exact_to_its_degree),
      TEST(reduced_energy_and_force_are_those_of_the_full_law),
      TEST(force_is_the_gradient_of_energy_and_stiffness_that_of_force),
      TEST(the_full_law_does_not_see_rotations),
      TEST(small_motions_are_those_of_the_linear_modes),
      TEST(a_bent_bar_rests_where_the_full_one_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
