// 002, figure "Painleve example" and the two tables beside it: a rod that slides on its tip, by LCP and by QP, as the
// step is halved. M = diag(1, 1, kappa l^2); a tip that slides has no finite force above mu = 2 sqrt(kappa (1 +
// kappa)).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reproduce/schemes.h"

enum { TEXT = 1536, LEVELS = 8, FRICTIONS = 2 };
static const double TIP = 1e-6;  // radius of the disks that stand for the tips

typedef struct Rod {
  double half, kappa, degrees, gap, speed, sink, g, mu;
} Rod;

static void write_rod(char* text, const Rod* r) {
  double up = r->half * sin(r->degrees * M_PI / 180.0);
  snprintf(text, TEXT,
           "{\"cardhouse\": 1, \"name\": \"rod\", \"dimension\": 2, \"gravity\": [0, %.17g],"
           " \"step\": {\"h\": 0.01, \"until\": 3, \"margin\": 100},"
           " \"materials\": {\"m\": {\"density\": 1000, \"friction\": %.17g}},"
           " \"bodies\": [{\"name\": \"table\", \"fixed\": true, \"shapes\": [{\"type\": \"halfplane\", \"material\": "
           "\"m\"}]},"
           " {\"name\": \"rod\", \"position\": [0, %.17g], \"orientation\": {\"degrees\": %.17g}, \"velocity\": "
           "[%.17g, %.17g],"
           " \"mass\": 1, \"centre\": [0, 0], \"inertia\": %.17g, \"shapes\": ["
           "{\"type\": \"disk\", \"radius\": %.17g, \"at\": [%.17g, 0], \"material\": \"m\"},"
           "{\"type\": \"disk\", \"radius\": %.17g, \"at\": [%.17g, 0], \"material\": \"m\"}]}]}",
           -r->g, r->mu, up + r->gap + TIP, r->degrees, r->speed, r->sink, r->kappa * r->half * r->half, TIP, -r->half,
           TIP, r->half);
}

static double threshold(double kappa) { return 2.0 * sqrt(kappa * (1.0 + kappa)); }

// --- the tables ------------------------------------------------------------------------------------------------------

static const double friction[FRICTIONS] = {0.3, 0.75};
static const double printed[FRICTIONS][LEVELS] = {
    {5.6314784e-2, 1.7416198e-2, 6.7389905e-3, 2.1011170e-3, 7.6112319e-4, 2.6647317e-4, 9.2498029e-5, 3.2649217e-5},
    {1.5736018e0, 7.2176724e-1, 1.4580267e-1, 9.2969637e-2, 5.5543025e-3, 4.3982975e-3, 3.7537593e-3, 3.7007014e-4}};

// The scene that the search ended with.
static const Rod fitted = {
    .half = 1.0, .kappa = 0.125, .degrees = 70.0, .gap = 0.2, .speed = -4.0, .sink = -0.5, .g = 1.0};
static const double FITTED_UNTIL = 2.5;

// h sqrt(sum over steps of the squared difference in x, y and angle)
static double difference(const ChMotion* a, const ChMotion* b, double h) {
  double sum = 0.0;
  int count = a->count < b->count ? a->count : b->count;
  for (int k = 0; k < count; ++k) {
    double x = a->x[k] - b->x[k], y = a->y[k] - b->y[k], t = a->angle[k] - b->angle[k];
    sum += x * x + y * y + t * t;
  }
  return h * sqrt(sum);
}

static ChStatus refine(ChItemRun* run, double mu, int k, double* out) {
  char text[TEXT];
  Rod rod = fitted;
  ChMotion lcp, qp;
  double h = 0.1 / (1 << k);
  rod.mu = mu;
  write_rod(text, &rod);
  ChStatus status = ch_scheme_run(run, text, "rod", &(ChScheme){CH_POSE_COULOMB, h, FITTED_UNTIL, NULL}, &lcp);
  if (status != CH_OK) return status;
  status = ch_scheme_run(run, text, "rod", &(ChScheme){CH_POSE_RELAXED, h, FITTED_UNTIL, NULL}, &qp);
  if (status == CH_OK) *out = difference(&lcp, &qp, h);
  ch_motion_free(&lcp);
  if (status == CH_OK) ch_motion_free(&qp);
  return status;
}

