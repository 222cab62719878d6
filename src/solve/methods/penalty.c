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
//   r'_n = max(0, a - b u'_n),   r'_T = -mu l u'_T / max(|u'_T|, s)     l: normal reaction of the pass before
//
// With l given, r = L(u) is minus the gradient of a convex psi(u), and the step minimises 1/2 r W r + psi(W r + q) by
// Newton's method with a line search, (I - L' W) dr = L - r, L' block by block. l begins as the spring's force at the
// beginning of the step and is renewed until it stands still, a few times. A problem that comes from no step has no
// gaps: then h u_n is the gap at the end, h an option, and there is no damping. Joints stay constraints.
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/small.h"
#include "solve/linear/linear_system.h"
#include "solve/method.h"

#define CH_OPTION_PREFIX "penalty"
#define PENALTY_OPTIONS(X)                                                                                            \
  X(double, stiffness, 1e7, 0.0, 1e18, "k of a contact's spring, N/m")                                                \
  X(double, damping, 1e4, 0.0, 1e18, "c of its damper, N s/m")                                                        \
  X(double, slip, 1e-3, 1e-12, 1e3, "m/s: slower contacts resist in proportion to their speed and creep")             \
  X(int, implicit, 1, 0, 1, "1 = gaps and velocities at the end of the step, 0 = at its beginning")                   \
  X(int, passes, 10, 1, 1000, "implicit: number of updates of the friction bounds; 1 = from the previous force only") \
  X(double, h, 0.01, 1e-9, 1e3, "seconds of a step, for a problem from a file")
CH_OPTIONS(PENALTY_OPTIONS)

enum { NEWTON = 60, HALVINGS = 40 };
#define SETTLED 1e-10     // change of velocities, |q| = 1, at which Newton's method ends
#define STEADY 1e-8       // and of bounds, at which passes end
#define DESCENT 1e-4      // share of the slope that a step must go down
#define JOINT_SHIFT 1e-9  // compliance of joints, in that of their bodies: keeps redundant ones solvable
#define MOTOR_SHIFT 1e-6  // and of motors and friction in joints, which have bounds

typedef struct Penalty {
  ChRun* run;
  const ChSystem* s;
  Options o;
  double *a, *b, *slip, *bound;  // of the law, per block; bound: mu l
  double *B, *E;                 // I and -L', block by block
  double *r, *u, *h;             // reactions, velocities that follow, right-hand side
  double *L, *dr, *du;           // law at u; step
} Penalty;

static bool is_contact(const ChSystem* s, int i) { return s->block[i].law->info.opens; }
static double friction(const ChSystem* s, int i) { return s->block[i].law->cone ? s->block[i].mu : 0.0; }

// a, b, the scaled slip and the first bound of a contact.
static void set_law(Penalty* p, int i) {
  const ChComponent* part = p->run->part;
  const ChStepFacts* step = p->run->options->step;
  int row = p->s->row[i], source = part->source[row];
  double h = step ? step->h : p->o.h, gap = step ? step->gap[source] : 0.0, added = step ? step->added[source] : 0.0;
  double g = part->g[row], k = p->o.stiffness, c = gap < 0.0 ? p->o.damping : 0.0;
  double rate = p->o.implicit || !step ? k * h + c : c;
  bool waits = !p->o.implicit && step && !(gap < 0.0);  // an explicit spring acts where there is an overlap already
  p->a[i] = waits ? 0.0 : h * (rate * added - k * gap) / (part->c * g);
  p->b[i] = waits ? 0.0 : h * rate / (g * g);
  p->slip[i] = p->o.slip * g / part->c;
  double before = p->o.implicit ? -h * k * gap / (part->c * g) : p->a[i] - p->b[i] * p->s->q[row];
  p->bound[i] = friction(p->s, i) * ch_positive_part(before);
}

