// Facts about condense: what a few blocks feel of all others, and packings that nothing else solves so soon.
#include <stdlib.h>

#include "cardhouse/solve.h"
#include "solve/linear/linear_system.h"
#include "support/first_part.h"
#include "support/piles.h"
#include "support/solved.h"
#include "support/suite.h"

static ChSolved out;
static ChFirstPart part;

// Every third block is a member; of the others each kind in turn: open, sticking, half way.
static void fill_blocks(const ChSystem* s, double* B, double* E) {
  for (int i = 0; i < s->n; ++i)
    for (int a = 0, d = s->dim[i]; a < d * d; ++a) {
      const double one = a % (d + 1) == 0, share = i % 3 == 0 || i % 4 == 1 ? 0.0 : i % 4 == 2 ? 1.0 : 0.3;
      B[s->diagonal_at[i] + a] = one * (1.0 - 0.999 * share);
      E[s->diagonal_at[i] + a] = one * share;
    }
}

// S from the space of velocities, many columns at once, and column by column from that of reactions: other matrices,
// other factors. More rows than lanes, and a rest.
static void both_spaces_condense_to_the_same(const char* settings) {
  ChProblem* pile = ch_make("pyramid", settings, CH_FORM_GLOBAL, 0);
  ch_first_part_open(&part, pile);
  const ChSystem* s = part.run.system;
  assert_true(s->formed && s->bodies);
  int *members = CH_TAKE(part.arena, s->n, int), count = 0, rows = 0;
  for (int i = 0; i < s->n; i += 3) members[count++] = i, rows += s->dim[i];
  assert_true(rows > 40 && rows % 16 != 0);
  double *B = CH_TAKE(part.arena, s->diagonal_at[s->n], double), *E = CH_TAKE(part.arena, s->diagonal_at[s->n], double);
  fill_blocks(s, B, E);
  double* S[2];
  for (int k = 0; k < 2; ++k) {
    ChLinearSystem* linear = ch_linear_create(part.arena, s, k == 0 ? CH_SPACE_V : CH_SPACE_R, false);
    assert_int_equal(ch_linear_space(linear), k == 0 ? CH_SPACE_V : CH_SPACE_R);
    assert_true(ch_linear_factor(linear, B, E));
    S[k] = CH_TAKE(part.arena, rows * rows, double);
    ch_linear_condense(part.arena, linear, count, members, S[k]);
  }
  double largest = 0.0;
  for (int k = 0; k < rows * rows; ++k) largest = fmax(largest, fabs(S[0][k]));
  assert_true(largest > 0.1);  // W_ii is of size 1
  for (int k = 0; k < rows * rows; ++k) CHECK_NEAR(S[0][k], S[1][k], 1e-11 * largest);
  ch_first_part_close(&part);
  ch_problem_destroy(pile);
}

static void what_blocks_feel_does_not_depend_on_the_space(void** state) {
  (void)state;
  both_spaces_condense_to_the_same("n=5 mu=0.5");
  both_spaces_condense_to_the_same("n=5 mu=0.5 compliance=0.02");
}

// Along self-stress sweeps creep. A dozen condensations end it.
static void a_pile_that_slides_needs_few_condensations(void** state) {
  (void)state;
  ch_pile_needs_few_factorisations("condense", 30, &out);
}

// S comes column by column.
static void bodies_are_not_needed(void** state) {
  (void)state;
  ch_pile_needs_no_bodies("condense", &out);
}

static void a_good_start_is_kept(void** state) {
  (void)state;
  ch_pile_keeps_a_good_start("condense", &out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_blocks_feel_does_not_depend_on_the_space),
      cmocka_unit_test(a_pile_that_slides_needs_few_condensations),
      cmocka_unit_test(bodies_are_not_needed),
      cmocka_unit_test(a_good_start_is_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
