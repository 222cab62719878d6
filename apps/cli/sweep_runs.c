// Runs of a sweep: see sweep_runs.h. A run prints its JSON into a file of its own, so that nobody has to listen to it.
#include "cli/sweep_runs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/output.h"
#include "cli/signals.h"

enum { JOBS_MAX = 256, PATH_ROOM = 320, WORDS_FIXED = 12, POLL_NANOSECONDS = 5000000 };

// What a process is busy with.
typedef struct Run {
  pid_t process;  // 0: none
  int point;
  bool measures;  // the run is over, and its last moment is measured
} Run;

typedef struct Sweep {
  const ChSweepRuns* of;
  char folder[256];
  int next, done, todo;
  Run runs[JOBS_MAX];
  ChExit status;
} Sweep;

static void path_of(const Sweep* s, int slot, const char* what, char path[PATH_ROOM]) {
  snprintf(path, PATH_ROOM, "%s/%d.%s", s->folder, slot, what);
}

// --- processes -------------------------------------------------------------------------------------------------------

static void exec_words(char** words, const char* output) {
  int file = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600), null = open("/dev/null", O_RDONLY);
  if (file < 0 || dup2(file, STDOUT_FILENO) < 0 || (null >= 0 && dup2(null, STDIN_FILENO) < 0)) _exit(CH_EXIT_FAULT);
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // no run outlives the sweep
  execv("/proc/self/exe", words);
  _exit(CH_EXIT_FAULT);
}

static bool start_process(Sweep* s, Run* run, char** words, const char* output) {
  fflush(NULL);
  run->process = fork();
  if (run->process == 0) exec_words(words, output);
  if (run->process > 0) return true;
  run->process = 0;
  ch_complain(s->of->command, "no process can be made: %s", strerror(errno));
  s->status = CH_EXIT_FAULT;
  return false;
}

// cardhouse run SCENE --param NAME=VALUE ... --json --threads 1 --out FILE ...: what the user passed comes last.
static void start_run(Sweep* s, int slot, int point) {
  const ChSweepRuns* of = s->of;
  const ChSweepGrid* grid = of->table->grid;
  char values[CH_SWEEP_AXES][2 * CH_SWEEP_TEXT], output[PATH_ROOM], recording[PATH_ROOM];
  char** words = calloc((size_t)(WORDS_FIXED + 2 * grid->axis_count + of->passed_count + 1), sizeof *words);
  Run* run = &s->runs[slot];
  *run = (Run){.point = point};
  if (!words) {
    s->status = CH_EXIT_FAULT;
    return;
  }
  int count = 0;
  words[count++] = "cardhouse", words[count++] = "run", words[count++] = (char*)of->scene;
  for (int k = 0; k < grid->axis_count; ++k) {
    snprintf(values[k], sizeof values[k], "%s=%s", grid->axis[k].name, ch_sweep_value(grid, point, k));
    words[count++] = "--param", words[count++] = values[k];
  }
  words[count++] = "--json", words[count++] = "--threads", words[count++] = "1";
  path_of(s, slot, "json", output);
  path_of(s, slot, "h5", recording);
  if (of->table->grains) {
    words[count++] = "--out", words[count++] = recording;
    words[count++] = "--every", words[count++] = "1000000000";  // the first moment and the last
  }
  for (int k = 0; k < of->passed_count; ++k) words[count++] = of->passed[k];
  start_process(s, run, words, output);
  free(words);
}

static void start_measuring(Sweep* s, int slot) {
  char output[PATH_ROOM], recording[PATH_ROOM];
  path_of(s, slot, "grains", output);
  path_of(s, slot, "h5", recording);
  char* words[] = {"cardhouse", "measure", recording, "--packing", "--coordination", "--json", NULL};
  s->runs[slot].measures = true;
  start_process(s, &s->runs[slot], words, output);
}

// --- what they say ---------------------------------------------------------------------------------------------------

