// Stress at the skin of deformable bodies: fields whose stress is known exactly, bars under their weight, rotations,
// and the arms of viscoelastic ones.
#include <string.h>

#include "model/soft/soft_cubic.h"
#include "model/soft/soft_stress.h"
#include "support/near.h"
#include "support/soft_world.h"

static const double young = 3e6, poisson = 0.3;

// A body of one "mode", which is a field of the caller's at the nodes: nothing else of it is filled.
typedef struct Field {
  ChArena* arena;
  ChSoftParts* parts;
  ChSoft soft;
  ChSoftStress stress;
} Field;

static Field field_of(ChSoftKind kind, ChVec3 (*u)(ChVec3)) {
  Field f = {.arena = ch_arena_create(NULL)};
  ChBar bar = ch_bar(kind, false, 8);
  bar.def.young = young, bar.def.poisson = poisson;
  f.parts = ch_bar_parts(f.arena, &bar);
  const ChSoftMesh* mesh = &f.parts->mesh;
  double* U = CH_TAKE(f.arena, 3L * mesh->moving_count, double);
  for (int k = 0; k < mesh->node_count; ++k) {
    ChVec3 at = u(mesh->nodes[k]);
    for (int i = 0; i < 3; ++i) U[3L * mesh->place[k] + i] = ch_component(at, i);
  }
  int* vertices = CH_TAKE(f.arena, mesh->corner_count, int);  // all of them, those inside, too
  for (int v = 0; v < mesh->corner_count; ++v) vertices[v] = v;
  static const ChSoftCubic marks_the_law = {0};
  f.soft = (ChSoft){.kind = kind, .modes = 1, .skin.vertex_count = mesh->corner_count};
  f.soft.cubic = kind == CH_SOFT_STVK ? (const void*)&marks_the_law : NULL;
  f.stress = (ChSoftStress){.law = mesh->law, .gradient = CH_TAKE(f.arena, 9L * mesh->corner_count, double)};
  ch_soft_stress_build(f.arena, mesh, U, vertices, &f.soft, &f.stress);
  return f;
}

static void check_matrix(ChMat3 is, const double wanted[3][3], double tolerance) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) CHECK_NEAR(is.m[i][j], wanted[i][j], tolerance);
}

// Pure bending: u = (x z, - nu y z, - (x^2 + nu (z^2 - y^2)) / 2) has the stress E z along x and no other.
static ChVec3 bending(ChVec3 x) {
  return ch_vec(x.x * x.z, -poisson * x.y * x.z, -0.5 * (x.x * x.x + poisson * (x.z * x.z - x.y * x.y)));
}

static void F2_pure_bending_is_exact(void** state) {
  (void)state;
  Field f = field_of(CH_SOFT_MODAL, bending);
  const double curvature = 0.01;
  f.soft.stress = &f.stress;
  for (int v = 0; v < f.soft.skin.vertex_count; ++v) {
    const double wanted[3][3] = {{young * curvature * f.parts->mesh.nodes[v].z}};
    check_matrix(ch_soft_stress_at(&f.soft, v, &curvature, NULL), wanted, 1e-9 * young * curvature);
  }
  ch_arena_destroy(f.arena);
}

// Twice the same arm: stretched as the body is, each adds its share of the same stress.
static void L14_arms_add_their_share(void** state) {
  (void)state;
  Field f = field_of(CH_SOFT_MODAL, bending);
  const double curvature = 0.01, stretches[2] = {0.01, 0.02};
  f.soft.stress = &f.stress;
  f.soft.arms = 2;
  f.soft.arm_share[0] = 0.5, f.soft.arm_share[1] = 0.25;
  for (int v = 0; v < f.soft.skin.vertex_count; ++v) {
    const double wanted[3][3] = {{2.0 * young * curvature * f.parts->mesh.nodes[v].z}};
    check_matrix(ch_soft_stress_at(&f.soft, v, &curvature, stretches), wanted, 1e-9 * young * curvature);
  }
  ch_arena_destroy(f.arena);
}

static ChVec3 drawn(ChVec3 x) { return ch_vec(0.4 * x.x, -0.1 * x.y, 0.2 * x.z); }

