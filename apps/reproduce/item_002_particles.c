// 002, figures "Dropped particle" and "Sliding particle": one particle on a plane, by LCP and by QP.
//
// QP's step is a projection onto the cone v_n >= mu |v_t| - gamma Phi / h. A particle that is set on the plane with the
// speed v_t takes off at mu v_t, as from the flank of a tooth of slope arctan(mu) (the document's "microscopic
// interpretation"), hops, and lands where the gap is mu h |v_t| / gamma. Along that gap it slides on; where its speed
// grows from zero nothing hops.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reproduce/schemes.h"

enum { TEXT = 1024 };
static const double G = 9.81, RADIUS = 0.05;

// A disk that does not turn; its lowest point is the particle. `tilt` turns gravity.
static void write_particle(char* text, double mu, double x_speed, double height, double tilt, double gamma) {
  snprintf(text, TEXT,
           "{\"cardhouse\": 1, \"name\": \"particle\", \"dimension\": 2, \"gravity\": [%.17g, %.17g],"
           " \"step\": {\"h\": 0.01, \"until\": 3, \"margin\": 10, \"stabilization\": %.17g},"
           " \"materials\": {\"m\": {\"density\": 1000, \"friction\": %.17g}},"
           " \"bodies\": [{\"name\": \"floor\", \"fixed\": true, \"shapes\": [{\"type\": \"halfplane\", \"material\": "
           "\"m\"}]},"
           " {\"name\": \"particle\", \"position\": [0, %.17g], \"velocity\": [%.17g, 0], \"lock\": [\"rz\"],"
           " \"shapes\": [{\"type\": \"disk\", \"radius\": %.17g, \"material\": \"m\"}]}]}",
           G * sin(tilt), -G * cos(tilt), gamma, mu, height + RADIUS, x_speed, RADIUS);
}

typedef struct Pair {
  ChMotion lcp, qp;
} Pair;

static void free_pair(Pair* pair) {
  ch_motion_free(&pair->lcp);
  ch_motion_free(&pair->qp);
}

static ChStatus run_pair(ChItemRun* run, const char* text, double h, double until, Pair* pair) {
  *pair = (Pair){0};
  ChStatus status = ch_scheme_run(run, text, "particle", &(ChScheme){CH_POSE_COULOMB, h, until, NULL}, &pair->lcp);
  if (status == CH_OK)
    status = ch_scheme_run(run, text, "particle", &(ChScheme){CH_POSE_RELAXED, h, until, NULL}, &pair->qp);
  if (status != CH_OK) free_pair(pair);
  for (int k = 0; k < pair->lcp.count; ++k) pair->lcp.y[k] -= RADIUS;
  for (int k = 0; k < pair->qp.count; ++k) pair->qp.y[k] -= RADIUS;
  return status;
}

static double highest(const ChMotion* m) {
  double y = 0.0;
  for (int k = 0; k < m->count; ++k) y = fmax(y, m->y[k]);
  return y;
}

// When it last moved by more than a thousandth of its way.
static double stop_time(const ChMotion* m) {
  double end = m->x[m->count - 1];
  for (int k = m->count - 1; k > 0; --k)
    if (fabs(m->x[k] - end) > 1e-3 * fabs(end)) return m->time[k];
  return 0.0;
}

// --- dropped ---------------------------------------------------------------------------------------------------------

static void tell_dropped(ChReport* report) {
  ch_report_text(report,
                 "A particle falls onto a table with a velocity along it. The slide shows its path in x and y, both "
                 "from 0 to 3, by the LCP scheme (exact Coulomb friction) and by the optimization method (QP, the "
                 "convex programme (1)), without any number. The law of the landing is in closed form: LCP keeps it on "
                 "the table, at the speed v_t - mu |v_n|; QP projects its velocity onto the edge of the cone v_n = mu "
                 "v_t - Phi / h, which leaves a gap, or a hop.");
  ch_report_choice(report, "start",
                   "At (0, 3) with 3 m/s along x, which fills the printed axes. Of heights 1, 2, 3 and speeds 1, 2, 3 "
                   "it is the only pair whose path reaches above 2 in both.");
  ch_report_choice(report, "mu, h, g", "0.3, as in the first table of the same slide; 0.01 s; 9.81 m/s^2.");
}

