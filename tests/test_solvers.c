// Facts about ch_solve and the exact methods: closed forms, every law in every method, limits, units, reproducibility,
// memory that runs out.
#include <cblas.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cardhouse/clock.h"
#include "cardhouse/solve.h"
#include "solve/method.h"
#include "support/largest_w.h"
#include "support/near.h"
#include "support/random.h"
#include "support/small.h"
#include "support/suite.h"
#include "system/system.h"

// An answer and the room for it.
typedef struct Answer {
  ChStatus status;
  ChSolveInfo info;
  char message[CH_MESSAGE_SIZE];
  double *r, *u, *v;
} Answer;

static Answer answer_create(const ChProblem* p) {
  Answer a = {.r = calloc((size_t)p->rows + 1, sizeof(double)),
              .u = calloc((size_t)p->rows + 1, sizeof(double)),
              .v = calloc((size_t)p->dof + 1, sizeof(double))};
  assert_true(a.r && a.u && a.v);
  return a;
}

static void answer_destroy(Answer* a) {
  free(a->r);
  free(a->u);
  free(a->v);
}

static ChSolveOptions options_for(const char* method, double tolerance) {
  ChSolveOptions o = ch_solve_options_default();
  o.method = method;
  o.tolerance = tolerance;
  return o;
}

static ChStatus solve(const ChProblem* p, const ChSolveOptions* options, Answer* a) {
  ChContext context = {0};
  a->status = ch_solve(&context, p, options, a->v, a->u, a->r, &a->info);
  memcpy(a->message, context.message, sizeof a->message);
  return a->status;
}

// Solved, and so the certificate says when it is asked again.
static void must_solve(const char* what, const ChProblem* p, const ChSolveOptions* options, Answer* a) {
  ChContext context = {0};
  ChCertificate c;
  if (solve(p, options, a) != CH_OK)
    fail_msg("%s with %s: %s, natural %g, siconos %g, cone %g (%s) %s", what, options->method,
             ch_status_text(a->status), a->info.certificate.natural, a->info.certificate.siconos,
             a->info.certificate.cone, a->info.stage, a->message);
  CHECK_OK(context, ch_certify(&context, p, options->pose, a->r, p->form == CH_FORM_GLOBAL ? a->v : NULL, &c));
  if (!ch_certificate_met(&c, options->tolerance))
    fail_msg("%s with %s: says solved, natural %g", what, options->method, c.natural);
}

static ChProblem* generate(const char* name) {
  ChContext context = {0};
  ChProblem* problem = NULL;
  for (int k = 0; k < ch_case_count(); ++k)
    if (strcmp(ch_case_at(k)->name, name) == 0) CHECK_OK(context, ch_case_generate(&context, ch_case_at(k), &problem));
  if (!problem) fail_msg("no case %s", name);
  return problem;
}

static ChProblem* generate_family(const char* family, const char* settings, ChForm form) {
  ChContext context = {0};
  ChProblem* problem = NULL;
  const ChCase item = {.name = family, .family = family, .settings = settings, .form = form};
  CHECK_OK(context, ch_case_generate(&context, &item, &problem));
  return problem;
}

// The exact methods that need no inner solver: what this file is about.
static const char* const exact_methods[] = {"auto", "nsgs", "newton", "admm", "ipm"};
enum { EXACT = sizeof exact_methods / sizeof exact_methods[0] };

// Splitting and interior point promise moderate accuracy only.
static double reach(const char* method) {
  return strcmp(method, "admm") == 0 || strcmp(method, "ipm") == 0 ? 1e-6 : 1e-8;
}

static void exact_methods_are_registered(void** state) {
  (void)state;
  for (int k = 0; k < EXACT; ++k) {
    const ChMethod* method = ch_method_find(exact_methods[k]);
    assert_non_null(method);
    assert_true(method->takes & CH_IS_EXACT);
  }
  for (int k = 0; k < ch_method_count(); ++k) assert_ptr_equal(ch_method_find(ch_method_info(k).name), ch_method_at(k));
  for (int k = 0; k < ch_option_count(); ++k) {
    ChOptionInfo info = ch_option_info(k);
    assert_true(info.lowest <= info.value && info.value <= info.highest);
    assert_non_null(strchr(info.name, '.'));
  }
  assert_null(ch_method_find("no such method"));
  assert_null(ch_method_find(NULL));
}

