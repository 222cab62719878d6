// M^-1 by connected parts of M.
//
// An unknown that M couples with no other needs a division only: translations, and turns about principal axes. A part
// of at most DENSE_LIMIT unknowns gets a dense LU factorisation of its own; for rigid bodies that is every part and the
// whole costs O(bodies). One that is wider than those, and symmetric and positive definite, is an arrow
// (compliance_arrow.c) or gets a root. A larger part gets CHOLMOD where it is symmetric positive definite, UMFPACK
// otherwise.
#include <math.h>
#include <string.h>

#include <cblas.h>
#include <cholmod.h>
#include <lapacke.h>
#include <umfpack.h>

#include "base/check.h"
#include "linalg/sparse.h"
#include "problem/compliance_parts.h"

enum { DENSE_LIMIT = 64 };
#define ROUNDING 1e-14  // as in mass.c, and on purpose not shared with it

// --- dense parts -----------------------------------------------------------------------------------------------------

// LU with row exchanges; false when a pivot is zero or not a number.
static bool lu_factor(int n, double* a, int* pivot) {
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k + 1; i < n; ++i)
      if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
    pivot[k] = best;
    if (!(fabs(a[best * n + k]) > 0.0)) return false;
    for (int j = 0; best != k && j < n; ++j) {
      const double held = a[k * n + j];
      a[k * n + j] = a[best * n + j];
      a[best * n + j] = held;
    }
    for (int i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / a[k * n + k];
      a[i * n + k] = factor;
      if (factor == 0.0) continue;
      for (int j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return true;
}

static void lu_solve(int n, const double* a, const int* pivot, double* x) {
  for (int k = 0; k < n; ++k) {
    const double held = x[k];
    x[k] = x[pivot[k]];
    x[pivot[k]] = held;
  }
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < i; ++j) x[i] -= a[i * n + j] * x[j];
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) x[i] -= a[i * n + j] * x[j];
    x[i] /= a[i * n + i];
  }
}

// The part by rows; what is not given is left as it is.
static void gather_dense(const ChCompliance* mass, const ChPart* part, double* a) {
  const int n = part->size;
  for (int j = 0; j < n; ++j) {
    const int column = part->member[j];
    for (int k = mass->M->start[column]; k < mass->M->start[column + 1]; ++k)
      a[mass->position[mass->M->index[k]] * n + j] = mass->M->value[k];
  }
}

// NULL where the part is not symmetric and positive definite.
static double* root_of(const ChCompliance* mass, const ChPart* part) {
  const int n = part->size;
  double* root = CH_TAKE(mass->arena, n * n, double);
  gather_dense(mass, part, root);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      if (root[i * n + j] != root[j * n + i]) return NULL;
  return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, root, n) == 0 ? root : NULL;
}

static ChStatus factor_dense(ChContext* context, ChCompliance* mass, ChPart* part) {
  const int n = part->size;
  if (n >= CH_PART_WIDE && ((part->arrow = ch_arrow_find(mass, part)) || (part->root = root_of(mass, part))))
    return CH_OK;
  part->lu = CH_TAKE(mass->arena, n * n, double);
  part->pivot = CH_TAKE(mass->arena, n, int);
  gather_dense(mass, part, part->lu);
  if (lu_factor(n, part->lu, part->pivot)) return CH_OK;
  return ch_fail(context, CH_ERR_NUMERIC, "matrix M is singular: the part of %d unknowns that holds unknown %d", n,
                 part->member[0]);
}

// --- sparse parts ----------------------------------------------------------------------------------------------------

static void finish_cholmod(void* object) { cholmod_finish(object); }
static void free_umfpack(void* object) { umfpack_di_free_numeric(&object); }

typedef struct OwnedFactor {
  cholmod_factor* factor;
  cholmod_common* common;
} OwnedFactor;

static void free_factor(void* object) {
  OwnedFactor* owned = object;
  cholmod_free_factor(&owned->factor, owned->common);
}

static cholmod_common* cholmod_of(ChCompliance* mass) {
  if (!mass->common) {
    mass->common = CH_TAKE(mass->arena, 1, cholmod_common);
    cholmod_start(mass->common);
    mass->common->print = 0;
    mass->common->final_ll = 1;
    mass->common->try_catch = 1;
    ch_arena_defer(mass->arena, finish_cholmod, mass->common);
  }
  return mass->common;
}

static void extract_part(ChCompliance* mass, ChPart* part) {
  const ChSparse* M = mass->M;
  int entries = 0;
  for (int j = 0; j < part->size; ++j) entries += M->start[part->member[j] + 1] - M->start[part->member[j]];
  ChSparse* A = &part->A;
  A->rows = A->columns = part->size;
  A->start = CH_TAKE(mass->arena, part->size + 1, int);
  A->index = CH_TAKE(mass->arena, entries, int);
  A->value = CH_TAKE(mass->arena, entries, double);
  int next = 0;
  for (int j = 0; j < part->size; ++j) {
    const int column = part->member[j];
    for (int k = M->start[column]; k < M->start[column + 1]; ++k, ++next) {
      A->index[next] = mass->position[M->index[k]];  // members ascend, so positions do too
      A->value[next] = M->value[k];
    }
    A->start[j + 1] = next;
  }
}

