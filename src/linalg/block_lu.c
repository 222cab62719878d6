// Multifrontal LU: fronts are dense, column-major; children come before parents.
//
//   front F = [F11 F12; F21 F22] with F11 the pivot block:  F11 = P^T L U,  U12 = L^-1 P F12,  L21 = F21 U^-1,
//   update F22 - L21 U12 goes to the parent (extend-add)
#include "linalg/block_lu.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/work.h"
#include "linalg/block_lu_symbolic.h"

enum { STRIP = 24, TINY_PRODUCT = 4096 };  // columns at a time; work below which plain loops beat a BLAS call

#define DENSE_SHARE 0.3  // of a multiply-add elsewhere that one inside a dense front costs

// What a factorisation leaves behind for one front.
typedef struct Panel {
  int pivot, size;  // scalars, without pinned blocks
  int gather;       // where its scalar index list begins
  double* column;   // size x pivot: [L\U of F11; L21]
  double* row;      // pivot x (size - pivot): U12
  int* swap;        // pivot
} Panel;

struct ChBlockLu {
  ChArena* arena;
  ChSymbolic symbolic;
  const int *dim, *row;
  Panel* panel;
  double *front, *stack, *factor;
  int* swap;        // all panels' row exchanges
  int* gather;      // all panels' scalar indices
  int* slot;        // scalar offset of each block in its front; -1 when pinned
  double** update;  // per front: its waiting update matrix
  int* target;      // of an extend-add
};

ChBlockLu* ch_block_lu_analyze(ChArena* arena, const ChBlockCsr* A) {
  ChBlockLu* lu = CH_TAKE(arena, 1, ChBlockLu);
  lu->arena = arena;
  lu->symbolic = ch_symbolic_analyze(arena, A);
  lu->dim = A->dim;
  lu->row = A->row;
  return lu;
}

void ch_block_lu_reserve(ChBlockLu* lu) {
  const ChSymbolic* s = &lu->symbolic;
  if (lu->panel) return;
  int total = s->fronts ? s->front[s->fronts - 1].list + s->front[s->fronts - 1].size : 0;
  long scalars = 0;
  for (int k = 0; k < total; ++k) scalars += lu->dim[s->index[k]];
  lu->panel = CH_TAKE(lu->arena, s->fronts, Panel);
  lu->front = CH_TAKE(lu->arena, s->largest_front, double);
  lu->stack = CH_TAKE(lu->arena, s->stack, double);
  lu->factor = CH_TAKE(lu->arena, s->factor, double);
  lu->swap = CH_TAKE(lu->arena, lu->row[s->n], int);
  lu->gather = CH_TAKE(lu->arena, scalars, int);
  lu->slot = CH_TAKE(lu->arena, total, int);
  lu->update = CH_TAKE(lu->arena, s->fronts, double*);
  lu->target = CH_TAKE(lu->arena, lu->row[s->n], int);
}

double ch_block_lu_flops(const ChBlockLu* lu) { return lu->symbolic.flops; }

// Scalar offsets of a front's blocks, skipping pinned ones; fills the panel's sizes and gather list.
static void place_blocks(ChBlockLu* lu, int f, const unsigned char* pinned, int gather) {
  const ChFront* front = &lu->symbolic.front[f];
  Panel* panel = &lu->panel[f];
  *panel = (Panel){.gather = gather};
  for (int k = 0; k < front->size; ++k) {
    int block = lu->symbolic.index[front->list + k];
    bool out = pinned && pinned[block];
    lu->slot[front->list + k] = out ? -1 : panel->size;
    if (out) continue;
    for (int a = 0; a < lu->dim[block]; ++a) lu->gather[gather + panel->size + a] = lu->row[block] + a;
    panel->size += lu->dim[block];
    if (k < front->pivots) panel->pivot = panel->size;
  }
}

