// 002, "The extension to circular cone", "Primal hot starting active-set methods": the programme (1) over facets, the
// conic one (2), and the elastic one,
//
//   min 1/2 v'Mv + k'v + C sum zeta_j    zeta_j + gamma Phi_j / h + n_j'v + mu_j d_jk'v >= 0,  zeta >= 0.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/solve.h"
#include "reproduce/play.h"

enum { FACETS = 5, SCENES = 3 };

static const struct Case {
  const char *name, *text;
  const char* parameters[2][2];
} cases[SCENES] = {{"cards", "house of cards, 3 levels, mu = 0.2", {{"levels", "3"}, {"mu", "0.2"}}},
                   {"cannonball", "55 disks, mu = 0.2", {{"base", "10"}, {"mu", "0.2"}}},
                   {"pile", "21 spheres in a triangle, mu = 0.1", {{"n", "6"}, {"mu", "0.1"}}}};
// Downhill in a direction that no polygon has.
static const struct Case slope = {"incline", "block on a slope", {{"ratio", "1.5"}, {"heading", "17"}}};

// The contact problem of a scene's first step.
static ChStatus first_problem(ChItemRun* run, const struct Case* c, ChProblem** out) {
  ChScene* scene;
  ChSimulation* simulation = NULL;
  ChStepInfo info;
  ChStatus status = ch_item_scene(run, c->name, 2, c->parameters, &scene);
  if (status != CH_OK) return status;
  scene->options.rest = false;
  scene->options.solve.pose = CH_POSE_FRICTIONLESS;
  ChWorld* world = scene->world;
  scene->world = NULL;
  status = ch_simulation_create(run->context, world, &scene->options, &simulation);
  if (status == CH_OK) status = ch_simulation_step(run->context, simulation, &info);
  if (status == CH_OK) status = ch_simulation_problem(run->context, simulation, out);
  ch_simulation_destroy(simulation);
  ch_scene_destroy(scene);
  return status;
}

// v of the convex problem; the caller frees it. `solved` is false where the certificate missed the tolerance.
static ChStatus convex_velocity(ChItemRun* run, const ChProblem* p, const char* method, double penalty, double** v,
                                bool* solved) {
  ChSolveOptions options = ch_solve_options_default();
  ChSolveInfo info;
  options.method = method;
  options.pose = CH_POSE_RELAXED;
  options.tolerance = 1e-10;
  options.settings = &(ChSetting){"active-set.penalty", penalty};
  options.setting_count = penalty > 0.0;
  const ChProblemView view = ch_problem_view(p);
  *v = calloc((size_t)(view.dof + 2 * view.rows), sizeof **v);
  if (!*v) return ch_fail(run->context, CH_ERR_MEMORY, "out of memory for an answer");
  ChStatus status = ch_solve(run->context, p, &options, *v, *v + view.dof, *v + view.dof + view.rows, &info);
  *solved = status == CH_OK;
  if (status == CH_OK || status == CH_MAX_ITER || status == CH_MAX_TIME) return CH_OK;
  free(*v);
  return status;
}

static double relative(const ChProblem* p, const double* a, const double* b) {
  const int dof = ch_problem_view(p).dof;
  double apart = 0.0, size = 0.0;
  for (int j = 0; j < dof; ++j) {
    apart = fmax(apart, fabs(a[j] - b[j]));
    size = fmax(size, fabs(a[j]));
  }
  return size > 0.0 ? apart / size : apart;
}

// --- facets and circle -----------------------------------------------------------------------------------------------

static ChStatus compare_facets(ChItemRun* run) {
  double sides[FACETS] = {4, 8, 16, 32, 64}, error[FACETS], *round, *polygon;
  bool solved;
  int short_of = 0;
  ChProblem* p;
  ChStatus status = first_problem(run, &slope, &p);
  if (status != CH_OK) return status;
  status = convex_velocity(run, p, "relaxed", 0.0, &round, &solved);
  short_of += !solved;
  for (int k = 0; k < FACETS && status == CH_OK; ++k) {
    status = ch_problem_set_polygon(run->context, p, (int)sides[k], false);
    if (status == CH_OK) status = convex_velocity(run, p, "relaxed", 0.0, &polygon, &solved);
    if (status != CH_OK) break;
    short_of += !solved;
    error[k] = relative(p, round, polygon);
    free(polygon);
  }
  if (status == CH_OK) {
    ChChart* chart =
        ch_report_chart(run->report, "Velocity over facets against that over circles: a block that slides down.",
                        "facets a contact [1]", "relative difference of v [1]", CH_CHART_LOG_X | CH_CHART_LOG_Y);
    ch_chart_line(chart, "difference", FACETS, sides, error);
    double order = log(error[1] / error[FACETS - 1]) / log(sides[FACETS - 1] / sides[1]);
    ch_report_claim(
        run->report, "The scheme extends to the circular cone and uses the original friction cone.",
        (ChFacts){.run = {.steps = FACETS + 1, .missed = short_of, .tolerance = 1e-10, .whole_in_quick = true},
                  .rule = "the velocity over facets tends to that over circles, with an order above 1.5",
                  .met = order > 1.5 && error[FACETS - 1] < 1e-2},
        "The velocity over 8, 16, 32, 64 facets differs from that over circles by %.1e, %.1e, %.1e, %.1e "
        "of the largest: order %.1f in "
        "the number of facets.",
        error[1], error[2], error[3], error[4], order);
  }
  free(round);
  ch_problem_destroy(p);
  return status;
}

