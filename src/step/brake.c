// See brake.h.
#include "step/brake.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "cardhouse/clock.h"
#include "problem/cones.h"
#include "problem/laws/law.h"
#include "problem/mass.h"

enum { LEAST_SWEEPS = 10, MOST_SWEEPS = 60, LOCAL_STEPS = 3, NAP = 3, LANES = 4 };
#define SLOW 0.05     // share of the fastest approach without reactions that counts as stopped
#define SETTLED 1e-6  // change of a sweep, relative to all so far, at which more of them change nothing

// What a block touches: G = C^-1 H, M = C C' the mass of the body. A row of G for each row of the block.
typedef struct Touch {
  int body;
  double* G;
} Touch;

typedef struct Sweeps {
  const ChProblem* p;
  ChPose pose;
  int *size, *place;  // of bodies: degrees of freedom, filled up to a multiple of LANES; where they begin in y
  double** root;      // of bodies: C^-1, column by column
  Touch** touches;    // of blocks
  int* count;
  double *W,
      *largest;       // of each block: W_ii, CH_BLOCK_MAX square; a bound of its eigenvalues, 0 where it moves nothing
  double *q, *gamma;  // q with Gamma in it
  double *y, *r;      // sum of G'r, body by body; u = q + G y + C r
  int* asleep;        // of blocks: sweeps in which they are not looked at
} Sweeps;

// The columns of C^-1, each of `size` numbers; false where M is not positive definite.
static bool invert_root(int n, int size, const double* M, double* C, double* inverse) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = M[i * n + j];
      for (int k = 0; k < j; ++k) sum -= C[i * n + k] * C[j * n + k];
      if (i == j && !(sum > 0.0)) return false;
      C[i * n + j] = i == j ? sqrt(sum) : sum / C[j * n + j];
    }
  for (int c = 0; c < n; ++c)
    for (int i = c; i < n; ++i) {
      double sum = i == c ? 1.0 : 0.0;
      for (int k = c; k < i; ++k) sum -= C[i * n + k] * inverse[c * size + k];
      inverse[c * size + i] = sum / C[i * n + i];
    }
  return true;
}

static bool invert_roots(ChArena* arena, Sweeps* s) {
  const ChMass* mass = s->p->mass;
  double C[CH_BODY_MAX * CH_BODY_MAX];
  s->size = CH_TAKE_RAW(arena, mass->bodies, int);
  s->place = CH_TAKE(arena, mass->bodies + 1, int);
  s->root = CH_TAKE(arena, mass->bodies, double*);
  for (int b = 0; b < mass->bodies; ++b) {
    int n = ch_mass_size(mass, b);
    s->size[b] = (n + LANES - 1) / LANES * LANES;
    s->place[b + 1] = s->place[b] + s->size[b];
    s->root[b] = CH_TAKE(arena, (long)n * s->size[b], double);
    if (!invert_root(n, s->size[b], mass->matrix + mass->offset[b], C, s->root[b])) return false;
  }
  s->y = CH_TAKE(arena, s->place[mass->bodies], double);
  return true;
}

static void add(int n, double factor, const double* x, double* y) {
#pragma omp simd
  for (int k = 0; k < n; ++k) y[k] += factor * x[k];
}

static double dot(int n, const double* x, const double* y) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (int k = 0; k < n; ++k) sum += x[k] * y[k];
  return sum;
}

// G of every body that the block touches.
static void list_block(ChArena* arena, Sweeps* s, int i) {
  const ChProblem* p = s->p;
  const ChBlock* block = &p->blocks[i];
  int entries = p->H.start[block->row + block->dimension] - p->H.start[block->row];
  Touch* list = s->touches[i] = CH_TAKE_RAW(arena, entries < p->mass->bodies ? entries : p->mass->bodies, Touch);
  for (int a = 0; a < block->dimension; ++a)
    for (int k = p->H.start[block->row + a]; k < p->H.start[block->row + a + 1]; ++k) {
      int body = p->mass->body_of[p->H.index[k]], size = s->size[body], t = 0;
      while (t < s->count[i] && list[t].body != body) ++t;
      if (t == s->count[i]) {
        list[t] = (Touch){body, CH_TAKE(arena, (long)size * block->dimension, double)};
        ++s->count[i];
      }
      int slot = p->mass->slot[p->H.index[k]], above = slot - slot % LANES;  // C^-1 has nothing above its diagonal
      add(size - above, p->H.value[k], s->root[body] + (long)slot * size + above, list[t].G + a * size + above);
    }
}

