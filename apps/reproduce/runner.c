// Items in child processes: see runner.h. A child writes its result into FOLDER/items/NAME.json; through a pipe it
// tells its progress (lines that begin with \1) and whatever else it has to say on standard error, such as the last
// words of a failed assertion.
#include "reproduce/runner.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cardhouse/clock.h"
#include "cardhouse/disk.h"
#include "reproduce/page.h"

enum { PATH_SIZE = 4096, WORDS_SIZE = 400, FIGURES_MAX = 200, POLL_MS = 100, CHILD_DONE = 0, CHILD_DISK = 3 };
static const double TELL_SECONDS = 0.2, GRACE_SECONDS = 10.0, STOP_SECONDS = 0.1;

// --- in the child ----------------------------------------------------------------------------------------------------

typedef struct ChItemChild {
  double told_at;
} ChItemChild;

static volatile sig_atomic_t child_stop;

static void on_stop(int number) {
  (void)number;
  child_stop = 1;
}

bool ch_item_progress(ChItemRun* run, double fraction) {
  if (!run->child) return true;
  double now = ch_clock_seconds();
  if (now - run->child->told_at >= TELL_SECONDS) {
    run->child->told_at = now;
    dprintf(STDERR_FILENO, "\1%.4f\n", fraction);
  }
  return !child_stop;
}