static void tell_tables(ChReport* report) {
  ch_report_text(report,
                 "Two tables give |y_QP - y_LCP| for h = 0.1, 0.05, ... 0.1/128 at mu = 0.3 and mu = 0.75, without "
                 "naming the scene, the quantity y or the weights of the norm (erratum X7): they stand beside the "
                 "figures of a dropped particle, a sliding one and Painleve's rod. At mu = 0.3 the printed numbers "
                 "fall by 2^1.5 a halving in the end; at 0.75 they begin at 1.57 and fall in leaps.");
  ch_report_text(
      report,
      "An explanation was searched for outside this program, by the closed form of both schemes for a particle and for "
      "a rod with one or two tips (all modes of contact enumerated): hill climbing from random starts over lists of "
      "round values of gravity, length, inertia, angle, height, velocities and duration, with seven readings of y and "
      "four of the norm, scored by the mean distance of logarithms, mu = 0.75 at a weight of 0.3: tens of thousands of "
      "candidates. No particle comes near the second table: its paths differ by no more than a hop. Rods do, and the "
      "weight h in front of the plain sum won in every best fit: the gap mu h |v_t| of QP makes a difference of order "
      "h, and h sqrt(1/h) h is the printed order 1.5. The best rod is shown here, run by the program, whose contact "
      "points lie midway between tip and table instead of at the tip; that alone changes the differences, both of "
      "order h, by up to a fifth.");
  ch_report_choice(report, "scene",
                   "Rod of length 2 with inertia 1/8 of mass times half-length squared, both tips touching, 70 "
                   "degrees, tip 0.2 over the table, "
                   "velocity (-4, -0.5), g = 1, 2.5 s. For this inertia Painleve's threshold is %.4g: the second "
                   "table's mu is exactly "
                   "critical, which suits its leaps.",
                   threshold(fitted.kappa));
  ch_report_choice(report, "y and its norm", "(x, y, angle) of the rod at all steps; h times the Euclidean norm.");
  ch_report_choice(
      report, "active set",
      "All contacts, however far: the programme (1) lets a sliding tip feel the table from the distance mu h |v_t|.");
}

// The tables name no scene, so that ours can only be one that yields their numbers.
static const char* const searched = "the slides name no scene; this one was found by a search for similar numbers";

static void add_table(ChReport* report, int m, int count, const double* ours) {
  for (int k = 0; k < count; ++k) {
    double ratio = ours[k] / printed[m][k];
    ch_report_row(
        report, ch_report_say(report, "mu = %g, h = 0.1/%d", friction[m], 1 << k),
        (ChFacts){
            .printed = ch_report_say(report, "%.4e", printed[m][k]),
            .ours = ch_report_say(report, "%.4e (%.2f of it)", ours[k], ratio),
            .run.changed = searched,
            .value = {printed[m][k], ours[k]},
            .factor = 1.33,
            .reason = m == 1
                          ? "the scene is a fit, not the document's; at this friction, the rod's critical one, single "
                            "steps decide between sliding and "
                            "jamming, and no candidate of the search follows every leap"
                          : "the scene is a fit, not the document's"});
  }
}

static double mean_order(int count, const double* y) { return log2(y[0] / y[count - 1]) / (count - 1); }

static void judge_tables(ChReport* report, int count, double ours[FRICTIONS][LEVELS]) {
  double h[LEVELS], low = INFINITY, high = 0.0, printed_low = INFINITY, printed_high = 0.0;
  for (int k = 0; k < count; ++k) h[k] = 0.1 / (1 << k);
  for (int k = 1; k < count; ++k) {
    low = fmin(low, ours[1][k - 1] / ours[1][k]);
    high = fmax(high, ours[1][k - 1] / ours[1][k]);
    printed_low = fmin(printed_low, printed[1][k - 1] / printed[1][k]);
    printed_high = fmax(printed_high, printed[1][k - 1] / printed[1][k]);
  }
  ChChart* chart = ch_report_chart(report, "Difference of QP and LCP over the step.", "step h [s]",
                                   "h |y_QP - y_LCP| [1]", CH_CHART_LOG_X | CH_CHART_LOG_Y);
  ch_chart_points(chart, "mu = 0.3, printed", count, h, printed[0]);
  ch_chart_line(chart, "mu = 0.3, here", count, h, ours[0]);
  ch_chart_points(chart, "mu = 0.75, printed", count, h, printed[1]);
  ch_chart_line(chart, "mu = 0.75, here", count, h, ours[1]);
  double order = mean_order(count, ours[0]), theirs = mean_order(count, printed[0]);
  ch_report_row(report, "mean order in h, mu = 0.3",
                (ChFacts){.printed = ch_report_say(report, "%.2f", theirs),
                          .ours = ch_report_say(report, "%.2f", order),
                          .run.changed = searched,
                          .rule = "to 0.1",
                          .met = fabs(order - theirs) < 0.1,
                          .reason = "another order"});
  ch_report_claim(report, "At mu = 0.75 there is no convergence, but a small absolute error.",
                  (ChFacts){.run.changed = searched,
                            .rule = "the difference falls irregularly, and to less than a twentieth",
                            .met = high > 1.5 * low && ours[1][count - 1] < 0.05 * ours[1][0]},
                  "A halving divides the difference by %.1f to %.1f here and by %.1f to %.1f in print, and it ends at "
                  "%.1e (printed %.1e): "
                  "irregular, yet falling in both, so that \"no convergence\" is more than the table shows.",
                  low, high, printed_low, printed_high, ours[1][count - 1], printed[1][count - 1]);
}