// Largest difference in height once LCP has landed, over the speed at which it slides on. QP ends its approach at the
// gap mu h v_t, and hops as well, up to (mu v_t)^2 / 2g, where the step of the landing began nearer than that gap.
static ChStatus scan_speeds(ChItemRun* run) {
  ChOurRun how = {.tolerance = 1e-10};
  enum { SPEEDS = 6 };
  double speed[SPEEDS] = {6.0, 4.0, 3.2, 2.8, 2.5, 2.0}, slip[SPEEDS], lift[SPEEDS], bound[SPEEDS];
  double fall = sqrt(2.0 * G * 3.0), mu = 0.3, h = run->quick ? 1e-3 : 2e-4;
  bool kept = true;
  for (int k = 0; k < SPEEDS; ++k) {
    char text[TEXT];
    Pair pair;
    write_particle(text, mu, speed[k], 3.0, 0.0, 1.0);
    ChStatus status = run_pair(run, text, h, 1.2, &pair);
    if (status != CH_OK) return status;
    how.steps += pair.lcp.count + pair.qp.count;
    how.missed += pair.lcp.missed + pair.qp.missed;
    int landed = 0;
    while (landed < pair.lcp.count - 1 && pair.lcp.y[landed] > 1e-9) ++landed;
    lift[k] = 0.0;
    for (int j = landed + 1; j < pair.qp.count; ++j) lift[k] = fmax(lift[k], fabs(pair.qp.y[j] - pair.lcp.y[j]));
    slip[k] = fmax(speed[k] - mu * fall, 0.0);  // after the landing, LCP
    bound[k] = mu * h * slip[k] + pow(mu * slip[k], 2.0) / (2.0 * G);
    kept = kept && lift[k] <= 1.1 * bound[k] + 1e-9;
    free_pair(&pair);
  }
  ChChart* chart = ch_report_chart(
      run->report, "Largest difference in height after the landing, over the speed at which LCP slides on.",
      "slip after landing [m/s]", "height [m]", CH_CHART_LOG_X | CH_CHART_LOG_Y);
  ch_chart_points(chart, "simulated", SPEEDS - 1, slip, lift);  // the last one sticks
  ch_chart_line(chart, "bound: gap mu h v_t and a hop, (mu v_t)^2 / 2g", SPEEDS - 1, slip, bound);
  ch_report_claim(
      run->report, "In a regime with small tangential velocity the difference of the two schemes is small.",
      (ChFacts){.run = how,
                .rule = "a fifth of the difference at a twentieth of the slip, none where both stick, and never above "
                        "the closed form",
                .met = kept && lift[4] < 0.2 * lift[0] && lift[5] < 1e-9},
      "After the landing (h = %g s) the heights differ by %.2g m at a slip of %.2g m/s, %.2g m at %.2g m/s, %.2g m at "
      "%.2g m/s, and by %.0e m where both stick; in every case by no more than the gap mu h v_t and a hop at mu v_t.",
      h, lift[0], slip[0], lift[2], slip[2], lift[4], slip[4], lift[5]);
  return CH_OK;
}

static ChStatus run_dropped(ChItemRun* run) {
  ChReport* report = run->report;
  char text[TEXT];
  Pair pair;
  tell_dropped(report);
  if (run->quick) ch_report_text(report, "Quick form: the scan of speeds has steps of 1 ms instead of 0.2 ms.");
  write_particle(text, 0.3, 3.0, 3.0, 0.0, 1.0);
  ChStatus status = run_pair(run, text, 0.01, 2.0, &pair);
  if (status != CH_OK) return status;
  ChChart* chart = ch_report_chart(report, "Path of the dropped particle.", "x [m]", "y [m]", CH_CHART_EQUAL);
  ch_chart_line(chart, "LCP method", pair.lcp.count, pair.lcp.x, pair.lcp.y);
  ch_chart_line(chart, "Optimization method (QP)", pair.qp.count, pair.qp.x, pair.qp.y);
  double x = fmax(pair.lcp.x[pair.lcp.count - 1], pair.qp.x[pair.qp.count - 1]),
         apart = ch_motion_distance(&pair.lcp, &pair.qp);
  ch_report_row(
      report, "range of the path",
      (ChFacts){.printed = "x and y from 0 to 3",
                .ours = ch_report_say(report, "x to %.2f, y to %.2f", x, highest(&pair.lcp)),
                .run.changed = "the slide does not print it; height and speed were chosen for filling the printed axes",
                .rule = "on the printed axes, beyond 2 in both",
                .met = x > 2.0 && x <= 3.0 && highest(&pair.lcp) <= 3.0,
                .reason = "our choice leaves the axes"});
  ch_report_row(report, "distance between the two paths",
                (ChFacts){.ours = ch_report_say(report, "at most %.2g m, end points %.2g m apart", apart,
                                                fabs(pair.lcp.x[pair.lcp.count - 1] - pair.qp.x[pair.qp.count - 1])),
                          .reason = "the slide has two curves, and no number of them"});
  free_pair(&pair);
  return scan_speeds(run);
}

