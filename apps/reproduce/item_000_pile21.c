// 000, Figures 2 and 3: 21 disks at mu = 0.05 fall apart; LCP0, LCP1 and LCP2 solve every step of it.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reproduce/cannonball.h"

enum { BASE = 6, STEPS = 120, METHODS = 4 };
static const char* const method_name[METHODS] = {"LCP0 (Lemke)", "LCP1 (successive)", "LCP2 (one programme)",
                                                 "LCP2 by pivoting"};

static ChStatus open_pile(ChItemRun* run, ChScene** out) {
  const char* const parameters[][2] = {{"base", "6"}, {"mu", "0.05"}};
  return ch_item_scene(run, "cannonball", 2, parameters, out);
}

// --- Figure 2: four frames -------------------------------------------------------------------------------------------

static ChStatus run_frames(ChItemRun* run) {
  ChReport* report = run->report;
  ch_report_text(
      report,
      "Six disks of diameter 3 on a plank, five on top of them, and so on up to one: 21 disks at rest, friction 0.05 "
      "at all contacts, plastic impacts, steps of 0.05 s (20 frames a second). The document shows four frames of the "
      "pile on its way down, rendered in three dimensions.");
  ch_report_choice(report, "length, times of the frames",
                   "4 s; frames at 0, 1, 2 and 4 s. The document gives neither.");
  ch_report_choice(report, "gravity, density",
                   "9.81 m/s^2; 1000 kg/m^2, which does not matter as all disks are alike.");
  ch_report_command(report, "cardhouse run cannonball --until 4 --out pile.h5");
  ChScene* scene;
  ChStatus status = open_pile(run, &scene);
  if (status != CH_OK) return status;
  ChSummary summary;
  ChPlay play = {.until = 4.0, .record = "pile.h5", .progress = {0.0, 1.0}};
  status = ch_item_play(run, scene, &play, &summary);
  ch_scene_destroy(scene);
  if (status != CH_OK) return status;
  static const double times[] = {0.0, 1.0, 2.0, 4.0};
  for (int k = 0; k < 4; ++k)
    ch_report_picture(report, "pile.h5", times[k], ch_report_say(report, "21 disks after %g s.", times[k]));
  ch_report_claim(
      report, "The cannonball arrangement falls apart at mu = 0.05.",
      (ChFacts){.run = {.steps = summary.steps, .missed = summary.missed, .tolerance = 1e-8},
                .rule = "some disk moves by more than a diameter, 3 m",
                .met = summary.displacement > 3.0},
      "Some disk has moved by %.1f m, %.1f diameters; %ld of %ld steps missed the tolerance of 1e-8; overlap at "
      "most %.1e m.",
      summary.displacement, summary.displacement / 3.0, summary.missed, summary.steps, summary.penetration);
  return CH_OK;
}

const ChItem ch_item_000_fig2 = {
    .name = "000-fig2",
    .title = "21 disks fall apart: four frames",
    .source = "000 s4.B, Fig 2 [H2, G17]",
    .run = run_frames,
    .same_when_quick = true,
};

// --- Figure 3: the methods, step by step -----------------------------------------------------------------------------

typedef struct Race {
  ChItemRun* run;
  ChStatus status;
  int count, failed[METHODS], slow[METHODS];
  long passes_most, pivots_most;
  double time[STEPS], seconds[METHODS][STEPS], total[METHODS], longest[METHODS];
  double mean[STEPS], largest[STEPS], worst;  // error of LCP2
  double pivoted;                             // LCP1 with every pass by pivoting: passes times one such pass
} Race;

static bool race_step(void* state, const ChSimulation* simulation, const ChStepInfo* info) {
  Race* race = state;
  ChProblem* problem;
  if (info->contacts == 0 || race->count == STEPS) return race->count < STEPS;
  race->status = ch_simulation_problem(race->run->context, simulation, &problem);
  if (race->status != CH_OK) return false;
  int at = race->count++;
  race->time[at] = info->time;
  long passes = 0;
  for (int m = 0; m < METHODS && race->status == CH_OK; ++m) {
    ChPileAnswer answer;
    race->status = ch_cannonball_solve(race->run->context, problem, (ChLcp012)m, 0, &answer);
    race->seconds[m][at] = answer.seconds;
    race->total[m] += answer.seconds;
    race->longest[m] = fmax(race->longest[m], answer.seconds);
    race->failed[m] += answer.status != CH_OK;
    race->slow[m] += !(answer.seconds < 0.05);
    if (m == CH_LCP1) passes = answer.passes;
    if (m == CH_LCP2_PIVOTED) race->pivoted += (double)passes * answer.seconds;
    if (answer.passes > race->passes_most) race->passes_most = answer.passes;
    if (m == CH_LCP0 && answer.pivots > race->pivots_most) race->pivots_most = answer.pivots;
    if (m != CH_LCP2) continue;
    race->mean[at] = answer.error.mean;
    race->largest[at] = answer.error.largest;
    race->worst = fmax(race->worst, answer.error.largest);
  }
  ch_problem_destroy(problem);
  return race->status == CH_OK;
}