// W_ii = G G' and what the contact yields, with Gershgorin's bound.
static void weigh_block(Sweeps* s, int i) {
  int d = s->p->blocks[i].dimension;
  double* W = s->W + (long)i * CH_BLOCK_MAX * CH_BLOCK_MAX;
  for (int t = 0; t < s->count[i]; ++t) {
    const Touch* touch = &s->touches[i][t];
    int size = s->size[touch->body];
    for (int a = 0; a < d; ++a)
      for (int c = 0; c < d; ++c) W[a * d + c] += dot(size, touch->G + a * size, touch->G + c * size);
  }
  if (s->count[i] > 0) {
    W[0] += ch_block_compliance(&s->p->blocks[i]);
    for (int a = 1; a < d; ++a) W[a * d + a] += ch_block_shear(&s->p->blocks[i]);
  }
  for (int a = 0; a < d; ++a) {
    double sum = 0.0;
    for (int c = 0; c < d; ++c) sum += fabs(W[a * d + c]);
    if (sum > s->largest[i]) s->largest[i] = sum;
  }
}

static bool set_up(ChArena* arena, Sweeps* s) {
  const ChProblem* p = s->p;
  if (!invert_roots(arena, s)) return false;
  s->touches = CH_TAKE_RAW(arena, p->block_count, Touch*);
  s->count = CH_TAKE(arena, p->block_count, int);
  s->W = CH_TAKE(arena, (long)p->block_count * CH_BLOCK_MAX * CH_BLOCK_MAX, double);
  s->largest = CH_TAKE(arena, p->block_count, double);
  s->asleep = CH_TAKE(arena, p->block_count, int);
  for (int i = 0; i < p->block_count; ++i) {
    list_block(arena, s, i);
    weigh_block(s, i);
  }
  return true;
}

static inline void add_three(int n, const double* G, const double* r, double* y) {
#pragma omp simd
  for (int k = 0; k < n; ++k) y[k] += G[k] * r[0] + G[n + k] * r[1] + G[2 * n + k] * r[2];
}

static inline void collect_three(int n, const double* G, const double* y, double* u) {
  double a = 0.0, b = 0.0, c = 0.0;
#pragma omp simd reduction(+ : a, b, c)
  for (int k = 0; k < n; ++k) {
    a += G[k] * y[k];
    b += G[n + k] * y[k];
    c += G[2 * n + k] * y[k];
  }
  u[0] += a, u[1] += b, u[2] += c;
}

static void add_reaction(Sweeps* s, int i, const double* r) {
  int d = s->p->blocks[i].dimension;
  if (r[0] == 0.0 && d == 3 && r[1] == 0.0 && r[2] == 0.0) return;
  for (int t = 0; t < s->count[i]; ++t) {
    const Touch* touch = &s->touches[i][t];
    int size = s->size[touch->body];
    double* y = s->y + s->place[touch->body];
    if (d == 3) add_three(size, touch->G, r, y);
    for (int a = 0; d != 3 && a < d; ++a) add(size, r[a], touch->G + a * size, y);
  }
}

static void velocity(const Sweeps* s, int i, double* u) {
  const ChBlock* block = &s->p->blocks[i];
  int d = block->dimension;
  memcpy(u, s->q + block->row, (size_t)d * sizeof *u);
  if (ch_block_compliance(block) > 0.0) u[0] += ch_block_compliance(block) * s->r[block->row];
  if (ch_block_shear(block) > 0.0)
    for (int a = 1; a < d; ++a) u[a] += ch_block_shear(block) * s->r[block->row + a];
  for (int t = 0; t < s->count[i]; ++t) {
    const Touch* touch = &s->touches[i][t];
    int size = s->size[touch->body];
    const double* y = s->y + s->place[touch->body];
    if (d == 3) collect_three(size, touch->G, y, u);
    for (int a = 0; d != 3 && a < d; ++a) u[a] += dot(size, touch->G + a * size, y);
  }
}

