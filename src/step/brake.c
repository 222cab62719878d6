// See brake.h.
#include "step/brake.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/clock.h"
#include "problem/cones.h"
#include "problem/mass.h"

enum { LEAST_SWEEPS = 10, MOST_SWEEPS = 60, LOCAL_STEPS = 3, LANES = 4 };
#define SLOW 0.05     // share of the fastest approach without reactions that counts as stopped
#define SETTLED 1e-6  // change of a sweep, relative to all so far, at which more of them change nothing

// What a block touches: G = C^-1 H, M = C C' the mass of the body. Rows of G have `lanes` numbers.
typedef struct Touch {
  int body, size;
  double* G;
} Touch;

typedef struct Sweeps {
  const ChProblem* p;
  ChPose pose;
  int* start;  // blocks + 1
  Touch* touches;
  double* C;  // laid out as the masses
  double *W,
      *largest;       // of each block: W_ii, CH_BLOCK_MAX square; a bound of its eigenvalues, 0 where it moves nothing
  double *q, *gamma;  // q with Gamma in it
  double *y, *r;      // sum of G r, body by body; u = q + G'y
} Sweeps;

static int lanes_of(const ChBlock* block) { return block->dimension <= LANES ? LANES : CH_BLOCK_MAX; }

// Below the diagonal; false where M is not positive definite.
static bool factor(int n, const double* M, double* C) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = M[i * n + j];
      for (int k = 0; k < j; ++k) sum -= C[i * n + k] * C[j * n + k];
      if (i == j && !(sum > 0.0)) return false;
      C[i * n + j] = i == j ? sqrt(sum) : sum / C[j * n + j];
    }
  return true;
}

static inline void forward_loop(int n, int lanes, const double* C, double* X) {
  for (int i = 0; i < n; ++i) {
    double sum[CH_BLOCK_MAX];
    for (int a = 0; a < lanes; ++a) sum[a] = X[i * lanes + a];
    for (int k = 0; k < i; ++k)
      for (int a = 0; a < lanes; ++a) sum[a] -= C[i * n + k] * X[k * lanes + a];
    for (int a = 0; a < lanes; ++a) X[i * lanes + a] = sum[a] / C[i * n + i];
  }
}

static void forward(int n, int lanes, const double* C, double* X) {
  if (lanes == LANES)
    forward_loop(n, LANES, C, X);
  else
    forward_loop(n, lanes, C, X);
}

// The block's rows of H, body by body.
static void list_block(ChArena* arena, Sweeps* s, int i) {
  const ChProblem* p = s->p;
  const ChBlock* block = &p->blocks[i];
  int first = s->start[i], count = first, lanes = lanes_of(block);
  for (int a = 0; a < block->dimension; ++a)
    for (int k = p->H.start[block->row + a]; k < p->H.start[block->row + a + 1]; ++k) {
      int body = p->mass->body_of[p->H.index[k]], t = first, size = ch_mass_size(p->mass, body);
      while (t < count && s->touches[t].body != body) ++t;
      if (t == count) s->touches[count++] = (Touch){body, size, CH_TAKE(arena, (long)size * lanes, double)};
      s->touches[t].G[p->mass->slot[p->H.index[k]] * lanes + a] = p->H.value[k];
    }
  s->start[i + 1] = count;
}

// W_ii = G'G, with Gershgorin's bound.
static void weigh_block(Sweeps* s, int i) {
  int d = s->p->blocks[i].dimension, lanes = lanes_of(&s->p->blocks[i]);
  double* W = s->W + (long)i * CH_BLOCK_MAX * CH_BLOCK_MAX;
  for (int t = s->start[i]; t < s->start[i + 1]; ++t) {
    const Touch* touch = &s->touches[t];
    forward(touch->size, lanes, s->C + s->p->mass->offset[touch->body], touch->G);
    for (int x = 0; x < touch->size; ++x)
      for (int a = 0; a < d; ++a)
        for (int c = 0; c < d; ++c) W[a * d + c] += touch->G[x * lanes + a] * touch->G[x * lanes + c];
  }
  for (int a = 0; a < d; ++a) {
    double sum = 0.0;
    for (int c = 0; c < d; ++c) sum += fabs(W[a * d + c]);
    s->largest[i] = fmax(s->largest[i], sum);
  }
}