// --- closed forms --------------------------------------------------------------------------------------------------

// One contact with W = identity: q = (-1, t, 0) sticks while |t| <= mu; else r = (1, -mu, 0), u = (0, t - mu, 0).
static void one_contact_in_closed_form(void** state) {
  (void)state;
  const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, mu = 0.5;
  const ChBlock block = {.law = CH_LAW_CONTACT, .dimension = 3, .mu = {mu, mu}};
  static const double slips[] = {0.0, 0.3, 0.7, 40.0};
  for (int m = 0; m < EXACT; ++m)
    for (int k = 0; k < 5; ++k) {
      const double t = k < 4 ? slips[k] : 1.0, q[3] = {k < 4 ? -1.0 : 1.0, t, 0.0};  // the last one takes off
      ChProblem* p = ch_small_local(3, 1, &block, W, q);
      Answer a = answer_create(p);
      ChSolveOptions o = options_for(exact_methods[m], 1e-9);
      must_solve("one contact", p, &o, &a);
      const double r_n = k < 4 ? 1.0 : 0.0, r_t = -fmin(t, mu * r_n);
      const double wanted[3] = {r_n, r_t, 0.0};
      for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(a.r[i], wanted[i], 2e-8 * (1.0 + t));
        CHECK_NEAR(a.u[i], q[i] + wanted[i], 2e-8 * (1.0 + t));
      }
      answer_destroy(&a);
      ch_problem_destroy(p);
    }
}

enum { MIXED_ROWS = 23 };

// Every law at once, coupled by a random W = A A^T / n + shift.
static ChProblem* mixed_problem(double seed, double shift) {
  const ChBlock blocks[] = {{.law = CH_LAW_BILATERAL, .dimension = 6},
                            {.law = CH_LAW_CONTACT, .dimension = 3, .mu = {0.5, 0.5}},
                            {.law = CH_LAW_CONTACT, .dimension = 3, .mu = {0.2, 0.9}},
                            {.law = CH_LAW_CONTACT, .dimension = 3, .mu = {0.0, 0.0}},
                            {.law = CH_LAW_CONTACT, .dimension = 3, .mu = {0.0, 0.4}},
                            {.law = CH_LAW_UNILATERAL, .dimension = 1},
                            {.law = CH_LAW_LIMIT, .dimension = 1, .lo = -0.2, .hi = 0.1},
                            {.law = CH_LAW_LIMIT, .dimension = 1, .lo = 0.3, .hi = 0.3},
                            {.law = CH_LAW_LIMIT, .dimension = 1, .lo = -INFINITY, .hi = INFINITY},
                            {.law = CH_LAW_LIMIT, .dimension = 1, .lo = 0.05, .hi = INFINITY}};
  ChRandom random = ch_random_seeded(seed);
  double A[MIXED_ROWS * MIXED_ROWS], W[MIXED_ROWS * MIXED_ROWS], q[MIXED_ROWS];
  for (int k = 0; k < MIXED_ROWS * MIXED_ROWS; ++k) A[k] = ch_random_normal(&random);
  for (int i = 0; i < MIXED_ROWS; ++i) {
    q[i] = ch_random_normal(&random);
    for (int j = 0; j < MIXED_ROWS; ++j) {
      W[i * MIXED_ROWS + j] = i == j ? shift : 0.0;
      for (int k = 0; k < MIXED_ROWS; ++k)
        W[i * MIXED_ROWS + j] += A[i * MIXED_ROWS + k] * A[j * MIXED_ROWS + k] / MIXED_ROWS;
    }
  }
  return ch_small_local(3, 10, blocks, W, q);
}

