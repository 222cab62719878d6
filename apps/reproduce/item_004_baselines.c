// 004, sections 2.8.1 and 7.5.1: structures that stand by friction, stepped by what the document compares with: two
// passes, penalties, shock propagation as OpenTissue has it. Section 5.1: interior point methods, of which it says that
// they fail.
#include <string.h>

#include "reproduce/card_house.h"
#include "reproduce/play.h"

static const double FALLS = 0.1, CREEPS = 1e-3;  // metres

typedef enum Printed { STANDS, FAILS } Printed;

typedef struct Trial {
  const char *scene, *parameter, *size, *name;
  const char* method;
  ChSetting setting;
  Printed printed;
  long sweeps;  // of a step, which then starts cold; 0: as the method has it
} Trial;

#define SMALL \
  { "shock.fraction", 0.002 }
#define WHOLE \
  { "shock.fraction", 1.0 }

static const Trial trials[] = {
    {"stack", "n", "20", "stack of 20", "shock", SMALL, STANDS, 0},
    {"cards", "levels", "2", "card house, 2 levels", "shock", SMALL, FAILS, 0},
    {"cards", "levels", "3", "card house, 3 levels", "shock", SMALL, FAILS, 0},
    {"cards", "levels", "4", "card house, 4 levels", "shock", SMALL, FAILS, 0},
    {"cards", "levels", "2", "card house, 2 levels", "shock", WHOLE, FAILS, 0},
    {"cards", "levels", "3", "card house, 3 levels", "shock", WHOLE, FAILS, 0},
    {"cards", "levels", "4", "card house, 4 levels", "shock", WHOLE, FAILS, 0},
    {"cards", "levels", "2", "card house, 2 levels", "two-pass", {0}, FAILS, 0},
    {"cards", "levels", "3", "card house, 3 levels", "two-pass", {0}, FAILS, 0},
    {"cards", "levels", "4", "card house, 4 levels", "two-pass", {0}, FAILS, 0},
    {"arch", "n", "27", "arch of 27", "two-pass", {0}, FAILS, 0},
    {"cards", "levels", "4", "card house, 4 levels", "penalty", {0}, FAILS, 0},
    {"arch", "n", "27", "arch of 27", "penalty", {0}, FAILS, 0},
};
enum { TRIALS = sizeof trials / sizeof *trials };

static bool is_shock(const Trial* t) { return strcmp(t->method, "shock") == 0; }

// What has lost a tenth of its height has fallen: the heap that is left takes long and says no more.
static bool still_up(void* state, const ChSimulation* simulation, const ChStepInfo* info) {
  double* start = state;
  (void)simulation;
  if (info->step == 1) *start = info->potential;
  return info->potential > 0.9 * *start;
}

static ChStatus play(ChItemRun* run, const Trial* t, double until, double from, double to, ChSummary* sum) {
  const char* const parameters[][2] = {{t->parameter, t->size}};
  ChScene* scene;
  ChStatus status = ch_item_scene(run, t->scene, 1, parameters, &scene);
  if (status != CH_OK) return status;
  ChSimulationOptions* o = &scene->options;
  o->h = 0.01;
  o->rest = false;
  o->warm = t->sweeps == 0;
  o->solve.method = t->method;
  o->solve.max_iterations = t->sweeps;
  if (t->setting.name) o->solve.settings = &t->setting, o->solve.setting_count = 1;
  double start = 0.0;
  ChPlay how = {.until = until, .progress = {from, to}, .each = still_up, .state = &start};
  status = ch_item_play(run, scene, &how, sum);
  ch_scene_destroy(scene);
  return status;
}

static const char* word(double moved) { return !(moved <= FALLS) ? "falls" : moved > CREEPS ? "creeps" : "stands"; }

