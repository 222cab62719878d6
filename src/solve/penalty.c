// penalty: contacts as springs and dampers, friction as a steep viscosity (Kaufman 2009, section 1.3.5; Kikuchi and
// Oden 1988).
//
//   F_n = max(0, -k g - c v_n)               g gap, negative in an overlap; v_n rate of the gap; c only in an overlap
//   F_T = -mu F_n v_T / max(|v_T|, slip)     Coulomb beyond `slip`, below it bodies creep
//
// over a step, r = h F, with the gap at its end, g = gap + h v_n, and the velocities at its end (implicit), or with the
// gap at its beginning and the velocities that bodies would have without contacts (explicit, stable for h < 2 / omega
// at best). In the scaled variables of a system, r = c g_a r', u = c u' / g_a (g_a: part->g), the law reads
//
//   r'_n = max(0, a - b u'_n),   r'_T = -mu r'_n u'_T / max(|u'_T|, s)
//
// and the implicit one is solved by Newton's method, r = L(W r + q), L' block by block: (I - L' W) dr. A problem
// that comes from no step has no gaps: then h u_n is the gap at the end, h an option, and there is no damping.
// Joints stay constraints.
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/small.h"
#include "solve/linear_system.h"
#include "solve/method.h"

#define CH_OPTION_PREFIX "penalty"
#define PENALTY_OPTIONS(X)                                                                                \
  X(double, stiffness, 1e7, 0.0, 1e18, "k of a contact's spring, N/m")                                    \
  X(double, damping, 1e4, 0.0, 1e18, "c of its damper, N s/m")                                            \
  X(double, slip, 1e-3, 1e-12, 1e3, "m/s: slower contacts resist in proportion to their speed and creep") \
  X(int, implicit, 1, 0, 1, "1 = gaps and velocities of the end of the step, 0 = of its beginning")       \
  X(int, newton, 50, 1, 1000, "implicit: iterations of Newton's method; 1 = linearly implicit")           \
  X(double, h, 0.01, 1e-9, 1e3, "seconds of a step, for a problem that comes from none")
CH_OPTIONS(PENALTY_OPTIONS)

#define SETTLED 1e-10  // change of reactions, relative, at which Newton's method ends
#define CLOSER 0.9     // of the last change: Newton's method gets on; otherwise its steps are halved, down to
#define LEAST_SHARE 0.05
#define JOINT_SHIFT 1e-9  // compliance of joints, in that of their bodies: keeps redundant ones solvable
#define MOTOR_SHIFT 1e-6  // and of motors and friction in joints, which have bounds

typedef struct Penalty {
  ChRun* run;
  const ChSystem* s;
  Options o;
  double *a, *b, *slip;  // of the law, per block
  double *B, *E;         // I and -L', block by block
  double *r, *u, *h;
} Penalty;

// a, b and the scaled slip of a contact.
static void set_law(Penalty* p, int i) {
  const ChComponent* part = p->run->part;
  const ChStepGaps* step = p->run->options->gaps;
  int row = p->s->row[i], source = part->source[row];
  double h = step ? step->h : p->o.h, gap = step ? step->gap[source] : 0.0, added = step ? step->added[source] : 0.0;
  double rate = (p->o.implicit ? p->o.stiffness * h : 0.0) + (gap < 0.0 ? p->o.damping : 0.0), g = part->g[row];
  bool waits = !p->o.implicit && step && !(gap < 0.0);  // an explicit spring acts where there is an overlap already
  if (!step && !p->o.implicit) rate = p->o.stiffness * h;
  p->a[i] = waits ? 0.0 : h * (rate * added - p->o.stiffness * gap) / (part->c * g);
  p->b[i] = waits ? 0.0 : h * rate / (g * g);
  p->slip[i] = p->o.slip * g / part->c;
}

static Penalty penalty_create(ChRun* run) {
  const ChSystem* s = run->system;
  Penalty p = {.run = run, .s = s, .o = read_options(run->options)};
  double** rows[] = {&p.r, &p.u, &p.h};
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) *rows[k] = CH_TAKE(run->arena, s->rows, double);
  double** blocks[] = {&p.a, &p.b, &p.slip};
  for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; ++k) *blocks[k] = CH_TAKE(run->arena, s->n, double);
  p.B = CH_TAKE(run->arena, s->diagonal_at[s->n], double);
  p.E = CH_TAKE(run->arena, s->diagonal_at[s->n], double);
  for (int i = 0; i < s->n; ++i)
    if (s->set[i] == CH_SET_CONE || s->set[i] == CH_SET_HALF) set_law(&p, i);
  return p;
}

