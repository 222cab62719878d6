// Facts about Siconos' text form: every storage is read, numbers are correctly rounded, local and global are told
// apart, and a mistake is named with its line and column.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
//
#include <cmocka.h>
#include <math.h>

#include "base/arena.h"
#include "base/text_scan.h"
#include "cardhouse/files.h"
#include "files/siconos_file.h"
#include "support/random.h"
#include "support/temporary.h"

#define BANNER "CSparse Version 3.1.9, May 4, 2016.  Copyright (c) Timothy A. Davis, 2006-2016\n"

static ChProblem* parse(const char* text) {
  ChContext context = {0};
  ChProblem* problem = NULL;
  if (ch_siconos_parse(&context, "test.dat", text, strlen(text), &problem) != CH_OK) fail_msg("%s", context.message);
  return problem;
}

static double entry(const ChSparse* A, int i, int j) {
  for (int k = A->start[j]; k < A->start[j + 1]; ++k)
    if (A->index[k] == i) return A->value[k];
  return 0.0;
}

// W of two contacts in the plane, by rows; all storages below hold it.
static const double W[4][4] = {
    {2.0, 0.5, -1.0, 0.0}, {0.25, 3.0, 0.0, -0.125}, {-1.0, 0.0, 4.0, 1e-3}, {0, 7e5, 0, 5.0}};

#define TAIL "-9.81 0 -1.5e-1 +.25\n0.3 0.7\n"
#define TRIPLETS                                                                                                   \
  "triplet: 4-by-4, nzmax: 20 nnz: 11\n  0 0 : 2\n  1 0 : 0.25\n  2 0 : -1\n  0 1 : 0.5\n  1 1 : 3\n  3 1 : 7e5\n" \
  "  0 2 : -1\n  2 2 : 4\n  1 3 : -0.125\n  2 3 : 1e-3\n  3 3 : 5\n"
#define COLUMNS                                                                                                       \
  "4-by-4, nzmax: 20 nnz: 11, 1-norm: 7e5\n    col 0 : locations 0 to 2\n      0 : 2\n      1 : 0.25\n      2 : -1\n" \
  "    col 1 : locations 3 to 5\n      0 : 0.5\n      1 : 3\n      3 : 7e5\n    col 2 : locations 6 to 7\n"           \
  "      0 : -1\n      2 : 4\n    col 3 : locations 8 to 10\n      1 : -0.125\n      2 : 1e-3\n      3 : 5\n"
#define DENSE "0 4 4\n4 4\n2 .25 -1 0  .5 3 0 700000  -1 0 4 0  0 -.125 1e-3 5\n"
#define BLOCKS \
  "1 4 4\n4\n2 2\n2 4\n2 4\n3 4\n0 2 4\n0 1 0 1\n0 2 .25 .5 3\n1 -1 0 0 -.125\n2 -1 0 0 7e5\n3 4 0 1e-3 5\n"

static const char* const storages[] = {
    "2\n2\n" DENSE TAIL,
    "2\n2\n" BLOCKS TAIL,
    "2\n2\n2\n4\n4\n1\n" BANNER TRIPLETS TAIL,
    "2\n2\n2\n4\n4\n2\n" BANNER COLUMNS TAIL,
    "2\n2\n" DENSE TAIL "1\n",                               // with the old flag
    "2\r\n2\r\n2\r\n4\r\n4\r\n1 \r\n" BANNER TRIPLETS TAIL,  // another system's line ends
};

static void every_storage_is_read(void** state) {
  (void)state;
  const double q[4] = {-9.81, 0.0, -0.15, 0.25};
  for (size_t k = 0; k < sizeof storages / sizeof *storages; ++k) {
    ChProblem* problem = parse(storages[k]);
    assert_int_equal(problem->form, CH_FORM_LOCAL);
    assert_int_equal(problem->dimension, 2);
    assert_int_equal(problem->block_count, 2);
    assert_true(ch_same_doubles(problem->w, q, 4));
    assert_true(problem->blocks[0].mu[0] == 0.3 && problem->blocks[1].mu[0] == 0.7);
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) assert_true(entry(&problem->W, i, j) == W[i][j]);
    ch_problem_destroy(problem);
  }
}

