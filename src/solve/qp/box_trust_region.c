// Trust region on a box: see box_trust_region.h.
//
// The inner solver minimises q(s) = g's + s'Hs/2 over lo <= s <= hi by conjugate gradients in faces. With r = g + Hs,
//
//   phi_i  = r_i where lo_i < s_i < hi_i                       the gradient inside the face
//   beta_i = r_i where a bound holds s_i and r_i points inward  the chopped gradient
//
// it stays in the face while |beta| <= |phi| and leaves it along -beta otherwise. A conjugate direction that runs into
// a bound is followed past it on the projected path when that is better than stopping there, so that many bounds can
// become active at once; along a direction of negative curvature it goes to the bound, which the trust region provides.
#include "solve/qp/box_trust_region.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/work.h"
#include "cardhouse/clock.h"

typedef struct Quadratic {
  const ChBoxProblem* problem;
  ChBoxInfo* info;
  int n;
  const double* g;
  double *lo, *hi;         // the box of the step
  double *s, *r;           // the step and the gradient of the model there
  double *p, *y, *Hp;      // conjugate direction, preconditioned gradient, product
  double *trial, *Htrial;  // a point of the projected path, as a difference from s
  bool* free;
  bool fresh;       // the next direction starts a new sequence
  double ry;        // r'y of the last direction
  double decrease;  // -q(s)
} Quadratic;

ChBoxOptions ch_box_options_default(void) {
  return (ChBoxOptions){.gradient_tolerance = 1e-5,
                        .target = -INFINITY,
                        .radius = 1.0,
                        .max_iterations = 1000,
                        .max_inner = 2000,
                        .time_limit = 60.0,
                        .work_limit = INFINITY};
}

static double dot(int n, const double* a, const double* b) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

static void product(Quadratic* q, const double* d, double* out) {
  q->problem->product(q->problem->user, d, out);
  ++q->info->mvp;
}

// Squared norms of phi and beta; also says which variables are free in the face.
static void split_gradient(Quadratic* q, double* phi2, double* beta2) {
  *phi2 = *beta2 = 0.0;
  for (int i = 0; i < q->n; ++i) {
    double r = q->r[i];
    q->free[i] = q->s[i] > q->lo[i] && q->s[i] < q->hi[i];
    if (q->free[i])
      *phi2 += r * r;
    else if (q->lo[i] < q->hi[i] && (q->s[i] <= q->lo[i] ? r < 0.0 : r > 0.0))
      *beta2 += r * r;
  }
}

static bool at_bound(const Quadratic* q, int i) { return !q->free[i]; }

// y = r preconditioned over the free variables
static void precondition(Quadratic* q, bool new_face) {
  const ChBoxProblem* problem = q->problem;
  if (problem->precondition) {
    problem->precondition(problem->user, new_face, q->free, q->r, q->y);
    return;
  }
  for (int i = 0; i < q->n; ++i) q->y[i] = at_bound(q, i) ? 0.0 : q->r[i];
}

// The longest step along p inside the box, and the variable that ends it.
static double longest_step(const Quadratic* q, const double* p, int* blocking) {
  double longest = INFINITY;
  *blocking = -1;
  for (int i = 0; i < q->n; ++i) {
    if (p[i] == 0.0) continue;
    double room = ((p[i] > 0.0 ? q->hi[i] : q->lo[i]) - q->s[i]) / p[i];
    if (room < longest) {
      longest = room;
      *blocking = i;
    }
  }
  return longest;
}

// s += d, r += Hd; the change of q is known to the caller.
static void move(Quadratic* q, double step, const double* d, const double* Hd, double change) {
  for (int i = 0; i < q->n; ++i) {
    q->s[i] = ch_clamp(q->s[i] + step * d[i], q->lo[i], q->hi[i]);
    q->r[i] += step * Hd[i];
  }
  q->decrease -= change;
}

static double change_along(double slope, double curvature, double step) {
  return step * (slope + 0.5 * step * curvature);
}

