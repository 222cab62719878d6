// Analysis of a contact problem: see analysis.h.
//
// Blocks that share a body, or an entry of W, belong to one part; W falls apart into these parts, so that its rank is
// the sum of theirs, each by dense singular values. Redundant reactions are rows - rank: a table on four legs has three
// too many, and no solver can tell how it is carried.
#include "cardhouse/analysis.h"

#include <math.h>

#include "analysis/painleve.h"
#include "base/arena.h"
#include "base/check.h"
#include "cardhouse/delassus.h"
#include "cardhouse/dense.h"
#include "cardhouse/union_find.h"

static const double RANK_SHARE = 1e-9;  // of the largest singular value
static const double SYMMETRIC_ENOUGH = 1e-12;
enum { DENSE_ROWS = 3000 };             // a part with more rows would take minutes
static const double DENSE_WORK = 6e10;  // sum of cubed sizes: the same limit for many parts

typedef struct Parts {
  int count;
  int* of_block;  // label of each block
  int* rows;      // rows of each part
} Parts;

static void join_by_entries(const ChProblemView* p, const int* block_of_row, int* parent) {
  for (int j = 0; j < p->W->columns; ++j)
    for (int k = p->W->start[j]; k < p->W->start[j + 1]; ++k)
      if (p->W->value[k] != 0.0) ch_sets_join(parent, block_of_row[j], block_of_row[p->W->index[k]]);
}

// Nodes behind the blocks are the bodies.
static void join_by_bodies(const ChProblemView* p, const int* block_of_row, int* parent) {
  for (int j = 0; j < p->H->columns; ++j)
    for (int k = p->H->start[j]; k < p->H->start[j + 1]; ++k)
      if (p->H->value[k] != 0.0) ch_sets_join(parent, block_of_row[j], p->block_count + p->body[p->H->index[k]]);
}

static Parts find_parts(ChArena* arena, const ChProblemView* p) {
  int nodes = p->block_count + p->body_count;
  int* parent = CH_TAKE(arena, nodes, int);
  int* block_of_row = CH_TAKE(arena, p->rows, int);
  Parts parts = {.of_block = CH_TAKE(arena, p->block_count, int), .rows = CH_TAKE(arena, p->block_count, int)};
  ch_sets_init(nodes, parent);
  for (int i = 0; i < p->block_count; ++i)
    for (int a = 0; a < p->blocks[i].dimension; ++a) block_of_row[p->blocks[i].row + a] = i;
  if (p->body)
    join_by_bodies(p, block_of_row, parent);
  else
    join_by_entries(p, block_of_row, parent);
  parts.count = ch_sets_label(p->block_count, parent, parts.of_block);  // blocks come before bodies: roots are blocks
  for (int i = 0; i < p->block_count; ++i) parts.rows[parts.of_block[i]] += p->blocks[i].dimension;
  return parts;
}

static bool dense_is_affordable(const Parts* parts) {
  double work = 0.0;
  for (int c = 0; c < parts->count; ++c) {
    if (parts->rows[c] > DENSE_ROWS) return false;
    work += pow(parts->rows[c], 3);
  }
  return work <= DENSE_WORK;
}

// Dense copy of one part of W, columns first.
static double* part_of_matrix(ChArena* arena, const ChSparse* W, const int* part_of_row, const int* place, int part,
                              int n) {
  double* A = CH_TAKE(arena, (size_t)n * (size_t)n, double);
  for (int j = 0; j < W->columns; ++j) {
    if (part_of_row[j] != part) continue;
    for (int k = W->start[j]; k < W->start[j + 1]; ++k)
      A[(size_t)place[j] * (size_t)n + (size_t)place[W->index[k]]] = W->value[k];
  }
  return A;
}

// Where each row stands: its part, and its place in it.
static void find_places(ChArena* arena, const ChProblemView* p, const Parts* parts, int* part_of_row, int* place) {
  int* filled = CH_TAKE(arena, parts->count, int);
  for (int i = 0; i < p->block_count; ++i)
    for (int a = 0; a < p->blocks[i].dimension; ++a) {
      int row = p->blocks[i].row + a, part = parts->of_block[i];
      part_of_row[row] = part;
      place[row] = filled[part]++;
    }
}

static bool all_singular_values(ChArena* arena, const ChProblemView* p, const Parts* parts, const ChSparse* W,
                                bool symmetric, double* sigma) {
  int* part_of_row = CH_TAKE(arena, p->rows, int);
  int* place = CH_TAKE(arena, p->rows, int);
  find_places(arena, p, parts, part_of_row, place);
  int done = 0;
  for (int c = 0; c < parts->count; ++c) {
    ChArenaMark mark = ch_arena_mark(arena);
    double* A = part_of_matrix(arena, W, part_of_row, place, c, parts->rows[c]);
    bool converged = ch_singular_values(parts->rows[c], A, symmetric, sigma + done);
    done += parts->rows[c];
    ch_arena_release(arena, mark);
    if (!converged) return false;
  }
  return true;
}

