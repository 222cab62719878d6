// See hub_inverse.h. With the hubs last, M = [ D B^T; B A ] is eliminated without fill:
//
//   S = A - B D^-1 B^T = C C^T      weight = 1 / D, 0 of a hub      T^T = C^-1 [ -B D^-1  1 ]
#include "problem/hub_inverse.h"

#include <math.h>

#include "cardhouse/problem.h"
#include "linalg/dot.h"
#include "linalg/quad.h"

// A hub is coupled with more degrees of freedom than there may be hubs. Returns how many there are.
static int list_hubs(int size, const double* M, int hub[CH_HUBS_MAX], bool* is_hub) {
  int count = 0;
  for (int x = 0; x < size; ++x) {
    int coupled = 0;
    for (int y = 0; y < size; ++y) coupled += M[x * size + y] != 0.0;
    is_hub[x] = coupled - 1 > CH_HUBS_MAX;
    if (!is_hub[x]) continue;
    if (count == CH_HUBS_MAX) return 0;
    hub[count++] = x;
  }
  return count;
}

// Symmetric, positive along the diagonal, and coupled through hubs alone.
static bool fits(int size, const double* M, const bool* is_hub) {
  for (int x = 0; x < size; ++x) {
    if (!(M[x * size + x] > 0.0)) return false;
    for (int y = 0; y < x; ++y) {
      if (M[x * size + y] != M[y * size + x]) return false;
      if (M[x * size + y] != 0.0 && !is_hub[x] && !is_hub[y]) return false;
    }
  }
  return true;
}

// C in the lower half of S; false where that is not positive definite.
static bool factor(int n, double S[CH_HUBS_MAX][CH_HUBS_MAX]) {
  for (int k = 0; k < n; ++k) {
    for (int l = 0; l < k; ++l) S[k][k] -= S[k][l] * S[k][l];
    if (!(S[k][k] > 0.0)) return false;
    S[k][k] = sqrt(S[k][k]);
    for (int m = k + 1; m < n; ++m) {
      for (int l = 0; l < k; ++l) S[m][k] -= S[m][l] * S[k][l];
      S[m][k] /= S[k][k];
    }
  }
  return true;
}

// T := T C^-T, column by column
static void substitute(int size, int n, double C[CH_HUBS_MAX][CH_HUBS_MAX], double* T) {
  for (int k = 0; k < n; ++k) {
    double* t = T + k * size;
    for (int l = 0; l < k; ++l)
      for (int x = 0; x < size; ++x) t[x] -= C[k][l] * T[l * size + x];
    for (int x = 0; x < size; ++x) t[x] /= C[k][k];
  }
}

ChHubInverse ch_hub_inverse_find(ChArena* arena, int size, const double* M) {
  ChHubInverse none = {0}, found = {0};
  int hub[CH_HUBS_MAX];
  double S[CH_HUBS_MAX][CH_HUBS_MAX];
  bool* is_hub = CH_TAKE_RAW(arena, size, bool);
  int hubs = found.hubs = list_hubs(size, M, hub, is_hub);
  if (hubs == 0 || !fits(size, M, is_hub)) return none;
  found.weight = CH_TAKE(arena, size, double);
  found.T = CH_TAKE(arena, size * hubs, double);
  for (int k = 0; k < hubs; ++k) {
    found.T[k * size + hub[k]] = 1.0;
    for (int l = 0; l <= k; ++l) S[k][l] = M[hub[k] * size + hub[l]];
  }
  for (int x = 0; x < size; ++x) {
    if (is_hub[x]) continue;
    found.weight[x] = 1.0 / M[x * size + x];
    for (int k = 0; k < hubs; ++k) {
      double t = found.T[k * size + x] = -M[x * size + hub[k]] * found.weight[x];
      for (int l = 0; l <= k; ++l) S[k][l] += t * M[x * size + hub[l]];
    }
  }
  if (!factor(hubs, S)) return none;
  substitute(size, hubs, S, found.T);
  return found;
}

void ch_hub_inverse_write(const ChHubInverse* inverse, int size, double* out) {
  const double* T = inverse->T;
  for (int x = 0; x < size; ++x) {
    double* row = out + x * size;
    for (int y = 0; y < size; ++y) row[y] = T[x] * T[y];
    for (int k = 1; k < inverse->hubs; ++k)
      for (int y = 0; y < size; ++y) row[y] += T[k * size + x] * T[k * size + y];
    row[x] += inverse->weight[x];
  }
}

static void write_square(int hubs, int d, double z[CH_HUBS_MAX][CH_BLOCK_MAX], double sum[CH_BLOCK_MAX][CH_BLOCK_MAX],
                         double* W) {
  for (int a = 0; a < d; ++a)
    for (int c = 0; c <= a; ++c) {
      for (int k = 0; k < hubs; ++k) sum[a][c] += z[k][a] * z[k][c];
      W[a * d + c] += sum[a][c];
      if (c < a) W[c * d + a] += sum[a][c];
    }
}

