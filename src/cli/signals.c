// See signals.h.
#include "cli/signals.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

// Seconds after a signal: for the program to hear of it, and, once it has, to end.
#define GRACE 0.3
#define ENDING 2.0

static const int numbers[] = {SIGINT, SIGTERM};

static atomic_int asked;   // the signal's number; 0: none came
static atomic_bool heard;  // by a loop that will end
static sem_t came;
static ChLastFn last_words;
static void* last_user;

static void say(const char* text, size_t length) {
  ssize_t put = write(STDERR_FILENO, text, length);
  (void)put;
}

// --- nothing to end in order

// The signal comes again when this returns, and then does what it does to a program without handlers.
static void on_signal_while_opening(int number) {
  static const char text[] = "\ncardhouse: interrupted while the scene was opened; nothing was run\n";
  say(text, sizeof text - 1);
  raise(number);
}

void ch_signals_end(void) {
  for (int k = 0; k < 2; ++k) {
    struct sigaction before, action = {.sa_handler = on_signal_while_opening, .sa_flags = (int)SA_RESETHAND};
    bool heeded = sigaction(numbers[k], NULL, &before) == 0 && before.sa_handler != SIG_IGN;
    if (heeded) sigaction(numbers[k], &action, NULL);
  }
}

// --- something to end in order

static void on_signal(int number) {
  int before = errno;
  atomic_store(&asked, number);
  sem_post(&came);
  errno = before;
}

static void nap(double seconds) {
  struct timespec left = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
}

static void* watch(void* unread) {
  static const char text[] = "cardhouse: interrupted\n";
  (void)unread;
  while (sem_wait(&came) != 0) continue;
  nap(GRACE);
  if (atomic_load(&heard)) nap(ENDING - GRACE);
  if (!last_words || !last_words(last_user)) say(text, sizeof text - 1);
  _exit(ch_stop_status());
}

// It takes no signals itself, so that none of them interrupts what it does.
static bool start_watch(void) {
  sigset_t all, before;
  pthread_t thread;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = pthread_create(&thread, NULL, watch, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (started) pthread_setname_np(thread, "signals");
  if (started) pthread_detach(thread);
  return started;
}

void ch_signals_heed(ChLastFn last, void* user) {
  static bool watched;
  last_words = last;
  last_user = user;
  if (!watched) sem_init(&came, 0, 0);
  watched = watched || start_watch();
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
  for (int k = 0; k < 2; ++k) sigaction(numbers[k], &action, NULL);
}

bool ch_stop_asked_by(void* unread) {
  (void)unread;
  return atomic_load_explicit(&asked, memory_order_relaxed) != 0;
}

bool ch_stop_asked(void) {
  bool yes = ch_stop_asked_by(NULL);
  if (yes) atomic_store(&heard, true);
  return yes;
}

int ch_stop_status(void) { return 128 + atomic_load(&asked); }
