// Lemke's path: see lemke_path.h.
//
//   d = B e,  e = 1 at every sign-constrained place: then y0 lifts all basic variables alike.
//
// Equal ratios would let the method cycle: the start is x + epsilon, epsilon distinct and small, that is b + B epsilon
// in place of b. Ratios within round-off of each other are decided by the larger pivot (Harris 1973).
//
// A degenerate problem (a pile at rest) is solved long before y0 has worked its way through the perturbation: once y0
// is as small as that, the basis is tried with b itself.
#include "solve/lcp/lemke_path.h"

#include <math.h>
#include <string.h>

#include "cardhouse/clock.h"

#define NEAR_TIE 1e-13  // by which a basic variable may be overshot, relative to the largest
#define FREE_PIVOT 1e-9
#define EXACT 1e-13  // what may be negative, or left of y0, with b itself, relative to the largest
#define TRIALS 10    // pivots between two trials

typedef struct Path {
  ChLcpBasis* basis;
  const ChPathLimits* limits;
  int n;
  double slack;
  double small;  // y0 from which on b itself is tried
  long next_trial;
} Path;

static bool has_sign(const ChLcpBasis* basis, int variable) {
  return !ch_lcp_is_free(basis, variable) && !ch_lcp_is_fixed(basis, variable);
}

static void start(Path* path) {
  ChLcpBasis* basis = path->basis;
  double size = ch_lcp_largest(path->n, basis->lcp->b);
  unsigned long seed = 1;
  memcpy(path->basis->b, basis->lcp->b, (size_t)path->n * sizeof(double));
  memset(basis->d, 0, (size_t)path->n * sizeof(double));
  for (int k = 0; k < path->n; ++k) {
    if (!has_sign(basis, basis->basic[k])) continue;
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    double draw = 1.0 + (double)(seed >> 33) / 2147483648.0;
    ch_lcp_basis_scatter(basis, basis->basic[k], path->limits->perturbation * size * draw, path->basis->b);
    ch_lcp_basis_scatter(basis, basis->basic[k], 1.0, basis->d);
  }
  ch_lcp_basis_solve(basis, path->basis->b, path->basis->x);
  path->small = 100.0 * path->limits->perturbation * size;
  path->slack = NEAR_TIE * ch_lcp_largest(path->n, path->basis->x);
}

// The place that blocks the entering variable first, -1 on a ray. y0 leaves whenever it can.
static int ratio_test(const Path* path) {
  const ChLcpBasis* basis = path->basis;
  const double* t = basis->direction;
  double smallest = path->limits->tol_pivot * ch_lcp_largest(path->n, t), reach = INFINITY;
  for (int i = 0; i < path->n; ++i)
    if (t[i] > smallest && has_sign(basis, basis->basic[i]))
      reach = fmin(reach, (fmax(path->basis->x[i], 0.0) + path->slack) / t[i]);
  int place = -1;
  for (int i = 0; i < path->n; ++i) {
    if (!(t[i] > smallest) || !has_sign(basis, basis->basic[i]) || !(fmax(path->basis->x[i], 0.0) <= reach * t[i]))
      continue;
    if (basis->basic[i] == ch_lcp_cover(basis)) return i;
    if (place < 0 || t[i] > t[place]) place = i;
  }
  return place;
}

static bool exchange(Path* path, int place, int entering) {
  const double* t = path->basis->direction;
  double step = path->basis->x[place] / t[place];
  for (int i = 0; i < path->n; ++i) path->basis->x[i] -= step * t[i];
  path->basis->x[place] = step;
  if (!ch_lcp_basis_exchange(path->basis, place, entering)) return false;
  if (!ch_lcp_basis_is_stale(path->basis)) ch_lcp_basis_solve(path->basis, path->basis->b, path->basis->x);
  return true;
}

