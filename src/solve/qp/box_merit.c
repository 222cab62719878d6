// The least-squares form of a complementarity problem: see box_merit.h.
#include "solve/qp/box_merit.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/normal_factor.h"
#include "linalg/sparse.h"

enum { MANY = 100 };  // pairs from which on sigma and tau are weighted down

struct ChBoxMerit {
  const ChMcp* mcp;
  int n, lows, highs;
  const int *low, *high;  // the variables with a lower, with an upper bound
  const double* X;        // the point of the products: x, z, y
  double* R;              // F(x) - z + y there
  double sigma, tau;      // times the weight omega
  double weight;
  double *t, *shifted, *turned;  // scratch of n
  ChNormalFactor* factor;        // NULL: no preconditioner
  double* diagonal;
  bool factored;
  long factorizations;
};

static double residual(ChBoxMerit* m, const double* X, double* R, double* sigma, double* tau) {
  const ChMcp* mcp = m->mcp;
  const double *z = X + m->n, *y = z + m->lows;
  mcp->evaluate(mcp->user, X, R);
  *sigma = *tau = 0.0;
  for (int k = 0; k < m->lows; ++k) {
    R[m->low[k]] -= z[k];
    *sigma += (X[m->low[k]] - mcp->lower[m->low[k]]) * z[k];
  }
  for (int k = 0; k < m->highs; ++k) {
    R[m->high[k]] += y[k];
    *tau += (mcp->upper[m->high[k]] - X[m->high[k]]) * y[k];
  }
  double sum = m->weight * (*sigma * *sigma + *tau * *tau);
  *sigma *= m->weight;
  *tau *= m->weight;
  for (int i = 0; i < m->n; ++i) sum += R[i] * R[i];
  return 0.5 * sum;
}

static double merit_value(void* user, const double* X) {
  ChBoxMerit* m = user;
  double sigma, tau;
  return residual(m, X, m->t, &sigma, &tau);
}

static void merit_gradient(void* user, const double* X, double* g) {
  ChBoxMerit* m = user;
  const ChMcp* mcp = m->mcp;
  const double *z = X + m->n, *y = z + m->lows;
  double *gz = g + m->n, *gy = gz + m->lows;
  m->X = X;
  residual(m, X, m->R, &m->sigma, &m->tau);
  mcp->multiply_transposed(mcp->user, X, m->R, g);
  for (int k = 0; k < m->lows; ++k) {
    int i = m->low[k];
    g[i] += m->sigma * z[k];
    gz[k] = m->sigma * (X[i] - mcp->lower[i]) - m->R[i];
  }
  for (int k = 0; k < m->highs; ++k) {
    int i = m->high[k];
    g[i] -= m->tau * y[k];
    gy[k] = m->tau * (mcp->upper[i] - X[i]) + m->R[i];
  }
}

// out += sum_i R_i F_i''(x) d, as a central difference of F'(x)^T R: exact, up to rounding, where F is quadratic.
static void add_curvature(ChBoxMerit* m, const double* d, double* out) {
  double length = 0.0, size = 1.0;
  for (int i = 0; i < m->n; ++i) {
    length = ch_max(fabs(d[i]), length);
    size = ch_max(fabs(m->X[i]), size);
  }
  if (!(length > 0.0)) return;
  double step = 1e-5 * size / length;
  for (int side = -1; side <= 1; side += 2) {
    for (int i = 0; i < m->n; ++i) m->shifted[i] = m->X[i] + side * step * d[i];
    m->mcp->multiply_transposed(m->mcp->user, m->shifted, m->R, m->turned);
    for (int i = 0; i < m->n; ++i) out[i] += side * m->turned[i] / (2.0 * step);
  }
}

static void merit_product(void* user, const double* d, double* out) {
  ChBoxMerit* m = user;
  const ChMcp* mcp = m->mcp;
  const double *z = m->X + m->n, *y = z + m->lows, *dz = d + m->n, *dy = dz + m->lows;
  double *oz = out + m->n, *oy = oz + m->lows, dsigma = 0.0, dtau = 0.0;
  mcp->multiply(mcp->user, m->X, d, m->t);
  for (int k = 0; k < m->lows; ++k) {
    int i = m->low[k];
    m->t[i] -= dz[k];
    dsigma += d[i] * z[k] + (m->X[i] - mcp->lower[i]) * dz[k];
  }
  for (int k = 0; k < m->highs; ++k) {
    int i = m->high[k];
    m->t[i] += dy[k];
    dtau += (mcp->upper[i] - m->X[i]) * dy[k] - d[i] * y[k];
  }
  dsigma *= m->weight;
  dtau *= m->weight;
  mcp->multiply_transposed(mcp->user, m->X, m->t, out);
  if (!mcp->matrix) add_curvature(m, d, out);
  for (int k = 0; k < m->lows; ++k) {
    int i = m->low[k];
    out[i] += dsigma * z[k] + m->sigma * dz[k];
    oz[k] = dsigma * (m->X[i] - mcp->lower[i]) + m->sigma * d[i] - m->t[i];
  }
  for (int k = 0; k < m->highs; ++k) {
    int i = m->high[k];
    out[i] -= dtau * y[k] + m->tau * dy[k];
    oy[k] = dtau * (mcp->upper[i] - m->X[i]) - m->tau * d[i] + m->t[i];
  }
}

