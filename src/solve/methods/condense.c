// condense: the few contacts that cannot find their states are solved exactly, all others follow them in first order.
//
//   outer   solve the problem with u replaced by u + eps (r - c), recentre c <- r, let eps fall
//   inner   C = the blocks that are off the most;  others: Newton's step on Alart and Curnier's map, as in leap.c,
//           [ I - (1 - eps) D + D W ] dr = F,  linear in dr_C;   S = H_C^T (M + H C H^T)^-1 H_C, what C feels of them
//           u_C = S (r_C' - r_C) + eps (r_C' - c_C) + u_C + (W dr)_C at dr_C = 0,  in the laws of C: a small problem
//           r <- r + dr with dr_C = r_C' - r_C;  blocks that this violates are put into C
//
// Where grains jam sweeps go round in a circle, in which a dozen of two thousand contacts change their states in turn.
// Newton's method does not find these states either, for each depends on all others through the whole packing. S has
// the packing in it, as far as its other contacts keep their states; and a hundred rows are walked from kink to kink.
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "solve/contact/contact_map.h"
#include "solve/linear/linear_system.h"
#include "solve/method.h"

#define CH_OPTION_PREFIX "condense"
#define CONDENSE_OPTIONS(X)                                                \
  X(int, sweeps, 300, 0, 100000, "sweeps before")                          \
  X(double, eps, 1e-3, 1e-12, 1.0, "largest proximal weight at the start") \
  X(int, first, 40, 1, 1000, "blocks in the first set")                    \
  X(int, more, 20, 1, 1000, "blocks that each condensation adds")          \
  X(int, largest, 120, 1, 1000, "largest number of blocks in a set")       \
  X(int, tries, 10, 1, 100, "condensations per proximal step")             \
  X(int, patience, 4, 0, 1000, "proximal steps in a row that may fail")
CH_OPTIONS(CONDENSE_OPTIONS)

extern const ChMethod ch_method_ansgs, ch_method_leap, ch_method_newton, ch_method_walk;

#define EPS_OF_ERROR 5.0
#define LEAST_EPS 1e-9
#define MOST_EPS 1e-1
#define FALL 0.1         // of eps after a proximal step,
#define SLOW_FALL 0.3    // after a slow one,
#define RISE 4.0         // and its rise after one that failed
#define SHARE 0.05       // of the centre's error that a proximal step need not bring down,
#define LEAST 0.1        // and of the tolerance
#define SMALL_SHARE 0.1  // of what that is, in the small problem
#define FELL 0.9         // share of the merit that counts as less
#define KEPT 0.5         // of what is known of a block, from one proximal step to the next;
#define NEEDED 0.2       // from which on it is in from the beginning
#define LOST 10.0        // times the merit: a step that would lead there, and
#define FELL_LITTLE 0.8  // with more blocks to no less than this share of it,
enum { MOST_STEPS = 100, WALKS = 50, LEAPS = 60, HALVINGS = 6, IN_VAIN = 2, LEAPS_OVER = 3, QUICK = 3, FAIR = 6 };

typedef struct Condense {
  ChRun* run;
  const ChSystem* s;
  Options o;
  ChLinearSystem* linear;
  double eps;
  long left;  // condensations
  double *centre, *r, *u, *next, *u_next;
  double *x, *F, *h, *step, *Wstep;
  double *B, *E;
  double* score;                      // of blocks: how much they were off, lately
  unsigned char* in;                  // of blocks: in C
  int *members, *place, count, rows;  // C; where its rows are
} Condense;

static Condense condense_create(ChRun* run) {
  const ChSystem* s = run->system;
  Condense c = {.run = run, .s = s, .o = read_options(run->options)};
  double** rows[] = {&c.centre, &c.r, &c.u, &c.next, &c.u_next, &c.x, &c.F, &c.h, &c.step, &c.Wstep};
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) *rows[k] = CH_TAKE(run->arena, s->rows, double);
  c.B = CH_TAKE(run->arena, s->diagonal_at[s->n], double);
  c.E = CH_TAKE(run->arena, s->diagonal_at[s->n], double);
  c.score = CH_TAKE(run->arena, s->n, double);
  c.in = CH_TAKE(run->arena, s->n, unsigned char);
  c.members = CH_TAKE(run->arena, s->n, int);
  c.place = CH_TAKE(run->arena, s->rows, int);
  c.linear = ch_run_linear(run, s->bodies ? CH_SPACE_V : CH_SPACE_AUTO, false);
  return c;
}

