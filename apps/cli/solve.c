// `cardhouse solve`: reads a contact problem, solves it, prints the certificate.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cardhouse/delassus.h"
#include "cardhouse/files.h"
#include "cardhouse/solve.h"
#include "cli/commands.h"
#include "cli/diagnostics.h"
#include "cli/option_choices.h"
#include "cli/output.h"
#include "cli/signals.h"
#include "cli/solve_job.h"
#include "cli/solve_many.h"
#include "cli/watch.h"
#include "common/printable.h"

#define SOLVE_OPTIONS(X)                                                                                   \
  X(TEXT, method, "auto", "NAME,...", 0, 0, "method (auto); `cardhouse methods` lists them")               \
  X(TEXT, inner, NULL, "NAME", 0, 0, "convex solver inside relaxed, successive and staggered")             \
  X(TEXT, cone, NULL, "CONE", 0, 0,                                                                        \
    "circular (first mu for both tangents), elliptic (as in the file), polygon:M, outer-polygon:M")        \
  X(TEXT, pose, "coulomb", "POSE", 0, 0, "coulomb (exact), relaxed (convex) or frictionless")              \
  X(REAL, compliance, 0.0, "C", 0.0, 1e12,                                                                 \
    "makes contacts compliant, with c = C trace(W_ii) / dimension (0: as in the file)")                    \
  X(REAL, tol, 1e-8, "T", 1e-16, 1.0, "tolerance on the certificate (1e-8)")                               \
  X(COUNT, max_iterations, 0, "N", 0, 2e9, "largest number of iterations (0: the method's own limit)")     \
  X(REAL, time_limit, 60.0, "S", 1e-6, 1e9, "time limit, seconds (60)")                                    \
  X(TEXT, warm, NULL, "FILE", 0, 0, "starts from the reactions in FILE's solution or first guess")         \
  X(TEXT, out, NULL, "FILE.hdf5", 0, 0, "writes problem and solution (v, u, r) as FCLIB")                  \
  X(TEXT, csv, NULL, "FILE.csv", 0, 0, "writes a table with one line for each file and method")            \
  X(TEXT, profile, NULL, "FILE.svg", 0, 0, "draws the methods' performance profiles over the files")       \
  X(TEXT, history, NULL, "FILE.csv", 0, 0, "writes the error of every iteration")                          \
  X(TEXT, diagnostics, NULL, "FILE.csv", 0, 0,                                                             \
    "writes the diagnostics of every iteration of staggered: nu, gamma, delta, case, bounds")              \
  X(COUNT, threads, 1, "N", 1, 1024, "number of threads (1); the answer does not depend on it")            \
  X(LIST, set, {0}, "NAME=VALUE", 0, 0, "an option of a method; `cardhouse methods --options` lists them") \
  X(FLAG, json, false, NULL, 0, 0, "one JSON object instead of text")                                      \
  X(FLAG, quiet, false, NULL, 0, 0, "no text and no progress line")                                        \
  X(FLAG, strict, false, NULL, 0, 0, "exit status 1 if the tolerance was not met")

typedef struct Arguments {
  SOLVE_OPTIONS(CH_ARG_MEMBER)
} Arguments;

static const ChArgRow rows[] = {SOLVE_OPTIONS(CH_ARG_ROW)};

static bool prepare_options(const ChCommand* self, const Arguments* a, ChSolveJob* job) {
  ChSolveOptions* o = &job->options;
  job->cone_wanted = a->cone;
  job->warm_file = a->warm;
  job->compliance = a->compliance;
  *o = ch_solve_options_default();
  o->inner = a->inner;
  o->tolerance = a->tol;
  o->max_iterations = a->max_iterations;
  o->time_limit = a->time_limit;
  o->threads = (int)a->threads;
  o->stop = ch_stop_asked_by;
  if (!ch_method_check(self, NULL, a->inner) || !ch_cone_check(self, a->cone) || !ch_pose_read(self, a->pose, &o->pose))
    return false;
  o->settings = job->settings;
  for (int k = 0; k < a->set.count; ++k)
    if (!ch_setting_read(self, (char*)a->set.item[k], &job->settings[o->setting_count++])) return false;
  return ch_place_check(self, "out", a->out) && ch_place_check(self, "csv", a->csv) &&
         ch_place_check(self, "profile", a->profile);
}

