// Sweeps over contacts of spheres by colours: what they take, that they solve what sweeps in order solve, and that
// threads do not show.
#include <stdlib.h>
#include <string.h>

#include "solve/contact/body_sweep.h"
#include "solve/contact/sphere_bundles.h"
#include "solve/contact/sphere_sweep.h"
#include "support/first_part.h"
#include "support/suite.h"

static ChFirstPart part;
static ChProblem* problem;

// Every `smooth`th contact without friction; 0: none.
static const ChSystem* open_partly_smooth(const char* family, const char* settings, int smooth) {
  ChContext context = {0};
  ChCase item = {.name = family, .family = family, .settings = settings, .form = CH_FORM_GLOBAL};
  CHECK_OK(context, ch_case_generate(&context, &item, &problem));
  for (int i = 0; smooth > 0 && i < problem->block_count; i += smooth)
    problem->blocks[i].mu[0] = problem->blocks[i].mu[1] = 0.0;
  ch_first_part_open(&part, problem);
  return part.run.system;
}

static const ChSystem* open_part(const char* family, const char* settings) {
  return open_partly_smooth(family, settings, 0);
}

static void close_part(void) {
  ch_first_part_close(&part);
  ch_problem_destroy(problem);
}

static double error_of(const ChSystem* s, const double* r) {
  double* u = CH_TAKE(part.arena, s->rows, double);
  ch_system_velocity(s, r, u);
  return ch_system_error(s, r, u);
}

static void only_round_contacts_of_spheres_are_taken(void** state) {
  (void)state;
  static const struct {
    const char *family, *settings;
    bool taken;
  } rows[] = {{"pyramid", "n=4 mu=0.5", true},
              {"pyramid", "n=4 mu=0", true},
              {"pyramid", "n=4 mu=0.5 compliance=0.01 mass_ratio=100", true},
              {"rain", "n=1", true},
              {"cards", "n=3", false},
              {"wall", "n=3", false},
              {"disks", "n=4", false},
              {"beads", "n=4", true}};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
    const ChSystem* s = open_part(rows[k].family, rows[k].settings);
    ChSphereBundles bundles;
    assert_int_equal(ch_sphere_bundles_fill(part.arena, s, NULL, &bundles), rows[k].taken);
    close_part();
  }
}

static void no_two_contacts_of_a_colour_share_a_body(void** state) {
  (void)state;
  const ChSystem* s = open_part("pyramid", "n=8 mu=0.5");
  ChSphereBundles b;
  assert_true(ch_sphere_bundles_fill(part.arena, s, NULL, &b));
  int* seen = CH_TAKE(part.arena, s->bodies->n, int);
  int contacts = 0;
  for (int c = 0; c < b.colors; ++c)
    for (int k = CH_LANES * b.color_start[c]; k < CH_LANES * b.color_start[c + 1]; ++k) {
      const int i = b.contact[k];
      if (i < 0) continue;
      ++contacts;
      for (int e = s->bodies->start[i]; e < s->bodies->start[i + 1]; ++e) {
        assert_int_not_equal(seen[s->bodies->body[e]], c + 1);
        seen[s->bodies->body[e]] = c + 1;
      }
    }
  assert_int_equal(contacts, s->n);
  close_part();
}

static void compare_orders(int smooth) {
  const ChSystem* s = open_partly_smooth("pyramid", "n=8 mu=0.5 noise=0.05 h=0.01 compliance=0.02", smooth);
  double *r[2], *u[2], *v;
  for (int k = 0; k < 2; ++k) r[k] = CH_TAKE(part.arena, s->rows, double), u[k] = CH_TAKE(part.arena, s->rows, double);
  ChBodySweep* natural = ch_body_sweep_create(part.arena, s);
  ChSphereSweep* colored = ch_sphere_sweep_create(part.arena, s, NULL, 1);
  assert_true(natural && colored);
  v = CH_TAKE(part.arena, ch_body_sweep_size(natural), double);
  for (int k = 0; k < 3000; ++k) {
    ch_body_sweep_run(natural, r[0], v);
    ch_sphere_sweep_run(colored, 0.0, NULL);
  }
  ch_sphere_sweep_read(colored, r[1]);
  double apart = 0.0;
  for (int k = 0; k < 2; ++k) {
    CHECK_AT_MOST(error_of(s, r[k]), 1e-12);
    ch_system_velocity(s, r[k], u[k]);
  }
  for (int k = 0; k < s->rows; ++k) apart = fmax(apart, fabs(u[0][k] - u[1][k]));
  CHECK_AT_MOST(apart, 1e-11);
  close_part();
}

static void both_orders_come_to_one_solution(void** state) {
  (void)state;
  compare_orders(0);
}

// Walls without friction are such contacts.
static void contacts_without_friction_are_swept_among_the_others(void** state) {
  (void)state;
  compare_orders(3);
  compare_orders(1);
}