// F = y(x) - r of block i at (r, u); returns its square.
static inline double look_at(Condense* c, int i, const double* r, const double* u) {
  const ChSystem* s = c->s;
  double y[CH_BLOCK_MAX], sum = 0.0;
  for (int a = s->row[i]; a < s->row[i + 1]; ++a) c->x[a] = r[a] - u[a] - c->eps * (r[a] - c->centre[a]);
  ch_map_value(s, CH_MAP_ALART_CURNIER, i, c->x + s->row[i], y);
  for (int a = 0; a < s->dim[i]; ++a) {
    c->F[s->row[i] + a] = y[a] - r[s->row[i] + a];
    sum += c->F[s->row[i] + a] * c->F[s->row[i] + a];
  }
  return sum;
}

static double merit(Condense* c, const double* r, const double* u) {
  double sum = 0.0;
  for (int i = 0; i < c->s->n; ++i) sum += look_at(c, i, r, u);
  return sqrt(sum);
}

// --- the set ---------------------------------------------------------------------------------------------------------

static void list_members(Condense* c) {
  const ChSystem* s = c->s;
  c->rows = c->count = 0;
  for (int i = 0; i < s->n; ++i) {
    if (!c->in[i]) continue;
    c->members[c->count++] = i;
    for (int a = s->row[i]; a < s->row[i + 1]; ++a) c->place[c->rows++] = a;
  }
}

// So many of the blocks with the largest values, of those that have any and are not in yet.
static int add_largest(Condense* c, const double* value, int most) {
  int added = 0;
  for (; added < most && c->count + added < c->o.largest; ++added) {
    int worst = -1;
    for (int i = 0; i < c->s->n; ++i)
      if (!c->in[i] && value[i] > 0.0 && (worst < 0 || value[i] > value[worst])) worst = i;
    if (worst < 0) break;
    c->in[worst] = 1;
    if (value != c->score) c->score[worst] += 1.0;
  }
  list_members(c);
  return added;
}

// Of the blocks that are off now or were so lately.
static void begin_set(Condense* c, double whole) {
  for (int i = 0; i < c->s->n; ++i) c->score[i] = KEPT * c->score[i] + look_at(c, i, c->r, c->u) / (whole * whole);
  memset(c->in, 0, (size_t)c->s->n);
  c->count = 0;
  int needed = 0;
  for (int i = 0; i < c->s->n; ++i) needed += c->score[i] >= NEEDED;
  add_largest(c, c->score, needed > c->o.first ? needed : c->o.first);
}

// Blocks that the step would violate.
static int grow_set(Condense* c) {
  double* off = CH_TAKE(c->run->arena, c->s->n, double);
  const double least = LEAST * c->run->tolerance / sqrt((double)c->s->n);
  for (int i = 0; i < c->s->n; ++i) {
    off[i] = c->in[i] ? 0.0 : look_at(c, i, c->next, c->u_next);
    if (off[i] < least * least) off[i] = 0.0;
  }
  return add_largest(c, off, c->o.more);
}

// --- a condensation --------------------------------------------------------------------------------------------------

// Of the blocks outside C; those of C have the step that they are given.
static bool linearize(Condense* c) {
  const ChSystem* s = c->s;
  for (int i = 0; i < s->n; ++i) {
    const int d = s->dim[i], at = s->diagonal_at[i];
    double D[CH_BLOCK_MAX * CH_BLOCK_MAX] = {0.0};
    look_at(c, i, c->r, c->u);
    if (c->in[i])
      memset(c->F + s->row[i], 0, (size_t)d * sizeof *c->F);
    else
      ch_map_derivative(s, CH_MAP_ALART_CURNIER, i, c->x + s->row[i], D);
    for (int a = 0; a < d * d; ++a) {
      c->B[at + a] = (a % (d + 1) == 0) - (1.0 - c->eps) * D[a];
      c->E[at + a] = D[a];
    }
  }
  ++c->run->factorizations;
  ++c->run->inner;
  return ch_linear_factor(c->linear, c->B, c->E);
}

