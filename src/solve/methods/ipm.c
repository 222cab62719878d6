// ipm: primal-dual interior point with Nesterov-Todd scaling, the slip coupled in and smoothed.
//
//   r^ = (mu r_n, r_T), u^ = (u_n / mu, u_T) in the Lorentz cone L;  W^ = D^-1 W D^-1, D = diag(mu, 1, 1)
//   u^ = W^ r^ + q^ + s e_n,   s = sqrt(|u_T|^2 + ep^2) - ep,   ep = 30 m,   m = mean of r^ . u^
//   T = I + e_n t^T, t = u_T / sqrt(|u_T|^2 + ep^2);   Newton:  (N^2 + T W^) dr^ = c - T R,  du^ = T (W^ dr^ + R)
//
// which in the unscaled reaction reads (D T^-1 N^2 D + W) dr = D (T^-1 c - R): symmetric when the slip is frozen (pose
// relaxed, T = I), so that Cholesky serves, unsymmetric otherwise. The smoothing is what makes it robust.
// Free blocks have no cone; a box has a multiplier for each bound. Where several cones share a normal (rolling,
// drilling) D = 1, and N^2 and the slip are sums over them: problem/laws/barrier_balls.c.
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/lorentz.h"
#include "linalg/small.h"
#include "solve/linear/linear_system.h"
#include "solve/method.h"

#define CH_OPTION_PREFIX "ipm"
#define IPM_OPTIONS(X)                                                                                 \
  X(double, smoothing, 30.0, 0.0, 1e4, "ep / m: smoothing of |u_T|; 0 = none")                         \
  X(double, fraction, 0.95, 0.1, 0.9999, "largest step, as a share of the way to the cone's boundary") \
  X(double, start, 0.1, 1e-8, 1e4, "size of the starting point, scaled variables")                     \
  X(double, warm, 0.0, 0.0, 1.0,                                                                       \
    "distance inside the cones at which a given start begins; 0 = the method's own start")             \
  X(int, rest, 0, 0, 1, "pose relaxed: 1 = stop as soon as slip rules out rest")                       \
  X(int, space, 0, 0, 2, "unknowns of the linear system: 0 = the cheaper of both, 1 = reactions, 2 = velocities")
CH_OPTIONS(IPM_OPTIONS)

enum { STALL = 8, PATIENCE = 6, CENTRINGS = 8, JAMS = 2 };
#define MAY_SLIDE 30.0  // slip ratios at which rest is doubtful, if it keeps growing, and out of the question
#define MUST_SLIDE 1e4

typedef struct Ipm {
  ChRun* run;
  const ChSystem* s;
  Options o;
  ChLinearSystem* linear;
  bool coupled;
  bool bounded;                 // some block has a cone or a bound; without, a step is the whole solution
  double m;                     // complementarity
  double *r, *u, *R;            // scaled by D; R = W^ r^ + q^ + s e_n - u^
  double *dr, *du, *c, *h, *x;  // step, centring term, right-hand side, step in unscaled reactions
  ChInterior* interior;         // the same per block, with what its barrier keeps
  double* t;                    // slip direction, per row (tangent entries)
  double* lambda;               // N r^
  unsigned char* rubs;          // per block: whether it has friction; bytes, so that loops over rows stay in order
  double *B, *E;
  double *out, *velocity;
} Ipm;

static const ChBarrier* barrier(const ChSystem* s, int i) { return s->block[i].law->barrier; }
static double head_scale(const ChSystem* s, int i) { return s->block[i].law->cone ? s->block[i].mu : 1.0; }

static Ipm ipm_create(ChRun* run) {
  const ChSystem* s = run->system;
  Ipm p = {.run = run, .s = s, .o = read_options(run->options), .coupled = !s->relaxed};
  double** rows[] = {&p.r, &p.u, &p.R, &p.dr, &p.du, &p.c, &p.h, &p.x, &p.t, &p.lambda, &p.out, &p.velocity};
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) *rows[k] = CH_TAKE(run->arena, s->rows, double);
  p.rubs = CH_TAKE(run->arena, s->n, unsigned char);
  for (int i = 0; i < s->n; ++i) p.rubs[i] = s->block[i].law->slip != NULL;
  p.interior = CH_TAKE(run->arena, s->n, ChInterior);
  for (int i = 0, row = 0; i < s->n; row += s->dim[i++])
    p.interior[i] = (ChInterior){
        .r = p.r + row, .u = p.u + row, .dr = p.dr + row, .du = p.du + row, .c = p.c + row, .lambda = p.lambda + row};
  for (int i = 0; i < s->n; ++i)
    if (barrier(s, i)->several) p.interior[i].cones = CH_TAKE(run->arena, 1, ChInteriorCones);
  p.B = CH_TAKE(run->arena, s->diagonal_at[s->n], double);
  p.E = CH_TAKE(run->arena, s->diagonal_at[s->n], double);
  p.linear = ch_run_linear(run, p.o.space, !p.coupled);
  return p;
}

