// `cardhouse mcp`: a general mixed complementarity problem, built in or from a JSON file.
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cardhouse/mcp.h"
#include "cli/commands.h"
#include "cli/grasp_table.h"
#include "cli/output.h"
#include "common/printable.h"

#define MCP_OPTIONS(X)                                                                                       \
  X(TEXT, method, "boxmin", "NAME", 0, 0, "the method: boxmin, the bound-constrained form")                  \
  X(REAL, tol, 1e-6, "T", 1e-14, 1.0, "tolerance on the natural residual (1e-6)")                            \
  X(COUNT, max_iterations, 0, "N", 0, 2e9, "trust-region iterations of one run (0: the method's own limit)") \
  X(COUNT, restarts, 20, "N", 0, 10000, "further starts if a stationary point is not a solution (20)")       \
  X(REAL, time_limit, 600.0, "S", 1e-6, 1e9, "time limit, seconds (600)")                                    \
  X(COUNT, seeds, 200, "N", 1, 1000000, "for PROBLEM grasps: seeds 1 .. N (200)")                            \
  X(FLAG, solution, false, NULL, 0, 0, "also prints x and F(x)")                                             \
  X(FLAG, json, false, NULL, 0, 0, "one JSON object instead of text")                                        \
  X(FLAG, strict, false, NULL, 0, 0, "exit status 1 if the tolerance was not met")

typedef struct Arguments {
  MCP_OPTIONS(CH_ARG_MEMBER)
} Arguments;

static const ChArgRow rows[] = {MCP_OPTIONS(CH_ARG_ROW)};

typedef struct Job {
  Arguments arguments;
  const char* problem;
  ChContext context;
  ChMcp* mcp;
  ChMcpInfo info;
  ChStatus status;
  double *x, *F;
} Job;

static const char* status_word(ChStatus status) {
  return status == CH_OK         ? "solved"
         : status == CH_MAX_TIME ? "time_limit"
         : status == CH_MAX_ITER ? "iteration_limit"
                                 : "failed";
}

static json_t* vector_json(int n, const double* x) {
  json_t* array = json_array();
  for (int i = 0; i < n; ++i) json_array_append_new(array, ch_json_real(x[i]));
  return array;
}

static ChExit print_json(const ChCommand* self, const Job* job) {
  const ChMcpInfo* info = &job->info;
  json_t* object = json_object();
  json_object_set_new(
      object, "problem",
      json_pack("{s:s, s:i, s:i}", "name", job->problem, "variables", job->mcp->n, "dimension", info->dimension));
  json_object_set_new(object, "method", json_string("boxmin"));
  json_object_set_new(object, "status", json_string(status_word(job->status)));
  json_object_set_new(object, "tolerance", ch_json_real(job->arguments.tol));
  json_object_set_new(object, "natural", ch_json_real(info->natural));
  json_object_set_new(object, "objective", ch_json_real(info->box.value));
  json_object_set_new(object, "projected_gradient", ch_json_real(info->box.projected_gradient));
  json_object_set_new(
      object, "iterations",
      json_pack("{s:I, s:I, s:I, s:I}", "ItBox", (json_int_t)info->box.it_box, "FE", (json_int_t)info->box.fe, "ItQua",
                (json_int_t)info->box.it_qua, "MVP", (json_int_t)info->box.mvp));
  json_object_set_new(object, "runs", json_integer(info->runs));
  json_object_set_new(object, "seconds", ch_json_real(info->seconds));
  if (job->arguments.solution) {
    json_object_set_new(object, "x", vector_json(job->mcp->n, job->x));
    json_object_set_new(object, "F", vector_json(job->mcp->n, job->F));
  }
  return ch_json_print(self, object);
}

static void print_text(const Job* job) {
  const ChMcpInfo* info = &job->info;
  printf("problem   %s: %d variables, %d in the bound-constrained form\n", CH_SHOWN(job->problem), job->mcp->n,
         info->dimension);
  printf("status    %s to %g in %.3g s, from %d starting point%s\n", job->status == CH_OK ? "solved" : "NOT solved",
         job->arguments.tol, info->seconds, info->runs, info->runs == 1 ? "" : "s");
  printf("work      ItBox %ld, FE %ld, ItQua %ld, MVP %ld\n", info->box.it_box, info->box.fe, info->box.it_qua,
         info->box.mvp);
  printf("\ncertificate\n");
  printf("  natural    %9.2e  largest |x - mid(lower, upper, x - F(x))|; the tolerance refers to this\n",
         ch_plain_nan(info->natural));
  printf("  objective  %9.2e  of the bound-constrained form; zero at solutions\n", ch_plain_nan(info->box.value));
  printf("  gradient   %9.2e  its projected gradient\n", ch_plain_nan(info->box.projected_gradient));
  if (job->status != CH_OK)
    printf(
        "\nhint      The answer is the best one seen: a stationary point need not be a solution. Try more --restarts,\n"
        "          --max-iterations or --time-limit.\n");
  if (!job->arguments.solution) return;
  printf("\n%8s %24s %24s\n", "i", "x", "F(x)");
  for (int i = 0; i < job->mcp->n; ++i) printf("%8d %24.16g %24.16g\n", i, job->x[i], job->F[i]);
}