// Stops at the first bound, or goes on along the projected path where that makes q smaller still: the longest of the
// steps step, step/4, step/16 ... that does.
static void move_past_bound(Quadratic* q, double step, double slope, double curvature, double room, int blocking) {
  double stop = change_along(slope, curvature, room);
  q->fresh = true;
  for (double t = step; curvature > 0.0 && t > 2.0 * room; t *= 0.25) {
    for (int i = 0; i < q->n; ++i) q->trial[i] = ch_clamp(q->s[i] + t * q->p[i], q->lo[i], q->hi[i]) - q->s[i];
    product(q, q->trial, q->Htrial);
    double further = dot(q->n, q->r, q->trial) + 0.5 * dot(q->n, q->trial, q->Htrial);
    if (!(further < stop)) continue;
    for (int i = 0; i < q->n; ++i) {
      q->s[i] = ch_clamp(q->s[i] + t * q->p[i], q->lo[i], q->hi[i]);
      q->r[i] += q->Htrial[i];
    }
    q->decrease -= further;
    return;
  }
  move(q, room, q->p, q->Hp, stop);
  q->s[blocking] = q->p[blocking] > 0.0 ? q->hi[blocking] : q->lo[blocking];
}

// One conjugate-gradient step in the face.
static bool step_in_face(Quadratic* q) {
  bool fresh = q->fresh;
  precondition(q, fresh);
  double ry = dot(q->n, q->r, q->y), beta = fresh ? 0.0 : ry / q->ry;
  if (!(ry > 0.0)) return false;
  for (int i = 0; i < q->n; ++i) q->p[i] = q->free[i] ? beta * q->p[i] - q->y[i] : 0.0;
  q->ry = ry;
  q->fresh = false;
  double slope = dot(q->n, q->r, q->p);
  if (!(slope < 0.0)) {  // rounding spoiled the sequence
    q->fresh = true;
    return !fresh;
  }
  product(q, q->p, q->Hp);
  double curvature = dot(q->n, q->p, q->Hp);
  int blocking;
  double room = longest_step(q, q->p, &blocking);
  double step = curvature > 0.0 ? -slope / curvature : INFINITY;
  if (isnan(curvature) || (isinf(step) && blocking < 0)) return false;
  if (step <= room)
    move(q, step, q->p, q->Hp, change_along(slope, curvature, step));
  else
    move_past_bound(q, step, slope, curvature, room, blocking);
  return true;
}

// Leaves the face along the chopped gradient.
static bool step_out_of_face(Quadratic* q) {
  for (int i = 0; i < q->n; ++i) {
    bool inward = !q->free[i] && q->lo[i] < q->hi[i] && (q->s[i] <= q->lo[i] ? q->r[i] < 0.0 : q->r[i] > 0.0);
    q->p[i] = inward ? -q->r[i] : 0.0;
  }
  product(q, q->p, q->Hp);
  double slope = dot(q->n, q->r, q->p), curvature = dot(q->n, q->p, q->Hp);
  int blocking;
  double room = longest_step(q, q->p, &blocking);
  double step = curvature > 0.0 ? -slope / curvature : INFINITY;
  if (isnan(curvature) || blocking < 0) return false;
  bool stops = !(step <= room);
  if (stops) step = room;
  move(q, step, q->p, q->Hp, change_along(slope, curvature, step));
  if (stops) q->s[blocking] = q->p[blocking] > 0.0 ? q->hi[blocking] : q->lo[blocking];
  q->fresh = true;
  return true;
}

// s = argmin q over the box, to a projected gradient of `tolerance` in the Euclidean norm.
static void quadratic_solve(Quadratic* q, double tolerance, long max_inner, ChDeadline deadline) {
  memset(q->s, 0, (size_t)q->n * sizeof *q->s);
  memcpy(q->r, q->g, (size_t)q->n * sizeof *q->r);
  q->fresh = true;
  q->decrease = 0.0;
  for (long k = 0; k < max_inner; ++k) {
    double phi2, beta2;
    split_gradient(q, &phi2, &beta2);
    if (!(phi2 + beta2 > tolerance * tolerance)) return;
    ++q->info->it_qua;
    bool went = beta2 > phi2 ? step_out_of_face(q) : step_in_face(q);
    if (!went || ch_deadline_passed(deadline)) return;
  }
}

// |P(x - g) - x|_inf
static double projected_gradient(const ChBoxProblem* p, const double* x, const double* g) {
  double largest = 0.0;
  for (int i = 0; i < p->n; ++i)
    largest = ch_max(fabs(ch_clamp(x[i] - g[i], p->lower[i], p->upper[i]) - x[i]), largest);
  return largest;
}

