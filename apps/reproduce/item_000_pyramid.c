// 000, Figure 1: a hexagonal pyramid on a table. Its complementarity problem (6)-(7) has two solutions whose mean is
// none.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardhouse/analysis.h"
#include "cardhouse/friction_matrix.h"
#include "cardhouse/solve.h"
#include "reproduce/play.h"

enum { CORNERS = 6, MUS = 4, SIDES = 8, POINTS = 3 };
enum { VARIABLES = 6 + CORNERS * (SIDES + 2) };  // v, and c_n, beta, lambda of each corner
static const double mus[MUS] = {1e-3, 0.05, 0.3, 1.0};

typedef struct Pyramid {
  ChProblem* problem;
  int order[CORNERS];  // block of the corner at 60 degrees times its index
  double weight;       // h m g
  double residual[MUS][POINTS];
  double violated[MUS];
  double witness_most[MUS], witness_least[MUS];  // of x_i (A x)_i, x the difference of the two solutions
} Pyramid;

static ChStatus build(ChItemRun* run, Pyramid* p) {
  char text[2048], points[512] = "";
  for (int k = 0; k < CORNERS; ++k)
    snprintf(points + strlen(points), sizeof points - strlen(points), "[%.17g, %.17g, 0], ", 0.5 * cos(k * M_PI / 3.0),
             0.5 * sin(k * M_PI / 3.0));
  snprintf(text, sizeof text,
           "{\"cardhouse\": 1, \"name\": \"pyramid\", \"step\": {\"h\": 0.001, \"until\": 1, \"rest\": false},"
           " \"method\": {\"cone\": \"polygon:%d\"},"
           " \"materials\": {\"stone\": {\"density\": 1000, \"friction\": 0.3}},"
           " \"bodies\": [{\"name\": \"table\", \"fixed\": true, \"shapes\": [{\"type\": \"halfspace\", \"material\": "
           "\"stone\"}]},"
           " {\"name\": \"pyramid\", \"shapes\": [{\"type\": \"hull\", \"material\": \"stone\", \"points\": [%s[0, 0, "
           "1]]}]}]}",
           SIDES, points);
  ChScene* scene;
  ChSimulation* simulation = NULL;
  ChStepInfo info;
  ChStatus status = ch_scene_parse(run->context, text, "pyramid", &scene);
  if (status != CH_OK) return status;
  ChWorld* world = scene->world;
  scene->world = NULL;
  status = ch_simulation_create(run->context, world, &scene->options, &simulation);
  if (status == CH_OK) status = ch_simulation_step(run->context, simulation, &info);
  if (status == CH_OK) status = ch_simulation_problem(run->context, simulation, &p->problem);
  if (status == CH_OK && ch_problem_view(p->problem).block_count != CORNERS)
    status = ch_fail(run->context, CH_ERR_ARGUMENT, "the pyramid has %d contacts, not six",
                     ch_problem_view(p->problem).block_count);
  if (status == CH_OK) {
    int count;
    const ChContactView* contacts = ch_simulation_contacts(simulation, &count);
    for (int k = 0; k < CORNERS; ++k) {
      double turn = atan2(contacts[k].point.y, contacts[k].point.x) * 3.0 / M_PI;
      p->order[((int)lround(turn) + CORNERS) % CORNERS] = k;
    }
    p->weight = 0.001 * 9.81 * ch_problem_view(p->problem).M->value[0];
  }
  ch_simulation_destroy(simulation);
  ch_scene_destroy(scene);
  return status;
}

static void set_friction(Pyramid* p, double mu) {
  for (int i = 0; i < CORNERS; ++i) {
    ChBlock block = ch_problem_view(p->problem).blocks[i];
    block.mu[0] = block.mu[1] = mu;
    ch_problem_set_block(NULL, p->problem, i, &block);
  }
}

// |min(x, A x + b)|_inf over complementary pairs, |A x + b|_inf over equations; impulses in units of h m g. `y` is
// room.
static double residual(const Pyramid* p, const ChMixedProblem* mixed, const double* x, double* y) {
  double worst = 0.0;
  memcpy(y, mixed->b, (size_t)mixed->n * sizeof *y);
  ch_sparse_multiply_add(&mixed->A, x, y);
  for (int j = 0; j < mixed->n; ++j) {
    double off = mixed->free[j] ? fabs(y[j]) / p->weight : fabs(fmin(x[j], y[j]));
    worst = fmax(worst, off);
  }
  return worst;
}

