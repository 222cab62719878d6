// Painleve's paradox (004, section 2.8.3): a contact that slides along d with friction mu meets its normal reaction
// with the normal acceleration (n - mu d)^T M^-1 n = W_nn - mu d . W_nT per unit of it. Where some direction d makes
// that zero or negative, a rigid contact may have no finite solution, or several.
#include "analysis/painleve.h"

#include <math.h>

#include "cardhouse/analysis.h"
#include "linalg/sparse.h"
#include "problem/mass.h"

static double entry(const ChSparse* A, int i, int j) {
  for (int k = A->start[j]; k < A->start[j + 1]; ++k)
    if (A->index[k] == i) return A->value[k];
  return 0.0;
}

static double dot_column(const ChSparse* H, int j, const double* x) {
  double sum = 0.0;
  for (int k = H->start[j]; k < H->start[j + 1]; ++k) sum += H->value[k] * x[H->index[k]];
  return sum;
}

// x = M^-1 times column j of H, at the degrees of freedom of the bodies that the column touches: b is zero before and
// after, and x is overwritten there.
static void solve_column(const ChProblem* p, int j, double* b, double* x) {
  const ChMass* mass = p->mass;
  const ChSparse* H = &p->H;
  for (int k = H->start[j]; k < H->start[j + 1]; ++k) b[H->index[k]] = H->value[k];
  if (mass->lu) ch_mass_solve(mass, b, x);
  for (int k = H->start[j]; !mass->lu && k < H->start[j + 1]; ++k) {
    const int body = mass->body_of[H->index[k]], size = ch_mass_size(mass, body);
    const double* inverse = mass->inverse + mass->offset[body];
    const int* dof = mass->dof + mass->start[body];
    for (int i = 0; i < size; ++i) {
      double sum = 0.0;
      for (int l = 0; l < size; ++l) sum += inverse[i * size + l] * b[dof[l]];
      x[dof[i]] = sum;
    }
  }
  for (int k = H->start[j]; k < H->start[j + 1]; ++k) b[H->index[k]] = 0.0;
}

// (W_nn, W_nT): the first column of the contact's diagonal block, tangents of the normal column. In an unsymmetric W it
// is the mean of row and column that decides how the contact answers itself.
static void normal_row(const ChProblem* p, const ChBlock* block, double* b, double* x, double* W) {
  if (p->form == CH_FORM_GLOBAL) solve_column(p, block->row, b, x);
  for (int a = 0; a < block->dimension; ++a) {
    const int row = block->row + a;
    W[a] = p->form == CH_FORM_LOCAL ? 0.5 * (entry(&p->W, row, block->row) + entry(&p->W, block->row, row))
                                    : dot_column(&p->H, row, x);
  }
}

void ch_painleve_find(ChArena* arena, const ChProblem* p, double* normal, double* indicator, double* critical_mu) {
  double* b = CH_TAKE(arena, p->dof, double);
  double* x = CH_TAKE(arena, p->dof, double);
  for (int i = 0; i < p->block_count; ++i) {
    const ChBlock* block = &p->blocks[i];
    normal[i] = indicator[i] = critical_mu[i] = NAN;
    if (!ch_law_info(block->law)->friction) continue;
    double W[3] = {0};
    normal_row(p, block, b, x, W);
    if (!(W[0] > 0.0)) continue;
    const double second = block->dimension == 3 ? block->mu[1] : 0.0;
    const double coupling = hypot(W[1], W[2]);
    normal[i] = W[0];
    indicator[i] = W[0] - hypot(block->mu[0] * W[1], second * W[2]);
    critical_mu[i] = coupling > 1e-14 * W[0] ? W[0] / coupling : INFINITY;
  }
}

ChStatus ch_problem_painleve(ChContext* context, const ChProblem* problem, double* indicator, double* critical_mu) {
  ChContext own = {0};
  if (!context) context = &own;
  jmp_buf landing;
  ChArena* arena = ch_arena_create(NULL);
  if (!arena || setjmp(landing)) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory while looking at %d blocks", problem->block_count);
  }
  ch_arena_set_landing(arena, &landing);
  double* normal = CH_TAKE(arena, problem->block_count, double);
  double* own_indicator = indicator ? indicator : CH_TAKE(arena, problem->block_count, double);
  double* own_critical = critical_mu ? critical_mu : CH_TAKE(arena, problem->block_count, double);
  ch_painleve_find(arena, problem, normal, own_indicator, own_critical);
  ch_arena_destroy(arena);
  return CH_OK;
}
