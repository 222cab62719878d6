// Analysis of a symmetric block pattern for the multifrontal LU.
//
//   1. fill-reducing order (AMD; METIS for large graphs)
//   2. elimination tree, postorder
//   3. structure of every column: struct(j) = A(j) u  U_{children c} struct(c) \ {c}
//   4. supernodes: a chain of columns with nested structure is one front; small fronts join their parent
#include "linalg/block_lu_symbolic.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "linalg/block_order.h"

// Liu's algorithm with path compression; all in elimination positions.
static void elimination_tree(ChArena* arena, const ChBlockCsr* A, const int* order, const int* position, int* parent) {
  int* ancestor = CH_TAKE(arena, A->n, int);
  for (int j = 0; j < A->n; ++j) {
    parent[j] = ancestor[j] = -1;
    int block = order[j];
    for (int k = A->start[block]; k < A->start[block + 1]; ++k) {
      int i = position[A->column[k]];
      while (i != -1 && i < j) {
        int next = ancestor[i];
        ancestor[i] = j;
        if (next == -1) parent[i] = j;
        i = next;
      }
    }
  }
}

static void postorder(ChArena* arena, int n, const int* parent, int* post) {
  int* head = CH_TAKE(arena, n, int);
  int* sibling = CH_TAKE(arena, n, int);
  int* stack = CH_TAKE(arena, n, int);
  for (int j = 0; j < n; ++j) head[j] = -1;
  for (int j = n - 1; j >= 0; --j)
    if (parent[j] >= 0) {
      sibling[j] = head[parent[j]];
      head[parent[j]] = j;
    }
  int count = 0;
  for (int root = 0; root < n; ++root) {
    if (parent[root] >= 0) continue;
    int top = 0;
    stack[0] = root;
    while (top >= 0) {
      int j = stack[top];
      if (head[j] >= 0) {
        stack[++top] = head[j];
        head[j] = sibling[head[j]];
      } else {
        post[count++] = j;
        --top;
      }
    }
  }
}

// Columns below the diagonal, positions ascending.
typedef struct Columns {
  int** rows;
  int* count;
} Columns;

static Columns column_structures(ChArena* arena, const ChBlockCsr* A, const int* order, const int* position,
                                 const int* parent) {
  int n = A->n;
  Columns c = {CH_TAKE(arena, n, int*), CH_TAKE(arena, n, int)};
  int* head = CH_TAKE(arena, n, int);
  int* sibling = CH_TAKE(arena, n, int);
  int* seen = CH_TAKE(arena, n, int);
  int* buffer = CH_TAKE(arena, n, int);
  for (int j = 0; j < n; ++j) head[j] = seen[j] = -1;
  for (int j = 0; j < n; ++j) {
    int count = 0, block = order[j];
    seen[j] = j;
    for (int k = A->start[block]; k < A->start[block + 1]; ++k) {
      int i = position[A->column[k]];
      if (i > j && seen[i] != j) seen[buffer[count++] = i] = j;
    }
    for (int child = head[j]; child >= 0; child = sibling[child])
      for (int k = 0; k < c.count[child]; ++k) {
        int i = c.rows[child][k];
        if (i > j && seen[i] != j) seen[buffer[count++] = i] = j;
      }
    qsort(buffer, (size_t)count, sizeof *buffer, ch_compare_int);
    c.count[j] = count;
    c.rows[j] = CH_TAKE(arena, count, int);
    memcpy(c.rows[j], buffer, (size_t)count * sizeof *buffer);
    if (parent[j] >= 0) {
      sibling[j] = head[parent[j]];
      head[parent[j]] = j;
    }
  }
  return c;
}

static int scalars(const ChBlockCsr* A, const int* order, const int* positions, int count) {
  int total = 0;
  for (int k = 0; k < count; ++k) total += A->dim[order[positions[k]]];
  return total;
}

// The share of explicit zeros that a front of this many pivot scalars may hold for the sake of fewer, larger fronts.
static double allowed_zeros(int width) { return width <= 16 ? 0.8 : width <= 48 ? 0.25 : width <= 96 ? 0.1 : 0.05; }

// Joins each column to the front of the column before it when that is its child and the structures nest, exactly or
// nearly. first[s] .. first[s+1]-1 are the columns of front s.
static int find_supernodes(ChArena* arena, const ChBlockCsr* A, const int* order, const int* parent, const Columns* c,
                           int* first) {
  int fronts = 0, width = 0;
  double zeros = 0.0;
  int* height = CH_TAKE(arena, A->n, int);  // scalars below the diagonal block
  for (int j = 0; j < A->n; ++j) height[j] = scalars(A, order, c->rows[j], c->count[j]);
  for (int j = 0; j < A->n; ++j) {
    int dim = A->dim[order[j]];
    bool joins = false;
    if (j > 0 && parent[j - 1] == j) {
      double added = (double)(height[j] + dim - height[j - 1]) * width;  // rows that the front so far lacks
      double entries = (double)(width + dim) * (height[j] + 0.5 * (width + dim));
      joins = zeros + added <= allowed_zeros(width + dim) * entries;
      if (joins) zeros += added;
    }
    if (!joins) {
      first[fronts++] = j;
      width = 0;
      zeros = 0.0;
    }
    width += dim;
  }
  first[fronts] = A->n;
  return fronts;
}

