// The hooks of memory.h: whose memory it is, that all of it comes back, who hears of what.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "cardhouse/memory.h"
#include "support/near.h"
#include "support/worlds.h"

typedef struct Heap {
  long taken, given;
  bool empty;
} Heap;

static void* take(void* user, size_t size, size_t alignment) {
  Heap* heap = user;
  void* block;
  if (heap->empty || posix_memalign(&block, alignment, size) != 0) return NULL;
  ++heap->taken;
  return block;
}

static void give(void* user, void* block) {
  ++((Heap*)user)->given;
  free(block);
}

static ChSimulation* start(void) {
  ChWorld* world = ch_test_world(3, 9.81, 0.5, 0.0);
  ch_test_floor(world);
  for (int k = 0; k < 5; ++k) ch_test_box(world, ch_vec(0.0, 0.0, 0.5 + k), ch_vec(0.5, 0.5, 0.5));
  ChSimulationOptions options = ch_simulation_options_default();
  return ch_test_start(world, &options);
}

static void every_block_comes_from_the_allocator_and_goes_back(void** state) {
  (void)state;
  ChContext context = {0};
  Heap heap = {0};
  const ChAllocator allocator = {.allocate = take, .release = give, .user = &heap};
  CHECK_OK(context, ch_memory_set_allocator(&context, &allocator));
  ChSimulation* s = start();
  for (int k = 0; k < 3; ++k) ch_test_step(s);
  assert_true(heap.taken > 0);
  assert_true(ch_memory_info().used > 0);
  assert_int_equal(ch_memory_set_allocator(&context, NULL), CH_ERR_ARGUMENT);  // its blocks are in use
  assert_int_equal(ch_memory_set_allocator(NULL, &(ChAllocator){0}), CH_ERR_ARGUMENT);
  ch_simulation_destroy(s);
  assert_true(ch_memory_info().kept > 0);
  ch_memory_trim();
  assert_int_equal(ch_memory_info().kept, 0);
  assert_int_equal(ch_memory_info().used, 0);
  assert_int_equal(heap.taken, heap.given);
  CHECK_OK(context, ch_memory_set_allocator(&context, NULL));
}

static void an_allocator_that_has_none_is_out_of_memory(void** state) {
  (void)state;
  ChContext context = {0};
  Heap heap = {0};
  const ChAllocator allocator = {.allocate = take, .release = give, .user = &heap};
  CHECK_OK(context, ch_memory_set_allocator(&context, &allocator));
  ChSimulation* s = start();
  heap.empty = true;
  ch_memory_trim();
  assert_int_equal(ch_simulation_step(&context, s, NULL), CH_ERR_MEMORY);
  heap.empty = false;
  CHECK_OK(context, ch_simulation_step(&context, s, NULL));
  ch_simulation_destroy(s);
  CHECK_OK(context, ch_memory_set_allocator(&context, NULL));
  assert_int_equal(heap.taken, heap.given);
}

static void keep(void* user, ChLogLevel level, const char* text) { snprintf(user, 100, "%d %s", (int)level, text); }

static void hear(void* user, const char* text) { snprintf(user, 100, "%s", text); }

static void the_log_hears_what_no_notice_takes(void** state) {
  (void)state;
  char log[100] = "", notice[100] = "";
  ChContext context = {.notice = hear, .user = notice};
  ch_log_set(keep, log);
  ch_notice(&context, "%d of %d", 1, 2);
  assert_string_equal(notice, "1 of 2");
  assert_string_equal(log, "");
  ch_notice(NULL, "%d of %d", 2, 2);
  assert_string_equal(log, "0 2 of 2");
  ch_log_set(NULL, NULL);
  ch_notice(NULL, "nobody");
  assert_string_equal(log, "0 2 of 2");
}

static void put(void* user, ChLogLevel level, const char* text) {
  (void)level;
  ssize_t put = write(*(int*)user, text, strlen(text));
  (void)put;
}

// A broken invariant is told before the program ends.
static void a_fault_of_our_own_is_told(void** state) {
  (void)state;
  int pair[2], status, two = 2;
  assert_int_equal(pipe(pair), 0);
  pid_t child = fork();
  if (child == 0) {
    ch_log_set(put, &pair[1]);
    CH_ASSERT(two == 2);
    CH_ASSERT(two == 3);
    _exit(0);
  }
  close(pair[1]);
  char text[200] = "";
  ssize_t got = read(pair[0], text, sizeof text - 1);
  close(pair[0]);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(got > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  assert_non_null(strstr(text, "a_fault_of_our_own_is_told: 'two == 3' does not hold"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_block_comes_from_the_allocator_and_goes_back),
      cmocka_unit_test(an_allocator_that_has_none_is_out_of_memory),
      cmocka_unit_test(the_log_hears_what_no_notice_takes),
      cmocka_unit_test(a_fault_of_our_own_is_told),
  };
  return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
