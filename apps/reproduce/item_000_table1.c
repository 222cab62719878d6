// 000, Table 1: 210 disks, the first step from rest, LCP0 and LCP2 at five friction coefficients.
#include <math.h>
#include <stdlib.h>

#include "reproduce/cannonball.h"

enum { ROWS = 5, BASE = 20, PASSES = 40, REPEATS = 3, OTHERS = 7 };

static const double ROUGH = 1.0;  // friction at which no disk of the bottom row slides on the plank

typedef struct Printed {
  double mu;
  const char *lcp0, *lcp2;  // seconds
  double error;
  bool lcp0_solved;
} Printed;

static const Printed printed[ROWS] = {{0.1, "29.76", "34.42", 0.06, true},
                                      {0.2, "MAX ITER", "36.28", 0.12, false},
                                      {0.4, "MAX ITER", "24.03", 0.07, false},
                                      {0.6, "MAX ITER", "20.40", 1e-8, false},
                                      {0.8, "MAX ITER", "14.52", 8e-11, false}};

typedef struct Table {
  ChPileAnswer lcp0[ROWS], lcp1[ROWS], lcp2[ROWS], exact[ROWS];
  ChPileAnswer rough[ROWS];  // LCP2 on a plank on which nothing slides
  int contacts;
  bool whole;
} Table;

static void tell(ChReport* report) {
  ch_report_text(
      report,
      "A triangle of 210 disks, 20 in the bottom row, is let go; the contact problem of the first step of 0.05 s is "
      "solved at five friction coefficients. LCP0 is Lemke's method on the exact complementarity problem (6)-(7), "
      "from slacks, with the document's limit of 10,000 iterations; LCP2 is the convex quadratic programme (15) "
      "with Gamma = 0, which is exact if nothing slips; if something does, a sliding, loaded contact opens at the "
      "speed mu lambda. That speed is the document's residual error. Beside them stands Cardhouse's default, method "
      "auto, which solves the exact law and certifies the answer.");
  ch_report_choice(
      report, "contacts",
      "A full triangle of 20 rows has 590 contacts; Anitescu's slides (002) say 574 for what must be the same pile "
      "(erratum X6), 000 does not say.");
  ch_report_choice(
      report, "gravity, density",
      "9.81 m/s^2 and 1000 kg/m^2, uniform disks. The answer is proportional to h g and does not depend on the "
      "density.");
  ch_report_choice(
      report, "norm of the error, plank",
      "The document does not say over which contacts and in which norm: the largest, the root mean square and the "
      "mean over contacts that carry a load are given. To find what explains its numbers, the inertia of the disks "
      "(0.1 to 1 m r^2, none), gaps within the rows and the friction of the plank were varied. A plank on which "
      "nothing slides comes nearest, and its figures are given, too; the other variants are farther off.");
  ch_report_choice(report, "seconds",
                   "Processor time on one core of this machine; for the exact answer, the shortest of three. The "
                   "document's are of 2003, Matlab with PATH.");
  ch_report_command(report,
                    "cardhouse scene cannonball --base 20 --mu 0.2 | cardhouse run - --until 0.05 --problems steps");
  ch_report_command(
      report, "cardhouse solve steps/step-00000001.hdf5 --method lemke --set lemke.crash=0 --max-iterations 10000");
  ch_report_command(report, "cardhouse solve steps/step-00000001.hdf5 --method relaxed --pose relaxed");
  ch_report_command(report, "cardhouse solve steps/step-00000001.hdf5");
}

// The exact answer, timed three times: the shortest counts, for others use the machine too.
static ChStatus solve_exactly(ChItemRun* run, const ChProblem* problem, ChPileAnswer* out) {
  double shortest = INFINITY;
  for (int k = 0; k < REPEATS; ++k) {
    ChStatus status = ch_cannonball_solve(run->context, problem, CH_EXACT, 0, out);
    if (status != CH_OK) return status;
    shortest = fmin(shortest, out->seconds);
    if (out->status != CH_OK || out->seconds > 1.0) break;
  }
  out->seconds = shortest;
  return CH_OK;
}

static ChStatus compute(ChItemRun* run, Table* t) {
  long pivots = run->quick ? 2000 : 10000;  // 3,075 suffice at mu = 0.1: see add_rows
  for (int k = 0; k < ROWS; ++k) {
    ChProblem* problem;
    ChStatus status = ch_cannonball_problem(run, BASE, printed[k].mu, &problem);
    if (status != CH_OK) return status;
    t->contacts = ch_problem_view(problem).block_count;
    long most = printed[k].lcp0_solved ? 10000 : pivots;
    status = ch_cannonball_solve(run->context, problem, CH_LCP0, most, &t->lcp0[k]);
    if (status == CH_OK) status = ch_cannonball_solve(run->context, problem, CH_LCP2, 0, &t->lcp2[k]);
    if (status == CH_OK) status = solve_exactly(run, problem, &t->exact[k]);
    if (status == CH_OK && k >= 3) status = ch_cannonball_solve(run->context, problem, CH_LCP1, PASSES, &t->lcp1[k]);
    ch_cannonball_set_plank(problem, ROUGH);
    if (status == CH_OK) status = ch_cannonball_solve(run->context, problem, CH_LCP2, 0, &t->rough[k]);
    ch_problem_destroy(problem);
    if (status != CH_OK) return status;
    if (!ch_item_progress(run, (k + 1.0) / ROWS)) return CH_OK;
  }
  t->whole = true;
  return CH_OK;
}

