// 004, Figs 5.1 and 5.2: staggered projections as geometry. One normal, one friction segment that is not orthogonal to
// it, x the negative predicted momentum. In the kinetic metric, that is M = I here,
//
//   c = P_C(x - f),  f = P_F(alpha)(x - c)                                                            (5.15), (5.16)
//   optimal <=> the points of {F(alpha) + c} and of {C + f} nearest to x are the same point, r        section 5.3.5
#include <math.h>
#include <stddef.h>

#include "cardhouse/solve.h"
#include "reproduce/item.h"
#include "reproduce/single_contact.h"

enum { SHOWN = 8, CAP = 200 };
static const double PI = 3.14159265358979323846;

typedef struct Point {
  double x, y;
} Point;

static Point along(double t, Point d) { return (Point){t * d.x, t * d.y}; }
static Point plus(Point a, Point b) { return (Point){a.x + b.x, a.y + b.y}; }
static Point minus(Point a, Point b) { return (Point){a.x - b.x, a.y - b.y}; }
static double dot(Point a, Point b) { return a.x * b.x + a.y * b.y; }
static double distance(Point a, Point b) { return hypot(a.x - b.x, a.y - b.y); }

static const Point NORMAL = {0.0, 1.0};
static Point friction_direction(const ChSingle* s) { return (Point){sin(s->theta), cos(s->theta)}; }

// The points nearest to x of {F(alpha) + c} and of {C + f}, by plane geometry.
static Point nearest_on_segment(const ChSingle* s, Point x, double alpha) {
  Point d = friction_direction(s), c = along(alpha, NORMAL);
  double t = dot(minus(x, c), d), most = s->mu * alpha;
  return plus(c, along(fmax(-most, fmin(most, t)), d));
}
static Point nearest_on_ray(const ChSingle* s, Point x, double f) {
  Point from = along(f, friction_direction(s));
  return plus(from, along(fmax(0.0, dot(minus(x, from), NORMAL)), NORMAL));
}

// How far the two nearest points are from each other: zero at a solution and nowhere else.
static double mismatch(const ChSingle* s, ChSinglePair p) {
  Point x = {s->x, s->y};
  return distance(nearest_on_segment(s, x, p.alpha), nearest_on_ray(s, x, p.f));
}

static void draw(ChReport* report, const ChSingle* s, ChSinglePair last) {
  Point d = friction_direction(s), x = {s->x, s->y}, c = along(last.alpha, NORMAL), r = plus(c, along(last.f, d));
  ChChart* chart = ch_report_chart(report,
                                   "The plane of impulses: x, the cone C, the friction segment {F(alpha) + c} of the "
                                   "solution, the ray {C + f}, and the "
                                   "iterates c, then c + f.",
                                   "across the normal [1]", "along the normal [1]", CH_CHART_EQUAL);
  double cone_x[2] = {0.0, 0.0}, cone_y[2] = {0.0, 1.3 * last.alpha};
  double most = s->mu * last.alpha;
  double seg_x[2] = {-most * d.x, most * d.x}, seg_y[2] = {c.y - most * d.y, c.y + most * d.y};
  double ray_x[2] = {last.f * d.x, last.f * d.x}, ray_y[2] = {last.f * d.y, last.f * d.y + 1.2 * last.alpha};
  double path_x[2 * SHOWN], path_y[2 * SHOWN], f = 0.0;
  for (int k = 0; k < SHOWN; ++k) {
    ChSinglePair p = ch_single_friction(s, ch_single_contact(s, f));
    Point at = plus(along(p.alpha, NORMAL), along(p.f, d));
    path_x[2 * k] = f * d.x, path_y[2 * k] = p.alpha + f * d.y;
    path_x[2 * k + 1] = at.x, path_y[2 * k + 1] = at.y;
    f = p.f;
  }
  ch_chart_line(chart, "C", 2, cone_x, cone_y);
  ch_chart_line(chart, "F(alpha) + c", 2, seg_x, seg_y);
  ch_chart_line(chart, "C + f", 2, ray_x, ray_y);
  ch_chart_line(chart, "iterates", 2 * SHOWN, path_x, path_y);
  ch_chart_points(chart, "x", 1, &x.x, &x.y);
  ch_chart_points(chart, "r = c + f", 1, &r.x, &r.y);
}

// Over many geometries: the mismatch of the library's solutions, and of pairs beside them.
typedef struct Trials {
  int cases, solved, apart;
  double worst, least;
} Trials;

