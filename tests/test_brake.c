// What happens where time runs out: answers that brake, and runs of which most steps miss.
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "cardhouse/scene.h"
#include "problem/cones.h"
#include "problem/contact_problem.h"
#include "step/brake.h"
#include "support/near.h"
#include "support/random.h"
#include "support/suite.h"
#include "support/worlds.h"

// --- one problem -----------------------------------------------------------------------------------------------------

enum { ROWS = 2000 };
static double v[ROWS], u[ROWS], r[ROWS], u0[ROWS], zero[ROWS];

// Distance of r from its cones, and what reactions add to the energy: r . (q + W r / 2).
static void check_answer(ChContext* context, const ChProblem* p) {
  double gain = 0.0, size = 0.0, x[CH_BLOCK_MAX], most = 0.0;
  CHECK_OK(*context, ch_problem_velocity(context, p, zero, v, u0));
  CHECK_OK(*context, ch_problem_velocity(context, p, r, v, u));
  for (int k = 0; k < p->rows; ++k) {
    gain += 0.5 * r[k] * (u0[k] + u[k]);
    size += fabs(r[k] * u0[k]);
    most = fmax(most, fabs(r[k]));
  }
  CHECK_AT_MOST(gain, 1e-12 * size);
  for (int i = 0; i < p->block_count; ++i) {
    ch_block_project(&p->blocks[i], CH_POSE_COULOMB, r + p->blocks[i].row, x);
    for (int a = 0; a < p->blocks[i].dimension; ++a) CHECK_NEAR(r[p->blocks[i].row + a], x[a], 1e-12 * most);
  }
}

static double fastest_approach(const ChProblem* p, const double* at) {
  double most = 0.0;
  for (int i = 0; i < p->block_count; ++i)
    if (p->blocks[i].law == CH_LAW_CONTACT) most = fmax(most, -at[p->blocks[i].row]);
  return most;
}

static void brake_from(ChContext* context, const ChProblem* p, double start) {
  ChRandom random = {7};
  ChSolveInfo info = {.certificate = {.natural = NAN}};
  for (int k = 0; k < p->rows; ++k) r[k] = start == 0.0 ? 0.0 : start * ch_random_uniform(&random, -1.0, 1.0);
  for (int i = 0; i < p->block_count; ++i)
    ch_block_project(&p->blocks[i], CH_POSE_COULOMB, r + p->blocks[i].row, r + p->blocks[i].row);
  memset(u, 0, sizeof u);
  ChBrake brake = {.problem = p, .pose = CH_POSE_COULOMB};
  CHECK_OK(*context, ch_brake(context, &brake, v, u, r, &info));
  assert_true(isfinite(info.certificate.natural));
  check_answer(context, p);
}

// Whatever it begins with, what comes out is in its cone and gains no energy; and contacts are slowed down.
static void braking_gains_no_energy_from_any_start(void** state) {
  (void)state;
  ChContext context = {0};
  static const double starts[] = {0.0, 1e-3, 1e3, 1e300, NAN};
  int seen = 0;
  for (int c = 0; c < ch_case_count(); ++c) {
    const ChCase* item = ch_case_at(c);
    ChProblem* p;
    if (item->size != CH_CASE_SMALL || item->form != CH_FORM_GLOBAL) continue;
    CHECK_OK(context, ch_case_generate(&context, item, &p));
    if (p->rows <= ROWS && p->dof <= ROWS && ch_problem_count(p, CH_LAW_LIMIT) == 0) {
      for (size_t k = 0; k < sizeof starts / sizeof *starts; ++k) brake_from(&context, p, starts[k]);
      CHECK_AT_MOST(fastest_approach(p, u), fastest_approach(p, u0));
      ++seen;
    }
    ch_problem_destroy(p);
  }
  assert_true(seen > 10);
}

// --- runs of which most steps miss -----------------------------------------------------------------------------------

typedef struct Outcome {
  int steps, missed;
  double highest, deepest, fastest;  // above that of the start; overlap; speed
} Outcome;

// The hand of `haptic` goes down among the bodies and pushes them about.
static Outcome run_haptic(double work_limit, double step_limit, int steps) {
  static const char* const quick[][2] = {{"speed", "4"}};
  ChContext context = {0};
  ChScene* scene;
  char* text;
  CHECK_OK(context, ch_scene_builtin(&context, "haptic", 1, quick, &text));
  CHECK_OK(context, ch_scene_parse(&context, text, NULL, &scene));
  free(text);
  ChSimulationOptions options = scene->options;
  options.solve.work_limit = work_limit;
  options.step_limit = step_limit;
  ChSimulation* s = ch_test_start(scene->world, &options);
  scene->world = NULL;
  ch_scene_destroy(scene);
  Outcome out = {.steps = steps};
  double start = ch_simulation_info(s).kinetic + ch_simulation_info(s).potential;
  for (int k = 0; k < steps; ++k) {
    ChStepInfo info = ch_test_step(s);
    assert_true(isfinite(info.kinetic) && isfinite(info.potential));
    out.missed += info.missed;
    out.highest = fmax(out.highest, info.kinetic + info.potential - start);
    out.deepest = fmax(out.deepest, info.penetration);
    for (int b = 0; b < ch_world_body_count(ch_simulation_world(s)); ++b)
      out.fastest = fmax(out.fastest, ch_norm(ch_simulation_body_at(s, b).velocity));
  }
  ch_simulation_destroy(s);
  return out;
}

// Where every step is certified: 0.86 J, most of it in the hand's spring, 0.2 mm and 2.1 m/s.
static void check_calm(const Outcome* o) {
  assert_true(2 * o->missed > o->steps);
  CHECK_AT_MOST(o->highest, 1.0);
  CHECK_AT_MOST(o->deepest, 1e-3);
  CHECK_AT_MOST(o->fastest, 3.0);
}

// Counted work as limit: the same steps miss on any machine.
static void L12_most_steps_miss_and_energy_stays(void** state) {
  (void)state;
  Outcome o = run_haptic(1e4, 0.0, 600);
  check_calm(&o);
}

// A limit on the clock that nothing can keep: every step ends at once.
static void L12_no_time_at_all(void** state) {
  (void)state;
  Outcome o = run_haptic(2e9, 1e-9, 600);
  check_calm(&o);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(braking_gains_no_energy_from_any_start),
                                     cmocka_unit_test(L12_most_steps_miss_and_energy_stays),
                                     cmocka_unit_test(L12_no_time_at_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
