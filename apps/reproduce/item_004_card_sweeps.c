// 004, section 5.7.2 and Fig 5.4: the card house by projected Gauss-Seidel, in the document's setting (friction in
// boxes, no stabilisation) and beside it.
//
// Neither the number of sweeps in the figure nor the start of a step is printed. Both decide: hence a row for each.
#include <stdlib.h>

#include "reproduce/box_law.h"
#include "reproduce/card_house.h"

enum { MOST_STEPS = 60000, RUNS = 10 };
static const double SHORT = 4.0, LONG = 60.0;  // seconds
static ChHouseStep steps[MOST_STEPS];

typedef struct Setting {
  const char* name;
  long sweeps;  // 0: not swept but solved, by auto
  bool round, warm, stabilised;
  bool in_quick;
} Setting;

// In the document's setting first
static const Setting settings[RUNS] = {
    {"from nothing, 10 sweeps a step", 10, false, false, false, true},
    {"from nothing, 100 sweeps a step", 100, false, false, false, true},
    {"from nothing, 1000 sweeps a step", 1000, false, false, false, false},
    {"from the last reactions, 10 sweeps a step", 10, false, true, false, true},
    {"from the last reactions, 100 sweeps a step", 100, false, true, false, true},
    {"from the last reactions, 1000 sweeps a step", 1000, false, true, false, false},
    {"from the last reactions, 10 sweeps a step, round cones", 10, true, true, false, true},
    {"from nothing, 10 sweeps a step, stabilised", 10, false, false, true, true},
    {"from the last reactions, 10 sweeps a step, stabilised", 10, false, true, true, true},
    {"solved by `auto`", 0, true, true, false, true},
};
enum { COLD_TEN = 0, WARM_TEN = 3, ROUND = 6, COLD_STABILISED = 7, WARM_STABILISED = 8, EXACT = 9 };

static ChStatus options_of(ChItemRun* run, const Setting* s, ChSimulationOptions* out) {
  ChStatus status = ch_house_options(run, s->sweeps > 0 ? "pgs" : "auto", out);
  if (status != CH_OK) return status;
  static const ChSetting box = {"pgs.box", 1.0};
  if (!s->round) out->solve.settings = &box, out->solve.setting_count = 1;
  out->solve.max_iterations = s->sweeps;
  out->warm = s->warm;
  if (s->stabilised) out->stabilization = CH_STABILIZE_ON;
  return CH_OK;
}

static ChStatus play(ChItemRun* run, int which, double seconds, ChHouseSum* sum) {
  const Setting* s = &settings[which];
  ChHouse house = {.levels = 4, .steps = (int)(1e3 * seconds), .every = 20};
  if (which == COLD_TEN) house.record = "sweeps.h5";
  ChStatus status = options_of(run, s, &house.options);
  return status == CH_OK ? ch_house_run(run, &house, steps, sum) : status;
}

static const char* told(ChReport* report, const ChHouseSum* s) {
  return ch_report_say(report,
                       "after %g s cards moved by %.2g m, %d of %d fell; %d of %d steps missed 1e-8, natural map "
                       "%.1e at most",
                       1e-3 * s->steps, s->displacement, s->fallen, s->cards, s->missed, s->steps, s->natural);
}

static bool collapsed(const ChHouseSum* s) { return 2 * s->fallen > s->cards; }

static ChOurRun how(const ChHouseSum* s) {
  return (ChOurRun){
      .steps = s->steps, .missed = s->missed, .tolerance = 1e-8, .claimed = "the iteration does not converge"};
}

// What the figure shows, for each start and number of sweeps.
static void report_setting(ChReport* report, const Setting* s, const ChHouseSum* sum) {
  bool printed = !s->round && !s->stabilised;
  ch_report_row(
      report, s->name,
      (ChFacts){
          .printed = !printed           ? NULL
                     : s->sweeps < 1000 ? "slip, then full collapse; iterations and start are left open"
                                        : "slip, then full collapse, also with >> 1000 iterations",
          .ours = told(report, sum),
          .run = how(sum),
          .rule = "more than half of the cards fell within 4 s",
          .met = collapsed(sum),
          .reason = printed ? ch_report_say(report,
                                            "the house stands: the error that so many sweeps leave moves it by %.2g m",
                                            sum->displacement)
                            : "beside the document's setting"});
}