static void assemble_entries(ChBlockLu* lu, int f, const ChBlockCsr* A) {
  const ChSymbolic* s = &lu->symbolic;
  const ChFront* front = &s->front[f];
  int size = lu->panel[f].size;
  memset(lu->front, 0, (size_t)size * (size_t)size * sizeof(double));
  for (int k = front->entry; k < front->entry_end; ++k) {
    int row = lu->slot[front->list + s->entry_row[k]], column = lu->slot[front->list + s->entry_column[k]];
    if (row < 0 || column < 0) continue;
    int rows = lu->dim[s->index[front->list + s->entry_row[k]]];
    int columns = lu->dim[s->index[front->list + s->entry_column[k]]];
    const double* block = A->value + A->offset[s->entry[k]];
    for (int b = 0; b < columns; ++b)
      for (int a = 0; a < rows; ++a) lu->front[row + a + (long)(column + b) * size] = block[a * columns + b];
  }
}

// Adds a child's update matrix into its parent's front. target[k] is where scalar k of the update goes.
static void extend_add(ChBlockLu* lu, int child, int f) {
  const ChSymbolic* s = &lu->symbolic;
  const ChFront *from = &s->front[child], *to = &s->front[f];
  int size = lu->panel[f].size, rest = 0, *target = lu->target;
  for (int j = from->pivots; j < from->size; ++j) {
    if (lu->slot[from->list + j] < 0) continue;
    int at = lu->slot[to->list + s->parent_slot[from->list + j]];
    for (int a = 0; a < lu->dim[s->index[from->list + j]]; ++a) target[rest++] = at + a;
  }
  const double* source = lu->update[child];
  for (int j = 0; j < rest; ++j, source += rest) {
    double* column = lu->front + (long)target[j] * size;
    for (int i = 0; i < rest; ++i) column[target[i]] += source[i];
  }
}

static inline void swap_rows(double* column, int i, int j) {
  double value = column[i];
  column[i] = column[j];
  column[j] = value;
}

// One elimination step: choose a pivot for column k among the pivot rows, exchange rows in columns first .. end, scale,
// update the columns up to `end`. A pivot below `tiny` is shifted to it.
static bool eliminate_column(double* F, int size, int pivot, int first, int end, int k, double tiny, int* swap) {
  double* column = F + (long)k * size;
  int best = k;
  for (int i = k + 1; i < pivot; ++i)
    if (fabs(column[i]) > fabs(column[best])) best = i;
  swap[k] = best;
  if (best != k)
    for (int j = first; j < end; ++j) swap_rows(F + (long)j * size, k, best);
  if (isnan(column[k])) return false;
  if (fabs(column[k]) < tiny) column[k] = column[k] < 0.0 ? -tiny : tiny;
  double inverse = 1.0 / column[k];
  for (int i = k + 1; i < size; ++i) column[i] *= inverse;
  for (int j = k + 1; j < end; ++j) {
    double factor = F[k + (long)j * size];
    if (factor == 0.0) continue;
    double* other = F + (long)j * size;
    for (int i = k + 1; i < size; ++i) other[i] -= factor * column[i];
  }
  return true;
}

// The exchanges of a strip in all other columns, column by column.
static void exchange_outside(double* F, int size, int strip, int end, int worked, const int* swap) {
  for (int j = 0; j < size; ++j) {
    if (j == strip) j = worked;
    if (j >= size) break;
    for (int k = strip; k < end; ++k)
      if (swap[k] != k) swap_rows(F + (long)j * size, k, swap[k]);
  }
}

