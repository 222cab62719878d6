// What a process that shut itself in cannot do, that a reader in a child takes no lock of its parent's threads, and
// that checkpoints and recordings are on the disk when they are said to be.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/arena.h"
#include "base/sandbox.h"
#include "cardhouse/files.h"
#include "cardhouse/record.h"
#include "support/near.h"
#include "support/temporary.h"
#include "support/worlds.h"

static ChContext context;

// ------------------------------------------------------------------------------------------------------- the sandbox

// How a process ends that is shut in and then does this: its status as waitpid tells.
static int end_of(void (*act)(void)) {
  int pair[2], status = 0;
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  pid_t child = fork();
  if (child == 0) {
    if (!ch_sandbox_enter(pair[1], -1, (size_t)1 << 28)) _exit(99);
    ch_sandbox_allow(0.5);
    act();
    _exit(42);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  close(pair[0]);
  close(pair[1]);
  return status;
}

// By a signal, or by a failure: 42 would be success.
static bool was_stopped(int status) {
  return WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) != 42 && WEXITSTATUS(status) != 99);
}

static void open_a_file(void) {
  if (open("/etc/passwd", O_RDONLY) < 0) _exit(0);
}
static void make_a_file(void) {
  if (open("/tmp/cardhouse-sandbox-test", O_WRONLY | O_CREAT, 0600) < 0) _exit(0);
}
static void use_the_network(void) {
  if (socket(AF_INET, SOCK_STREAM, 0) < 0) _exit(0);
}
static void start_a_process(void) {
  char* const words[] = {"/bin/sh", "-c", "exit 42", NULL};
  execv(words[0], words);
  _exit(0);
}
static void write_elsewhere(void) {
  for (int fd = 5; fd < 64; ++fd)
    if (fcntl(fd, F_GETFD) >= 0) return;
  _exit(0);
}
static void loop_for_ever(void) {
  for (;;) continue;
}
static void crash(void) { raise(SIGSEGV); }
static void do_nothing(void) {}

static void a_process_that_is_shut_in_reaches_nothing(void** state) {
  (void)state;
  void (*const acts[])(void) = {open_a_file, make_a_file, use_the_network, start_a_process, write_elsewhere};
  for (size_t k = 0; k < sizeof acts / sizeof *acts; ++k) assert_true(was_stopped(end_of(acts[k])));
  assert_int_equal(access("/tmp/cardhouse-sandbox-test", F_OK), -1);
  int looped = end_of(loop_for_ever), crashed = end_of(crash), fine = end_of(do_nothing);
  assert_true(WIFSIGNALED(looped) && WTERMSIG(looped) == SIGXCPU);
  assert_true(!WIFEXITED(crashed) || WEXITSTATUS(crashed) != 42);
  assert_true(WIFEXITED(fine) && WEXITSTATUS(fine) == 42);
}

// --------------------------------------------------------------------------------------------------- locks and fork

static atomic_bool enough;

static void* take_and_give(void* unused) {
  while (!atomic_load(&enough)) {
    ChArena* arena = ch_arena_create(NULL);
    if (arena) ch_arena_take_raw(arena, 64, 1);
    ch_arena_destroy(arena);
  }
  return unused;
}

// A child that waited for a lock that one of these threads held would be given up as silent after a minute.
static void files_are_read_while_other_threads_use_arenas(void** state) {
  (void)state;
  const char* path = ch_temporary_path("threads.hdf5");
  double one = 1.0, w = -1.0;
  int zero = 0;
  ChBlock block = {.law = CH_LAW_UNILATERAL, .dimension = 1};
  ChProblemDef def = {.form = CH_FORM_LOCAL, .dimension = 3, .block_count = 1, .blocks = &block, .w = &w};
  def.W = (ChTriplets){1, 1, 1, &zero, &zero, &one};
  ChProblem* problem;
  CHECK_OK(context, ch_problem_build(&context, &def, &problem));
  CHECK_OK(context, ch_problem_write(&context, path, problem));
  ch_problem_destroy(problem);
  pthread_t threads[3];
  for (int k = 0; k < 3; ++k) assert_int_equal(pthread_create(&threads[k], NULL, take_and_give, NULL), 0);
  for (int k = 0; k < 40; ++k) {
    CHECK_OK(context, ch_problem_read(&context, path, &problem));
    ch_problem_destroy(problem);
  }
  atomic_store(&enough, true);
  for (int k = 0; k < 3; ++k) pthread_join(threads[k], NULL);
}

// ---------------------------------------------------------------------------------------------------- on the disk

static int files_synced, folders_synced;

// In the place of the C library's: counts.
int fsync(int fd) {
  struct stat info;
  if (fstat(fd, &info) != 0) return -1;
  ++*(S_ISDIR(info.st_mode) ? &folders_synced : &files_synced);
  return 0;
}

static void checkpoints_and_recordings_are_synced_at_their_promises(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, 9.81, 0.5, 0.0);
  ch_test_floor(world);
  ch_test_ball(world, (ChVec3){0.0, 0.0, 0.1}, 0.1, (ChVec3){0});
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(world, &options);
  ChTrajectory* trajectory;
  ChTable* table;
  CHECK_OK(context, ch_trajectory_create(&context, ch_temporary_path("sync.h5"), s, "{}", 1, false, &trajectory));
  CHECK_OK(context, ch_table_create(&context, ch_temporary_path("sync.csv"), s, false, &table));
  files_synced = folders_synced = 0;
  for (int k = 0; k < 10; ++k) {
    ch_test_step(s);
    CHECK_OK(context, ch_trajectory_add(&context, trajectory, s));
    CHECK_OK(context, ch_table_add(&context, table, s));
  }
  assert_int_equal(files_synced, 0);  // steps wait for no disk
  CHECK_OK(context, ch_trajectory_flush(&context, trajectory));
  CHECK_OK(context, ch_table_flush(&context, table));
  assert_int_equal(files_synced, 2);
  ChRecordState records = {.summary = ch_summary_begin(s)};
  CHECK_OK(context, ch_checkpoint_write(&context, ch_temporary_path("sync.check"), s, "{}", &records));
  assert_int_equal(files_synced, 3);
  assert_int_equal(folders_synced, 1);
  CHECK_OK(context, ch_trajectory_close(&context, trajectory));
  CHECK_OK(context, ch_table_close(&context, table));
  assert_int_equal(files_synced, 5);
  ch_simulation_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_process_that_is_shut_in_reaches_nothing),
      cmocka_unit_test(files_are_read_while_other_threads_use_arenas),
      cmocka_unit_test(checkpoints_and_recordings_are_synced_at_their_promises),
  };
  return cmocka_run_group_tests(tests, ch_temporary_create, ch_temporary_remove);
}