static void every_law_in_every_method_and_pose(void** state) {
  (void)state;
  for (int seed = 1; seed <= 5; ++seed) {
    ChProblem* p = mixed_problem(seed, 0.3);
    Answer a = answer_create(p), reference = answer_create(p);
    for (int pose = 0; pose <= CH_POSE_FRICTIONLESS; ++pose)
      for (int m = 0; m < EXACT; ++m) {
        ChSolveOptions o = options_for(exact_methods[m], reach(exact_methods[m]));
        o.pose = (ChPose)pose;
        must_solve("mixed laws", p, &o, &a);
        for (int i = 0; i < 6; ++i) CHECK_NEAR(a.u[i], 0.0, 1e-4);
        CHECK_NEAR(a.r[6 + 12 + 1 + 1], 0.3, 0.0);  // the limit of no width
        if (m == 0) memcpy(reference.u, a.u, (size_t)p->rows * sizeof(double));
        // W is positive definite, so the relaxed and the frictionless poses have one solution
        for (int i = 0; i < p->rows && pose != CH_POSE_COULOMB; ++i) CHECK_NEAR(a.u[i], reference.u[i], 1e-3);
      }
    answer_destroy(&a);
    answer_destroy(&reference);
    ch_problem_destroy(p);
  }
}

// Nothing but bilateral rows: a linear system, and u = 0.
static void bilateral_rows_alone_are_a_linear_system(void** state) {
  (void)state;
  const ChBlock blocks[] = {{.law = CH_LAW_BILATERAL, .dimension = 2}, {.law = CH_LAW_BILATERAL, .dimension = 1}};
  const double W[9] = {2, 1, 0, 1, 3, 1, 0, 1, 2}, q[3] = {1, -2, 0.5};
  ChProblem* p = ch_small_local(3, 2, blocks, W, q);
  Answer a = answer_create(p);
  for (int m = 0; m < EXACT; ++m) {
    ChSolveOptions o = options_for(exact_methods[m], 1e-8);
    must_solve("bilateral rows", p, &o, &a);
    for (int i = 0; i < 3; ++i) CHECK_NEAR(a.u[i], 0.0, 1e-7);
  }
  answer_destroy(&a);
  ch_problem_destroy(p);
}

// --- starting, stopping --------------------------------------------------------------------------------------------

static void a_solution_is_its_own_warm_start(void** state) {
  (void)state;
  static const char* const names[] = {"tower-5", "cards-3-local", "pile-6-shaken", "skates-6",
                                      "chain-8", "wheels-2",      "rain-12"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
    ChProblem* p = generate(names[k]);
    Answer cold = answer_create(p), warm = answer_create(p);
    ChSolveOptions o = options_for("auto", 1e-10);
    must_solve(names[k], p, &o, &cold);
    o.warm = cold.r;
    o.tolerance = 1e-9;
    for (int m = 0; m < EXACT; ++m) {
      o.method = exact_methods[m];
      must_solve(names[k], p, &o, &warm);
      assert_int_equal(warm.info.outer, 0);
      assert_int_equal(warm.info.inner, 0);
    }
    answer_destroy(&cold);
    answer_destroy(&warm);
    ch_problem_destroy(p);
  }
}

// A warm start that is absurd, outside of its cone or of another problem altogether does no harm.
static void a_bad_warm_start_does_no_harm(void** state) {
  (void)state;
  static const double sizes[] = {1.0, 1e6, 1e150, 1e308};
  ChProblem* p = generate("cards-3-local");
  Answer a = answer_create(p);
  double* warm = calloc((size_t)p->rows, sizeof *warm);
  for (int k = 0; k < 4; ++k)
    for (int m = 0; m < EXACT; ++m) {
      for (int i = 0; i < p->rows; ++i) warm[i] = sizes[k] * cos(3.0 * i);
      ChSolveOptions o = options_for(exact_methods[m], 1e-4);
      o.warm = warm;
      must_solve("bad warm start", p, &o, &a);
    }
  free(warm);
  answer_destroy(&a);
  ch_problem_destroy(p);
}