// Factors the pivot columns in strips so that most of the work is one matrix product per strip.
static bool factor_front(double* F, int size, int pivot, double tiny, int* swap) {
  for (int strip = 0; strip < pivot; strip += STRIP) {
    int end = strip + STRIP < pivot ? strip + STRIP : pivot, rest = size - end, width = end - strip;
    bool small = (long)width * rest * rest < TINY_PRODUCT;
    const double work = DENSE_SHARE * width * (double)size * size;
    if (ch_limits_over() || !ch_limits_allow(work, 0.0)) return false;
    ch_work_add(work);
    int worked = small ? size : end;
    for (int k = strip; k < end; ++k)
      if (!eliminate_column(F, size, pivot, strip, worked, k, tiny, swap)) return false;
    exchange_outside(F, size, strip, end, worked, swap);
    if (small || rest == 0) continue;
    double *L11 = F + strip + (long)strip * size, *U12 = F + strip + (long)end * size;
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, width, rest, 1.0, L11, size, U12, size);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, rest, rest, width, -1.0, F + end + (long)strip * size, size,
                U12, size, 1.0, F + end + (long)end * size, size);
  }
  return true;
}

// Over the rows that take part: a pinned one holds what an earlier factorisation left there.
static double largest_entry(const ChBlockCsr* A, const unsigned char* pinned) {
  double largest = 0.0;
  for (int i = 0; i < A->n; ++i) {
    if (pinned && pinned[i]) continue;
    for (long k = A->offset[A->start[i]]; k < A->offset[A->start[i + 1]]; ++k)
      largest = fmax(largest, fabs(A->value[k]));
  }
  return largest;
}

// Copies the finished columns and rows out of the front; the update matrix goes to `update`.
static void store_front(const double* F, Panel* panel, double* update) {
  int size = panel->size, pivot = panel->pivot, rest = size - pivot;
  memcpy(panel->column, F, (size_t)size * (size_t)pivot * sizeof(double));
  for (int j = 0; j < rest; ++j) {
    const double* column = F + (long)(pivot + j) * size;
    memcpy(panel->row + (long)j * pivot, column, (size_t)pivot * sizeof(double));
    memcpy(update + (long)j * rest, column + pivot, (size_t)rest * sizeof(double));
  }
}

bool ch_block_lu_factor(ChBlockLu* lu, const ChBlockCsr* A, const unsigned char* pinned) {
  const ChSymbolic* s = &lu->symbolic;
  double tiny = 1e-14 * largest_entry(A, pinned);
  if (!(tiny > 0.0)) tiny = 1e-300;
  double *factor = lu->factor, *stack = lu->stack;
  int gather = 0, swap = 0;
  for (int f = 0; f < s->fronts; ++f) {
    Panel* panel = &lu->panel[f];
    place_blocks(lu, f, pinned, gather);
    assemble_entries(lu, f, A);
    double* base = stack;
    for (int child = s->front[f].child; child >= 0; child = s->front[child].sibling) {  // on top of the stack
      extend_add(lu, child, f);
      base = lu->update[child];
    }
    panel->column = factor;
    panel->row = factor + (long)panel->size * panel->pivot;
    panel->swap = lu->swap + swap;
    ch_work_add((double)panel->size * panel->size);
    if (!factor_front(lu->front, panel->size, panel->pivot, tiny, panel->swap)) return false;
    lu->update[f] = base;
    store_front(lu->front, panel, base);
    int rest = panel->size - panel->pivot;
    stack = base + (long)rest * rest;
    factor += (long)panel->pivot * (2 * panel->size - panel->pivot);
    gather += panel->size;
    swap += panel->pivot;
  }
  return true;
}

static void forward(const Panel* panel, const int* at, double* x) {
  for (int k = 0; k < panel->pivot; ++k) {  // exchanges first: L is stored in its final row order
    int other = panel->swap[k];
    double value = x[at[other]];
    x[at[other]] = x[at[k]];
    x[at[k]] = value;
  }
  for (int k = 0; k < panel->pivot; ++k) {
    const double* column = panel->column + (long)k * panel->size;
    double value = x[at[k]];
    if (value == 0.0) continue;
    for (int i = k + 1; i < panel->size; ++i) x[at[i]] -= column[i] * value;
  }
}