static ChStatus try_one(ChContext* context, const ChSingle* s, Trials* t) {
  ChProblem* problem;
  ChStatus status = ch_single_problem(context, s, &problem);
  if (status != CH_OK) return status;
  ChSolveOptions options = ch_solve_options_default();
  ChSolveInfo info;
  options.tolerance = 1e-11;
  double u[2], r[2];
  ChContext own = {0};
  bool solved = ch_solve(&own, problem, &options, NULL, u, r, &info) == CH_OK;
  ch_problem_destroy(problem);
  ++t->cases;
  if (!solved || !(r[0] > 1e-3)) return CH_OK;
  ++t->solved;
  t->worst = fmax(t->worst, mismatch(s, (ChSinglePair){r[0], r[1], 0.0}));
  for (int k = -1; k <= 1; k += 2) {  // a tenth more and less of each
    double beside = fmin(mismatch(s, (ChSinglePair){(1.0 + 0.1 * k) * r[0], r[1], 0.0}),
                         fabs(r[1]) > 1e-3 ? mismatch(s, (ChSinglePair){r[0], (1.0 + 0.1 * k) * r[1], 0.0}) : INFINITY);
    t->least = fmin(t->least, beside);
  }
  return CH_OK;
}

static ChStatus run_item(ChItemRun* run) {
  ChReport* report = run->report;
  ChSingle s = {.theta = 65.0 * PI / 180.0, .mu = 0.6, .x = 0.9, .y = 0.7};
  ch_report_text(report,
                 "The geometry behind the method: x, the negative momentum of the predictor, is projected in turn onto "
                 "the cone C of contact "
                 "impulses, shifted by the friction, and onto the friction segment F(alpha), shifted by the contact "
                 "impulse. A pair is optimal if and "
                 "only if both projections return the same point, which then is the response r.");
  ch_report_choice(report, "geometry",
                   "theta = 65 degrees, mu = 0.6, x = (0.9, 0.7), drawn after Fig 5.1; the figure states no numbers.");
  ch_report_command(report, "cardhouse reproduce 004-fig5.2");
  double rel_err[CAP], iteration[CAP], gap[CAP], f = 0.0;
  ChSingleRun end = ch_single_run(&s, 1e-20, true, CAP, rel_err, NULL);
  draw(report, &s, end.last);
  int shown = end.iterations < 30 ? end.iterations : 30, visible = 0;
  for (int k = 0; k < shown; ++k) {
    ChSinglePair p = ch_single_friction(&s, ch_single_contact(&s, f));
    iteration[k] = k + 1;
    gap[k] = mismatch(&s, p);
    if (!visible && gap[k] < 0.01) visible = k + 1;
    f = p.f;
  }
  ChChart* chart = ch_report_chart(report, "Distance between the two nearest points along the iteration.",
                                   "iteration [1]", "distance [1]", CH_CHART_LOG_Y);
  ch_chart_line(chart, "|P(x) on F(alpha) + c  -  P(x) on C + f|", shown, iteration, gap);
  ch_report_row(report, "subsequences until the picture no longer changes (1 % of x)",
                (ChFacts){.printed = "4: two shown and two more",
                          .ours = ch_report_say(report, "%d", visible),
                          .run = {.fitted = "how much change of the picture can be seen: 1 %"},
                          .rule = "the same",
                          .met = visible == 4,
                          .reason = "the geometry of the figure is not given in numbers"});
  Trials t = {.least = INFINITY};
  ChStatus status = CH_OK;
  for (double theta = 0.3; theta < 3.0 && status == CH_OK; theta += 0.3)
    for (double mu = 0.2; mu < 1.1 && status == CH_OK; mu += 0.2)
      for (double x = -0.9; x < 1.0 && status == CH_OK; x += 0.3)
        status = try_one(run->context, &(ChSingle){theta, mu, x, 0.7}, &t);
  if (status != CH_OK) return status;
  ch_report_claim(report,
                  "A pair c, f is optimal if and only if the points of {F(alpha) + c} and {C + f} nearest to x "
                  "coincide; the common point is r.",
                  (ChFacts){.run = {.steps = t.cases, .missed = t.cases - t.solved, .tolerance = 1e-8},
                            .rule = "within 1e-8 at solutions, farther than 1e-4 apart at what is a tenth off",
                            .met = t.worst < 1e-8 && t.least > 1e-4},
                  "%d solutions of method auto, over theta, mu and x: nearest points at most %.1e apart; with alpha or "
                  "f a tenth larger or smaller at least %.1e.",
                  t.solved, t.worst, t.least);
  ChSinglePair again = ch_single_friction(&s, ch_single_contact(&s, end.last.f));
  ch_report_claim(
      report, "Started from an optimal friction impulse the algorithm has converged after a single projection.",
      (ChFacts){.rule = "to 1e-9",
                .met = fabs(again.f - end.last.f) < 1e-9 && fabs(again.alpha - end.last.alpha) < 1e-9},
      "From the f of the solution the contact projection gives its alpha to %.1e.", fabs(again.alpha - end.last.alpha));
  return CH_OK;
}

const ChItem ch_item_004_geometry = {
    .name = "004-fig5.2",
    .title = "Geometry of staggered projections",
    .source = "004 s5.3, Figs 5.1 and 5.2 [H19, I32, I55]",
    .run = run_item,
};
