// Every method on every file: see solve_many.h.
#include "cli/solve_many.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cardhouse/disk.h"
#include "cli/option_choices.h"
#include "cli/output.h"
#include "cli/signals.h"
#include "cli/solve_profile.h"
#include "common/csv_word.h"
#include "common/printable.h"

enum { SHOWN_NAME = 40 };

// --- the list --------------------------------------------------------------------------------------------------------

static bool keep_word(char*** words, int* count, const char* text, size_t length) {
  char** more = realloc(*words, ((size_t)*count + 1) * sizeof *more);
  if (more) *words = more;
  char* copy = more ? strndup(text, length) : NULL;
  if (copy) (*words)[(*count)++] = copy;
  return copy != NULL;
}

static bool ends_in(const char* name, const char* ending) {
  size_t length = strlen(name), size = strlen(ending);
  return length > size && strcmp(name + length - size, ending) == 0;
}

static int is_problem(const struct dirent* entry) {
  return entry->d_name[0] != '.' && (ends_in(entry->d_name, ".hdf5") || ends_in(entry->d_name, ".dat"));
}

static int by_name(const struct dirent** a, const struct dirent** b) { return strcmp((*a)->d_name, (*b)->d_name); }

static ChExit add_folder(const ChCommand* command, const char* path, ChSolveList* out) {
  struct dirent** entries;
  int count = scandir(path, &entries, is_problem, by_name);
  if (count <= 0) {
    if (count == 0) free(entries);
    ch_complain(command, count < 0 ? "%s: the folder cannot be read: %s" : "%s: the folder holds no .hdf5 or .dat file",
                path, strerror(errno));
    return CH_EXIT_USAGE;
  }
  out->folder = true;
  bool kept = true;
  for (int k = 0; k < count; ++k) {
    char* file = NULL;
    int length = kept ? asprintf(&file, "%s%s%s", path, ends_in(path, "/") ? "" : "/", entries[k]->d_name) : -1;
    kept = length >= 0 && keep_word(&out->file, &out->file_count, file, (size_t)length);
    free(length >= 0 ? file : NULL);
    free(entries[k]);
  }
  free(entries);
  return kept ? CH_EXIT_DONE : CH_EXIT_FAULT;
}

static ChExit add_methods(const ChCommand* command, const char* words, ChSolveList* out) {
  while (*words) {
    size_t length = strcspn(words, ",");
    if (!keep_word(&out->method, &out->method_count, words, length)) return CH_EXIT_FAULT;
    if (!ch_method_check(command, out->method[out->method_count - 1], NULL)) return CH_EXIT_USAGE;
    words += length + (words[length] == ',');
  }
  return CH_EXIT_DONE;
}

ChExit ch_solve_list_make(const ChCommand* command, int count, const char* const* operands, const char* methods,
                          ChSolveList* out) {
  *out = (ChSolveList){0};
  ChExit exit = add_methods(command, methods, out);
  for (int k = 0; k < count && exit == CH_EXIT_DONE; ++k) {
    struct stat found;
    if (stat(operands[k], &found) == 0 && S_ISDIR(found.st_mode))
      exit = add_folder(command, operands[k], out);
    else if (!keep_word(&out->file, &out->file_count, operands[k], strlen(operands[k])))
      exit = CH_EXIT_FAULT;
  }
  if (exit == CH_EXIT_FAULT) ch_complain(command, "out of memory for a list of %d files", count);
  return exit;
}

void ch_solve_list_reset(ChSolveList* list) {
  for (int k = 0; k < list->file_count; ++k) free(list->file[k]);
  for (int k = 0; k < list->method_count; ++k) free(list->method[k]);
  free(list->file);
  free(list->method);
  *list = (ChSolveList){0};
}

// --- what is said of each solve --------------------------------------------------------------------------------------

// Sums of one method.
typedef struct Tally {
  int solved, least_work, least_time;
  double work, seconds;  // of what it solved
} Tally;

typedef struct Many {
  const ChCommand* command;
  ChSolveJob* job;
  const ChSolveList* list;
  const ChSolveOutput* output;
  FILE* csv;
  json_t *solves, *errors;
  double *work, *seconds;
  int name_width;
  ChExit worst;
} Many;

// Faults of the machine before bad input, bad input before what fell short.
static void note_exit(Many* many, ChExit exit) {
  if (exit > many->worst) many->worst = exit;
}

static void put_csv_head(FILE* file) {
  fputs("file,form,dimension,contacts,rows,dof,components,method,status,natural,siconos,outer,inner,work,", file);
  fputs("seconds_setup,seconds_solve\n", file);
}

static void put_csv_number(FILE* file, double value, const char* after) {
  if (isfinite(value)) fprintf(file, "%.10g", value);
  fputs(after, file);
}