static void chart(ChReport* report, int count, const ChHouseSum* sums, double (*moved)[4000]) {
  static double x[4000];
  ChChart* c = ch_report_chart(report, "Largest displacement, without stabilisation; no card should move.", "time [s]",
                               "displacement [m]", CH_CHART_LOG_Y);
  for (int k = 0; k < 4000; ++k) x[k] = 1e-3 * (k + 1);
  for (int v = 0; v < RUNS; ++v)
    if (!settings[v].stabilised && sums[v].steps > 0) ch_chart_line(c, settings[v].name, count, x, moved[v]);
}

// A minute of ten warm sweeps: what the first seconds moved, and what the rest adds, by the hour.
static ChStatus report_drift(ChItemRun* run, double seconds) {
  ChReport* report = run->report;
  ChHouseSum sum;
  ChStatus status = play(run, WARM_TEN, seconds, &sum);
  if (status != CH_OK) return status;
  int early = sum.steps / 15, missed_late = 0;
  double before = steps[early - 1].displacement, after = steps[sum.steps - 1].displacement;
  for (int k = early; k < sum.steps; ++k) missed_late += steps[k].missed;
  ch_report_row(
      report, "from the last reactions, 10 sweeps a step: drift",
      (ChFacts){.ours = ch_report_say(report,
                                      "%.3g mm in the first %g s, then %.2g mm by the hour; %d of the %d later steps "
                                      "missed 1e-8",
                                      1e3 * before, 1e-3 * early,
                                      1e3 * (after - before) * 3600.0 / (1e-3 * (sum.steps - early)), missed_late,
                                      sum.steps - early),
                .run = how(&sum),
                .reason = "the document prints no speed"});
  return CH_OK;
}

static void judge_stabilisation(ChReport* report, const ChHouseSum* sums) {
  double cold[2] = {sums[COLD_TEN].displacement, sums[COLD_STABILISED].displacement};
  double warm[2] = {sums[WARM_TEN].displacement, sums[WARM_STABILISED].displacement};
  ch_report_claim(
      report, "Constraint stabilisation generally makes the behaviour worse.",
      (ChFacts){.run = {.claimed = "the iteration does not converge"},
                .rule = "ten sweeps move the house farther with it, from nothing and from the last reactions",
                .met = cold[1] > cold[0] && warm[1] > warm[0]},
      "Ten sweeps a step, %g s, stabilised and not: %.2g and %.2g m from the last reactions, %.2g and %.2g m "
      "from nothing.",
      1e-3 * sums[COLD_TEN].steps, warm[1], warm[0], cold[1], cold[0]);
}

