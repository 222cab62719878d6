// The dual active-set method: see dual_active_set.h.
#include "solve/qp/dual_active_set.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "cardhouse/clock.h"
#include "linalg/principal_factor.h"
#include "linalg/sparse.h"

#define TINY_PIVOT 1e-11  // entries of a direction that are round-off, relative to the largest
#define NOISE 1e-15       // of w, relative to the largest sum in it
#define REDUNDANT 1e6     // a contradiction below this times the noise is what dependent constraints leave
#define PROGRESS 1e-14    // of the dual objective in a round, relative
enum { MOST_REFINEMENTS = 3, MOST_IDLE_ROUNDS = 3, ROUND = 200 };

struct ChDualActiveSet {
  ChDualActiveSetDef def;
  int n, count;
  int* active;
  ChPrincipalFactor* factor;
  const double* b;
  ChDualLimits limits;
  double *y, *w, *d, *right, *cap;
  double noise;            // round-off of w
  double* root;            // sqrt(A_pp)
  unsigned char* settled;  // violated by no more than what a dependence leaves
  long changes;
};

ChDualActiveSet* ch_dual_active_set_create(ChArena* arena, const ChDualActiveSetDef* def) {
  ChDualActiveSet* s = CH_TAKE(arena, 1, ChDualActiveSet);
  const ChSparse* A = def->A;
  s->def = *def;
  s->n = A->columns;
  s->active = CH_TAKE(arena, s->n, int);
  s->settled = CH_TAKE(arena, s->n, unsigned char);
  double** vectors[] = {&s->y, &s->w, &s->d, &s->right, &s->root, &s->cap};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k) *vectors[k] = CH_TAKE(arena, s->n, double);
  for (int p = 0; p < s->n; ++p) s->cap[p] = def->cap ? def->cap[p] : INFINITY;
  for (int p = 0; p < s->n; ++p)
    for (int k = A->start[p]; k < A->start[p + 1]; ++k)
      if (A->index[k] == p) s->root[p] = sqrt(fmax(A->value[k], 0.0));
  s->factor = ch_principal_factor_create(arena, A, def->rank_max < s->n ? def->rank_max : s->n, def->sparse);
  return s;
}

const double* ch_dual_active_set_multipliers(const ChDualActiveSet* s) { return s->y; }
long ch_dual_active_set_changes(const ChDualActiveSet* s) { return s->changes; }

static bool is_free(const ChDualActiveSet* s, int p) { return s->def.free && s->def.free[p]; }
static bool is_active(const ChDualActiveSet* s, int p) { return ch_principal_factor_holds(s->factor, p); }

static bool exhausted(const ChDualActiveSet* s) {
  return s->changes >= s->limits.max_changes || ch_deadline_passed(s->limits.deadline);
}

static bool independent(const ChDualActiveSet* s, int p, double schur) {
  return schur > s->def.tol_dependent * s->root[p] * s->root[p];
}

static void add(ChDualActiveSet* s, int p) {
  ch_principal_factor_add(s->factor, p);
  s->active[s->count++] = p;
  ++s->changes;
}

// The constraint at position k of the list leaves, with its multiplier at the bound that it was moving to.
static void drop(ChDualActiveSet* s, int k, bool upper) {
  int p = s->active[k];
  s->y[p] = upper ? s->cap[p] : 0.0;
  ch_principal_factor_drop(s->factor, p);
  memmove(s->active + k, s->active + k + 1, (size_t)(s->count - k - 1) * sizeof *s->active);
  --s->count;
  ++s->changes;
}

// How far y_p can go with speed v before it meets a bound.
static double room(const ChDualActiveSet* s, int p, double v) {
  if (is_free(s, p) || v == 0.0) return INFINITY;
  return fmax(v < 0.0 ? -s->y[p] / v : (s->cap[p] - s->y[p]) / v, 0.0);
}

typedef struct Block {
  double step;
  int position;  // in the list of active constraints, -1: none
  bool upper;
} Block;