// The blocks of C as a system of their own, with S for W: every block is coupled to every other.
static ChSystem lay_out(Condense* c) {
  const ChSystem* s = c->s;
  ChArena* arena = c->run->arena;
  const int n = c->count;
  ChSystem small = {.n = n, .rows = c->rows, .formed = true};
  small.dim = CH_TAKE(arena, n, int);
  small.row = CH_TAKE(arena, n + 1, int);
  small.block = CH_TAKE_RAW(arena, n, ChScaledBlock);
  small.diagonal_at = CH_TAKE(arena, n + 1, int);
  small.q = CH_TAKE(arena, c->rows, double);
  for (int k = 0; k < n; ++k) {
    small.dim[k] = s->dim[c->members[k]];
    small.block[k] = s->block[c->members[k]];
    small.row[k + 1] = small.row[k] + small.dim[k];
    small.diagonal_at[k + 1] = small.diagonal_at[k] + small.dim[k] * small.dim[k];
  }
  small.diagonal = CH_TAKE(arena, small.diagonal_at[n], double);
  ChBlockCsr* W = &small.W;
  *W = (ChBlockCsr){.n = n, .dim = small.dim, .row = small.row, .start = CH_TAKE(arena, n + 1, int)};
  W->column = CH_TAKE(arena, n * n, int);
  for (int k = 0; k < n; ++k) {
    W->start[k + 1] = W->start[k] + n;
    for (int j = 0; j < n; ++j) W->column[W->start[k] + j] = j;
  }
  ch_block_csr_layout(arena, W);
  return small;
}

static void fill_values(const double* S, ChSystem* small) {
  const ChBlockCsr* W = &small->W;
  for (int k = 0; k < small->n; ++k)
    for (int j = 0; j < small->n; ++j) {
      double* to = W->value + W->offset[W->start[k] + j];
      for (int a = 0; a < small->dim[k]; ++a)
        for (int b = 0; b < small->dim[j]; ++b) *to++ = S[(long)(small->row[k] + a) * small->rows + small->row[j] + b];
    }
  for (int k = 0; k < small->n; ++k)
    memcpy(small->diagonal + small->diagonal_at[k], W->value + W->offset[W->diagonal[k]],
           (size_t)(small->dim[k] * small->dim[k]) * sizeof(double));
}

// u_C = (S + eps) r_C' + q, with the step of the others at dr_C = 0 in `Wstep`.
static ChSystem small_system(Condense* c) {
  const int rows = c->rows;
  ChSystem small = lay_out(c);
  double* S = CH_TAKE_RAW(c->run->arena, (long)rows * rows, double);
  ch_linear_condense(c->run->arena, c->linear, c->count, c->members, S);
  for (int i = 0; i < rows; ++i) {
    const int at = c->place[i];
    small.q[i] = c->u[at] + c->Wstep[at] - c->eps * c->centre[at];
    for (int j = 0; j < rows; ++j) small.q[i] -= S[(long)i * rows + j] * c->r[c->place[j]];
    S[(long)i * rows + i] += c->eps;
  }
  fill_values(S, &small);
  return small;
}

// Reactions of C: walks first, which hardly ever fail.
static double solve_small(Condense* c, const ChSystem* small, double target, double* found) {
  static const struct {
    const ChMethod* method;
    long most;
  } stages[] = {{&ch_method_walk, WALKS}, {&ch_method_leap, LEAPS}, {&ch_method_newton, LEAPS}};
  double* other = CH_TAKE(c->run->arena, c->rows, double);
  double least = INFINITY;
  for (size_t k = 0; k < sizeof stages / sizeof *stages && !(least <= target) && !ch_run_late(c->run); ++k) {
    const ChNested nested = {.method = stages[k].method,
                             .system = small,
                             .start = found,
                             .tolerance = target,
                             .max_iterations = stages[k].most};
    const double error = ch_run_nested(c->run, &nested, other);
    if (!(error < least)) continue;
    least = error;
    memcpy(found, other, (size_t)c->rows * sizeof *found);
  }
  return least;
}

// r + t dr, offered inside its cones; returns the merit.
static double go(Condense* c, double t) {
  const ChSystem* s = c->s;
  for (int a = 0; a < s->rows; ++a) c->h[a] = c->r[a] + t * c->step[a];
  ch_system_project(s, c->h, c->next);
  ch_run_offer_reaction(c->run, c->next, c->u_next);
  return merit(c, c->next, c->u_next);
}

// The step and its merit, NAN where there is none.
static double condense(Condense* c, double target) {
  if (!linearize(c)) return NAN;
  ch_linear_solve_fast(c->linear, c->F, c->step, c->Wstep);
  const ChSystem small = small_system(c);
  double* found = CH_TAKE(c->run->arena, c->rows, double);
  for (int i = 0; i < c->rows; ++i) found[i] = c->next[c->place[i]];
  solve_small(c, &small, SMALL_SHARE * target, found);
  for (int i = 0; i < c->rows; ++i) c->F[c->place[i]] = found[i] - c->r[c->place[i]];
  ch_linear_solve_fast(c->linear, c->F, c->step, c->Wstep);
  if (!ch_all_finite(c->step, c->s->rows)) return NAN;
  return go(c, 1.0);
}

