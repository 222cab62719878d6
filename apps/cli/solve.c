// `cardhouse solve`: reads a contact problem, solves it, prints the certificate.
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cardhouse/clock.h"
#include "cardhouse/delassus.h"
#include "cardhouse/files.h"
#include "cardhouse/solve.h"
#include "cli/commands.h"
#include "cli/diagnostics.h"
#include "cli/option_choices.h"
#include "cli/output.h"
#include "cli/signals.h"
#include "cli/watch.h"
#include "common/printable.h"

#define SOLVE_OPTIONS(X)                                                                                   \
  X(TEXT, method, "auto", "NAME", 0, 0, "what solves it (auto); `cardhouse methods` lists them")           \
  X(TEXT, inner, NULL, "NAME", 0, 0, "convex solver inside relaxed, successive and staggered")             \
  X(TEXT, cone, NULL, "CONE", 0, 0,                                                                        \
    "circular (first mu for both tangents), elliptic (as in the file), polygon:M, outer-polygon:M")        \
  X(TEXT, pose, "coulomb", "POSE", 0, 0, "coulomb (exact), relaxed (convex) or frictionless")              \
  X(REAL, compliance, 0.0, "C", 0.0, 1e12,                                                                 \
    "makes contacts yield: c = C trace(W_ii) / dimension, the law `compliant` (0: as in the file)")        \
  X(REAL, tol, 1e-8, "T", 1e-16, 1.0, "tolerance on the certificate (1e-8)")                               \
  X(COUNT, max_iterations, 0, "N", 0, 2e9, "iterations at most (0: the method's own limit)")               \
  X(REAL, time_limit, 60.0, "S", 1e-6, 1e9, "seconds at most (60)")                                        \
  X(TEXT, warm, NULL, "FILE", 0, 0, "starts from the reactions in FILE's solution or first guess")         \
  X(TEXT, out, NULL, "FILE.hdf5", 0, 0, "writes problem and solution (v, u, r) as FCLIB")                  \
  X(TEXT, history, NULL, "FILE.csv", 0, 0, "writes the error of every iteration")                          \
  X(TEXT, diagnostics, NULL, "FILE.csv", 0, 0,                                                             \
    "writes what every iteration of staggered is worth: nu, gamma, delta, case, bounds")                   \
  X(COUNT, threads, 1, "N", 1, 1024, "threads (1); the answer does not depend on it")                      \
  X(LIST, set, {0}, "NAME=VALUE", 0, 0, "an option of a method; `cardhouse methods --options` lists them") \
  X(FLAG, json, false, NULL, 0, 0, "one JSON object instead of text")                                      \
  X(FLAG, quiet, false, NULL, 0, 0, "no text and no progress line")                                        \
  X(FLAG, strict, false, NULL, 0, 0, "exit status 1 when the tolerance was not met")

typedef struct Arguments {
  SOLVE_OPTIONS(CH_ARG_MEMBER)
} Arguments;

static const ChArgRow rows[] = {SOLVE_OPTIONS(CH_ARG_ROW)};

// Everything that one solve needs and yields.
typedef struct Job {
  Arguments arguments;
  const char* file;
  const char* cone;
  ChContext context;
  ChProblem* problem;
  ChSolveOptions options;
  ChSetting settings[CH_LIST_MAX];
  double *r, *u, *v, *warm;
  double seconds_read;
  ChStatus status;
  ChSolveInfo info;
  ChBlock* smooth;  // the blocks as they were, where polygons replace them
  ChCertificate circular;
} Job;

static bool prepare_options(const ChCommand* self, Job* job) {
  Arguments* a = &job->arguments;
  ChSolveOptions* o = &job->options;
  *o = ch_solve_options_default();
  o->method = a->method;
  o->inner = a->inner;
  o->tolerance = a->tol;
  o->max_iterations = a->max_iterations;
  o->time_limit = a->time_limit;
  o->threads = (int)a->threads;
  if (!ch_method_check(self, a->method, a->inner) || !ch_cone_check(self, a->cone) ||
      !ch_pose_read(self, a->pose, &o->pose))
    return false;
  o->settings = job->settings;
  for (int k = 0; k < a->set.count; ++k)
    if (!ch_setting_read(self, (char*)a->set.item[k], &job->settings[o->setting_count++])) return false;
  return ch_place_check(self, "out", a->out);
}

// The word for the cones that are solved over; `circular` also makes them so.
static const char* settle_cone(ChProblem* problem, const char* wanted) {
  const ChProblemView p = ch_problem_view(problem);
  bool elliptic = false;
  for (int i = 0; i < p.block_count; ++i) {
    ChBlock block = p.blocks[i];
    if (!ch_law_info(block.law)->friction || block.dimension != 3 || block.mu[0] == block.mu[1]) continue;
    elliptic = true;
    block.mu[1] = block.mu[0];
    if (wanted && strcmp(wanted, "circular") == 0) ch_problem_set_block(NULL, problem, i, &block);
  }
  return wanted ? wanted : elliptic ? "elliptic" : "circular";
}

