// Newton's method on all contacts at once, friction a function of the speed of slip.
//
// Alart and Curnier's map takes y_T for the projection of x_T = r_T - rho u_T on the disc of radius mu y_n. Where mu
// depends on s = |u_T|, what slips has r_T and u_T along x_T, and
//
//   |x_T| = mu(s) y_n + rho s          y_T = (|x_T| - rho s) x_T / |x_T|
//
// which has one root s where mu rises with speed, and a largest one (the answer that slips) in any case. So y is a
// function of x again, piecewise smooth, and F(r) = y(x(r)) - r = 0 is the law of every contact. Its derivative on a
// line mu(s) = m + k s of the curve, e = x_T / |x_T|:
//
//   dy_T = [ k y_n e e' + (|x_T| - rho s) (rho + k y_n) / |x_T| (I - e e') ] / (rho + k y_n) dx_T
//          + rho mu(s) / (rho + k y_n) e dy_n
//
// Where that does not come down, it is tried again with another rho, in the end with one of its own for each contact.
//
// The shares of branches.c are a fixed point that is stiff where many contacts strike on the slope of a curve; here
// slope and load are in the matrix.
#include "solve/curve_newton.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/work.h"
#include "problem/contact_problem.h"
#include "solve/linear/linear_system.h"
#include "solve/method.h"

enum { STEPS = 120, HALVINGS = 8, MEMORY = 4, STALL = 25 };
#define ARMIJO 1e-4
#define PROXIMAL 1e-3  // of the error: weight of the step itself, so that a singular W does not matter
#define LEAST_PROXIMAL 1e-12
#define SPREAD 0.7  // of rho from contact to contact, once a try has failed
static const double rhos[] = {1.0, 10.0, 0.1, 1.0, 3.0};
enum { RHOS = sizeof rhos / sizeof *rhos, STEADY = 3 };  // from there on rho varies

// One part of the problem.
typedef struct Part {
  const ChComponent* component;
  const ChFrictionCurve** curve;  // of each block, NULL: it has none
  double* speed;                  // of its tangents, in the problem's units, for one of 1 in the scaled ones
  ChLinearSystem* linear;
  double *rho, *r, *u, *x, *y, *F, *step, *trial, *best, *B, *E;
} Part;

struct ChCurveNewton {
  ChArena* arena;
  ChPrepared prepared;
  Part* part;
  unsigned long seed;
};

// --- the map ---------------------------------------------------------------------------------------------------------

// A point of the curve: share(s) = at + slope (s - from), and s.
typedef struct Point {
  double speed, share, slope;
} Point;

// The largest s with  load share(s) + rho s = size;  below zero where what sticks is all there is.
static Point find_slip(const ChFrictionCurve* c, double load, double rho, double size) {
  const int last = c->count - 1;
  const double beyond = (size - load * c->share[last]) / rho;
  if (beyond >= c->speed[last]) return (Point){beyond, c->share[last], 0.0};
  for (int k = last - 1; k >= 0; --k) {
    const double share = c->share[k];
    const double slope = (c->share[k + 1] - share) / (c->speed[k + 1] - c->speed[k]);
    const double s = c->speed[k] + (size - load * share - rho * c->speed[k]) / (rho + load * slope);
    if (s >= c->speed[k] && s <= c->speed[k + 1]) return (Point){s, share + slope * (s - c->speed[k]), slope};
  }
  return (Point){.speed = -1.0};
}

static double tangent_size(int dim, const double* x) {
  double sum = 0.0;
  for (int a = 1; a < dim; ++a) sum += x[a] * x[a];
  return sqrt(sum);
}

// y of a block with a curve, and D = dy/dx unless NULL. x = r - rho u.
static void map_curve(const Part* p, int i, const double* x, double* y, double* D) {
  const ChScaledBlock* b = &p->component->system.block[i];
  const int d = b->dim;
  const double unit = p->speed[i], rho = p->rho[i] / unit, size = tangent_size(d, x);
  memset(y, 0, (size_t)d * sizeof *y);
  if (D) memset(D, 0, (size_t)(d * d) * sizeof *D);
  if (!(x[0] > 0.0)) return;
  const double load = b->mu * x[0];
  y[0] = x[0];
  if (D) D[0] = 1.0;
  const Point at = size > load ? find_slip(p->curve[i], load, rho, size) : (Point){.speed = -1.0};
  if (!(at.speed >= 0.0)) {
    const double shrink = size > load ? load / size : 1.0;  // more than it bears at rest, and too little to slip
    for (int a = 1; a < d; ++a) y[a] = shrink * x[a];
    for (int a = 1; D && a < d; ++a) D[a * d + a] = shrink;
    return;
  }
  const double radius = size - rho * at.speed, stiff = rho + load * at.slope;
  const double along = load * at.slope / stiff, across = radius / size, rise = rho * b->mu * at.share / stiff;
  for (int a = 1; a < d; ++a) y[a] = across * x[a];
  for (int a = 1; D && a < d; ++a) {
    D[a * d] = rise * x[a] / size;
    for (int c = 1; c < d; ++c) D[a * d + c] = (a == c ? across : 0.0) + (along - across) * x[a] / size * x[c] / size;
  }
}