static void add_row(ChReport* report, const Trial* t, const ChSummary* sum) {
  bool failed = !(sum->displacement <= CREEPS), wants = t->printed == FAILS;
  const char* passage = is_shock(t) ? "fails on card houses of all sizes, also with shock propagation"
                                    : "two-pass and penalty methods make such structures impractical";
  ChFacts facts = {
      .printed = wants ? passage : "stable stacks with a fraction of about 0.002",
      .ours = ch_report_say(report, "%s within %.3g s: moves by %.2g m, overlaps by %.2g m; energy from %.6g to %.6g J",
                            word(sum->displacement), sum->time, sum->displacement, sum->penetration, sum->energy_start,
                            sum->energy_end),
      .run = {.changed = is_shock(t) ? "our own shock propagation on our own contacts; OpenTissue is not run" : NULL,
              .fitted = is_shock(t) ? NULL : "the millimetre that tells creeping from standing",
              .steps = sum->steps,
              .missed = sum->missed,
              .tolerance = 1e-8,
              .claimed = wants ? "the method does not solve these structures" : NULL},
      .rule = wants ? "a centre moves by more than 1 mm in ten seconds, where the exact answer is rest"
                    : "no centre moves by more than 1 mm in ten seconds",
      .met = wants == failed,
      .reason = !wants        ? "it moves"
                : is_shock(t) ? "it holds: in its layer each card carries itself alone. OpenTissue also moves bodies "
                                "apart in each layer, which is not done here"
                              : "it creeps by less than a millimetre in that time"};
  const char* how = is_shock(t) ? ch_report_say(report, "shock, fraction %g", t->setting.value) : t->method;
  ch_report_row(report, ch_report_say(report, "%s by %s", t->name, how), facts);
}

static ChStatus structures(ChItemRun* run) {
  double until = run->quick ? 0.2 : 10.0;
  for (int k = 0; k < TRIALS; ++k) {
    ChSummary sum = {0};
    ChStatus status = play(run, &trials[k], until, 0.6 * k / TRIALS, 0.6 * (k + 1) / TRIALS, &sum);
    if (status != CH_OK) return status;
    add_row(run->report, &trials[k], &sum);
  }
  return CH_OK;
}

// What of the sliding of sweeps alone is left with the shock behind them.
static ChStatus less_sliding(ChItemRun* run) {
  static const Trial ways[] = {{"cards", "levels", "4", "", "pgs", {"pgs.box", 1.0}, FAILS, 10},
                               {"cards", "levels", "4", "", "shock", WHOLE, FAILS, 10}};
  double moved[2], until = run->quick ? 0.1 : 0.5;
  for (int k = 0; k < 2; ++k) {
    ChSummary sum = {0};
    ChStatus status = play(run, &ways[k], until, 0.6, 0.65, &sum);
    if (status != CH_OK) return status;
    moved[k] = sum.displacement;
  }
  ch_report_claim(
      run->report, "With shock propagation some of the sliding error is reduced.",
      (ChFacts){.run = {.changed = "our own sweeps and shock; OpenTissue is not run"},
                .rule = "the house moves less in the same time",
                .met = moved[1] < moved[0],
                .reason = "it moves more"},
      "The house of four levels after %g s of ten cold sweeps a step of 10 ms: %.2g m by sweeps over boxes alone, "
      "%.2g m with a shock behind them.",
      until, moved[0], moved[1]);
  return CH_OK;
}

// --- interior points -------------------------------------------------------------------------------------------------

typedef struct Interior {
  const char *method, *name;
  int sides;
  ChSetting setting;
} Interior;

static const Interior interiors[] = {
    {"interior-lcp", "plain, on the LCP (5.27), polygons of 8 sides", 8, {0}},
    {"ipm", "over round cones, slip coupled in but not smoothed", 0, {"ipm.smoothing", 0.0}},
    {"ipm", "over round cones, slip smoothed", 0, {0}},
};
enum { INTERIORS = sizeof interiors / sizeof *interiors };

