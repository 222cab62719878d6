// 004, sections 5.7 and 5.8: one card house of four levels, mu = 0.8, h = 1 ms, and four ways to solve its steps. Rest
// is the exact answer at every step: a card that moves was solved wrongly.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cardhouse/solve.h"
#include "reproduce/card_house.h"

enum { MOST_STEPS = 5000 };
static const double SHAKE = 0.01;
static ChHouseStep steps[MOST_STEPS];
static const char NOT_PATH[] = "our own pivoting in place of PATH, which is not at hand";
static const char NOT_NLPQLP[] = "our own programme in place of NLPQLP, which is not at hand, and fewer steps than 500";

static void introduce(ChReport* report, const char* what) {
  ch_report_text(report,
                 "A house of 26 rigid cards in four levels stands by friction alone, mu = 0.8. Left alone, the house "
                 "is at rest in the exact answer of every step, so any motion is the solver's error. %s",
                 what);
  ch_house_tell_cards(report);
  ch_report_choice(
      report, "shaken house",
      "random velocities of up to %g m/s and rad/s: the house of the document is not said to start at rest to the "
      "last digit, ours does.",
      SHAKE);
}

static const char* sum_text(ChReport* report, const ChHouseSum* s) {
  return ch_report_say(
      report, "%d steps, %d missed their tolerance, natural map %.1e at most, cards moved by %.1e m, %d of %d fell",
      s->steps, s->missed, s->natural, s->displacement, s->fallen, s->cards);
}

static ChOurRun run_of(const ChHouseSum* s, double tolerance, const char* changed) {
  return (ChOurRun){.steps = s->steps, .missed = s->missed, .tolerance = tolerance, .changed = changed};
}

static void chart_steps(ChReport* report, const char* caption, const ChHouseSum* sum) {
  double* x = malloc(3 * MOST_STEPS * sizeof *x);
  if (!x) return;
  double *residual = x + MOST_STEPS, *moved = x + 2 * MOST_STEPS;
  for (int k = 0; k < sum->steps; ++k)
    x[k] = k + 1, residual[k] = fabs(steps[k].objective), moved[k] = steps[k].displacement;
  ChChart* chart =
      ch_report_chart(report, caption, "step of 1 ms [1]", "|(5.32)| [J], displacement [m]", CH_CHART_LOG_Y);
  ch_chart_line(chart, "|objective (5.32)|", sum->steps, x, residual);
  ch_chart_line(chart, "largest displacement of a card", sum->steps, x, moved);
  free(x);
}

// --- Fig 5.3: Lemke --------------------------------------------------------------------------------------------------

static ChStatus lemke_options(ChItemRun* run, ChSimulationOptions* o) {
  ChStatus status = ch_house_options(run, "lemke", o);
  o->cone_sides = 8;
  o->warm = false;
  o->solve.max_iterations = CH_HOUSE_PIVOTS;
  static const ChSetting crash = {"lemke.crash", 0.0};
  o->solve.settings = &crash;
  o->solve.setting_count = 1;
  return status;
}

// Pivots from slacks against the number of levels.
static ChStatus lemke_sizes(ChItemRun* run, int most) {
  double levels[8], seconds[8], pivots[8];
  int count = 0, solved = 0;
  for (int n = 1; n <= most; ++n, ++count) {
    ChHouse house = {.levels = n, .steps = 1};
    ChHouseSum sum;
    ChStatus status = lemke_options(run, &house.options);
    if (status == CH_OK) status = ch_house_run(run, &house, NULL, &sum);
    if (status != CH_OK) return status;
    levels[count] = n;
    seconds[count] = 1e3 * sum.seconds;
    pivots[count] = sum.iterations;
    solved += sum.missed == 0;
  }
  ChChart* chart =
      ch_report_chart(run->report, "The first step by Lemke's method from slacks, over the size of the house.",
                      "levels [1]", "pivots [1], processor time [ms]", CH_CHART_LOG_Y);
  ch_chart_line(chart, "pivots", count, levels, pivots);
  ch_chart_line(chart, "processor time", count, levels, seconds);
  ch_report_claim(
      run->report, "Direct pivoting does not scale beyond relatively small examples.",
      (ChFacts){.run = {.steps = count,
                        .missed = count - solved,
                        .tolerance = 1e-8,
                        .claimed = "larger ones fail",
                        .changed = NOT_PATH},
                .rule = "some of the houses of 1 to 6 levels is not solved",
                .met = solved < count},
      "First steps of houses of 1 to %d levels: %d of %d solved; %.0f pivots and %.2g ms at 2 levels, %.0f and %.2g ms "
      "at %d. %s",
      most, solved, count, pivots[1], seconds[1], pivots[count - 1], seconds[count - 1], most,
      solved == count
          ? "Pivots grow with the number of contacts, their price with it too: costly, but none of these sizes fails."
          : "The larger ones end without an answer.");
  return CH_OK;
}