// First pivot: y0 takes the place of the worst variable, which `left` names; -1 when there is none.
static bool cover(Path* path, int* left) {
  ChLcpBasis* basis = path->basis;
  int worst = -1;
  for (int i = 0; i < path->n; ++i)
    if (has_sign(basis, basis->basic[i]) && path->basis->x[i] < 0.0 &&
        (worst < 0 || path->basis->x[i] < path->basis->x[worst]))
      worst = i;
  *left = worst < 0 ? -1 : basis->basic[worst];
  if (worst < 0) return true;
  ch_lcp_basis_direct(basis, ch_lcp_cover(basis));
  return exchange(path, worst, ch_lcp_cover(basis));
}

// Whether the basis, y0 included, solves the problem with b itself. basis->direction is used up.
static bool solves(Path* path, long pivot) {
  ChLcpBasis* basis = path->basis;
  int y0 = basis->place[ch_lcp_cover(basis)];
  if (y0 < 0 || pivot < path->next_trial || !(basis->x[y0] <= path->small)) return false;
  path->next_trial = pivot + TRIALS;
  ch_lcp_basis_solve(basis, basis->lcp->b, basis->direction);
  double bound = EXACT * ch_lcp_largest(path->n, basis->direction);
  for (int i = 0; i < path->n; ++i)
    if (has_sign(basis, basis->basic[i]) && !(basis->direction[i] >= -bound)) return false;
  return fabs(basis->direction[y0]) <= bound;
}

static ChPathEnd follow(Path* path, int left, long* pivots) {
  ChLcpBasis* basis = path->basis;
  const ChPathLimits* limits = path->limits;
  for (long pivot = 0; left != ch_lcp_cover(basis); ++pivot) {
    if (limits->pivots > 0 && pivot == limits->pivots) return CH_PATH_LIMIT;
    if (ch_deadline_passed(limits->deadline)) return CH_PATH_LATE;
    int entering = ch_lcp_complement(basis, left);
    ch_lcp_basis_direct(basis, entering);
    int place = ratio_test(path);
    if (place < 0) return CH_PATH_RAY;
    left = basis->basic[place];
    ++*pivots;
    if (!exchange(path, place, entering)) return CH_PATH_SINGULAR;
    if (solves(path, pivot)) return CH_PATH_SOLVED;
  }
  return CH_PATH_SOLVED;
}

ChPathEnd ch_lemke_path(ChLcpBasis* basis, const ChPathLimits* limits, long* pivots) {
  int left;
  Path path = {.basis = basis, .limits = limits, .n = basis->n};
  start(&path);
  if (!cover(&path, &left)) return CH_PATH_SINGULAR;
  return left < 0 ? CH_PATH_SOLVED : follow(&path, left, pivots);
}

bool ch_lemke_enter_free(ChLcpBasis* basis) {
  for (int j = 0; j < basis->n; ++j) {
    if (!basis->lcp->free[j]) continue;
    ch_lcp_basis_direct(basis, basis->n + j);
    double most = 0.0;
    int place = -1;
    for (int i = 0; i < basis->n; ++i)
      if (ch_lcp_is_fixed(basis, basis->basic[i]) && fabs(basis->direction[i]) > most)
        most = fabs(basis->direction[i]), place = i;
    if (!(most > FREE_PIVOT * ch_lcp_largest(basis->n, basis->direction))) continue;
    if (!ch_lcp_basis_exchange(basis, place, basis->n + j)) return false;
  }
  return true;
}

bool ch_lemke_point(ChLcpBasis* basis, double* y) {
  memset(y, 0, (size_t)basis->n * sizeof *y);
  if ((basis->lu == NULL || ch_lcp_basis_is_stale(basis)) && !ch_lcp_basis_factor(basis)) return false;
  ch_lcp_basis_solve(basis, basis->lcp->b, basis->x);
  for (int k = 0; k < basis->n; ++k)
    if (basis->basic[k] >= basis->n && basis->basic[k] < ch_lcp_cover(basis))
      y[basis->basic[k] - basis->n] = basis->x[k];
  return true;
}
