// Small problems from dense matrices, and problems restated in other units.
#include "support/small.h"
#include "problem/contact_problem.h"

#include <stdio.h>
#include <stdlib.h>

static void* must(void* pointer) {
  if (!pointer) abort();
  return pointer;
}

static ChProblem* built(const ChProblemDef* def) {
  ChContext context = {0};
  ChProblem* problem;
  if (ch_problem_build(&context, def, &problem) == CH_OK) return problem;
  fprintf(stderr, "%s\n", context.message);
  abort();
}

ChProblem* ch_small_local(int dimension, int block_count, const ChBlock* blocks, const double* W, const double* q) {
  int rows = 0;
  for (int i = 0; i < block_count; ++i) rows += blocks[i].dimension;
  int* index = must(calloc(2 * (size_t)(rows * rows) + 1, sizeof *index));
  for (int k = 0; k < rows * rows; ++k) index[k] = k / rows, index[rows * rows + k] = k % rows;
  const ChProblemDef def = {.form = CH_FORM_LOCAL,
                            .dimension = dimension,
                            .block_count = block_count,
                            .blocks = blocks,
                            .W = {rows, rows, rows * rows, index, index + rows * rows, W},
                            .w = q};
  ChProblem* problem = built(&def);
  free(index);
  return problem;
}

// Entries of A, each multiplied by left[row] / right[column].
typedef struct Rescaled {
  ChTriplets triplets;
  int* index;
  double* value;
} Rescaled;

static Rescaled rescale(const ChSparse* A, const double* left, const double* right) {
  const int count = A->columns > 0 ? A->start[A->columns] : 0;
  Rescaled out = {.index = must(calloc(2 * (size_t)count + 1, sizeof(int))),
                  .value = must(calloc((size_t)count + 1, sizeof(double)))};
  for (int j = 0; j < A->columns; ++j)
    for (int k = A->start[j]; k < A->start[j + 1]; ++k) {
      out.index[k] = A->index[k];
      out.index[count + k] = j;
      out.value[k] = A->value[k] * left[A->index[k]] / right[j];
    }
  out.triplets = (ChTriplets){A->rows, A->columns, count, out.index, out.index + count, out.value};
  return out;
}

static void discard(Rescaled* r) {
  free(r->index);
  free(r->value);
}

static double* times(int n, const double* x, const double* factor) {
  double* y = must(calloc((size_t)n + 1, sizeof *y));
  for (int i = 0; i < n; ++i) y[i] = x[i] * factor[i];
  return y;
}

ChProblem* ch_problem_in_units(const ChProblem* p, const double* velocity, const double* reaction,
                               const double* dof_velocity, const double* dof_momentum) {
  ChBlock* blocks = must(calloc((size_t)p->block_count + 1, sizeof *blocks));
  for (int i = 0; i < p->block_count; ++i) {
    blocks[i] = p->blocks[i];
    blocks[i].lo *= reaction[blocks[i].row];
    blocks[i].hi *= reaction[blocks[i].row];
    blocks[i].compliance *= velocity[blocks[i].row] / reaction[blocks[i].row];
    blocks[i].shear *= velocity[blocks[i].row] / reaction[blocks[i].row];  // tangents have the unit of their normal
  }
  const bool local = p->form == CH_FORM_LOCAL;
  Rescaled W = local ? rescale(&p->W, velocity, reaction) : (Rescaled){0};
  Rescaled M = local ? (Rescaled){0} : rescale(&p->M, dof_momentum, dof_velocity);
  Rescaled H = local ? (Rescaled){0} : rescale(&p->H, dof_momentum, reaction);
  double* f = local ? NULL : times(p->dof, p->f, dof_momentum);
  double* w = times(p->rows, p->w, velocity);
  const ChProblemDef def = {.form = p->form,
                            .dimension = p->dimension,
                            .block_count = p->block_count,
                            .blocks = blocks,
                            .W = W.triplets,
                            .M = M.triplets,
                            .H = H.triplets,
                            .f = f,
                            .w = w};
  ChProblem* out = built(&def);
  discard(&W);
  discard(&M);
  discard(&H);
  free(f);
  free(w);
  free(blocks);
  return out;
}