static void print_status(const ChSolveJob* job) {
  const ChSolveInfo* info = &job->info;
  bool colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
  const char* shade = !colour ? "" : job->status == CH_OK ? "\033[1;32m" : "\033[1;31m";
  printf("status    %s%s%s to %g in %.3g s (read %.3g, setup %.3g, solve %.3g)\n", shade,
         job->status == CH_OK ? "solved" : "NOT solved", colour ? "\033[0m" : "", job->options.tolerance,
         job->seconds_read + info->seconds_setup + info->seconds_solve, job->seconds_read, info->seconds_setup,
         info->seconds_solve);
  printf("work      %ld outer and %ld inner iterations, %ld factorisations, %d independent part%s\n", info->outer,
         info->inner, info->factorizations, info->components, info->components == 1 ? "" : "s");
  if (info->note[0]) printf("note      %s\n", info->note);
}

// What would be worth trying when the tolerance was missed.
static void print_hint(const ChSolveJob* job) {
  if (job->status == CH_OK) return;
  const char* why = job->status == CH_STOPPED    ? "it was interrupted"
                    : job->status == CH_MAX_TIME ? "the time ran out: try a larger --time-limit"
                    : job->status == CH_STATIONARY
                        ? "the method ended in a stationary point that is not a solution: try another method"
                    : job->status == CH_MAX_ITER
                        ? "the method stalled or used up its iterations: try a larger "
                          "--max-iterations"
                        : "the arithmetic broke down: `cardhouse analyze` shows the scale of units";
  bool portfolio = strcmp(job->options.method, "auto") == 0;
  printf("\nhint      %s%s\n          The answer above is the best one seen.\n", why,
         portfolio ? ", or a looser --tol" : ", or --method auto");
}

// What the relaxed law and approximate methods leave of Signorini's.
static void print_take_off(const ChSolveJob* job) {
  bool exact = job->options.pose == CH_POSE_COULOMB && job->status == CH_OK;
  if (exact || job->options.pose == CH_POSE_FRICTIONLESS) return;
  ChTakeOff t = ch_take_off(job->problem, job->r, job->u);
  printf("\n  take-off of the %d loaded contacts: mean %.2e, largest %.2e\n", t.contacts, t.mean, t.largest);
}

static void print_text(const ChSolveJob* job) {
  char text[256];
  ch_problem_describe(job->problem, text, sizeof text);
  printf("problem   %s: %s\n", CH_SHOWN(job->file), text);
  printf("method    %s", job->options.method);
  if (job->info.stage[0]) printf(" (%s)", job->info.stage);
  if (job->info.inner_name[0] && strcmp(job->info.inner_name, "-") != 0) printf(", inner %s", job->info.inner_name);
  printf(", pose %s, %s cones\n", ch_pose_words[job->options.pose], job->cone);
  print_status(job);
  ch_problem_describe_laws(job->problem, text, sizeof text);
  printf("\ncertificate of %s\n", text[0] ? text : "nothing");
#define X(name, text) printf("  %-12s %9.2e  %s\n", #name, ch_plain_nan(job->info.certificate.name), text);
  CH_CERTIFICATE_FIELDS(X)
#undef X
  if (job->smooth)
    printf("\n  over the smooth cone: natural %.2e, siconos %.2e, cone %.2e\n", job->circular.natural,
           job->circular.siconos, job->circular.cone);
  print_take_off(job);
  print_hint(job);
}

// --- one file, one method --------------------------------------------------------------------------------------------

static ChStatus solve_watched(const ChCommand* self, const Arguments* a, ChSolveJob* job, ChExit* watch_exit) {
  ChWatch watch;
  bool progress = !a->quiet && isatty(STDERR_FILENO);
  *watch_exit = CH_EXIT_USAGE;
  bool failed;
  FILE* diagnostics = ch_diagnostics_open(self, a->diagnostics, &failed);
  if (failed) return CH_ERR_FILE;
  if (!ch_watch_begin(self, &watch, a->history, progress, a->time_limit)) {
    ch_diagnostics_close(self, a->diagnostics, diagnostics);
    return CH_ERR_FILE;
  }
  job->options.history = ch_watch_iteration;
  job->options.history_every = a->history != NULL;
  job->options.history_user = &watch;
  const ChStaggeredWatch told = {.tell = ch_diagnostics_write, .user = diagnostics};
  ChStatus status = ch_solve_job_solve(job, diagnostics ? &told : NULL);
  *watch_exit = ch_watch_end(self, &watch);
  ChExit written = ch_diagnostics_close(self, a->diagnostics, diagnostics);
  if (*watch_exit == CH_EXIT_DONE) *watch_exit = written;
  return status;
}