static bool set_up(ChArena* arena, Sweeps* s) {
  const ChProblem* p = s->p;
  const ChMass* mass = p->mass;
  s->C = CH_TAKE_RAW(arena, mass->offset[mass->bodies], double);
  for (int b = 0; b < mass->bodies; ++b)
    if (!factor(ch_mass_size(mass, b), mass->matrix + mass->offset[b], s->C + mass->offset[b])) return false;
  s->start = CH_TAKE(arena, p->block_count + 1, int);
  s->touches = CH_TAKE_RAW(arena, p->H.start[p->rows], Touch);
  s->W = CH_TAKE(arena, (long)p->block_count * CH_BLOCK_MAX * CH_BLOCK_MAX, double);
  s->largest = CH_TAKE(arena, p->block_count, double);
  s->y = CH_TAKE(arena, p->dof, double);
  for (int i = 0; i < p->block_count; ++i) {
    list_block(arena, s, i);
    weigh_block(s, i);
  }
  return true;
}

static inline void add_loop(int n, int lanes, const double* G, const double* r, double* y) {
  for (int x = 0; x < n; ++x)
    for (int a = 0; a < lanes; ++a) y[x] += G[x * lanes + a] * r[a];
}

static inline void collect_loop(int n, int lanes, const double* G, const double* y, double* u) {
  for (int x = 0; x < n; ++x)
    for (int a = 0; a < lanes; ++a) u[a] += G[x * lanes + a] * y[x];
}

// `r` of `lanes` numbers.
static void add_reaction(Sweeps* s, int i, const double* r) {
  bool few = lanes_of(&s->p->blocks[i]) == LANES;
  for (int t = s->start[i]; t < s->start[i + 1]; ++t) {
    const Touch* touch = &s->touches[t];
    if (few)
      add_loop(touch->size, LANES, touch->G, r, s->y + s->p->mass->start[touch->body]);
    else
      add_loop(touch->size, CH_BLOCK_MAX, touch->G, r, s->y + s->p->mass->start[touch->body]);
  }
}

static void velocity(const Sweeps* s, int i, double* u) {
  const ChBlock* block = &s->p->blocks[i];
  bool few = lanes_of(block) == LANES;
  memcpy(u, s->q + block->row, (size_t)block->dimension * sizeof *u);
  for (int t = s->start[i]; t < s->start[i + 1]; ++t) {
    const Touch* touch = &s->touches[t];
    if (few)
      collect_loop(touch->size, LANES, touch->G, s->y + s->p->mass->start[touch->body], u);
    else
      collect_loop(touch->size, CH_BLOCK_MAX, touch->G, s->y + s->p->mass->start[touch->body], u);
  }
}

// Less slip than before is believed: where Gamma falls, phi falls.
static void lower_gamma(Sweeps* s, int i, double* u) {
  double slip = ch_block_support(&s->p->blocks[i], s->pose, u);
  if (s->pose != CH_POSE_COULOMB || !(slip < s->gamma[i])) return;
  u[0] -= s->gamma[i] - slip;
  s->q[s->p->blocks[i].row] -= s->gamma[i] - slip;
  s->gamma[i] = slip;
}

// A few projected gradient steps on the block's own part of phi; returns |change|^2 in the block's own measure.
static double visit(Sweeps* s, int i) {
  const ChBlock* block = &s->p->blocks[i];
  int d = block->dimension;
  double u[CH_BLOCK_MAX] = {0.0}, x[CH_BLOCK_MAX] = {0.0}, change[CH_BLOCK_MAX] = {0.0}, moved = 0.0;
  double *r = s->r + block->row, L = s->largest[i];
  const double* W = s->W + (long)i * CH_BLOCK_MAX * CH_BLOCK_MAX;
  velocity(s, i, u);
  lower_gamma(s, i, u);
  memcpy(x, r, (size_t)d * sizeof *x);
  for (int step = 0; step < LOCAL_STEPS; ++step) {
    for (int a = 0; a < d; ++a) {
      double slope = u[a];
      for (int c = 0; c < d; ++c) slope += W[a * d + c] * (x[c] - r[c]);
      change[a] = x[a] - slope / L;
    }
    ch_block_project(block, s->pose, change, x);
  }
  for (int a = 0; a < d; ++a) {
    change[a] = x[a] - r[a];
    moved += L * change[a] * change[a];
    r[a] = x[a];
  }
  if (moved > 0.0) add_reaction(s, i, change);
  return moved;
}

static void sweep(Sweeps* s, double ends) {
  double all = 0.0;
  for (int i = 0; i < s->p->block_count; ++i) {
    double start[CH_BLOCK_MAX] = {0.0};
    memcpy(start, s->r + s->p->blocks[i].row, (size_t)s->p->blocks[i].dimension * sizeof *start);
    add_reaction(s, i, start);
  }
  for (int k = 0; k < MOST_SWEEPS && !(ends > 0.0 && k >= LEAST_SWEEPS && ch_clock_seconds() >= ends); ++k) {
    double moved = 0.0;
    for (int i = 0; i < s->p->block_count; ++i)
      if (s->largest[i] > 0.0) moved += visit(s, i);
    all = fmax(all, moved);
    if (!(moved > SETTLED * SETTLED * all)) return;
  }
}

