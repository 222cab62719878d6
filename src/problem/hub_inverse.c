// See hub_inverse.h. With the hubs last, M = [ D B^T; B A ] is eliminated without fill:
//
//   S = A - B D^-1 B^T = C C^T      weight = 1 / D, 0 of a hub      T^T = C^-1 [ -B D^-1  1 ]
#include "problem/hub_inverse.h"

#include <math.h>

#include "cardhouse/problem.h"

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

// One row of T: t := C^-1 t
static void substitute(int n, double C[CH_HUBS_MAX][CH_HUBS_MAX], double* t) {
  for (int k = 0; k < n; ++k) {
    for (int l = 0; l < k; ++l) t[k] -= C[k][l] * t[l];
    t[k] /= C[k][k];
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
    found.T[hub[k] * hubs + k] = 1.0;
    for (int l = 0; l <= k; ++l) S[k][l] = M[hub[k] * size + hub[l]];
  }
  for (int x = 0; x < size; ++x) {
    if (is_hub[x]) continue;
    double* t = found.T + x * hubs;
    found.weight[x] = 1.0 / M[x * size + x];
    for (int k = 0; k < hubs; ++k) {
      t[k] = -M[x * size + hub[k]] * found.weight[x];
      for (int l = 0; l <= k; ++l) S[k][l] += t[k] * M[x * size + hub[l]];
    }
  }
  if (!factor(hubs, S)) return none;
  for (int x = 0; x < size; ++x) substitute(hubs, S, found.T + x * hubs);
  return found;
}

static inline void write(int size, int hubs, const double* T, double* out) {
  for (int x = 0; x < size; ++x)
    for (int y = 0; y < size; ++y) {
      double sum = 0.0;
      for (int k = 0; k < hubs; ++k) sum += T[x * hubs + k] * T[y * hubs + k];
      out[x * size + y] = sum;
    }
}

void ch_hub_inverse_write(const ChHubInverse* inverse, int size, double* out) {
  if (inverse->hubs == 3)  // the three turns of a body: with a size that the compiler knows
    write(size, 3, inverse->T, out);
  else
    write(size, inverse->hubs, inverse->T, out);
  for (int x = 0; x < size; ++x) out[x * size + x] += inverse->weight[x];
}

static inline void square(int size, int hubs, int d, const double* weight, const double* T, const double* H,
                          double* W) {
  double z[CH_HUBS_MAX][CH_BLOCK_MAX] = {{0.0}}, sum[CH_BLOCK_MAX][CH_BLOCK_MAX] = {{0.0}};
  for (int x = 0; x < size; ++x) {
    const double *h = H + x * d, *t = T + x * hubs;
    for (int k = 0; k < hubs; ++k)
      for (int a = 0; a < d; ++a) z[k][a] += t[k] * h[a];
    for (int a = 0; a < d; ++a)
      for (int c = 0; c <= a; ++c) sum[a][c] += weight[x] * h[a] * h[c];
  }
  for (int a = 0; a < d; ++a)
    for (int c = 0; c <= a; ++c) {
      for (int k = 0; k < hubs; ++k) sum[a][c] += z[k][a] * z[k][c];
      W[a * d + c] += sum[a][c];
      if (c < a) W[c * d + a] += sum[a][c];
    }
}

void ch_hub_inverse_square(const ChHubInverse* inverse, int size, int d, const double* H, double* W) {
  if (inverse->hubs == 3 && d == 3)
    square(size, 3, 3, inverse->weight, inverse->T, H, W);
  else
    square(size, inverse->hubs, d, inverse->weight, inverse->T, H, W);
}