// M is as large as W would be: only what follows tells that this is the global form.
static void local_and_global_are_told_apart_by_trying(void** state) {
  (void)state;
  static const char* const texts[] = {
      "2 1 0 2 2 2 2 4 0 0 5   0 2 2 2 2 1 0 0 1   0 -9.81   0.5 0   0.8\n",
      "2 1 0 2 2 2 2 4 0 0 5   0 2 2 2 2 1 0 0 1   0 -9.81   0.5 0   0.8 0\n",
      "2 1 1 2 2 1 1 1 2 2 2 1 0 1 0 0 4 0 0 5  2 2 2 1\n" BANNER
      "triplet: 2-by-2, nzmax: 2 nnz: 2\n0 0 : 1\n1 1 : 1\n 0 -9.81 0.5 0 0.8",
  };
  for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) {
    ChProblem* problem = parse(texts[k]);
    assert_int_equal(problem->form, CH_FORM_GLOBAL);
    assert_int_equal(problem->dof, 2);
    assert_true(entry(&problem->M, 1, 1) == 5.0 && entry(&problem->H, 0, 0) == 1.0);
    assert_true(problem->f[1] == -9.81 && problem->w[0] == 0.5 && problem->blocks[0].mu[0] == 0.8);
    ch_problem_destroy(problem);
  }
}

static double scan_number(ChArena* arena, locale_t plain, const char* text) {
  ChContext context = {0};
  ChScan scan = {&context, "number", text, text, text + strlen(text), arena, plain, CH_OK};
  double value = ch_scan_real(&scan, "x");
  if (scan.status != CH_OK) fail_msg("%s", context.message);
  return value;
}

static void numbers_are_correctly_rounded(void** state) {
  (void)state;
  static const char* const formats[] = {"%.24e", "%32.24e", "%.17g", "%g", "%.15e", "%.30f", "%.18e", "%.19e"};
  ChRandom random = ch_random_seeded(7);
  ChArena* arena = ch_arena_create(NULL);
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  char text[512];
  for (int k = 0; k < 200000; ++k) {
    double size = k % 10 == 0 ? ch_random_uniform(&random, -320.0, 308.0) : ch_random_uniform(&random, -40.0, 30.0);
    double x = ch_random_normal(&random) * pow(10.0, size);
    snprintf(text, sizeof text, formats[k % 8], x);
    double expected = strtod(text, NULL);
    if (!isfinite(expected)) continue;
    double got = scan_number(arena, plain, text);
    if (memcmp(&got, &expected, sizeof got) != 0) fail_msg("%s is read as %.17g, not %.17g", text, got, expected);
  }
  static const char* const odd[] = {"0",
                                    "-0",
                                    "0e999",
                                    "00000000000000000000000000000001",
                                    ".5",
                                    "5.",
                                    "1e-400",
                                    "4.9406564584124654e-324",
                                    "9007199254740993",
                                    "9007199254740993.00000000000000000001",
                                    "0.000000000000000000000000000000000000000000000000000000000001",

                                    "123456789012345678901234567890123456789e-20",
                                    "179769313486231570000e288"};
  for (size_t k = 0; k < sizeof odd / sizeof *odd; ++k)
    assert_true(scan_number(arena, plain, odd[k]) == strtod(odd[k], NULL));
  freelocale(plain);
  ch_arena_destroy(arena);
}

typedef struct Mistake {
  const char* text;
  ChStatus status;
  const char* words;
} Mistake;

