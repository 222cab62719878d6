// 002, "Solving the LCP, h = 0.05, PATH (Lemke)": processor time of Lemke's method on cannonball piles.
#include <math.h>
#include <stdio.h>

#include "reproduce/cannonball.h"

enum { ROWS = 11, STEPS = 10 };

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
      "slide gives average seconds over steps that it does not count; here they are averages over the first %d steps "
      "of the exact motion, each from the basis of slacks. The questions are how the work grows and when the method no "
      "longer ends.",
      STEPS);
  ch_report_choice(
      report, "contacts",
      "A full triangle of n rows has n + 3 n (n - 1) / 2 = 22, 51, 92, 145, 590 contacts; the slide says 21, 52, 93, "
      "146, 574 (erratum X6). No rule of leaving out or adding contacts gives all five; the full triangle is used.");
  ch_report_choice(
      report, "limit of pivots",
      "10,000, as in 000. The slide's 210 disks at mu = 0.2 are MAX ITER in 000 (erratum X10): another limit or "
      "other steps. The first of these steps has not ended after 190,000 pivots, either.");
  ch_report_choice(report, "number of steps", "%d, half a second, during which the piles still stand.", STEPS);
  ch_report_command(report,
                    "cardhouse scene cannonball --base 10 --mu 0.8 | cardhouse run - --until 0.05 --problems steps");
  ch_report_command(report, "cardhouse solve steps/step-00000001.hdf5 --method lemke --set lemke.crash=0");
}

// What Lemke's method did in the steps of a pile; means are over the steps in which its path ended.
typedef struct Work {
  ChItemRun* run;
  ChStatus status;
  long limit;
  int steps, failed;
  double seconds, pivots, exact;
} Work;

static bool solve_step(void* state, const ChSimulation* simulation, const ChStepInfo* info) {
  Work* w = state;
  ChProblem* problem;
  ChPileAnswer lcp0, exact;
  (void)info;
  w->status = ch_simulation_problem(w->run->context, simulation, &problem);
  if (w->status != CH_OK) return false;
  w->status = ch_cannonball_solve(w->run->context, problem, CH_LCP0, w->limit, &lcp0);
  if (w->status == CH_OK) w->status = ch_cannonball_solve(w->run->context, problem, CH_EXACT, 0, &exact);
  ch_problem_destroy(problem);
  if (w->status != CH_OK) return false;
  bool ended = lcp0.status == CH_OK;
  w->failed += !ended;
  int count = ++w->steps - w->failed;
  if (ended) {
    w->seconds += (lcp0.seconds - w->seconds) / count;
    w->pivots += ((double)lcp0.pivots - w->pivots) / count;
  }
  w->exact += (exact.seconds - w->exact) / w->steps;
  return w->steps < STEPS;
}

static ChStatus solve_pile(ChItemRun* run, const Printed* p, Work* w) {
  char base[16], mu[32];
  snprintf(base, sizeof base, "%d", p->base);
  snprintf(mu, sizeof mu, "%g", p->mu);
  const char* const parameters[][2] = {{"base", base}, {"mu", mu}};
  ChScene* scene;
  *w = (Work){.run = run, .limit = run->quick ? 2500 : 10000};
  ChStatus status = ch_item_scene(run, "cannonball", 2, parameters, &scene);
  if (status != CH_OK) return status;
  scene->options.rest = false;
  ChPlay play = {.until = (run->quick ? 2 : STEPS) * 0.05, .each = solve_step, .state = w};
  status = ch_item_play(run, scene, &play, NULL);
  ch_scene_destroy(scene);
  return status == CH_OK ? w->status : status;
}

static void add_row(ChReport* report, const Printed* p, const Work* w) {
  bool fails = isnan(p->seconds);
  int contacts = ch_cannonball_contacts(p->base), ended = w->steps - w->failed;
  const char* means =
      ended > 0 ? ch_report_say(report, ", in %.2g s and %.0f pivots on average", w->seconds, w->pivots) : "";
  const char* reason = fails ? "our paths end where theirs did not"
                             : ch_report_say(report,
                                             "%d of the paths from slacks have not ended after %ld pivots%s; PATH does "
                                             "more than pivot from slacks",
                                             w->failed, w->limit, p->base == 20 ? ", as in 000's Table 1 (X10)" : "");
  ch_report_row(
      report, ch_report_say(report, "%d disks, mu = %g", ch_cannonball_disks(p->base), p->mu),
      (ChFacts){
          .printed = fails ? "MAXIT" : ch_report_say(report, "%.2f s on average, %d contacts", p->seconds, p->contacts),
          .ours = ch_report_say(report, "%d of %d steps end%s; %d contacts at the start; auto %.2g s", ended, w->steps,
                                means, contacts, w->exact),
          .run = {.steps = w->steps,
                  .missed = w->failed,
                  .tolerance = 1e-8,
                  .claimed = fails ? "MAXIT" : NULL,
                  .contacts = {p->contacts, contacts}},
          .rule = fails ? "some step does not end within the limit" : "every step ends, and takes no longer on average",
          .met = fails ? w->failed > 0 : w->failed == 0 && w->seconds <= p->seconds,
          .reason = reason});
}

static void add_chart(ChReport* report, const Work* work) {
  double disks[2][5], pivots[2][5], theirs[2][5], ours[2][5];
  int count[2] = {0, 0};
  for (int k = 0; k < ROWS; ++k) {
    if (printed[k].mu == 0.0) continue;
    int m = printed[k].mu > 0.5, at = count[m]++;
    disks[m][at] = ch_cannonball_disks(printed[k].base);
    bool ended = work[k].failed < work[k].steps;
    pivots[m][at] = ended ? work[k].pivots : NAN;
    ours[m][at] = ended ? work[k].seconds : NAN;
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
static void add_claim(ChReport* report, const Work* work) {
  double growth = log(work[7].pivots / work[1].pivots) / log(145.0 / 22.0);
  double seconds = log(work[7].seconds / work[1].seconds) / log(145.0 / 22.0);
  ch_report_claim(
      report, "Lemke's method does not seem to scale well.",
      (ChFacts){.rule = "pivots grow faster than contacts^1.2, and paths at 210 disks do not end",
                .met = growth > 1.2 && work[10].failed > 0},
      "Pivots at mu = 0.8 grow like contacts^%.1f from 10 to 55 disks and seconds like contacts^%.1f (printed: "
      "contacts^%.1f); at 210 disks %d of %d paths do not end within the limit.",
      growth, seconds, log(2.07 / 0.03) / log(146.0 / 21.0), work[10].failed, work[10].steps);
}

static ChStatus run_item(ChItemRun* run) {
  Work work[ROWS];
  tell(run->report);
  if (run->quick) ch_report_text(run->report, "Quick form: two steps, paths end after 2,500 pivots.");
  for (int k = 0; k < ROWS; ++k) {
    ChStatus status = solve_pile(run, &printed[k], &work[k]);
    if (status != CH_OK) return status;
    add_row(run->report, &printed[k], &work[k]);
    if (!ch_item_progress(run, (k + 1.0) / ROWS)) return CH_OK;
  }
  add_claim(run->report, work);
  add_chart(run->report, work);
  return CH_OK;
}

const ChItem ch_item_002_lcp_table = {
    .name = "002-lcp-table",
    .title = "Lemke's method on piles of 10 to 210 disks",
    .source = "002 \"Solving the LCP, h = 0.05, PATH (Lemke)\" [H5, J2, X6, X10]",
    .run = run_item,
};