// The Gauss-Newton matrix of the face with only the diagonals of the rank-one matrices that sigma and tau contribute.
static void merit_precondition(void* user, bool new_face, const bool* free, const double* r, double* out) {
  ChBoxMerit* m = user;
  const ChMcp* mcp = m->mcp;
  const double *z = m->X + m->n, *y = z + m->lows;
  int size = m->n + m->lows + m->highs;
  if (new_face) {
    double *dz = m->diagonal + m->n, *dy = dz + m->lows;
    for (int i = 0; i < size; ++i) m->diagonal[i] = 1e-10;
    for (int k = 0; k < m->lows; ++k) {
      int i = m->low[k];
      m->diagonal[i] += m->weight * z[k] * z[k];
      dz[k] += m->weight * pow(m->X[i] - mcp->lower[i], 2);
    }
    for (int k = 0; k < m->highs; ++k) {
      int i = m->high[k];
      m->diagonal[i] += m->weight * y[k] * y[k];
      dy[k] += m->weight * pow(mcp->upper[i] - m->X[i], 2);
    }
    ++m->factorizations;
    m->factored = ch_normal_factor_update(m->factor, free, m->diagonal);
  }
  for (int i = 0; i < size; ++i) out[i] = free[i] ? r[i] : 0.0;
  if (!m->factored) return;
  ch_normal_factor_solve(m->factor, out, out);
  for (int i = 0; i < size; ++i)
    if (!free[i]) out[i] = 0.0;
}

// Rows of [A, -I, +I], one a column.
static ChSparse* augmented_rows(ChArena* arena, const ChBoxMerit* m) {
  const ChSparse* A = m->mcp->matrix;
  long entries = A->start[A->columns], at = 0, count = entries + m->lows + m->highs;
  int* row = CH_TAKE(arena, count, int);
  int* column = CH_TAKE(arena, count, int);
  double* value = CH_TAKE(arena, count, double);
  for (int j = 0; j < A->columns; ++j)
    for (int k = A->start[j]; k < A->start[j + 1]; ++k, ++at) {
      row[at] = j;
      column[at] = A->index[k];
      value[at] = A->value[k];
    }
  for (int k = 0; k < m->lows + m->highs; ++k, ++at) {
    row[at] = m->n + k;
    column[at] = k < m->lows ? m->low[k] : m->high[k - m->lows];
    value[at] = k < m->lows ? -1.0 : 1.0;
  }
  ChTriplets triplets = {m->n + m->lows + m->highs, m->n, count, row, column, value};
  ChSparse* rows = CH_TAKE(arena, 1, ChSparse);
  *rows = ch_sparse_from_triplets(arena, &triplets);
  return rows;
}

ChBoxMerit* ch_box_merit_create(ChArena* arena, const ChMcp* mcp) {
  ChBoxMerit m = {.mcp = mcp, .n = mcp->n};
  int* low = CH_TAKE(arena, mcp->n, int);
  int* high = CH_TAKE(arena, mcp->n, int);
  for (int i = 0; i < mcp->n; ++i) {
    if (isfinite(mcp->lower[i])) low[m.lows++] = i;
    if (isfinite(mcp->upper[i])) high[m.highs++] = i;
  }
  int pairs = m.lows + m.highs;
  m.weight = pairs > MANY ? 1.0 / sqrt(pairs) : 1.0;
  m.low = low;
  m.high = high;
  double** arrays[] = {&m.R, &m.t, &m.shifted, &m.turned};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) *arrays[k] = CH_TAKE(arena, mcp->n, double);
  if (mcp->matrix) {
    m.factor = ch_normal_factor_create(arena, augmented_rows(arena, &m));
    m.diagonal = CH_TAKE(arena, m.n + m.lows + m.highs, double);
  }
  ChBoxMerit* merit = CH_TAKE(arena, 1, ChBoxMerit);
  *merit = m;
  return merit;
}

ChBoxProblem ch_box_merit_problem(ChArena* arena, ChBoxMerit* m) {
  int size = m->n + m->lows + m->highs;
  double* lower = CH_TAKE(arena, size, double);
  double* upper = CH_TAKE(arena, size, double);
  for (int i = 0; i < size; ++i) upper[i] = INFINITY;
  memcpy(lower, m->mcp->lower, (size_t)m->n * sizeof *lower);
  memcpy(upper, m->mcp->upper, (size_t)m->n * sizeof *upper);
  return (ChBoxProblem){.n = size,
                        .lower = lower,
                        .upper = upper,
                        .user = m,
                        .value = merit_value,
                        .gradient = merit_gradient,
                        .product = merit_product,
                        .precondition = m->factor ? merit_precondition : NULL};
}

ChBoxOptions ch_box_merit_options(const ChBoxMerit* m) {
  ChBoxOptions box = ch_box_options_default();
  bool many = m->lows + m->highs > MANY;
  box.gradient_tolerance = 1e-13;
  box.target = 1e-22;
  box.max_iterations = many ? 10000 : 1000;
  // A new face costs a factorisation: with many pairs a rough step now is worth more than a fine one later.
  if (m->factor && many) box.max_inner = 20;
  return box;
}

long ch_box_merit_factorizations(const ChBoxMerit* m) { return m->factorizations; }

void ch_box_merit_start(const ChBoxMerit* m, int run, double* X) {
  const ChMcp* mcp = m->mcp;
  double reach = 0.5 * (run + 1);
  unsigned long long state = 0x9E3779B97F4A7C15ULL * (unsigned long long)run;
  for (int i = 0; i < m->n; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    double spread = run ? reach * ((double)(state >> 11) / 4503599627370496.0 - 1.0) : 0.0;
    X[i] = ch_clamp(mcp->start[i] + spread, mcp->lower[i], mcp->upper[i]);
  }
  memset(X + m->n, 0, (size_t)(m->lows + m->highs) * sizeof *X);
}