// The first active multiplier to meet a bound when they move with sign * d; of equal ones that with the largest speed,
// which leaves the better conditioned factor.
static Block first_block(const ChDualActiveSet* s, double sign) {
  Block b = {.step = INFINITY, .position = -1};
  double largest = 0.0, speed = 0.0;
  for (int k = 0; k < s->count; ++k) largest = fmax(largest, fabs(s->d[s->active[k]]));
  for (int k = 0; k < s->count; ++k) {
    double v = sign * s->d[s->active[k]];
    if (fabs(v) <= TINY_PIVOT * largest) continue;
    double step = room(s, s->active[k], v);
    if (step < b.step || (step == b.step && fabs(v) > speed && isfinite(step))) {
      b = (Block){.step = step, .position = k, .upper = v > 0.0};
      speed = fabs(v);
    }
  }
  return b;
}

static void add_column(const ChDualActiveSet* s, int p, double factor) {
  const ChSparse* A = s->def.A;
  for (int k = A->start[p]; k < A->start[p + 1]; ++k) s->w[A->index[k]] += factor * A->value[k];
}

// y_p moves by t, the active ones by -t d, and w follows.
static void move(ChDualActiveSet* s, int p, double t) {
  s->y[p] += t;
  add_column(s, p, t);
  for (int k = 0; k < s->count; ++k) {
    int j = s->active[k];
    s->y[j] -= t * s->d[j];
    if (s->d[j] != 0.0) add_column(s, j, -t * s->d[j]);
  }
}

// A multiplier of a dependent constraint is taken to zero, or until an active one is there first and makes place for
// it. A y does not change.
static void absorb(ChDualActiveSet* s, int p) {
  for (;;) {
    if (independent(s, p, ch_principal_factor_probe(s->factor, p, s->d))) {
      add(s, p);
      return;
    }
    double sign = s->y[p] > 0.0 ? -1.0 : 1.0;  // of the change of y_p
    Block block = first_block(s, -sign);
    double t = fmin(block.step, fabs(s->y[p]));
    s->y[p] += sign * t;
    for (int k = 0; k < s->count; ++k) s->y[s->active[k]] -= sign * t * s->d[s->active[k]];
    if (t < block.step || block.position < 0) {
      s->y[p] = 0.0;
      return;
    }
    drop(s, block.position, block.upper);
  }
}

void ch_dual_active_set_start(ChDualActiveSet* s, const double* y) {
  for (int p = 0; p < s->n; ++p) s->y[p] = is_free(s, p) ? y[p] : ch_clamp(y[p], 0.0, s->cap[p]);
  for (int p = 0; p < s->n; ++p) {
    bool inside = is_free(s, p) || (s->y[p] > 0.0 && s->y[p] < s->cap[p]);
    if (inside && s->root[p] > 0.0) absorb(s, p);
  }
  s->changes = 0;
}

void ch_dual_active_set_recap(ChDualActiveSet* s, const double* cap) {
  for (int p = 0; p < s->n; ++p) {
    bool at_cap = s->y[p] == s->cap[p] && !is_active(s, p);
    s->cap[p] = cap[p];
    if (!is_free(s, p)) s->y[p] = at_cap ? cap[p] : ch_clamp(s->y[p], 0.0, cap[p]);
  }
}

static void compute_slack(ChDualActiveSet* s) {
  memcpy(s->w, s->b, (size_t)s->n * sizeof *s->w);
  ch_sparse_multiply_add(s->def.A, s->y, s->w);
}

// The active multipliers go to where w_a = 0; those that meet a bound on the way are dropped. Also the cure for the
// round-off of many steps.
static void settle(ChDualActiveSet* s) {
  compute_slack(s);
  for (int full = 0; full < MOST_REFINEMENTS && !exhausted(s);) {
    double worst = 0.0;
    for (int k = 0; k < s->count; ++k) worst = fmax(worst, fabs(s->w[s->active[k]]) / s->root[s->active[k]]);
    if (!(worst > 0.01 * s->limits.tolerance)) return;
    for (int k = 0; k < s->count; ++k) s->right[s->active[k]] = -s->w[s->active[k]];
    ch_principal_factor_solve(s->factor, s->right, s->d);
    Block block = first_block(s, 1.0);
    double t = fmin(block.step, 1.0);
    for (int k = 0; k < s->count; ++k) s->y[s->active[k]] += t * s->d[s->active[k]];
    if (block.step < 1.0)
      drop(s, block.position, block.upper);
    else
      ++full;
    compute_slack(s);
  }
}