// Momentum included; enough contacts for threads to be used.
static void compare_threads(const char* settings) {
  const ChSystem* s = open_part("pyramid", settings);
  assert_true(s->n > 5000);
  double* r[3];
  for (int k = 0; k < 3; ++k) {
    ChSphereSweep* sweep = ch_sphere_sweep_create(part.arena, s, NULL, 1 << k);
    double change[2] = {0.0, 0.0};
    for (int j = 0; j < 20; ++j) change[j % 2] = ch_sphere_sweep_run(sweep, 0.8 * j / 20.0, NULL);
    ch_sphere_sweep_refresh(sweep);
    r[k] = CH_TAKE(part.arena, s->rows + 2, double);
    ch_sphere_sweep_read(sweep, r[k]);
    memcpy(r[k] + s->rows, change, sizeof change);
    assert_memory_equal(r[k], r[0], (size_t)(s->rows + 2) * sizeof *r[k]);
  }
  assert_true(error_of(s, r[0]) < 0.5);
  close_part();
}

static void any_number_of_threads_gives_the_same_bits(void** state) {
  (void)state;
  compare_threads("n=16 mu=0.4 noise=0.05 h=0.01");
  compare_threads("n=16 mu=0.4 noise=0.05 h=0.01 compliance=0.02");
}

static void a_start_that_solves_is_kept(void** state) {
  (void)state;
  const ChSystem* s = open_part("pyramid", "n=5 mu=0.5 h=0.01 compliance=0.05");
  double* r = CH_TAKE(part.arena, s->rows, double);
  double* again = CH_TAKE(part.arena, s->rows, double);
  ChSphereSweep* sweep = ch_sphere_sweep_create(part.arena, s, NULL, 1);
  for (int k = 0; k < 2000; ++k) ch_sphere_sweep_run(sweep, 0.0, NULL);
  ch_sphere_sweep_read(sweep, r);
  sweep = ch_sphere_sweep_create(part.arena, s, r, 1);
  ch_sphere_sweep_read(sweep, again);
  for (int k = 0; k < s->rows; ++k) CHECK_NEAR(again[k], r[k], 1e-14);
  CHECK_AT_MOST(ch_sphere_sweep_run(sweep, 0.5, NULL), 1e-14);
  close_part();
}

// Halfway to a solution, where contacts stick, slide and are open.
static void errors_of_four_contacts_at_a_time_are_those_of_the_system(void** state) {
  (void)state;
  for (int smooth = 0; smooth < 4; smooth += 3) {
    const ChSystem* s = open_partly_smooth("pyramid", "n=6 mu=0.3 noise=0.05 h=0.01 compliance=0.02", smooth);
    double *r = CH_TAKE(part.arena, s->rows, double), *u = CH_TAKE(part.arena, s->rows, double);
    double* exact = CH_TAKE(part.arena, s->rows, double);
    ChSphereSweep* sweep = ch_sphere_sweep_create(part.arena, s, r, 1);
    for (int k = 0; k < 40; ++k) {
      ch_sphere_sweep_run(sweep, 0.3, NULL);
      ch_sphere_sweep_refresh(sweep);
      ch_sphere_sweep_read(sweep, r);
      ch_sphere_sweep_velocity(sweep, u);
      ch_system_velocity(s, r, exact);
      const double error = ch_system_error(s, r, exact);
      CHECK_NEAR(ch_sphere_sweep_error(sweep), error, 1e-12 * error + 1e-15);
      for (int a = 0; a < s->rows; ++a) CHECK_NEAR(u[a], exact[a], 1e-13);
    }
    close_part();
  }
}

// From reactions of which all or every second are zero: most of these contacts are passed by at first.
static void open_contacts_that_are_passed_by_wake(void** state) {
  (void)state;
  for (int every = 1; every <= 2; ++every) {
    const ChSystem* s = open_part("pyramid", "n=8 mu=0.5 noise=0.05 h=0.01 compliance=0.02");
    double* r = CH_TAKE(part.arena, s->rows, double);
    for (int i = 0; i < s->n; ++i) r[s->row[i]] = i % every == 0 ? 0.0 : 0.01;
    ChSphereSweep* sweep = ch_sphere_sweep_create(part.arena, s, r, 1);
    for (int k = 0; k < 3000; ++k) ch_sphere_sweep_run(sweep, 0.0, NULL);
    ch_sphere_sweep_read(sweep, r);
    int closed = 0;
    for (int i = 0; i < s->n; ++i) closed += r[s->row[i]] > 0.0;
    assert_true(closed > s->n / 4 && closed < s->n);
    CHECK_AT_MOST(error_of(s, r), 1e-12);
    close_part();
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_round_contacts_of_spheres_are_taken),
      cmocka_unit_test(no_two_contacts_of_a_colour_share_a_body),
      cmocka_unit_test(both_orders_come_to_one_solution),
      cmocka_unit_test(contacts_without_friction_are_swept_among_the_others),
      cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
      cmocka_unit_test(a_start_that_solves_is_kept),
      cmocka_unit_test(errors_of_four_contacts_at_a_time_are_those_of_the_system),
      cmocka_unit_test(open_contacts_that_are_passed_by_wake),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
