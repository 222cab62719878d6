// Facts about src/linalg: every sparse routine says the same as its dense counterpart.
#include <string.h>

#include "base/arena.h"
#include "cardhouse/dense.h"
#include "linalg/anderson.h"
#include "linalg/block_csr.h"
#include "linalg/block_lu.h"
#include "linalg/cholesky.h"
#include "linalg/dense_lu.h"
#include "linalg/full_lu.h"
#include "linalg/small.h"
#include "linalg/sparse.h"
#include "linalg/sparse_lu.h"
#include "linalg/wide_lu.h"
#include "support/near.h"
#include "support/random.h"

static jmp_buf landing;

static ChArena* open_arena(void) {
  ChArena* arena = ch_arena_create(&landing);
  assert_non_null(arena);
  return arena;
}

// Inside a test: memory that runs out fails it.
#define WITH_ARENA(arena)                         \
  if (setjmp(landing)) fail_msg("out of memory"); \
  ChArena* arena = open_arena()

// --- compressed columns --------------------------------------------------------------------------------------------

enum { SPARSE_ROWS = 7, SPARSE_COLUMNS = 5, SPARSE_ENTRIES = 60 };

static void random_triplets(ChRandom* random, int* row, int* column, double* value, double* dense) {
  memset(dense, 0, SPARSE_ROWS * SPARSE_COLUMNS * sizeof *dense);
  for (int k = 0; k < SPARSE_ENTRIES; ++k) {
    row[k] = (int)ch_random_uniform(random, 0, SPARSE_ROWS - 1);    // the last row stays empty
    column[k] = (int)ch_random_uniform(random, 1, SPARSE_COLUMNS);  // so does the first column
    value[k] = floor(ch_random_uniform(random, -8, 8));             // whole numbers: sums are exact in any order
    dense[row[k] * SPARSE_COLUMNS + column[k]] += value[k];
  }
}

static double sparse_at(const ChSparse* A, int i, int j) {
  for (int k = A->start[j]; k < A->start[j + 1]; ++k)
    if (A->index[k] == i) return A->value[k];
  return 0.0;
}

static void check_sorted(const ChSparse* A) {
  assert_int_equal(A->start[0], 0);
  for (int j = 0; j < A->columns; ++j) {
    assert_true(A->start[j] <= A->start[j + 1]);
    for (int k = A->start[j] + 1; k < A->start[j + 1]; ++k) assert_true(A->index[k - 1] < A->index[k]);
  }
}

static void triplets_become_columns_and_duplicates_add_up(void** state) {
  (void)state;
  WITH_ARENA(arena);
  ChRandom random = ch_random_seeded(3);
  int row[SPARSE_ENTRIES], column[SPARSE_ENTRIES];
  double value[SPARSE_ENTRIES], dense[SPARSE_ROWS * SPARSE_COLUMNS];
  for (int round = 0; round < 20; ++round) {
    random_triplets(&random, row, column, value, dense);
    ChTriplets t = {SPARSE_ROWS, SPARSE_COLUMNS, SPARSE_ENTRIES, row, column, value};
    ChSparse A = ch_sparse_from_triplets(arena, &t), T = ch_sparse_transpose(arena, &A);
    check_sorted(&A);
    check_sorted(&T);
    assert_int_equal(T.rows, SPARSE_COLUMNS);
    assert_int_equal(T.columns, SPARSE_ROWS);
    double x[SPARSE_ROWS], y[SPARSE_ROWS] = {0.0}, z[SPARSE_COLUMNS] = {0.0};
    for (int i = 0; i < SPARSE_ROWS; ++i) x[i] = i + 1;
    ch_sparse_multiply_add(&A, x, y);
    ch_sparse_multiply_transposed_add(&A, x, z);
    for (int i = 0; i < SPARSE_ROWS; ++i) {
      double sum = 0.0;
      for (int j = 0; j < SPARSE_COLUMNS; ++j) {
        sum += dense[i * SPARSE_COLUMNS + j] * x[j];
        z[j] -= dense[i * SPARSE_COLUMNS + j] * x[i];
        CHECK_NEAR(sparse_at(&A, i, j), dense[i * SPARSE_COLUMNS + j], 0.0);
        CHECK_NEAR(sparse_at(&T, j, i), dense[i * SPARSE_COLUMNS + j], 0.0);
      }
      CHECK_NEAR(y[i], sum, 0.0);
    }
    for (int j = 0; j < SPARSE_COLUMNS; ++j) CHECK_NEAR(z[j], 0.0, 0.0);
  }
  ch_arena_destroy(arena);
}