void ch_hub_inverse_square(const ChHubInverse* inverse, int size, int d, const double* H, double* W) {
  double z[CH_HUBS_MAX][CH_BLOCK_MAX] = {{0.0}}, sum[CH_BLOCK_MAX][CH_BLOCK_MAX] = {{0.0}};
  for (int x = 0; x < size; ++x) {
    const double* h = H + x * d;
    for (int k = 0; k < inverse->hubs; ++k)
      for (int a = 0; a < d; ++a) z[k][a] += inverse->T[k * size + x] * h[a];
    for (int a = 0; a < d; ++a)
      for (int c = 0; c <= a; ++c) sum[a][c] += inverse->weight[x] * h[a] * h[c];
  }
  write_square(inverse->hubs, d, z, sum, W);
}

// t . x of three columns x, four terms at a time; n is a multiple of 4
static inline void dot_three(int n, const double* const x[3], const double* t, ChQuad* out) {
  const double *p = x[0], *q = x[1], *r = x[2];
  ChQuad a = {0.0}, b = {0.0}, c = {0.0};
  for (int k = 0; k < n; k += 4) {
    ChQuad some = CH_QUAD_AT(t + k);
    a += CH_QUAD_AT(p + k) * some;
    b += CH_QUAD_AT(q + k) * some;
    c += CH_QUAD_AT(r + k) * some;
  }
  ch_quad_sums_three(&a, &b, &c, out);
}

// Sums of weight x y over three columns with themselves, and with each other.
static inline void square_three(int n, const double* const x[3], const double* weight, ChQuad* own, ChQuad* mixed) {
  const double *p = x[0], *q = x[1], *r = x[2];
  ChQuad aa = {0.0}, bb = {0.0}, cc = {0.0}, ab = {0.0}, ac = {0.0}, bc = {0.0};
  for (int k = 0; k < n; k += 4) {
    ChQuad a = CH_QUAD_AT(p + k), b = CH_QUAD_AT(q + k), c = CH_QUAD_AT(r + k), w = CH_QUAD_AT(weight + k);
    ChQuad wb = w * b, wc = w * c;
    ab += a * wb, bb += b * wb, ac += a * wc, bc += b * wc, cc += c * wc, aa += w * a * a;
  }
  ch_quad_sums_three(&aa, &bb, &cc, own);
  ch_quad_sums_three(&ab, &ac, &bc, mixed);
}

// W += X^T M^-1 X of three columns X
static void add_three(const ChHubInverse* inverse, int size, const double* const x[3], double* W) {
  ChQuad own, mixed, z;
  int most = size & ~3;
  square_three(most, x, inverse->weight, &own, &mixed);
  for (int k = most; k < size; ++k) {
    double w = inverse->weight[k], a = x[0][k], b = x[1][k], c = x[2][k];
    own += (ChQuad){w * a * a, w * b * b, w * c * c, 0.0};
    mixed += (ChQuad){w * a * b, w * a * c, w * b * c, 0.0};
  }
  for (int h = 0; h < inverse->hubs; ++h) {
    const double* t = inverse->T + h * size;
    dot_three(most, x, t, &z);
    for (int k = most; k < size; ++k) z += t[k] * (ChQuad){x[0][k], x[1][k], x[2][k], 0.0};
    own += z * z;
    mixed += __builtin_shufflevector(z, z, 0, 0, 1, 3) * __builtin_shufflevector(z, z, 1, 2, 2, 3);
  }
  for (int l = 0; l < 3; ++l) W[l * 4] += own[l];
  W[1] += mixed[0], W[3] += mixed[0], W[2] += mixed[1], W[6] += mixed[1], W[5] += mixed[2], W[7] += mixed[2];
}

void ch_hub_inverse_square_columns(const ChHubInverse* inverse, int size, int d, const double* const* column,
                                   double* W) {
  if (d == 3) {
    add_three(inverse, size, column, W);
    return;
  }
  double z[CH_HUBS_MAX][CH_BLOCK_MAX], sum[CH_BLOCK_MAX][CH_BLOCK_MAX];
  for (int a = 0; a < d; ++a) {
    for (int k = 0; k < inverse->hubs; ++k) z[k][a] = ch_dot_lanes(size, inverse->T + k * size, column[a]);
    for (int c = 0; c <= a; ++c) {
      sum[a][c] = 0.0;
      for (int x = 0; x < size; ++x) sum[a][c] += inverse->weight[x] * column[a][x] * column[c][x];
    }
  }
  write_square(inverse->hubs, d, z, sum, W);
}