static ChSpan span_of_row(const ChBlock* block, int a) {
  const ChLawInfo* law = ch_law_info(block->law);
  if (law->equation) return CH_SPAN_REMOVED;  // motions that the joints forbid couple nothing
  if (!law->opens) return CH_SPAN_IGNORED;
  return a == 0 ? CH_SPAN_FIRST : CH_SPAN_SECOND;
}

// cos theta = max x^T M^-1 y over unit x in the span of normals, y in that of tangents (004 (6.42)): the largest of the
// parts', for directions of different parts are orthogonal.
static double coupling_cosine(ChArena* arena, const ChProblemView* p, const Parts* parts, const ChSparse* W) {
  int* part_of_row = CH_TAKE(arena, p->rows, int);
  int* place = CH_TAKE(arena, p->rows, int);
  unsigned char* span = CH_TAKE(arena, p->rows, unsigned char);
  find_places(arena, p, parts, part_of_row, place);
  double largest = 0.0;
  for (int c = 0; c < parts->count; ++c) {
    ChArenaMark mark = ch_arena_mark(arena);
    const int n = parts->rows[c];
    double* A = part_of_matrix(arena, W, part_of_row, place, c, n);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < j; ++i) {
        double* pair[2] = {&A[(size_t)j * (size_t)n + (size_t)i], &A[(size_t)i * (size_t)n + (size_t)j]};
        *pair[0] = *pair[1] = 0.5 * (*pair[0] + *pair[1]);
      }
    for (int i = 0; i < p->block_count; ++i)
      for (int a = 0; parts->of_block[i] == c && a < p->blocks[i].dimension; ++a)
        span[place[p->blocks[i].row + a]] = (unsigned char)span_of_row(&p->blocks[i], a);
    double cosine;
    if (ch_span_cosine(NULL, n, A, span, &cosine) != CH_OK) ch_arena_fail(arena);
    largest = ch_max(largest, cosine);
    ch_arena_release(arena, mark);
  }
  return largest;
}

static void destroy_problem(void* problem) { ch_problem_destroy(problem); }

static void analyze_rank(ChArena* arena, const ChProblem* problem, const ChProblemView* p, const Parts* parts,
                         ChAnalysis* out) {
  out->sigma_highest = out->sigma_lowest = out->coupling_cosine = NAN;
  if (!dense_is_affordable(parts)) return;
  ChProblem* condensed;
  if (ch_problem_condense(NULL, problem, &condensed) != CH_OK) ch_arena_fail(arena);
  ch_arena_defer(arena, destroy_problem, condensed);
  const ChProblemView local = ch_problem_view(condensed);
  out->asymmetry = local.asymmetry;
  out->coupling_cosine = coupling_cosine(arena, p, parts, local.W);
  bool symmetric = out->asymmetry <= SYMMETRIC_ENOUGH;
  double* sigma = CH_TAKE(arena, p->rows, double);
  if (!all_singular_values(arena, p, parts, local.W, symmetric, sigma)) return;
  out->rank_known = true;
  double highest = 0.0, lowest = INFINITY;
  for (int i = 0; i < p->rows; ++i) highest = ch_max(highest, sigma[i]);
  for (int i = 0; i < p->rows; ++i) {
    if (!(sigma[i] > RANK_SHARE * highest)) continue;
    ++out->rank;
    lowest = ch_min(lowest, sigma[i]);
  }
  out->redundant = p->rows - out->rank;
  out->sigma_highest = highest;
  out->sigma_lowest = out->rank ? lowest : 0.0;
}

// trace(W_ii) of every block, from the diagonal blocks one after the other.
static void find_traces(const ChProblemView* p, const double* W_ii, double* trace) {
  for (int i = 0; i < p->block_count; ++i) {
    const int size = p->blocks[i].dimension;
    trace[i] = 0.0;
    for (int a = 0; a < size; ++a) trace[i] += W_ii[a * size + a];
    W_ii += size * size;
  }
}

// q: u without reactions.
static void analyze_units(ChArena* arena, const ChProblemView* p, const double* W_ii, const double* q,
                          ChAnalysis* out) {
  double* trace = CH_TAKE(arena, p->block_count, double);
  find_traces(p, W_ii, trace);
  out->trace_lowest = out->rho_lowest = INFINITY;
  for (int i = 0; i < p->block_count; ++i) {
    if (trace[i] == 0.0) {
      ++out->idle;
      continue;
    }
    double rho = p->blocks[i].dimension / trace[i];
    out->trace_lowest = ch_min(out->trace_lowest, trace[i]);
    out->trace_highest = ch_max(out->trace_highest, trace[i]);
    out->rho_lowest = ch_min(out->rho_lowest, rho);
    out->rho_highest = ch_max(out->rho_highest, rho);
  }
  if (out->idle == p->block_count) out->trace_lowest = out->rho_lowest = out->trace_highest = out->rho_highest = NAN;
  double sum = 0.0;
  for (int i = 0; i < p->rows; ++i) {
    sum += q[i] * q[i];
    out->q_highest = ch_max(out->q_highest, fabs(q[i]));
  }
  out->q_norm = sqrt(sum);
}