static void limits_are_obeyed_and_leave_the_best_iterate(void** state) {
  (void)state;
  ChProblem* p = generate("pyramid-8-shaken");
  Answer a = answer_create(p);
  for (int m = 0; m < EXACT; ++m) {
    ChSolveOptions o = options_for(exact_methods[m], 1e-20);  // out of reach, so that every method runs into its limit
    o.time_limit = 0.1;
    const double before = ch_clock_seconds();
    assert_int_not_equal(solve(p, &o, &a), CH_OK);
    CHECK_AT_MOST(ch_clock_seconds() - before, 3.0);  // one iteration late, and sanitizers are slow
    assert_true(a.status == CH_MAX_TIME || a.status == CH_MAX_ITER);
    CHECK_AT_MOST(a.info.certificate.natural, 1.0);  // no worse than doing nothing
    CHECK_AT_MOST(a.info.certificate.cone, 1e-12);
  }
  for (int m = 0; m < EXACT; ++m) {
    ChSolveOptions o = options_for(exact_methods[m], 1e-20);
    o.max_iterations = 3;
    assert_int_equal(solve(p, &o, &a), CH_MAX_ITER);
    const bool sweeps = strcmp(o.method, "nsgs") == 0 || strcmp(o.method, "ipm") == 0;
    if (sweeps) assert_true(a.info.outer <= 3);
    CHECK_AT_MOST(a.info.certificate.natural, 1.0);
  }
  answer_destroy(&a);
  ch_problem_destroy(p);
}

static void refused(const ChProblem* p, const ChSolveOptions* o, ChStatus wanted) {
  Answer a = answer_create(p);
  for (int i = 0; i < p->rows; ++i) a.r[i] = 7.0;
  assert_int_equal(solve(p, o, &a), wanted);
  assert_int_equal(a.info.status, wanted);
  assert_true(a.message[0] != '\0');
  for (int i = 0; i < p->rows; ++i) CHECK_NEAR(a.r[i], 7.0, 0.0);  // nothing is written
  answer_destroy(&a);
}

static void bad_arguments_are_refused(void** state) {
  (void)state;
  ChProblem* p = generate("tower-5");
  const ChSolveOptions good = options_for("nsgs", 1e-8);
  double* warm = calloc((size_t)p->rows, sizeof *warm);
#define REFUSE(wanted, change) \
  do {                         \
    ChSolveOptions o = good;   \
    change;                    \
    refused(p, &o, wanted);    \
  } while (0)
#define SET(key, number) (o.setting_count = 1, o.settings = &(ChSetting){key, number})
  REFUSE(CH_ERR_ARGUMENT, o.method = "no such method");
  REFUSE(CH_ERR_ARGUMENT, o.method = NULL);
  REFUSE(CH_ERR_ARGUMENT, o.inner = "no such solver");
  REFUSE(CH_ERR_ARGUMENT, o.inner = "ipm");  // nsgs takes no inner solver
  REFUSE(CH_ERR_ARGUMENT, (o.method = "successive", o.inner = "staggered"));
  REFUSE(CH_ERR_RANGE, o.tolerance = 0.0);
  REFUSE(CH_ERR_RANGE, o.tolerance = NAN);
  REFUSE(CH_ERR_RANGE, o.tolerance = 1.0);
  REFUSE(CH_ERR_RANGE, o.time_limit = 0.0);
  REFUSE(CH_ERR_RANGE, o.time_limit = NAN);
  REFUSE(CH_ERR_RANGE, o.work_limit = -1.0);
  REFUSE(CH_ERR_RANGE, o.work_limit = NAN);
  REFUSE(CH_ERR_RANGE, o.max_iterations = -1);
  REFUSE(CH_ERR_RANGE, o.pose = (ChPose)7);
  REFUSE(CH_ERR_ARGUMENT, SET("nsgs.no_such_option", 1.0));
  REFUSE(CH_ERR_ARGUMENT, SET(NULL, 1.0));
  REFUSE(CH_ERR_RANGE, SET("nsgs.omega", 2.5));
  REFUSE(CH_ERR_RANGE, SET("nsgs.omega", NAN));
  REFUSE(CH_ERR_RANGE, SET("nsgs.check", 1.5));
  REFUSE(CH_ERR_RANGE, o.setting_count = 1);  // and no list
  REFUSE(CH_ERR_RANGE, o.setting_count = -1);
  warm[p->rows - 1] = NAN;
  REFUSE(CH_ERR_RANGE, o.warm = warm);
  warm[p->rows - 1] = INFINITY;
  REFUSE(CH_ERR_RANGE, o.warm = warm);
  free(warm);
  ch_problem_destroy(p);
}