static Penalty penalty_create(ChRun* run) {
  const ChSystem* s = run->system;
  Penalty p = {.run = run, .s = s, .o = read_options(run->options)};
  double** rows[] = {&p.r, &p.u, &p.h, &p.L, &p.dr, &p.du};
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) *rows[k] = CH_TAKE(run->arena, s->rows, double);
  double** blocks[] = {&p.a, &p.b, &p.slip, &p.bound};
  for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; ++k) *blocks[k] = CH_TAKE(run->arena, s->n, double);
  p.B = CH_TAKE(run->arena, s->diagonal_at[s->n], double);
  p.E = CH_TAKE(run->arena, s->diagonal_at[s->n], double);
  memcpy(p.u, s->q, (size_t)s->rows * sizeof *p.u);
  for (int i = 0; i < s->n; ++i)
    if (is_contact(s, i)) set_law(&p, i);
  return p;
}

// r = L(u) of a contact and E = -L'(u); returns psi
static double contact_law(const Penalty* p, int i, const double* u, double* r, double* E) {
  int d = p->s->dim[i];
  double force = ch_positive_part(p->a[i] - p->b[i] * u[0]), bound = p->bound[i], slip = p->slip[i], speed = 0.0;
  for (int a = 1; a < d; ++a) speed += u[a] * u[a];
  speed = sqrt(speed);
  bool creeps = speed <= slip;
  double over = 1.0 / (creeps ? slip : speed);
  memset(E, 0, (size_t)(d * d) * sizeof *E);
  r[0] = force;
  E[0] = force > 0.0 ? p->b[i] : 0.0;
  for (int a = 1; a < d; ++a) {
    r[a] = -bound * u[a] * over;
    for (int c = 1; c < d; ++c) E[a * d + c] = bound * over * ((a == c) - (creeps ? 0.0 : u[a] * u[c] * over * over));
  }
  double pressed = p->b[i] > 0.0 ? 0.5 * force * force / p->b[i] : 0.0;
  return pressed + bound * (creeps ? 0.5 * speed * speed / slip : speed - 0.5 * slip);
}

// A motor or friction in a joint, r = clamp(-u / shift); and a joint itself, without bounds.
static double joint_law(const ChSystem* s, int i, const double* u, double* r, double* E) {
  const ChScaledBlock* b = &s->block[i];
  double psi = 0.0, shift = b->law->info.equation ? JOINT_SHIFT : MOTOR_SHIFT;
  ch_small_identity(s->dim[i], 1.0 / shift, E);
  for (int a = 0; a < s->dim[i]; ++a) {
    double wanted = -u[a] / shift;
    r[a] = b->law->clamp(b, a, wanted, r);
    if (r[a] != wanted) E[0] = 0.0;
    psi -= r[a] * (u[a] + 0.5 * shift * r[a]);
  }
  return psi;
}

static double law(const Penalty* p, int i, const double* u, double* r, double* E) {
  return is_contact(p->s, i) ? contact_law(p, i, u, r, E) : joint_law(p->s, i, u, r, E);
}

// 1/2 r W r + psi at r + t dr
static double value(const Penalty* p, double t) {
  const ChSystem* s = p->s;
  double sum = 0.0;
  for (int i = 0; i < s->n; ++i) {
    double u[CH_BLOCK_MAX], r[CH_BLOCK_MAX], E[CH_BLOCK_MAX * CH_BLOCK_MAX];
    for (int a = 0, k = s->row[i]; k < s->row[i + 1]; ++a, ++k) {
      u[a] = p->u[k] + t * p->du[k];
      sum += 0.5 * (p->r[k] + t * p->dr[k]) * (u[a] - s->q[k]);
    }
    sum += law(p, i, u, r, E);
  }
  return sum;
}