static void put_csv_row(FILE* file, const ChSolveJob* job) {
  const ChProblemView p = ch_problem_view(job->problem);
  const ChSolveInfo* info = &job->info;
  bool global = p.form == CH_FORM_GLOBAL, answer = strcmp(ch_solve_status_word(job->status), "refused") != 0;
  ch_csv_word_put(file, job->file);
  fprintf(file, ",%s,%d,%d,%d,%d,%d,%s,%s,", global ? "global" : "local", p.dimension,
          ch_problem_count(job->problem, CH_LAW_CONTACT), p.rows, global ? p.dof : p.rows, info->components,
          job->options.method, ch_solve_status_word(job->status));
  put_csv_number(file, answer ? info->certificate.natural : NAN, ",");
  put_csv_number(file, answer ? info->certificate.siconos : NAN, ",");
  fprintf(file, "%ld,%ld,", info->outer, info->inner);
  put_csv_number(file, answer ? info->work : NAN, ",");
  put_csv_number(file, answer ? info->seconds_setup : NAN, ",");
  put_csv_number(file, answer ? info->seconds_solve : NAN, "\n");
  fflush(file);
}

// A long name loses its beginning.
static void put_name(const Many* many, const char* file) {
  const char* shown = CH_SHOWN(file);
  size_t length = strlen(shown);
  if (length <= SHOWN_NAME)
    printf("%-*s", many->name_width, shown);
  else
    printf("...%s", shown + length - (SHOWN_NAME - 3));
}

static void put_text_head(const Many* many) {
  printf("%-*s  contacts    rows  %-11s %-15s  natural     work  seconds\n", many->name_width, "file", "method",
         "status");
}

static void put_text_row(const Many* many, const ChSolveJob* job) {
  const ChSolveInfo* info = &job->info;
  const char* word = ch_solve_status_word(job->status);
  put_name(many, job->file);
  printf("  %8d %7d  %-11s %-15s", ch_problem_count(job->problem, CH_LAW_CONTACT), ch_problem_view(job->problem).rows,
         job->options.method, word);
  if (strcmp(word, "refused") != 0)
    printf(" %8.1e %8.1e %8.3g", ch_plain_nan(info->certificate.natural), info->work,
           info->seconds_setup + info->seconds_solve);
  putchar('\n');
  fflush(stdout);
}

static void put_row(Many* many) {
  if (many->csv) put_csv_row(many->csv, many->job);
  if (many->output->json)
    json_array_append_new(many->solves, ch_solve_job_json(many->job));
  else if (!many->output->quiet)
    put_text_row(many, many->job);
}

// --- what is said of all ---------------------------------------------------------------------------------------------

static Tally tally_of(const Many* many, int method) {
  const int methods = many->list->method_count;
  Tally tally = {0};
  for (int f = 0; f < many->list->file_count; ++f) {
    const double *work = many->work + (size_t)f * methods, *seconds = many->seconds + (size_t)f * methods;
    if (!isfinite(work[method])) continue;
    bool least_work = true, least_time = true;
    for (int m = 0; m < methods; ++m) {
      if (work[m] < work[method]) least_work = false;
      if (seconds[m] < seconds[method]) least_time = false;
    }
    ++tally.solved;
    tally.work += work[method];
    tally.seconds += seconds[method];
    tally.least_work += least_work;
    tally.least_time += least_time;
  }
  return tally;
}

static void put_text_sums(const Many* many) {
  printf("\nmethod       solved   least work  least time   work of these  seconds\n");
  for (int m = 0; m < many->list->method_count; ++m) {
    Tally t = tally_of(many, m);
    printf("%-11s %3d of %-3d   %8d    %8d        %8.1e %8.3g\n", many->list->method[m], t.solved,
           many->list->file_count, t.least_work, t.least_time, t.work, t.seconds);
  }
}

static json_t* all_json(Many* many) {
  json_t* methods = json_array();
  for (int m = 0; m < many->list->method_count; ++m) {
    Tally t = tally_of(many, m);
    json_array_append_new(methods, json_pack("{s:s, s:i, s:i, s:i, s:o, s:o}", "method", many->list->method[m],
                                             "solved", t.solved, "least_work", t.least_work, "least_time", t.least_time,
                                             "work", ch_json_real(t.work), "seconds", ch_json_real(t.seconds)));
  }
  return json_pack("{s:i, s:o, s:o, s:o}", "files", many->list->file_count, "solves", json_incref(many->solves),
                   "methods", methods, "errors", json_incref(many->errors));
}

// --- solving ---------------------------------------------------------------------------------------------------------