static void map_block(const Part* p, int i, const double* x, double* y, double* D) {
  const ChScaledBlock* b = &p->component->system.block[i];
  if (p->curve[i]) {
    map_curve(p, i, x, y, D);
    return;
  }
  b->law->alart_curnier(b, x, y);
  if (D) b->law->alart_curnier_derivative(b, x, D);
}

// F and what goes with it at r; returns |F|, every block in its own measure.
static double evaluate(Part* p, const double* r) {
  const ChSystem* s = &p->component->system;
  double sum = 0.0;
  ch_system_velocity(s, r, p->u);
  for (int i = 0; i < s->n; ++i) {
    const int row = s->row[i];
    const double weight = p->rho[i] > 1.0 ? 1.0 / p->rho[i] : 1.0;
    for (int a = row; a < row + s->dim[i]; ++a) p->x[a] = r[a] - p->rho[i] * p->u[a];
    map_block(p, i, p->x + row, p->y + row, NULL);
    for (int a = row; a < row + s->dim[i]; ++a) {
      p->F[a] = p->y[a] - r[a];
      sum += weight * weight * p->F[a] * p->F[a];
    }
  }
  return sqrt(sum);
}

// --- steps -----------------------------------------------------------------------------------------------------------

// (I - (1 - rho eps) D + rho D W) dr = F
static bool find_step(Part* p, double eps) {
  const ChSystem* s = &p->component->system;
  for (int i = 0; i < s->n; ++i) {
    const int d = s->dim[i], at = s->diagonal_at[i];
    double D[CH_BLOCK_MAX * CH_BLOCK_MAX], y[CH_BLOCK_MAX];
    map_block(p, i, p->x + s->row[i], y, D);
    for (int a = 0; a < d * d; ++a) {
      p->B[at + a] = (a % (d + 1) == 0) - (1.0 - p->rho[i] * eps) * D[a];
      p->E[at + a] = p->rho[i] * D[a];
    }
  }
  if (!ch_linear_factor(p->linear, p->B, p->E)) return false;
  ch_linear_solve(p->linear, p->F, p->step);
  return ch_all_finite(p->step, s->rows);
}

// r <- r + length step, the longest of 1, 1/2, ... that gets below the reference; the whole step where none does.
static double advance(Part* p, double reference, bool* searched) {
  const int rows = p->component->system.rows;
  double length = 1.0, f = INFINITY;
  *searched = false;
  for (int k = 0; k < HALVINGS && !*searched; ++k, length *= 0.5) {
    for (int a = 0; a < rows; ++a) p->trial[a] = p->r[a] + length * p->step[a];
    f = evaluate(p, p->trial);
    *searched = f <= (1.0 - ARMIJO * length) * reference;
  }
  if (!*searched) {
    for (int a = 0; a < rows; ++a) p->trial[a] = p->r[a] + p->step[a];
    f = evaluate(p, p->trial);
  }
  memcpy(p->r, p->trial, (size_t)rows * sizeof *p->r);
  return f;
}

// From p->r with the rho that are set; true where |F| came down to the target. Counts its steps.
static bool descend(Part* p, double target, double most_work, long* steps) {
  const double begun = ch_work_done();
  double merit[STEPS + 1], f = merit[0] = evaluate(p, p->r), least = f;
  int leaps = 2, since = 0;
  for (int k = 0; k < STEPS && !(f <= target); ++k) {
    if (ch_work_done() - begun > most_work || ch_limits_over()) return false;
    double reference = 0.0;
    bool searched;
    for (int j = k; j >= 0 && j > k - MEMORY; --j) reference = fmax(reference, merit[j]);
    ++*steps;
    if (!find_step(p, fmax(LEAST_PROXIMAL, fmin(PROXIMAL * f, 0.01)))) return false;
    f = advance(p, reference, &searched);
    if (!isfinite(f) || (!searched && leaps-- <= 0)) return false;
    merit[k + 1] = f;
    since = f < 0.5 * least ? 0 : since + 1;
    if (f < least) {
      least = f;
      memcpy(p->best, p->r, (size_t)p->component->system.rows * sizeof *p->r);
    }
    if (since > STALL) return false;
  }
  return f <= target;
}

static void set_rho(ChCurveNewton* n, Part* p, double rho, bool vary) {
  for (int i = 0; i < p->component->system.n; ++i) p->rho[i] = rho * (vary ? ch_run_vary(&n->seed, SPREAD) : 1.0);
}

static double* kept_of(const Part* p) { return p->trial + p->component->system.rows; }

// The residual at r of rigid rho, which is what answers are compared by.
static double residual(ChCurveNewton* n, Part* p, const double* r) {
  set_rho(n, p, 1.0, false);
  return evaluate(p, r);
}

