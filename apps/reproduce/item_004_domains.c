// 004, section 6.7.1: for which predictors staggered projections converge on one contact, and how fast.
//
// Of every point of the plane, a negative predicted velocity, the iterations of (6.59)-(6.60) from f = 0 until the
// change of friction (5.21) is at most 1e-7. What the figures show follows from two rates: near a sticking solution the
// change shrinks by cos^2 theta an iteration, near a sliding one by mu |cos theta|.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardhouse/diagnostics.h"
#include "cardhouse/solve.h"
#include "reproduce/item.h"
#include "reproduce/single_contact.h"

enum { CAP = 2000, COLUMNS = 64, ROWS = 40, CELLS = COLUMNS * ROWS, SWEEP = 60 };
static const double PI = 3.14159265358979323846, EPS = 1e-7;
static const double BOX_X[2] = {-1.0, 1.0}, BOX_Y[2] = {-0.25, 1.0};

// --- the domain ------------------------------------------------------------------------------------------------------

typedef struct Part {
  int points, lost;  // lost: not converged within CAP
  double mean;       // iterations of those that converged
  int most;
} Part;

typedef struct Domain {
  Part stick, slide, feasible, infeasible;
  double worst;                            // |(5.32)|, of all that converged
  double peak;                             // |(5.32)| closed with a contact projection, of all
  double iterations[CELLS], value[CELLS];  // the maps
} Domain;

static void count(Part* part, const ChSingleRun* run) {
  ++part->points;
  if (!run->converged) {
    ++part->lost;
    return;
  }
  part->mean += run->iterations;
  if (run->iterations > part->most) part->most = run->iterations;
}

static void finish(Part* part) { part->mean /= part->points > part->lost ? (double)(part->points - part->lost) : NAN; }

static ChSingle cell(double theta, double mu, int i, int j) {
  return (ChSingle){theta, mu, BOX_X[0] + (i + 0.5) / COLUMNS * (BOX_X[1] - BOX_X[0]),
                    BOX_Y[0] + (j + 0.5) / ROWS * (BOX_Y[1] - BOX_Y[0])};
}

static void survey(double theta, double mu, bool squared, Domain* d) {
  memset(d, 0, sizeof *d);
  for (int j = 0; j < ROWS; ++j)
    for (int i = 0; i < COLUMNS; ++i) {
      ChSingle s = cell(theta, mu, i, j);
      ChSingleRun run = ch_single_run(&s, EPS, squared, CAP, NULL, NULL);
      double value = fabs(ch_single_objective(&s, run.last)), closed = fabs(ch_single_closed_objective(&s, run.last.f));
      d->iterations[j * COLUMNS + i] = run.iterations;
      d->value[j * COLUMNS + i] = closed;
      d->peak = fmax(d->peak, closed);
      if (run.converged) d->worst = fmax(d->worst, value);
      if (s.y <= 0.0) {
        count(&d->feasible, &run);
        continue;
      }
      count(&d->infeasible, &run);
      count(ch_single_sticks(&s) ? &d->stick : &d->slide, &run);
    }
  finish(&d->stick), finish(&d->slide), finish(&d->feasible), finish(&d->infeasible);
}

static void add_map(ChReport* report, const Domain* d, double theta, double mu, bool value) {
  const char* caption = ch_report_say(
      report,
      value ? "|(5.32)| after the closing contact projection, theta = %.4g degrees, mu = %.3g"
            : "iterations, theta = %.4g degrees, mu = %.3g; edges of the friction cone at %.1f and %.1f degrees",
      theta * 180.0 / PI, mu, atan2(cos(theta) * mu + 1.0, sin(theta) * mu) * 180.0 / PI,
      atan2(1.0 - cos(theta) * mu, -sin(theta) * mu) * 180.0 / PI);
  ch_report_map(report, caption, COLUMNS, ROWS, value ? d->value : d->iterations, BOX_X, BOX_Y,
                "negative predicted velocity across the normal [1]", "along the normal [1]",
                value ? "|objective| [1]" : "iterations [1]", !value);
}

// --- the method of the library takes the same steps ------------------------------------------------------------------

static void count_steps(void* user, const ChStaggeredStep* step) { *(int*)user = step->iteration; }

typedef struct Agreement {
  int tried, equal;
} Agreement;