static void end_row(Sweep* s, int slot, bool good) {
  char path[PATH_ROOM];
  path_of(s, slot, "json", path);
  json_t *run = good ? json_load_file(path, 0, NULL) : NULL, *grains = NULL;
  path_of(s, slot, "grains", path);
  if (run && s->of->table->grains) grains = json_load_file(path, 0, NULL);
  if (run)
    ch_sweep_table_fill(s->of->table, s->runs[slot].point, run, grains);
  else
    ch_sweep_table_fail(s->of->table, s->runs[slot].point);
  json_decref(run);
  json_decref(grains);
  ++s->done;
  s->runs[slot] = (Run){0};
  s->of->tell(s->of->user, s->done, s->todo);
  if (s->of->keep(s->of->user) != CH_OK) s->status = CH_EXIT_FAULT;
}

// A missed step is a row like any other (--strict makes it exit with 1); wrong words are wrong for every row.
static void end_process(Sweep* s, int slot, int how) {
  Run* run = &s->runs[slot];
  run->process = 0;
  int status = WIFEXITED(how) ? WEXITSTATUS(how) : CH_EXIT_FAULT;
  bool good = status == CH_EXIT_DONE || status == CH_EXIT_SHORT;
  if (ch_stop_asked()) return;
  if (!run->measures && status == CH_EXIT_USAGE) {
    s->status = CH_EXIT_USAGE;
  } else if (good && !run->measures && s->of->table->grains) {
    start_measuring(s, slot);
  } else {
    end_row(s, slot, good || run->measures);  // a run without grains has its other figures
  }
}

// --- all of them -----------------------------------------------------------------------------------------------------

static int first_open(const ChSweepTable* t, int from) {
  while (from < t->grid->point_count && t->rows[from].done) ++from;
  return from;
}

static bool is_running(const Sweep* s) {
  for (int k = 0; k < s->of->jobs; ++k)
    if (s->runs[k].process > 0) return true;
  return false;
}

static void reap(Sweep* s) {
  for (int k = 0; k < s->of->jobs; ++k) {
    int how;
    if (s->runs[k].process > 0 && waitpid(s->runs[k].process, &how, WNOHANG) == s->runs[k].process)
      end_process(s, k, how);
  }
}

static void end_all(Sweep* s) {
  for (int k = 0; k < s->of->jobs; ++k)
    if (s->runs[k].process > 0) kill(s->runs[k].process, SIGKILL);
  for (int k = 0; k < s->of->jobs; ++k)
    if (s->runs[k].process > 0) waitpid(s->runs[k].process, NULL, 0);
}

static void work(Sweep* s) {
  const int points = s->of->table->grid->point_count;
  while (s->status == CH_EXIT_DONE && !ch_stop_asked()) {
    for (int k = 0; k < s->of->jobs && s->status == CH_EXIT_DONE; ++k) {
      if (s->runs[k].process > 0 || (s->next = first_open(s->of->table, s->next)) == points) continue;
      start_run(s, k, s->next++);
    }
    if (!is_running(s)) break;
    nanosleep(&(struct timespec){.tv_nsec = POLL_NANOSECONDS}, NULL);
    reap(s);
  }
  end_all(s);
}

// A ChLastFn, too.
static bool remove_folder(void* user) {
  const Sweep* s = user;
  static const char* const what[] = {"json", "h5", "grains", "h5.lock"};
  char path[PATH_ROOM];
  for (int k = 0; k < s->of->jobs; ++k)
    for (size_t j = 0; j < sizeof what / sizeof *what; ++j) {
      path_of(s, k, what[j], path);
      unlink(path);
    }
  rmdir(s->folder);
  return false;
}

ChExit ch_sweep_runs(const ChSweepRuns* runs) {
  Sweep s = {.of = runs};
  const char* base = getenv("TMPDIR");
  snprintf(s.folder, sizeof s.folder, "%s/cardhouse-sweep-XXXXXX", base && *base ? base : "/tmp");
  if (!mkdtemp(s.folder)) {
    ch_complain(runs->command, "no temporary folder can be made: %s", strerror(errno));
    return CH_EXIT_FAULT;
  }
  for (int k = 0; k < runs->table->grid->point_count; ++k) s.todo += !runs->table->rows[k].done;
  ch_signals_heed(remove_folder, &s);
  work(&s);
  remove_folder(&s);
  return ch_stop_asked() ? (ChExit)ch_stop_status() : s.status;
}
