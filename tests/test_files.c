// Facts about FCLIB files: what is written comes back to the last bit, the fclib library reads it too, and no damaged
// file is believed.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
//
#include <cmocka.h>
#include <fclib.h>
#include <hdf5.h>
#include <math.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "cardhouse/files.h"
#include "support/random.h"
#include "support/temporary.h"

enum { MAX_ENTRIES = 4096, DOF = 7 };

// ------------------------------------------------------------------------------------------------------ test problems

typedef struct Shape {
  ChForm form;
  int dimension;
  const char* blocks;  // one letter a block: c contact, e elliptic contact, 1 to 6 bilateral, u unilateral, l limit
  bool symmetric;
} Shape;

static int make_blocks(const Shape* shape, ChBlock* blocks) {
  int rows = 0;
  for (int k = 0; shape->blocks[k]; ++k) {
    char c = shape->blocks[k];
    double mu = 0.1 * (k + 1);
    if (c == 'c' || c == 'e')
      blocks[k] = (ChBlock){.law = CH_LAW_CONTACT, .dimension = shape->dimension, .mu = {mu, c == 'e' ? 2.0 * mu : mu}};
    else if (c == 'u')
      blocks[k] = (ChBlock){.law = CH_LAW_UNILATERAL, .dimension = 1};
    else if (c == 'l')
      blocks[k] = (ChBlock){.law = CH_LAW_LIMIT, .dimension = 1, .lo = -1.0 - k, .hi = k % 2 ? INFINITY : 0.5};
    else
      blocks[k] = (ChBlock){.law = CH_LAW_BILATERAL, .dimension = c - '0'};
    rows += blocks[k].dimension;
  }
  return rows;
}

// About half of the entries of a random matrix, and all of a positive diagonal.
static ChTriplets random_matrix(ChRandom* random, int rows, int columns, bool symmetric) {
  static int row[4][MAX_ENTRIES], column[4][MAX_ENTRIES];
  static double value[4][MAX_ENTRIES];
  static int turn;
  turn = (turn + 1) % 4;
  long count = 0;
  for (int j = 0; j < columns; ++j)
    for (int i = symmetric ? j : 0; i < rows; ++i) {
      if (i != j && ch_random_uniform(random, 0.0, 1.0) < 0.5) continue;
      double x = i == j ? 10.0 + ch_random_uniform(random, 0.0, 1.0) : ch_random_normal(random);
      for (int mirrored = 0; mirrored <= (symmetric && i != j ? 1 : 0); ++mirrored) {
        row[turn][count] = mirrored ? j : i;
        column[turn][count] = mirrored ? i : j;
        value[turn][count++] = x;
      }
    }
  return (ChTriplets){rows, columns, count, row[turn], column[turn], value[turn]};
}

static ChProblem* make_problem(const Shape* shape) {
  ChBlock blocks[32];
  ChRandom random = ch_random_seeded(42);
  int rows = make_blocks(shape, blocks);
  double f[DOF], w[128];
  for (int k = 0; k < DOF; ++k) f[k] = ch_random_normal(&random);
  for (int k = 0; k < rows; ++k) w[k] = ch_random_normal(&random);
  ChProblemDef def = {.form = shape->form, .dimension = shape->dimension, .block_count = (int)strlen(shape->blocks)};
  def.blocks = blocks;
  def.f = f;
  def.w = w;
  if (shape->form == CH_FORM_LOCAL) {
    def.W = random_matrix(&random, rows, rows, shape->symmetric);
  } else {
    def.M = random_matrix(&random, DOF, DOF, shape->symmetric);
    def.H = random_matrix(&random, DOF, rows, false);
  }
  ChContext context = {0};
  ChProblem* problem = NULL;
  if (ch_problem_build(&context, &def, &problem) != CH_OK) fail_msg("%s", context.message);
  return problem;
}

static ChProblem* read_problem(const char* path) {
  ChContext context = {0};
  ChProblem* problem = NULL;
  if (ch_problem_read(&context, path, &problem) != CH_OK) fail_msg("%s", context.message);
  return problem;
}

