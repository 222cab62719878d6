// See block_jacobians.h. The columns of a block stand next to each other in H, so one walk along H finds everything.
#include "system/block_jacobians.h"

#include <cblas.h>
#include <lapacke.h>
#include <string.h>

#include "linalg/sparse.h"
#include "problem/mass.h"

// Degrees of freedom, and rows of the problem, from which on a body's blocks are squared together; columns at a time.
enum { WIDE = 12, MANY = 32, CHUNK = 30 };

// The first of the ascending indices from k on that is not the body's, the k-th being so.
static int body_end(const ChMass* mass, const int* index, int k, int end, int body) {
  const int* dof = mass->dof + mass->start[body];
  int size = ch_mass_size(mass, body), last = dof[size - 1];
  bool wide = size >= WIDE && last - dof[0] == size - 1;
  if (wide && index[end - 1] <= last) return end;
  if (wide) k += ch_sparse_run(index + k, last - index[k] + 1 < end - k ? last - index[k] + 1 : end - k);
  while (k < end && mass->body_of[index[k]] == body) ++k;
  return k;
}

// Which bodies the block at hand touches, and as which entry.
typedef struct Touched {
  int* by;  // 1 + the block that last touched the body
  int* entry;
  int* only;      // of each block: see only_body
  bool* by_rows;  // whether what squares the body's blocks reads them row by row; NULL where none does
} Touched;

// The body with modes that all rows of the block reach in full and that alone; -1 where there is none.
static int only_body(const ChProblem* p, const ChBlock* block) {
  const int *start = p->H.start + block->row, *index = p->H.index, length = start[1] - start[0];
  if (length < WIDE || block->dimension > CH_SOURCE_ROWS) return -1;
  int first = index[start[0]], body = p->mass->body_of[first];
  const int* dof = p->mass->dof + p->mass->start[body];
  if (ch_mass_size(p->mass, body) != length || dof[0] != first || dof[length - 1] != first + length - 1) return -1;
  for (int a = 0; a < block->dimension; ++a)
    if (start[a + 1] - start[a] != length || index[start[a]] != first || index[start[a + 1] - 1] != dof[length - 1])
      return -1;
  return body;
}

static long count_entries(const ChProblem* p, const unsigned char* skip, Touched* touched, int* entries) {
  const ChMass* mass = p->mass;
  long size = 0;
  *entries = 0;
  for (int i = 0; i < p->block_count; ++i) {
    const ChBlock* block = &p->blocks[i];
    if (skip && skip[i]) continue;
    int only = touched->only[i] = only_body(p, block);
    if (only >= 0) {
      size += (long)ch_mass_size(mass, only) * block->dimension;
      ++*entries;
      continue;
    }
    for (int row = block->row; row < block->row + block->dimension; ++row)
      for (int k = p->H.start[row], end = p->H.start[row + 1]; k < end;) {
        int body = mass->body_of[p->H.index[k]];
        k = body_end(mass, p->H.index, k, end, body);
        if (touched->by[body] == i + 1) continue;
        touched->by[body] = i + 1;
        size += (long)ch_mass_size(mass, body) * block->dimension;
        ++*entries;
      }
  }
  return size;
}

static long room_of(const ChProblem* p, int i, int body) {
  return (long)ch_mass_size(p->mass, body) * p->blocks[i].dimension;
}

static int open_entry(const ChProblem* p, int i, int body, Touched* touched, ChBlockJacobians* j, long* size) {
  int entry = j->start[i + 1]++;
  touched->by[body] = i + 1;
  touched->entry[body] = entry;
  j->body[entry] = body;
  j->at[entry] = *size;
  *size += room_of(p, i, body);
  return entry;
}

static int open_cleared(const ChProblem* p, int i, int body, Touched* touched, ChBlockJacobians* j, long* size) {
  int entry = open_entry(p, i, body, touched, j, size);
  memset(j->H + j->at[entry], 0, (size_t)room_of(p, i, body) * sizeof *j->H);
  return entry;
}

// Every d-th entry of H
static void write_column(int n, int d, const double* restrict value, double* restrict H) {
  if (d == 3)
    for (int x = 0; x < n; ++x) H[x * 3] = value[x];
  else
    for (int x = 0; x < n; ++x) H[x * d] = value[x];
}

