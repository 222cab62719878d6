// Sums without rounding: the order of the terms, and how they are dealt out, change no bit.
#include <float.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/exact_sum.h"
#include "cardhouse/random.h"
#include "support/near.h"

enum { TERMS = 2000 };

static double random_term(uint64_t* random) {
  double size = ldexp(1.0, (int)(240.0 * ch_random_unit(random)) - 120);
  return (ch_random_unit(random) - 0.5) * size;
}

static double sum_in_parts(const double* x, int parts) {
  double numbers[CH_EXACT_DIGITS] = {0.0}, own[CH_EXACT_DIGITS];
  for (int p = 0; p < parts; ++p) {
    ChExactSum sum = {{0}, false};
    for (int k = p; k < TERMS; k += parts) ch_exact_add(&sum, x[k]);
    ch_exact_write(&sum, own);
    for (int k = 0; k < CH_EXACT_DIGITS; ++k) numbers[k] += own[k];
  }
  ChExactSum all;
  ch_exact_read(numbers, &all);
  return ch_exact_value(&all);
}

static void no_order_and_no_sharing_out_changes_a_bit(void** state) {
  (void)state;
  uint64_t random = 7;
  static double x[TERMS];
  for (int k = 0; k < TERMS; ++k) x[k] = random_term(&random);
  double first = sum_in_parts(x, 1);
  assert_true(first != 0.0);
  for (int trial = 0; trial < 20; ++trial) {
    for (int k = TERMS - 1; k > 0; --k) {
      int other = (int)((k + 1) * ch_random_unit(&random)) % (k + 1);
      double kept = x[k];
      x[k] = x[other], x[other] = kept;
    }
    for (int parts = 1; parts <= 5; ++parts) assert_true(sum_in_parts(x, parts) == first);
  }
}

static void what_cancels_leaves_what_is_left(void** state) {
  (void)state;
  const double terms[] = {1e100, 1.0, -1e100, 0x1p-60, 3.5, -4.5};
  ChExactSum sum = {{0}, false};
  for (size_t k = 0; k < sizeof terms / sizeof *terms; ++k) ch_exact_add(&sum, terms[k]);
  assert_true(ch_exact_value(&sum) == 0x1p-60);
  ch_exact_add(&sum, -0x1p-60);
  assert_true(ch_exact_value(&sum) == 0.0);
  ch_exact_add(&sum, -2.5);
  assert_true(ch_exact_value(&sum) == -2.5);
}

static void single_terms_come_back(void** state) {
  (void)state;
  uint64_t random = 11;
  for (int k = 0; k < 1000; ++k) {
    double x = random_term(&random);
    ChExactSum sum = {{0}, false};
    ch_exact_add(&sum, x);
    assert_true(ch_exact_value(&sum) == x);
  }
}

static void what_is_not_finite_is_never_a_sum(void** state) {
  (void)state;
  const double bad[] = {INFINITY, -INFINITY, NAN, DBL_MAX};
  for (int k = 0; k < 4; ++k) {
    double numbers[CH_EXACT_DIGITS];
    ChExactSum sum = {{0}, false}, back;
    ch_exact_add(&sum, 1.0);
    ch_exact_add(&sum, bad[k]);
    assert_true(isnan(ch_exact_value(&sum)));
    ch_exact_write(&sum, numbers);
    ch_exact_read(numbers, &back);
    assert_true(isnan(ch_exact_value(&back)));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_order_and_no_sharing_out_changes_a_bit),
      cmocka_unit_test(what_cancels_leaves_what_is_left),
      cmocka_unit_test(single_terms_come_back),
      cmocka_unit_test(what_is_not_finite_is_never_a_sum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
