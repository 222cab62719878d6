// Bodies with many degrees of freedom, as those with modes: their inverse mass, and that every road to their rows of H
// gives the same, whether rows are whole, have gaps or reach two bodies.
#include <string.h>

#include "linalg/sparse.h"
#include "problem/compliance.h"
#include "problem/hub_inverse.h"
#include "support/arena_rig.h"
#include "support/near.h"
#include "support/random.h"
#include "system/system.h"

enum { HUBBED = 18, DENSE = 14, RIGID = 6, DIAGONAL = 13, KINDS = 4, BLOCKS = 36, MOST = HUBBED };

// Three degrees of freedom of which each is coupled with all others, which are not with each other.
static void make_hubbed(ChRandom* random, double* M) {
  memset(M, 0, HUBBED * HUBBED * sizeof *M);
  for (int i = 0; i < HUBBED; ++i) M[i * (HUBBED + 1)] = 3.0 + i;
  for (int k = 2; k < 5; ++k)
    for (int i = 0; i < HUBBED; ++i)
      if (i != k) M[k * HUBBED + i] = M[i * HUBBED + k] = 0.3 * ch_random_normal(random);
}

static void hubs_make_the_inverse_a_diagonal_and_low_rank(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(12);
  double M[HUBBED * HUBBED], inverse[HUBBED * HUBBED], H[HUBBED * 3], turned[3 * HUBBED], W[9] = {0.0}, V[9] = {0.0};
  make_hubbed(&random, M);
  ChHubInverse found = ch_hub_inverse_find(arena, HUBBED, M);
  assert_int_equal(found.hubs, 3);
  ch_hub_inverse_write(&found, HUBBED, inverse);
  for (int i = 0; i < HUBBED; ++i)
    for (int j = 0; j < HUBBED; ++j) {
      double sum = 0.0;
      for (int k = 0; k < HUBBED; ++k) sum += M[i * HUBBED + k] * inverse[k * HUBBED + j];
      CHECK_NEAR(sum, i == j ? 1.0 : 0.0, 1e-14);
    }
  for (int k = 0; k < HUBBED * 3; ++k) turned[k % 3 * HUBBED + k / 3] = H[k] = ch_random_normal(&random);
  const double* const columns[3] = {turned, turned + HUBBED, turned + 2 * HUBBED};
  ch_hub_inverse_square(&found, HUBBED, 3, H, W);
  ch_hub_inverse_square_columns(&found, HUBBED, 3, columns, V);
  for (int a = 0; a < 3; ++a)
    for (int c = 0; c < 3; ++c) {
      double sum = 0.0;
      for (int k = 0; k < HUBBED * HUBBED; ++k) sum += H[k / HUBBED * 3 + a] * inverse[k] * H[k % HUBBED * 3 + c];
      CHECK_NEAR(W[a * 3 + c], sum, 1e-13);
      CHECK_NEAR(V[a * 3 + c], sum, 1e-13);
    }
}

static void what_has_no_hubs_has_no_such_inverse(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(12);
  double M[HUBBED * HUBBED];
  make_hubbed(&random, M);
  M[2 * HUBBED + 9] += 0.1;  // not symmetric
  assert_int_equal(ch_hub_inverse_find(arena, HUBBED, M).hubs, 0);
  make_hubbed(&random, M);
  M[8 * HUBBED + 9] = M[9 * HUBBED + 8] = 0.1;  // two that are no hubs
  assert_int_equal(ch_hub_inverse_find(arena, HUBBED, M).hubs, 0);
  make_hubbed(&random, M);
  M[3 * (HUBBED + 1)] = 1e-3;  // not positive definite
  assert_int_equal(ch_hub_inverse_find(arena, HUBBED, M).hubs, 0);
}

// --- a problem with bodies of all kinds ------------------------------------------------------------------------------