static ChStatus run_tables(ChItemRun* run) {
  double ours[FRICTIONS][LEVELS];
  int count = run->quick ? 6 : LEVELS;
  tell_tables(run->report);
  if (run->quick) ch_report_text(run->report, "Quick form: the first six steps of each table.");
  for (int m = 0; m < FRICTIONS; ++m)
    for (int k = 0; k < count; ++k) {
      ChStatus status = refine(run, friction[m], k, &ours[m][k]);
      if (status != CH_OK) return status;
      if (!ch_item_progress(run, (m + (k + 1.0) / count) / FRICTIONS)) return CH_OK;
    }
  for (int m = 0; m < FRICTIONS; ++m) add_table(run->report, m, count, ours[m]);
  judge_tables(run->report, count, ours);
  return CH_OK;
}

const ChItem ch_item_002_refinement = {
    .name = "002-refinement",
    .title = "QP against LCP as the step is halved",
    .source = "002, tables beside \"Sliding particle\" [H9, I26, G16, X7]",
    .run = run_tables,
};

// --- the figure ------------------------------------------------------------------------------------------------------

enum { FRAMES = 10 };

// Ends of the rod at FRAMES times; box: x from, x to, y from, y to.
static void trace_rod(ChReport* report, ChChart* chart, const ChMotion* m, double half, double box[4]) {
  box[0] = box[2] = INFINITY;
  box[1] = box[3] = -INFINITY;
  for (int f = 0; f < FRAMES; ++f) {
    int k = (int)((long)f * (m->count - 1) / (FRAMES - 1));
    double x[2], y[2];
    for (int e = 0; e < 2; ++e) {
      x[e] = m->x[k] + (e ? half : -half) * cos(m->angle[k]);
      y[e] = m->y[k] + (e ? half : -half) * sin(m->angle[k]);
      box[0] = fmin(box[0], x[e]), box[1] = fmax(box[1], x[e]);
      box[2] = fmin(box[2], y[e]), box[3] = fmax(box[3], y[e]);
    }
    if (chart) ch_chart_line(chart, ch_report_say(report, "%.2f s", m->time[k]), 2, x, y);
  }
}

typedef struct Figure {
  Rod rod;
  double until, misfit, box[4];
} Figure;

// Of rods of length 2 on their tip, the one whose frames span the four units of the printed x axis.
static ChStatus search_figure(ChItemRun* run, Figure* best) {
  enum { ANGLES = 5, SPEEDS = 6, UNTILS = 4 };
  static const double degrees[ANGLES] = {15.0, 20.0, 30.0, 45.0, 60.0}, untils[UNTILS] = {0.5, 1.0, 1.5, 2.0};
  best->misfit = INFINITY;
  for (int a = 0; a < ANGLES; ++a)
    for (int v = 0; v < SPEEDS; ++v)
      for (int t = 0; t < UNTILS; ++t) {
        Rod rod = {.half = 1.0, .kappa = 1.0 / 3.0, .degrees = degrees[a], .speed = -1.0 - v, .g = 9.81, .mu = 0.75};
        char text[TEXT];
        ChMotion motion;
        double box[4];
        write_rod(text, &rod);
        ChStatus status = ch_scheme_run(run, text, "rod", &(ChScheme){CH_POSE_COULOMB, 0.01, untils[t], NULL}, &motion);
        if (status != CH_OK) return status;
        trace_rod(NULL, NULL, &motion, rod.half, box);
        ch_motion_free(&motion);
        double misfit = fabs(box[0] + 3.0) + fabs(box[1] - 1.0);
        if (misfit < best->misfit) {
          *best = (Figure){rod, untils[t], misfit, {0.0}};
          memcpy(best->box, box, sizeof box);
        }
      }
  return CH_OK;
}

