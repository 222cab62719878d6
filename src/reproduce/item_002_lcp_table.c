// 002, "Solving the LCP, h = 0.05, PATH (Lemke)": processor time of Lemke's method on cannonball piles.
#include <math.h>

#include "reproduce/cannonball.h"

enum { ROWS = 11 };

typedef struct Printed {
  int base, contacts;
  double mu, seconds;  // NAN: MAXIT
} Printed;

static const Printed printed[ROWS] = {{4, 21, 0.2, 0.04},     {4, 21, 0.8, 0.03},   {6, 52, 0.2, 0.28},
                                      {6, 52, 0.8, 0.20},     {8, 93, 0.2, 0.81},   {8, 93, 0.8, 0.82},
                                      {10, 146, 0.2, 2.10},   {10, 146, 0.8, 2.07}, {20, 574, 0.0, 0.8},
                                      {20, 574, 0.2, 174.29}, {20, 574, 0.8, NAN}};

static void tell(ChReport* report) {
  ch_report_text(
      report,
      "Lemke's method on the exact complementarity problem of triangular piles of disks, by size and friction. The "
      "slide gives average seconds over steps that it does not count; here it is the first step, from rest, from the "
      "basis of slacks. What is asked: how the work grows, and where it ends.");
  ch_report_choice(
      report, "contacts",
      "A full triangle of n rows has n + 3 n (n - 1) / 2 = 22, 51, 92, 145, 590 contacts; the slide says 21, 52, 93, "
      "146, 574 (erratum X6). No rule of leaving out or adding contacts gives all five; the full triangle is used.");
  ch_report_choice(
      report, "limit of pivots",
      "10,000, as in 000. The slide's 210 disks at mu = 0.2 are MAX ITER in 000 (erratum X10): another limit or "
      "another step.");
  ch_report_command(report,
                    "cardhouse scene cannonball --base 10 --mu 0.8 | cardhouse run - --until 0.05 --problems steps");
  ch_report_command(report, "cardhouse solve steps/step-00000001.hdf5 --method lemke --set lemke.crash=0");
}

static void add_row(ChReport* report, const Printed* p, const ChPileAnswer* lcp0, const ChPileAnswer* exact) {
  bool fails = isnan(p->seconds), failed = lcp0->status != CH_OK;
  const char* theirs = fails ? "MAXIT" : ch_report_say(report, "%.2f s, %d contacts", p->seconds, p->contacts);
  const char* reason =
      failed ? ch_report_say(
                   report,
                   "the path from slacks has not ended after %ld pivots, as in 000's Table 1 (X10); auto takes %.2g s",
                   lcp0->pivots, exact->seconds)
             : "our path ends where theirs did not";
  ch_report_row(
      report, ch_report_say(report, "%d disks, mu = %g", ch_cannonball_disks(p->base), p->mu),
      (ChFacts){.printed = theirs,
                .ours = ch_report_say(report, "%s%s, %d contacts; auto %.2g s", ch_cannonball_say(report, lcp0),
                                      failed ? "" : ch_report_say(report, ", %ld pivots", lcp0->pivots),
                                      ch_cannonball_contacts(p->base), exact->seconds),
                .met = fails == failed,
                .reason = reason});
}

static void add_chart(ChReport* report, const ChPileAnswer* lcp0) {
  double disks[2][5], pivots[2][5], theirs[2][5], ours[2][5];
  int count[2] = {0, 0};
  for (int k = 0; k < ROWS; ++k) {
    if (printed[k].mu == 0.0) continue;
    int m = printed[k].mu > 0.5, at = count[m]++;
    disks[m][at] = ch_cannonball_disks(printed[k].base);
    pivots[m][at] = lcp0[k].status == CH_OK ? (double)lcp0[k].pivots : NAN;
    ours[m][at] = lcp0[k].status == CH_OK ? lcp0[k].seconds : NAN;
    theirs[m][at] = printed[k].seconds;
  }
  ChChart* chart = ch_report_chart(report, "Seconds of Lemke's method; a missing point is a path that did not end.",
                                   "disks [1]", "processor time [s]", CH_CHART_LOG_X | CH_CHART_LOG_Y);
  ch_chart_line(chart, "mu = 0.2, here", count[0], disks[0], ours[0]);
  ch_chart_line(chart, "mu = 0.8, here", count[1], disks[1], ours[1]);
  ch_chart_points(chart, "mu = 0.2, printed", count[0], disks[0], theirs[0]);
  ch_chart_points(chart, "mu = 0.8, printed", count[1], disks[1], theirs[1]);
  chart = ch_report_chart(report, "Pivots from slacks.", "disks [1]", "pivots [1]", CH_CHART_LOG_X | CH_CHART_LOG_Y);
  ch_chart_line(chart, "mu = 0.2", count[0], disks[0], pivots[0]);
  ch_chart_line(chart, "mu = 0.8", count[1], disks[1], pivots[1]);
}

// Growth from 10 to 55 disks, against the number of contacts.
static void add_claims(ChReport* report, const ChPileAnswer* lcp0) {
  double growth = log((double)lcp0[7].pivots / lcp0[1].pivots) / log(145.0 / 22.0);
  double seconds = log(lcp0[7].seconds / lcp0[1].seconds) / log(145.0 / 22.0);
  bool ends = lcp0[10].status != CH_OK;
  ch_report_claim(
      report, "Lemke's method does not seem to scale well.", (ChFacts){.met = growth > 1.2 && ends},
      "Pivots at mu = 0.8 grow like contacts^%.1f from 10 to 55 disks and seconds like contacts^%.1f (printed: "
      "contacts^%.1f); at 210 disks the path %s within the limit.",
      growth, seconds, log(2.07 / 0.03) / log(146.0 / 21.0), ends ? "does not end" : "ends");
  ch_report_claim(report, "Without friction 210 disks are easy.",
                  (ChFacts){.met = lcp0[8].status == CH_OK && lcp0[8].pivots < 2 * ch_cannonball_contacts(20)},
                  "%ld pivots for 590 contacts, %.2g s: fewer than one a contact, where friction needs thousands.",
                  lcp0[8].pivots, lcp0[8].seconds);
}

static ChStatus run_item(ChItemRun* run) {
  ChPileAnswer lcp0[ROWS], exact[ROWS];
  tell(run->report);
  if (run->quick) ch_report_text(run->report, "Quick form: paths end after 2,500 pivots.");
  for (int k = 0; k < ROWS; ++k) {
    ChProblem* problem;
    ChStatus status = ch_cannonball_problem(run, printed[k].base, printed[k].mu, &problem);
    if (status != CH_OK) return status;
    status = ch_cannonball_solve(run->context, problem, CH_LCP0, run->quick ? 2500 : 10000, &lcp0[k]);
    if (status == CH_OK) status = ch_cannonball_solve(run->context, problem, CH_EXACT, 0, &exact[k]);
    ch_problem_destroy(problem);
    if (status != CH_OK) return status;
    add_row(run->report, &printed[k], &lcp0[k], &exact[k]);
    if (!ch_item_progress(run, (k + 1.0) / ROWS)) return CH_OK;
  }
  add_claims(run->report, lcp0);
  add_chart(run->report, lcp0);
  return CH_OK;
}

const ChItem ch_item_002_lcp_table = {
    .name = "002-lcp-table",
    .title = "Lemke's method on piles of 10 to 210 disks",
    .source = "002 \"Solving the LCP, h = 0.05, PATH (Lemke)\" [H5, J2, X6, X10]",
    .run = run_item,
};