static void add_times(ChReport* report, const Printed* p, const ChPileAnswer* lcp0, const ChPileAnswer* lcp2,
                      const ChPileAnswer* exact) {
  bool same = (lcp0->status == CH_OK) == p->lcp0_solved;
  // 002 counts the contacts of what must be the same pile
  const ChOurRun how = {.contacts = {574.0, ch_cannonball_contacts(BASE)}};
  ch_report_row(report, ch_report_say(report, "mu = %g: LCP0, seconds", p->mu),
                (ChFacts){.printed = p->lcp0,
                          .ours = ch_cannonball_say(report, lcp0),
                          .run = how,
                          .rule = p->lcp0_solved ? "ours ends, and takes no longer"
                                                 : "ours has not ended after 10,000 pivots, too",
                          .met = same && !(p->lcp0_solved && lcp0->seconds > atof(p->lcp0)),
                          .reason = ch_report_say(report, "our path of pivots %s where theirs did not",
                                                  lcp0->status == CH_OK ? "ends" : "does not end")});
  ch_report_row(report, ch_report_say(report, "mu = %g: LCP2, seconds", p->mu),
                (ChFacts){.printed = p->lcp2,
                          .ours = ch_cannonball_say(report, lcp2),
                          .run = how,
                          .rule = "solved to 1e-8, and takes no longer",
                          .met = lcp2->status == CH_OK && lcp2->seconds <= atof(p->lcp2),
                          .reason = "the convex problem was not solved to 1e-8, or this machine was slower"});
  ch_report_row(
      report, ch_report_say(report, "mu = %g: exact, by auto, seconds", p->mu),
      (ChFacts){.ours = ch_report_say(report, "%s%.2g s, natural residual %.0e",
                                      exact->status == CH_OK ? "" : "missed, ", exact->seconds, exact->natural),
                .reason = "the document has no such method"});
}

// Rest is found in all digits; where something slips the size should be that of the printed error.
static void add_error(ChReport* report, const Printed* p, const ChPileAnswer* lcp2, const ChPileAnswer* rough) {
  double largest = lcp2->error.largest;
  bool rests = p->error < 1e-6;
  ch_report_row(
      report, ch_report_say(report, "mu = %g: LCP2's error in normal velocity", p->mu),
      (ChFacts){.printed = ch_report_say(report, "%g", p->error),
                .ours = ch_report_say(report, "largest %.2g, rms %.2g, mean %.2g m/s; on a rough plank largest %.2g",
                                      largest, lcp2->rms, lcp2->error.mean, rough->error.largest),
                .run = {.fitted = "the norm: of largest, root mean square and mean the largest is judged",
                        .whole_in_quick = true},
                .value = {p->error, largest},
                .factor = rests ? 0.0 : 1.25,
                .rule = "both below 1e-6, a pile at rest",
                .met = largest < 1e-6,
                .reason = ch_report_say(report,
                                        "the velocity of (15) is unique and certified here to %.0e, so the document "
                                        "must have used a different pile: its number is %.2g times our largest, and "
                                        "%.2g times the largest for a plank on which nothing slides",
                                        lcp2->natural, p->error / largest, p->error / rough->error.largest)});
}

// Between the table's coefficients, where the document has nothing: how long the exact answer takes there.
static ChStatus try_others(ChItemRun* run) {
  static const double others[OTHERS] = {0.05, 0.15, 0.25, 0.3, 0.35, 0.5, 0.55};
  int solved = 0, fast = 0;
  double longest = 0.0, at = 0.0;
  for (int k = 0; k < OTHERS; ++k) {
    ChProblem* problem;
    ChPileAnswer answer;
    ChStatus status = ch_cannonball_problem(run, BASE, others[k], &problem);
    if (status != CH_OK) return status;
    status = ch_cannonball_solve(run->context, problem, CH_EXACT, 0, &answer);
    ch_problem_destroy(problem);
    if (status != CH_OK) return status;
    solved += answer.status == CH_OK;
    fast += answer.status == CH_OK && answer.seconds < 0.1;
    if (answer.seconds > longest) longest = answer.seconds, at = others[k];
  }
  ch_report_text(run->report,
                 "Between these coefficients the pile is not always as easy: at mu = 0.05, 0.15, 0.25, 0.3, 0.35, 0.5 "
                 "and 0.55 auto finds an exact "
                 "answer in %d of %d cases, in %d of them within 0.1 s; the longest takes %.2g s, at mu = %g. Near the "
                 "friction at which it "
                 "rests, 0.56, the pile locks and slides at once.",
                 solved, OTHERS, fast, longest, at);
  return CH_OK;
}

