// Painleve's paradox (004, section 2.8.3): a contact that slides along d with friction mu meets its normal reaction
// with the normal acceleration (n - mu d)^T M^-1 n = W_nn - mu d . W_nT per unit of it. Where some direction d makes
// that zero or negative, a rigid contact may have no finite solution, or several. The worst direction of any law gives
// W_nn - sigma(W_nT), sigma its support function: moments and sections count as they are.
#include "analysis/painleve.h"

#include <math.h>

#include "base/arena.h"
#include "cardhouse/analysis.h"
#include "cardhouse/delassus.h"

// (W_nn, W_nT) from the contact's diagonal block. In an unsymmetric W it is the mean of row and column that decides how
// the contact answers itself.
static void normal_row(const ChBlock* block, const double* W_ii, double* W) {
  for (int a = 0; a < block->dimension; ++a) W[a] = 0.5 * (W_ii[a * block->dimension] + W_ii[a]);
}

void ch_painleve_find(const ChProblemView* p, const double* W_ii, double* normal, double* indicator,
                      double* critical_mu) {
  for (int i = 0; i < p->block_count; ++i) {
    const ChBlock* block = &p->blocks[i];
    const double* own = W_ii;
    W_ii += block->dimension * block->dimension;
    normal[i] = indicator[i] = critical_mu[i] = NAN;
    const ChLawInfo* law = ch_law_info(block->law);
    if (!law->friction && !(law->opens && block->dimension > 1)) continue;
    double W[CH_BLOCK_MAX] = {0};
    normal_row(block, own, W);
    if (!(W[0] > 0.0)) continue;
    const double second = block->dimension == 3 ? block->mu[1] : 0.0;
    const double coupling = hypot(W[1], p->dimension == 3 ? W[2] : 0.0);
    normal[i] = W[0];
    indicator[i] = W[0] - (law->friction ? hypot(block->mu[0] * W[1], second * W[2])
                                         : ch_contact_support(block, CH_POSE_COULOMB, W));
    critical_mu[i] = coupling > 1e-14 * W[0] ? W[0] / coupling : INFINITY;
  }
}

ChStatus ch_problem_painleve(ChContext* context, const ChProblem* problem, double* indicator, double* critical_mu) {
  const ChProblemView p = ch_problem_view(problem);
  jmp_buf landing;
  ChArena* arena = ch_arena_create(NULL);
  if (!arena || setjmp(landing)) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory while examining %d blocks", p.block_count);
  }
  ch_arena_set_landing(arena, &landing);
  double* normal = CH_TAKE(arena, p.block_count, double);
  double* own_indicator = indicator ? indicator : CH_TAKE(arena, p.block_count, double);
  double* own_critical = critical_mu ? critical_mu : CH_TAKE(arena, p.block_count, double);
  double* W_ii = CH_TAKE(arena, CH_BLOCK_MAX * p.rows, double);
  ChStatus status = ch_problem_diagonal_blocks(context, problem, W_ii);
  if (status == CH_OK) ch_painleve_find(&p, W_ii, normal, own_indicator, own_critical);
  ch_arena_destroy(arena);
  return status;
}