static ChStatus compare(ChContext* context, double theta, double mu, Agreement* a) {
  for (int j = 10; j < ROWS; j += 7)
    for (int i = 3; i < COLUMNS; i += 9) {
      ChSingle s = cell(theta, mu, i, j);
      ChSingleRun own = ch_single_run(&s, EPS, true, CAP, NULL, NULL);
      ChProblem* problem;
      ChStatus status = ch_single_problem(context, &s, &problem);
      if (status != CH_OK) return status;
      int steps = 0;
      ChSolveOptions options = ch_solve_options_default();
      ChSolveInfo info;
      options.method = "staggered";
      options.max_iterations = CAP;
      options.settings =
          (ChSetting[]){{"staggered.algorithm1", 1.0}, {"staggered.rel_err", EPS}, {"staggered.squared", 1.0}};
      options.setting_count = 3;
      double u[2], r[2];
      ChContext own_context = {0};
      ch_solve_staggered(&own_context, problem, &options, &(ChStaggeredWatch){.tell = count_steps, .user = &steps},
                         NULL, u, r, &info);
      ch_problem_destroy(problem);
      ++a->tried;
      a->equal += steps == own.iterations;
    }
  return CH_OK;
}

static void tell_agreement(ChReport* report, const Agreement* a) {
  ch_report_row(
      report, "iterations: closed form (6.59)-(6.60) and method `staggered`, algorithm 1 to the letter",
      (ChFacts){
          .printed = "the same by construction",
          .ours = ch_report_say(report, "equal at %d of %d points of the maps", a->equal, a->tried),
          .rule = "at every point",
          .met = a->equal == a->tried,
          .reason =
              "at the other points the two stop at neighbouring iterations: their inner solves differ by round-off"});
}

// --- what all figures share ------------------------------------------------------------------------------------------

static void introduce(ChReport* report, const char* what) {
  ch_report_text(
      report,
      "One contact in the plane, as at the tip of Painleve's rod (Fig 6.1): the normal and the friction segment "
      "enclose the angle theta in the kinetic metric. Every point of a map is a negative predicted velocity from "
      "which staggered projections start with f = 0; the normal points up, points below zero are feasible "
      "predictors. %s",
      what);
  ch_report_text(
      report,
      "(6.55) lacks alpha >= 0 and (6.58) gives cos theta instead of theta (errata X27, X28); both are corrected "
      "here. 0/0 in (5.21) counts as no change, x/0 as one.");
  ch_report_choice(report, "predictors",
                   "[-1, 1] x [-0.25, 1], %d x %d points: the document gives no range. Iterations "
                   "do not depend on the scale, the objective grows with its square.",
                   COLUMNS, ROWS);
  ch_report_choice(report, "iteration limit",
                   "%d; not stated. Where the iteration does not converge it cycles or "
                   "diverges, and more iterations change nothing but the phase.",
                   CAP);
}

static double degrees(double theta) { return theta * 180.0 / PI; }

// --- Fig 6.2: friction fixed, angle varied ---------------------------------------------------------------------------

static const double mus62[] = {0.4, 0.8, 1.0};
enum { MUS62 = 3 };

static void symmetry(ChReport* report) {
  int differ = 0, points = 0;
  for (int k = 0; k < MUS62; ++k)
    for (double theta = 0.2; theta < 1.5; theta += 0.3)
      for (int j = 10; j < ROWS; j += 3)
        for (int i = 0; i < COLUMNS; i += 3, ++points) {
          ChSingle s = cell(theta, mus62[k], i, j), mirrored = {PI - theta, s.mu, s.x, s.y},
                   turned = {-theta, s.mu, -s.x, s.y};
          ChSingle both = {theta - PI, s.mu, -s.x, s.y};
          int n = ch_single_run(&s, EPS, true, CAP, NULL, NULL).iterations;
          const ChSingle* other[] = {&mirrored, &turned, &both};
          for (int m = 0; m < 3; ++m) {
            // d and -d span the same segment: theta and theta + pi are one geometry; the mirror image has x reversed.
            ChSingle o = *other[m];
            if (m == 0) o.x = -o.x;
            if (m == 2) o.x = s.x;
            differ += ch_single_run(&o, EPS, true, CAP, NULL, NULL).iterations != n;
          }
        }
  ch_report_claim(
      report, "Convergence behaviour is symmetric on all three other quadrants.",
      (ChFacts){.rule = "no count differs", .met = differ == 0},
      "theta, -theta, pi - theta and theta - pi, predictors mirrored with the segment: %d of %d counts differ.", differ,
      3 * points);
}

