// Facts about base/: arenas give back what they took, failures land, NaN never looks like success.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
//
#include <cmocka.h>

#include "base/arena.h"
#include "base/check.h"
#include "cardhouse/clock.h"
#include "cardhouse/status.h"
#include "common/printable.h"

static int freed[8];
static int freed_count;
static void record_free(void* object) { freed[freed_count++] = *(int*)object; }

static void arena_gives_zeroed_aligned_memory(void** state) {
  (void)state;
  ChArena* arena = ch_arena_create(NULL);
  for (size_t n = 0; n < 3000; n += 7) {
    double* x = CH_TAKE(arena, n, double);
    assert_non_null(x);
    assert_int_equal((uintptr_t)x % 64, 0);
    for (size_t i = 0; i < n; ++i) {
      assert_true(x[i] == 0.0);
      x[i] = 1.0;  // a later take must not see this
    }
  }
  ch_arena_destroy(arena);
}

static void release_rewinds_and_reuses(void** state) {
  (void)state;
  ChArena* arena = ch_arena_create(NULL);
  char* kept = CH_TAKE(arena, 10, char);
  strcpy(kept, "kept");
  ChArenaMark mark = ch_arena_mark(arena);
  char* first = CH_TAKE(arena, 100, char);
  memset(first, 7, 100);
  (void)CH_TAKE(arena, 1 << 20, double);  // larger than a chunk: a second one is needed
  ch_arena_release(arena, mark);
  char* again = CH_TAKE(arena, 100, char);
  assert_ptr_equal(first, again);
  for (int i = 0; i < 100; ++i) assert_int_equal(again[i], 0);
  assert_string_equal(kept, "kept");
  ch_arena_destroy(arena);
}

// More than the pool keeps for small worlds: what one arena gave back serves the next, however large.
static void a_large_world_keeps_its_chunks(void** state) {
  (void)state;
  long after_warm_up = 0;
  for (int step = 0; step < 4; ++step) {
    ChArena* arena = ch_arena_create(NULL);
    for (int k = 0; k < 5; ++k) assert_non_null(CH_TAKE_RAW(arena, 1 << 26, char));
    ch_arena_destroy(arena);
    if (step == 0) after_warm_up = ch_arena_allocations();
  }
  assert_int_equal(ch_arena_allocations(), after_warm_up);
  ch_arena_trim();
}