// Solves over polygons where they are asked for; the smooth cones are kept for a second certificate and for --out.
static ChStatus settle_polygon(Job* job) {
  bool outer;
  int sides;
  const ChProblemView p = ch_problem_view(job->problem);
  if (!job->arguments.cone || !ch_cone_polygon(job->arguments.cone, &outer, &sides)) return CH_OK;
  size_t bytes = (size_t)p.block_count * sizeof *job->smooth;
  job->smooth = malloc(bytes > 0 ? bytes : 1);
  if (!job->smooth) return ch_fail(&job->context, CH_ERR_MEMORY, "out of memory for %d blocks", p.block_count);
  if (bytes > 0) memcpy(job->smooth, p.blocks, bytes);
  return ch_problem_set_polygon(&job->context, job->problem, sides, outer);
}

// The local form has none.
static double* velocity_of(const Job* job) {
  return ch_problem_view(job->problem).form == CH_FORM_GLOBAL ? job->v : NULL;
}

// Back to the smooth cones, and what the answer is worth over them.
static ChStatus grade_smooth(Job* job) {
  if (!job->smooth) return CH_OK;
  ChProblem* problem = job->problem;
  const ChProblemView p = ch_problem_view(problem);
  ChStatus status = CH_OK;
  for (int i = 0; i < p.block_count && status == CH_OK; ++i)
    status = ch_problem_set_block(&job->context, problem, i, &job->smooth[i]);
  if (status != CH_OK) return status;
  return ch_certify(&job->context, problem, job->options.pose, job->r, velocity_of(job), &job->circular);
}

static double* take_vector(int n) { return calloc(n > 0 ? (size_t)n : 1, sizeof(double)); }

static ChStatus read_problem(Job* job) {
  double start = ch_clock_seconds();
  ChStatus status = ch_problem_read(&job->context, job->file, &job->problem);
  if (status != CH_OK) return status;
  ChProblem* problem = job->problem;
  const ChProblemView p = ch_problem_view(problem);
  job->cone = settle_cone(problem, job->arguments.cone);
  if (job->arguments.compliance > 0.0)
    status = ch_problem_set_compliance(&job->context, problem, job->arguments.compliance);
  if (status == CH_OK) status = settle_polygon(job);
  if (status != CH_OK) return status;
  job->r = take_vector(p.rows);
  job->u = take_vector(p.rows);
  job->v = take_vector(p.dof);
  job->warm = take_vector(p.rows);
  if (!job->r || !job->u || !job->v || !job->warm)
    return ch_fail(&job->context, CH_ERR_MEMORY, "out of memory for a problem of %d rows", p.rows);
  if (job->arguments.warm) {
    status = ch_reaction_read(&job->context, job->arguments.warm, problem, job->warm);
    job->options.warm = job->warm;
  }
  job->seconds_read = ch_clock_seconds() - start;
  return status;
}

static const char* status_word(ChStatus status) {
  switch (status) {
    case CH_OK:
      return "solved";
    case CH_MAX_ITER:
      return "iteration_limit";
    case CH_MAX_TIME:
      return "time_limit";
    case CH_STOPPED:
      return "interrupted";
    case CH_STATIONARY:
      return "stationary";
    default:
      return "failed";
  }
}

static ChExit print_json(const ChCommand* self, const Job* job) {
  const ChSolveInfo* info = &job->info;
  json_t* object = json_object();
  json_object_set_new(object, "problem", ch_json_problem(job->file, job->problem));
  json_object_set_new(object, "method", json_string(job->options.method));
  json_object_set_new(object, "inner", json_string(info->inner_name[0] ? info->inner_name : "-"));
  json_object_set_new(object, "cone", json_string(job->cone));
  json_object_set_new(object, "pose", json_string(ch_pose_words[job->options.pose]));
  json_object_set_new(object, "tolerance", ch_json_real(job->options.tolerance));
  json_object_set_new(object, "status", json_string(status_word(job->status)));
  json_object_set_new(object, "iterations",
                      json_pack("{s:I, s:I}", "outer", (json_int_t)info->outer, "inner", (json_int_t)info->inner));
  json_object_set_new(object, "seconds",
                      json_pack("{s:o, s:o, s:o}", "read", ch_json_real(job->seconds_read), "setup",
                                ch_json_real(info->seconds_setup), "solve", ch_json_real(info->seconds_solve)));
  json_object_set_new(object, "certificate", ch_json_certificate(&info->certificate, job->problem));
  if (job->smooth) json_object_set_new(object, "circular", ch_json_certificate(&job->circular, NULL));
  ChTakeOff take_off = ch_take_off(job->problem, job->r, job->u);
  json_object_set_new(object, "take_off",
                      json_pack("{s:o, s:o, s:i}", "mean", ch_json_real(take_off.mean), "max",
                                ch_json_real(take_off.largest), "contacts", take_off.contacts));
  json_object_set_new(object, "components", json_integer(info->components));
  json_object_set_new(object, "stages", json_string(info->stage));
  if (info->note[0]) json_object_set_new(object, "note", json_string(info->note));
  json_object_set_new(object, "factorizations", json_integer(info->factorizations));
  json_object_set_new(object, "work", ch_json_real(info->work));
  json_object_set_new(object, "threads", json_integer(job->options.threads));
  return ch_json_print(self, object);
}