static void backward(const Panel* panel, const int* at, double* x) {
  int rest = panel->size - panel->pivot;
  for (int j = 0; j < rest; ++j) {
    double value = x[at[panel->pivot + j]];
    const double* row = panel->row + (long)j * panel->pivot;
    if (value == 0.0) continue;
    for (int k = 0; k < panel->pivot; ++k) x[at[k]] -= row[k] * value;
  }
  for (int k = panel->pivot - 1; k >= 0; --k) {
    const double* column = panel->column + (long)k * panel->size;
    double value = x[at[k]] /= column[k];
    for (int i = 0; i < k; ++i) x[at[i]] -= column[i] * value;
  }
}

void ch_block_lu_solve(const ChBlockLu* lu, const double* b, double* x) {
  const ChSymbolic* s = &lu->symbolic;
  ch_work_add((double)s->factor);
  for (int f = 0; f < s->fronts; ++f) {  // every block is a pivot of exactly one front
    const Panel* panel = &lu->panel[f];
    for (int k = 0; k < panel->pivot; ++k) x[lu->gather[panel->gather + k]] = b[lu->gather[panel->gather + k]];
  }
  for (int f = 0; f < s->fronts; ++f) forward(&lu->panel[f], lu->gather + lu->panel[f].gather, x);
  for (int f = s->fronts - 1; f >= 0; --f) backward(&lu->panel[f], lu->gather + lu->panel[f].gather, x);
}

// --- several right-hand sides

typedef double Lanes __attribute__((vector_size(CH_LU_LANES * sizeof(double)), aligned(8), may_alias));

#define LANES_WORK 1.5  // of an entry of the factors: what all lanes together cost, as measured

static inline Lanes* lanes_at(double* x, int row) { return (Lanes*)(x + (long)CH_LU_LANES * row); }

static bool is_nothing(const Lanes* x) {
  const double* value = (const double*)x;
  for (int l = 0; l < CH_LU_LANES; ++l)
    if (value[l] != 0.0) return false;
  return true;
}

static void forward_lanes(const Panel* panel, const int* at, double* x) {
  for (int k = 0; k < panel->pivot; ++k) {
    Lanes *one = lanes_at(x, at[panel->swap[k]]), *other = lanes_at(x, at[k]), value = *one;
    *one = *other;
    *other = value;
  }
  for (int k = 0; k < panel->pivot; ++k) {
    const double* column = panel->column + (long)k * panel->size;
    const Lanes value = *lanes_at(x, at[k]);
    if (is_nothing(&value)) continue;
    for (int i = k + 1; i < panel->size; ++i) *lanes_at(x, at[i]) -= column[i] * value;
  }
}

static void backward_lanes(const Panel* panel, const int* at, double* x) {
  const int rest = panel->size - panel->pivot;
  for (int j = 0; j < rest; ++j) {
    const Lanes value = *lanes_at(x, at[panel->pivot + j]);
    const double* row = panel->row + (long)j * panel->pivot;
    for (int k = 0; k < panel->pivot; ++k) *lanes_at(x, at[k]) -= row[k] * value;
  }
  for (int k = panel->pivot - 1; k >= 0; --k) {
    const double* column = panel->column + (long)k * panel->size;
    const Lanes value = *lanes_at(x, at[k]) / column[k];
    *lanes_at(x, at[k]) = value;
    for (int i = 0; i < k; ++i) *lanes_at(x, at[i]) -= column[i] * value;
  }
}

void ch_block_lu_solve_lanes(const ChBlockLu* lu, double* x) {
  const ChSymbolic* s = &lu->symbolic;
  ch_work_add(LANES_WORK * (double)s->factor);
  for (int f = 0; f < s->fronts; ++f) forward_lanes(&lu->panel[f], lu->gather + lu->panel[f].gather, x);
  for (int f = s->fronts - 1; f >= 0; --f) backward_lanes(&lu->panel[f], lu->gather + lu->panel[f].gather, x);
}