static void fill_block(const ChProblem* p, int i, Touched* touched, ChBlockJacobians* j, long* size) {
  const ChBlock* block = &p->blocks[i];
  const int *index = p->H.index, *slot = p->mass->slot;
  const double* value = p->H.value;
  int d = block->dimension;
  for (int a = 0; a < d; ++a)
    for (int k = p->H.start[block->row + a], end = p->H.start[block->row + a + 1]; k < end;) {
      int body = p->mass->body_of[index[k]], next = body_end(p->mass, index, k, end, body);
      bool known = touched->by[body] == i + 1;
      double* H = j->H + j->at[known ? touched->entry[body] : open_cleared(p, i, body, touched, j, size)] + a;
      for (int run = 0; next - k >= WIDE; k += run) {
        run = ch_sparse_run(index + k, next - k);
        write_column(run, d, value + k, H + (long)slot[index[k]] * d);
      }
      for (; k < next; ++k) H[slot[index[k]] * d] = value[k];
    }
}

// Entries of block i and where their rows stand; true where some of them must be written because rows are not whole.
static bool list_sources(const ChProblem* p, int i, Touched* touched, ChBlockJacobians* j, long* size) {
  const ChBlock* block = &p->blocks[i];
  const int* start = p->H.start + block->row;
  int only = touched->only[i], d = block->dimension;
  if (only >= 0 && touched->by_rows[only]) {
    int entry = open_entry(p, i, only, touched, j, size);
    for (int a = 0; a < d; ++a) j->source[CH_SOURCE_ROWS * entry + a] = start[a];
    return false;
  }
  for (int a = 0; a < d; ++a)
    for (int k = start[a], end = start[a + 1], next; k < end; k = next) {
      int body = p->mass->body_of[p->H.index[k]], length = ch_mass_size(p->mass, body);
      next = body_end(p->mass, p->H.index, k, end, body);
      bool known = touched->by[body] == i + 1;
      int entry = known ? touched->entry[body] : open_entry(p, i, body, touched, j, size);
      int* source = j->source + CH_SOURCE_ROWS * entry;
      for (int c = 0; c < CH_SOURCE_ROWS && !known; ++c) source[c] = -1;
      if (d <= CH_SOURCE_ROWS && touched->by_rows[body] && next - k == length) source[a] = k;
    }
  bool whole = true;
  for (int entry = j->start[i]; entry < j->start[i + 1]; ++entry) {
    int *source = j->source + CH_SOURCE_ROWS * entry, known = 0;
    for (int a = 0; a < d && a < CH_SOURCE_ROWS; ++a) known += source[a] >= 0;
    if (known == d) continue;
    source[0] = -1;
    whole = false;
  }
  return !whole;
}

// Where there are sources: entries that have none are written.
static void fill_rest(const ChProblem* p, int i, const Touched* touched, ChBlockJacobians* j) {
  const ChBlock* block = &p->blocks[i];
  for (int entry = j->start[i]; entry < j->start[i + 1]; ++entry)
    if (j->source[CH_SOURCE_ROWS * entry] < 0)
      memset(j->H + j->at[entry], 0, (size_t)room_of(p, i, j->body[entry]) * sizeof *j->H);
  for (int a = 0; a < block->dimension; ++a)
    for (int k = p->H.start[block->row + a]; k < p->H.start[block->row + a + 1]; ++k) {
      int dof = p->H.index[k], entry = touched->entry[p->mass->body_of[dof]];
      if (j->source[CH_SOURCE_ROWS * entry] < 0)
        j->H[j->at[entry] + p->mass->slot[dof] * block->dimension + a] = p->H.value[k];
    }
}

// Degrees of freedom of a body that the block acts on: of a deformable one mostly few.
static inline int list_acted(int size, int d, const double* H, int acted[CH_BODY_MAX]) {
  int count = 0;
  for (int x = 0; x < size; ++x) {
    bool acts = false;
    for (int a = 0; a < d; ++a) acts |= H[x * d + a] != 0.0;
    if (acts) acted[count++] = x;
  }
  return count;
}

