// See signals.h.
//
// No handler of ours runs: signals are blocked in every thread from the very beginning, before libraries start threads
// of their own, and one thread waits for them. Handlers would be taken away: METIS, which orders matrices for CHOLMOD,
// puts its own in their place while it works, and jumps from it into the stack of whatever thread the signal came to.
#include "cli/signals.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Seconds after a signal: for the program to hear of it, and, once it has, to end.
#define GRACE 0.3
#define ENDING 2.0

typedef enum Mode { AS_USUAL, OPENING, HEEDED } Mode;

static atomic_int mode;    // a Mode
static atomic_int asked;   // the signal's number; 0: none came
static atomic_bool heard;  // by a loop that will end
static _Atomic(ChLastFn) last_words;
static _Atomic(void*) last_user;
static pthread_t program;  // its first thread
static pthread_t waiter;
static bool watched;  // by it
static sigset_t waited_for;
static bool ignored[NSIG];  // by whoever started the program

// --- blocked before anything else

#define BIT(number) (1ul << ((number)-1))

// By the kernel's own call: in a sanitizer's build the C library's is not yet ready here.
__attribute__((no_sanitize("address", "thread", "undefined"))) static void change_mask(int how) {
  static const unsigned long mask = BIT(SIGINT) | BIT(SIGTERM);
  syscall(SYS_rt_sigprocmask, how, &mask, NULL, sizeof mask);
}

__attribute__((no_sanitize("address", "thread", "undefined"))) static void block(void) { change_mask(SIG_BLOCK); }
// What stands in this section is called before the constructors of libraries, OpenBLAS's with its threads among them.
__attribute__((section(".preinit_array"), used)) static void (*const first_of_all)(void) = block;

// Programs that this one starts are as they would be without us.
static void in_child(void) { change_mask(SIG_UNBLOCK); }

// --- waiting

static void say(const char* text, size_t length) {
  ssize_t put = write(STDERR_FILENO, text, length);
  (void)put;
}

static void nap(double seconds) {
  struct timespec left = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
}

// As a program ends that does nothing about signals.
static _Noreturn void die_by(int number) {
  sigset_t all;
  signal(number, SIG_DFL);
  sigemptyset(&all);
  sigaddset(&all, number);
  raise(number);
  pthread_sigmask(SIG_UNBLOCK, &all, NULL);
  _exit(128 + number);
}

// The second signal, or a program that did not end in time.
static void* see_to_the_end(void* unread) {
  static const char text[] = "cardhouse: interrupted\n";
  (void)unread;
  nap(GRACE);
  if (atomic_load(&heard)) nap(ENDING - GRACE);
  ChLastFn last = last_words;
  if (!last || !last(last_user)) say(text, sizeof text - 1);
  _exit(ch_stop_status());
}

static void take(int number) {
  static const char text[] = "\ncardhouse: interrupted while the scene was opened; nothing was run\n";
  Mode now = (Mode)atomic_load(&mode);
  if (now != HEEDED && ignored[number]) return;
  if (now == OPENING) say(text, sizeof text - 1);
  if (now != HEEDED || atomic_load(&asked)) die_by(number);
  atomic_store(&asked, number);
  pthread_kill(program, SIGUSR2);  // it may sleep, or wait for a page
  pthread_t thread;
  if (pthread_create(&thread, NULL, see_to_the_end, NULL) == 0)
    pthread_detach(thread);
  else
    see_to_the_end(NULL);
}

static void* wait_for_signals(void* up) {
  int number;
  sem_post(up);
  for (;;)
    if (sigwait(&waited_for, &number) == 0) take(number);
  return NULL;
}

static void wake(int number) { (void)number; }

void ch_signals_begin(void) {
  program = pthread_self();
  sigemptyset(&waited_for);
  for (int k = 0; k < 2; ++k) {
    struct sigaction before;
    int number = k == 0 ? SIGINT : SIGTERM;
    ignored[number] = sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_IGN;
    sigaddset(&waited_for, number);
  }
  sigaction(SIGUSR2, &(struct sigaction){.sa_handler = wake, .sa_flags = SA_RESTART}, NULL);
  pthread_atfork(NULL, NULL, in_child);
  static sem_t up;
  sem_init(&up, 0, 0);
  if (pthread_create(&waiter, NULL, wait_for_signals, &up) != 0) {
    change_mask(SIG_UNBLOCK);  // no memory for a thread: signals do what they do to any program
    return;
  }
  while (sem_wait(&up) != 0) continue;  // a fork while a thread is on its way up may copy a lock that it holds
  pthread_setname_np(waiter, "waiting");
  pthread_detach(waiter);
  watched = true;
}

// --- what commands say

void ch_signals_end(void) { atomic_store(&mode, OPENING); }

void ch_signals_heed(ChLastFn last, void* user) {
  last_user = user;
  last_words = last;
  atomic_store(&mode, HEEDED);
  if (watched) pthread_setname_np(waiter, "signals");  // tests and debuggers see it
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
