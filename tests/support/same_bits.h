// Whether two simulations are in the same state, to the last bit: their checkpoints tell.
#ifndef CH_TESTS_SAME_BITS_H
#define CH_TESTS_SAME_BITS_H

#include <stdlib.h>

#include "cardhouse/simulation.h"
#include "support/near.h"

// A checkpoint in memory, which the caller frees.
static inline char* ch_saved(const ChSimulation* s, size_t* size) {
  ChContext context = {0};
  CHECK_OK(context, ch_simulation_save(&context, s, NULL, size));
  char* bytes = malloc(*size);
  assert_non_null(bytes);
  CHECK_OK(context, ch_simulation_save(&context, s, bytes, size));
  return bytes;
}

static inline void ch_check_same_bits(const ChSimulation* a, const ChSimulation* b) {
  size_t m, n;
  char *x = ch_saved(a, &m), *y = ch_saved(b, &n);
  assert_int_equal(m, n);
  assert_memory_equal(x, y, m);
  free(x);
  free(y);
}

#endif