// Moves x, in the Lorentz cone or not, inside.
static void move_inside(int d, double depth, double* x) {
  double tail = ch_lorentz_tail(d, x);
  x[0] = fmax(x[0], tail) + depth;
}

// The run's reactions and the velocities that follow from them, both put inside their cones.
static void start_warm(Ipm* p) {
  const ChSystem* s = p->s;
  ch_system_velocity(s, p->run->r, p->velocity);
  for (int i = 0; i < s->n; ++i) {
    if (!barrier(s, i)->cone) continue;
    int row = s->row[i], d = s->dim[i];
    double D = head_scale(s, i), slip = p->coupled ? ch_system_slip(s, i, p->velocity + row) : 0.0;
    memcpy(p->r + row, p->run->r + row, (size_t)d * sizeof(double));
    memcpy(p->u + row, p->velocity + row, (size_t)d * sizeof(double));
    p->r[row] *= D;
    p->u[row] = p->u[row] / D + slip;
    move_inside(d, p->o.warm, p->r + row);
    move_inside(d, p->o.warm, p->u + row);
  }
}

static void start(Ipm* p) {
  const ChSystem* s = p->s;
  for (int i = 0; i < s->n; ++i) p->bounded |= barrier(s, i)->start(&s->block[i], p->o.start, &p->interior[i]);
  if (p->o.warm > 0.0) start_warm(p);
}

static double complementarity(const Ipm* p, double step) {
  const ChSystem* s = p->s;
  double sum = 0.0;
  int count = 0;
  for (int i = 0; i < s->n; ++i) count += barrier(s, i)->complementarity(&s->block[i], &p->interior[i], step, &sum);
  return count ? sum / count : 0.0;
}

// R, t, scalings and the matrix blocks at the current point
static void linearize(Ipm* p) {
  const ChSystem* s = p->s;
  double ep = p->coupled ? p->o.smoothing * p->m : 0.0;
  for (int i = 0; i < s->n; ++i)
    for (int a = s->row[i]; a < s->row[i + 1]; ++a) p->x[a] = p->r[a] / (a == s->row[i] ? head_scale(s, i) : 1.0);
  ch_system_velocity(s, p->x, p->R);
  for (int i = 0; i < s->n; ++i) {
    int d = s->dim[i], row = s->row[i], at = s->diagonal_at[i];
    double D = head_scale(s, i), G[CH_BLOCK_MAX * CH_BLOCK_MAX];
    p->R[row] /= D;
    if (p->coupled && p->rubs[i]) p->R[row] += barrier(s, i)->slip(&s->block[i], p->u + row, ep, p->t + row);
    for (int a = row; a < row + d; ++a) p->R[a] -= p->u[a];
    barrier(s, i)->scale(&s->block[i], &p->interior[i], G);
    for (int a = 1; a < d && p->rubs[i]; ++a)  // T^-1 N^2: subtract t^T times the tangent rows from the head
      for (int b = 0; b < d; ++b) G[b] -= p->t[row + a] * G[a * d + b];
    for (int a = 0; a < d; ++a)
      for (int b = 0; b < d; ++b) p->B[at + a * d + b] = G[a * d + b] * (a == 0 ? D : 1.0) * (b == 0 ? D : 1.0);
    ch_small_identity(d, 1.0, p->E + at);
    if (!p->coupled) continue;
    double largest = 1.0;  // rows of very different size would spoil the pivots
    for (int k = 0; k < d * d; ++k) largest = fmax(largest, fabs(p->B[at + k]));
    for (int k = 0; k < d * d; ++k) p->B[at + k] /= largest, p->E[at + k] /= largest;
  }
}

// dr, du from the centring term c
static void direction(Ipm* p) {
  const ChSystem* s = p->s;
  for (int i = 0; i < s->n; ++i) {
    int d = s->dim[i], row = s->row[i];
    double head = p->c[row], shrink = p->E[s->diagonal_at[i]];
    for (int a = 1; a < d && p->rubs[i]; ++a) head -= p->t[row + a] * p->c[row + a];
    for (int a = 0; a < d; ++a)
      p->h[row + a] = shrink * (a == 0 ? head_scale(s, i) * (head - p->R[row]) : p->c[row + a] - p->R[row + a]);
  }
  ch_linear_solve(p->linear, p->h, p->x);
  ch_system_apply(s, p->x, p->du);
  for (int i = 0; i < s->n; ++i) {
    int row = s->row[i];
    double D = head_scale(s, i), slip = 0.0;
    p->dr[row] = D * p->x[row];
    p->du[row] = p->du[row] / D + p->R[row];
    for (int a = row + 1; a < s->row[i + 1]; ++a) {
      p->dr[a] = p->x[a];
      p->du[a] += p->R[a];
      if (p->rubs[i]) slip += p->t[a] * p->du[a];
    }
    p->du[row] += slip;
    barrier(s, i)->finish(&s->block[i], &p->interior[i]);
  }
}