// NULL where the part is not positive definite.
static cholmod_factor* factor_cholmod(ChCompliance* mass, ChSparse* A) {
  cholmod_common* common = cholmod_of(mass);
  cholmod_sparse view = {.nrow = (size_t)A->rows,
                         .ncol = (size_t)A->columns,
                         .nzmax = (size_t)A->start[A->columns],
                         .p = A->start,
                         .i = A->index,
                         .x = A->value,
                         .stype = -1,
                         .itype = CHOLMOD_INT,
                         .xtype = CHOLMOD_REAL,
                         .dtype = CHOLMOD_DOUBLE,
                         .sorted = 1,
                         .packed = 1};
  OwnedFactor* owned = CH_TAKE(mass->arena, 1, OwnedFactor);
  *owned = (OwnedFactor){.factor = cholmod_analyze(&view, common), .common = common};
  if (owned->factor) cholmod_factorize(&view, owned->factor, common);
  ch_arena_defer(mass->arena, free_factor, owned);
  if (common->status == CHOLMOD_OUT_OF_MEMORY) ch_arena_fail(mass->arena);
  const bool definite = common->status == CHOLMOD_OK && owned->factor->minor == (size_t)A->rows;
  return definite ? owned->factor : NULL;
}

static ChStatus factor_umfpack(ChContext* context, ChCompliance* mass, ChPart* part) {
  const ChSparse* A = &part->A;
  void* symbolic = NULL;
  int said = umfpack_di_symbolic(A->rows, A->rows, A->start, A->index, A->value, &symbolic, NULL, NULL);
  if (said == UMFPACK_OK) said = umfpack_di_numeric(A->start, A->index, A->value, symbolic, &part->umfpack, NULL, NULL);
  umfpack_di_free_symbolic(&symbolic);
  if (part->umfpack) ch_arena_defer(mass->arena, free_umfpack, part->umfpack);
  if (said == UMFPACK_ERROR_out_of_memory) ch_arena_fail(mass->arena);
  if (said == UMFPACK_OK) return CH_OK;
  return ch_fail(context, CH_ERR_NUMERIC, "matrix M is singular: the part of %d unknowns that holds unknown %d",
                 part->size, part->member[0]);
}

static ChStatus factor_sparse(ChContext* context, ChCompliance* mass, ChPart* part) {
  extract_part(mass, part);
  if (ch_sparse_asymmetry(mass->arena, &part->A) == 0.0) part->cholesky = factor_cholmod(mass, &part->A);
  return part->cholesky ? CH_OK : factor_umfpack(context, mass, part);
}

// --- all parts -------------------------------------------------------------------------------------------------------

// Unknowns that stand alone; returns how many do not.
static int find_alone(ChCompliance* mass) {
  const ChSparse* M = mass->M;
  unsigned char* coupled = CH_TAKE(mass->arena, M->rows, unsigned char);
  int count = 0;
  for (int j = 0; j < M->columns; ++j)
    for (int k = M->start[j]; k < M->start[j + 1]; ++k) {
      if (M->index[k] == j)
        mass->alone[j] = M->value[k];
      else if (M->value[k] != 0.0)
        coupled[j] = coupled[M->index[k]] = 1;
    }
  for (int i = 0; i < M->rows; ++i) {
    if (coupled[i] || mass->alone[i] == 0.0) {  // a zero on the diagonal: the factorisation will say so
      mass->alone[i] = 0.0;
      ++count;
    } else {
      mass->part[i] = -1;
      mass->share[i] = 1.0 / mass->alone[i];
    }
  }
  return count;
}

// The parts of those that do not, numbered without the ones alone.
static void number_parts(ChCompliance* mass) {
  int *label = CH_TAKE(mass->arena, mass->M->rows, int), all = ch_sparse_components(mass->arena, mass->M, NULL, label);
  int* number = CH_TAKE(mass->arena, all, int);
  for (int i = 0; i < mass->M->rows; ++i)
    if (mass->alone[i] == 0.0) {
      if (number[label[i]] == 0) number[label[i]] = ++mass->count;
      mass->part[i] = number[label[i]] - 1;
    }
}

static void list_members(ChCompliance* mass, int dof) {
  int* member = CH_TAKE(mass->arena, dof, int);
  mass->parts = CH_TAKE(mass->arena, mass->count, ChPart);
  for (int i = 0; i < dof; ++i)
    if (mass->part[i] >= 0) mass->position[i] = mass->parts[mass->part[i]].size++;
  int* first = member;
  for (int p = 0; p < mass->count; ++p) {
    mass->parts[p].member = first;
    first += mass->parts[p].size;
  }
  for (int i = 0; i < dof; ++i)
    if (mass->part[i] >= 0) member[mass->parts[mass->part[i]].member - member + mass->position[i]] = i;
}