static void asymmetry_is_the_largest_difference_over_the_largest_entry(void** state) {
  (void)state;
  WITH_ARENA(arena);
  int row[] = {0, 0, 1, 2, 2}, column[] = {0, 1, 0, 2, 0};
  double value[] = {4.0, 1.0, 1.5, 2.0, -1.0};  // (0,1) and (1,0) differ by 0.5; (2,0) has no partner
  ChSparse A = ch_sparse_from_triplets(arena, &(ChTriplets){3, 3, 5, row, column, value});
  CHECK_NEAR(ch_sparse_asymmetry(arena, &A), 0.25, 1e-16);
  ChSparse S = ch_sparse_from_triplets(arena, &(ChTriplets){3, 3, 1, row, column, value});
  CHECK_NEAR(ch_sparse_asymmetry(arena, &S), 0.0, 0.0);
  ChSparse none = ch_sparse_from_triplets(arena, &(ChTriplets){0, 0, 0, row, column, value});
  CHECK_NEAR(ch_sparse_asymmetry(arena, &none), 0.0, 0.0);
  ch_arena_destroy(arena);
}

static void components_are_numbered_by_their_first_member(void** state) {
  (void)state;
  WITH_ARENA(arena);
  // 0 - 3 - 5 hang together through one-sided entries, 1 - 4 through a pair, 2 and 6 stand alone; a zero links nothing
  int row[] = {3, 5, 1, 4, 2, 6}, column[] = {0, 3, 4, 1, 6, 6}, label[7];
  double value[] = {1.0, 1.0, 2.0, 2.0, 0.0, 1.0};
  const int wanted[] = {0, 1, 2, 0, 1, 0, 3};
  ChSparse A = ch_sparse_from_triplets(arena, &(ChTriplets){7, 7, 6, row, column, value});
  assert_int_equal(ch_sparse_components(arena, &A, NULL, label), 4);
  for (int i = 0; i < 7; ++i) assert_int_equal(label[i], wanted[i]);
  const int group[] = {0, 0, 1, 2, 3, 3, 1}, grouped[] = {0, 0, 1, 0, 0, 0, 2};  // 2 and 6 are not next to each other
  assert_int_equal(ch_sparse_components(arena, &A, group, label), 3);
  for (int i = 0; i < 7; ++i) assert_int_equal(label[i], grouped[i]);
  ch_arena_destroy(arena);
}

static void sparse_lu_solves_and_knows_singular(void** state) {
  (void)state;
  WITH_ARENA(arena);
  enum { N = 40 };
  int row[3 * N], column[3 * N], count = 0;
  double value[3 * N], x[N], b[N] = {0.0}, y[N];
  for (int i = 0; i < N; ++i) {  // unsymmetric, tridiagonal around a ring
    const int at[3] = {i, (i + 1) % N, (i + N - 1) % N};
    const double entry[3] = {3.0, -1.0, 0.5};
    for (int k = 0; k < 3; ++k) row[count] = i, column[count] = at[k], value[count++] = entry[k];
    x[i] = sin(i);
  }
  ChSparse A = ch_sparse_from_triplets(arena, &(ChTriplets){N, N, count, row, column, value});
  ch_sparse_multiply_add(&A, x, b);
  ChSparseLu* lu = ch_sparse_lu_create(arena, &A);
  assert_non_null(lu);
  ch_sparse_lu_solve(lu, b, y);
  for (int i = 0; i < N; ++i) CHECK_NEAR(y[i], x[i], 1e-14);
  for (int k = 0; k < count; ++k)
    if (row[k] == 7) value[k] = 0.0;
  ChSparse S = ch_sparse_from_triplets(arena, &(ChTriplets){N, N, count, row, column, value});
  assert_null(ch_sparse_lu_create(arena, &S));
  ch_arena_destroy(arena);
}

// --- block matrices ------------------------------------------------------------------------------------------------

typedef enum Shape { CHAIN, GRID, STAR, DENSE, RANDOM, ALONE, SHAPES } Shape;

static bool linked(Shape shape, int n, int i, int j, const unsigned char* coin) {
  int width = (int)ceil(sqrt(n)), low = i < j ? i : j, high = i < j ? j : i;
  switch (shape) {
    case CHAIN:
      return high - low == 1;
    case GRID:
      return high - low == width || (high - low == 1 && high % width != 0);
    case STAR:
      return low == 0 || (low == 1 && high % 3 == 0);
    case DENSE:
      return true;
    case RANDOM:
      return coin[(size_t)low * (size_t)n + (size_t)high] == 0;
    default:
      return false;
  }
}

