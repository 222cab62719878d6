// M^-1 by connected parts of M.
//
// An unknown that M couples with no other needs a division only: translations, and turns about principal axes. A part
// of at most DENSE_LIMIT unknowns gets a dense LU factorisation of its own; for rigid bodies that is every part and the
// whole costs O(bodies). A larger part gets CHOLMOD where it is symmetric positive definite, UMFPACK otherwise. What
// many columns of H need, the diagonal, is cheaper from a root of a positive definite part: |L^-1 h|^2, by matrices.
#include "problem/compliance.h"

#include <math.h>
#include <string.h>

#include <cblas.h>
#include <cholmod.h>
#include <lapacke.h>
#include <umfpack.h>

#include "base/check.h"
#include "linalg/sparse.h"

enum { DENSE_LIMIT = 64, CHUNK = 32 };
enum { WIDE = 12, MANY = 32 };  // unknowns of a dense part, and columns of H, from which on it gets a root, too

typedef struct Part {
  int size;
  const int* member;  // its unknowns, ascending
  double* lu;         // dense: size x size by rows, L below the diagonal (unit), U on and above
  int* pivot;         // dense: row exchanged with row k
  double* root;       // wide and positive definite: L by columns
  ChSparse A;         // sparse: the part's own matrix
  cholmod_factor* cholesky;
  void* umfpack;
} Part;

struct ChCompliance {
  ChArena* arena;
  const ChSparse* M;
  double* alone;  // of an unknown that is coupled with none: its entry of M; otherwise 0
  double* share;  // of such an unknown: the inverse of that entry
  int count;
  Part* parts;    // of the others
  int* part;      // of each unknown; -1 where it is alone
  int* position;  // of each unknown, in its part
  cholmod_common* common;
};

// --- dense parts
// ------------------------------------------------------------------------------------------------------

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

// The part by rows; what is not given is zero.
static void gather_dense(const ChCompliance* mass, const Part* part, double* a) {
  const int n = part->size;
  for (int j = 0; j < n; ++j) {
    const int column = part->member[j];
    for (int k = mass->M->start[column]; k < mass->M->start[column + 1]; ++k)
      a[mass->position[mass->M->index[k]] * n + j] = mass->M->value[k];
  }
}

// NULL where the part is not symmetric and positive definite.
static double* root_of(const ChCompliance* mass, const Part* part) {
  const int n = part->size;
  double* root = CH_TAKE(mass->arena, n * n, double);
  gather_dense(mass, part, root);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      if (root[i * n + j] != root[j * n + i]) return NULL;
  return LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, root, n) == 0 ? root : NULL;
}

static ChStatus factor_dense(ChContext* context, ChCompliance* mass, Part* part) {
  const int n = part->size;
  part->lu = CH_TAKE(mass->arena, n * n, double);
  part->pivot = CH_TAKE(mass->arena, n, int);
  gather_dense(mass, part, part->lu);
  if (lu_factor(n, part->lu, part->pivot)) return CH_OK;
  return ch_fail(context, CH_ERR_NUMERIC, "matrix M is singular: the part of %d unknowns that holds unknown %d", n,
                 part->member[0]);
}

// --- sparse parts
// -----------------------------------------------------------------------------------------------------

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