static void analyze_friction(const ChProblemView* p, ChAnalysis* out) {
  double lowest = INFINITY, highest = -INFINITY;
  for (int i = 0; i < p->block_count; ++i) {
    const ChBlock* block = &p->blocks[i];
    const ChLawInfo* law = ch_law_info(block->law);
    if (law->rolls || law->drills) {
      lowest = ch_min(lowest, block->mu[0]);
      highest = ch_max(highest, block->mu[0]);
      out->compliant += ch_block_compliance(block) > 0.0 || ch_block_shear(block) > 0.0;
    }
    if (law->section) {
      for (int k = 0; k < block->section->count; ++k) {
        const double *x = block->section->corner[k], size = hypot(x[0], x[1]);
        lowest = ch_min(lowest, size);
        highest = ch_max(highest, size);
      }
      out->compliant += ch_block_compliance(block) > 0.0;
    }
    if (!law->friction) continue;
    for (int a = 0; a + 1 < block->dimension; ++a) {
      lowest = ch_min(lowest, block->mu[a]);
      highest = ch_max(highest, block->mu[a]);
    }
    out->elliptic += block->dimension == 3 && block->mu[0] != block->mu[1];
    out->compliant += ch_block_compliance(block) > 0.0 || ch_block_shear(block) > 0.0;
  }
  bool any = lowest <= highest;
  out->mu_lowest = any ? lowest : NAN;
  out->mu_highest = any ? highest : NAN;
}

static void analyze_painleve(ChArena* arena, const ChProblemView* p, const double* W_ii, ChAnalysis* out) {
  double* indicator = CH_TAKE(arena, p->block_count, double);
  double* critical = CH_TAKE(arena, p->block_count, double);
  double* normal = CH_TAKE(arena, p->block_count, double);
  ch_painleve_find(p, W_ii, normal, indicator, critical);
  out->painleve_lowest = out->critical_mu_lowest = NAN;
  out->painleve_block = -1;
  for (int i = 0; i < p->block_count; ++i) {
    if (isnan(indicator[i])) continue;
    out->painleve_contacts += !(indicator[i] > 0.0);
    const double share = indicator[i] / normal[i];
    if (!(out->critical_mu_lowest <= critical[i])) out->critical_mu_lowest = critical[i];
    if (out->painleve_lowest <= share) continue;
    out->painleve_lowest = share;
    out->painleve_block = i;
  }
}

static ChStatus analyze_in(ChContext* context, ChArena* arena, const ChProblem* problem, ChAnalysis* out) {
  const ChProblemView view = ch_problem_view(problem), *p = &view;
  double* W_ii = CH_TAKE(arena, CH_BLOCK_MAX * p->rows, double);
  double* zero = CH_TAKE(arena, p->rows, double);
  double* q = CH_TAKE(arena, p->rows, double);
  ChStatus status = ch_problem_diagonal_blocks(context, problem, W_ii);
  if (status == CH_OK) status = ch_problem_velocity(context, problem, zero, NULL, q);
  if (status != CH_OK) return status;
  Parts parts = find_parts(arena, p);
  out->components = parts.count;
  for (int c = 0; c < parts.count; ++c)
    if (parts.rows[c] > out->largest_rows) out->largest_rows = parts.rows[c];
  analyze_units(arena, p, W_ii, q, out);
  analyze_friction(p, out);
  analyze_painleve(arena, p, W_ii, out);
  analyze_rank(arena, problem, p, &parts, out);
  return ch_certify(context, problem, CH_POSE_COULOMB, zero, NULL, &out->at_zero);
}

ChStatus ch_problem_analyze(ChContext* context, const ChProblem* problem, ChAnalysis* out) {
  ChContext own = {0};
  if (!context) context = &own;
  const ChProblemView view = ch_problem_view(problem);
  const bool local = view.form == CH_FORM_LOCAL;
  *out = (ChAnalysis){.asymmetry = local ? view.asymmetry : NAN, .mass_asymmetry = local ? 0.0 : view.asymmetry};
  jmp_buf landing;
  ChArena* arena = ch_arena_create(NULL);
  if (!arena || setjmp(landing)) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory while analysing a problem with %d rows", view.rows);
  }
  ch_arena_set_landing(arena, &landing);
  ChStatus status = analyze_in(context, arena, problem, out);
  ch_arena_destroy(arena);
  return status;
}