// A block matrix with a symmetric pattern and random values; `diagonal` is added to its diagonal.
static ChBlockCsr random_blocks(ChArena* arena, ChRandom* random, Shape shape, int n, int most, double diagonal) {
  int* dim = CH_TAKE(arena, n, int);
  int* row = CH_TAKE(arena, n + 1, int);
  int* start = CH_TAKE(arena, n + 1, int);
  int* column = CH_TAKE(arena, (size_t)n * (size_t)n, int);
  unsigned char* coin = CH_TAKE(arena, (size_t)n * (size_t)n, unsigned char);
  for (int k = 0; k < n * n; ++k) coin[k] = (unsigned char)(ch_random_bits(random) % 8);
  int count = 0;
  for (int i = 0; i < n; ++i) {
    dim[i] = 1 + (int)ch_random_uniform(random, 0, most);
    row[i + 1] = row[i] + dim[i];
    start[i] = count;
    for (int j = 0; j < n; ++j)
      if (i == j || linked(shape, n, i, j, coin)) column[count++] = j;
  }
  start[n] = count;
  ChBlockCsr A = {.n = n, .dim = dim, .row = row, .start = start, .column = column};
  ch_block_csr_layout(arena, &A);
  for (long k = 0; k < A.offset[count]; ++k) A.value[k] = ch_random_normal(random);
  for (int i = 0; i < n; ++i)
    for (int a = 0; a < dim[i]; ++a) A.value[A.offset[A.diagonal[i]] + a * dim[i] + a] += diagonal;
  return A;
}

static double* dense_of(ChArena* arena, const ChBlockCsr* A) {
  int rows = A->row[A->n];
  double* dense = CH_TAKE(arena, (size_t)rows * (size_t)rows, double);
  for (int i = 0; i < A->n; ++i)
    for (int k = A->start[i]; k < A->start[i + 1]; ++k) {
      int j = A->column[k];
      for (int a = 0; a < A->dim[i]; ++a)
        for (int b = 0; b < A->dim[j]; ++b)
          dense[(long)(A->row[i] + a) * rows + A->row[j] + b] = A->value[A->offset[k] + a * A->dim[j] + b];
    }
  return dense;
}

static double* random_vector(ChArena* arena, ChRandom* random, int n) {
  double* x = CH_TAKE(arena, n, double);
  for (int i = 0; i < n; ++i) x[i] = ch_random_normal(random);
  return x;
}

static double size_of(int n, const double* x) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += x[i] * x[i];
  return sqrt(sum);
}

static void block_products_are_those_of_the_dense_matrix(void** state) {
  (void)state;
  WITH_ARENA(arena);
  ChRandom random = ch_random_seeded(7);
  for (int shape = 0; shape < SHAPES; ++shape) {
    ChBlockCsr A = random_blocks(arena, &random, (Shape)shape, 11, 6, 0.0);
    int rows = A.row[A.n];
    double *dense = dense_of(arena, &A), *x = random_vector(arena, &random, rows),
           *b = random_vector(arena, &random, rows);
    double* y = CH_TAKE(arena, rows, double);
    double* z = CH_TAKE(arena, rows, double);
    ch_block_csr_multiply(&A, x, b, y);
    ch_block_csr_multiply(&A, x, NULL, z);
    for (int i = 0; i < A.n; ++i) {
      double without[CH_SMALL_MAX];
      ch_block_csr_row_without_diagonal(&A, i, x, b, without);
      for (int a = 0; a < A.dim[i]; ++a) {
        double sum = 0.0, others = 0.0;
        for (int j = 0; j < rows; ++j) {
          double term = dense[(long)(A.row[i] + a) * rows + j] * x[j];
          sum += term;
          if (j < A.row[i] || j >= A.row[i + 1]) others += term;
        }
        CHECK_NEAR(z[A.row[i] + a], sum, 1e-13 * rows);
        CHECK_NEAR(y[A.row[i] + a], sum + b[A.row[i] + a], 1e-13 * rows);
        CHECK_NEAR(without[a], others + b[A.row[i] + a], 1e-13 * rows);
      }
    }
  }
  ch_arena_destroy(arena);
}

static void symmetric_part_and_asymmetry(void** state) {
  (void)state;
  WITH_ARENA(arena);
  ChRandom random = ch_random_seeded(8);
  ChBlockCsr A = random_blocks(arena, &random, GRID, 12, 4, 0.0);
  ChBlockCsr S = ch_block_csr_symmetric_part(arena, &A);
  int rows = A.row[A.n];
  double *dense = dense_of(arena, &A), *part = dense_of(arena, &S), largest = 0.0, difference = 0.0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < rows; ++j) {
      double a = dense[i * rows + j], t = dense[j * rows + i];
      CHECK_NEAR(part[i * rows + j], 0.5 * (a + t), 1e-15);
      largest = fmax(largest, fabs(a));
      difference = fmax(difference, fabs(a - t));
    }
  CHECK_NEAR(ch_block_csr_asymmetry(&A), difference / largest, 1e-15);
  CHECK_NEAR(ch_block_csr_asymmetry(&S), 0.0, 0.0);
  assert_null(ch_block_csr_find(&A, 0, A.n - 1));
  ch_arena_destroy(arena);
}

// --- multifrontal LU -----------------------------------------------------------------------------------------------