static const Shape shapes[] = {
    {CH_FORM_LOCAL, 3, "ccc", true},
    {CH_FORM_LOCAL, 3, "ccc", false},
    {CH_FORM_LOCAL, 2, "cccc", true},
    {CH_FORM_GLOBAL, 3, "cc", true},
    {CH_FORM_GLOBAL, 2, "ccc", false},
    {CH_FORM_LOCAL, 3, "cc111", true},
    {CH_FORM_LOCAL, 3, "cc11", false},
    {CH_FORM_GLOBAL, 3, "cc11", true},
    {CH_FORM_LOCAL, 3, "5cl2euc16lu", true},
    {CH_FORM_LOCAL, 3, "5cl2euc16lu", false},
    {CH_FORM_GLOBAL, 3, "5cl2euc16lu", true},
    {CH_FORM_LOCAL, 2, "uc3lcu", false},
    {CH_FORM_GLOBAL, 2, "l2cuuc", true},
    {CH_FORM_LOCAL, 3, "3u", true},
    {CH_FORM_GLOBAL, 3, "6", true},
    {CH_FORM_GLOBAL, 3, "", true},
    {CH_FORM_LOCAL, 2, "", true},
    {CH_FORM_GLOBAL, 3, "eee", true},
    {CH_FORM_LOCAL, 3, "ll", false},
    {CH_FORM_GLOBAL, 3, "cucucu", true},
};

enum { SHAPES = sizeof shapes / sizeof *shapes };

// --------------------------------------------------------------------------------------------------------- round trips

static void a_problem_comes_back_to_the_last_bit(void** state) {
  (void)state;
  for (int k = 0; k < SHAPES; ++k) {
    ChProblem* problem = make_problem(&shapes[k]);
    ChContext context = {0};
    const char* path = ch_temporary_path("trip.hdf5");
    if (ch_problem_write(&context, path, problem) != CH_OK) fail_msg("%s", context.message);
    ChProblem* back = read_problem(path);
    if (!ch_same_problem(problem, back)) fail_msg("'%s' came back different", shapes[k].blocks);
    ch_problem_destroy(back);
    ch_problem_destroy(problem);
  }
}

static void plain_contacts_need_no_group_of_our_own(void** state) {
  (void)state;
  ChProblem* problem = make_problem(&(Shape){CH_FORM_GLOBAL, 3, "ccc11", true});
  ChContext context = {0};
  const char* path = ch_temporary_path("plain.hdf5");
  assert_int_equal(ch_problem_write(&context, path, problem), CH_OK);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_int_equal(H5Lexists(file, "cardhouse", H5P_DEFAULT), 0);
  H5Fclose(file);
  ch_problem_destroy(problem);
}

// The rows of r and u that belong to a law, in order: what FCLIB's vectors hold.
static int gather(const ChProblem* problem, ChLaw law, const double* x, double* out) {
  int count = 0;
  for (int b = 0; b < problem->block_count; ++b)
    for (int k = 0; k < problem->blocks[b].dimension; ++k)
      if (problem->blocks[b].law == law) out[count++] = x[problem->blocks[b].row + k];
  return count;
}

static void fill(double* x, int n, double first) {
  for (int k = 0; k < n; ++k) x[k] = first + 0.5 * k;
}

// Entry (i, j) of an FCLIB matrix.
static double entry(const struct fclib_matrix* A, int i, int j) {
  double sum = 0.0;
  if (A->nz >= 0) {
    for (int k = 0; k < A->nz; ++k) sum += A->i[k] == i && A->p[k] == j ? A->x[k] : 0.0;
  } else {
    assert_int_equal(A->nz, -2);
    for (int k = A->p[i]; k < A->p[i + 1]; ++k) sum += A->i[k] == j ? A->x[k] : 0.0;
  }
  return sum;
}

static double sparse_entry(const ChSparse* A, int i, int j) {
  for (int k = A->start[j]; k < A->start[j + 1]; ++k)
    if (A->index[k] == i) return A->value[k];
  return 0.0;
}

// Blocks in the file's order already, so that rows need no renumbering here.
static void the_fclib_library_reads_our_local_files(void** state) {
  (void)state;
  ChProblem* problem = make_problem(&(Shape){CH_FORM_LOCAL, 3, "ecc21ul", true});
  ChContext context = {0};
  const char* path = ch_temporary_path("library.hdf5");
  assert_int_equal(ch_problem_write(&context, path, problem), CH_OK);
  struct fclib_local* read = fclib_read_local(path);
  assert_non_null(read);
  assert_int_equal(read->spacedim, 3);
  assert_int_equal(read->W->m, 9);
  assert_int_equal(read->R->m, 3);
  for (int i = 0; i < 9; ++i) {
    assert_true(read->q[i] == problem->w[i]);
    for (int j = 0; j < 9; ++j) assert_true(entry(read->W, i, j) == sparse_entry(&problem->W, i, j));
    for (int j = 0; j < 3; ++j) assert_true(entry(read->V, i, j) == sparse_entry(&problem->W, i, 9 + j));
  }
  for (int i = 0; i < 3; ++i) {
    assert_true(read->s[i] == problem->w[9 + i]);
    assert_true(read->mu[i] == problem->blocks[i].mu[0]);
    for (int j = 0; j < 3; ++j) assert_true(entry(read->R, i, j) == sparse_entry(&problem->W, 9 + i, 9 + j));
  }
  fclib_delete_local(read);
  free(read);
  ch_problem_destroy(problem);
}