// c_n = h m g / 3 at every other corner, lambda = 1 at the others, v = 0, no friction.
static void put_solution(const Pyramid* p, const ChMixedProblem* mixed, int parity, double* x) {
  memset(x, 0, (size_t)mixed->n * sizeof *x);
  for (int k = 0; k < CORNERS; ++k) {
    int at = mixed->dof + p->order[k] * (SIDES + 2);
    if (k % 2 == parity)
      x[at] = p->weight / 3.0;
    else
      x[at + SIDES + 1] = 1.0;
  }
}

static void look_at(Pyramid* p, const ChMixedProblem* mixed, int k) {
  double x[POINTS][VARIABLES], room[VARIABLES], d[VARIABLES], Ad[VARIABLES] = {0};
  put_solution(p, mixed, 0, x[0]);
  put_solution(p, mixed, 1, x[1]);
  for (int j = 0; j < VARIABLES; ++j) x[2][j] = 0.5 * (x[0][j] + x[1][j]);
  for (int j = 0; j < POINTS; ++j) p->residual[k][j] = residual(p, mixed, x[j], room);
  p->violated[k] = fmin(0.5, mus[k] * p->weight / 6.0);
  for (int j = 0; j < VARIABLES; ++j) d[j] = x[0][j] - x[1][j];
  ch_sparse_multiply_add(&mixed->A, d, Ad);
  for (int j = 0; j < VARIABLES; ++j) {
    p->witness_most[k] = fmax(p->witness_most[k], d[j] * Ad[j]);
    p->witness_least[k] = fmin(p->witness_least[k], d[j] * Ad[j]);
  }
}

static ChStatus examine(ChItemRun* run, Pyramid* p, int k) {
  ChMixedProblem mixed;
  set_friction(p, mus[k]);
  ChStatus status = ch_mixed_problem_build(run->context, p->problem, &mixed);
  if (status == CH_OK && mixed.n != VARIABLES)
    status = ch_fail(run->context, CH_ERR_SIZE, "the pyramid has %d variables, not %d", mixed.n, VARIABLES);
  if (status == CH_OK) look_at(p, &mixed, k);
  ch_mixed_problem_free(&mixed);
  return status;
}

static void tell(ChReport* report) {
  ch_report_text(
      report,
      "A body shaped like a hexagonal pyramid rests with its six corners on a table. It stands still whatever the "
      "friction, but which corners carry it is not determined, and with any friction at all the solutions of the "
      "complementarity problem (6)-(7) do not form a convex set: two are given in closed form, and their mean is not a "
      "solution. The matrix is built from the scene, velocities kept as printed, and the three points are put into "
      "it.");
  ch_report_text(report, "The document's k = -g (n; 0) lacks the mass (erratum X1); gravity is -m g here.");
  ch_report_choice(report, "size, mass, h",
                   "Base of radius 0.5 m, height 1 m, 1000 kg/m^3, h = 0.001 s. Only h m g enters.");
  ch_report_choice(report, "directions of friction", "8 a corner; none carries any friction in these solutions.");
}

static void judge_solutions(ChReport* report, const Pyramid* p) {
  double worst = 0.0, least = INFINITY;
  for (int k = 0; k < MUS; ++k) {
    worst = fmax(worst, fmax(p->residual[k][0], p->residual[k][1]));
    least = fmin(least, p->residual[k][2] / p->violated[k]);
  }
  ch_report_row(report, "c_n = hmg/3 at corners 1, 3, 5 (2, 4, 6), lambda = 1 at the others, v = 0",
                (ChFacts){.printed = "both solve (6)-(7)",
                          .ours = ch_report_say(
                              report, "largest violation %.1e of h m g, for mu = 0.001, 0.05, 0.3 and 1", worst),
                          .rule = "no violation above 1e-9 of h m g",
                          .met = worst < 1e-9,
                          .reason = "one of them violates (6)-(7)"});
  ch_report_row(
      report, "their mean, c_n = hmg/6 and lambda = 1/2 everywhere",
      (ChFacts){
          .printed = "violates mu c_n perp lambda for any mu > 0",
          .ours = ch_report_say(
              report, "min(mu c_n, lambda) = %.3g (1, in units of min(mu hmg/6, 1/2)), for every mu tried", least),
          .rule = "the violation is that of the closed form, to 1e-6",
          .met = fabs(least - 1.0) < 1e-6,
          .reason = "the violation has another size"});
  bool witness = true;
  for (int k = 0; k < MUS; ++k)
    witness = witness && p->witness_most[k] < 1e-9 * p->weight && p->witness_least[k] < -0.1 * mus[k] * p->weight;
  ch_report_claim(
      report, "For any mu > 0 the matrix is not a P* matrix, so polynomial complexity is unlikely. (002)",
      (ChFacts){.rule = "a vector shows that the matrix is not sufficient, at every mu tried", .met = witness},
      "With x the difference of the two solutions x_i (A x)_i is positive in no row (at most %.0e) and "
      "%.3g = -mu h m g / "
      "3 in some at mu = 1, so that A is not sufficient; P* matrices are.",
      p->witness_most[MUS - 1], p->witness_least[MUS - 1]);
}