static const Mistake mistakes[] = {
    {"hello world", CH_ERR_FORMAT, "test.dat:1:1: dimension of space: expected an integer, found 'hello'"},
    {"5 1 0 5 5", CH_ERR_RANGE, "test.dat:1:1: dimension of space is 5, must be 2 to 3"},
    {"3\n-1", CH_ERR_RANGE, "test.dat:2:1: number of contacts is -1"},
    {"3\n100000000 0", CH_ERR_RANGE, "number of contacts is 100000000"},
    {"3\n80000000 0", CH_ERR_SIZE, "test.dat:2:1: number of contacts is 80000000, but only 2 bytes follow"},
    {"3 99999999999999999999", CH_ERR_RANGE, "number of contacts is 99999999999999999999, which is too large"},
    {"2 1\n7 2 2", CH_ERR_RANGE, "test.dat:2:1: storage of a matrix (0 dense, 1 blocks, 2 sparse) is 7"},
    {"2 1 0 2 2 3 3 1 0 0 1", CH_ERR_SIZE, "matrix W or M is 2 x 2 at first, then 3 x 3"},
    {"2 1 0 2 3 2 3 1 0 0 1 0 0", CH_ERR_SIZE, "the first matrix is 2 x 3, must be square"},
    {"2 1 0 20000 20000 20000 20000 1", CH_ERR_SIZE, "W or M needs 400000000 more numbers, but only 2 bytes follow"},
    {"2 1 0 2 2 2 2 1 0 0", CH_ERR_SIZE, "W or M needs 4 more numbers"},
    {"2 1 0 2 2 2 2 1 0\nx 1 0 0 1", CH_ERR_FORMAT, "test.dat:2:1: W or M: expected a number, found 'x'"},
    {"2 1 0 2 2 2 2\n1 0 0 nan\n0 0\n1", CH_ERR_RANGE, "test.dat:2:7: W or M is nan, must be finite"},
    {"2 1 0 2 2 2 2\n1 0 0 1e999\n0 0\n1", CH_ERR_RANGE, "test.dat:2:7: W or M is 1e999, must be finite"},
    {"2 1 0 2 2 2 2\n1 0 0 1\n-inf 0\n1", CH_ERR_RANGE, "test.dat:3:1: q is -inf, must be finite"},
    {"2 1 0 2 2 2 2\n1 0 0 1\n0 0\n-0.5", CH_ERR_RANGE, "test.dat:4:1: mu of contact 0 is -0.5, must be >= 0"},
    {"2 1 0 2 2 2 2\n1 0 0 1\n0 0", CH_ERR_SIZE, "mu needs 1 more numbers"},
    {"2 1 0 2 2 2 2\n1 0 0 1\n0.5 0.5\n1 2 3 4", CH_ERR_SIZE, "test.dat:4:3: 5 bytes are left over after the last mu"},
    {"2 1 0 2 2 2 2\n1 0 0 -1\n0 0\n1", CH_ERR_RANGE, "diagonal entry 1 is -1"},
    {"2 2 0 2 2 2 2\n1 0 0 1\n0.5 0 0 0\n1 1", CH_ERR_FORMAT,
     "read as the global form: the first matrix is 2 x 2, and 2"},
    {"2 1 0 1 1 1 1 4 0 3 2 3 2 1 0 0 1 0 0 0", CH_ERR_SIZE, "matrix H is 3 x 2, must be 1 x 2"},
    {"2 1 1 2 2 1 1 1\n1 2 2 1", CH_ERR_SIZE, "test.dat:2:1: block rows end at 1, but the matrix has 2"},
    {"2 1 1 2 2 1 1 1 2 2 2 1\n1 1 0 0 1 0 0 1", CH_ERR_RANGE, "must ascend from 0"},
    {"2 1 1 2 2 1 1 1 2 2 2 1\n0 1\n1 0 1 0 0 1", CH_ERR_RANGE, "test.dat:3:1: block column indices is 1"},
    {"2 1 1 2 2 1 1 1 2 2 2 1\n0 1\n0\n3 1 0 0 1 0 0 1", CH_ERR_RANGE, "test.dat:4:1: number of the block is 3"},
    {"2 1 1 2 2 1 1 1 2 2 2 999999999 0 1", CH_ERR_SIZE, "block column indices needs 999999999 more numbers"},
    {"2 1 2 2 2 3\nx\n2-by-2, nzmax: 1 nnz: 1", CH_ERR_RANGE, "origin of a sparse matrix"},
    {"2 1 2 2 2 1\nx\n2-by-2, nzmax: 1 nnz: 1", CH_ERR_FORMAT, "origin 1 does not go with the header"},
    {"2 1 2 2 2 1\nx\ntriplet: 2-by-3, nzmax: 1 nnz: 1", CH_ERR_SIZE, "is 2 x 2 at first, then 2 x 3"},
    {"2 1 2 2 2 1\nx\ntriplet: 2-by-2, nzmax: 1 nnz: 99999", CH_ERR_SIZE,
     "needs 99999 more numbers, but only 0 bytes follow"},
    {"2 1 2 2 2 1\nx\ntriplet: 2-by-2, nzmax: 1 nnz: 1\n0 2 : 1\n", CH_ERR_RANGE, "test.dat:4:3: column index is 2"},
    {"2 1 2 2 2 1\nx\ntriplet: 2-by-2, nzmax: 1 nnz: 1\n0 1   1\n", CH_ERR_FORMAT,
     "test.dat:4:7: expected ':', found '1'"},
    {"2 1 2 2 2 2\nx\n2-by-2, nzmax: 1 nnz: 1, 1-norm: 1\ncol 0 : locations 0 to 5\n", CH_ERR_RANGE,
     "last location is 5"},
};

