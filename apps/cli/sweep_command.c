// `cardhouse sweep`: one scene with many values of its parameters, a run each, and a table of what came out.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cardhouse/clock.h"
#include "cardhouse/disk.h"
#include "cli/commands.h"
#include "cli/option_choices.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/sweep_runs.h"

#define SWEEP_OPTIONS(X)                                                                                             \
  X(LIST, param, {0}, "NAME=FROM:TO:COUNT", 0, 0, "a parameter and its values; also NAME=A,B,C and NAME=VALUE")      \
  X(TEXT, measure, NULL, "A,B", 0, 0, "columns of the table (displacement,missed); an unknown name prints the list") \
  X(TEXT, csv, NULL, "FILE", 0, 0, "file for the table (standard output)")                                           \
  X(TEXT, svg, NULL, "FILE", 0, 0, "plots the first measure over the first parameter")                               \
  X(REAL, mark, NAN, "X", -1e300, 1e300,                                                                             \
    "with --svg: draws a vertical line at this value, for example from limit analysis")                              \
  X(COUNT, jobs, 0, "N", 1, 256, "number of runs at a time (one per processor)")                                     \
  X(FLAG, resume, false, NULL, 0, 0, "continues the table in --csv with the missing runs")                           \
  X(FLAG, quiet, false, NULL, 0, 0, "no progress")

typedef struct Arguments {
  SWEEP_OPTIONS(CH_ARG_MEMBER)
} Arguments;

static const ChArgRow rows[] = {SWEEP_OPTIONS(CH_ARG_ROW)};

typedef struct Job {
  const ChCommand* self;
  Arguments arguments;
  const char* scene;
  int passed_count;
  char** passed;
  ChSweepGrid grid;
  ChSweepTable table;
  ChContext context;
  char* note;  // path of the file that tells what an unfinished table was made by
  double began, kept_at;
} Job;

// --- words -----------------------------------------------------------------------------------------------------------

// Options that the sweep needs for itself, or that all runs would write to.
static bool is_refused(const char* name, size_t length) {
  static const char* const refused[] = {"out", "vtk", "problems", "checkpoint", "json", "problems-every", "every"};
  for (size_t k = 0; k < sizeof refused / sizeof *refused; ++k)
    if (strlen(refused[k]) == length && strncmp(refused[k], name, length) == 0) return true;
  return false;
}

// Sorts the words: own ones, and those for `run`, of which it is known how many a flag takes. What neither knows may be
// a parameter of a built-in, which has a value.
static bool sort_words(const ChCommand* self, int count, char** words, char** own, int* own_count, Job* job) {
  for (int k = 0; k < count; ++k) {
    const char* word = words[k];
    bool option = strncmp(word, "--", 2) == 0 && word[2];
    size_t length = option ? strcspn(word + 2, "=") : 0;
    bool mine = !option || strcmp(word, "--help") == 0 || ch_option_find(self, word + 2, length);
    const ChArgRow* row = mine ? NULL : ch_option_find(&ch_command_run, word + 2, length);
    if (!mine && is_refused(word + 2, length)) {
      ch_complain(self, "%s is for single runs; a sweep writes one table, --csv FILE", word);
      return false;
    }
    if (mine)
      own[(*own_count)++] = words[k];
    else
      job->passed[job->passed_count++] = words[k];
    bool valued = !mine && word[2 + length] != '=' && !(row && row->kind == CH_ARG_FLAG);
    if (valued && k + 1 < count) job->passed[job->passed_count++] = words[++k];
  }
  return true;
}

static bool check_words(const ChCommand* self, const Job* job) {
  const Arguments* a = &job->arguments;
  if (strcmp(job->scene, "-") == 0) {
    ch_complain(self,
                "a scene from a pipe can be read only once; a sweep needs a file or the name of a built-in scene");
    return false;
  }
  if (a->resume && !a->csv) ch_complain(self, "--resume continues the table in --csv; name it");
  if (!isnan(a->mark) && !a->svg) ch_complain(self, "--mark belongs to --svg");
  return !(a->resume && !a->csv) && !(!isnan(a->mark) && !a->svg) && ch_place_check(self, "csv", a->csv) &&
         ch_place_check(self, "svg", a->svg);
}

// --- an unfinished table ---------------------------------------------------------------------------------------------

// All that the figures depend on.
static void put_note(FILE* file, const void* state) {
  const Job* job = state;
  fprintf(file, "cardhouse sweep %s", job->scene);
  for (int k = 0; k < job->arguments.param.count; ++k) fprintf(file, " --param %s", job->arguments.param.item[k]);
  if (job->arguments.measure) fprintf(file, " --measure %s", job->arguments.measure);
  for (int k = 0; k < job->passed_count; ++k) fprintf(file, " %s", job->passed[k]);
  fputc('\n', file);
}

static bool same_note(const Job* job, const char* note) {
  char* text = NULL;
  size_t size = 0;
  FILE* file = open_memstream(&text, &size);
  if (!file) return false;
  put_note(file, job);
  bool same = fclose(file) == 0 && strcmp(text, note) == 0;
  free(text);
  return same;
}

static ChStatus resume(Job* job) {
  char* note = NULL;
  size_t size;
  const char* csv = job->arguments.csv;
  if (access(csv, F_OK) == 0 && access(job->note, F_OK) != 0)
    return ch_fail(&job->context, CH_ERR_FILE, "%s: is not the table of an unfinished sweep: there is no %s beside it",
                   csv, job->note);
  if (access(csv, F_OK) != 0) return CH_OK;
  ChStatus status = ch_file_load(&job->context, job->note, 1 << 20, &note, &size);
  if (status == CH_OK && !same_note(job, note))
    status = ch_fail(&job->context, CH_ERR_ARGUMENT, "%s: was begun by a different command: %.400s", csv, note);
  free(note);
  return status == CH_OK ? ch_sweep_table_take(&job->context, csv, &job->table) : status;
}