static void extremes(ChReport* report) {
  int aligned = 0, orthogonal = 0, feasible = 0;
  static Domain d;
  for (double mu = 0.1; mu < 10.0; mu *= 3.0) {
    survey(0.0, mu, true, &d);
    if (d.infeasible.most > aligned) aligned = d.infeasible.most;
    survey(PI / 2.0, mu, true, &d);
    if (d.infeasible.most > orthogonal) orthogonal = d.infeasible.most;
    survey(PI / 5.0, mu, true, &d);
    if (d.feasible.most > feasible) feasible = d.feasible.most;
  }
  ch_report_row(report, "iterations at theta = 0, any mu",
                (ChFacts){.printed = "1",
                          .ours = ch_report_say(report, "%d", aligned),
                          .rule = "the same",
                          .met = aligned == 1,
                          .reason = "the count over the map is another one"});
  ch_report_row(report, "iterations at theta = pi/2, any mu",
                (ChFacts){.printed = "2",
                          .ours = ch_report_say(report, "%d", orthogonal),
                          .rule = "the same",
                          .met = orthogonal == 2,
                          .reason = "the count over the map is another one"});
  ch_report_row(report, "iterations of feasible predictors",
                (ChFacts){.printed = "1",
                          .ours = ch_report_say(report, "%d", feasible),
                          .rule = "the same",
                          .met = feasible == 1,
                          .reason = "the count over the map is another one"});
}

static void angle_sweep(ChReport* report) {
  static Domain d;
  enum { ANGLES = 29 };
  double angle[ANGLES], mean[MUS62][ANGLES];
  int rises_mu = 0, rises_angle = 0, pairs_mu = 0, pairs_angle = 0;
  for (int a = 0; a < ANGLES; ++a) {
    angle[a] = 90.0 - 3.0 * a;
    for (int k = 0; k < MUS62; ++k) {
      survey(angle[a] * PI / 180.0, mus62[k], true, &d);
      mean[k][a] = d.infeasible.lost ? NAN : d.infeasible.mean;
      if (k > 0 && a > 0) ++pairs_mu, rises_mu += mean[k][a] > mean[k - 1][a];
      if (a > 0) ++pairs_angle, rises_angle += mean[k][a] > mean[k][a - 1];
    }
  }
  ChChart* chart = ch_report_chart(report, "Iterations over the angle, mean over all infeasible predictors of the map.",
                                   "angle theta [degrees]", "iterations [1]", CH_CHART_LOG_Y);
  for (int k = 0; k < MUS62; ++k)
    ch_chart_line(chart, ch_report_say(report, "mu = %g", mus62[k]), ANGLES, angle, mean[k]);
  ch_report_claim(
      report, "More iterations are required as mu increases.",
      (ChFacts){.rule = "in every comparison", .met = rises_mu == pairs_mu},
      "Mean over the map, theta = 87 ... 6 degrees, mu = 0.4, 0.8, 1: larger in %d of %d comparisons%s.", rises_mu,
      pairs_mu,
      rises_mu == pairs_mu ? "" : "; in the others the sticking part decides, whose rate does not depend on mu");
  ch_report_claim(
      report, "More iterations are required as the angle between friction and normal decreases.",
      (ChFacts){.rule = "in every comparison", .met = rises_angle == pairs_angle},
      "Mean over the map, steps of 3 degrees from 90 to 6: larger in %d of %d%s.", rises_angle, pairs_angle,
      rises_angle == pairs_angle ? "" : "; the others are the smallest angles, where 1 iteration at theta = 0 is near");
}

// (5.32) that the rule 1e-7 leaves at the stated frictions, in its two readings.
static void residual_left(ChReport* report, int count_mu, const double* mu, int count_theta, const double* theta,
                          const char* where) {
  static Domain d;
  double worst[2] = {0.0, 0.0};
  for (int squared = 0; squared < 2; ++squared)
    for (int k = 0; k < count_mu; ++k)
      for (int t = 0; t < count_theta; ++t) {
        survey(theta[t], mu[k], squared, &d);
        worst[squared] = fmax(worst[squared], d.worst);
      }
  bool meets = worst[1] <= 1e-6;
  ch_report_row(report, ch_report_say(report, "residual |(5.32)| over the domain, %s", where),
                (ChFacts){.printed = "~1e-6",
                          .ours = ch_report_say(report, "%.1e with (5.21) squared as printed, %.1e with its root",
                                                worst[1], worst[0]),
                          .rule = "not above it, with (5.21) as printed",
                          .met = meets,
                          .reason = "1e-7 bounds the square of the relative change of friction, so that a change of "
                                    "3e-4 passes; with the root of "
                                    "(5.21) the residual is below the printed one (erratum X29)"});
}