// c towards complementarity sigma m, with Mehrotra's correction from the affine step when asked
static void centring(Ipm* p, double sigma, bool correct) {
  const ChSystem* s = p->s;
  for (int i = 0; i < s->n; ++i) barrier(s, i)->centre(&s->block[i], &p->interior[i], sigma * p->m, correct);
}

static double longest_step(const Ipm* p) {
  double step = INFINITY;
  for (int i = 0; i < p->s->n; ++i) step = barrier(p->s, i)->longest(&p->s->block[i], &p->interior[i], step);
  return step;
}

static void advance(Ipm* p, double step) {
  for (int a = 0; a < p->s->rows; ++a) {
    p->r[a] += step * p->dr[a];
    p->u[a] += step * p->du[a];
  }
  for (int i = 0; i < p->s->n; ++i) barrier(p->s, i)->advance(&p->s->block[i], &p->interior[i], step);
}

// Predictor, corrector; returns the length of the step taken, NaN on breakdown.
static double iterate(Ipm* p, bool centre_only) {
  linearize(p);
  ++p->run->factorizations;
  if (!ch_linear_factor(p->linear, p->B, p->E)) return NAN;
  double sigma = 1.0;
  bool correct = false;
  if (!centre_only) {
    centring(p, 0.0, false);
    direction(p);
    double affine = fmin(1.0, longest_step(p));
    double ratio = complementarity(p, affine) / p->m;
    sigma = ch_clamp(ratio * ratio * ratio, 1e-6, 1.0);
    correct = affine >= 0.1;
    if (!correct) sigma = fmax(sigma, 0.5);
  }
  centring(p, sigma, correct);
  direction(p);
  double step = fmin(1.0, p->o.fraction * longest_step(p));
  if (!isfinite(step) || !ch_all_finite(p->dr, p->s->rows)) return NAN;
  advance(p, step);
  return step;
}

static double offer(Ipm* p) {
  for (int i = 0; i < p->s->n; ++i)
    for (int a = p->s->row[i]; a < p->s->row[i + 1]; ++a)
      p->out[a] = p->r[a] / (a == p->s->row[i] ? head_scale(p->s, i) : 1.0);
  ch_system_project(p->s, p->out, p->out);
  return ch_run_offer_reaction(p->run, p->out, p->velocity);
}

// Mean of mu r_n |u_T| over m. Both vanish together where the solution rests, and their ratio settles; where it must
// slide m alone vanishes, and the ratio grows by a steady factor.
static double slip_ratio(const Ipm* p) {
  double sum = 0.0;
  int count = 0;
  for (int i = 0; i < p->s->n; ++i) {
    if (!barrier(p->s, i)->cone) continue;
    sum += p->r[p->s->row[i]] * ch_lorentz_tail(p->s->dim[i], p->u + p->s->row[i]);
    ++count;
  }
  return count ? sum / count / complementarity(p, 0.0) : 0.0;
}

static void solve(ChRun* run) {
  Ipm p = ipm_create(run);
  long limit = run->max_iterations > 0 ? run->max_iterations : 100;
  double best = INFINITY;
  int stalled = 0, centrings = 0, jammed = 0;
  double slip_before = 0.0;
  bool centre = false;
  start(&p);
  for (long k = 1; k <= limit && !ch_run_finished(run); ++k) {
    p.m = complementarity(&p, 0.0);
    if (!(p.m > 1e-24) && p.bounded) return;
    double step = iterate(&p, centre);
    if (isnan(step)) return;
    ++run->outer;
    double error = offer(&p);
    ch_run_note(run, k, error);
    if (p.o.rest) {
      double slip = slip_ratio(&p);
      if (slip > MUST_SLIDE || (slip > MAY_SLIDE && slip > 2.5 * slip_before)) return;
      slip_before = slip;
    }
    centre = step < 0.1;
    jammed = step < 1e-3 ? jammed + 1 : 0;
    if ((centre && ++centrings > CENTRINGS) || jammed > JAMS) return;
    if (error < 0.7 * best) {
      best = error;
      stalled = 0;
    } else {
      ++stalled;
    }
    if (k > PATIENCE + STALL && stalled >= STALL) return;
  }
}

const ChMethod ch_method_ipm = {
    .name = "ipm",
    .summary = "interior-point method with coupled and smoothed slip; convex with pose relaxed",
    .document = "Negrut and Serban 2016",
    .equation = "(14), (15); Anitescu's slides, \"Current Status\"",
    .literature = "Nesterov and Todd 1998; Acary et al. 2023",
    .takes = CH_TAKES_COULOMB | CH_TAKES_ANY_BARRIER | CH_TAKES_RELAXED | CH_TAKES_UNFORMED | CH_TAKES_UNSYMMETRIC |
             CH_IS_INNER | CH_IS_EXACT,
    .options = option_rows,
    .option_count = CH_OPTION_COUNT,
    .solve = solve};