// L(u), h = L(u) - L'(u) (u - q), and the matrix B + E W; rows are divided by their largest slope.
static void linearize(Penalty* p) {
  const ChSystem* s = p->s;
  for (int i = 0; i < s->n; ++i) {
    int d = s->dim[i], row = s->row[i], at = s->diagonal_at[i];
    double *E = p->E + at, moved[CH_BLOCK_MAX], change[CH_BLOCK_MAX], largest = 1.0;
    law(p, i, p->u + row, p->L + row, E);
    if (!p->o.implicit && is_contact(s, i)) memset(E, 0, (size_t)(d * d) * sizeof *E);
    for (int a = 0; a < d; ++a) moved[a] = p->u[row + a] - s->q[row + a];
    for (int k = 0; k < d * d; ++k) largest = fmax(largest, fabs(E[k]));
    ch_small_multiply(d, E, moved, change);
    ch_small_identity(d, 1.0 / largest, p->B + at);
    for (int k = 0; k < d * d; ++k) E[k] /= largest;
    for (int a = 0; a < d; ++a) p->h[row + a] = (p->L[row + a] + change[a]) / largest;
  }
}

// How far along dr: Armijo's rule. The slope is du . (r - L).
static double search(const Penalty* p) {
  double slope = 0.0, from = value(p, 0.0), t = 1.0;
  for (int k = 0; k < p->s->rows; ++k) slope += p->du[k] * (p->r[k] - p->L[k]);
  for (int k = 0; k < HALVINGS && !(value(p, t) <= from + DESCENT * t * slope); ++k) t *= 0.5;
  return t;
}

// Newton's method with the bounds of friction given. False where it can do no more.
static bool minimize(Penalty* p, ChLinearSystem* linear) {
  ChRun* run = p->run;
  int rows = p->s->rows;
  for (int k = 0; k < NEWTON && !ch_run_late(run); ++k) {
    linearize(p);
    ++run->inner, ++run->factorizations;
    if (!ch_linear_factor(linear, p->B, p->E)) return false;
    ch_linear_solve(linear, p->h, p->dr);
    double moved = 0.0;
    for (int a = 0; a < rows; ++a) p->dr[a] -= p->r[a];
    ch_system_apply(p->s, p->dr, p->du);
    for (int a = 0; a < rows; ++a) moved = ch_max(moved, fabs(p->du[a]));
    double t = p->o.implicit && moved > SETTLED ? search(p) : 1.0;
    for (int a = 0; a < rows; ++a) p->r[a] += t * p->dr[a], p->u[a] += t * p->du[a];
    if (!p->o.implicit || !(moved > SETTLED)) return isfinite(moved);
  }
  return false;
}

// Bounds from the normal reactions; returns how much they changed.
static double renew_bounds(Penalty* p) {
  double change = 0.0;
  for (int i = 0; i < p->s->n; ++i) {
    if (!is_contact(p->s, i)) continue;
    double bound = friction(p->s, i) * ch_positive_part(p->r[p->s->row[i]]);
    change = fmax(change, fabs(bound - p->bound[i]));
    p->bound[i] = bound;
  }
  return change;
}

// Friction inside the cones where the last bounds were larger than the last normal reactions.
static void cut_friction(Penalty* p) {
  for (int i = 0; i < p->s->n; ++i) {
    double *r = p->r + p->s->row[i], size = 0.0;
    if (!is_contact(p->s, i)) continue;
    for (int a = 1; a < p->s->dim[i]; ++a) size += r[a] * r[a];
    double most = friction(p->s, i) * ch_positive_part(r[0]), share = most / sqrt(size);
    for (int a = 1; a < p->s->dim[i] && share < 1.0; ++a) r[a] *= share;
  }
}

static void solve(ChRun* run) {
  Penalty p = penalty_create(run);
  ChLinearSystem* linear = ch_run_linear(run, CH_SPACE_AUTO, false);
  long limit = !p.o.implicit ? 1 : run->max_iterations > 0 ? run->max_iterations : p.o.passes;
  bool settled = true;
  for (long pass = 0; pass < limit && settled && !ch_run_late(run); ++pass) {
    settled = minimize(&p, linear);
    ++run->outer;
    if (!(renew_bounds(&p) > STEADY)) break;
  }
  cut_friction(&p);
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
    .engine_sweeps = 10,
    .options = option_rows,
    .option_count = CH_OPTION_COUNT,
    .solve = solve};