static ChStatus run_angles(ChItemRun* run) {
  static const double thetas[] = {PI / 9.0, PI / 4.0, 7.0 * PI / 18.0};
  static Domain d;
  ChReport* report = run->report;
  introduce(report, "Here mu is 0.4, 0.8 and 1, and the angle varies.");
  ch_report_choice(report, "angles",
                   "20, 45 and 70 degrees for the maps, 90 to 6 in steps of 3 for the chart: the "
                   "document does not list them.");
  Agreement agreement = {0};
  ChStatus status = CH_OK;
  for (int k = 0; k < MUS62; ++k)
    for (int t = 0; t < 3 && status == CH_OK; ++t) {
      survey(thetas[t], mus62[k], true, &d);
      add_map(report, &d, thetas[t], mus62[k], false);
      if (t != 1 || !run->quick) status = compare(run->context, thetas[t], mus62[k], &agreement);
      if (!ch_item_progress(run, (k * 3 + t + 1) / 9.0)) return status;
    }
  if (status != CH_OK) return status;
  extremes(report);
  angle_sweep(report);
  symmetry(report);
  residual_left(report, MUS62, mus62, 3, thetas, "all nine maps");
  tell_agreement(report, &agreement);
  return CH_OK;
}

// --- Figs 6.3 - 6.8: angle fixed, friction varied --------------------------------------------------------------------

typedef struct Fixed {
  const char* words;  // "2 pi / 3"
  double theta;
} Fixed;

static const Fixed fixed[] = {{"2 pi / 3", 2.0 * PI / 3.0}, {"pi / 5", PI / 5.0}, {"pi / 9", PI / 9.0}};

// The ratio of two changes of friction when they have become small, and before round-off: the rate of a region. A
// sliding contact in the deep part of its region, a sticking one near the axis of its cone.
static double measured_rate(double theta, double mu, bool stick) {
  double sum = 0.0;
  int points = 0;
  for (int j = 12; j < ROWS; j += 3)
    for (int i = 1; i < COLUMNS; i += 4) {
      ChSingle s = cell(theta, mu, i, j);
      if (ch_single_sticks(&s) != stick) continue;
      ChSingleRun run = ch_single_run(&s, 1e-9, false, 20 * CAP, NULL, NULL);
      // the last steps must have been within the region: strictly inside the cone, or at its boundary with slip
      bool inside = fabs(run.last.f) < 0.95 * mu * run.last.alpha && run.last.lambda < 1e-6;
      bool slides = run.last.lambda > 1e-3 && run.last.alpha > 1e-3;
      if (!run.converged || run.iterations < 6 || !(stick ? inside : slides)) continue;
      sum += run.rate;
      ++points;
    }
  return points ? sum / points : NAN;
}