static void extract_part(ChCompliance* mass, Part* part) {
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

static ChStatus factor_umfpack(ChContext* context, ChCompliance* mass, Part* part) {
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

static ChStatus factor_sparse(ChContext* context, ChCompliance* mass, Part* part) {
  extract_part(mass, part);
  if (ch_sparse_asymmetry(mass->arena, &part->A) == 0.0) part->cholesky = factor_cholmod(mass, &part->A);
  return part->cholesky ? CH_OK : factor_umfpack(context, mass, part);
}

// --- all parts
// --------------------------------------------------------------------------------------------------------

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
  mass->parts = CH_TAKE(mass->arena, mass->count, Part);
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
    Part* part = &mass->parts[p];
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

// x := system^-1 x for `columns` right-hand sides of a part factored by CHOLMOD.
static void solve_cholmod(const ChCompliance* mass, const Part* part, int system, int columns, double* x) {
  cholmod_dense b = dense_view(part->size, columns, x);
  cholmod_dense* y = cholmod_solve(system, part->cholesky, &b, mass->common);
  if (!y) ch_arena_fail(mass->arena);
  memcpy(x, y->x, (size_t)part->size * (size_t)columns * sizeof *x);
  cholmod_free_dense(&y, mass->common);
}

// x := A^-1 b of one part; `work` holds size entries.
static ChStatus solve_part(ChContext* context, const ChCompliance* mass, const Part* part, double* x, double* work) {
  if (part->lu) {
    lu_solve(part->size, part->lu, part->pivot, x);
  } else if (part->cholesky) {
    solve_cholmod(mass, part, CHOLMOD_A, 1, x);
  } else {
    memcpy(work, x, (size_t)part->size * sizeof *x);
    const int said =
        umfpack_di_solve(UMFPACK_A, part->A.start, part->A.index, part->A.value, x, work, part->umfpack, NULL, NULL);
    if (said == UMFPACK_ERROR_out_of_memory) ch_arena_fail(mass->arena);
    if (said != UMFPACK_OK) return ch_fail(context, CH_ERR_NUMERIC, "solving with M failed (UMFPACK says %d)", said);
  }
  return CH_OK;
}

ChStatus ch_compliance_solve(ChContext* context, const ChCompliance* mass, const double* b, double* x) {
  const ChArenaMark mark = ch_arena_mark(mass->arena);
  double* local = CH_TAKE_RAW(mass->arena, mass->M->rows, double);
  double* work = CH_TAKE_RAW(mass->arena, mass->M->rows, double);
  ChStatus status = CH_OK;
  for (int i = 0; i < mass->M->rows; ++i)
    if (mass->part[i] < 0) x[i] = b[i] / mass->alone[i];
  for (int p = 0; p < mass->count && status == CH_OK; ++p) {
    const Part* part = &mass->parts[p];
    for (int i = 0; i < part->size; ++i) local[i] = b[part->member[i]];
    status = solve_part(context, mass, part, local, work);
    for (int i = 0; i < part->size; ++i) x[part->member[i]] = local[i];
  }
  ch_arena_release(mass->arena, mark);
  return status;
}

// --- the diagonal of H^T M^-1 H
// ---------------------------------------------------------------------------------------

// Columns of H in one part with a root, gathered until they are worth a solve.
typedef struct Panel {
  double* x;  // size x CHUNK, by columns
  int count, columns[CHUNK];
} Panel;

typedef struct Touch {
  double* column;  // one column of H, spread over all unknowns
  double* local;   // its entries in one part
  double* work;
  int* seen;  // column that last touched each part
  int* touched;
  int count;
  Panel* panel;  // per part
} Touch;

// Spreads what belongs to parts and adds up what does not.
static double spread_column(const ChCompliance* mass, const ChSparse* H, int c, Touch* t) {
  double sum = 0.0;
  t->count = 0;
  for (int k = H->start[c]; k < H->start[c + 1]; ++k) {
    const int p = mass->part[H->index[k]];
    sum += mass->share[H->index[k]] * H->value[k] * H->value[k];
    if (p < 0) continue;
    t->column[H->index[k]] = H->value[k];
    if (t->seen[p] == c + 1) continue;
    t->seen[p] = c + 1;
    t->touched[t->count++] = p;
  }
  return sum;
}

static void clear_column(const ChSparse* H, int c, Touch* t) {
  for (int k = H->start[c]; k < H->start[c + 1]; ++k) t->column[H->index[k]] = 0.0;
}

static bool has_root(const Part* part) { return part->cholesky || part->root; }

// |L^-1 P h|^2 for a chunk of columns at a time: half a solve, and by matrix-matrix kernels.
static void add_chunk(const ChCompliance* mass, const Part* part, int count, const int* columns, double* x,
                      double* diagonal) {
  if (part->cholesky) {
    solve_cholmod(mass, part, CHOLMOD_P, count, x);
    solve_cholmod(mass, part, CHOLMOD_L, count, x);
  } else {
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, part->size, count, 1.0, part->root,
                part->size, x, part->size);
  }
  for (int c = 0; c < count; ++c) {
    const double* y = x + (size_t)c * (size_t)part->size;
    for (int i = 0; i < part->size; ++i) diagonal[columns[c]] += y[i] * y[i];
  }
}

static void flush_panel(const ChCompliance* mass, int p, Panel* panel, double* diagonal) {
  if (panel->count > 0) add_chunk(mass, &mass->parts[p], panel->count, panel->columns, panel->x, diagonal);
  panel->count = 0;
}

static void add_to_panel(const ChCompliance* mass, int p, int c, Touch* t, double* diagonal) {
  const Part* part = &mass->parts[p];
  Panel* panel = &t->panel[p];
  if (!panel->x) panel->x = CH_TAKE_RAW(mass->arena, (size_t)part->size * CHUNK, double);
  double* x = panel->x + (size_t)panel->count * (size_t)part->size;
  for (int i = 0; i < part->size; ++i) x[i] = t->column[part->member[i]];
  panel->columns[panel->count++] = c;
  if (panel->count == CHUNK) flush_panel(mass, p, panel, diagonal);
}

// Adds column c's share of every part it touches; the parts with a root take theirs later.
static ChStatus add_column(ChContext* context, const ChCompliance* mass, int c, Touch* t, double* diagonal) {
  for (int k = 0; k < t->count; ++k) {
    const Part* part = &mass->parts[t->touched[k]];
    if (has_root(part)) {
      add_to_panel(mass, t->touched[k], c, t, diagonal);
      continue;
    }
    for (int i = 0; i < part->size; ++i) t->local[i] = t->column[part->member[i]];
    const ChStatus status = solve_part(context, mass, part, t->local, t->work);
    if (status != CH_OK) return status;
    for (int i = 0; i < part->size; ++i) diagonal[c] += t->local[i] * t->column[part->member[i]];
  }
  return CH_OK;
}

// All unknowns alone: nothing but sums of squares.
static void add_squares(const ChCompliance* mass, const ChSparse* H, double* diagonal) {
  for (int c = 0; c < H->columns; ++c) {
    double sum = 0.0;
    for (int k = H->start[c]; k < H->start[c + 1]; ++k) sum += mass->share[H->index[k]] * H->value[k] * H->value[k];
    diagonal[c] = sum;
  }
}

ChStatus ch_compliance_diagonal(ChContext* context, const ChCompliance* mass, const ChSparse* H, double* diagonal) {
  if (mass->count == 0) {
    add_squares(mass, H, diagonal);
    return CH_OK;
  }
  const ChArenaMark mark = ch_arena_mark(mass->arena);
  Touch t = {.column = CH_TAKE(mass->arena, H->rows, double),
             .local = CH_TAKE(mass->arena, H->rows, double),
             .work = CH_TAKE(mass->arena, H->rows, double),
             .seen = CH_TAKE(mass->arena, mass->count, int),
             .touched = CH_TAKE(mass->arena, mass->count, int),
             .panel = CH_TAKE(mass->arena, mass->count, Panel)};
  ChStatus status = CH_OK;
  for (int p = 0; p < mass->count; ++p) {
    Part* part = &mass->parts[p];
    if (part->lu && part->size >= WIDE && H->columns >= MANY) part->root = root_of(mass, part);
  }
  for (int c = 0; c < H->columns && status == CH_OK; ++c) {
    diagonal[c] = spread_column(mass, H, c, &t);
    if (t.count == 0) continue;
    status = add_column(context, mass, c, &t, diagonal);
    clear_column(H, c, &t);
  }
  for (int p = 0; p < mass->count && status == CH_OK; ++p) flush_panel(mass, p, &t.panel[p], diagonal);
  for (int p = 0; p < mass->count; ++p) mass->parts[p].root = NULL;  // it goes with what was taken since the mark
  ch_arena_release(mass->arena, mark);
  return status;
}