static ChStatus run_lemke(ChItemRun* run) {
  ChReport* report = run->report;
  introduce(
      report,
      "Here every step is solved from nothing by Lemke's method on the complementarity problem (5.27) over friction "
      "octagons, the role of PATH in the document.");
  ch_report_choice(report, "Lemke's method",
                   "from slacks (lemke.crash = 0), no warm start, at most %d pivots: the textbook's method. PATH is "
                   "another program: a Newton method on a merit function with pivoting inside, and the stationary "
                   "points it reports are those of its merit function.",
                   CH_HOUSE_PIVOTS);
  ch_report_command(
      report,
      "cardhouse run cards --method lemke --cone polygon:8 --set lemke.crash=0 --warm off --rest off --until 0.5");
  ChHouse house = {.levels = 4, .steps = run->quick ? 20 : 500, .progress = {0.0, 0.6}};
  ChHouseSum rest, shaken;
  ChStatus status = lemke_options(run, &house.options);
  if (status == CH_OK) status = ch_house_run(run, &house, steps, &rest);
  if (status != CH_OK) return status;
  chart_steps(report, "Lemke's method on the house at rest.", &rest);
  house.shake = SHAKE;
  house.steps = run->quick ? 24 : 60;
  house.progress[0] = 0.6, house.progress[1] = 0.9;
  house.record = "shaken.h5", house.every = 10;
  status = ch_house_run(run, &house, steps, &shaken);
  if (status != CH_OK) return status;
  chart_steps(report, "Lemke's method on the shaken house.", &shaken);
  ch_report_row(
      report, "house at rest",
      (ChFacts){
          .printed = "some steps slip, at reported stationary points the system blows up",
          .ours = sum_text(report, &rest),
          .run = run_of(&rest, 1e-8, NOT_PATH),
          .rule = "some step leaves a natural map above 1e-3",
          .met = rest.natural > 1e-3,
          .reason =
              "every step ends in a solution: ties are broken by a perturbation of 1e-9, the basis is factored anew "
              "every 50 pivots and the "
              "last one solved with the data as it is. Whether what the document saw is PATH's own could not be "
              "tried: there is no PATH here"});
  ch_report_row(report, "shaken house",
                (ChFacts){.ours = sum_text(report, &shaken),
                          .run = run_of(&shaken, 1e-8, NOT_PATH),
                          .reason = "the document does not tell it apart from the house at rest"});
  ch_report_row(report, "processor time of a step",
                (ChFacts){.printed = "57 s (PATH, 3 GHz Pentium D)",
                          .ours = ch_report_say(report, "%.1f ms at rest, %.1f ms shaken", 1e3 * rest.seconds,
                                                1e3 * shaken.seconds),
                          .run = run_of(&rest, 1e-8, NOT_PATH),
                          .rule = "ours is not longer",
                          .met = rest.seconds <= 57.0,
                          .reason = "it is longer than the printed one"});
  ch_report_picture(
      report, "shaken.h5", 1e-3 * house.steps,
      ch_report_say(report, "The shaken house at the end, stepped by Lemke's method: %d of %d cards fell.",
                    shaken.fallen, shaken.cards));
  return lemke_sizes(run, run->quick ? 4 : 6);
}

// --- Fig 5.5: sequential quadratic programming -----------------------------------------------------------------------