static double processor_seconds(void) {
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
         1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

static const char* failure_of(ChStatus status, const ChContext* context, const ChReport* report) {
  if (status != CH_OK) return context->message[0] ? context->message : ch_status_text(status);
  return ch_report_fault(report);
}

// Pictures of an earlier run would be taken for this one's.
static void remove_pictures(const ChRunner* runner, const ChItem* item) {
  char path[PATH_SIZE];
  for (int k = 0; k < FIGURES_MAX; ++k) {
    ch_picture_path(runner->folder, item->name, k, path, sizeof path);
    unlink(path);
  }
}

static int child_work(const ChRunner* runner, const ChItem* item) {
  char folder[PATH_SIZE];
  snprintf(folder, sizeof folder, "%s/items/%s", runner->folder, item->name);
  ChContext context = {0};
  ChReport* report = ch_report_create(runner->key.quick && !item->same_when_quick);
  if (!report || ch_folder_make(&context, folder) != CH_OK) {
    dprintf(STDERR_FILENO, "%s\n", report ? context.message : "out of memory");
    return CHILD_DISK;
  }
  remove_pictures(runner, item);
  ChItemChild child = {0};
  ChItemRun run = {&context, report, runner->key.quick, folder, runner->engines_csv, &child};
  double began = ch_clock_seconds();
  ChStatus status = item->run(&run);
  json_t* result = ch_result_make(item, &runner->key, json_incref(ch_report_json(report)),
                                  child_stop ? NULL : failure_of(status, &context, report));
  json_object_set_new(result, "seconds", json_real(ch_clock_seconds() - began));
  json_object_set_new(result, "processor_seconds", json_real(processor_seconds()));
  json_object_set_new(result, "interrupted", json_boolean(child_stop));
  context = (ChContext){0};
  status = ch_result_write(&context, runner->folder, item, result);
  if (status == CH_OK) return CHILD_DONE;
  dprintf(STDERR_FILENO, "%s\n", context.message);
  return CHILD_DISK;
}

static void child_main(const ChRunner* runner, const ChItem* item, int pipe_end) {
  struct sigaction action = {.sa_handler = on_stop, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  signal(SIGXFSZ, SIG_IGN);
  static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};  // whoever caught them above is not here
  for (size_t k = 0; k < sizeof fatal / sizeof *fatal; ++k) signal(fatal[k], SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // no item outlives the program
  dup2(pipe_end, STDERR_FILENO);
  close(pipe_end);
  _exit(child_work(runner, item));
}

// --- in the parent ---------------------------------------------------------------------------------------------------

typedef struct ChItemProcess {
  pid_t id;
  int pipe;
  bool stopping, late;
  double stopped_at;
  char line[WORDS_SIZE];  // of progress, until it is whole
  size_t line_used;
  char words[WORDS_SIZE];  // the last that it said
} ChItemProcess;

static ChStatus start(ChContext* context, const ChRunner* runner, ChItemState* state) {
  int ends[2];
  ChItemProcess* process = calloc(1, sizeof *process);
  if (!process || pipe(ends) != 0) {
    free(process);
    return ch_fail(context, CH_ERR_MEMORY, "%s: no pipe can be made: %s", state->item->name, strerror(errno));
  }
  fflush(NULL);
  process->id = fork();
  if (process->id == 0) {
    close(ends[0]);
    child_main(runner, state->item, ends[1]);
  }
  close(ends[1]);
  process->pipe = ends[0];
  if (process->id < 0) {
    close(ends[0]);
    free(process);
    return ch_fail(context, CH_ERR_MEMORY, "%s: no process can be made: %s", state->item->name, strerror(errno));
  }
  state->process = process;
  state->phase = CH_ITEM_RUNS;
  state->began = ch_clock_seconds();
  return CH_OK;
}

static void take_line(ChItemState* state) {
  ChItemProcess* p = state->process;
  p->line[p->line_used] = '\0';
  if (p->line[0] == '\1')
    state->fraction = strtod(p->line + 1, NULL);
  else if (p->line_used > 0)
    snprintf(p->words, sizeof p->words, "%s", p->line);
  p->line_used = 0;
}

// False when the child has closed its end.
static bool hear(ChItemState* state) {
  ChItemProcess* p = state->process;
  char bytes[1024];
  ssize_t got = read(p->pipe, bytes, sizeof bytes);
  if (got < 0) return errno == EINTR;
  for (ssize_t k = 0; k < got; ++k) {
    if (bytes[k] == '\n')
      take_line(state);
    else if (p->line_used < sizeof p->line - 1)
      p->line[p->line_used++] = bytes[k];
  }
  return got > 0;
}

static void describe_failure(const ChRunner* runner, const ChItemProcess* p, int how, char* text, size_t size) {
  if (p->late)
    snprintf(text, size, "the item took longer than %g s", runner->time_limit);
  else if (WIFSIGNALED(how))
    snprintf(text, size, "the item ended by signal %d (%s)%s%s", WTERMSIG(how), strsignal(WTERMSIG(how)),
             p->words[0] ? ": " : "", p->words);
  else
    snprintf(text, size, "the item ended with status %d%s%s", WEXITSTATUS(how), p->words[0] ? ": " : "", p->words);
}

static json_t* failed_result(const ChRunner* runner, const ChItemState* state, const char* failure) {
  ChReport* report = ch_report_create(false);
  if (!report) return NULL;
  json_t* result = ch_result_make(state->item, &runner->key, json_incref(ch_report_json(report)), failure);
  json_object_set_new(result, "seconds", json_real(state->seconds));
  ch_report_destroy(report);
  return result;
}

static ChStatus finish(ChContext* context, const ChRunner* runner, ChItemState* state) {
  ChItemProcess* p = state->process;
  int how = 0;
  while (waitpid(p->id, &how, 0) < 0 && errno == EINTR) continue;
  close(p->pipe);
  state->phase = CH_ITEM_ENDED;
  state->seconds = ch_clock_seconds() - state->began;
  bool done = WIFEXITED(how) && WEXITSTATUS(how) == CHILD_DONE;
  ChStatus status = CH_OK;
  char failure[2 * WORDS_SIZE];
  describe_failure(runner, p, how, failure, sizeof failure);
  if (done) state->result = ch_result_read(runner->folder, state->item);
  if (done && !state->result) snprintf(failure, sizeof failure, "its result cannot be read back");
  if (!state->result) state->result = failed_result(runner, state, failure);
  if (p->late) json_object_set_new(state->result, "failure", json_string(failure));
  if (p->stopping && !p->late) json_object_set_new(state->result, "interrupted", json_true());
  if (WIFEXITED(how) && WEXITSTATUS(how) == CHILD_DISK) status = ch_fail(context, CH_ERR_FILE, "%s", p->words);
  free(p);
  state->process = NULL;
  return status;
}

// Asks at first, then insists: at once where somebody waits for all to end.
static void end_soon(ChItemState* state, double now, bool stop) {
  ChItemProcess* p = state->process;
  if (!p->stopping) kill(p->id, SIGTERM);
  if (p->stopping && now - p->stopped_at > (stop ? STOP_SECONDS : GRACE_SECONDS)) kill(p->id, SIGKILL);
  if (!p->stopping) p->stopped_at = now;
  p->stopping = true;
}

static void watch(ChContext* context, ChRunner* runner, bool stop, ChStatus* status) {
  struct pollfd polls[64];
  ChItemState* states[64];
  nfds_t count = 0;
  double now = ch_clock_seconds();
  for (int k = 0; k < runner->count && count < 64; ++k) {
    ChItemState* state = &runner->states[k];
    if (state->phase != CH_ITEM_RUNS) continue;
    bool late = now - state->began > runner->time_limit;
    if (late && !state->process->stopping) state->process->late = true;
    if (late || stop) end_soon(state, now, stop);
    states[count] = state;
    polls[count++] = (struct pollfd){.fd = state->process->pipe, .events = POLLIN};
  }
  if (poll(polls, count, POLL_MS) <= 0) return;
  for (nfds_t k = 0; k < count; ++k) {
    if (!polls[k].revents || hear(states[k])) continue;
    ChStatus ended = finish(context, runner, states[k]);
    if (ended != CH_OK) *status = ended;
  }
}

static int running(const ChRunner* runner) {
  int count = 0;
  for (int k = 0; k < runner->count; ++k) count += runner->states[k].phase == CH_ITEM_RUNS;
  return count;
}

static bool serve_kept(const ChRunner* runner, ChItemState* state) {
  json_t* result = ch_result_read(runner->folder, state->item);
  if (runner->fresh || !ch_result_fresh(result, state->item, &runner->key)) {
    bool same_form = result && json_is_true(json_object_get(result, "quick")) == runner->key.quick;
    state->expected = same_form ? json_number_value(json_object_get(result, "seconds")) : 0.0;
    json_decref(result);
    return false;
  }
  state->result = result;
  state->kept = true;
  state->phase = CH_ITEM_ENDED;
  state->seconds = json_number_value(json_object_get(result, "seconds"));
  return true;
}

// Those that were never begun when a stop was asked for.
static void skip_rest(const ChRunner* runner) {
  for (int k = 0; k < runner->count; ++k) {
    ChItemState* state = &runner->states[k];
    if (state->phase != CH_ITEM_WAITS) continue;
    state->phase = CH_ITEM_ENDED;
    state->result = failed_result(runner, state, "stopped before it was run");
    json_object_set_new(state->result, "interrupted", json_true());
  }
}

// The one that took longest before, so that no long one is left for the end; unknown ones in their order. NULL: none
// waits.
static ChItemState* next_waiting(const ChRunner* runner) {
  ChItemState* next = NULL;
  for (int k = 0; k < runner->count; ++k) {
    ChItemState* state = &runner->states[k];
    if (state->phase == CH_ITEM_WAITS && (!next || state->expected > next->expected)) next = state;
  }
  return next;
}

ChStatus ch_runner_run(ChContext* context, ChRunner* runner) {
  char folder[PATH_SIZE];
  snprintf(folder, sizeof folder, "%s/items", runner->folder);
  ChStatus status = ch_folder_make(context, folder);
  if (status != CH_OK) return status;
  for (int k = 0; k < runner->count; ++k) serve_kept(runner, &runner->states[k]);
  bool stop = false;
  while ((next_waiting(runner) && !stop) || running(runner) > 0) {
    for (ChItemState* next; !stop && running(runner) < runner->jobs && (next = next_waiting(runner));) {
      ChStatus started = start(context, runner, next);
      if (started != CH_OK) status = started, stop = true;
    }
    watch(context, runner, stop, &status);
    stop = stop || status != CH_OK || (runner->stop && runner->stop());
    if (runner->show) runner->show(runner, runner->show_state);
  }
  skip_rest(runner);
  return status;
}

void ch_runner_free(ChRunner* runner) {
  for (int k = 0; k < runner->count; ++k) json_decref(runner->states[k].result);
}