static void tell_race(ChReport* report) {
  ch_report_text(
      report,
      "The pile of Figure 2, solved step by step in three ways: LCP0, Lemke's method on the exact problem; LCP1, "
      "convex programmes with the slip of the last one until Lambda changes by less than 1e-5; LCP2, the first of "
      "these programmes alone. The document does not say what Figure 3 plots; its text discusses time per step and "
      "convergence. All "
      "three are given the same problems, those of the exact motion, and start from nothing.");
  ch_report_choice(
      report, "convex programmes",
      "LCP1 and LCP2 use the default inner solver, Newton's method on the convex problem, each pass to 1e-8; the "
      "document uses PATH for them and expects a factor of two from a Cholesky factorisation.");
  ch_report_choice(report, "seconds",
                   "Processor time on one core of this machine; the document's machine dates from 2003.");
  ch_report_command(report, "cardhouse run cannonball --until 6 --problems steps");
  ch_report_command(report,
                    "cardhouse solve steps/step-00000020.hdf5 --method successive --set successive.paper_rule=1e-5");
}

static void chart_race(ChReport* report, const Race* race) {
  ChChart* chart = ch_report_chart(report, "Processor time of a step, on the same problems.", "simulated time [s]",
                                   "processor time [s]", CH_CHART_LOG_Y);
  for (int m = 0; m < METHODS; ++m) ch_chart_line(chart, method_name[m], race->count, race->time, race->seconds[m]);
  chart = ch_report_chart(report, "Error of LCP2: normal velocity of contacts that carry a load.", "simulated time [s]",
                          "velocity [m/s]", 0);
  ch_chart_line(chart, "largest", race->count, race->time, race->largest);
  ch_chart_line(chart, "mean", race->count, race->time, race->mean);
}

static void judge_race(ChReport* report, const Race* race) {
  const double* t = race->total;
  static const char* const estimated =
      "LCP1 by pivoting was not run: its time is the number of passes times that of one pass by Lemke's method";
  ChOurRun lcp0 = {.steps = race->count, .missed = race->failed[CH_LCP0], .tolerance = 1e-8}, both = lcp0, guess = lcp0;
  both.missed += race->failed[CH_LCP2_PIVOTED];
  guess.changed = estimated;
  ch_report_claim(report, "LCP1 has converged for 21 disks and mu = 0.05.",
                  (ChFacts){.rule = "every step ends by the document's rule, Lambda changes by less than 1e-5",
                            .met = race->failed[CH_LCP1] == 0},
                  "It ended by its own rule in %d of %d steps, after %ld passes at most.",
                  race->count - race->failed[CH_LCP1], race->count, race->passes_most);
  ch_report_claim(report, "Lemke solves LCP0 faster than the iterative method LCP1.",
                  (ChFacts){.run = guess, .rule = "less time over all steps", .met = t[CH_LCP0] < race->pivoted},
                  "Over %d steps LCP0 took %.2g s (%d steps not solved, %ld pivots at most). LCP1 with its passes by "
                  "pivoting, as the "
                  "document has them, would take %.2g s: its passes times a pass by Lemke's method.",
                  race->count, t[CH_LCP0], race->failed[CH_LCP0], race->pivots_most, race->pivoted);
  ch_report_claim(report, "Specialised convex solvers improve LCP1 considerably.",
                  (ChFacts){.run = guess,
                            .rule = "half the time or less, the factor that the document expects",
                            .met = t[CH_LCP1] < 0.5 * race->pivoted},
                  "With Newton's method on the convex problem LCP1 took %.2g s, %.2g times as fast%s.", t[CH_LCP1],
                  race->pivoted / t[CH_LCP1], t[CH_LCP1] < t[CH_LCP0] ? " and faster than LCP0" : "");
  ch_report_claim(report, "Lemke solves LCP0 slower than LCP2.",
                  (ChFacts){.run = both,
                            .rule = "more time over all steps than LCP2, both by pivoting, as in the document",
                            .met = t[CH_LCP0] > t[CH_LCP2_PIVOTED]},
                  "Over the same steps LCP2 took %.2g s by pivoting, LCP0 %.2g s. By Newton's method on the convex "
                  "problem, which the document does not have, LCP2 took %.2g s.",
                  t[CH_LCP2_PIVOTED], t[CH_LCP0], t[CH_LCP2]);
  ch_report_claim(report, "LCP0 and LCP2 need substantially less than 50 ms most of the time.",
                  (ChFacts){.run = lcp0,
                            .rule = "no step of either takes 50 ms",
                            .met = race->slow[CH_LCP0] == 0 && race->slow[CH_LCP2] == 0},
                  "Longest steps: LCP0 %.2g ms, LCP1 %.2g ms, LCP2 %.2g ms.", 1e3 * race->longest[CH_LCP0],
                  1e3 * race->longest[CH_LCP1], 1e3 * race->longest[CH_LCP2]);
}

static ChStatus run_race(ChItemRun* run) {
  Race race = {.run = run};
  ChScene* scene;
  tell_race(run->report);
  ChStatus status = open_pile(run, &scene);
  if (status != CH_OK) return status;
  scene->options.rest = false;
  if (run->quick) ch_report_text(run->report, "Quick form: 2 s of motion instead of 6.");
  ChPlay play = {.until = run->quick ? 2.0 : 6.0, .progress = {0.0, 1.0}, .each = race_step, .state = &race};
  status = ch_item_play(run, scene, &play, NULL);
  ch_scene_destroy(scene);
  if (status == CH_OK) status = race.status;
  if (status != CH_OK || race.count == 0) return status;
  chart_race(run->report, &race);
  judge_race(run->report, &race);
  return CH_OK;
}

const ChItem ch_item_000_fig3 = {
    .name = "000-fig3",
    .title = "21 disks: Lemke, successive relaxation and one convex programme, step by step",
    .source = "000 s4.B, Fig 3 [H2, J11, G3]",
    .run = run_race,
};
