// See push_apart.h.
#include "step/push_apart.h"

#include <string.h>

#include "base/arena.h"
#include "problem/contact_problem.h"

typedef struct Kept {
  ChBlock* blocks;
  int* source;  // row of the whole problem for each row kept
  int block_count, rows;
} Kept;

// Joints, and the normals of everything that has two sides; where these yield, their tangents come along, and drop out
// since there is no friction.
static Kept keep_normals(ChArena* arena, const ChProblem* p) {
  Kept out = {.blocks = CH_TAKE(arena, p->block_count, ChBlock), .source = CH_TAKE(arena, p->rows, int)};
  for (int i = 0; i < p->block_count; ++i) {
    ChBlock block = p->blocks[i];
    const ChLawInfo* law = ch_law_info(block.law);
    if (!law->equation && !law->opens) continue;
    if (law->friction && !(ch_block_compliance(&block) > 0.0))
      block = (ChBlock){.law = CH_LAW_UNILATERAL, .dimension = 1};
    for (int a = 0; a < block.dimension; ++a) out.source[out.rows++] = p->blocks[i].row + a;
    out.blocks[out.block_count++] = block;
  }
  return out;
}

static ChTriplets list_columns(ChArena* arena, const ChSparse* A, const int* column, int columns) {
  long count = 0, k = 0;
  for (int j = 0; j < columns; ++j) count += A->start[(column ? column[j] : j) + 1] - A->start[column ? column[j] : j];
  int *row = CH_TAKE(arena, count, int), *at = CH_TAKE(arena, count, int);
  double* value = CH_TAKE(arena, count, double);
  for (int j = 0; j < columns; ++j) {
    int from = column ? column[j] : j;
    for (int e = A->start[from]; e < A->start[from + 1]; ++e, ++k)
      row[k] = A->index[e], at[k] = j, value[k] = A->value[e];
  }
  return (ChTriplets){.rows = A->rows, .columns = columns, .count = count, .row = row, .column = at, .value = value};
}

// f + H r: what the bodies have without d
static double* impulse(ChArena* arena, const ChProblem* p, const double* r) {
  double* f = CH_TAKE(arena, p->dof, double);
  memcpy(f, p->f, (size_t)p->dof * sizeof *f);
  for (int j = 0; j < p->H.columns; ++j)
    for (int e = p->H.start[j]; e < p->H.start[j + 1]; ++e) f[p->H.index[e]] += p->H.value[e] * r[j];
  return f;
}

static ChStatus push(ChContext* context, ChArena* arena, const ChProblem* p, const ChSolveOptions* options, double* r) {
  Kept kept = keep_normals(arena, p);
  double *w = CH_TAKE(arena, kept.rows, double), *d = CH_TAKE(arena, kept.rows, double);
  double *u = CH_TAKE(arena, kept.rows, double), *v = CH_TAKE(arena, p->dof, double);
  double* yielded = CH_TAKE(arena, p->rows, double);  // w, and what r has made of it
  if (p->rows > 0) memcpy(yielded, p->w, (size_t)p->rows * sizeof *yielded);
  ch_problem_add_compliance(p, r, yielded);
  for (int k = 0; k < kept.rows; ++k) w[k] = yielded[kept.source[k]];
  ChProblemDef def = {.form = CH_FORM_GLOBAL,
                      .dimension = p->dimension,
                      .block_count = kept.block_count,
                      .blocks = kept.blocks,
                      .M = list_columns(arena, &p->M, NULL, p->dof),
                      .H = list_columns(arena, &p->H, kept.source, kept.rows),
                      .f = impulse(arena, p, r),
                      .w = w};
  ChProblem* normal;
  ChSolveInfo info;
  ChStatus status = ch_problem_build(context, &def, &normal);
  if (status != CH_OK) return status;
  ChSolveOptions own = *options;
  own.pose = CH_POSE_FRICTIONLESS;
  own.warm = NULL;
  status = ch_solve(context, normal, &own, v, u, d, &info);
  ch_problem_destroy(normal);
  for (int k = 0; k < kept.rows && status == CH_OK; ++k) r[kept.source[k]] += d[k];
  return status;
}

ChStatus ch_push_apart(ChContext* context, const ChProblem* p, const ChSolveOptions* options, double* r) {
  ChArena* volatile arena = NULL;
  jmp_buf landing;
  if (setjmp(landing) || !(arena = ch_arena_create(NULL))) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory while pushing apart in a problem with %d rows", p->rows);
  }
  ch_arena_set_landing(arena, &landing);
  ChStatus status = push(context, arena, p, options, r);
  ch_arena_destroy(arena);
  return status;
}