// A file when there is one of that name, a built-in problem otherwise.
static ChStatus load(Job* job) {
  size_t length = strlen(job->problem);
  bool file = access(job->problem, F_OK) == 0 || (length > 5 && strcmp(job->problem + length - 5, ".json") == 0);
  if (file) return ch_mcp_read(&job->context, job->problem, &job->mcp);
  return ch_mcp_model_create(&job->context, job->problem, &job->mcp);
}

static ChExit solve_loaded(const ChCommand* self, Job* job, const ChMcpOptions* options) {
  const size_t n = (size_t)job->mcp->n;
  job->x = calloc(2 * n + 1, sizeof *job->x);
  if (!job->x) return ch_failure_exit(self, &job->context, ch_fail(&job->context, CH_ERR_MEMORY, "out of memory"));
  job->F = job->x + n;
  job->status = ch_mcp_solve(&job->context, job->mcp, options, job->x, &job->info);
  if (job->status == CH_ERR_MEMORY) return ch_failure_exit(self, &job->context, job->status);
  ch_mcp_natural(job->mcp, job->x, job->F);
  ChExit code = CH_EXIT_DONE;
  if (job->arguments.json)
    code = print_json(self, job);
  else
    print_text(job);
  return code == CH_EXIT_DONE && job->arguments.strict && job->status != CH_OK ? CH_EXIT_SHORT : code;
}

static ChExit solve_one(const ChCommand* self, Job* job, const ChMcpOptions* options) {
  ChStatus status = load(job);
  if (status != CH_OK) return ch_failure_exit(self, &job->context, status);
  ChExit code = solve_loaded(self, job, options);
  free(job->x);
  ch_mcp_destroy(job->mcp);
  return code;
}

static void print_list(void) {
  for (int k = 0; k < ch_mcp_model_count(); ++k) {
    const ChMcpModel* model = ch_mcp_model_at(k);
    printf("%-16s %s\n", model->name, model->summary);
    for (int j = 0; j < CH_MCP_KEYS && model->keys[j].name; ++j)
      printf("  %s=%d .. %d (%d)  %s\n", model->keys[j].name, model->keys[j].lowest, model->keys[j].highest,
             model->keys[j].start, model->keys[j].text);
  }
  printf("%-16s %s\n", "grasps", "the table of all three grasp problems over --seeds seeds");
}

static ChExit mcp_run(const ChCommand* self, int count, char** words) {
  static const char* const methods[] = {"boxmin"};
  Job job = {.arguments = {MCP_OPTIONS(CH_ARG_DEFAULT)}};
  ChParsed parsed = ch_arguments_parse(self, count, words, &job.arguments, &job.problem);
  if (parsed != CH_PARSED_RUN) return parsed == CH_PARSED_HELP ? CH_EXIT_DONE : CH_EXIT_USAGE;
  const Arguments* a = &job.arguments;
  if (!ch_word_check(self, "method", a->method, 1, methods)) return CH_EXIT_USAGE;
  if (strcmp(job.problem, "list") == 0) {
    print_list();
    return CH_EXIT_DONE;
  }
  ChMcpOptions options = {.tolerance = a->tol,
                          .max_iterations = a->max_iterations,
                          .time_limit = a->time_limit,
                          .restarts = (int)a->restarts};
  return strcmp(job.problem, "grasps") == 0 ? ch_grasp_table(self, &options, (int)a->seeds, a->json)
                                            : solve_one(self, &job, &options);
}

const ChCommand ch_command_mcp = {
    .name = "mcp",
    .summary = "solves a general mixed complementarity problem, built in or from a JSON file",
    .operand = "PROBLEM",
    .examples =
        "  cardhouse mcp list\n  cardhouse mcp control:dimension=7000,family=2\n  cardhouse mcp problem.json "
        "--solution\n  cardhouse mcp grasps\n",
    .row_count = sizeof rows / sizeof *rows,
    .rows = rows,
    .run = mcp_run,
};