const ChItem ch_item_002_dropped_particle = {
    .name = "002-dropped-particle",
    .title = "Dropped particle by LCP and by QP",
    .source = "002, slide after \"The convergence result\", first figure [H6, I25, A34]",
    .run = run_dropped,
};

// --- sliding ---------------------------------------------------------------------------------------------------------

typedef struct Candidate {
  double mu, speed, h, top, bottom, stop;
} Candidate;

// The programme (1) for one particle, in closed form: the fast half of the search, checked by the simulation below.
static Candidate hop_along(double mu, double speed, double h) {
  Candidate c = {.mu = mu, .speed = speed, .h = h};
  double t = speed, n = 0.0, gap = 0.0;
  for (long k = 1; k <= lround(3.0 / h); ++k) {
    n -= G * h;
    double short_of = mu * fabs(t) - gap / h - n;  // how far the velocity is from the edge of the cone
    if (short_of > 0.0) {
      double push = short_of / (1.0 + mu * mu);
      if (mu * push >= fabs(t))
        n = -gap / h, t = 0.0;  // the apex: it sticks
      else
        n += push, t -= copysign(mu * push, t);
    }
    gap += h * n;
    c.top = fmax(c.top, gap);
    c.bottom = fmin(c.bottom, gap);
    if (fabs(t) > 1e-3 * speed) c.stop = (double)k * h;
  }
  return c;
}

// The printed axes end at 18e-3 with ticks of 2e-3, so that the highest point lies in (16e-3, 18e-3]; the motion should
// last, as they end at t = 3.
static Candidate search(int* tried, int* fitting) {
  static const double mus[] = {0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75},
                      speeds[] = {0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10};
  Candidate best = {0};
  *tried = *fitting = 0;
  for (size_t m = 0; m < sizeof mus / sizeof *mus; ++m)
    for (size_t v = 0; v < sizeof speeds / sizeof *speeds; ++v)
      for (int k = 0; k < 12; ++k) {
        double h = k < 8 ? 0.1 / (1 << k) : (double[]){0.05, 0.01, 0.005, 0.001}[k - 8];
        Candidate c = hop_along(mus[m], speeds[v], h);
        ++*tried;
        if (!(c.top > 16e-3 && c.top <= 18e-3 && c.bottom >= -2e-3)) continue;
        ++*fitting;
        if (c.stop > best.stop) best = c;
      }
  return best;
}

static ChStatus show_sliding(ChItemRun* run, const Candidate* c) {
  ChReport* report = run->report;
  char text[TEXT];
  Pair pair;
  write_particle(text, c->mu, c->speed, 0.0, 0.0, 1.0);
  ChStatus status = run_pair(run, text, c->h, 3.0, &pair);
  if (status != CH_OK) return status;
  ChChart* chart = ch_report_chart(report, "Height of the sliding particle, best fit of the printed axes.", "time [s]",
                                   "position [m]", 0);
  ch_chart_line(chart, "LCP method", pair.lcp.count, pair.lcp.time, pair.lcp.y);
  ch_chart_line(chart, "Optimization method (QP)", pair.qp.count, pair.qp.time, pair.qp.y);
  ChOurRun how = {
      .changed = "the slide prints no parameter; friction, speed and step were searched for the printed axis",
      .steps = pair.lcp.count + pair.qp.count,
      .missed = pair.lcp.missed + pair.qp.missed,
      .tolerance = 1e-10};
  double top = highest(&pair.qp), flat = 0.0, qp_stop = stop_time(&pair.qp), lcp_stop = stop_time(&pair.lcp);
  for (int k = 0; k < pair.lcp.count; ++k) flat = fmax(flat, fabs(pair.lcp.y[k]));
  ch_report_row(
      report, "ordinate, QP",
      (ChFacts){.printed = "-2e-3 to 18e-3",
                .ours = ch_report_say(report, "0 to %.1fe-3 m (closed form %.1fe-3)", 1e3 * top, 1e3 * c->top),
                .run = how,
                .rule = "the highest point is in the last interval of the axis, and that of the closed form",
                .met = top > 16e-3 && top <= 18e-3 && fabs(top - c->top) < 1e-6,
                .reason = "the highest point is outside the last interval of the axis"});
  ch_report_row(report, "ordinate, LCP",
                (ChFacts){.printed = "0, as far as axes tell",
                          .ours = ch_report_say(report, "within %.0e m of 0", flat),
                          .run = how,
                          .rule = "on the plane to 1e-9 m",
                          .met = flat < 1e-9,
                          .reason = "LCP leaves the plane"});
  ch_report_row(report, "time",
                (ChFacts){.printed = "0 to 3",
                          .ours = ch_report_say(report, "stops after %.2f s (QP), %.2f s (LCP)", qp_stop, lcp_stop),
                          .run = how,
                          .rule = "both stop before t = 3",
                          .met = qp_stop <= 3.0 && lcp_stop <= 3.0,
                          .reason = "still slides at t = 3"});
  double way = fabs(pair.qp.x[pair.qp.count - 1] / pair.lcp.x[pair.lcp.count - 1] - 1.0);
  how.fitted = how.changed;
  how.changed = NULL;
  ch_report_claim(report,
                  "It is almost as if we integrated with the exact reaction of frictionless asperities: QP hops and is "
                  "still slowed down as by friction.",
                  (ChFacts){.run = how, .rule = "QP's way is LCP's to 10 %", .met = way < 0.1},
                  "QP ends %.1f %% %s than LCP on its way, after %.2f s instead of %.2f s.", 100.0 * way,
                  pair.qp.x[pair.qp.count - 1] < pair.lcp.x[pair.lcp.count - 1] ? "earlier" : "later", qp_stop,
                  lcp_stop);
  free_pair(&pair);
  return CH_OK;
}