static void rates(ChReport* report, const Fixed* f) {
  enum { POINTS = 23 };
  double mu[POINTS], slide[POINTS], slide_law[POINTS], stick[POINTS], stick_law[POINTS], off_slide = 0.0,
                                                                                         off_stick = 0.0;
  int sliding = 0, sticking = 0;
  const double c = fabs(cos(f->theta));
  for (int k = 0; k < POINTS; ++k) {
    mu[k] = 0.1 + 0.05 * k;
    slide[k] = measured_rate(f->theta, mu[k], false);
    stick[k] = measured_rate(f->theta, mu[k], true);
    slide_law[k] = mu[k] * c;
    stick_law[k] = c * c;
    if (isfinite(slide[k])) ++sliding, off_slide = fmax(off_slide, fabs(slide[k] - slide_law[k]));
    if (isfinite(stick[k])) ++sticking, off_stick = fmax(off_stick, fabs(stick[k] - stick_law[k]));
  }
  ChChart* chart = ch_report_chart(report, "Rate of convergence: what one iteration leaves of the change of friction.",
                                   "friction coefficient mu [1]", "rate [1]", 0);
  ch_chart_points(chart, "sliding, measured", POINTS, mu, slide);
  ch_chart_line(chart, "mu |cos theta|", POINTS, mu, slide_law);
  ch_chart_points(chart, "sticking, measured", POINTS, mu, stick);
  ch_chart_line(chart, "cos^2 theta", POINTS, mu, stick_law);
  ch_report_row(report, "rate near sticking solutions",
                (ChFacts){.printed = ch_report_say(report,
                                                   "bound |cos theta| = %.4f (6.35), of one half "
                                                   "step; of an iteration cos^2 theta = %.4f",
                                                   c, c * c),
                          .ours = ch_report_say(report, "cos^2 theta to %.1e, at %d values of mu", off_stick, sticking),
                          .rule = "cos^2 theta to 2e-3",
                          .met = sticking > 0 && off_stick < 2e-3,
                          .reason = "the measured rates scatter around the law"});
  ch_report_row(
      report, "rate near sliding solutions",
      (ChFacts){.ours = ch_report_say(report, "mu |cos theta| to %.1e, at %d values of mu", off_slide, sliding),
                .reason = "it follows from (6.59) and (6.60), and is not printed"});
}

// Mean iterations inside and outside the cone over mu, and where the two change places.
static void flip(ChReport* report, const Fixed* f, int points, double most_mu) {
  static Domain d;
  double mu[SWEEP], stick[SWEEP], slide[SWEEP], crossing = NAN;
  for (int k = 0; k < points; ++k) {
    mu[k] = most_mu * (k + 1.0) / points;
    survey(f->theta, mu[k], true, &d);
    stick[k] = d.stick.lost ? NAN : d.stick.mean;
    slide[k] = d.slide.lost ? NAN : d.slide.mean;
    if (k > 0 && slide[k] > stick[k] && !(slide[k - 1] > stick[k - 1])) crossing = mu[k];
  }
  ChChart* chart = ch_report_chart(report, "Mean iterations inside the friction cone (sticking) and outside (sliding).",
                                   "friction coefficient mu [1]", "iterations [1]", CH_CHART_LOG_Y);
  ch_chart_line(chart, "sticking", points, mu, stick);
  ch_chart_line(chart, "sliding", points, mu, slide);
  const double c = fabs(cos(f->theta));
  ch_report_row(report, "mu at which the harder part changes from inside to outside",
                (ChFacts){.printed = ch_report_say(report, "cos theta = %.3f", c),
                          .ours = ch_report_say(report, "%.3f, from the mean counts", crossing),
                          .value = {c, crossing},
                          .factor = 1.1,
                          .reason = "the asymptotic rates cos^2 theta and mu |cos theta| are equal at mu = |cos "
                                    "theta|; mean counts contain the "
                                    "first iterations, too, and cross elsewhere"});
}

static ChStatus run_realistic(ChItemRun* run, const Fixed* f) {
  static const double mus[] = {0.3, 0.6, 0.9, 1.2};
  static Domain d;
  ChReport* report = run->report;
  introduce(report,
            ch_report_say(report,
                          "Here theta = %s (%.4g degrees) and mu takes realistic values, which the document puts "
                          "below about 1.2.",
                          f->words, degrees(f->theta)));
  ch_report_choice(report, "mu",
                   "0.3, 0.6, 0.9 and 1.2 for the maps, 0.02 to 1.2 for the charts: the document gives no list.");
  Agreement agreement = {0};
  ChStatus status = CH_OK;
  double means[4];
  int lost = 0;
  for (int k = 0; k < 4 && status == CH_OK; ++k) {
    survey(f->theta, mus[k], true, &d);
    means[k] = d.infeasible.mean;
    if (k == 3) lost = d.infeasible.lost;
    add_map(report, &d, f->theta, mus[k], false);
    if (mus[k] * fabs(cos(f->theta)) < 0.95) status = compare(run->context, f->theta, mus[k], &agreement);
    if (!ch_item_progress(run, 0.6 * (k + 1) / 4.0)) return status;
  }
  if (status != CH_OK) return status;
  ch_report_claim(report, "More iterations are required as mu increases.",
                  (ChFacts){.rule = "both times", .met = means[0] < means[1] && means[1] < means[2]},
                  "Mean over the infeasible predictors %.1f, %.1f, %.1f at mu = 0.3, 0.6, 0.9.", means[0], means[1],
                  means[2]);
  const double limit = 1.0 / fabs(cos(f->theta));
  ch_report_row(
      report, "convergence over the whole domain at realistic mu, up to 1.2",
      (ChFacts){
          .printed = "yes",
          .ours =
              lost ? ch_report_say(report, "not at 1.2: %d of the infeasible predictors do not converge", lost) : "yes",
          .rule = "every predictor converges",
          .met = lost == 0,
          .reason =
              ch_report_say(report,
                            "sliding points contract by mu |cos theta|, which exceeds 1 from mu = %.3f on; below, the "
                            "whole domain converges. The document does not list its values of mu",
                            limit)});
  flip(report, f, run->quick ? 30 : SWEEP, fmin(1.2, 0.98 * limit));
  rates(report, f);
  residual_left(report, 3, mus, 1, &f->theta, "mu up to 0.9");
  tell_agreement(report, &agreement);
  return CH_OK;
}