// --- proximal steps --------------------------------------------------------------------------------------------------

static void take_next(Condense* c) {
  memcpy(c->r, c->next, (size_t)c->s->rows * sizeof *c->r);
  memcpy(c->u, c->u_next, (size_t)c->s->rows * sizeof *c->u);
}

// Part of the step, where all of it is too much and the set is as large as may be.
static double shorten(Condense* c, double before) {
  double now = before;
  for (int k = 1; k <= HALVINGS && !(now < FELL * before); ++k) now = go(c, ldexp(1.0, -k));
  return now;
}

// From the centre; true where the merit came to the target.
static bool proximal_step(Condense* c, double error, int* tries) {
  const size_t bytes = (size_t)c->s->rows * sizeof(double);
  memcpy(c->r, c->centre, bytes);
  memcpy(c->next, c->centre, bytes);
  ch_system_velocity(c->s, c->r, c->u);
  double now = merit(c, c->r, c->u);
  const double target = fmax(SHARE * error, LEAST * c->run->tolerance);
  begin_set(c, now);
  double last = INFINITY;
  int lost = 0, leaps = LEAPS_OVER;
  for (*tries = 0; *tries < c->o.tries && !(now <= target) && c->left > 0 && !ch_run_finished(c->run);
       ++*tries, --c->left) {
    ChArenaMark mark = ch_arena_mark(c->run->arena);
    double found = condense(c, target);
    bool grew = isfinite(found) && grow_set(c) > 0;
    ch_arena_release(c->run->arena, mark);
    if (!isfinite(found)) return false;
    const bool idle = found > FELL_LITTLE * last;  // more blocks change little: it is not they
    lost = found > LOST * now && idle ? lost + 1 : 0;
    if (lost >= IN_VAIN) return false;
    last = found;
    if (idle && found <= LOST * now && leaps-- > 0) {
      now = last = found;
      take_next(c);
      continue;
    }
    if (!(found < FELL * now) && !grew) found = shorten(c, now);
    if (found < FELL * now) {
      now = found;
      take_next(c);
    } else if (!grew) {
      return false;
    }
  }
  return now <= target;
}

static void solve(ChRun* run) {
  const ChSystem* s = run->system;
  Condense c = condense_create(run);
  c.left = ch_run_iterations_left(run);
  const long sweeps = c.left < c.o.sweeps ? c.left : c.o.sweeps;
  if (sweeps > 0) ch_run_nested(run, &(ChNested){.method = &ch_method_ansgs, .max_iterations = sweeps}, NULL);
  memcpy(c.centre, run->r, (size_t)s->rows * sizeof(double));
  c.eps = ch_clamp(EPS_OF_ERROR * run->error, LEAST_EPS, c.o.eps);
  double error = run->error;
  int failures = 0;
  for (long k = 1; k <= MOST_STEPS && failures <= c.o.patience && c.left > 0 && !ch_run_finished(run); ++k) {
    ++run->outer;
    int tries;
    const bool met = proximal_step(&c, error, &tries);
    const double found = ch_run_offer_reaction(run, c.r, c.u_next);
    ch_run_note(run, k, found);
    const bool good = met && found < 2.0 * error, better = found < 0.7 * error;
    if (good || better) {
      memcpy(c.centre, c.r, (size_t)s->rows * sizeof(double));
      error = found;
    }
    failures = good || better ? 0 : failures + 1;
    const double fall = tries <= QUICK ? FALL : tries <= FAIR ? SLOW_FALL : 1.0;
    c.eps = ch_clamp(c.eps * (good ? fall : RISE), LEAST_EPS, MOST_EPS);
  }
}

const ChMethod ch_method_condense = {
    .name = "condense",
    .summary = "proximal Newton method that condenses most contacts and solves the few that change exactly",
    .document = "Cardhouse's own",
    .equation = "docs/theory/condense.md",
    .literature = "Alart and Curnier 1991",
    .takes = CH_TAKES_COULOMB | CH_TAKES_UNFORMED | CH_TAKES_UNSYMMETRIC | CH_IS_EXACT,
    .options = option_rows,
    .option_count = CH_OPTION_COUNT,
    .solve = solve};