// W += H^T M^-1 H of one body
static inline void add_square(int size, int d, const double* inverse, const double* H, double* W) {
  int acted[CH_BODY_MAX], count = list_acted(size, d, H, acted);
  for (int k = 0; k < count; ++k) {
    const int x = acted[k];
    double y[CH_BLOCK_MAX] = {0.0};
    for (int l = 0, z; l < count && (z = acted[l], true); ++l)
      for (int a = 0; a < d; ++a) y[a] += inverse[x * size + z] * H[z * d + a];
    for (int a = 0; a < d; ++a)
      for (int c = 0; c < d; ++c) W[a * d + c] += H[x * d + a] * y[c];
  }
}

// The same where M is diagonal.
static inline void add_weighted(int size, int d, const double* inverse, const double* H, double* W) {
  for (int x = 0; x < size; ++x)
    for (int a = 0; a < d; ++a)
      for (int c = 0; c < d; ++c) W[a * d + c] += H[x * d + a] * (inverse[x * size + x] * H[x * d + c]);
}

// Sizes that the compiler knows make the common cases fast.
static inline void add_body(bool diagonal, int size, int d, const double* inverse, const double* H, double* W) {
  if (diagonal)
    add_weighted(size, d, inverse, H, W);
  else
    add_square(size, d, inverse, H, W);
}

static void fill_square(const ChProblem* p, int i, double* const* root, ChBlockJacobians* j) {
  int d = p->blocks[i].dimension;
  double* W = j->square + j->square_at[i];
  for (int k = j->start[i]; k < j->start[i + 1]; ++k) {
    if (root[j->body[k]]) continue;
    int size = ch_mass_size(p->mass, j->body[k]);
    const ChHubInverse* hubbed = &p->mass->hub_inverse[j->body[k]];
    const double* row[CH_SOURCE_ROWS];
    for (int a = 0; a < d && a < CH_SOURCE_ROWS; ++a) row[a] = ch_jacobian_source(j, p, k, a);
    if (hubbed->hubs > 0 && row[0]) {
      ch_hub_inverse_square_columns(hubbed, size, d, row, W);
      continue;
    }
    if (hubbed->hubs > 0) {
      ch_hub_inverse_square(hubbed, size, d, j->H + j->at[k], W);
      continue;
    }
    bool diagonal = p->mass->diagonal[j->body[k]];
    const double *inverse = p->mass->inverse + p->mass->offset[j->body[k]], *H = j->H + j->at[k];
    if (size == 6 && d == 3)
      add_body(diagonal, 6, 3, inverse, H, W);
    else if (size == 3 && d == 2)
      add_body(diagonal, 3, 2, inverse, H, W);
    else
      add_body(diagonal, size, d, inverse, H, W);
  }
}

// L of M = L L^T, by columns, of wide bodies without hubs; NULL of others and where M is not symmetric positive
// definite.
static double** find_roots(ChArena* arena, const ChProblem* p) {
  const ChMass* mass = p->mass;
  double** root = CH_TAKE(arena, mass->bodies, double*);
  if (p->rows < MANY) return root;
  for (int b = 0; b < mass->bodies; ++b) {
    int size = ch_mass_size(mass, b);
    const double* matrix = mass->matrix + mass->offset[b];
    bool wide = size >= WIDE && !mass->diagonal[b] && mass->hub_inverse[b].hubs == 0;
    for (int x = 0; wide && x < size; ++x)
      for (int y = 0; y < x; ++y) wide &= matrix[x * size + y] == matrix[y * size + x];
    if (!wide) continue;
    root[b] = CH_TAKE_RAW(arena, (long)size * size, double);
    memcpy(root[b], matrix, (size_t)(size * size) * sizeof(double));
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', size, root[b], size) != 0) root[b] = NULL;
  }
  return root;
}

static bool* find_by_rows(ChArena* arena, const ChProblem* p, double* const* root) {
  bool *by_rows = CH_TAKE_RAW(arena, p->mass->bodies, bool), any = false;
  for (int b = 0; b < p->mass->bodies; ++b) any |= by_rows[b] = root[b] || p->mass->hub_inverse[b].hubs > 0;
  return any ? by_rows : NULL;
}