// The smallest mu at which a sliding point of the domain does not converge, by bisection.
static double lost_from(const Fixed* f) {
  double low = 0.5, high = 4.0;
  for (int n = 0; n < 11; ++n) {
    double mu = 0.5 * (low + high);
    bool lost = false;
    for (int j = 9; j < ROWS && !lost; j += 5)
      for (int i = 1; i < COLUMNS && !lost; i += 5) {
        ChSingle s = cell(f->theta, mu, i, j);
        if (!ch_single_sticks(&s)) lost = !ch_single_run(&s, EPS, true, 20 * CAP, NULL, NULL).converged;
      }
    if (lost)
      high = mu;
    else
      low = mu;
  }
  return 0.5 * (low + high);
}

static void beyond_chart(ChReport* report, const Fixed* f, int points, double* peak, double* peak_at, double* widest) {
  static Domain d;
  double mu[SWEEP], lost[SWEEP], value[SWEEP], stick[SWEEP];
  *peak = *widest = 0.0;
  for (int k = 0; k < points; ++k) {
    mu[k] = 0.5 + 5.9 * k / (points - 1);
    survey(f->theta, mu[k], true, &d);
    lost[k] = 100.0 * d.infeasible.lost / d.infeasible.points;
    value[k] = d.peak;
    stick[k] = d.stick.mean;
    if (d.peak > *peak) *peak = d.peak, *peak_at = mu[k];
    *widest = fmax(*widest, lost[k]);
  }
  ChChart* chart = ch_report_chart(report, "Share of the infeasible predictors that do not converge.",
                                   "friction coefficient mu [1]", "not converged [%]", 0);
  ch_chart_line(chart, "of all infeasible predictors", points, mu, lost);
  chart = ch_report_chart(report, "Largest |(5.32)| over the map after the closing contact projection.",
                          "friction coefficient mu [1]", "|objective| [1]", CH_CHART_LOG_Y);
  ch_chart_line(chart, "peak", points, mu, value);
  chart = ch_report_chart(report, "Iterations inside the friction cone.", "friction coefficient mu [1]",
                          "mean iterations [1]", 0);
  ch_chart_line(chart, "sticking", points, mu, stick);
  ch_report_claim(
      report,
      "As mu increases further, the number of iterations inside the generalised cone remains essentially static.",
      (ChFacts){.value = {stick[points / 2], stick[points - 1]}, .factor = 1.25},
      "Mean %.1f at mu = %.1f, %.1f at mu = %.1f; every sticking point converges.", stick[points / 2], mu[points / 2],
      stick[points - 1], mu[points - 1]);
  ch_report_claim(
      report, "While convergence becomes harder as mu grows, the region of difficulty becomes smaller.",
      (ChFacts){.rule = "the share at the largest mu is below the widest", .met = lost[points - 1] < *widest},
      "The share that does not converge is %.0f %% at its widest, %.0f %% at mu = %.1f.", *widest, lost[points - 1],
      mu[points - 1]);
}

