// Measuring in a child process: see measure.h.
#include "measure.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CALLS_MOST = 200 };
static const double LONG_CALL = 0.5;     // seconds from which one call is measurement enough
static const double TRUSTED_SUM = 0.05;  // seconds that short calls are repeated for

// What parent and child share: the child writes, so that even a killed child leaves what it had.
typedef struct Board {
  int calls;  // finished
  int info;
  double seconds[1 + CALLS_MOST];
  double r[];
} Board;

double ch_measure_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool ch_measure_number(const char* text, double lo, double hi, double* out) {
  char* end = NULL;
  *out = strtod(text, &end);
  return end != text && *end == '\0' && *out >= lo && *out <= hi;
}

static void timer_set(int which, double seconds) {
  struct itimerval timer = {
      .it_value = {.tv_sec = (time_t)seconds, .tv_usec = (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6)}};
  setitimer(which, &timer, NULL);
}

// The child dies of a signal when a call outlives the cap: no solver needs to cooperate. Processor time is what is
// capped; the wall clock catches a call that sleeps.
static void alarm_set(double seconds) {
  timer_set(ITIMER_PROF, seconds);
  timer_set(ITIMER_REAL, 5.0 * seconds + 5.0);
}

static int calls_wanted(double first, int repeat) {
  if (!(first < LONG_CALL)) return 0;
  double trusted = first > 0.0 ? TRUSTED_SUM / first : CALLS_MOST;
  int wanted = trusted > repeat ? (int)(trusted < CALLS_MOST ? trusted : CALLS_MOST) : repeat;
  return wanted < CALLS_MOST ? wanted : CALLS_MOST;
}

void ch_measure_silence(void) {
  int null = open("/dev/null", O_RDWR);
  if (null < 0) return;
  dup2(null, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
}

static void child(Board* board, ChCallFn call, void* user, int rows, double cap, int repeat) {
  double* scratch = calloc((size_t)rows + 1, sizeof(double));
  if (!scratch) _exit(3);
  ch_measure_silence();
  signal(SIGPROF, SIG_DFL);
  signal(SIGALRM, SIG_DFL);
  alarm_set(cap);
  ChCall first = call(user, board->r);
  board->seconds[0] = first.seconds;
  board->info = first.info;
  board->calls = 1;
  int wanted = calls_wanted(first.seconds, repeat);
  for (int i = 1; i <= wanted; ++i) {
    alarm_set(cap);
    board->seconds[i] = call(user, scratch).seconds;
    board->calls = i + 1;
  }
  _exit(0);
}

static int ascending(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static ChMeasurement board_read(Board* board, int rows, int status, double* r) {
  ChMeasurement m = {.ending = CH_ENDING_OK, .info = board->info};
  if (board->calls == 0) {
    int killer = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    m.ending = killer == SIGPROF || killer == SIGALRM ? CH_ENDING_CAP : CH_ENDING_CRASH;
    return m;
  }
  memcpy(r, board->r, (size_t)rows * sizeof(double));
  m.calls = board->calls > 1 ? board->calls - 1 : 1;
  double* measured = board->calls > 1 ? board->seconds + 1 : board->seconds;
  qsort(measured, (size_t)m.calls, sizeof(double), ascending);
  m.seconds = measured[m.calls / 2];
  return m;
}

ChMeasurement ch_measure(ChCallFn call, void* user, int rows, double cap, int repeat, double* r) {
  ChMeasurement failed = {.ending = CH_ENDING_CRASH};
  size_t size = sizeof(Board) + ((size_t)rows + 1) * sizeof(double);
  Board* board = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (board == MAP_FAILED) return failed;
  pid_t pid = fork();
  if (pid == 0) child(board, call, user, rows, cap, repeat);
  int status = 0;
  ChMeasurement m = failed;
  if (pid > 0 && waitpid(pid, &status, 0) == pid) m = board_read(board, rows, status, r);
  munmap(board, size);
  return m;
}