// Both programmes, stepped: the energy of neither grows.
static bool take_gain(void* state, const ChSimulation* simulation, const ChStepInfo* info) {
  double* worst = state;
  (void)simulation;
  worst[0] = fmax(worst[0], info->gain);
  worst[1] += info->missed;
  worst[2] += 1.0;
  return true;
}

static ChStatus compare_stability(ChItemRun* run) {
  double worst[2][3] = {{0.0}};
  for (int k = 0; k < 2; ++k) {
    ChScene* scene;
    ChStatus status = ch_item_scene(run, "cards", 2, cases[0].parameters, &scene);
    if (status != CH_OK) return status;
    scene->options.h = 0.01;
    scene->options.rest = false;
    scene->options.solve.pose = CH_POSE_RELAXED;
    scene->options.cone_sides = k ? 8 : 0;
    ChPlay play = {.until = run->quick ? 0.1 : 0.5, .each = take_gain, .state = worst[k]};
    status = ch_item_play(run, scene, &play, NULL);
    ch_scene_destroy(scene);
    if (status != CH_OK) return status;
  }
  ch_report_claim(run->report, "The conic scheme has the same stability properties.",
                  (ChFacts){.run = {.steps = (long)(worst[0][2] + worst[1][2]),
                                    .missed = (long)(worst[0][1] + worst[1][1]),
                                    .tolerance = 1e-8},
                            .rule = "no step gains 1e-6 J, over circles or facets",
                            .met = worst[0][0] <= 1e-6 && worst[1][0] <= 1e-6},
                  "The sliding house of cards, stepped at 0.01 s: the largest gain of energy in a step is %.0e J over "
                  "circles and %.0e J over octagons; "
                  "%.0f and %.0f steps missed their tolerance.",
                  worst[0][0], worst[1][0], worst[0][1], worst[1][1]);
  return CH_OK;
}

// --- the exact penalty -----------------------------------------------------------------------------------------------

static ChStatus compare_penalty(ChItemRun* run) {
  for (int k = 0; k < SCENES; ++k) {
    ChProblem* p;
    double *plain, *elastic;
    bool solved[2];
    ChStatus status = first_problem(run, &cases[k], &p);
    if (status != CH_OK) return status;
    if (ch_problem_view(p).dimension == 3) status = ch_problem_set_polygon(run->context, p, 8, false);
    if (status == CH_OK) status = convex_velocity(run, p, "active-set", 0.0, &plain, &solved[0]);
    if (status == CH_OK) {
      status = convex_velocity(run, p, "active-set", 1.0, &elastic, &solved[1]);
      if (status == CH_OK) {
        double apart = relative(p, plain, elastic);
        ch_report_row(
            run->report, ch_report_say(run->report, "elastic programme, C = max{20 mg, 5 max c_n}: %s", cases[k].text),
            (ChFacts){
                .printed = "\"always worked\": zeta = 0, the same v",
                .ours = ch_report_say(run->report, "v differs by %.0e of its largest entry, %d contacts", apart,
                                      ch_problem_view(p).block_count),
                .run = {.steps = 2, .missed = !solved[0] + !solved[1], .tolerance = 1e-10, .whole_in_quick = true},
                .rule = "the same v to 1e-7",
                .met = apart < 1e-7,
                .reason = "the penalty left a slack"});
        free(elastic);
      }
      free(plain);
    }
    ch_problem_destroy(p);
    if (status != CH_OK) return status;
    if (!ch_item_progress(run, 0.4 + 0.6 * (k + 1.0) / SCENES)) return CH_OK;
  }
  return CH_OK;
}

static ChStatus run_item(ChItemRun* run) {
  ch_report_text(run->report,
                 "The slides make two claims about their quadratic programmes without showing them: facets may be "
                 "replaced by circles, and an exact penalty gives an active-set method a feasible start without "
                 "changing the answer. Both claims are tested on the first steps of scenes that slide.");
  ch_report_choice(
      run->report, "scenes",
      "A block on a slope 1.5 times as steep as its friction holds, 17 degrees off the facets; cards at mu = 0.2, 55 "
      "disks at mu = 0.2, 21 spheres at mu = 0.1: all slide. Eight facets a contact in space.");
  ch_report_choice(
      run->report, "C",
      "For bodies of different mass 20 m g is read as 20 times the summed momentum that the constraints must "
      "take up, in scaled variables (src/solve/methods/active_set.c; erratum X9). The rows carry gamma, which the "
      "slide drops.");
  ch_report_command(
      run->report,
      "cardhouse solve problem.hdf5 --pose relaxed --cone polygon:8 --method active-set --set active-set.penalty=1");
  ChStatus status = compare_facets(run);
  if (status == CH_OK && ch_item_progress(run, 0.2)) status = compare_stability(run);
  if (status == CH_OK && ch_item_progress(run, 0.4)) status = compare_penalty(run);
  return status;
}

const ChItem ch_item_002_programmes = {
    .name = "002-programmes",
    .title = "Facets, circles and the exact penalty",
    .source = "002 \"The extension to circular cone\", \"Primal hot starting\" [I23, I28, C6-C8, X9]",
    .run = run_item,
};