// --- the same answer -----------------------------------------------------------------------------------------------

static void check_same_bits(const ChProblem* p, const Answer* a, const Answer* b) {
  assert_memory_equal(a->r, b->r, (size_t)p->rows * sizeof(double));
  assert_memory_equal(a->u, b->u, (size_t)p->rows * sizeof(double));
  assert_memory_equal(&a->info.certificate, &b->info.certificate, sizeof(ChCertificate));
  assert_int_equal(a->info.outer, b->info.outer);
}

static void threads_and_repetition_change_no_bit(void** state) {
  (void)state;
  static const char* const names[] = {"pyramid-8-shaken", "pile-20-slippery"};
  for (int k = 0; k < 2; ++k) {
    ChProblem* p = generate(names[k]);
    Answer one = answer_create(p), two = answer_create(p);
    ChSolveOptions o = options_for("nsgs", 1e-12);
    o.setting_count = 1;
    o.settings = &(ChSetting){"nsgs.colors", 1};
    o.max_iterations = 60;
    solve(p, &o, &one);
    o.threads = 2;
    solve(p, &o, &two);
    check_same_bits(p, &one, &two);
    large = true;  // and through bodies
    solve(p, &o, &two);
    o.threads = 1;
    solve(p, &o, &one);
    check_same_bits(p, &one, &two);
    large = false;
    o = options_for("auto", 1e-10);
    must_solve(names[k], p, &o, &one);
    must_solve(names[k], p, &o, &two);
    check_same_bits(p, &one, &two);
    o.threads = 2;
    must_solve(names[k], p, &o, &two);
    check_same_bits(p, &one, &two);
    answer_destroy(&one);
    answer_destroy(&two);
    ch_problem_destroy(p);
  }
}

// W formed and W applied through bodies are the same operator: the same sweeps, and every method that takes it solves
// it.
static void a_problem_too_large_to_form_W(void** state) {
  (void)state;
  static const char* const names[] = {"tower-shaken", "pile-5",   "pyramid-4", "chain-8",
                                      "wheels-2",     "skates-6", "disks-6"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
    ChProblem* p = generate(names[k]);
    Answer formed = answer_create(p), bodies = answer_create(p);
    ChSolveOptions o = options_for("nsgs", 1e-14);
    o.max_iterations = 5;
    solve(p, &o, &formed);
    large = true;
    solve(p, &o, &bodies);
    double largest = 0.0;
    for (int i = 0; i < p->rows; ++i) largest = fmax(largest, fabs(formed.r[i]));
    for (int i = 0; i < p->rows; ++i) CHECK_NEAR(bodies.r[i], formed.r[i], 1e-11 * largest);
    for (int m = 0; m < EXACT; ++m) {  // what can be solved one way can be solved the other
      o = options_for(exact_methods[m], m == 0 ? 1e-8 : 1e-5);
      large = false;
      ChStatus status = solve(p, &o, &formed);
      large = true;
      if (m == 0 || status == CH_OK) must_solve(names[k], p, &o, &bodies);
    }
    for (int m = 0; m < ch_method_count(); ++m) {
      if (ch_method_at(m)->takes & CH_TAKES_UNFORMED) continue;
      o = options_for(ch_method_at(m)->name, 1e-8);
      assert_int_equal(solve(p, &o, &bodies), CH_ERR_UNSUPPORTED);
    }
    large = false;
    answer_destroy(&formed);
    answer_destroy(&bodies);
    ch_problem_destroy(p);
  }
}