// |A x - b| over the rows that are not pinned, columns of pinned blocks left out, relative to |b|; pinned entries of x
// must still hold `untouched`.
static double lu_residual(const ChBlockCsr* A, const unsigned char* pinned, const double* b, const double* x,
                          double untouched) {
  double sum = 0.0, size = 0.0;
  for (int i = 0; i < A->n; ++i) {
    for (int a = 0; a < A->dim[i]; ++a) {
      if (pinned && pinned[i]) {
        CHECK_NEAR(x[A->row[i] + a], untouched, 0.0);
        continue;
      }
      double rest = -b[A->row[i] + a];
      for (int k = A->start[i]; k < A->start[i + 1]; ++k) {
        int j = A->column[k];
        if (pinned && pinned[j]) continue;
        for (int c = 0; c < A->dim[j]; ++c) rest += A->value[A->offset[k] + a * A->dim[j] + c] * x[A->row[j] + c];
      }
      sum += rest * rest;
      size += b[A->row[i] + a] * b[A->row[i] + a];
    }
  }
  return size > 0.0 ? sqrt(sum / size) : sqrt(sum);
}

static void pin_some(ChRandom* random, int round, int n, unsigned char* pinned) {
  for (int i = 0; i < n; ++i)
    pinned[i] = round == 0 ? 0 : round == 1 ? 1 : ch_random_uniform(random, 0.0, 1.0) < 0.25 * (round - 1);
}

static void check_lu(ChArena* arena, ChRandom* random, ChBlockCsr* A, int rounds, double tolerance) {
  int rows = A->row[A->n];
  ChBlockLu* lu = ch_block_lu_analyze(arena, A);
  ch_block_lu_reserve(lu);
  unsigned char* pinned = CH_TAKE(arena, A->n, unsigned char);
  double *b = random_vector(arena, random, rows), *x = CH_TAKE(arena, rows, double);
  long before = ch_arena_allocations();
  for (int round = 0; round < rounds; ++round) {  // none pinned, all pinned, ever more pinned
    pin_some(random, round, A->n, pinned);
    assert_true(ch_block_lu_factor(lu, A, round == 0 ? NULL : pinned));
    for (int i = 0; i < rows; ++i) x[i] = 777.0;
    ch_block_lu_solve(lu, b, x);
    CHECK_AT_MOST(lu_residual(A, round == 0 ? NULL : pinned, b, x, 777.0), tolerance);
  }
  assert_int_equal(ch_arena_allocations(), before);  // what was reserved once serves every factorisation
}

static void block_lu_solves_any_pattern_with_any_rows_pinned(void** state) {
  (void)state;
  WITH_ARENA(arena);
  ChRandom random = ch_random_seeded(11);
  static const int sizes[] = {1, 2, 3, 5, 17, 40, 90};
  for (int shape = 0; shape < SHAPES; ++shape)
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k)
      for (int most = 1; most <= 6; most += k < 5 ? 1 : 5) {
        ChArenaMark mark = ch_arena_mark(arena);
        // A diagonal as large as a row's random entries taken together: no growth, so round-off is all that is left.
        ChBlockCsr A = random_blocks(arena, &random, (Shape)shape, sizes[k], most, 3.0 * sqrt(6.0 * sizes[k]));
        check_lu(arena, &random, &A, 5, 1e-12);
        ch_arena_release(arena, mark);
      }
  ch_arena_destroy(arena);
}

static void dense_lu_solves_with_any_rows_pinned(void** state) {
  (void)state;
  WITH_ARENA(arena);
  ChRandom random = ch_random_seeded(21);
  for (int n = 1; n <= 40; n += 13) {
    ChBlockCsr A = random_blocks(arena, &random, DENSE, n, 6, 0.0);
    assert_true(ch_dense_lu_suits(&A));
    int rows = A.row[A.n];
    ChDenseLu* lu = ch_dense_lu_create(arena, &A);
    unsigned char* pinned = CH_TAKE(arena, A.n, unsigned char);
    double *b = random_vector(arena, &random, rows), *x = CH_TAKE(arena, rows, double);
    for (int round = 0; round < 5; ++round) {
      pin_some(&random, round, A.n, pinned);
      assert_true(ch_dense_lu_factor(lu, &A, round == 0 ? NULL : pinned));
      for (int i = 0; i < rows; ++i) x[i] = 777.0;
      ch_dense_lu_solve(lu, b, x);
      CHECK_AT_MOST(lu_residual(&A, round == 0 ? NULL : pinned, b, x, 777.0), 1e-9);
    }
    A.value[A.offset[A.diagonal[0]]] = NAN;
    assert_false(ch_dense_lu_factor(lu, &A, NULL));
  }
  ChBlockCsr sparse = random_blocks(arena, &random, CHAIN, 90, 3, 1.0);
  assert_false(ch_dense_lu_suits(&sparse));
  ch_arena_destroy(arena);
}