static void the_fclib_library_reads_our_global_files(void** state) {
  (void)state;
  ChProblem* problem = make_problem(&(Shape){CH_FORM_GLOBAL, 2, "cc3ul", true});
  ChContext context = {0};
  const char* path = ch_temporary_path("library.hdf5");
  double v[DOF], u[32], r[32], lambda[8];
  fill(v, DOF, 1.0);
  fill(u, problem->rows, 100.0);
  fill(r, problem->rows, 200.0);
  assert_int_equal(ch_solution_write(&context, path, problem, v, u, r), CH_OK);
  struct fclib_global* read = fclib_read_global(path);
  assert_non_null(read);
  for (int i = 0; i < DOF; ++i) {
    assert_true(read->f[i] == problem->f[i]);
    for (int j = 0; j < DOF; ++j) assert_true(entry(read->M, i, j) == sparse_entry(&problem->M, i, j));
    for (int j = 0; j < 4; ++j) assert_true(entry(read->H, i, j) == sparse_entry(&problem->H, i, j));
    for (int j = 0; j < 3; ++j) assert_true(entry(read->G, i, j) == sparse_entry(&problem->H, i, 4 + j));
  }
  for (int i = 0; i < 3; ++i) assert_true(read->b[i] == problem->w[4 + i]);
  struct fclib_solution* solution = fclib_read_solution(path);
  assert_non_null(solution);
  assert_true(ch_same_doubles(solution->v, v, DOF));
  assert_true(ch_same_doubles(solution->u, u, 4));
  assert_true(ch_same_doubles(solution->r, r, 4));
  assert_int_equal(gather(problem, CH_LAW_BILATERAL, r, lambda), 3);
  assert_true(ch_same_doubles(solution->l, lambda, 3));
  fclib_delete_solutions(solution, 1);
  fclib_delete_global(read);
  free(read);
  ch_problem_destroy(problem);
}

static void a_solution_comes_back_as_a_warm_start(void** state) {
  (void)state;
  for (int k = 0; k < SHAPES; ++k) {
    ChProblem* problem = make_problem(&shapes[k]);
    ChContext context = {0};
    const char* path = ch_temporary_path("warm.hdf5");
    double v[DOF], u[64], r[64], back[64], contacts[64];
    fill(v, DOF, 1.0);
    fill(u, problem->rows, 10.0);
    fill(r, problem->rows, -3.0);
    if (ch_solution_write(&context, path, problem, v, u, r) != CH_OK) fail_msg("%s", context.message);
    fill(back, problem->rows, NAN);
    if (ch_reaction_read(&context, path, problem, back) != CH_OK) fail_msg("%s", context.message);
    assert_true(ch_same_doubles(r, back, problem->rows));
    int rows = gather(problem, CH_LAW_CONTACT, r, contacts);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(file, "solution/r", H5P_DEFAULT);
    assert_int_equal(H5Dget_storage_size(set), (hsize_t)rows * sizeof(double));
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
    assert_true(ch_same_doubles(contacts, back, rows));
    H5Dclose(set);
    H5Fclose(file);
    ch_problem_destroy(problem);
  }
}

static void guesses_are_added_one_by_one(void** state) {
  (void)state;
  ChProblem* problem = make_problem(&(Shape){CH_FORM_GLOBAL, 3, "lc2uc", true});
  ChContext context = {0};
  const char* path = ch_temporary_path("guess.hdf5");
  double zero[64] = {0}, v[DOF], r[64], back[64], contacts[64];
  assert_int_equal(ch_solution_write(&context, path, problem, zero, zero, zero), CH_OK);
  assert_int_equal(ch_reaction_read(&context, path, problem, back), CH_OK);  // nothing but a zero solution: zero it is
  assert_true(ch_same_doubles(back, zero, problem->rows));
  for (int guess = 1; guess <= 3; ++guess) {
    fill(v, DOF, guess);
    fill(r, problem->rows, 10.0 * guess);
    if (ch_guess_append(&context, path, problem, v, r, r) != CH_OK) fail_msg("%s", context.message);
  }
  int count = 0, rows = gather(problem, CH_LAW_CONTACT, r, contacts);
  struct fclib_solution* guesses = fclib_read_guesses(path, &count);
  assert_int_equal(count, 3);
  assert_true(ch_same_doubles(guesses[2].r, contacts, rows));
  assert_true(ch_same_doubles(guesses[2].v, v, DOF));
  fclib_delete_solutions(guesses, count);
  assert_int_equal(ch_reaction_read(&context, path, problem, back),
                   CH_OK);  // the solution is all zero: the first guess
  fill(r, problem->rows, 10.0);
  assert_true(ch_same_doubles(back, r, problem->rows));
  ch_problem_destroy(problem);
}