static ChStatus judge_friction_free(ChItemRun* run, Pyramid* p) {
  ChFrictionMatrix with, without;
  ChStatus status = ch_friction_matrix_classify(run->context, p->problem, SIDES, &with);
  set_friction(p, 0.0);
  if (status == CH_OK) status = ch_friction_matrix_classify(run->context, p->problem, SIDES, &without);
  if (status != CH_OK) return status;
  ch_report_claim(
      run->report, "Without friction the matrix is positive semidefinite and the solution set convex.",
      (ChFacts){.rule = "lowest eigenvalue zero to 1e-12 without friction, negative with it",
                .met = without.known && without.eigenvalue_lowest > -1e-12 && with.eigenvalue_lowest < -1e-6},
      "Lowest eigenvalue of its symmetric part, scaled: %.1e at mu = 0, %.2g at mu = 1.", without.eigenvalue_lowest,
      with.eigenvalue_lowest);
  return CH_OK;
}

static ChStatus judge_successive(ChItemRun* run, Pyramid* p) {
  double v[6], u[3 * CORNERS], r[3 * CORNERS], fastest = 0.0;
  long passes = 0;
  int solved = 0, pointed = 0;
  for (int k = 0; k < MUS; ++k) {
    set_friction(p, mus[k]);
    ChSolveOptions options = ch_solve_options_default();
    ChSolveInfo info;
    ChLimitOptions limits = ch_limit_options_default();
    ChLimit stress;
    options.method = "successive";
    options.settings = &(ChSetting){"successive.paper_rule", 1e-5};
    options.setting_count = 1;
    ChStatus status = ch_solve(run->context, p->problem, &options, v, u, r, &info);
    if (status != CH_OK && status != CH_MAX_ITER) return status;
    solved += status == CH_OK;
    passes = info.outer > passes ? info.outer : passes;
    for (int j = 0; j < 6; ++j) fastest = fmax(fastest, fabs(v[j]));
    status = ch_self_stress_find(run->context, p->problem, 1.0, &limits, (ChLimitState){0}, &stress);
    if (status != CH_OK) return status;
    pointed += !stress.exists;
  }
  ch_report_claim(run->report, "The friction cone is pointed for any friction: the pyramid cannot get jammed.",
                  (ChFacts){.rule = "no self-stress at any mu tried", .met = pointed == MUS},
                  "A linear programme finds no self-stress at %d of the %d friction coefficients.", pointed, MUS);
  ch_report_claim(run->report, "Successive convex relaxation converges although the solutions are not convex.",
                  (ChFacts){.run = {.steps = MUS, .missed = MUS - solved, .tolerance = 1e-8},
                            .rule = "v = 0 to 1e-6 of h m g at every mu tried",
                            .met = fastest < 1e-6 * p->weight},
                  "At %d of %d friction coefficients LCP1 ends with a certified answer after %ld pass%s at most and "
                  "|v| <= %.0e: the "
                  "expected v = 0.",
                  solved, MUS, passes, passes == 1 ? "" : "es", fastest);
  return CH_OK;
}

static ChStatus run_item(ChItemRun* run) {
  Pyramid pyramid = {0};
  tell(run->report);
  ChStatus status = build(run, &pyramid);
  for (int k = 0; k < MUS && status == CH_OK; ++k) status = examine(run, &pyramid, k);
  if (status == CH_OK) judge_solutions(run->report, &pyramid);
  if (status == CH_OK) status = judge_friction_free(run, &pyramid);
  if (status == CH_OK) status = judge_successive(run, &pyramid);
  ch_problem_destroy(pyramid.problem);
  return status;
}

const ChItem ch_item_000_fig1 = {
    .name = "000-fig1",
    .title = "Hexagonal pyramid: two solutions, and no third between them",
    .source = "000 s3, Fig 1; 002 \"Nonconvex solution set\" [H1, I2, I3, I12, I54, X1]",
    .run = run_item,
    .same_when_quick = true,
};