// Small ones four columns at a time, large ones by LAPACK; a row of zeros is shifted, nothing at all is refused.
static void full_lu_solves_matrices_of_all_sizes(void** state) {
  (void)state;
  WITH_ARENA(arena);
  ChRandom random = ch_random_seeded(22);
  static const int sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 18, 41, 66, 99, 100, 130};
  for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
    int n = sizes[k], *pivot = CH_TAKE(arena, n, int);
    double *A = random_vector(arena, &random, n * n), *b = random_vector(arena, &random, n);
    double *lu = CH_TAKE(arena, (long)n * n, double), *x = CH_TAKE(arena, n, double), largest = 0.0;
    memcpy(lu, A, (size_t)(n * n) * sizeof *A);
    memcpy(x, b, (size_t)n * sizeof *b);
    assert_true(ch_full_lu_factor(n, lu, pivot));
    ch_full_lu_solve(n, lu, pivot, x);
    for (int i = 0; i < n; ++i) largest = fmax(largest, fabs(x[i]));
    for (int i = 0; i < n; ++i) {
      double sum = 0.0;
      for (int j = 0; j < n; ++j) sum += A[(long)j * n + i] * x[j];
      CHECK_NEAR(sum, b[i], 1e-12 * n * fmax(largest, 1.0));
    }
    for (int j = 0; j < n && n > 1; ++j) A[(long)j * n] = 0.0;  // a row of nothing: finite all the same
    assert_true(ch_full_lu_factor(n, A, pivot));
    ch_full_lu_solve(n, A, pivot, b);
    for (int i = 0; i < n; ++i) assert_true(isfinite(b[i]));
    A[(long)n * n - 1] = NAN;
    assert_false(ch_full_lu_factor(n, A, pivot));
    memset(A, 0, (size_t)(n * n) * sizeof *A);
    assert_false(ch_full_lu_factor(n, A, pivot));
  }
  ch_arena_destroy(arena);
}

// Blocks of 1 to 64 rows, which meet by chance; what elimination fills is added to the pattern.
static ChWidePattern random_pattern(ChRandom* random, int blocks, int* rows) {
  ChWidePattern p = {.count = blocks};
  for (int b = 0; b < blocks; ++b) {
    rows[b] = 1 + (int)ch_random_uniform(random, 0, blocks == 1 ? 64 : 20);
    p.first[b + 1] = p.first[b] + (rows[b] + CH_WIDE_LU_STEP - 1) / CH_WIDE_LU_STEP * CH_WIDE_LU_STEP;
    for (int c = 0; c < b; ++c)
      if (ch_random_uniform(random, 0, 1) < 0.3) p.meets[b] |= 1u << c, p.meets[c] |= 1u << b;
  }
  for (int b = 0; b < blocks; ++b)
    for (int c = b + 1; c < blocks; ++c)
      for (int d = b + 1; d < blocks; ++d)
        if (d != c && (p.meets[b] >> c & 1u) && (p.meets[b] >> d & 1u)) p.meets[c] |= 1u << d;
  return p;
}

// Rows of a block are in any order, so that they must be exchanged.
static void fill_pattern(ChRandom* random, const ChWidePattern* p, const int* rows, double* A) {
  int n = p->first[p->count];
  for (int b = 0; b < p->count; ++b) {
    for (int c = 0; c < p->count; ++c)
      for (int j = 0; j < rows[c] && (b == c || (p->meets[b] >> c & 1u)); ++j)
        for (int i = 0; i < rows[b]; ++i)
          A[(long)(p->first[c] + j) * n + p->first[b] + i] = ch_random_uniform(random, -1, 1);
    for (int i = 0; i < rows[b]; ++i) A[(long)(p->first[b] + i) * n + p->first[b] + (i + 1) % rows[b]] += 2.0 * rows[b];
    for (int i = p->first[b] + rows[b]; i < p->first[b + 1]; ++i) A[(long)i * (n + 1)] = 1.0;
  }
}

static void wide_lu_solves_matrices_of_blocks(void** state) {
  (void)state;
  WITH_ARENA(arena);
  ChRandom random = ch_random_seeded(23);
  for (int round = 0; round < 60; ++round) {
    ChArenaMark mark = ch_arena_mark(arena);
    int rows[CH_WIDE_LU_BLOCKS];
    ChWidePattern p = random_pattern(&random, 1 + round % CH_WIDE_LU_BLOCKS, rows);
    int n = p.first[p.count], *pivot = CH_TAKE(arena, n, int);
    double *A = CH_TAKE(arena, (long)n * n, double), *LU = CH_TAKE(arena, (long)n * n, double);
    double *b = random_vector(arena, &random, n), *x = CH_TAKE(arena, n, double);
    fill_pattern(&random, &p, rows, A);
    memcpy(LU, A, (size_t)n * (size_t)n * sizeof *A);
    memcpy(x, b, (size_t)n * sizeof *b);
    assert_true(ch_wide_lu_factor(&p, LU, pivot));
    ch_wide_lu_solve(&p, LU, pivot, x);
    for (int i = 0; i < n; ++i) {
      double sum = 0.0;
      for (int j = 0; j < n; ++j) sum += A[(long)j * n + i] * x[j];
      CHECK_NEAR(sum, b[i], 1e-11);
    }
    A[0] = NAN;
    assert_false(ch_wide_lu_factor(&p, A, pivot));
    memset(A, 0, (size_t)n * (size_t)n * sizeof *A);
    assert_false(ch_wide_lu_factor(&p, A, pivot));
    ch_arena_release(arena, mark);
  }
  ch_arena_destroy(arena);
}