// --- scales --------------------------------------------------------------------------------------------------------

static double* filled(int n, double value) {
  double* x = calloc((size_t)n + 1, sizeof *x);
  assert_non_null(x);
  for (int i = 0; i < n; ++i) x[i] = value;
  return x;
}

// The certificate's siconos field mixes units and may be out of reach: natural is what must be met.
static void units_do_not_matter(void** state) {
  (void)state;
  static const char* const names[] = {"cards-3-local", "pile-6-shaken", "chain-8", "skates-6"};
  static const double factors[] = {1e-12, 1e12};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k)
    for (int which = 0; which < 4; ++which) {
      ChProblem* p = generate(names[k]);
      const double velocity = which < 2 ? factors[which] : 1.0, reaction = which < 2 ? 1.0 : factors[which - 2];
      double *a = filled(p->rows, velocity), *b = filled(p->rows, reaction), *c = filled(p->dof, velocity),
             *d = filled(p->dof, reaction);
      ChProblem* other = ch_problem_in_units(p, a, b, c, d);
      Answer answer = answer_create(p);
      for (int m = 0; m < EXACT; ++m) {
        ChSolveOptions o = options_for(exact_methods[m], m == 0 ? 1e-8 : 1e-5);
        o.time_limit = 5.0;
        solve(other, &o, &answer);
        if (!(answer.info.certificate.natural <= o.tolerance))
          fail_msg("%s in units %g, %g with %s: natural %g", names[k], velocity, reaction, o.method,
                   answer.info.certificate.natural);
      }
      answer_destroy(&answer);
      free(a), free(b), free(c), free(d);
      ch_problem_destroy(other);
      ch_problem_destroy(p);
    }
}

static void a_mass_ratio_of_a_million(void** state) {
  (void)state;
  ChProblem* p = generate_family("tower", "n=5 mu=0.5 mass_ratio=1000000", CH_FORM_GLOBAL);
  ChProblem* chain = generate_family("chain", "n=8 mass_ratio=1000000 noise=0.1", CH_FORM_GLOBAL);
  Answer a = answer_create(p), b = answer_create(chain);
  ChSolveOptions o = options_for("auto", 1e-8);
  must_solve("tower", p, &o, &a);
  must_solve("chain", chain, &o, &b);
  answer_destroy(&a);
  answer_destroy(&b);
  ch_problem_destroy(p);
  ch_problem_destroy(chain);
}

// Slow: seconds in an ordinary build, a minute under sanitizers.
static void a_pyramid_of_nearly_ten_thousand_contacts(void** state) {
  (void)state;
  ChProblem* p = generate_family("pyramid", "n=17 mu=0.6", CH_FORM_GLOBAL);
  assert_int_equal(p->block_count, 9537);
  Answer a = answer_create(p);
  ChSolveOptions o = options_for("auto", 1e-8);
  o.time_limit = 300.0;
  must_solve("pyramid", p, &o, &a);
  answer_destroy(&a);
  ch_problem_destroy(p);
}

// --- nothing to do -------------------------------------------------------------------------------------------------

static void a_problem_without_blocks(void** state) {
  (void)state;
  for (int m = 0; m < ch_method_count(); ++m)
    for (int dof = -1; dof <= 2; ++dof) {
      int index[] = {0, 1};
      double mass[] = {2.0, 4.0}, f[] = {1.0, 8.0}, v[2] = {0.0, 0.0};
      ChContext context = {0};
      ChProblemDef def = {.form = dof < 0 ? CH_FORM_LOCAL : CH_FORM_GLOBAL, .dimension = 3, .f = f};
      if (dof >= 0) def.M = (ChTriplets){dof, dof, dof, index, index, mass}, def.H = (ChTriplets){.rows = dof};
      ChProblem* p;
      CHECK_OK(context, ch_problem_build(&context, &def, &p));
      ChSolveOptions o = options_for(ch_method_at(m)->name, 1e-8);
      ChSolveInfo info;
      CHECK_OK(context, ch_solve(&context, p, &o, v, NULL, NULL, &info));
      for (int j = 0; j < dof; ++j) CHECK_NEAR(v[j], f[j] / mass[j], 0.0);
      ch_problem_destroy(p);
    }
}