// r = L(u) of a contact and E = -L'(u)
static void contact_law(const Penalty* p, int i, const double* u, double* r, double* E) {
  int d = p->s->dim[i];
  double force = ch_positive_part(p->a[i] - p->b[i] * u[0]), slope = force > 0.0 ? p->b[i] : 0.0, speed = 0.0;
  for (int a = 1; a < d; ++a) speed += u[a] * u[a];
  speed = sqrt(speed);
  bool creeps = speed <= p->slip[i];
  double over = 1.0 / (creeps ? p->slip[i] : speed), mu = d > 1 ? p->s->mu[i] : 0.0;
  r[0] = force;
  E[0] = slope;
  for (int a = 1; a < d; ++a) {
    r[a] = -mu * force * u[a] * over;
    E[a] = 0.0;
    E[a * d] = -mu * slope * u[a] * over;
    for (int c = 1; c < d; ++c)
      E[a * d + c] = mu * force * over * ((a == c) - (creeps ? 0.0 : u[a] * u[c] * over * over));
  }
}

// r = clamp(-u / shift): a motor or friction in a joint
static void bounded_law(const ChSystem* s, int i, const double* u, double* r, double* E) {
  double wanted = -u[0] / MOTOR_SHIFT;
  r[0] = ch_clamp(wanted, s->lo[i], s->hi[i]);
  E[0] = r[0] == wanted ? 1.0 / MOTOR_SHIFT : 0.0;
}

// The law at u in h = L(u) - L'(u) (u - q), and the matrix B + E W.
static void linearize(Penalty* p) {
  const ChSystem* s = p->s;
  for (int i = 0; i < s->n; ++i) {
    int d = s->dim[i], row = s->row[i], at = s->diagonal_at[i];
    double *E = p->E + at, moved[CH_BLOCK_MAX], change[CH_BLOCK_MAX];
    ch_small_identity(d, 1.0, p->B + at);
    if (s->set[i] == CH_SET_FREE) {  // shift r + u = 0
      ch_small_identity(d, JOINT_SHIFT, p->B + at);
      ch_small_identity(d, 1.0, E);
      for (int a = 0; a < d; ++a) p->h[row + a] = -s->q[row + a];
      continue;
    }
    if (s->set[i] == CH_SET_BOX)
      bounded_law(s, i, p->u + row, p->h + row, E);
    else
      contact_law(p, i, p->u + row, p->h + row, E);
    if (!p->o.implicit && s->set[i] != CH_SET_BOX) memset(E, 0, (size_t)(d * d) * sizeof *E);
    for (int a = 0; a < d; ++a) moved[a] = p->u[row + a] - s->q[row + a];
    ch_small_multiply(d, E, moved, change);
    for (int a = 0; a < d; ++a) p->h[row + a] += change[a];
  }
}

static double distance(const double* x, const double* y, int n) {
  double sum = 0.0;
  for (int k = 0; k < n; ++k) sum += (x[k] - y[k]) * (x[k] - y[k]);
  return sqrt(sum);
}

// Newton's method from the motion without contacts. One iteration is all of an explicit step: only joints and motors
// are solved for.
static void step(Penalty* p) {
  ChRun* run = p->run;
  int rows = p->s->rows;
  ChLinearSystem* linear = ch_run_linear(run, CH_SPACE_AUTO, false);
  double *next = CH_TAKE(run->arena, rows, double), *zero = CH_TAKE(run->arena, rows, double);
  double *before = CH_TAKE(run->arena, rows, double), share = 1.0, last = INFINITY;
  long limit = !p->o.implicit ? 1 : run->max_iterations > 0 ? run->max_iterations : p->o.newton;
  for (long k = 0; k < limit && !ch_run_late(run); ++k) {
    linearize(p);
    ++run->outer, ++run->factorizations;
    if (!ch_linear_factor(linear, p->B, p->E)) return;
    ch_linear_solve(linear, p->h, next);
    double moved = distance(next, p->r, rows), size = distance(next, zero, rows);
    memcpy(p->r, next, (size_t)rows * sizeof *next);
    if (moved <= SETTLED * size) return;
    share = moved <= CLOSER * last ? fmin(1.0, 2.0 * share) : fmax(LEAST_SHARE, 0.5 * share);
    last = moved;
    memcpy(before, p->u, (size_t)rows * sizeof *before);
    ch_system_velocity(p->s, p->r, p->u);
    for (int a = 0; a < rows; ++a) p->u[a] = before[a] + share * (p->u[a] - before[a]);
  }
}

static void solve(ChRun* run) {
  Penalty p = penalty_create(run);
  memcpy(p.u, p.s->q, (size_t)p.s->rows * sizeof *p.u);
  step(&p);
  ch_system_project(p.s, p.r, p.r);  // where Newton's method has not settled
  ch_run_answer(run, p.r, p.u);
  ch_run_note(run, run->outer, run->error);
}

const ChMethod ch_method_penalty = {
    .name = "penalty",
    .summary = "springs and dampers at contacts, friction as a steep viscosity; implicit or explicit",
    .document = "Kaufman 2009",
    .equation = "section 1.3.5, section 2.8.1",
    .literature = "Kikuchi and Oden 1988; Hahn 1988",
    .takes = CH_TAKES_COULOMB | CH_TAKES_UNFORMED | CH_TAKES_UNSYMMETRIC | CH_IS_BASELINE,
    .engine_sweeps = 50,
    .options = option_rows,
    .option_count = CH_OPTION_COUNT,
    .solve = solve};