static const int size_of[KINDS] = {HUBBED, DENSE, RIGID, DIAGONAL}, first_of[KINDS + 1] = {0, 18, 32, 38, 51};

typedef struct Entries {
  int *row, *column;
  double* value;
  long count;
} Entries;

static Entries take_entries(long most) {
  return (Entries){CH_TAKE(arena, most, int), CH_TAKE(arena, most, int), CH_TAKE(arena, most, double), 0};
}

static void add(Entries* e, int row, int column, double value) {
  e->row[e->count] = row;
  e->column[e->count] = column;
  e->value[e->count++] = value;
}

static ChTriplets triplets(int rows, int columns, const Entries* e) {
  return (ChTriplets){
      .rows = rows, .columns = columns, .count = e->count, .row = e->row, .column = e->column, .value = e->value};
}

static void add_mass(ChRandom* random, int kind, Entries* M) {
  double square[MOST * MOST] = {0.0};
  int n = size_of[kind];
  if (kind == 0) make_hubbed(random, square);
  for (int i = 0; i < n && kind > 0; ++i) {
    square[i * (n + 1)] = 20.0 + i;
    for (int k = 0; k < i && kind == 1; ++k) square[i * n + k] = square[k * n + i] = ch_random_normal(random);
  }
  for (int k = 0; k < n * n; ++k)
    if (square[k] != 0.0) add(M, first_of[kind] + k / n, first_of[kind] + k % n, square[k]);
}

// Contacts of one body or two; in every other round one row of each has a gap.
static ChProblem* make_problem(ChRandom* random) {
  static const int reach[][2] = {{0, -1}, {0, 2}, {0, 1}, {1, -1}, {1, 2}, {2, -1}, {3, -1}, {3, 0}, {1, 3}};
  enum { ROUND = sizeof reach / sizeof reach[0], DOF = HUBBED + DENSE + RIGID + DIAGONAL, ROWS = 3 * BLOCKS };
  Entries M = take_entries(DOF * DOF), H = take_entries((long)ROWS * DOF);
  ChBlock blocks[BLOCKS];
  int body[DOF];
  for (int kind = 0; kind < KINDS; ++kind) add_mass(random, kind, &M);
  for (int k = 0; k < DOF; ++k) body[k] = (k >= first_of[1]) + (k >= first_of[2]) + (k >= first_of[3]);
  for (int i = 0; i < BLOCKS; ++i) {
    blocks[i] = (ChBlock){.law = CH_LAW_CONTACT, .dimension = 3, .mu = {0.5, i % 4 == 3 ? 0.0 : 0.5}};
    for (int row = 3 * i; row < 3 * i + 3; ++row)
      for (int side = 0; side < 2; ++side) {
        int kind = reach[i % ROUND][side], gap = i / ROUND % 2 == 1 && row % 3 == 1 ? 4 : -1;
        for (int x = 0; kind >= 0 && x < size_of[kind]; ++x)
          if (x != gap) add(&H, first_of[kind] + x, row, ch_random_normal(random));
      }
  }
  double f[DOF], w[ROWS];
  for (int k = 0; k < DOF; ++k) f[k] = ch_random_normal(random);
  for (int k = 0; k < ROWS; ++k) w[k] = ch_random_normal(random);
  ChProblemDef def = {.form = CH_FORM_GLOBAL,
                      .dimension = 3,
                      .block_count = BLOCKS,
                      .blocks = blocks,
                      .M = triplets(DOF, DOF, &M),
                      .H = triplets(DOF, ROWS, &H),
                      .f = f,
                      .w = w,
                      .body = body};
  ChProblem* problem = NULL;
  CHECK_OK(context, ch_problem_build(&context, &def, &problem));
  return problem;
}