// The common cases at once.
static void project(const Sweeps* s, const ChBlock* block, const double* x, double* y) {
  bool round = ch_law_row(block)->cone && block->dimension == 3 && block->mu[0] == block->mu[1];
  if (round && block->sides == 0 && s->pose != CH_POSE_FRICTIONLESS)
    ch_project_circular3(block->mu[0], x, y);
  else
    ch_block_project(block, s->pose, x, y);
}

// Less slip than before is believed: where Gamma falls, phi falls.
static void lower_gamma(Sweeps* s, int i, double* u) {
  double slip = ch_block_support(&s->p->blocks[i], s->pose, u);
  if (s->pose != CH_POSE_COULOMB || !(slip < s->gamma[i])) return;
  u[0] -= s->gamma[i] - slip;
  s->q[s->p->blocks[i].row] -= s->gamma[i] - slip;
  s->gamma[i] = slip;
}

// A few projected gradient steps on the block's own part of phi, from r to x; u belongs to r.
static inline void descend(const Sweeps* s, int i, int d, const double* u, const double* r, double* x) {
  const ChBlock* block = &s->p->blocks[i];
  double length = 1.0 / s->largest[i], next[CH_BLOCK_MAX];
  const double* W = s->W + (long)i * CH_BLOCK_MAX * CH_BLOCK_MAX;
  memcpy(x, r, (size_t)d * sizeof *x);
  for (int step = 0; step < LOCAL_STEPS; ++step) {
    bool same = true;
    for (int a = 0; a < d; ++a) {
      double slope = u[a];
      for (int c = 0; c < d; ++c) slope += W[a * d + c] * (x[c] - r[c]);
      next[a] = x[a] - slope * length;
    }
    project(s, block, next, next);
    for (int a = 0; a < d; ++a) {
      same &= next[a] == x[a];
      x[a] = next[a];
    }
    if (same) return;
  }
}

// Returns |change|^2 in the block's own measure.
static double visit(Sweeps* s, int i) {
  int d = s->p->blocks[i].dimension;
  double u[CH_BLOCK_MAX], x[CH_BLOCK_MAX], *r = s->r + s->p->blocks[i].row, moved = 0.0;
  velocity(s, i, u);
  lower_gamma(s, i, u);
  if (d == 3)
    descend(s, i, 3, u, r, x);  // of a size that is known when compiled
  else
    descend(s, i, d, u, r, x);
  for (int a = 0; a < d; ++a) {
    double change = x[a] - r[a];
    moved += change * change;
    r[a] = x[a];
    x[a] = change;
  }
  if (moved > 0.0)
    add_reaction(s, i, x);
  else
    s->asleep[i] = NAP;
  return s->largest[i] * moved;
}

// What stays as it is, as open contacts do, is looked at now and then.
static double visit_all(Sweeps* s) {
  double moved = 0.0;
  for (int i = 0; i < s->p->block_count; ++i) {
    if (s->asleep[i] > 0)
      --s->asleep[i];
    else if (s->largest[i] > 0.0)
      moved += visit(s, i);
  }
  return moved;
}

static void sweep(Sweeps* s, double ends) {
  double all = 0.0, moved = 0.0;
  for (int i = 0; i < s->p->block_count; ++i) add_reaction(s, i, s->r + s->p->blocks[i].row);
  for (int k = 0; k < MOST_SWEEPS; ++k) {
    if (ends > 0.0 && k >= LEAST_SWEEPS && ch_clock_seconds() >= ends) return;
    moved = visit_all(s);
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
    if (ch_law_info(p->blocks[i].law)->opens)
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
  ch_problem_add_compliance(p, r, moved);
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
  CH_ASSERT(brake->problem && v && u && r);
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
