// See normal_projection.h.
//
//   M v = H_N r_N + (f + H_T r_T),   0 <= r_N _|_ H_N^T v + w_N >= 0;   bilateral rows, unilateral rows and limits as
//   they are
#include "step/normal_projection.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "problem/cones.h"

enum { MOST_ROUNDS = 5 };

typedef struct Reduced {
  ChBlock* blocks;
  int* source;  // row of the whole problem for each row kept
  int rows;
} Reduced;

// Keeps every row but the tangents of contacts.
static Reduced keep_normals(ChArena* arena, const ChProblem* p) {
  Reduced out = {CH_TAKE(arena, p->block_count, ChBlock), CH_TAKE(arena, p->rows, int), 0};
  for (int i = 0; i < p->block_count; ++i) {
    ChBlock block = p->blocks[i];
    if (block.law == CH_LAW_CONTACT) block = (ChBlock){.law = CH_LAW_UNILATERAL, .dimension = 1};
    for (int a = 0; a < block.dimension; ++a) out.source[out.rows++] = p->blocks[i].row + a;
    out.blocks[i] = block;
  }
  return out;
}

static ChTriplets list_matrix(ChArena* arena, const ChSparse* A, const int* column, int columns) {
  long count = 0;
  for (int j = 0; j < columns; ++j) count += A->start[(column ? column[j] : j) + 1] - A->start[column ? column[j] : j];
  int *row = CH_TAKE(arena, count, int), *at = CH_TAKE(arena, count, int);
  double* value = CH_TAKE(arena, count, double);
  long k = 0;
  for (int j = 0; j < columns; ++j) {
    int from = column ? column[j] : j;
    for (int e = A->start[from]; e < A->start[from + 1]; ++e, ++k)
      row[k] = A->index[e], at[k] = j, value[k] = A->value[e];
  }
  return (ChTriplets){.rows = A->rows, .columns = columns, .count = count, .row = row, .column = at, .value = value};
}

// f + H_T r_T, and the normals of r in `start`
static double* frozen_impulse(ChArena* arena, const ChProblem* p, const Reduced* kept, const double* r, double* start) {
  double *f = CH_TAKE(arena, p->dof, double), *friction = CH_TAKE(arena, p->rows, double);
  memcpy(f, p->f, (size_t)p->dof * sizeof *f);
  memcpy(friction, r, (size_t)p->rows * sizeof *friction);
  for (int k = 0; k < kept->rows; ++k) {
    start[k] = r[kept->source[k]];
    friction[kept->source[k]] = 0.0;
  }
  for (int j = 0; j < p->H.columns; ++j)
    for (int e = p->H.start[j]; e < p->H.start[j + 1]; ++e) f[p->H.index[e]] += p->H.value[e] * friction[j];
  return f;
}

static ChStatus solve_normals(ChContext* context, ChArena* arena, const ChProblem* p, const ChSolveOptions* options,
                              double* r) {
  Reduced kept = keep_normals(arena, p);
  double *start = CH_TAKE(arena, kept.rows, double), *w = CH_TAKE(arena, kept.rows, double);
  double *rn = CH_TAKE(arena, kept.rows, double), *un = CH_TAKE(arena, kept.rows, double);
  double* vn = CH_TAKE(arena, p->dof, double);
  for (int k = 0; k < kept.rows; ++k) w[k] = p->w[kept.source[k]];
  ChProblemDef def = {.form = CH_FORM_GLOBAL,
                      .dimension = p->dimension,
                      .block_count = p->block_count,
                      .blocks = kept.blocks,
                      .M = list_matrix(arena, &p->M, NULL, p->dof),
                      .H = list_matrix(arena, &p->H, kept.source, kept.rows),
                      .f = frozen_impulse(arena, p, &kept, r, start),
                      .w = w};
  ChProblem* normal;
  ChStatus status = ch_problem_build(context, &def, &normal);
  if (status != CH_OK) return status;
  ChSolveOptions own = *options;
  ChSolveInfo info;
  own.method = "auto";
  own.inner = NULL;
  own.warm = start;
  own.setting_count = 0;
  own.max_iterations = 0;
  status = ch_solve(context, normal, &own, vn, un, rn, &info);
  ch_problem_destroy(normal);
  if (status == CH_OK)
    for (int k = 0; k < kept.rows; ++k) r[kept.source[k]] = rn[k];
  return status;
}

// Tangents onto what their normal reaction carries, which stays; false when none had to move.
static bool cut_friction(const ChProblem* p, ChPose pose, double* r) {
  bool cut = false;
  for (int i = 0; i < p->block_count; ++i) {
    const ChBlock* block = &p->blocks[i];
    if (block->law != CH_LAW_CONTACT) continue;
    double *at = r + block->row, inside[CH_BLOCK_MAX], normal = at[0], worst = 0.0;
    ch_block_project(block, pose, at, inside);
    for (int a = 0; a < block->dimension; ++a) worst = ch_max(worst, fabs(inside[a] - at[a]));
    if (!(worst > 1e-12 * normal)) continue;
    // the projection lifts the normal reaction as well; scaled back to the old one it stays in the cone
    for (int a = 1; a < block->dimension; ++a)
      at[a] = inside[0] > 0.0 && normal > 0.0 ? inside[a] * normal / inside[0] : 0.0;
    cut = true;
  }
  return cut;
}

static ChStatus solve_rounds(ChContext* context, ChArena* arena, const ChProblem* p, const ChSolveOptions* options,
                             double* r) {
  ChStatus status = CH_OK;
  for (int round = 0; round < MOST_ROUNDS && status == CH_OK; ++round) {
    if (round > 0 && !cut_friction(p, options->pose, r)) break;
    ChArenaMark mark = ch_arena_mark(arena);
    status = solve_normals(context, arena, p, options, r);
    ch_arena_release(arena, mark);
  }
  return status;
}

ChStatus ch_normal_projection(ChContext* context, const ChProblem* p, const ChSolveOptions* options, double* v,
                              double* u, double* r, ChSolveInfo* info) {
  ChArena* volatile arena = NULL;
  jmp_buf landing;
  if (setjmp(landing) || !(arena = ch_arena_create(NULL))) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory while projecting a problem with %d rows", p->rows);
  }
  ch_arena_set_landing(arena, &landing);
  double* trial = CH_TAKE(arena, p->rows, double);
  memcpy(trial, r, (size_t)p->rows * sizeof *trial);
  ChStatus status = solve_rounds(context, arena, p, options, trial);
  if (status == CH_OK) {
    memcpy(r, trial, (size_t)p->rows * sizeof *r);
    status = ch_problem_velocity(context, p, r, v, u);
    if (status == CH_OK) status = ch_certify(context, p, options->pose, r, v, &info->certificate);
  } else if (status == CH_MAX_ITER || status == CH_MAX_TIME || status == CH_ERR_NUMERIC) {
    status = CH_OK;
  }
  ch_arena_destroy(arena);
  return status;
}