static ChStatus show_figure(ChItemRun* run, Figure* best) {
  ChReport* report = run->report;
  char text[TEXT];
  ChMotion lcp, qp;
  write_rod(text, &best->rod);
  ChStatus status = ch_scheme_run(run, text, "rod", &(ChScheme){CH_POSE_COULOMB, 0.01, best->until, NULL}, &lcp);
  if (status != CH_OK) return status;
  status = ch_scheme_run(run, text, "rod", &(ChScheme){CH_POSE_RELAXED, 0.01, best->until, NULL}, &qp);
  if (status == CH_OK) {
    double box[4];
    ChChart* chart = ch_report_chart(report, "Ten frames of the rod by LCP.", "x [m]", "y [m]", CH_CHART_EQUAL);
    trace_rod(report, chart, &lcp, best->rod.half, best->box);
    chart = ch_report_chart(report, "The same by QP.", "x [m]", "y [m]", CH_CHART_EQUAL);
    trace_rod(report, chart, &qp, best->rod.half, box);
    ch_report_row(
        report, "range of the picture",
        (ChFacts){
            .printed = "x from -3 to 1, y from -1 to 3",
            .ours = ch_report_say(
                report, "x from %.2f to %.2f, y from %.2f to %.2f (rod of length 2, %g degrees, %g m/s, %g s)",
                best->box[0], best->box[1], best->box[2], best->box[3], best->rod.degrees, best->rod.speed,
                best->until),
            .run.changed = "the slide prints no parameter; angle, speed and length were searched for the printed axis",
            .rule = "the printed x axis to 0.5 in all, y within its axis",
            .met = best->misfit < 0.5 && best->box[2] >= -1.0 && best->box[3] <= 3.0,
            .reason = "no rod in the search spans the printed axis; the document gives no parameters"});
    ch_report_text(report,
                   "QP's centre is at most %.2g m away from LCP's; the slide does not say which of the two it shows.",
                   ch_motion_distance(&lcp, &qp));
  }
  ch_motion_free(&lcp);
  if (status == CH_OK) ch_motion_free(&qp);
  return status;
}

// Beyond the threshold no finite force exists; every step of both schemes has an answer all the same.
static ChStatus step_through(ChItemRun* run) {
  const double degrees = atan(2.0) * 180.0 / M_PI;  // where a uniform rod is worst
  long missed = 0, steps = 0;
  double gain = 0.0;
  for (int pose = 0; pose < 2; ++pose)
    for (int k = 0; k < 3; ++k) {
      Rod rod = {.half = 1.0,
                 .kappa = 1.0 / 3.0,
                 .degrees = degrees,
                 .speed = -2.0,
                 .g = 9.81,
                 .mu = threshold(1.0 / 3.0) * (1.01 + k)};
      char text[TEXT];
      ChMotion motion;
      write_rod(text, &rod);
      ChStatus status = ch_scheme_run(run, text, "rod",
                                      &(ChScheme){pose ? CH_POSE_RELAXED : CH_POSE_COULOMB, 0.005, 1.0, NULL}, &motion);
      if (status != CH_OK) return status;
      missed += motion.missed;
      steps += motion.count;
      gain = fmax(gain, motion.gain);
      ch_motion_free(&motion);
    }
  ch_report_claim(
      run->report, "Painleve's paradox, no strong solutions, is the justification for impulse-velocity time stepping.",
      (ChFacts){.run = {.steps = steps, .missed = missed, .tolerance = 1e-10},
                .rule = "every step beyond the threshold has an answer, none gains 1e-3 J",
                .met = missed == 0 && gain < 1e-3},
      "A uniform rod at tan a = 2 with 1.01, 2.01 and 3.01 times its critical friction of 4/3, sliding at "
      "2 m/s: of %ld steps by LCP and QP "
      "%ld miss the tolerance of 1e-10. The largest gain of energy in a step is %.0e J of some 10 J (a body that "
      "is pushed out of an overlap may gain, docs/stepping.md).",
      steps, missed, gain);
  return CH_OK;
}

static ChStatus run_figure(ChItemRun* run) {
  ChReport* report = run->report;
  ch_report_text(report,
                 "A rod slides with its tip on a table, to the left. The slide shows it on axes from -3 to 1 and -1 to "
                 "3 under the name of Painleve, whose rod has no finite contact force where friction is large; 004 "
                 "takes up the same rod, of length 2 (item 004-fig2.8 has its thresholds).");
  ch_report_choice(report, "rod",
                   "Uniform, of length 2, centre over x = 0, touching with its lower tip, no rotation; mu = 0.75, as "
                   "in the second table; "
                   "h = 0.01 s; g = 9.81 m/s^2.");
  ch_report_choice(
      report, "angle, speed, length",
      "Searched: 15, 20, 30, 45, 60 degrees, 1 to 6 m/s, 0.5 to 2 s, by how well ten frames span the printed x axis.");
  Figure best;
  ChStatus status = search_figure(run, &best);
  if (status == CH_OK) status = show_figure(run, &best);
  return status == CH_OK ? step_through(run) : status;
}

const ChItem ch_item_002_painleve = {
    .name = "002-painleve",
    .title = "Painleve's rod by LCP and by QP",
    .source = "002 \"Painleve example\", \"Strong Form\" [H7, I49]",
    .run = run_figure,
    .same_when_quick = true,
};