static void every_mistake_is_named_with_its_place(void** state) {
  (void)state;
  for (size_t k = 0; k < sizeof mistakes / sizeof *mistakes; ++k) {
    const Mistake* m = &mistakes[k];
    ChContext context = {0};
    ChProblem* problem = NULL;
    ChStatus got = ch_siconos_parse(&context, "test.dat", m->text, strlen(m->text), &problem);
    if (got != m->status || !strstr(context.message, m->words) || problem)
      fail_msg("'%s': expected '%s' and '%s', got '%s' and '%s'", m->text, ch_status_text(m->status), m->words,
               ch_status_text(got), context.message);
  }
}

// Cut anywhere, a file is refused: no storage has an end that could be mistaken for another's.
static void a_text_cut_short_is_refused(void** state) {
  (void)state;
  for (size_t k = 0; k < 4; ++k) {
    size_t whole = strlen(storages[k]) - strlen("0.3 0.7\n");
    for (size_t length = 0; length < whole; ++length) {
      char* text = strndup(storages[k], length);
      ChContext context = {0};
      ChProblem* problem = NULL;
      assert_int_not_equal(ch_siconos_parse(&context, "cut.dat", text, length, &problem), CH_OK);
      assert_null(problem);
      assert_true(context.message[0] != '\0');
      free(text);
    }
  }
}

static void the_content_decides_not_the_name(void** state) {
  (void)state;
  const char* path = ch_temporary_path("text.hdf5");
  FILE* file = fopen(path, "w");
  fputs(storages[1], file);
  fclose(file);
  ChContext context = {0};
  ChProblem *problem = NULL, *again = NULL;
  assert_int_equal(ch_problem_read(&context, path, &problem), CH_OK);
  assert_int_equal(ch_problem_write(&context, ch_temporary_path("binary.dat"), problem), CH_OK);
  assert_int_equal(ch_problem_read(&context, ch_temporary_path("binary.dat"), &again), CH_OK);
  assert_true(ch_same_problem(problem, again));
  ch_problem_destroy(problem);
  ch_problem_destroy(again);
}

static void running_out_of_memory_is_a_status(void** state) {
  (void)state;
  for (long n = 1, done = 0; !done; ++n) {
    ChContext context = {0};
    ChProblem* problem = NULL;
    ch_arena_fail_after(n);
    ChStatus status = ch_siconos_parse(&context, "test.dat", storages[1], strlen(storages[1]), &problem);
    ch_arena_fail_after(0);
    assert_true(status == CH_OK || status == CH_ERR_MEMORY);
    done = status == CH_OK;
    if (problem) ch_problem_destroy(problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_storage_is_read),
      cmocka_unit_test(local_and_global_are_told_apart_by_trying),
      cmocka_unit_test(numbers_are_correctly_rounded),
      cmocka_unit_test(every_mistake_is_named_with_its_place),
      cmocka_unit_test(a_text_cut_short_is_refused),
      cmocka_unit_test(the_content_decides_not_the_name),
      cmocka_unit_test(running_out_of_memory_is_a_status),
  };
  return cmocka_run_group_tests(tests, ch_temporary_create, ch_temporary_remove);
}