static void print_status(const Job* job) {
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
static void print_hint(const Job* job) {
  if (job->status == CH_OK) return;
  const char* why =
      job->status == CH_STOPPED      ? "it was interrupted"
      : job->status == CH_MAX_TIME   ? "the time ran out: try a larger --time-limit"
      : job->status == CH_STATIONARY ? "the method ended in a stationary point that is no solution: try another method"
      : job->status == CH_MAX_ITER   ? "the method stalled or used up its iterations: try a larger "
                                       "--max-iterations"
                                     : "the arithmetic broke down: `cardhouse analyze` shows the scale of units";
  bool portfolio = strcmp(job->options.method, "auto") == 0;
  printf("\nhint      %s%s\n          The answer above is the best one seen.\n", why,
         portfolio ? ", or a looser --tol" : ", or --method auto");
}

// What the relaxed law and approximate methods leave of Signorini's.
static void print_take_off(const Job* job) {
  bool exact = job->options.pose == CH_POSE_COULOMB && job->status == CH_OK;
  if (exact || job->options.pose == CH_POSE_FRICTIONLESS) return;
  ChTakeOff t = ch_take_off(job->problem, job->r, job->u);
  printf("\n  take-off of the %d loaded contacts: mean %.2e, largest %.2e\n", t.contacts, t.mean, t.largest);
}

static void print_text(const Job* job) {
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

static ChStatus solve_watched(const ChCommand* self, Job* job, ChExit* watch_exit) {
  ChWatch watch;
  const Arguments* a = &job->arguments;
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
  job->options.stop = ch_stop_asked_by;
  const ChStaggeredWatch told = {.tell = ch_diagnostics_write, .user = diagnostics};
  ChStatus status = ch_solve_staggered(&job->context, job->problem, &job->options, diagnostics ? &told : NULL,
                                       velocity_of(job), job->u, job->r, &job->info);
  *watch_exit = ch_watch_end(self, &watch);
  ChExit written = ch_diagnostics_close(self, a->diagnostics, diagnostics);
  if (*watch_exit == CH_EXIT_DONE) *watch_exit = written;
  return status;
}

static ChExit solve_and_report(const ChCommand* self, Job* job) {
  const Arguments* a = &job->arguments;
  ChStatus status = read_problem(job);
  if (status != CH_OK) return ch_failure_exit(self, &job->context, status);
  ChExit watched;
  job->status = solve_watched(self, job, &watched);
  if (watched != CH_EXIT_DONE) return watched;
  bool ran = job->status == CH_OK || job->status == CH_MAX_ITER || job->status == CH_MAX_TIME ||
             job->status == CH_STATIONARY || job->status == CH_STOPPED || job->status == CH_ERR_NUMERIC;
  if (!ran) return ch_failure_exit(self, &job->context, job->status);
  status = grade_smooth(job);
  if (status != CH_OK) return ch_failure_exit(self, &job->context, status);
  if (a->json) {
    ChExit printed = print_json(self, job);
    if (printed != CH_EXIT_DONE) return printed;
  } else if (!a->quiet) {
    print_text(job);
  }
  if (a->out) {
    status = ch_solution_write(&job->context, a->out, job->problem, velocity_of(job), job->u, job->r);
    if (status != CH_OK) return ch_failure_exit(self, &job->context, status);
  }
  if (job->status == CH_STOPPED) {
    ch_complain(self, "interrupted");
    return (ChExit)ch_stop_status();
  }
  return a->strict && job->status != CH_OK ? CH_EXIT_SHORT : CH_EXIT_DONE;
}

static ChExit solve_run(const ChCommand* self, int count, char** words) {
  Job job = {.arguments = {SOLVE_OPTIONS(CH_ARG_DEFAULT)}};
  ChParsed parsed = ch_arguments_parse(self, count, words, &job.arguments, &job.file);
  if (parsed != CH_PARSED_RUN) return parsed == CH_PARSED_HELP ? CH_EXIT_DONE : CH_EXIT_USAGE;
  ChExit status = prepare_options(self, &job) ? solve_and_report(self, &job) : CH_EXIT_USAGE;
  ch_problem_destroy(job.problem);
  free(job.r);
  free(job.u);
  free(job.v);
  free(job.warm);
  free(job.smooth);
  return status;
}

const ChCommand ch_command_solve = {
    .name = "solve",
    .summary = "solves a contact problem from a file (FCLIB HDF5 or Siconos text) and certifies the answer",
    .operand = "PROBLEM",
    .examples =
        "  cardhouse solve problem.hdf5\n"
        "  cardhouse solve problem.dat --tol 1e-12 --json\n"
        "  cardhouse solve problem.hdf5 --method nsgs --history errors.csv --out solved.hdf5\n"
        "  cardhouse solve next.hdf5 --warm solved.hdf5 --strict\n",
    .row_count = sizeof rows / sizeof *rows,
    .rows = rows,
    .run = solve_run,
};