// W += X^T X of each pending block, X = L^-1 H; `x` holds their columns.
static void add_pending(const ChProblem* p, int size, const double* root, int count, const int* pending, double* x,
                        ChBlockJacobians* j) {
  int columns = 0;
  for (int k = 0; k < count; ++k) columns += p->blocks[pending[k]].dimension;
  cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, size, columns, 1.0, root, size, x,
              size);
  for (int k = 0; k < count; ++k) {
    int d = p->blocks[pending[k]].dimension;
    double* W = j->square + j->square_at[pending[k]];
    for (int a = 0; a < d; ++a)
      for (int c = 0; c < d; ++c) {
        double sum = 0.0;
        for (int y = 0; y < size; ++y) sum += x[a * size + y] * x[c * size + y];
        W[a * d + c] += sum;
      }
    x += d * size;
  }
}

// Row after row of an entry.
static void copy_rows(const ChProblem* p, const ChBlockJacobians* j, int entry, int size, int d, double* out) {
  const double* H = j->H + j->at[entry];
  for (int a = 0; a < d; ++a, out += size) {
    const double* row = ch_jacobian_source(j, p, entry, a);
    if (row) memcpy(out, row, (size_t)size * sizeof *out);
    for (int y = 0; y < size && !row; ++y) out[y] = H[y * d + a];
  }
}

// All blocks on one such body, some columns at a time.
static void square_together(ChArena* arena, const ChProblem* p, int body, const double* root, ChBlockJacobians* j) {
  int size = ch_mass_size(p->mass, body), pending[CHUNK], count = 0, columns = 0;
  double* x = CH_TAKE_RAW(arena, (long)size * CHUNK, double);
  for (int i = 0; i < p->block_count; ++i)
    for (int k = j->start[i]; k < j->start[i + 1]; ++k) {
      if (j->body[k] != body) continue;
      int d = p->blocks[i].dimension;
      if (columns + d > CHUNK) {
        add_pending(p, size, root, count, pending, x, j);
        count = columns = 0;
      }
      copy_rows(p, j, k, size, d, x + columns * size);
      pending[count++] = i;
      columns += d;
    }
  if (count > 0) add_pending(p, size, root, count, pending, x, j);
}

ChBlockJacobians ch_block_jacobians(ChArena* arena, const ChProblem* p, const unsigned char* skip) {
  Touched touched = {.by = CH_TAKE(arena, p->mass->bodies, int),
                     .entry = CH_TAKE(arena, p->mass->bodies, int),
                     .only = CH_TAKE_RAW(arena, p->block_count, int)};
  int entries;
  long size = count_entries(p, skip, &touched, &entries);
  ChBlockJacobians j = {.start = CH_TAKE(arena, p->block_count + 1, int),
                        .body = CH_TAKE_RAW(arena, entries, int),
                        .at = CH_TAKE_RAW(arena, entries, long),
                        .H = CH_TAKE_RAW(arena, size, double),
                        .size = size,
                        .square_at = CH_TAKE(arena, p->block_count + 1, int)};
  for (int i = 0; i < p->block_count; ++i)
    j.square_at[i + 1] = j.square_at[i] + p->blocks[i].dimension * p->blocks[i].dimension;
  j.square = CH_TAKE(arena, j.square_at[p->block_count], double);
  for (int b = 0; b < p->mass->bodies; ++b) touched.by[b] = 0;
  double** root = find_roots(arena, p);
  touched.by_rows = find_by_rows(arena, p, root);
  if (touched.by_rows) j.source = CH_TAKE_RAW(arena, (long)CH_SOURCE_ROWS * entries, int);
  size = 0;
  for (int i = 0; i < p->block_count; ++i) {
    j.start[i + 1] = j.start[i];
    if (skip && skip[i]) continue;
    if (!j.source)
      fill_block(p, i, &touched, &j, &size);
    else if (list_sources(p, i, &touched, &j, &size))
      fill_rest(p, i, &touched, &j);
    fill_square(p, i, root, &j);
  }
  for (int b = 0; b < p->mass->bodies; ++b)
    if (root[b]) square_together(arena, p, b, root[b], &j);
  return j;
}