// How much constraint p is violated, relative to the length of its normal; sign says where y_p wants to go.
static double violation(const ChDualActiveSet* s, int p, double* sign) {
  *sign = s->w[p] < 0.0 ? 1.0 : -1.0;
  if (fabs(s->w[p]) <= s->noise) return 0.0;
  double size = fabs(s->w[p]) / fmax(s->root[p], 1e-300);
  if (is_free(s, p)) return s->root[p] > 0.0 ? size : 0.0;
  return room(s, p, *sign) > 0.0 ? size : 0.0;
}

static int most_violated(const ChDualActiveSet* s) {
  int worst = -1;
  double most = s->limits.tolerance, sign;
  for (int p = 0; p < s->n; ++p) {
    if (is_active(s, p) || s->settled[p]) continue;
    double size = violation(s, p, &sign);
    if (size > most) most = size, worst = p;
  }
  return worst;
}

// Nothing bounds the step: true where the violation is a contradiction.
static bool contradicts(ChDualActiveSet* s, int p) {
  if (fabs(s->w[p]) > REDUNDANT * s->noise) return true;
  s->settled[p] = 1;
  if (s->y[p] != 0.0) absorb(s, p);
  return false;
}

// Constraint p enters. False when it contradicts the active ones.
static bool enter(ChDualActiveSet* s, int p) {
  double sign;
  violation(s, p, &sign);
  while (!exhausted(s)) {
    double schur = ch_principal_factor_probe(s->factor, p, s->d);
    bool free_of_others = independent(s, p, schur);
    double full = free_of_others ? -sign * s->w[p] / schur : INFINITY;
    Block block = first_block(s, -sign);
    double own = room(s, p, sign), t = fmin(fmin(full, own), block.step);
    if (!isfinite(t)) return !contradicts(s, p);
    move(s, p, sign * fmax(t, 0.0));
    if (own <= t) {
      s->y[p] = sign > 0.0 ? s->cap[p] : 0.0;
      return true;
    }
    if (free_of_others && full <= t) {
      add(s, p);
      return true;
    }
    drop(s, block.position, block.upper);
  }
  return true;
}

// What sums of this size leave of their last digits: NOISE times the largest sum of |b| and |A| |y|.
static void measure_noise(ChDualActiveSet* s) {
  const ChSparse* A = s->def.A;
  for (int p = 0; p < s->n; ++p) s->right[p] = fabs(s->b[p]);
  for (int p = 0; p < s->n; ++p)
    for (int k = A->start[p]; k < A->start[p + 1] && s->y[p] != 0.0; ++k)
      s->right[A->index[k]] += fabs(A->value[k] * s->y[p]);
  s->noise = 0.0;
  for (int p = 0; p < s->n; ++p) s->noise = fmax(s->noise, NOISE * s->right[p]);
}

static double dual_objective(const ChDualActiveSet* s) {
  double sum = 0.0;
  for (int p = 0; p < s->n; ++p) sum += 0.5 * s->y[p] * (s->w[p] + s->b[p]);
  return sum;
}

// Constraints enter in rounds; between them round-off is repaired and measured. A round that does not lower the dual
// objective has only moved round-off.
ChDualEnd ch_dual_active_set_solve(ChDualActiveSet* s, const double* b, const ChDualLimits* limits) {
  s->b = b;
  s->limits = *limits;
  s->limits.max_changes += s->changes;
  memset(s->settled, 0, (size_t)s->n * sizeof *s->settled);
  double lowest = INFINITY;
  for (int idle = 0; idle < MOST_IDLE_ROUNDS;) {
    settle(s);
    measure_noise(s);
    double value = dual_objective(s);
    idle = value < lowest - PROGRESS * fabs(lowest) || lowest == INFINITY ? 0 : idle + 1;
    lowest = fmin(lowest, value);
    int p = most_violated(s);
    if (p < 0) return exhausted(s) ? CH_DUAL_LIMIT : CH_DUAL_SOLVED;
    for (int k = 0; k < ROUND && p >= 0; ++k, p = most_violated(s)) {
      if (!enter(s, p)) return CH_DUAL_INFEASIBLE;
      if (exhausted(s)) break;
    }
    if (!exhausted(s)) continue;
    settle(s);
    return CH_DUAL_LIMIT;
  }
  return CH_DUAL_LIMIT;
}