static ChStatus sqp_house(ChItemRun* run, int levels, double shake, int count, double part, ChHouseSum* sum) {
  ChHouse house = {.levels = levels, .shake = shake, .steps = count, .progress = {part, part + 0.3}};
  ChStatus status = ch_house_options(run, "sqp", &house.options);
  if (status != CH_OK) return status;
  house.options.cone_sides = 8;
  house.options.warm = false;
  house.options.solve.max_iterations = 600;
  return ch_house_run(run, &house, steps, sum);
}

static ChStatus run_sqp(ChItemRun* run) {
  ChReport* report = run->report;
  introduce(report,
            "Here the steps are solved by sequential quadratic programming on the non-convex programme (5.32), the "
            "role of NLPQLP: a point "
            "that meets the first-order conditions need not be a solution.");
  int rest_levels = run->quick ? 3 : 4, shaken_levels = run->quick ? 2 : 3, rest_steps = run->quick ? 1 : 6,
      shaken_steps = run->quick ? 4 : 12;
  ch_report_choice(report, "size",
                   "at rest %d levels and %d steps, shaken %d levels and %d steps, each step from nothing with at most "
                   "600 iterations: "
                   "a step takes seconds%s.",
                   rest_levels, rest_steps, shaken_levels, shaken_steps,
                   run->quick ? "; the full form has four levels" : "");
  ch_report_command(report, "cardhouse run cards --method sqp --cone polygon:8 --warm off --rest off --until 0.005");
  ChHouseSum rest, shaken;
  ChStatus status = sqp_house(run, rest_levels, 0.0, rest_steps, 0.0, &rest);
  if (status == CH_OK) status = sqp_house(run, shaken_levels, SHAKE, shaken_steps, 0.5, &shaken);
  if (status != CH_OK) return status;
  chart_steps(report, "Sequential quadratic programming on the shaken house.", &shaken);
  ch_report_row(report, "house at rest",
                (ChFacts){.printed = "reports success; small slips, often blow-ups",
                          .ours = sum_text(report, &rest),
                          .run = run_of(&rest, 1e-8, NOT_NLPQLP),
                          .rule = "some step leaves a natural map above 1e-3",
                          .met = rest.natural > 1e-3,
                          .reason = "from y = 0 the descent ends in a point of value zero, a solution: exactly at rest "
                                    "the programme is easy for it"});
  ch_report_row(report, "shaken house",
                (ChFacts){.ours = sum_text(report, &shaken),
                          .run = run_of(&shaken, 1e-8, "three levels, and our own programme in place of NLPQLP"),
                          .reason = "the document does not tell it apart from the house at rest"});
  ch_report_claim(report,
                  "The residual (5.32) is always positive: a feasible point is found, not necessarily an optimal one.",
                  (ChFacts){.run = {.steps = shaken.steps,
                                    .missed = shaken.missed,
                                    .tolerance = 1e-8,
                                    .claimed = "points that are no solutions",
                                    .changed = NOT_NLPQLP},
                            .rule = "no residual below -1e-9 J, and some above 0",
                            .met = shaken.objective[0] >= -1e-9 && shaken.objective[1] > 0.0},
                  "Shaken: between %.1e and %.1e J.", shaken.objective[0], shaken.objective[1]);
  ch_report_text(report,
                 "Where a step misses its tolerance Cardhouse does not use the answer as it is but one made safe, with "
                 "friction in its cone and "
                 "bodies that do not approach each other (docs/stepping.md): the blow-ups of the document are not seen "
                 "for that reason.");
  ch_report_row(report, "processor time of a step",
                (ChFacts){.printed = "123 s (NLPQLP, 3 GHz Pentium D)",
                          .ours = ch_report_say(report, "%.2g s (%d levels, at rest)", rest.seconds, rest_levels),
                          .run = run_of(&rest, 1e-8, "6 steps of 500, by our own programme in place of NLPQLP"),
                          .rule = "ours is not longer",
                          .met = rest.seconds <= 123.0,
                          .reason = "it is longer than the printed one"});
  return CH_OK;
}

// --- Section 5.8: staggered projections ------------------------------------------------------------------------------