// Down a slope from rest, so that the slip grows from zero: Phi / (mu h |v_t| / gamma) at the end.
static ChStatus follow_gap(ChItemRun* run) {
  static const double gammas[] = {1.0, 0.5, 0.2};
  double worst = 0.0, ratio[3];
  ChOurRun how = {.tolerance = 1e-10};
  for (int k = 0; k < 3; ++k) {
    double mu = 0.3, h = 0.01, tilt = 0.5, until = 2.0;
    char text[TEXT];
    Pair pair;
    write_particle(text, mu, 0.0, 0.0, tilt, gammas[k]);
    ChStatus status = run_pair(run, text, h, until, &pair);
    if (status != CH_OK) return status;
    const ChMotion* m = &pair.qp;
    how.steps += m->count;
    how.missed += m->missed;
    double speed = (m->x[m->count - 1] - m->x[m->count - 2]) / h;
    ratio[k] = m->y[m->count - 1] / (mu * h * speed / gammas[k]);
    worst = fmax(worst, fabs(ratio[k] - 1.0));
    free_pair(&pair);
  }
  ch_report_claim(run->report,
                  "The term gamma Phi / h keeps a nonzero gap to accommodate the nonzero tangential velocity.",
                  (ChFacts){.run = how,
                            .rule = "the gap is mu h |v_t| / gamma, to 1e-6 at gamma = 1 and to 5 % below",
                            .met = fabs(ratio[0] - 1.0) < 1e-6 && worst < 0.05},
                  "On a slope, from rest, the gap after 2 s is %.7f, %.4f, %.4f times mu h |v_t| / gamma for gamma = "
                  "1, 0.5, 0.2 (the speed "
                  "still grows, and for gamma < 1 the gap lags behind by 1/gamma - 1 steps).",
                  ratio[0], ratio[1], ratio[2]);
  return CH_OK;
}

static ChStatus run_sliding(ChItemRun* run) {
  ChReport* report = run->report;
  int tried, fitting;
  Candidate best = search(&tried, &fitting);
  ch_report_text(report,
                 "A particle slides on a plane. The slide plots its position over time, 0 to 3, on an axis from -2e-3 "
                 "to 18e-3, by LCP and "
                 "by QP: the height, since LCP's stays on the plane. No parameter is given.");
  ch_report_text(
      report,
      "The search: friction 0.05 to 0.75, speed 0.5 to 10 m/s, twelve steps h from 0.1 s to 0.78 ms, %d candidates, "
      "by the closed form of the programme for one particle. %d have their highest point in (16e-3, 18e-3], which is "
      "what the printed axis asks for; the one that moves longest within the 3 s is shown, and run through the "
      "program.",
      tried, fitting);
  ch_report_choice(report, "mu, speed, h",
                   "%g, %g m/s, %g s: the best fit. It is one of %d, the figure does not tell them apart.", best.mu,
                   best.speed, best.h, fitting);
  ch_report_choice(report, "y of the figure", "The height of the particle over the plane.");
  ChStatus status = best.stop > 0.0 ? show_sliding(run, &best) : CH_OK;
  return status == CH_OK ? follow_gap(run) : status;
}

const ChItem ch_item_002_sliding_particle = {
    .name = "002-sliding-particle",
    .title = "Sliding particle by LCP and by QP",
    .source = "002, slide after \"The convergence result\", third figure [H8, I25, A34]",
    .run = run_sliding,
    .same_when_quick = true,
};
