// See soft.h.
#include "model/soft/soft.h"

#include <string.h>

#include "model/soft/soft_cubic.h"

// Loops run over a body's tables in the order of memory, with sums side by side, so that none waits for another.

// out += sum_b x_b table_b, `width` numbers each; two at a time, so that sums are read and written half as often.
static void add_rows(int modes, int width, const double* restrict x, const double* restrict table,
                     double* restrict out) {
  int b = 0;
  for (; b + 2 <= modes; b += 2, table += 2L * width) {
    const double *one = table, *two = table + width, s = x[b], t = x[b + 1];
    for (int k = 0; k < width; ++k) out[k] += s * one[k] + t * two[k];
  }
  for (int k = 0; k < width && b < modes; ++k) out[k] += x[b] * table[k];
}

void ch_soft_bend(const ChSoft* soft, const double* x, double* B) {
  int n = soft->modes;
  memset(B, 0, CH_SOFT_BEND * (size_t)n * sizeof *B);
  add_rows(n, 6 * n, x, soft->J2, B);  // symmetric
  add_rows(n, 3 * n, x, soft->C2, B + 6 * n);
}

void ch_soft_inertia_bent(const ChSoft* soft, const double* q, const double* B, ChMat3* J) {
  static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  double sum[6] = {0.0};
  for (int a = 0; a < soft->modes; ++a)
    for (int k = 0; k < 6; ++k) sum[k] += q[a] * (soft->J1[6L * a + k] + B[6L * a + k]);
  *J = soft->inertia;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) J->m[i][j] += sum[place[i][j]];
}

void ch_soft_inertia(const ChSoft* soft, const double* q, ChMat3* J) {
  double B[6 * CH_SOFT_MODES_MAX];
  memset(B, 0, 6 * (size_t)soft->modes * sizeof *B);
  add_rows(soft->modes, 6 * soft->modes, q, soft->J2, B);
  ch_soft_inertia_bent(soft, q, B, J);
}

void ch_soft_coupling(const ChSoft* soft, const double* q, double* C) {
  int n = soft->modes;
  double columns[3 * CH_SOFT_MODES_MAX];
  memset(columns, 0, 3 * (size_t)n * sizeof *columns);
  add_rows(n, 3 * n, q, soft->C2, columns);
  for (int b = 0; b < n; ++b)
    for (int i = 0; i < 3; ++i) C[i * n + b] = columns[3 * b + i];
}

// ------------------------------------------------------------------------------------------------- internal forces

// out = (K0 + third T3 + fourth T4) q, T3 and T4 of soft_cubic.h given over the pairs a <= b.
static void apply(const ChSoft* soft, const double* q, double third, const double* T3, double fourth, const double* T4,
                  double* out) {
  int n = soft->modes;
  for (int a = 0; a < n; ++a) out[a] = soft->K0[(long)a * n + a] * q[a];
  for (int a = 0, at = 0; soft->cubic && a < n; ++a)
    for (int b = a; b < n; ++b, ++at) {
      double sum = third * T3[at] + fourth * T4[at];
      out[a] += sum * q[b];
      if (b > a) out[b] += sum * q[a];
    }
}

static void add_tangent(int n, const double* T3, const double* T4, double* K) {
  for (int a = 0, at = 0; a < n; ++a)
    for (int b = a; b < n; ++b, ++at) {
      double sum = 6.0 * T3[at] + 12.0 * T4[at];
      K[a * n + b] += sum;
      if (b > a) K[b * n + a] += sum;
    }
}

void ch_soft_internal(const ChSoft* soft, const double* q, double* energy, double* f, double* K) {
  double T3[CH_SOFT_PAIRS_MAX], T4[CH_SOFT_PAIRS_MAX], twice[CH_SOFT_MODES_MAX];
  int n = soft->modes;
  if (soft->cubic) ch_soft_cubic_matrices(soft->cubic, q, T3, T4);
  if (energy) {
    apply(soft, q, 2.0, T3, 2.0, T4, twice);
    *energy = 0.0;
    for (int a = 0; a < n; ++a) *energy += 0.5 * q[a] * twice[a];
  }
  if (f) apply(soft, q, 3.0, T3, 4.0, T4, f);
  if (!K) return;
  memcpy(K, soft->K0, (size_t)n * (size_t)n * sizeof *K);
  if (soft->cubic) add_tangent(n, T3, T4, K);
}

double ch_soft_energy(const ChSoft* soft, const double* q) {
  double energy;
  ch_soft_internal(soft, q, &energy, NULL, NULL);
  return energy;
}

void ch_soft_force(const ChSoft* soft, const double* q, double* f) { ch_soft_internal(soft, q, NULL, f, NULL); }

void ch_soft_stiffness(const ChSoft* soft, const double* q, double* K) { ch_soft_internal(soft, q, NULL, NULL, K); }

void ch_soft_damping(const ChSoft* soft, double* D) {
  int n = soft->modes;
  for (int a = 0; a < n; ++a) D[a] = soft->alpha + soft->beta * soft->K0[(long)a * n + a];
}

ChVec3 ch_soft_vertex(const ChSoft* soft, int vertex, const double* q) {
  int n = soft->modes;
  const double* U = soft->skin.shape + 3L * vertex * n;
  return ch_add(soft->skin.rest[vertex], ch_soft_displacement(n, U, q));
}