static const double KEEP_SECONDS = 1.0;  // from one writing of the table to the next, at least

static ChStatus write_table(Job* job) {
  job->kept_at = ch_clock_seconds();
  return ch_whole_file_print(&job->context, job->arguments.csv, ch_sweep_table_put, &job->table);
}

static ChStatus keep(void* user) {
  Job* job = user;
  if (!job->arguments.csv || ch_clock_seconds() - job->kept_at < KEEP_SECONDS) return CH_OK;
  return write_table(job);
}

static void tell(void* user, int done, int all) {
  const Job* job = user;
  if (job->arguments.quiet || !isatty(STDERR_FILENO)) return;
  char left[CH_LEFT_SIZE];
  ch_left_text((ch_clock_seconds() - job->began) * (all - done) / done, left);
  if (done < all)
    fprintf(stderr, "\r\033[K%d of %d runs, %s left", done, all, left);
  else
    fputs("\r\033[K", stderr);
}

// --- the sweep -------------------------------------------------------------------------------------------------------

static ChStatus write_results(Job* job, bool whole) {
  const Arguments* a = &job->arguments;
  ChStatus status = CH_OK;
  if (a->csv)
    status = write_table(job);
  else
    ch_sweep_table_put(stdout, &job->table);
  ChSweepChart chart = {&job->table, job->scene, a->mark};
  if (status == CH_OK && a->svg) status = ch_whole_file_print(&job->context, a->svg, ch_sweep_chart_put, &chart);
  if (status == CH_OK && whole && job->note) unlink(job->note);
  return status;
}

static ChExit sweep(Job* job) {
  const Arguments* a = &job->arguments;
  ChExit made = ch_sweep_grid_read(job->self, &a->param, &job->grid);
  if (made == CH_EXIT_DONE) made = ch_sweep_table_create(job->self, &job->grid, a->measure, &job->table);
  if (made != CH_EXIT_DONE) return made;
  ChStatus status = a->resume ? resume(job) : CH_OK;
  if (status == CH_OK && job->note) status = ch_whole_file_print(&job->context, job->note, put_note, job);
  if (status != CH_OK) return ch_failure_exit(job->self, &job->context, status);
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  ChSweepRuns runs = {.command = job->self,
                      .scene = job->scene,
                      .passed_count = job->passed_count,
                      .passed = job->passed,
                      .jobs = a->jobs > 0                          ? (int)a->jobs
                              : processors > 0 && processors < 256 ? (int)processors
                                                                   : 1,
                      .table = &job->table,
                      .keep = keep,
                      .tell = tell,
                      .user = job};
  job->began = job->kept_at = ch_clock_seconds();
  ChExit ended = ch_sweep_runs(&runs);
  if (ended == CH_EXIT_USAGE) {
    if (job->note) unlink(job->note);
    return ended;
  }
  status = job->context.message[0] ? CH_ERR_DEVICE : write_results(job, ended == CH_EXIT_DONE);
  if (status != CH_OK) return ch_failure_exit(job->self, &job->context, status);
  if (ended != CH_EXIT_DONE && a->csv)
    ch_complain(job->self, "interrupted; the same command with --resume continues %s", a->csv);
  return ended;
}

static ChExit sweep_sorted(const ChCommand* self, int count, char** own, Job* job) {
  ChParsed parsed = ch_arguments_parse(self, count, own, &job->arguments, &job->scene);
  if (parsed != CH_PARSED_RUN) return parsed == CH_PARSED_HELP ? CH_EXIT_DONE : CH_EXIT_USAGE;
  if (!check_words(self, job)) return CH_EXIT_USAGE;
  if (job->arguments.csv && asprintf(&job->note, "%s.sweep", job->arguments.csv) < 0) return CH_EXIT_FAULT;
  ChExit status = sweep(job);
  ch_sweep_table_reset(&job->table);
  ch_sweep_grid_reset(&job->grid);
  free(job->note);
  return status;
}

static ChExit sweep_run(const ChCommand* self, int count, char** words) {
  Job job = {.self = self, .arguments = {SWEEP_OPTIONS(CH_ARG_DEFAULT)}};
  char** own = calloc((size_t)count + 1, sizeof *own);
  job.passed = calloc((size_t)count + 1, sizeof *job.passed);
  int own_count = 0;
  ChExit status = CH_EXIT_FAULT;
  if (own && job.passed)
    status = sort_words(self, count, words, own, &own_count, &job) ? sweep_sorted(self, own_count, own, &job)
                                                                   : CH_EXIT_USAGE;
  free(own);
  free(job.passed);
  return status;
}

const ChCommand ch_command_sweep = {
    .name = "sweep",
    .summary =
        "runs a scene with many values of its parameters, several runs at a time, and writes a table and a chart",
    .operand = "SCENE",
    .examples =
        "  cardhouse sweep arch --form semicircle --param mu=0.25:0.45:21 --until 0.5 --csv arch.csv --svg arch.svg\n"
        "  cardhouse sweep hopper --param orifice=0.1:0.3:5 --param mu=0.2,0.5 --measure packing,seconds\n"
        "  cardhouse sweep mine.json --param width=1:2:11 --measure certificate.natural.max --h 1e-3\n"
        "Options of `cardhouse run` and parameters of a built-in scene apply to every run.\n",
    .row_count = sizeof rows / sizeof *rows,
    .rows = rows,
    .run = sweep_run,
};