// What a child of fork takes comes from the heap and goes back there: the parent's pool is not touched.
static void a_child_can_leave_the_pool(void** state) {
  (void)state;
  ch_arena_destroy(ch_arena_create(NULL));
  pid_t child = fork();
  if (child == 0) {
    ch_arena_leave_pool();
    long before = ch_arena_allocations();
    for (int k = 0; k < 3; ++k) {
      ChArena* arena = ch_arena_create(NULL);
      if (!CH_TAKE(arena, 1000, double)) _exit(1);
      ch_arena_destroy(arena);
    }
    _exit(ch_arena_allocations() == before + 9 ? 0 : 2);  // an arena, a chunk and its bytes, each time
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void steady_state_allocates_nothing(void** state) {
  (void)state;
  ChArena* arena = ch_arena_create(NULL);
  long after_warm_up = 0;
  for (int step = 0; step < 100; ++step) {
    ChArenaMark mark = ch_arena_mark(arena);
    for (int k = 0; k < 20; ++k) (void)CH_TAKE(arena, 5000 * (k + 1), double);
    ch_arena_release(arena, mark);
    if (step == 0) after_warm_up = ch_arena_allocations();
  }
  assert_int_equal(ch_arena_allocations(), after_warm_up);
  ch_arena_destroy(arena);
}

static void defers_run_in_reverse_order(void** state) {
  (void)state;
  static int ids[] = {1, 2, 3};
  freed_count = 0;
  ChArena* arena = ch_arena_create(NULL);
  ch_arena_defer(arena, record_free, &ids[0]);
  ChArenaMark mark = ch_arena_mark(arena);
  ch_arena_defer(arena, record_free, &ids[1]);
  ch_arena_defer(arena, record_free, &ids[2]);
  ch_arena_release(arena, mark);
  assert_int_equal(freed_count, 2);
  assert_int_equal(freed[0], 3);
  assert_int_equal(freed[1], 2);
  ch_arena_destroy(arena);
  assert_int_equal(freed_count, 3);
  assert_int_equal(freed[2], 1);
}

// Takes three large arrays; returns 1 when an allocation failed and landed here, 0 when all went well.
static int take_and_land(ChArena* arena, jmp_buf* landing) {
  ch_arena_set_landing(arena, landing);
  if (setjmp(*landing)) return 1;
  for (int k = 1; k <= 3; ++k) {
    double* x = CH_TAKE(arena, 1000000 * k, double);
    x[0] = x[1000000 * k - 1] = 1.0;
  }
  return 0;
}

static void every_failed_allocation_lands(void** state) {
  (void)state;
  int landed = 0, n = 1;
  for (;; ++n) {
    jmp_buf landing;
    ch_arena_fail_after(n);
    ChArena* arena = ch_arena_create(NULL);
    if (!arena) {
      ++landed;
      continue;
    }
    int failed = take_and_land(arena, &landing);
    ch_arena_destroy(arena);
    if (!failed) break;
    ++landed;
    assert_true(n < 1000);
  }
  ch_arena_fail_after(0);
  assert_true(landed >= 4);  // the arena itself and three arrays at the least
  assert_int_equal(landed, n - 1);
}

static void without_a_landing_a_take_returns_null(void** state) {
  (void)state;
  ChArena* arena = ch_arena_create(NULL);
  ch_arena_fail_after(1);
  assert_null(CH_TAKE(arena, 100, double));
  ch_arena_fail_after(0);
  assert_null(ch_arena_take(arena, SIZE_MAX / 2, 8));  // the product would overflow
  assert_non_null(CH_TAKE(arena, 100, double));        // and the arena still serves
  ch_arena_destroy(arena);
}

static void fail_records_status_and_message(void** state) {
  (void)state;
  ChContext context = {0};
  assert_int_equal(ch_fail(&context, CH_ERR_RANGE, "mu is %g, must be >= 0", -1.0), CH_ERR_RANGE);
  assert_int_equal(context.status, CH_ERR_RANGE);
  assert_string_equal(context.message, "mu is -1, must be >= 0");
  assert_int_equal(ch_fail(NULL, CH_ERR_FILE, "no context"), CH_ERR_FILE);
  char longer[2 * CH_MESSAGE_SIZE];
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = '\0';
  ch_fail(&context, CH_ERR_FILE, "%s", longer);
  assert_int_equal(strlen(context.message), CH_MESSAGE_SIZE - 1);
}

static void every_status_has_a_text(void** state) {
  (void)state;
#define X(name, text) assert_string_equal(ch_status_text(name), text);
  CH_STATUS_LIST(X)
#undef X
  assert_non_null(ch_status_text((ChStatus)1000));
}

static void nan_never_passes(void** state) {
  (void)state;
  assert_false(ch_at_most(NAN, 1.0));
  assert_false(ch_at_most(0.0, NAN));
  assert_true(ch_at_most(1.0, 1.0));
  assert_true(isnan(ch_max(NAN, 1.0)));
  assert_true(isnan(ch_max(1.0, NAN)));
  assert_true(isnan(ch_min(NAN, 1.0)));
  assert_true(isnan(ch_min(1.0, NAN)));
  assert_true(isnan(ch_positive_part(NAN)));
  assert_true(isnan(ch_clamp(NAN, 0.0, 1.0)));
  assert_true(ch_max(1.0, 2.0) == 2.0 && ch_min(1.0, 2.0) == 1.0);
  assert_true(ch_positive_part(-1.0) == 0.0 && ch_positive_part(2.0) == 2.0);
  assert_true(ch_clamp(3.0, 0.0, 1.0) == 1.0 && ch_clamp(-3.0, 0.0, 1.0) == 0.0);
}

static void finite_means_every_entry(void** state) {
  (void)state;
  double x[] = {1.0, 2.0, NAN, INFINITY};
  assert_true(ch_all_finite(x, 2));
  assert_true(ch_all_finite(x, 0));
  assert_false(ch_all_finite(x, 3));
  assert_false(ch_all_finite(x + 3, 1));
}

static void what_steers_a_terminal_is_shown_by_its_number(void** state) {
  (void)state;
  static const char* const pairs[][2] = {
      {"card 3", "card 3"},
      {"", ""},
      {"\x1b[31m\n\t\x7f", "\\x1b[31m\\x0a\\x09\\x7f"},
      {"\xc3\xa4 \xe4\xb8\xad \xf0\x9f\x8f\xa0", "\xc3\xa4 \xe4\xb8\xad \xf0\x9f\x8f\xa0"},
      {"\xc2\x9b|\xe2\x80\xae|\xe2\x81\xa6|\xe2\x80\xa8", "\\u009b|\\u202e|\\u2066|\\u2028"},
      {"\xff|\xc3|\xe4\xb8|\xc0\x80|\xed\xa0\x80|\xf5\x80\x80\x80",  // no UTF-8: cut, overlong, surrogates, too large
       "\\xff|\\xc3|\\xe4\\xb8|\\xc0\\x80|\\xed\\xa0\\x80|\\xf5\\x80\\x80\\x80"},
  };
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; ++k) assert_string_equal(CH_SHOWN(pairs[k][0]), pairs[k][1]);
}

static void what_is_too_long_to_show_ends_in_dots(void** state) {
  (void)state;
  char shown[12];
  assert_string_equal(ch_printable("12345678901", sizeof shown, shown), "12345678901");
  assert_string_equal(ch_printable("123456789012", sizeof shown, shown), "12345678...");
  assert_string_equal(ch_printable("1234567\x1b\x1b", sizeof shown, shown), "1234567...");
  assert_string_equal(ch_printable("1234567\xe4\xb8\xad\xe4\xb8\xad", sizeof shown, shown), "1234567...");
}

static void clock_does_not_go_back(void** state) {
  (void)state;
  double last = ch_clock_seconds();
  for (int i = 0; i < 1000; ++i) {
    double now = ch_clock_seconds();
    assert_true(now >= last);
    last = now;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arena_gives_zeroed_aligned_memory),
      cmocka_unit_test(release_rewinds_and_reuses),
      cmocka_unit_test(steady_state_allocates_nothing),
      cmocka_unit_test(a_large_world_keeps_its_chunks),
      cmocka_unit_test(a_child_can_leave_the_pool),
      cmocka_unit_test(defers_run_in_reverse_order),
      cmocka_unit_test(every_failed_allocation_lands),
      cmocka_unit_test(without_a_landing_a_take_returns_null),
      cmocka_unit_test(fail_records_status_and_message),
      cmocka_unit_test(every_status_has_a_text),
      cmocka_unit_test(nan_never_passes),
      cmocka_unit_test(finite_means_every_entry),
      cmocka_unit_test(what_steers_a_terminal_is_shown_by_its_number),
      cmocka_unit_test(what_is_too_long_to_show_ends_in_dots),
      cmocka_unit_test(clock_does_not_go_back),
  };
  return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