// From what is kept with every rho in turn, until the target is met; keeps what is better.
static void approach(ChCurveNewton* n, Part* p, double target, double work, long* steps) {
  const size_t bytes = (size_t)p->component->system.rows * sizeof(double);
  const double begun = ch_work_done();
  double *kept = kept_of(p), least = residual(n, p, kept);
  for (int k = 0; k < RHOS && !(least <= target); ++k) {
    memcpy(p->r, kept, bytes);
    memcpy(p->best, kept, bytes);
    set_rho(n, p, rhos[k], k >= STEADY);
    descend(p, 0.1 * target, (work - (ch_work_done() - begun)) / (RHOS - k), steps);
    const double found = residual(n, p, p->best);
    if (!(found < least)) continue;
    least = found;
    memcpy(kept, p->best, bytes);
  }
}

static void read_start(Part* p, const double* r) {
  const ChComponent* c = p->component;
  double* kept = kept_of(p);
  for (int k = 0; k < c->system.rows; ++k) kept[k] = r[c->source[k]] / (c->c * c->g[k]);
}

static long run_part(ChCurveNewton* n, Part* p, double tolerance, double work, double* r) {
  const ChComponent* c = p->component;
  const double target = tolerance * fmax(c->zero_error, CH_ERROR_FLOOR);
  double* kept = kept_of(p);
  long steps = 0;
  read_start(p, r);
  const double first = residual(n, p, kept);
  approach(n, p, target, work, &steps);
  if (!(residual(n, p, kept) < first)) return steps;
  for (int k = 0; k < c->system.rows; ++k) r[c->source[k]] = c->c * c->g[k] * kept[k];
  return steps;
}

// --- setting up ------------------------------------------------------------------------------------------------------

// The block of the problem that a row belongs to.
static const ChBlock* block_of_row(const ChProblem* problem, int row) {
  int low = 0, high = problem->block_count;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (problem->blocks[middle].row <= row)
      low = middle;
    else
      high = middle;
  }
  return &problem->blocks[low];
}

// False where a block with a curve is none of those that map_curve knows.
static bool find_curves(const ChProblem* problem, Part* p) {
  const ChComponent* c = p->component;
  for (int i = 0; i < c->system.n; ++i) {
    const ChScaledBlock* b = &c->system.block[i];
    const int row = c->system.row[i];
    const ChBlock* block = block_of_row(problem, c->source[row]);
    if (block->curve == 0 || b->dim == 1) continue;
    bool round = b->law->cone && b->sides == 0;
    for (int a = 1; a < b->dim; ++a) round = round && c->g[row + a] == c->g[row];
    if (!round) return false;
    p->curve[i] = &problem->curves[block->curve - 1];
    p->speed[i] = c->c / c->g[row];
  }
  return true;
}

static bool create_part(ChArena* arena, const ChProblem* problem, const ChComponent* component, Part* p) {
  const ChSystem* s = &component->system;
  *p = (Part){.component = component,
              .curve = CH_TAKE(arena, s->n, const ChFrictionCurve*),
              .speed = CH_TAKE(arena, s->n, double)};
  if (s->relaxed || s->polygonal || !find_curves(problem, p)) return false;
  double** vectors[] = {&p->r, &p->u, &p->x, &p->y, &p->F, &p->step, &p->best};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k) *vectors[k] = CH_TAKE(arena, s->rows, double);
  p->trial = CH_TAKE(arena, 2 * s->rows, double);
  p->rho = CH_TAKE(arena, s->n, double);
  p->B = CH_TAKE(arena, s->diagonal_at[s->n], double);
  p->E = CH_TAKE(arena, s->diagonal_at[s->n], double);
  p->linear = ch_linear_create(arena, s, CH_SPACE_AUTO, false);
  return true;
}

ChStatus ch_curve_newton_create(ChContext* context, ChArena* arena, const ChProblem* problem, ChPose pose,
                                ChCurveNewton** out) {
  CH_ASSERT(problem && out);
  ChCurveNewton* n = CH_TAKE_RAW(arena, 1, ChCurveNewton);
  *n = (ChCurveNewton){.arena = arena, .seed = 1};
  *out = NULL;
  const ChStatus status = ch_prepare(context, arena, problem, pose, NULL, &n->prepared);
  if (status != CH_OK) return status;
  n->part = CH_TAKE_RAW(arena, n->prepared.count, Part);
  for (int c = 0; c < n->prepared.count; ++c)
    if (!create_part(arena, problem, &n->prepared.component[c], &n->part[c])) return CH_OK;
  *out = n;
  return CH_OK;
}

long ch_curve_newton_run(ChCurveNewton* n, double tolerance, double work, double* r) {
  CH_ASSERT(n && tolerance > 0.0 && r);
  long steps = 0;
  const double begun = ch_work_done();
  for (int c = 0; c < n->prepared.count; ++c)
    steps += run_part(n, &n->part[c], tolerance, work - (ch_work_done() - begun), r);
  return steps;
}