static void a_problem_in_which_nothing_can_move(void** state) {
  (void)state;
  const ChBlock blocks[] = {{.law = CH_LAW_CONTACT, .dimension = 3, .mu = {0.5, 0.5}},
                            {.law = CH_LAW_LIMIT, .dimension = 1, .lo = 2.0, .hi = 3.0}};
  const double W[16] = {0.0}, q[4] = {-1.0, 2.0, 3.0, 1.0};
  ChProblem* p = ch_small_local(3, 2, blocks, W, q);
  Answer a = answer_create(p);
  for (int m = 0; m < ch_method_count(); ++m) {
    ChSolveOptions o = options_for(ch_method_at(m)->name, 1e-8);
    ChStatus status = solve(p, &o, &a);
    assert_true(status == CH_OK);
    assert_int_equal(a.info.components, 0);
    const double wanted[] = {0.0, 0.0, 0.0, 2.0};  // an idle limit still obeys its bounds
    for (int i = 0; i < 4; ++i) CHECK_NEAR(a.r[i], wanted[i], 0.0);
  }
  answer_destroy(&a);
  ch_problem_destroy(p);
}

// No compliance along the normal but some along the tangents: r = 0 where the contact opens, else there is no solution;
// no method may hang, crash or claim one.
static void a_contact_that_cannot_be_pushed(void** state) {
  (void)state;
  const ChBlock block = {.law = CH_LAW_CONTACT, .dimension = 3, .mu = {0.5, 0.5}};
  const double W[9] = {0, 0, 0, 0, 1, 0, 0, 0, 1};
  for (int sign = -1; sign <= 1; sign += 2) {
    const double q[3] = {sign, 1.0, 0.0};
    ChProblem* p = ch_small_local(3, 1, &block, W, q);
    Answer a = answer_create(p);
    for (int m = 0; m < EXACT; ++m) {
      ChSolveOptions o = options_for(exact_methods[m], 1e-8);
      o.time_limit = 0.2;
      solve(p, &o, &a);
      if (sign > 0) assert_int_equal(a.status, CH_OK);
      if (sign < 0) assert_int_not_equal(a.status, CH_OK);
      for (int i = 0; i < 3; ++i) assert_true(isfinite(a.r[i]));
    }
    answer_destroy(&a);
    ch_problem_destroy(p);
  }
}

// Counted work ends a solve at the same iteration and with the same bits, each time.
static void a_limit_of_work_ends_every_method_at_the_same_bits(void** state) {
  (void)state;
  ChProblem* p = generate("pile-6-slippery");
  Answer a = answer_create(p), b = answer_create(p);
  for (int m = 0; m < EXACT; ++m) {
    ChSolveOptions o = options_for(exact_methods[m], 1e-14);
    o.time_limit = INFINITY;
    o.work_limit = 2e6;
    solve(p, &o, &a);
    solve(p, &o, &b);
    assert_int_equal(a.status, b.status);
    assert_int_equal(a.info.outer + a.info.inner, b.info.outer + b.info.inner);
    assert_memory_equal(a.r, b.r, (size_t)p->rows * sizeof *a.r);
  }
  answer_destroy(&a);
  answer_destroy(&b);
  ch_problem_destroy(p);
}

// --- memory --------------------------------------------------------------------------------------------------------