// Pivots are searched inside the pivot block of a front: a dense matrix is one front, so no dominance is needed.
static void block_lu_pivots_inside_a_front(void** state) {
  (void)state;
  WITH_ARENA(arena);
  ChRandom random = ch_random_seeded(12);
  for (int round = 0; round < 20; ++round) {
    ChArenaMark mark = ch_arena_mark(arena);
    ChBlockCsr A = random_blocks(arena, &random, DENSE, 20, 6, 0.0);
    for (int i = 0; i < A.n; ++i) A.value[A.offset[A.diagonal[i]]] = 0.0;
    check_lu(arena, &random, &A, 1, 1e-10);
    ch_arena_release(arena, mark);
  }
  ch_arena_destroy(arena);
}

static void block_lu_of_zero_blocks(void** state) {
  (void)state;
  WITH_ARENA(arena);
  int none = 0, start[1] = {0};
  ChBlockCsr A = {.n = 0, .dim = &none, .row = &none, .start = start, .column = &none};
  ch_block_csr_layout(arena, &A);
  ChBlockLu* lu = ch_block_lu_analyze(arena, &A);
  ch_block_lu_reserve(lu);
  assert_true(ch_block_lu_factor(lu, &A, NULL));
  double x = 1.0;
  ch_block_lu_solve(lu, &x, &x);
  CHECK_NEAR(ch_block_lu_flops(lu), 0.0, 0.0);
  ch_arena_destroy(arena);
}

// A singular matrix is refused or solved with finite numbers; a NaN in a pivot is refused.
static void block_lu_of_a_singular_matrix(void** state) {
  (void)state;
  WITH_ARENA(arena);
  ChRandom random = ch_random_seeded(13);
  for (int shape = 0; shape < SHAPES; ++shape) {
    ChArenaMark mark = ch_arena_mark(arena);
    ChBlockCsr A = random_blocks(arena, &random, (Shape)shape, 15, 3, 10.0);
    int rows = A.row[A.n], all = (int)A.offset[A.start[A.n]];
    for (int k = A.start[4]; k < A.start[5]; ++k)
      for (long v = A.offset[k]; v < A.offset[k + 1]; ++v) A.value[v] = 0.0;
    ChBlockLu* lu = ch_block_lu_analyze(arena, &A);
    ch_block_lu_reserve(lu);
    double *b = random_vector(arena, &random, rows), *x = CH_TAKE(arena, rows, double);
    for (int zero = 0; zero < 2; ++zero) {  // one zero block row, then nothing but zeros
      for (int k = 0; k < all && zero; ++k) A.value[k] = 0.0;
      if (!ch_block_lu_factor(lu, &A, NULL)) continue;
      ch_block_lu_solve(lu, b, x);
      for (int i = 0; i < rows; ++i) assert_true(isfinite(x[i]));
    }
    for (int k = 0; k < all; ++k) A.value[k] = NAN;
    assert_false(ch_block_lu_factor(lu, &A, NULL));
    ch_arena_release(arena, mark);
  }
  ch_arena_destroy(arena);
}

// What stands in a pinned row is never looked at: not its values, not their size.
static void block_lu_does_not_read_pinned_rows(void** state) {
  (void)state;
  WITH_ARENA(arena);
  ChRandom random = ch_random_seeded(14);
  ChBlockCsr A = random_blocks(arena, &random, GRID, 30, 3, 20.0);
  unsigned char pinned[30] = {0};
  pinned[3] = pinned[17] = pinned[18] = 1;
  int rows = A.row[A.n];
  double *b = random_vector(arena, &random, rows), *x = CH_TAKE(arena, rows, double), *y = CH_TAKE(arena, rows, double);
  ChBlockLu* lu = ch_block_lu_analyze(arena, &A);
  ch_block_lu_reserve(lu);
  assert_true(ch_block_lu_factor(lu, &A, pinned));
  ch_block_lu_solve(lu, b, x);
  static const double poison[] = {1e200, INFINITY, NAN};
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < A.n; ++i)
      for (long v = A.offset[A.start[i]]; pinned[i] && v < A.offset[A.start[i + 1]]; ++v) A.value[v] = poison[k];
    assert_true(ch_block_lu_factor(lu, &A, pinned));
    ch_block_lu_solve(lu, b, y);
    assert_memory_equal(x, y, (size_t)rows * sizeof *x);
  }
  ch_arena_destroy(arena);
}