// ------------------------------------------------------------------------------------------------------------ failures

static void expect_refusal(const char* path, ChStatus status, const char* words) {
  ChContext context = {0};
  ChProblem* problem = (ChProblem*)&context;
  ChStatus got = ch_problem_read(&context, path, &problem);
  if (got != status || !strstr(context.message, words) || !strstr(context.message, path) || problem)
    fail_msg("%s: expected '%s' and '%s', got '%s' and '%s'", path, ch_status_text(status), words, ch_status_text(got),
             context.message);
}

static void put_bytes(const char* path, const void* data, size_t size) {
  FILE* file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

static void files_that_are_no_problem_are_named(void** state) {
  (void)state;
  static const unsigned char jpeg[] = {0xff, 0xd8, 0xff, 0xe0, 0, 16, 'J', 'F', 'I', 'F', 0, 1, 1, 0, 0, 1};
  expect_refusal(ch_temporary_path("absent.hdf5"), CH_ERR_FILE, "No such file");
  expect_refusal(ch_temporary_folder, CH_ERR_FILE, "is a directory");
  put_bytes(ch_temporary_path("empty.hdf5"), "", 0);
  expect_refusal(ch_temporary_path("empty.hdf5"), CH_ERR_FORMAT, "is empty");
  put_bytes(ch_temporary_path("photo.hdf5"), jpeg, sizeof jpeg);
  expect_refusal(ch_temporary_path("photo.hdf5"), CH_ERR_FORMAT, "neither HDF5 nor text (byte 0xff at offset 0)");
  put_bytes(ch_temporary_path("signature.hdf5"), "\x89HDF\r\n\x1a\n", 8);
  expect_refusal(ch_temporary_path("signature.hdf5"), CH_ERR_FORMAT, "truncated or damaged");
  if (geteuid() != 0) {  // root reads what it likes
    chmod(ch_temporary_path("signature.hdf5"), 0);
    expect_refusal(ch_temporary_path("signature.hdf5"), CH_ERR_FILE, "Permission denied");
  }
  const char* path = ch_temporary_path("other.hdf5");
  H5Fclose(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  expect_refusal(path, CH_ERR_FORMAT, "neither /fclib_local nor /fclib_global");
}

static void a_file_cut_short_is_refused_wherever_it_is_cut(void** state) {
  (void)state;
  ChProblem* problem = make_problem(&(Shape){CH_FORM_GLOBAL, 3, "cc2ul", true});
  ChContext context = {0};
  static char bytes[1 << 20];
  assert_int_equal(ch_problem_write(&context, ch_temporary_path("cut.hdf5"), problem), CH_OK);
  FILE* file = fopen(ch_temporary_path("cut.hdf5"), "rb");
  size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  for (size_t length = 0; length < size; length += 1 + size / 200) {
    put_bytes(ch_temporary_path("cut.hdf5"), bytes, length);
    ChProblem* back = NULL;
    assert_int_not_equal(ch_problem_read(&context, ch_temporary_path("cut.hdf5"), &back), CH_OK);
    assert_null(back);
  }
  ch_problem_destroy(problem);
}

// libhdf5 itself crashes on one such file in some ten thousand; that, too, must be no more than a refusal.
static void random_damage_never_ends_the_program(void** state) {
  (void)state;
  ChProblem* problem = make_problem(&(Shape){CH_FORM_LOCAL, 3, "cc2ul", true});
  ChContext context = {0};
  ChRandom random = ch_random_seeded(3);
  static char whole[1 << 20], damaged[1 << 20];
  const char* path = ch_temporary_path("random.hdf5");
  assert_int_equal(ch_problem_write(&context, path, problem), CH_OK);
  FILE* file = fopen(path, "rb");
  size_t size = fread(whole, 1, sizeof whole, file);
  fclose(file);
  for (int k = 0; k < 200; ++k) {
    memcpy(damaged, whole, size);
    for (int times = 0; times < 20; ++times) {
      uint64_t bits = ch_random_bits(&random);
      damaged[8 + bits % (size - 8)] = (char)(bits >> 40);
    }
    put_bytes(path, damaged, size);
    ChProblem* back = NULL;
    ChStatus status = ch_problem_read(&context, path, &back);
    assert_true((status == CH_OK) == (back != NULL));
    if (back) ch_problem_destroy(back);
  }
  ch_problem_destroy(problem);
}

// What is done to one dataset of a good file.
typedef enum Damage { DROP, INTS, WIDE, REALS, TEXT, SQUARE, HUGE_SIZE, SOFT, EXTERNAL, GROUP } Damage;

typedef struct Bad {
  Damage damage;
  const char* name;
  int count;
  double values[6];
  ChStatus status;
  const char* words;
} Bad;

static const Bad bad_local[] = {
    {DROP, "fclib_local/W/x", 0, {0}, CH_ERR_FORMAT, "dataset /fclib_local/W/x is missing"},
    {DROP, "fclib_local/vectors", 0, {0}, CH_ERR_FORMAT, "dataset /fclib_local/vectors/mu is missing"},
    {INTS, "fclib_local/spacedim", 1, {4}, CH_ERR_RANGE, "/fclib_local/spacedim is 4, must be 2 or 3"},
    {INTS, "fclib_local/spacedim", 2, {3, 3}, CH_ERR_FORMAT, "/fclib_local/spacedim has 2 entries"},
    {REALS, "fclib_local/spacedim", 1, {3}, CH_ERR_FORMAT, "/fclib_local/spacedim is not a dataset of integers"},
    {INTS, "fclib_local/W/m", 1, {-6}, CH_ERR_SIZE, "matrix /fclib_local/W is -6 x 6, must be 6 x 6"},
    {INTS, "fclib_local/W/n", 1, {2147483647}, CH_ERR_SIZE, "must be 6 x 6"},
    {WIDE, "fclib_local/W/n", 1, {1e12}, CH_ERR_RANGE, "/fclib_local/W/n[0] is 1000000000000"},
    {INTS, "fclib_local/W/nz", 1, {-7}, CH_ERR_FORMAT, "/fclib_local/W/nz is -7"},
    {INTS, "fclib_local/W/nz", 1, {2000000000}, CH_ERR_SIZE, "/fclib_local/W/nz is 2000000000, but only"},
    {INTS, "fclib_local/W/p", 3, {0, 1, 2}, CH_ERR_SIZE, "/fclib_local/W/p has 3 entries, must have 7"},
    {INTS, "fclib_local/W/i", 4, {0, 1, 2, 3}, CH_ERR_RANGE, "must be"},
    {REALS, "fclib_local/W/x", 2, {1, 2}, CH_ERR_RANGE, "/fclib_local/W/p["},
    {REALS, "fclib_local/vectors/q", 5, {1, 2, 3, 4, 5}, CH_ERR_SIZE, "vectors/q has 5 entries, must have 6"},
    {REALS, "fclib_local/vectors/q", 6, {1, 2, 3, 4, NAN, 5}, CH_ERR_RANGE, "vectors/q[4] is"},
    {REALS, "fclib_local/vectors/mu", 2, {0.5, -0.5}, CH_ERR_RANGE, "/fclib_local/vectors/mu[1] is -0.5, must be >= 0"},
    {REALS, "fclib_local/vectors/mu", 2, {INFINITY, 0.5}, CH_ERR_RANGE, "/fclib_local/vectors/mu[0] is inf"},
    {REALS, "fclib_local/vectors/mu", 3, {1, 1, 1}, CH_ERR_SIZE, "must have 9"},
    {TEXT, "fclib_local/W/x", 0, {0}, CH_ERR_FORMAT, "/fclib_local/W/x is not a dataset of real numbers"},
    {SQUARE, "fclib_local/vectors/q", 0, {0}, CH_ERR_FORMAT, "/fclib_local/vectors/q has 2 dimensions"},
    {HUGE_SIZE, "fclib_local/vectors/mu", 0, {0}, CH_ERR_FORMAT, "/fclib_local/vectors/mu declares 8000000000 bytes"},
    {SOFT, "fclib_local/W/x", 0, {0}, CH_ERR_FORMAT, "/fclib_local/W/x is a soft or external link"},
    {EXTERNAL, "fclib_local", 0, {0}, CH_ERR_FORMAT, "/fclib_local is a soft or external link"},
    {GROUP, "fclib_local/W/x", 0, {0}, CH_ERR_FORMAT, "/fclib_local/W/x is not a readable dataset"},
};

static const Bad bad_mixed[] = {
    // blocks "l3ec2u": the file has 6 rows of contacts, 5 of bilaterals, then u, then l
    {DROP, "cardhouse/limit/hi", 0, {0}, CH_ERR_FORMAT, "dataset /cardhouse/limit/hi is missing"},
    {DROP, "cardhouse/limit/H", 0, {0}, CH_ERR_FORMAT, "dataset /cardhouse/limit/H/m is missing"},
    {REALS, "cardhouse/limit/lo", 2, {0, 0}, CH_ERR_SIZE, "limit/lo has 2 entries, must have 1"},
    {REALS, "cardhouse/limit/lo", 1, {NAN}, CH_ERR_RANGE, "/cardhouse/limit/lo[0] is"},
    {REALS, "cardhouse/limit/lo", 1, {7}, CH_ERR_RANGE, "lo <= hi"},
    {REALS, "cardhouse/mu2", 2, {0.5, -1}, CH_ERR_RANGE, "/cardhouse/mu2[1] is -1"},
    {REALS, "cardhouse/mu2", 1, {0.5}, CH_ERR_SIZE, "/cardhouse/mu2 has 1 entries, must have 2"},
    {INTS, "cardhouse/bilateral/dimension", 2, {4, 2}, CH_ERR_SIZE, "/cardhouse/bilateral/dimension[1] is 2"},
    {INTS, "cardhouse/bilateral/dimension", 2, {2, 2}, CH_ERR_SIZE, "1 rows fewer"},
    {INTS, "cardhouse/bilateral/dimension", 1, {-5}, CH_ERR_SIZE, "/cardhouse/bilateral/dimension[0] is -5"},
    {INTS, "cardhouse/order", 6, {0, 1, 2, 3, 4, 4}, CH_ERR_RANGE, "/cardhouse/order[5] is 4 for the second time"},
    {INTS, "cardhouse/order", 6, {0, 1, 2, 3, 4, 6}, CH_ERR_RANGE, "/cardhouse/order[5] is 6, must be 0 to 5"},
    {INTS, "cardhouse/order", 5, {0, 1, 2, 3, 4}, CH_ERR_SIZE, "/cardhouse/order has 5 entries"},
    {DROP, "fclib_global/vectors/b", 0, {0}, CH_ERR_FORMAT, "dataset /fclib_global/vectors/b is missing"},
    {INTS, "fclib_global/M/i", 3, {0, 99, 2}, CH_ERR_SIZE, "/fclib_global/M/nz is"},
    {REALS, "fclib_global/vectors/f", 2, {0, 0}, CH_ERR_SIZE, "matrix /fclib_global/M is 7 x 7, must be 2 x 2"},
};

static void put_numbers(hid_t file, const Bad* bad) {
  hsize_t count = (hsize_t)bad->count;
  hid_t type = bad->damage == INTS ? H5T_STD_I32LE : bad->damage == WIDE ? H5T_STD_I64BE : H5T_IEEE_F64LE;
  hid_t space = H5Screate_simple(1, &count, NULL);
  hid_t set = H5Dcreate2(file, bad->name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, bad->values) >= 0);
  H5Dclose(set);
  H5Sclose(space);
}

static void put_shape(hid_t file, const char* name, hid_t type, int rank, hsize_t extent) {
  hsize_t extents[2] = {extent, extent};
  hid_t space = H5Screate_simple(rank, extents, NULL);
  H5Dclose(H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Sclose(space);
}

static void damage(const char* path, const Bad* bad) {
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(file >= 0);
  assert_true(H5Ldelete(file, bad->name, H5P_DEFAULT) >= 0);
  switch (bad->damage) {
    case DROP:
      break;
    case INTS:
    case WIDE:
    case REALS:
      put_numbers(file, bad);
      break;
    case TEXT:
      put_shape(file, bad->name, H5T_C_S1, 1, 6);
      break;
    case SQUARE:
      put_shape(file, bad->name, H5T_IEEE_F64LE, 2, 6);
      break;
    case HUGE_SIZE:
      put_shape(file, bad->name, H5T_IEEE_F64LE, 1, 1000000000);
      break;
    case SOFT:
      H5Lcreate_soft("/fclib_local/vectors/q", file, bad->name, H5P_DEFAULT, H5P_DEFAULT);
      break;
    case EXTERNAL:
      H5Lcreate_external("other.hdf5", "/", file, bad->name, H5P_DEFAULT, H5P_DEFAULT);
      break;
    case GROUP:
      H5Gclose(H5Gcreate2(file, bad->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
      break;
  }
  H5Fclose(file);
}

static void check_damages(const Shape* shape, const Bad* list, size_t count) {
  ChProblem* problem = make_problem(shape);
  const char* path = ch_temporary_path("bad.hdf5");
  for (size_t k = 0; k < count; ++k) {
    ChContext context = {0};
    assert_int_equal(ch_problem_write(&context, path, problem), CH_OK);
    damage(path, &list[k]);
    expect_refusal(path, list[k].status, list[k].words);
  }
  ch_problem_destroy(problem);
}

static void every_damage_is_named(void** state) {
  (void)state;
  check_damages(&(Shape){CH_FORM_LOCAL, 3, "cc", true}, bad_local, sizeof bad_local / sizeof *bad_local);
  check_damages(&(Shape){CH_FORM_GLOBAL, 3, "l3ec2u", true}, bad_mixed, sizeof bad_mixed / sizeof *bad_mixed);
}

static void other_number_types_and_compression_are_read(void** state) {
  (void)state;
  ChProblem* problem = make_problem(&(Shape){CH_FORM_LOCAL, 2, "cc", true});
  ChContext context = {0};
  const char* path = ch_temporary_path("types.hdf5");
  assert_int_equal(ch_problem_write(&context, path, problem), CH_OK);
  damage(path, &(Bad){.damage = WIDE, .name = "fclib_local/spacedim", .count = 1, .values = {2}});
  damage(path, &(Bad){.damage = INTS, .name = "fclib_local/vectors/mu", .count = 2, .values = {1, 2}});
  damage(path, &(Bad){.damage = DROP, .name = "fclib_local/vectors/q"});
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), creation = H5Pcreate(H5P_DATASET_CREATE);
  hsize_t four = 4;
  H5Pset_chunk(creation, 1, &four);
  H5Pset_deflate(creation, 9);
  hid_t space = H5Screate_simple(1, &four, NULL);
  hid_t set = H5Dcreate2(file, "fclib_local/vectors/q", H5T_IEEE_F32BE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  const double q[4] = {0.5, 0.25, 0.125, -1.0};
  assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, q) >= 0);
  H5Dclose(set);
  H5Sclose(space);
  H5Pclose(creation);
  H5Fclose(file);
  ChProblem* back = read_problem(path);
  assert_true(ch_same_doubles(back->w, q, 4));
  assert_true(back->blocks[1].mu[0] == 2.0);
  ch_problem_destroy(back);
  ch_problem_destroy(problem);
}

static herr_t count_errors(hid_t stack, void* data) {
  (void)stack;
  ++*(int*)data;
  return 0;
}

static void hdf5_stays_silent_and_its_handler_is_put_back(void** state) {
  (void)state;
  int calls = 0;
  H5E_auto2_t before, after;
  void *before_data, *after_data;
  H5Eget_auto2(H5E_DEFAULT, &before, &before_data);
  H5Eset_auto2(H5E_DEFAULT, count_errors, &calls);
  put_bytes(ch_temporary_path("signature.hdf5"), "\x89HDF\r\n\x1a\n", 8);
  expect_refusal(ch_temporary_path("signature.hdf5"), CH_ERR_FORMAT, "truncated or damaged");
  H5Eget_auto2(H5E_DEFAULT, &after, &after_data);
  assert_int_equal(calls, 0);
  assert_true(after == count_errors && after_data == &calls);
  H5Eset_auto2(H5E_DEFAULT, before, before_data);
}

static void expect_no_write(const char* path, const ChProblem* problem, ChStatus status, const char* words) {
  ChContext context = {0};
  assert_int_equal(ch_problem_write(&context, path, problem), status);
  if (!strstr(context.message, words)) fail_msg("expected '%s' in '%s'", words, context.message);
}

static void a_file_is_replaced_only_by_a_whole_one(void** state) {
  (void)state;
  ChProblem* problem = make_problem(&(Shape){CH_FORM_LOCAL, 3, "c", true});
  expect_no_write(ch_temporary_path("no/such/folder.hdf5"), problem, CH_ERR_FILE, "No such file or directory");
  expect_no_write(ch_temporary_folder, problem, CH_ERR_FILE, "is a directory");
  if (access("/dev/full", W_OK) == 0) expect_no_write("/dev/full", problem, CH_ERR_DEVICE, "No space left on device");
  ch_temporary_sweep(true);
  put_bytes(ch_temporary_path("target.hdf5"), "old", 3);
  chmod(ch_temporary_path("target.hdf5"), 0640);
  assert_int_equal(symlink("target.hdf5", ch_temporary_path("link.hdf5")), 0);
  ChContext context = {0};
  assert_int_equal(ch_problem_write(&context, ch_temporary_path("link.hdf5"), problem), CH_OK);
  struct stat info;
  assert_int_equal(lstat(ch_temporary_path("link.hdf5"), &info), 0);
  assert_true(S_ISLNK(info.st_mode));
  assert_int_equal(stat(ch_temporary_path("target.hdf5"), &info), 0);
  assert_int_equal(info.st_mode & 0777, 0640);
  ch_problem_destroy(read_problem(ch_temporary_path("target.hdf5")));
  assert_int_equal(ch_temporary_sweep(true), 2);  // and no temporary file beside them
  ch_problem_destroy(problem);
}

static void reactions_of_another_size_are_refused(void** state) {
  (void)state;
  ChProblem* two = make_problem(&(Shape){CH_FORM_LOCAL, 3, "cc", true});
  ChProblem* three = make_problem(&(Shape){CH_FORM_LOCAL, 3, "ccc", true});
  ChContext context = {0};
  const char* path = ch_temporary_path("size.hdf5");
  double x[16] = {1.0};
  assert_int_equal(ch_problem_write(&context, path, two), CH_OK);
  assert_int_equal(ch_reaction_read(&context, path, two, x), CH_ERR_FORMAT);
  assert_non_null(strstr(context.message, "neither /solution nor /guesses/1"));
  assert_int_equal(ch_solution_write(&context, path, two, NULL, x, x), CH_OK);
  assert_int_equal(ch_reaction_read(&context, path, three, x), CH_ERR_SIZE);
  assert_non_null(strstr(context.message, "/solution/r has 6 entries, but the problem needs 9"));
  assert_int_equal(ch_guess_append(&context, path, three, NULL, x, x), CH_ERR_SIZE);
  assert_non_null(strstr(context.message, "6 rows, the guess has 9"));
  put_bytes(path, "3 1 0", 5);
  assert_int_equal(ch_reaction_read(&context, path, two, x), CH_ERR_FORMAT);
  assert_int_equal(ch_guess_append(&context, path, two, NULL, x, x), CH_ERR_FORMAT);
  assert_int_equal(ch_solution_write(&context, path, two, NULL, NULL, x), CH_ERR_ARGUMENT);
  ch_problem_destroy(two);
  ch_problem_destroy(three);
}

static void running_out_of_memory_is_a_status(void** state) {
  (void)state;
  ChProblem* problem = make_problem(&(Shape){CH_FORM_LOCAL, 3, "5cl2euc", false});
  const char* path = ch_temporary_path("memory.hdf5");
  for (long n = 1, done = 0; !done; ++n) {
    ChContext context = {0};
    ChProblem* back = NULL;
    ch_arena_fail_after(n);
    ChStatus status = ch_problem_write(&context, path, problem);
    if (status == CH_OK) status = ch_problem_read(&context, path, &back);
    ch_arena_fail_after(0);
    assert_true(status == CH_OK || status == CH_ERR_MEMORY);
    done = status == CH_OK;
    if (done) assert_true(ch_same_problem(problem, back));
    if (back) ch_problem_destroy(back);
  }
  ch_problem_destroy(problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_problem_comes_back_to_the_last_bit),
      cmocka_unit_test(plain_contacts_need_no_group_of_our_own),
      cmocka_unit_test(the_fclib_library_reads_our_local_files),
      cmocka_unit_test(the_fclib_library_reads_our_global_files),
      cmocka_unit_test(a_solution_comes_back_as_a_warm_start),
      cmocka_unit_test(guesses_are_added_one_by_one),
      cmocka_unit_test(files_that_are_no_problem_are_named),
      cmocka_unit_test(a_file_cut_short_is_refused_wherever_it_is_cut),
      cmocka_unit_test(random_damage_never_ends_the_program),
      cmocka_unit_test(every_damage_is_named),
      cmocka_unit_test(other_number_types_and_compression_are_read),
      cmocka_unit_test(hdf5_stays_silent_and_its_handler_is_put_back),
      cmocka_unit_test(a_file_is_replaced_only_by_a_whole_one),
      cmocka_unit_test(reactions_of_another_size_are_refused),
      cmocka_unit_test(running_out_of_memory_is_a_status),
  };
  return cmocka_run_group_tests(tests, ch_temporary_create, ch_temporary_remove);
}