// u' of random r' against u = H^T M^-1 (H r + f) + w of the problem; `skip` may be NULL.
static void check_velocities(const ChProblem* p, const unsigned char* skip, ChRandom* random) {
  ChPrepared parts;
  CHECK_OK(context, ch_prepare_late(&context, arena, p, CH_POSE_COULOMB, skip, &parts));
  assert_int_equal(parts.count, 1);
  const ChComponent* part = &parts.component[0];
  const ChSystem* s = &part->system;
  double *r = CH_TAKE(arena, p->rows, double), *u = CH_TAKE(arena, p->rows, double);
  double *x = CH_TAKE(arena, s->rows, double), *y = CH_TAKE(arena, s->rows, double);
  for (int k = 0; k < s->rows; ++k) {
    x[k] = ch_random_normal(random);
    r[part->source[k]] = part->c * part->g[k] * x[k];
  }
  CHECK_OK(context, ch_problem_velocity(&context, p, r, NULL, u));
  ch_system_velocity(s, x, y);
  for (int k = 0; k < s->rows; ++k) CHECK_NEAR(part->g[k] * u[part->source[k]] / part->c, y[k], 1e-11);
  for (int i = 0; i < s->n; ++i)  // W_ii by itself
    for (int a = 0; a < s->dim[i]; ++a) {
      memset(x, 0, (size_t)s->rows * sizeof *x);
      x[s->row[i] + a] = 1.0;
      ch_system_apply(s, x, y);
      for (int c = 0; c < s->dim[i]; ++c)
        CHECK_NEAR(s->diagonal[s->diagonal_at[i] + a * s->dim[i] + c], y[s->row[i] + c], 1e-13);
    }
}

static void scaled_rows_are_those_of_the_problem(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(5);
  ChProblem* p = make_problem(&random);
  unsigned char skip[BLOCKS];
  for (int i = 0; i < BLOCKS; ++i) skip[i] = i % 5 == 2;
  check_velocities(p, NULL, &random);
  check_velocities(p, skip, &random);
  ch_problem_destroy(p);
}

static void products_by_runs_are_products(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(6);
  ChProblem* p = make_problem(&random);
  double *x = CH_TAKE(arena, p->dof, double), *y = CH_TAKE(arena, p->rows, double),
         *z = CH_TAKE(arena, p->rows, double);
  for (int k = 0; k < p->dof; ++k) x[k] = ch_random_normal(&random);
  ch_sparse_multiply_transposed_add(&p->H, x, y);
  ch_sparse_transposed_by_runs_add(&p->H, x, z);
  for (int k = 0; k < p->rows; ++k) CHECK_NEAR(z[k], y[k], 1e-13);
  ch_problem_destroy(p);
}

static void the_certificates_diagonal_is_that_of_w(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(7);
  ChProblem* p = make_problem(&random);
  ChCompliance* mass;
  double *diagonal = CH_TAKE(arena, p->rows, double), *h = CH_TAKE(arena, p->dof, double),
         *x = CH_TAKE(arena, p->dof, double);
  CHECK_OK(context, ch_compliance_factor(&context, arena, &p->M, &mass));
  CHECK_OK(context, ch_compliance_diagonal(&context, mass, &p->H, diagonal));
  for (int row = 0; row < p->rows; ++row) {
    double sum = 0.0;
    memset(h, 0, (size_t)p->dof * sizeof *h);
    for (int k = p->H.start[row]; k < p->H.start[row + 1]; ++k) h[p->H.index[k]] = p->H.value[k];
    CHECK_OK(context, ch_compliance_solve(&context, arena, mass, h, x));
    for (int k = 0; k < p->dof; ++k) sum += h[k] * x[k];
    CHECK_NEAR(diagonal[row], sum, 1e-13);
  }
  ch_problem_destroy(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_arena, close_arena)
      TEST(hubs_make_the_inverse_a_diagonal_and_low_rank), TEST(what_has_no_hubs_has_no_such_inverse),
      TEST(scaled_rows_are_those_of_the_problem),          TEST(products_by_runs_are_products),
      TEST(the_certificates_diagonal_is_that_of_w),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
