// What class the Stewart-Trinkle matrix A of a problem belongs to: see analysis.h and polygon_lcp.h.
//
// Part by part, in scaled variables, which change no class. With friction A is never symmetric, semidefinite or row
// sufficient. It is copositive where W is semidefinite: y'A y = r'W r + sum mu alpha lambda, and the last term is not
// negative for y >= 0. That sum is the certificate for problems of any size; up to CH_COPOSITIVE_LARGEST variables
// copositivity is decided by trying all supports instead, whatever W.
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "cardhouse/friction_matrix.h"
#include "linalg/matrix_classes.h"
#include "linalg/sparse.h"
#include "solve/lcp/polygon_lcp.h"

enum { VARIABLES_MOST = 1500 };
static const double SEMIDEFINITE = 1e-10;  // W's diagonal has mean 1

static ChAnswer both(ChAnswer a, ChAnswer b) {
  if (a == CH_ANSWER_NO || b == CH_ANSWER_NO) return CH_ANSWER_NO;
  return a == CH_ANSWER_YES && b == CH_ANSWER_YES ? CH_ANSWER_YES : CH_ANSWER_UNKNOWN;
}

static double* dense(ChArena* arena, const ChSparse* A, bool symmetric) {
  const size_t n = (size_t)A->columns;
  double* D = CH_TAKE(arena, n * n, double);
  for (size_t j = 0; j < n; ++j)
    for (int k = A->start[j]; k < A->start[j + 1]; ++k) {
      const size_t i = (size_t)A->index[k];
      D[j * n + i] += symmetric ? 0.5 * A->value[k] : A->value[k];
      if (symmetric) D[i * n + j] += 0.5 * A->value[k];
    }
  return D;
}

// Smallest eigenvalue of W's symmetric part.
static double lowest_of_compliance(ChArena* arena, const ChSystem* s) {
  const size_t n = (size_t)s->rows;
  double* S = CH_TAKE(arena, n * n, double);
  for (int j = 0; j < s->n; ++j)
    for (int k = s->W.start[j]; k < s->W.start[j + 1]; ++k) {
      const int i = s->W.column[k];
      for (int b = 0; b < s->dim[j]; ++b)
        for (int a = 0; a < s->dim[i]; ++a) {
          const double half = 0.5 * s->W.value[s->W.offset[k] + b * s->dim[i] + a];
          const size_t row = (size_t)(s->row[j] + b), column = (size_t)(s->row[i] + a);
          S[column * n + row] += half;
          S[row * n + column] += half;
        }
    }
  return ch_matrix_lowest_eigenvalue(arena, s->rows, S);
}

static bool has_free(const ChPolygonLcp* lcp) {
  for (int i = 0; i < lcp->n; ++i)
    if (lcp->free[i]) return true;
  return false;
}

static ChAnswer copositive(ChArena* arena, const ChSystem* s, const ChPolygonLcp* lcp, ChFrictionMatrix* out) {
  if (lcp->n <= CH_COPOSITIVE_LARGEST && !has_free(lcp)) {
    double* S = dense(arena, &lcp->A, true);
    double* y = CH_TAKE(arena, lcp->n, double);
    const double least = ch_matrix_copositive(arena, lcp->n, S, y);
    out->copositive_lowest = ch_min(out->copositive_lowest, least);
    return least < 0.0 ? CH_ANSWER_NO : CH_ANSWER_YES;
  }
  out->copositive_by_sum = true;
  return lowest_of_compliance(arena, s) >= -SEMIDEFINITE ? CH_ANSWER_YES : CH_ANSWER_UNKNOWN;
}

static ChAnswer row_sufficient(ChArena* arena, const ChPolygonLcp* lcp, double eigenvalue, ChFrictionMatrix* out) {
  if (eigenvalue >= -SEMIDEFINITE) return CH_ANSWER_YES;  // semidefinite matrices are
  if (has_free(lcp)) return CH_ANSWER_UNKNOWN;
  const ChRowWitness witness = ch_matrix_row_witness(lcp->n, dense(arena, &lcp->A, false));
  if (!witness.found) return CH_ANSWER_UNKNOWN;
  out->row_witness = ch_min(witness.product[0], witness.product[1]);
  return CH_ANSWER_NO;
}

static void classify_part(ChArena* arena, const ChSystem* s, ChFrictionMatrix* out) {
  int variables = 0;
  if (s->unusual) out->known = false;  // its sets have no polygons
  for (int i = 0; i < s->n && out->known; ++i) variables += ch_polygon_lcp_variables(s, i);
  out->variables += variables;
  if (variables > VARIABLES_MOST || !s->formed) out->known = false;
  if (!out->known) return;
  ChArenaMark mark = ch_arena_mark(arena);
  const ChPolygonLcp lcp = ch_polygon_lcp(arena, s);
  const double eigenvalue = ch_matrix_lowest_eigenvalue(arena, lcp.n, dense(arena, &lcp.A, true));
  out->asymmetry = ch_max(out->asymmetry, ch_sparse_asymmetry(arena, &lcp.A));
  out->eigenvalue_lowest = ch_min(out->eigenvalue_lowest, eigenvalue);
  out->copositive = both(out->copositive, copositive(arena, s, &lcp, out));
  out->row_sufficient = both(out->row_sufficient, row_sufficient(arena, &lcp, eigenvalue, out));
  ch_arena_release(arena, mark);
}

static ChStatus classify(ChContext* context, ChArena* arena, const ChProblem* problem, int sides,
                         ChFrictionMatrix* out) {
  ChProblem copy = *problem;
  copy.blocks = CH_TAKE(arena, problem->block_count, ChBlock);
  memcpy(copy.blocks, problem->blocks, (size_t)problem->block_count * sizeof *copy.blocks);
  bool smooth = false;
  for (int i = 0; i < copy.block_count; ++i)
    smooth |= ch_law_row(&copy.blocks[i])->info.friction && copy.blocks[i].dimension == 3 && copy.blocks[i].sides == 0;
  ChStatus status = smooth ? ch_problem_set_polygon(context, &copy, sides, false) : CH_OK;
  ChPrepared parts;
  if (status == CH_OK) status = ch_prepare(context, arena, &copy, CH_POSE_COULOMB, NULL, &parts);
  if (status != CH_OK) return status;
  *out = (ChFrictionMatrix){
      .known = true, .eigenvalue_lowest = INFINITY, .copositive = CH_ANSWER_YES, .row_sufficient = CH_ANSWER_YES};
  for (int c = 0; c < parts.count; ++c) classify_part(arena, &parts.component[c].system, out);
  if (parts.count == 0 || !out->known) {
    out->known = false;
    out->asymmetry = out->eigenvalue_lowest = NAN;
    out->copositive = out->row_sufficient = CH_ANSWER_UNKNOWN;
  }
  return CH_OK;
}

ChStatus ch_friction_matrix_classify(ChContext* context, const ChProblem* problem, int sides, ChFrictionMatrix* out) {
  jmp_buf landing;
  ChArena* volatile arena = NULL;
  if (setjmp(landing) || !(arena = ch_arena_create(NULL))) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory while classifying a problem with %d rows", problem->rows);
  }
  ch_arena_set_landing(arena, &landing);
  const ChStatus status = classify(context, arena, problem, sides, out);
  ch_arena_destroy(arena);
  return status;
}