// Index lists of the fronts: their pivots, then the structure of their last column.
static void build_fronts(ChArena* arena, ChSymbolic* s, const int* first, const Columns* c, int* front_of) {
  long total = 0;
  for (int f = 0; f < s->fronts; ++f) total += first[f + 1] - first[f] + c->count[first[f + 1] - 1];
  s->index = CH_TAKE(arena, total, int);
  s->parent_slot = CH_TAKE(arena, total, int);
  s->front = CH_TAKE(arena, s->fronts, ChFront);
  int list = 0;
  for (int f = 0; f < s->fronts; ++f) {
    int last = first[f + 1] - 1, pivots = first[f + 1] - first[f];
    s->front[f] = (ChFront){
        .pivots = pivots, .size = pivots + c->count[last], .list = list, .parent = -1, .child = -1, .sibling = -1};
    for (int k = 0; k < pivots; ++k) {
      s->index[list + k] = first[f] + k;
      front_of[first[f] + k] = f;
    }
    memcpy(s->index + list + pivots, c->rows[last], (size_t)c->count[last] * sizeof(int));
    list += s->front[f].size;
  }
}

static int slot_in_front(const ChSymbolic* s, const ChFront* front, int position) {
  int low = 0, high = front->size - 1;
  while (low < high) {
    int middle = (low + high) / 2;
    if (s->index[front->list + middle] < position)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void link_parents(ChSymbolic* s, const int* front_of) {
  for (int f = 0; f < s->fronts; ++f) {
    ChFront* front = &s->front[f];
    if (front->size == front->pivots) continue;
    front->parent = front_of[s->index[front->list + front->pivots]];
    ChFront* parent = &s->front[front->parent];
    front->sibling = parent->child;
    parent->child = f;
    for (int k = front->pivots; k < front->size; ++k)
      s->parent_slot[front->list + k] = slot_in_front(s, parent, s->index[front->list + k]);
  }
}

// Every matrix entry is assembled in the front that eliminates the earlier of its row and column.
static void place_entries(ChArena* arena, ChSymbolic* s, const ChBlockCsr* A, const int* position,
                          const int* front_of) {
  int entries = A->start[A->n];
  s->entry = CH_TAKE(arena, entries, int);
  s->entry_row = CH_TAKE(arena, entries, int);
  s->entry_column = CH_TAKE(arena, entries, int);
  int* count = CH_TAKE(arena, s->fronts + 1, int);
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < A->n; ++i)
      for (int k = A->start[i]; k < A->start[i + 1]; ++k) {
        int row = position[i], column = position[A->column[k]];
        int f = front_of[row < column ? row : column];
        if (pass == 0) {
          ++count[f + 1];
          continue;
        }
        int at = s->front[f].entry_end++;
        s->entry[at] = k;
        s->entry_row[at] = slot_in_front(s, &s->front[f], row);
        s->entry_column[at] = slot_in_front(s, &s->front[f], column);
      }
    if (pass == 0)
      for (int f = 0; f < s->fronts; ++f) {
        count[f + 1] += count[f];
        s->front[f].entry = s->front[f].entry_end = count[f];
      }
  }
}

// Sizes at worst, with no row pinned. Update matrices wait on a stack: postorder puts a front's children on top.
static void measure(ChArena* arena, ChSymbolic* s, const ChBlockCsr* A, const int* order) {
  long* update = CH_TAKE(arena, s->fronts, long);
  int* stack = CH_TAKE(arena, s->fronts, int);
  int top = 0;
  long waiting = 0;
  for (int f = 0; f < s->fronts; ++f) {
    const ChFront* front = &s->front[f];
    long pivot = scalars(A, order, s->index + front->list, front->pivots);
    long size = scalars(A, order, s->index + front->list, front->size);
    update[f] = (size - pivot) * (size - pivot);
    while (top > 0 && s->front[stack[top - 1]].parent == f) waiting -= update[stack[--top]];
    stack[top++] = f;
    waiting += update[f];
    if (waiting > s->stack) s->stack = waiting;
    if (size * size > s->largest_front) s->largest_front = size * size;
    s->factor += pivot * (2 * size - pivot);
    s->flops += 2.0 / 3.0 * (double)(pivot * pivot * pivot) + 2.0 * (double)(pivot * pivot * (size - pivot)) +
                2.0 * (double)pivot * (double)update[f];
  }
}

ChSymbolic ch_symbolic_analyze(ChArena* arena, const ChBlockCsr* A) {
  int n = A->n;
  ChSymbolic s = {.n = n};
  int* order = CH_TAKE(arena, n, int);
  int* position = CH_TAKE(arena, n, int);
  int* parent = CH_TAKE(arena, n, int);
  int* post = CH_TAKE(arena, n, int);
  int* first = CH_TAKE(arena, n + 1, int);
  int* front_of = CH_TAKE(arena, n, int);
  ch_block_order(arena, A, order);
  for (int pass = 0; pass < 2; ++pass) {  // a second pass after sorting by postorder
    for (int k = 0; k < n; ++k) position[order[k]] = k;
    elimination_tree(arena, A, order, position, parent);
    if (pass == 1) break;
    postorder(arena, n, parent, post);
    for (int k = 0; k < n; ++k) position[k] = order[post[k]];
    memcpy(order, position, (size_t)n * sizeof *order);
  }
  Columns c = column_structures(arena, A, order, position, parent);
  s.fronts = find_supernodes(arena, A, order, parent, &c, first);
  build_fronts(arena, &s, first, &c, front_of);
  link_parents(&s, front_of);
  place_entries(arena, &s, A, position, front_of);
  measure(arena, &s, A, order);
  int total = s.fronts ? s.front[s.fronts - 1].list + s.front[s.fronts - 1].size : 0;
  for (int k = 0; k < total; ++k) s.index[k] = order[s.index[k]];  // positions -> blocks
  return s;
}