static void note_failure(Many* many, ChStatus status, const char* method) {
  ChSolveJob* job = many->job;
  const char* message = job->context.message[0] ? job->context.message : ch_status_text(status);
  json_array_append_new(many->errors, json_pack("{s:o, s:s?, s:o}", "file", ch_json_path(job->file), "method", method,
                                                "message", ch_json_path(message)));
  ChContext named = {0};  // a refusal speaks of the method, and here are several files
  ch_fail(&named, status, "%s%s%s", method ? job->file : "", method ? ": " : "", message);
  note_exit(many, ch_failure_exit(many->command, &named, status));
}

static void solve_file(Many* many, int file) {
  ChSolveJob* job = many->job;
  const int methods = many->list->method_count;
  job->file = many->list->file[file];
  job->context = (ChContext){0};
  ChStatus status = ch_solve_job_read(job);
  if (status != CH_OK) note_failure(many, status, NULL);
  for (int m = 0; status == CH_OK && m < methods && !ch_stop_asked(); ++m) {
    job->options.method = many->list->method[m];
    job->context = (ChContext){0};
    ChStatus solved = ch_solve_job_solve(job, NULL);
    if (solved == CH_OK) solved = ch_solve_job_grade(job);
    if (solved != CH_OK) note_failure(many, solved, job->options.method);
    bool good = solved == CH_OK && job->status == CH_OK;
    if (!good && many->output->strict) note_exit(many, CH_EXIT_SHORT);
    if (job->status == CH_STOPPED) break;
    const size_t at = (size_t)file * methods + m;
    many->work[at] = good ? job->info.work : INFINITY;
    many->seconds[at] = good ? job->info.seconds_setup + job->info.seconds_solve : INFINITY;
    put_row(many);
  }
  ch_solve_job_reset(job);
}

static bool open_csv(Many* many) {
  const char* path = many->output->csv;
  if (!path) return true;
  many->csv = fopen(path, "w");
  if (many->csv)
    put_csv_head(many->csv);
  else
    ch_complain(many->command, "--csv %s: could not be opened for writing: %s", path, strerror(errno));
  return many->csv != NULL;
}

static bool prepare(Many* many) {
  const ChSolveList* list = many->list;
  const size_t count = (size_t)list->file_count * (size_t)list->method_count;
  many->solves = json_array();
  many->errors = json_array();
  many->work = malloc((count + 1) * sizeof(double));
  many->seconds = malloc((count + 1) * sizeof(double));
  if (!many->work || !many->seconds || !many->solves || !many->errors) {
    ch_complain(many->command, "out of memory for a table of %zu rows", count);
    note_exit(many, CH_EXIT_FAULT);
    return false;
  }
  for (size_t k = 0; k < count; ++k) many->work[k] = many->seconds[k] = NAN;
  for (int f = 0; f < list->file_count; ++f) {
    int length = (int)strlen(CH_SHOWN(list->file[f]));
    if (length > many->name_width) many->name_width = length < SHOWN_NAME ? length : SHOWN_NAME;
  }
  return true;
}

static void finish(Many* many) {
  const ChSolveOutput* output = many->output;
  const ChSolveList* list = many->list;
  if (output->json)
    note_exit(many, ch_json_print(many->command, all_json(many)));
  else if (!output->quiet && !ch_stop_asked())
    put_text_sums(many);
  if (!output->profile || ch_stop_asked()) return;
  const ChSolveProfile profile = {.file_count = list->file_count,
                                  .method_count = list->method_count,
                                  .method = list->method,
                                  .work = many->work,
                                  .seconds = many->seconds,
                                  .tolerance = many->job->options.tolerance};
  ChContext context = {0};
  ChStatus status = ch_whole_file_print(&context, output->profile, ch_solve_profile_put, &profile);
  if (status != CH_OK) note_exit(many, ch_failure_exit(many->command, &context, status));
}

ChExit ch_solve_many(const ChCommand* command, ChSolveJob* job, const ChSolveList* list, const ChSolveOutput* output) {
  Many many = {.command = command, .job = job, .list = list, .output = output, .name_width = 4};
  if (!open_csv(&many)) return CH_EXIT_USAGE;
  if (prepare(&many)) {
    ch_signals_heed(NULL, NULL);
    if (!output->json && !output->quiet) put_text_head(&many);
    for (int f = 0; f < list->file_count && !ch_stop_asked(); ++f) solve_file(&many, f);
    finish(&many);
  }
  if (many.csv) note_exit(&many, ch_file_close(command, "--csv", output->csv, many.csv));
  json_decref(many.solves);
  json_decref(many.errors);
  free(many.work);
  free(many.seconds);
  if (!ch_stop_asked()) return many.worst;
  ch_complain(command, "interrupted");
  return (ChExit)ch_stop_status();
}
