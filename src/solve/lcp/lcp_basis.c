// Bases of complementarity problems: see lcp_basis.h.
//
// An exchange at place p with column t = B^-1 a multiplies the inverse by E = I - (t - e_p) e_p^T / t_p from the left.
#include "solve/lcp/lcp_basis.h"

#include <math.h>
#include <string.h>

#include "base/work.h"

void ch_lcp_basis_init(ChLcpBasis* basis, ChArena* arena, const ChLcp* lcp, int refactor) {
  int n = lcp->n;
  *basis = (ChLcpBasis){.lcp = lcp,
                        .n = n,
                        .arena = arena,
                        .refactor = refactor,
                        .deadline = {INFINITY, INFINITY},
                        .basic = CH_TAKE(arena, n, int),
                        .place = CH_TAKE(arena, 2 * n + 1, int),
                        .d = CH_TAKE(arena, n, double),
                        .direction = CH_TAKE(arena, n, double),
                        .b = CH_TAKE(arena, n, double),
                        .x = CH_TAKE(arena, n, double),
                        .column = CH_TAKE(arena, n, double),
                        .eta = CH_TAKE(arena, (long)refactor * n, double),
                        .eta_place = CH_TAKE(arena, refactor, int)};
  basis->mark = ch_arena_mark(arena);
  ch_lcp_basis_set_slacks(basis);
}

void ch_lcp_basis_set_slacks(ChLcpBasis* basis) {
  for (int i = 0; i < basis->n; ++i) {
    basis->basic[i] = basis->place[i] = i;
    basis->place[basis->n + i] = -1;
  }
  basis->place[ch_lcp_cover(basis)] = -1;
  ch_lcp_basis_factor(basis);
}

void ch_lcp_basis_scatter(const ChLcpBasis* basis, int variable, double scale, double* out) {
  const ChSparse* A = &basis->lcp->A;
  if (variable < basis->n) {
    out[variable] += scale;
  } else if (variable < ch_lcp_cover(basis)) {
    int j = variable - basis->n;
    for (int k = A->start[j]; k < A->start[j + 1]; ++k) out[A->index[k]] -= scale * A->value[k];
  } else {
    for (int i = 0; i < basis->n; ++i) out[i] -= scale * basis->d[i];
  }
}

static int column_size(const ChLcpBasis* basis, int variable) {
  if (variable < basis->n) return 1;
  if (variable == ch_lcp_cover(basis)) return basis->n;
  return basis->lcp->A.start[variable - basis->n + 1] - basis->lcp->A.start[variable - basis->n];
}

// Appends the variable's column to B; returns its end.
static int append_column(ChLcpBasis* basis, int variable, int at) {
  ChSparse* B = &basis->B;
  const ChSparse* A = &basis->lcp->A;
  if (variable < basis->n) {
    B->index[at] = variable;
    B->value[at++] = 1.0;
  } else if (variable == ch_lcp_cover(basis)) {
    for (int i = 0; i < basis->n; ++i, ++at) {
      B->index[at] = i;
      B->value[at] = -basis->d[i];
    }
  } else {
    for (int k = A->start[variable - basis->n]; k < A->start[variable - basis->n + 1]; ++k, ++at) {
      B->index[at] = A->index[k];
      B->value[at] = -A->value[k];
    }
  }
  return at;
}

bool ch_lcp_basis_factor(ChLcpBasis* basis) {
  ch_arena_release(basis->arena, basis->mark);
  long count = 0;
  for (int k = 0; k < basis->n; ++k) count += column_size(basis, basis->basic[k]);
  basis->B = (ChSparse){.rows = basis->n,
                        .columns = basis->n,
                        .start = CH_TAKE(basis->arena, basis->n + 1, int),
                        .index = CH_TAKE(basis->arena, count, int),
                        .value = CH_TAKE(basis->arena, count, double)};
  for (int k = 0; k < basis->n; ++k) basis->B.start[k + 1] = append_column(basis, basis->basic[k], basis->B.start[k]);
  basis->updates = 0;
  ++basis->factorizations;
  basis->lu = ch_sparse_lu_create(basis->arena, &basis->B);
  return basis->lu != NULL;
}

void ch_lcp_basis_solve(const ChLcpBasis* basis, const double* in, double* out) {
  int n = basis->n;
  ch_work_add((double)n * basis->updates);
  ch_sparse_lu_solve_plain(basis->lu, in, out);
  for (int k = 0; k < basis->updates; ++k) {
    const double* eta = basis->eta + (long)k * n;
    int place = basis->eta_place[k];
    if (out[place] == 0.0) continue;
    double pivot = out[place] / eta[place];
    for (int i = 0; i < n; ++i) out[i] -= eta[i] * pivot;
    out[place] = pivot;
  }
}

void ch_lcp_basis_direct(ChLcpBasis* basis, int variable) {
  memset(basis->column, 0, (size_t)basis->n * sizeof(double));
  ch_lcp_basis_scatter(basis, variable, 1.0, basis->column);
  ch_lcp_basis_solve(basis, basis->column, basis->direction);
}

// e_place^T E_k .. E_1, then through the factors
void ch_lcp_basis_row(ChLcpBasis* basis, int place, double* row) {
  int n = basis->n;
  double* left = basis->column;
  memset(left, 0, (size_t)n * sizeof(double));
  left[place] = 1.0;
  for (int k = basis->updates - 1; k >= 0; --k) {
    const double* eta = basis->eta + (long)k * n;
    int p = basis->eta_place[k];
    double others = 0.0;
    for (int i = 0; i < n; ++i)
      if (i != p) others += left[i] * eta[i];
    left[p] = (left[p] - others) / eta[p];
  }
  ch_sparse_lu_solve_transposed(basis->lu, left, row);
}

bool ch_lcp_basis_exchange(ChLcpBasis* basis, int place, int entering) {
  basis->place[basis->basic[place]] = -1;
  basis->basic[place] = entering;
  basis->place[entering] = place;
  if (basis->updates == basis->refactor) return ch_lcp_basis_factor(basis);
  memcpy(basis->eta + (long)basis->updates * basis->n, basis->direction, (size_t)basis->n * sizeof(double));
  basis->eta_place[basis->updates++] = place;
  return true;
}