// r times the s in [0, 1] at which phi is least; what is not finite becomes zero. `moved`: W r, and becomes W s r.
static void shorten(const ChProblem* p, const double* q, double* moved, double* r) {
  double slope = 0.0, curve = 0.0;
  for (int k = 0; k < p->rows; ++k) {
    slope += r[k] * q[k];
    curve += r[k] * moved[k];
  }
  bool descends = isfinite(slope) && isfinite(curve) && slope < 0.0 && curve > 0.0;
  double s = descends ? fmin(-slope / curve, 1.0) : 0.0;
  for (int k = 0; k < p->rows; ++k) {
    r[k] = descends ? s * r[k] : 0.0;
    moved[k] = descends ? s * moved[k] : 0.0;
  }
}

// Gamma of what is left of the best iterate, onto the velocities without reactions.
static void add_slip(const ChBrake* brake, const double* moved, double* gamma, double* q) {
  const ChProblem* p = brake->problem;
  for (int i = 0; i < p->block_count && brake->pose == CH_POSE_COULOMB; ++i) {
    const ChBlock* block = &p->blocks[i];
    double u[CH_BLOCK_MAX];
    for (int a = 0; a < block->dimension; ++a) u[a] = q[block->row + a] + moved[block->row + a];
    gamma[i] = ch_block_support(block, brake->pose, u);
    q[block->row] += gamma[i];
  }
}

// Whether the best iterate may stay: it gains no energy, and what still approaches is slow.
static bool is_admissible(const ChProblem* p, const double* q, const double* moved, const double* r) {
  double gain = 0.0, fastest = 0.0, approach = 0.0;
  for (int k = 0; k < p->rows; ++k) {
    gain += r[k] * (q[k] + 0.5 * moved[k]);
    fastest = ch_max(fastest, fabs(q[k]));
  }
  for (int i = 0; i < p->block_count; ++i)
    if (p->blocks[i].law == CH_LAW_CONTACT || p->blocks[i].law == CH_LAW_UNILATERAL)
      approach = ch_max(approach, -q[p->blocks[i].row] - moved[p->blocks[i].row]);
  return gain <= 0.0 && approach <= SLOW * fastest;
}

static ChStatus slow_down(ChContext* context, ChArena* arena, const ChBrake* brake, double* v, double* u, double* r,
                          ChSolveInfo* info) {
  const ChProblem* p = brake->problem;
  double *zero = CH_TAKE(arena, p->rows, double), *q = CH_TAKE(arena, p->rows, double);
  double *moved = CH_TAKE(arena, p->rows, double), *unread = CH_TAKE(arena, p->dof, double);
  ChStatus status = ch_problem_velocity(context, p, zero, unread, q);
  if (status == CH_OK) status = ch_problem_velocity(context, p, r, unread, moved);
  if (status != CH_OK) return status;
  for (int k = 0; k < p->rows; ++k) {
    moved[k] -= q[k];
    if (brake->relief) q[k] += brake->relief[k];
  }
  if (isfinite(info->certificate.natural) && is_admissible(p, q, moved, r)) return CH_OK;
  double* gamma = CH_TAKE(arena, p->block_count, double);
  shorten(p, q, moved, r);
  add_slip(brake, moved, gamma, q);
  shorten(p, q, moved, r);
  if (p->mass && !p->mass->lu) {
    Sweeps s = {.p = p, .pose = brake->pose, .q = q, .gamma = gamma, .r = r};
    if (set_up(arena, &s)) sweep(&s, brake->ends);
  }
  status = ch_problem_velocity(context, p, r, v, u);
  return status == CH_OK ? ch_certify(context, p, brake->pose, r, v, &info->certificate) : status;
}

ChStatus ch_brake(ChContext* context, const ChBrake* brake, double* v, double* u, double* r, ChSolveInfo* info) {
  ChArena* volatile arena = NULL;
  jmp_buf landing;
  if (setjmp(landing) || !(arena = ch_arena_create(NULL))) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory while braking in a problem with %d rows",
                   brake->problem->rows);
  }
  ch_arena_set_landing(arena, &landing);
  ChStatus status = slow_down(context, arena, brake, v, u, r, info);
  ch_arena_destroy(arena);
  return status;
}