static ChStatus run_larger(ChItemRun* run, const Fixed* f) {
  static const double mus[] = {1.5, 2.5, 5.0};
  static Domain d;
  ChReport* report = run->report;
  introduce(report,
            ch_report_say(report,
                          "Here theta = %s (%.4g degrees) and mu is larger than what materials have; beside the "
                          "iterations stands the residual, the absolute value of (5.32).",
                          f->words, degrees(f->theta)));
  ch_report_choice(report, "mu", "1.5, 2.5 and 5 for the maps, 0.5 to 6.4 for the charts: the document gives no list.");
  int low = 0, of = 0, stick_lost = 0;
  for (int k = 0; k < 3; ++k) {
    survey(f->theta, mus[k], true, &d);
    add_map(report, &d, f->theta, mus[k], false);
    add_map(report, &d, f->theta, mus[k], true);
    stick_lost += d.stick.lost;
    for (int n = 0; n < CELLS; ++n)
      if (d.iterations[n] >= CAP) ++of, low += d.value[n] < 0.5;
    if (!ch_item_progress(run, 0.5 * (k + 1) / 3.0)) return CH_OK;
  }
  const double limit = 1.0 / fabs(cos(f->theta)), from = lost_from(f);
  ch_report_row(
      report, "mu from which sliding predictors stop converging",
      (ChFacts){.ours = ch_report_say(report, "%.4f, by bisection; mu |cos theta| = 1 gives %.4f", from, limit),
                .reason = "it follows from (6.59) and (6.60), and is not printed"});
  ch_report_claim(report, "We still obtain good convergence to solutions for sticking behaviour.",
                  (ChFacts){.rule = "every one of them converges", .met = stick_lost == 0},
                  "%d predictors inside the friction cone do not converge at mu = 1.5, 2.5 and 5.", stick_lost);
  double peak, peak_at = 0.0, widest;
  beyond_chart(report, f, run->quick ? 15 : SWEEP, &peak, &peak_at, &widest);
  ch_report_row(
      report, "peak of the absolute residual",
      (ChFacts){.printed = "~3",
                .ours = ch_report_say(report, "%.2g at mu = %.1f", peak, peak_at),
                .value = {3.0, peak},
                .factor = 1.25,
                .reason = ch_report_say(
                    report,
                    "the range of predictors is not stated, and the residual grows with its square: the printed 3 "
                    "belongs to predictors up to %.2f instead of 1",
                    sqrt(3.0 / peak))});
  ch_report_claim(report, "The residual remains low in most of the region that does not converge.",
                  (ChFacts){.run = {.fitted = "what is low: 0.5"},
                            .rule = "at more than half of these points",
                            .met = of > 0 && 2 * low > of},
                  "|(5.32)| is below 0.5, a sixth of the printed peak, at %d of %d such points of the three maps.", low,
                  of);
  return CH_OK;
}

// --- the items -------------------------------------------------------------------------------------------------------

#define X(figure, words, index, what) \
  static ChStatus run_##figure(ChItemRun* run) { return run_##what(run, &fixed[index]); }
X(63, "2 pi / 3", 0, realistic)
X(64, "pi / 5", 1, realistic)
X(65, "pi / 9", 2, realistic)
X(66, "2 pi / 3", 0, larger)
X(67, "pi / 5", 1, larger)
X(68, "pi / 9", 2, larger)
#undef X

const ChItem ch_item_004_domain_angles = {
    .name = "004-fig6.2",
    .title = "Convergence domains of one contact: friction fixed, angle varied",
    .source = "004 s6.7.1, Fig 6.2 [H25, G15, I41, I42, I43, X27-X29]",
    .run = run_angles,
};
#define ITEM(id, number, words, text, tags)                                    \
  const ChItem ch_item_004_domain_##id = {                                     \
      .name = "004-fig" number,                                                \
      .title = "Convergence domains of one contact: theta = " words ", " text, \
      .source = "004 s6.7.1, Fig " number " [" tags "]",                       \
      .run = run_##id,                                                         \
  };
ITEM(63, "6.3", "2 pi / 3", "realistic friction", "H25, I41, I43, I44, X29")
ITEM(64, "6.4", "pi / 5", "realistic friction", "H25, I41, I43, I44, X29")
ITEM(65, "6.5", "pi / 9", "realistic friction", "H25, I41, I43, I44, X29")
ITEM(66, "6.6", "2 pi / 3", "large friction", "H26, G15, I44")
ITEM(67, "6.7", "pi / 5", "large friction", "H26, G15, I44")
ITEM(68, "6.8", "pi / 9", "large friction", "H26, G15, I44")