// The n-th allocation fails, for every n until none is left to fail: an error each time, then the answer.
static void memory_that_runs_out_is_an_error(void** state) {
  (void)state;
  static const char* const methods[] = {"auto",       "nsgs",      "newton", "admm", "ipm",
                                        "successive", "staggered", "pgs",    "apgd"};
  static const char* const names[] = {"cards-3-shaken", "disks-shaken"};
  for (int k = 0; k < 2; ++k) {
    ChProblem* p = generate(names[k]);
    Answer a = answer_create(p);
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; ++m) {
      ChSolveOptions o = options_for(methods[m], 1e-3);
      o.time_limit = 0.05;
      if (strcmp(o.method, "apgd") == 0) o.pose = CH_POSE_RELAXED;
      int failures = 0;
      for (long n = 1; n < 500; ++n) {
        ch_arena_fail_after(n);
        ChStatus status = solve(p, &o, &a);
        ch_arena_fail_after(0);
        if (status != CH_ERR_MEMORY) break;
        assert_true(a.message[0] != '\0');
        ++failures;
      }
      assert_true(failures > 2);
      if (a.status > CH_MAX_TIME) fail_msg("%s with %s: %s", names[k], methods[m], a.message);
    }
    answer_destroy(&a);
    ch_problem_destroy(p);
  }
}

static void memory_that_runs_out_while_building_is_an_error(void** state) {
  (void)state;
  const ChFamily* family = ch_family_find("tower");
  ChRecipe recipe = ch_recipe_default(family);
  for (int form = 0; form < 2; ++form) {
    int failures = 0;
    for (long n = 1; n < 500; ++n) {
      ChContext context = {0};
      ChProblem* p = NULL;
      ChStatus status;
      ch_arena_fail_after(n);
      status = ch_family_generate(&context, family, &recipe, (ChForm)form, &p);
      ch_arena_fail_after(0);
      if (status == CH_OK) {
        ch_problem_destroy(p);
        break;
      }
      assert_int_equal(status, CH_ERR_MEMORY);
      assert_null(p);
      ++failures;
    }
    assert_true(failures > 0);
  }
}

static void the_same_solve_allocates_the_same(void** state) {
  (void)state;
  ChProblem* p = generate("pile-6-slippery");
  Answer a = answer_create(p);
  for (int m = 0; m < EXACT; ++m) {
    ChSolveOptions o = options_for(exact_methods[m], 1e-5);
    o.time_limit = 5.0;
    solve(p, &o, &a);  // the first may fill the pool of chunks
    long counts[3];
    for (int k = 0; k < 3; ++k) {
      const long before = ch_arena_allocations();
      solve(p, &o, &a);
      counts[k] = ch_arena_allocations() - before;
    }
    assert_int_equal(counts[0], counts[1]);
    assert_int_equal(counts[1], counts[2]);
  }
  answer_destroy(&a);
  ch_problem_destroy(p);
}

static int one_blas_thread(void** state) {
  (void)state;
  openblas_set_num_threads(1);
  return 0;
}

// What a failed test may have left behind.
static int tidy(void** state) {
  (void)state;
  large = false;
  ch_arena_fail_after(0);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_teardown(name, tidy)
      TEST(exact_methods_are_registered),
      TEST(one_contact_in_closed_form),
      TEST(every_law_in_every_method_and_pose),
      TEST(bilateral_rows_alone_are_a_linear_system),
      TEST(a_solution_is_its_own_warm_start),
      TEST(a_bad_warm_start_does_no_harm),
      TEST(limits_are_obeyed_and_leave_the_best_iterate),
      TEST(bad_arguments_are_refused),
      TEST(threads_and_repetition_change_no_bit),
      TEST(a_problem_too_large_to_form_W),
      TEST(units_do_not_matter),
      TEST(a_mass_ratio_of_a_million),
      TEST(a_pyramid_of_nearly_ten_thousand_contacts),
      TEST(a_problem_without_blocks),
      TEST(a_problem_in_which_nothing_can_move),
      TEST(a_contact_that_cannot_be_pushed),
      TEST(a_limit_of_work_ends_every_method_at_the_same_bits),
      TEST(memory_that_runs_out_is_an_error),
      TEST(memory_that_runs_out_while_building_is_an_error),
      TEST(the_same_solve_allocates_the_same),
  };
  return cmocka_run_group_tests(tests, one_blas_thread, NULL);
}