static ChStatus run_staggered(ChItemRun* run) {
  ChReport* report = run->report;
  introduce(report, "Here the steps are solved by staggered projections, with warm starts, and the house must stand.");
  ch_report_command(report, "cardhouse run cards --method staggered --rest off --until 5");
  ChHouse house = {.levels = 4, .steps = run->quick ? 500 : 5000, .progress = {0.0, 0.5}};
  ChHouseSum rest, letter, shaken;
  ChStatus status = ch_house_options(run, "staggered", &house.options);
  if (status == CH_OK) status = ch_house_run(run, &house, steps, &rest);
  if (status != CH_OK) return status;
  chart_steps(report, "Staggered projections on the house at rest, as Cardhouse has them.", &rest);
  house.options.solve.settings = (ChSetting[]){{"staggered.algorithm1", 1.0}, {"staggered.rel_err", 1e-10}};
  house.options.solve.setting_count = 2;
  house.options.cone_sides = 8;
  house.steps = run->quick ? 2 : 60;
  house.progress[0] = 0.5, house.progress[1] = 0.8;
  status = ch_house_run(run, &house, NULL, &letter);
  if (status != CH_OK) return status;
  ChHouse moved = {.levels = 4,
                   .shake = SHAKE,
                   .steps = run->quick ? 12 : 500,
                   .progress = {0.8, 1.0},
                   .record = "shaken.h5",
                   .every = 10};
  status = ch_house_options(run, "staggered", &moved.options);
  moved.options.solve.tolerance = 1e-6;
  moved.options.solve.max_iterations = 200;
  if (status == CH_OK) status = ch_house_run(run, &moved, NULL, &shaken);
  if (status != CH_OK) return status;
  ch_report_choice(
      report, "tolerance",
      "1e-8 on the certificate at rest, 1e-6 shaken; algorithm 1 to the letter (octagons, no acceleration) "
      "stops at rel_err = 1e-10 in the squared form. The document does not state the tolerance of this run.");
  ch_report_row(report, "residual (5.22)",
                (ChFacts){.printed = "~1e-6",
                          .ours = ch_report_say(report, "%.1e J at most; to the letter %.1e J; shaken %.1e J",
                                                rest.residual, letter.residual, shaken.residual),
                          .run = run_of(&rest, 1e-8, NULL),
                          .rule = "not above it: of `staggered`, and of algorithm 1 to the letter",
                          .met = rest.residual <= 1e-6 && letter.residual <= 1e-6,
                          .reason = "the residual has the unit of an energy, and scales with the cards"});
  ch_report_claim(report, "The card house stands stably over all time steps.",
                  (ChFacts){.run = run_of(&rest, 1e-8, NULL),
                            .rule = "no card moves by a micrometre, by `staggered` and by algorithm 1 to the letter",
                            .met = rest.displacement < 1e-6 && letter.displacement < 1e-6},
                  "%d steps: no card moved by more than %.1e m; to the letter %d steps and %.1e m.", rest.steps,
                  rest.displacement, letter.steps, letter.displacement);
  ch_report_row(report, "shaken house",
                (ChFacts){.ours = sum_text(report, &shaken),
                          .run = run_of(&shaken, 1e-6, NULL),
                          .reason = "the document does not shake it"});
  ch_report_picture(report, "shaken.h5", 1e-3 * moved.steps,
                    "The shaken house at the end, stepped by staggered projections.");
  return CH_OK;
}

const ChItem ch_item_004_house_lemke = {.name = "004-fig5.3",
                                        .title = "Card house with Lemke's method",
                                        .source = "004 s5.7.1, Fig 5.3 [H20, I51]",
                                        .run = run_lemke};
const ChItem ch_item_004_house_sqp = {.name = "004-fig5.5",
                                      .title = "Card house with sequential quadratic programming",
                                      .source = "004 s5.7.3, Fig 5.5 [H22]",
                                      .run = run_sqp};
const ChItem ch_item_004_house_staggered = {.name = "004-s5.8",
                                            .title = "Card house with staggered projections",
                                            .source = "004 s5.8 [H23]",
                                            .run = run_staggered};