static void add_claims(ChItemRun* run, const Table* t) {
  ChReport* report = run->report;
  bool only_first = t->lcp0[0].status == CH_OK, rest = true;
  for (int k = 1; k < ROWS; ++k) only_first = only_first && t->lcp0[k].status != CH_OK;
  ch_report_claim(
      report, "LCP0 ends at mu = 0.1 only.",
      (ChFacts){.rule = "at mu = 0.1 it ends, at the others not after 10,000 pivots", .met = only_first},
      "From slacks it ends at mu = 0.1 after %ld pivots over 2,360 variables, and elsewhere not within %ld.",
      t->lcp0[0].pivots, t->lcp0[1].pivots);
  for (int k = 3; k < ROWS; ++k) rest = rest && t->lcp1[k].status == CH_OK && t->lcp1[k].passes <= 2;
  ch_report_claim(report, "At mu = 0.6 and 0.8 LCP1 would stop after the pass that is LCP2, with a test of 1e-5.",
                  (ChFacts){.run = {.whole_in_quick = true}, .rule = "LCP1 stops after one pass, or two", .met = rest},
                  "LCP1 stops after %ld and %ld passes.", t->lcp1[3].passes, t->lcp1[4].passes);
  ch_report_claim(report, "Configurations that have a no slip solution are computed exactly by LCP2.",
                  (ChFacts){.run = {.whole_in_quick = true},
                            .rule = "errors below 1e-6 m/s at mu = 0.6 and 0.8, where the pile rests",
                            .met = t->lcp2[3].error.largest < 1e-6 && t->lcp2[4].error.largest < 1e-6},
                  "Largest errors at the five coefficients: %.2g, %.2g, %.2g, %.0e, %.0e m/s. The pile rests from a "
                  "friction between 0.4 and 0.6 on.",
                  t->lcp2[0].error.largest, t->lcp2[1].error.largest, t->lcp2[2].error.largest,
                  t->lcp2[3].error.largest, t->lcp2[4].error.largest);
  bool faster = true;
  for (int k = 2; k < ROWS; ++k) faster = faster && t->lcp2[k].seconds < t->lcp2[k - 1].seconds;
  ch_report_claim(
      report, "The larger the friction, the faster the results can be found, which may be isolated.",
      (ChFacts){.rule = "LCP2's time falls from each coefficient to the next, from mu = 0.2 on", .met = faster},
      "LCP2 takes %.2g, %.2g, %.2g, %.2g and %.2g s; printed are 34.42, 36.28, 24.03, 20.40 and 14.52.",
      t->lcp2[0].seconds, t->lcp2[1].seconds, t->lcp2[2].seconds, t->lcp2[3].seconds, t->lcp2[4].seconds);
}

static void add_chart(ChReport* report, const Table* t) {
  double mu[ROWS], lcp0[ROWS], lcp2[ROWS], exact[ROWS], theirs[ROWS] = {34.42, 36.28, 24.03, 20.40, 14.52};
  for (int k = 0; k < ROWS; ++k) {
    mu[k] = printed[k].mu;
    lcp0[k] = t->lcp0[k].status == CH_OK ? t->lcp0[k].seconds : NAN;
    lcp2[k] = t->lcp2[k].seconds;
    exact[k] = t->exact[k].status == CH_OK ? t->exact[k].seconds : NAN;
  }
  ChChart* chart = ch_report_chart(report, "Processor time of the first step; LCP0 has a point only where it ended.",
                                   "friction coefficient mu [1]", "processor time [s]", CH_CHART_LOG_Y);
  ch_chart_points(chart, "LCP0, here", ROWS, mu, lcp0);
  ch_chart_line(chart, "LCP2, here", ROWS, mu, lcp2);
  ch_chart_line(chart, "exact, auto, here", ROWS, mu, exact);
  ch_chart_line(chart, "LCP2, printed", ROWS, mu, theirs);
}

static ChStatus run_item(ChItemRun* run) {
  Table t = {0};
  tell(run->report);
  if (run->quick) ch_report_text(run->report, "Quick form: LCP0 is stopped after 2,000 pivots at mu > 0.1.");
  ChStatus status = compute(run, &t);
  if (status != CH_OK || !t.whole) return status;
  ch_report_text(run->report, "The problem has %d contacts and 630 degrees of freedom.", t.contacts);
  for (int k = 0; k < ROWS; ++k) {
    add_times(run->report, &printed[k], &t.lcp0[k], &t.lcp2[k], &t.exact[k]);
    add_error(run->report, &printed[k], &t.lcp2[k], &t.rough[k]);
  }
  add_claims(run, &t);
  add_chart(run->report, &t);
  return run->quick ? CH_OK : try_others(run);
}

const ChItem ch_item_000_table1 = {
    .name = "000-table1",
    .title = "210 disks, first step: Lemke, one convex programme, and the exact answer",
    .source = "000 s4.B, Table 1 [H4, J1, I15, X6, X10]",
    .run = run_item,
};