static void set_box(Quadratic* q, const double* x, double radius) {
  for (int i = 0; i < q->n; ++i) {
    q->lo[i] = ch_max(q->problem->lower[i] - x[i], -radius);
    q->hi[i] = ch_min(q->problem->upper[i] - x[i], radius);
  }
}

// x + s, on the bound itself where the step ends there. Returns |s|_inf.
static double set_trial(const Quadratic* q, const double* x, double* trial) {
  const ChBoxProblem* p = q->problem;
  double length = 0.0;
  for (int i = 0; i < q->n; ++i) {
    double s = q->s[i];
    bool low = s <= q->lo[i] && q->lo[i] == p->lower[i] - x[i], high = s >= q->hi[i] && q->hi[i] == p->upper[i] - x[i];
    trial[i] = low ? p->lower[i] : high ? p->upper[i] : ch_clamp(x[i] + s, p->lower[i], p->upper[i]);
    length = ch_max(fabs(s), length);
  }
  return length;
}

static Quadratic quadratic_take(ChArena* arena, const ChBoxProblem* problem, ChBoxInfo* info, const double* g) {
  Quadratic q = {.problem = problem, .info = info, .n = problem->n, .g = g};
  double** arrays[] = {&q.lo, &q.hi, &q.s, &q.r, &q.p, &q.y, &q.Hp, &q.trial, &q.Htrial};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) *arrays[k] = CH_TAKE(arena, problem->n, double);
  q.free = CH_TAKE(arena, problem->n, bool);
  return q;
}

// Delta after a step that promised `promised` and gave `gained`.
static double next_radius(double radius, double length, double promised, double gained) {
  if (!(gained >= 0.25 * promised)) return 0.25 * ch_min(length, radius);
  if (gained >= 0.75 * promised && length >= 0.99 * radius) return 4.0 * radius;
  return radius;
}

ChStatus ch_box_minimize(ChArena* arena, const ChBoxProblem* problem, const ChBoxOptions* o, double* x,
                         ChBoxInfo* info) {
  int n = problem->n;
  ChArenaMark mark = ch_arena_mark(arena);
  const ChDeadline deadline = ch_deadline_in(o->time_limit, o->work_limit);
  double radius = o->radius;
  double* g = CH_TAKE(arena, n, double);
  double* trial = CH_TAKE(arena, n, double);
  Quadratic q = quadratic_take(arena, problem, info, g);
  for (int i = 0; i < n; ++i) x[i] = ch_clamp(x[i], problem->lower[i], problem->upper[i]);
  info->value = problem->value(problem->user, x);
  ++info->fe;
  ChStatus status = isfinite(info->value) ? CH_MAX_ITER : CH_ERR_NUMERIC;
  bool moved = true;
  for (long k = 0; status == CH_MAX_ITER; ++k) {
    if (moved) problem->gradient(problem->user, x, g);
    info->projected_gradient = projected_gradient(problem, x, g);
    bool told = moved && o->stop && o->stop(o->stop_user, x);
    if (told || info->value <= o->target || info->projected_gradient <= o->gradient_tolerance)
      status = CH_OK;
    else if (ch_deadline_passed(deadline))
      status = CH_MAX_TIME;
    if (status != CH_MAX_ITER || k >= o->max_iterations || !isfinite(info->projected_gradient)) break;
    ++info->it_box;
    set_box(&q, x, radius);
    double inner = info->projected_gradient * ch_min(0.1, sqrt(info->projected_gradient));
    quadratic_solve(&q, inner, o->max_inner, deadline);
    double length = set_trial(&q, x, trial);
    if (!(q.decrease > 0.0)) break;
    double value = problem->value(problem->user, trial), gained = info->value - value;
    ++info->fe;
    moved = gained >= 1e-4 * q.decrease;
    radius = next_radius(radius, length, q.decrease, gained);
    if (moved) {
      memcpy(x, trial, (size_t)n * sizeof *x);
      info->value = value;
    } else if (!(radius > 1e-16)) {
      break;
    }
  }
  ch_arena_release(arena, mark);
  return status;
}