ChStatus ch_compliance_factor(ChContext* context, ChArena* arena, const ChSparse* M, ChCompliance** out) {
  ChCompliance* mass = CH_TAKE(arena, 1, ChCompliance);
  mass->arena = arena;
  mass->M = M;
  mass->part = CH_TAKE(arena, M->rows, int);
  mass->position = CH_TAKE(arena, M->rows, int);
  mass->alone = CH_TAKE(arena, M->rows, double);
  mass->share = CH_TAKE(arena, M->rows, double);
  *out = mass;
  if (find_alone(mass) == 0) return CH_OK;
  number_parts(mass);
  list_members(mass, M->rows);
  for (int p = 0; p < mass->count; ++p) {
    ChPart* part = &mass->parts[p];
    const ChStatus status =
        part->size <= DENSE_LIMIT ? factor_dense(context, mass, part) : factor_sparse(context, mass, part);
    if (status != CH_OK) return status;
  }
  return CH_OK;
}

static cholmod_dense dense_view(int rows, int columns, double* x) {
  return (cholmod_dense){.nrow = (size_t)rows,
                         .ncol = (size_t)columns,
                         .nzmax = (size_t)rows * (size_t)columns,
                         .d = (size_t)rows,
                         .x = x,
                         .xtype = CHOLMOD_REAL,
                         .dtype = CHOLMOD_DOUBLE};
}

void ch_part_solve_cholmod(const ChCompliance* mass, const ChPart* part, int system, int columns, double* x) {
  cholmod_dense b = dense_view(part->size, columns, x);
  cholmod_dense* y = cholmod_solve(system, part->cholesky, &b, mass->common);
  if (!y) ch_arena_fail(mass->arena);
  memcpy(x, y->x, (size_t)part->size * (size_t)columns * sizeof *x);
  cholmod_free_dense(&y, mass->common);
}

// Refined once, unless round-off is all that is left. UMFPACK's own refinement measures backward errors as it goes,
// which costs as much as four solves.
static int solve_umfpack(const ChPart* part, double* x, double* work) {
  double control[UMFPACK_CONTROL];
  umfpack_di_defaults(control);
  control[UMFPACK_IRSTEP] = 0;
  const ChSparse* A = &part->A;
  double* b = work + part->size;
  memcpy(b, x, (size_t)part->size * sizeof *x);
  double size = 0.0, rest = 0.0;
  for (int i = 0; i < part->size; ++i) size = fmax(size, fabs(b[i]));
  int said = umfpack_di_solve(UMFPACK_A, A->start, A->index, A->value, x, b, part->umfpack, control, NULL);
  if (said != UMFPACK_OK) return said;
  for (int j = 0; j < part->size; ++j)
    for (int k = A->start[j]; k < A->start[j + 1]; ++k) b[A->index[k]] -= A->value[k] * x[j];
  for (int i = 0; i < part->size; ++i) rest = fmax(rest, fabs(b[i]));
  if (rest <= ROUNDING * size) return said;
  said = umfpack_di_solve(UMFPACK_A, A->start, A->index, A->value, work, b, part->umfpack, control, NULL);
  for (int i = 0; i < part->size && said == UMFPACK_OK; ++i) x[i] += work[i];
  return said;
}

ChStatus ch_part_solve(ChContext* context, const ChCompliance* mass, const ChPart* part, double* x, double* work) {
  if (part->arrow) {
    ch_arrow_solve(part, x);
  } else if (part->root) {
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, part->size, part->root, part->size, x, 1);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, part->size, part->root, part->size, x, 1);
  } else if (part->lu) {
    lu_solve(part->size, part->lu, part->pivot, x);
  } else if (part->cholesky) {
    ch_part_solve_cholmod(mass, part, CHOLMOD_A, 1, x);
  } else {
    const int said = solve_umfpack(part, x, work);
    if (said == UMFPACK_ERROR_out_of_memory) ch_arena_fail(mass->arena);
    if (said != UMFPACK_OK) return ch_fail(context, CH_ERR_NUMERIC, "solving with M failed (UMFPACK says %d)", said);
  }
  return CH_OK;
}

bool ch_compliance_shares(const ChCompliance* mass) { return !mass->common; }

ChStatus ch_compliance_solve(ChContext* context, ChArena* arena, const ChCompliance* mass, const double* b, double* x) {
  const ChArenaMark mark = ch_arena_mark(arena);
  double* local = CH_TAKE_RAW(arena, mass->M->rows, double);
  double* work = CH_TAKE_RAW(arena, 2 * mass->M->rows, double);
  ChStatus status = CH_OK;
  for (int i = 0; i < mass->M->rows; ++i)
    if (mass->part[i] < 0) x[i] = b[i] / mass->alone[i];
  for (int p = 0; p < mass->count && status == CH_OK; ++p) {
    const ChPart* part = &mass->parts[p];
    for (int i = 0; i < part->size; ++i) local[i] = b[part->member[i]];
    status = ch_part_solve(context, mass, part, local, work);
    for (int i = 0; i < part->size; ++i) x[part->member[i]] = local[i];
  }
  ch_arena_release(arena, mark);
  return status;
}