static ChExit solve_one(const ChCommand* self, const Arguments* a, ChSolveJob* job) {
  ChStatus status = ch_solve_job_read(job);
  if (status != CH_OK) return ch_failure_exit(self, &job->context, status);
  ChExit watched;
  status = solve_watched(self, a, job, &watched);
  if (watched != CH_EXIT_DONE) return watched;
  if (status == CH_OK) status = ch_solve_job_grade(job);
  if (status != CH_OK) return ch_failure_exit(self, &job->context, status);
  if (a->json) {
    ChExit printed = ch_json_print(self, ch_solve_job_json(job));
    if (printed != CH_EXIT_DONE) return printed;
  } else if (!a->quiet) {
    print_text(job);
  }
  if (a->out) {
    status = ch_solution_write(&job->context, a->out, job->problem, ch_solve_job_velocity(job), job->u, job->r);
    if (status != CH_OK) return ch_failure_exit(self, &job->context, status);
  }
  if (job->status == CH_STOPPED) {
    ch_complain(self, "interrupted");
    return (ChExit)ch_stop_status();
  }
  return a->strict && job->status != CH_OK ? CH_EXIT_SHORT : CH_EXIT_DONE;
}

// --- several ---------------------------------------------------------------------------------------------------------

// What belongs to one solve would be written over by the next.
static bool check_single(const ChCommand* self, const Arguments* a) {
  const struct {
    const char *name, *value;
  } single[] = {{"out", a->out}, {"warm", a->warm}, {"history", a->history}, {"diagnostics", a->diagnostics}};
  for (size_t k = 0; k < sizeof single / sizeof *single; ++k) {
    if (!single[k].value) continue;
    ch_complain(self, "--%s %s: takes one file and one method, but more are given", single[k].name, single[k].value);
    return false;
  }
  return true;
}

static ChExit solve_several(const ChCommand* self, const Arguments* a, ChSolveJob* job, const ChSolveList* list) {
  if (!check_single(self, a)) return CH_EXIT_USAGE;
  const ChSolveOutput output = {
      .csv = a->csv, .profile = a->profile, .json = a->json, .quiet = a->quiet, .strict = a->strict};
  return ch_solve_many(self, job, list, &output);
}

static ChExit solve_run(const ChCommand* self, int count, char** words) {
  Arguments a = {SOLVE_OPTIONS(CH_ARG_DEFAULT)};
  ChSolveJob job = {0};
  ChSolveList list = {0};
  const char** operands = calloc((size_t)count + 1, sizeof *operands);
  int operand_count = 0;
  if (!operands) return CH_EXIT_FAULT;
  ChParsed parsed = ch_arguments_parse_words(self, count, words, &a, &operand_count, operands);
  ChExit status = parsed == CH_PARSED_HELP ? CH_EXIT_DONE : CH_EXIT_USAGE;
  if (parsed == CH_PARSED_RUN && prepare_options(self, &a, &job)) {
    status = ch_solve_list_make(self, operand_count, operands, a.method, &list);
    bool one = list.file_count == 1 && list.method_count == 1 && !list.folder && !a.csv && !a.profile;
    job.file = one ? list.file[0] : NULL;
    job.options.method = one ? list.method[0] : NULL;
    if (status == CH_EXIT_DONE) status = one ? solve_one(self, &a, &job) : solve_several(self, &a, &job, &list);
  }
  ch_solve_job_reset(&job);
  ch_solve_list_reset(&list);
  free(operands);
  return status;
}

const ChCommand ch_command_solve = {
    .name = "solve",
    .summary = "solves contact problems from files (FCLIB HDF5 or Siconos text) and certifies the answers",
    .operand = "PROBLEM ...",
    .examples =
        "  cardhouse solve problem.hdf5\n"
        "  cardhouse solve problem.dat --tol 1e-12 --json\n"
        "  cardhouse solve problem.hdf5 --method nsgs --history errors.csv --out solved.hdf5\n"
        "  cardhouse solve next.hdf5 --warm solved.hdf5 --strict\n"
        "  cardhouse solve problems/ --method auto,nsgs,ipm --csv table.csv --profile profile.svg\n",
    .row_count = sizeof rows / sizeof *rows,
    .rows = rows,
    .run = solve_run,
};