static ChStatus try_interior(ChItemRun* run, const Interior* way, double shake, double from, ChHouseSum* sum) {
  ChHouse house = {.levels = 4, .shake = shake, .steps = run->quick ? 2 : 50, .progress = {from, from + 0.05}};
  ChStatus status = ch_house_options(run, way->method, &house.options);
  if (status != CH_OK) return status;
  house.options.cone_sides = way->sides;
  house.options.warm = false;
  ChSolveOptions* o = &house.options.solve;
  if (way->setting.name) o->settings = &way->setting, o->setting_count = 1;
  return ch_house_run(run, &house, NULL, sum);
}

static ChStatus interior_points(ChItemRun* run) {
  static const double shakes[] = {0.0, 0.01};
  ChReport* report = run->report;
  const char* told = "";
  int missed = 0, steps = 0;
  for (int k = 0; k < 2 * INTERIORS; ++k) {
    const Interior* way = &interiors[k / 2];
    ChHouseSum sum = {0};
    ChStatus status = try_interior(run, way, shakes[k % 2], 0.65 + 0.05 * k, &sum);
    if (status != CH_OK) return status;
    if (k / 2 == 0) missed += sum.missed, steps += sum.steps;
    told = ch_report_say(report, "%s%s%s, %s: %d of %d steps missed 1e-8, %.0f iterations and %.2g s a step", told,
                         k ? "; " : "", way->name, k % 2 ? "shaken" : "at rest", sum.missed, sum.steps, sum.iterations,
                         sum.seconds);
  }
  ch_report_claim(report, "Interior point methods fail entirely for many important examples of frictional contact.",
                  (ChFacts){.run = {.steps = steps,
                                    .missed = missed,
                                    .tolerance = 1e-8,
                                    .claimed = "interior point methods fail entirely"},
                            .rule = "of the steps of a card house by the plain method more than half miss 1e-8",
                            .met = 2 * missed > steps,
                            .reason = "at rest it solves every step, and shaken more than half of them. The document "
                                      "names no interior point method, no problem and no figure"},
                  "The card house of four levels, steps of 1 ms from nothing: %s.", told);
  return CH_OK;
}

static ChStatus run_item(ChItemRun* run) {
  ChReport* report = run->report;
  ch_report_text(report,
                 "Stacks, arches and card houses can stand: rest is an exact solution of every step. The document says "
                 "that two-pass methods, penalties and engines with shock propagation cannot hold what friction holds "
                 "up, and that interior point methods fail. Here are our own versions of them, each a method of "
                 "`cardhouse run` with a page in docs/theory; their answers are used as they are.");
  ch_report_choice(
      report, "structures",
      "unit cubes at mu = 0.5; cards of 1 x 1.4 x 0.02 m at 67 degrees and mu = 0.8; a catenary arch of 27 "
      "stones; steps of 10 ms, %s.",
      run->quick ? "0.2 s" : "ten seconds");
  ch_report_choice(report, "penalty", "k = 1e7 N/m, c = 1e4 N s/m, friction beyond 1 mm/s, implicit: our defaults.");
  ch_report_choice(report, "shock", "ten sweeps, then ten in each layer, which is what OpenTissue's source sets.");
  ch_report_command(report, "cardhouse run cards --method two-pass --rest off --h 0.01 --until 10");
  ch_report_command(report, "cardhouse run cards --method penalty --rest off --h 0.01 --until 10");
  ch_report_command(report,
                    "cardhouse run cards --method shock --set shock.fraction=0.002 --rest off --h 0.01 --until 10");
  ch_report_command(report,
                    "cardhouse run cards --method interior-lcp --cone polygon:8 --warm off --rest off --until 0.05");
  ChStatus status = structures(run);
  if (status == CH_OK) status = less_sliding(run);
  return status == CH_OK ? interior_points(run) : status;
}

const ChItem ch_item_004_baselines = {
    .name = "004-baselines",
    .title = "Stacks and card houses: two passes, penalties, shock propagation; interior points",
    .source = "004 s2.8.1, s5.1, s7.5.1 [D24, H37, H38]",
    .run = run_item,
};