// A square grid of n blocks with a few long links, structurally symmetric; large enough for the METIS order.
static ChBlockCsr large_grid(ChArena* arena, ChRandom* random, int width) {
  int n = width * width, count = 0;
  int* dim = CH_TAKE(arena, n, int);
  int* row = CH_TAKE(arena, n + 1, int);
  int* start = CH_TAKE(arena, n + 1, int);
  int* column = CH_TAKE(arena, 6 * (size_t)n, int);
  for (int i = 0; i < n; ++i) {
    dim[i] = 1 + (int)ch_random_uniform(random, 0, 3);
    row[i + 1] = row[i] + dim[i];
    start[i] = count;
    if (i >= width) column[count++] = i - width;
    if (i % width > 0) column[count++] = i - 1;
    column[count++] = i;
    if (i % width < width - 1) column[count++] = i + 1;
    if (i + width < n) column[count++] = i + width;
  }
  start[n] = count;
  ChBlockCsr A = {.n = n, .dim = dim, .row = row, .start = start, .column = column};
  ch_block_csr_layout(arena, &A);
  for (long k = 0; k < A.offset[count]; ++k) A.value[k] = ch_random_normal(random);
  for (int i = 0; i < n; ++i)
    for (int a = 0; a < dim[i]; ++a) A.value[A.offset[A.diagonal[i]] + a * dim[i] + a] += 12.0;
  return A;
}

static void block_lu_of_five_thousand_blocks(void** state) {
  (void)state;
  WITH_ARENA(arena);
  ChRandom random = ch_random_seeded(15);
  ChBlockCsr A = large_grid(arena, &random, 71);
  check_lu(arena, &random, &A, 4, 1e-12);
  ch_arena_destroy(arena);
}

// --- Cholesky, small blocks, spectra, acceleration -----------------------------------------------------------------

// A <- symmetric part of A, plus `diagonal` on the diagonal
static ChBlockCsr symmetric_blocks(ChArena* arena, ChRandom* random, Shape shape, int n, double diagonal) {
  ChBlockCsr A = random_blocks(arena, random, shape, n, 4, 0.0), S = ch_block_csr_symmetric_part(arena, &A);
  for (int i = 0; i < n; ++i)
    for (int a = 0; a < S.dim[i]; ++a) S.value[S.offset[S.diagonal[i]] + a * S.dim[i] + a] += diagonal;
  return S;
}

static void cholesky_solves_and_refuses_what_is_not_positive_definite(void** state) {
  (void)state;
  WITH_ARENA(arena);
  ChRandom random = ch_random_seeded(21);
  static const int sizes[] = {1, 2, 9, 60};
  for (int shape = 0; shape < SHAPES; ++shape)
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
      ChArenaMark mark = ch_arena_mark(arena);
      ChBlockCsr A = symmetric_blocks(arena, &random, (Shape)shape, sizes[k], 3.0 * sqrt(4.0 * sizes[k]) + 3.0);
      int rows = A.row[A.n];
      double *b = random_vector(arena, &random, rows), *x = CH_TAKE(arena, rows, double);
      ChCholesky* cholesky = ch_cholesky_analyze(arena, &A);
      for (int round = 0; round < 3; ++round) {  // good, indefinite, good again
        double *corner = A.value + A.offset[A.diagonal[A.n / 2]], kept = *corner;
        if (round == 1) *corner = -1.0;
        bool factored = ch_cholesky_factor(cholesky, &A);
        assert_int_equal(factored, round != 1);
        *corner = kept;
        if (!factored) continue;
        ch_cholesky_solve(cholesky, b, x);
        CHECK_AT_MOST(lu_residual(&A, NULL, b, x, 0.0), 1e-12);
      }
      ch_arena_release(arena, mark);
    }
  ch_arena_destroy(arena);
}

static void cholesky_of_a_large_matrix(void** state) {
  (void)state;
  WITH_ARENA(arena);
  ChRandom random = ch_random_seeded(22);
  ChBlockCsr A = large_grid(arena, &random, 71), S = ch_block_csr_symmetric_part(arena, &A);
  int rows = S.row[S.n];
  double *b = random_vector(arena, &random, rows), *x = CH_TAKE(arena, rows, double);
  ChCholesky* cholesky = ch_cholesky_analyze(arena, &S);
  assert_true(ch_cholesky_factor(cholesky, &S));
  ch_cholesky_solve(cholesky, b, x);
  CHECK_AT_MOST(lu_residual(&S, NULL, b, x, 0.0), 1e-12);
  S.value[S.offset[S.diagonal[S.n / 3]]] = -5.0;
  assert_false(ch_cholesky_factor(cholesky, &S));
  ch_arena_destroy(arena);
}