// Stretched by F = diag(1.4, 0.9, 1.2): sigma = F S F' / det F, S = lambda tr(E) + 2 mu E, E = (F'F - 1) / 2.
static void F3_large_stretches_have_the_stress_of_cauchy(void** state) {
  (void)state;
  Field f = field_of(CH_SOFT_STVK, drawn);
  const double one = 1.0, F[3] = {1.4, 0.9, 1.2}, volume = F[0] * F[1] * F[2];
  double mu = young / (2.0 * (1.0 + poisson)), lambda = 2.0 * mu * poisson / (1.0 - 2.0 * poisson), trace = 0.0;
  double wanted[3][3] = {{0.0}};
  f.soft.stress = &f.stress;
  for (int i = 0; i < 3; ++i) trace += 0.5 * (F[i] * F[i] - 1.0);
  for (int i = 0; i < 3; ++i) wanted[i][i] = (lambda * trace + mu * (F[i] * F[i] - 1.0)) * F[i] * F[i] / volume;
  for (int v = 0; v < f.soft.skin.vertex_count; ++v)
    check_matrix(ch_soft_stress_at(&f.soft, v, &one, NULL), wanted, 1e-9 * young);
  ch_arena_destroy(f.arena);
}

// u = (Q - 1) x, Q a turn by 1 radian about z: the large law has no stress.
static ChVec3 turned(ChVec3 x) {
  return ch_vec((cos(1.0) - 1.0) * x.x - sin(1.0) * x.y, sin(1.0) * x.x + (cos(1.0) - 1.0) * x.y, 0.0);
}

static void F3_turns_have_no_stress(void** state) {
  (void)state;
  Field f = field_of(CH_SOFT_STVK, turned);
  const double one = 1.0, none[3][3] = {{0.0}};
  f.soft.stress = &f.stress;
  for (int v = 0; v < f.soft.skin.vertex_count; ++v)
    check_matrix(ch_soft_stress_at(&f.soft, v, &one, NULL), none, 1e-9 * young);
  ch_arena_destroy(f.arena);
}

// A clamped bar that hangs out level: sigma = rho A g (l - x)^2 / 2 . c / I at its upper edge, x from the clamp.
static void F2_a_bar_under_its_weight(void** state) {
  (void)state;
  const double g = 9.81;
  ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
  ChBar bar = ch_bar(CH_SOFT_MODAL, true, 30);
  bar.def.young = 1e9, bar.def.poisson = 0.0;
  bar.along = 16;
  ChBodyDef def = ch_body_def_default();
  int body = ch_test_bar_body(world, &bar, &def);
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(world, &options);
  const ChSoft* soft = s->world->bodies[body].soft;
  double *q = ch_state_modes(s->world, s->states, body), stress[6 * 1024];
  for (int a = 0; a < soft->modes; ++a) q[a] = -g * soft->S[2 * soft->modes + a] / soft->K0[a * (soft->modes + 1)];
  assert_true(soft->skin.vertex_count <= 1024);
  assert_true(ch_simulation_soft_stress(s, ch_body_id(body), stress));
  double largest = 1000.0 * g * 0.5 * 6.0 / 0.04;  // rho A g l^2 / 2 . c / I, c / I = 6 / (A height)
  int seen = 0;
  for (int v = 0; v < soft->skin.vertex_count; ++v) {
    ChVec3 x = soft->skin.rest[v];
    if (x.z < 0.0199 || x.x < -0.4) continue;
    double wanted = largest * (0.5 - x.x) * (0.5 - x.x);
    CHECK_NEAR(stress[6 * v], wanted, 0.02 * largest);
    CHECK_NEAR(ch_von_mises(stress + 6 * v), wanted, 0.02 * largest);
    ++seen;
  }
  assert_true(seen > 20);
  assert_false(ch_simulation_soft_stress(s, (ChBodyId){0}, stress));
  ch_simulation_destroy(s);
}

// |s| for a pull s, sqrt(3) |t| for a shear t, nothing for a pressure.
static void von_mises_of_plain_states(void** state) {
  (void)state;
  const double pull[6] = {-7.0}, shear[6] = {[3] = 2.0}, other[6] = {[4] = 2.0}, third[6] = {[5] = 2.0},
               pressure[6] = {5.0, 5.0, 5.0};
  CHECK_NEAR(ch_von_mises(pull), 7.0, 1e-15);
  CHECK_NEAR(ch_von_mises(shear), 2.0 * sqrt(3.0), 1e-15);
  CHECK_NEAR(ch_von_mises(other), 2.0 * sqrt(3.0), 1e-15);
  CHECK_NEAR(ch_von_mises(third), 2.0 * sqrt(3.0), 1e-15);
  CHECK_NEAR(ch_von_mises(pressure), 0.0, 1e-15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(F2_pure_bending_is_exact),
      cmocka_unit_test(L14_arms_add_their_share),
      cmocka_unit_test(F3_large_stretches_have_the_stress_of_cauchy),
      cmocka_unit_test(F3_turns_have_no_stress),
      cmocka_unit_test(F2_a_bar_under_its_weight),
      cmocka_unit_test(von_mises_of_plain_states),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