// One step with many sweeps from nothing: judged without friction, by the law of the box, and over round cones.
static ChStatus judge_many(ChItemRun* run) {
  static const Setting round = {.sweeps = 100000, .round = true};
  ChHouse house = {.levels = 4, .steps = 1};
  ChHouseSum without = {0}, cones = {0};
  ChStatus status = options_of(run, &round, &house.options);
  if (status == CH_OK) status = ch_house_run(run, &house, NULL, &cones);
  house.options.solve.pose = CH_POSE_FRICTIONLESS;
  if (status == CH_OK) status = ch_house_run(run, &house, NULL, &without);
  house.options.solve.pose = CH_POSE_COULOMB;
  ChSimulation* simulation = NULL;
  ChProblem* problem = NULL;
  ChStepInfo info;
  double box[2] = {0};
  long sweeps[2] = {1000, run->quick ? 10000 : 100000};
  if (status == CH_OK) status = ch_house_simulation(run, &house, &simulation);
  if (status == CH_OK) status = ch_simulation_step(run->context, simulation, &info);
  if (status == CH_OK) status = ch_simulation_problem(run->context, simulation, &problem);
  for (int k = 0; k < 2 && status == CH_OK; ++k)
    status = ch_box_law_residual(run->context, problem, sweeps[k], &box[k]);
  ch_problem_destroy(problem);
  ch_simulation_destroy(simulation);
  if (status != CH_OK) return status;
  ch_report_claim(run->report, "Without friction the iteration returns accurate solutions.",
                  (ChFacts){.run = {.whole_in_quick = true, .steps = 1, .missed = without.missed, .tolerance = 1e-8},
                            .rule = "the first step is certified",
                            .met = without.natural <= 1e-8},
                  "The first step from nothing: natural map %.1e.", without.natural);
  ch_report_claim(run->report, "With friction it fails to return a solution, whatever the number of iterations.",
                  (ChFacts){.run = {.claimed = "the iteration does not converge"},
                            .rule = "the first step is left above 1e-4 by the law that is swept: that of the box",
                            .met = box[1] > 1e-4},
                  "The first step from nothing, by the law of the box: error %.1e of its start after %ld sweeps, %.1e "
                  "after %ld. Over "
                  "round cones the certificate is at %.1e after %.0f sweeps: slow, not wrong.",
                  box[0], sweeps[0], box[1], sweeps[1], cones.natural, cones.iterations);
  return CH_OK;
}

static void tell(ChItemRun* run, int count) {
  ChReport* report = run->report;
  ch_report_text(
      report,
      "A house of 26 rigid cards in four levels stands by friction alone, mu = 0.8. Left alone, the house is at rest "
      "in the exact answer of every step, so any motion is the solver's error. Here the steps are swept by projected "
      "Gauss-Seidel with friction in boxes and without stabilisation, as in the document. The document states neither "
      "how many sweeps the figure used nor whether a step starts from the last one's reactions, and both decide the "
      "outcome: ten sweeps from "
      "nothing let the house fall, ten from the last reactions let it settle by a millimetre and then hold it.");
  ch_house_tell_cards(report);
  ch_report_choice(report, "time", "%g s of 1 ms steps%s; the document's frames are early steps of a time not printed.",
                   1e-3 * count, run->quick ? ", in the full form 4 s, and 1000 sweeps, too" : "");
  ch_report_command(report,
                    "cardhouse scene cards > cards.json   # \"step\": {\"stabilization\": {\"mode\": \"off\"}}, "
                    "\"method\": {\"max_iterations\": 10}");
  ch_report_command(report, "cardhouse run cards.json --method pgs --set pgs.box=1 --warm off --rest off --until 4");
}

static ChStatus run_item(ChItemRun* run) {
  static double moved[RUNS][4000];
  int count = (int)(1e3 * (run->quick ? 0.6 : SHORT));
  ChHouseSum sums[RUNS] = {0};
  tell(run, count);
  for (int v = 0; v < RUNS; ++v) {
    if (run->quick && !settings[v].in_quick) continue;
    ChStatus status = play(run, v, 1e-3 * count, &sums[v]);
    if (status != CH_OK) return status;
    for (int k = 0; k < count; ++k) moved[v][k] = steps[k].displacement;
    report_setting(run->report, &settings[v], &sums[v]);
    if (!ch_item_progress(run, 0.8 * (v + 1) / RUNS)) return CH_OK;
  }
  chart(run->report, count, sums, moved);
  ChStatus status = report_drift(run, run->quick ? 1.5 : LONG);
  if (status != CH_OK) return status;
  judge_stabilisation(run->report, sums);
  ch_report_picture(run->report, "sweeps.h5", 1e-3 * count,
                    "Ten sweeps a step from nothing, no stabilisation: the house at the end.");
  return judge_many(run);
}

const ChItem ch_item_004_house_pgs = {.name = "004-fig5.4",
                                      .title = "Card house with projected Gauss-Seidel",
                                      .source = "004 s5.7.2, Fig 5.4 [H21, I51]",
                                      .run = run_item};