static void small_blocks_invert(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(31);
  for (int round = 0; round < 300; ++round) {
    int d = 1 + round % CH_SMALL_MAX;
    double A[36], inverse[36], product[36], worst = 0.0;
    for (int k = 0; k < d * d; ++k) A[k] = ch_random_normal(&random);
    assert_true(ch_small_invert(d, A, inverse));
    ch_small_product(d, d, A, inverse, product);
    for (int k = 0; k < d * d; ++k) worst = fmax(worst, fabs(product[k] - (k % (d + 1) == 0)));
    CHECK_AT_MOST(worst, 1e-13 * (1.0 + size_of(d * d, A) * size_of(d * d, inverse)));
    for (int k = 0; k < d; ++k) A[(d - 1) * d + k] = 0.0;
    assert_false(ch_small_invert(d, A, inverse));
    A[0] = NAN;
    assert_false(ch_small_invert(1, A, inverse));
  }
}

static void singular_values_of_a_known_matrix(void** state) {
  (void)state;
  // A = Q diag(3, 2, 0) with Q a rotation by 0.3 in the first two coordinates: unsymmetric, singular values 3, 2, 0
  double c = cos(0.3), s = sin(0.3), sigma[3], sum = 0.0, square = 0.0;
  double A[9] = {3 * c, 3 * s, 0, -2 * s, 2 * c, 0, 0, 0, 0}, S[9] = {2, 1, 0, 1, 2, 0, 0, 0, -1};
  assert_true(ch_singular_values(3, A, false, sigma));
  for (int k = 0; k < 3; ++k) sum += sigma[k], square += sigma[k] * sigma[k];
  CHECK_NEAR(sum, 5.0, 1e-14);
  CHECK_NEAR(square, 13.0, 1e-13);
  assert_true(ch_singular_values(3, S, true, sigma));  // eigenvalues 3, 1, -1
  sum = square = 0.0;
  for (int k = 0; k < 3; ++k) sum += sigma[k], square += sigma[k] * sigma[k];
  CHECK_NEAR(sum, 5.0, 1e-14);
  CHECK_NEAR(square, 11.0, 1e-13);
}

// On a linear map in n variables Anderson's acceleration is GMRES in disguise: it ends after n + 1 steps.
static void anderson_ends_a_linear_iteration(void** state) {
  (void)state;
  WITH_ARENA(arena);
  enum { N = 6 };
  ChRandom random = ch_random_seeded(41);
  double A[N * N], b[N], x[N] = {0.0}, g[N], error = 1.0;
  for (int k = 0; k < N * N; ++k) A[k] = 0.3 * ch_random_normal(&random);
  for (int k = 0; k < N; ++k) b[k] = ch_random_normal(&random);
  ChAnderson* anderson = ch_anderson_create(arena, N, N + 2);
  for (int step = 0; step <= N + 4; ++step) {
    error = 0.0;
    for (int i = 0; i < N; ++i) {
      g[i] = b[i];
      for (int j = 0; j < N; ++j) g[i] += A[i * N + j] * x[j];
      error = fmax(error, fabs(g[i] - x[i]));
    }
    ch_anderson_step(anderson, x, g, x);
  }
  CHECK_AT_MOST(error, 1e-8);
  ch_arena_destroy(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(triplets_become_columns_and_duplicates_add_up),
      cmocka_unit_test(asymmetry_is_the_largest_difference_over_the_largest_entry),
      cmocka_unit_test(components_are_numbered_by_their_first_member),
      cmocka_unit_test(sparse_lu_solves_and_knows_singular),
      cmocka_unit_test(block_products_are_those_of_the_dense_matrix),
      cmocka_unit_test(symmetric_part_and_asymmetry),
      cmocka_unit_test(block_lu_solves_any_pattern_with_any_rows_pinned),
      cmocka_unit_test(dense_lu_solves_with_any_rows_pinned),
      cmocka_unit_test(full_lu_solves_matrices_of_all_sizes),
      cmocka_unit_test(wide_lu_solves_matrices_of_blocks),
      cmocka_unit_test(block_lu_pivots_inside_a_front),
      cmocka_unit_test(block_lu_of_zero_blocks),
      cmocka_unit_test(block_lu_of_a_singular_matrix),
      cmocka_unit_test(block_lu_does_not_read_pinned_rows),
      cmocka_unit_test(block_lu_of_five_thousand_blocks),
      cmocka_unit_test(cholesky_solves_and_refuses_what_is_not_positive_definite),
      cmocka_unit_test(cholesky_of_a_large_matrix),
      cmocka_unit_test(small_blocks_invert),
      cmocka_unit_test(singular_values_of_a_known_matrix),
      cmocka_unit_test(anderson_ends_a_linear_iteration),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
