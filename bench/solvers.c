// Cardhouse against Siconos: seconds to a tolerance, one core, everybody graded by our certificate.
//
// For every problem, solver and tolerance one child process solves, and the parent grades the reactions that it left.
// A peer is asked for the tolerance in its own error; where its answer misses our certificate it is asked again for a
// tenth, a hundredth, a thousandth, and only the call that succeeded counts. Its reactions are put inside their cones
// first, so that no peer fails on a rounding error there. Ours are graded as they come.
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cardhouse/cardhouse.h"
#include "cardhouse/delassus.h"
#include "machine.h"
#include "measure.h"
#include "problem/cones.h"
#include "results.h"
#include "siconos_peer.h"

enum { ASKS_MOST = 4, FILES_MOST = 4096 };

typedef struct Options {
  int file_count;
  char* files[FILES_MOST];
  const char* csv;
  const char* svg;
  const char* methods;
  const char* peers;
  const char* tolerances;
  double cap;
  int repeat, core, min_contacts;
} Options;

// Everything that a solve of one problem needs.
typedef struct Work {
  const ChProblem* problem;
  const ChPeerProblem* peers;  // NULL when Siconos cannot state the problem
  const char* method;
  int peer;
  double tolerance;
  double *u, *v;
} Work;

// --- one cell ------------------------------------------------------------------------------------------------------

static ChCall call_ours(void* user, double* r) {
  Work* work = user;
  ChContext context = {0};
  ChSolveInfo info = {0};
  ChSolveOptions options = ch_solve_options_default();
  options.method = work->method;
  options.tolerance = work->tolerance;
  options.time_limit = INFINITY;  // ours end as peers do: by the processor time that the child may take
  double start = ch_measure_clock();
  ChStatus status = ch_solve(&context, work->problem, &options, work->v, work->u, r, &info);
  return (ChCall){.seconds = ch_measure_clock() - start, .info = (int)status};
}

static ChCall call_peer(void* user, double* r) {
  Work* work = user;
  return ch_peer_solve(work->peers, work->peer, work->tolerance, r);
}

static void project(const ChProblem* problem, double* r) {
  const ChProblemView p = ch_problem_view(problem);
  for (int i = 0; i < p.block_count; ++i) {
    const ChBlock* block = &p.blocks[i];
    ch_block_project(block, CH_POSE_COULOMB, r + block->row, r + block->row);
  }
}

static ChOutcome grade(const ChProblem* problem, const double* r, double tolerance, ChCertificate* certificate) {
  ChContext context = {0};
  if (ch_certify(&context, problem, CH_POSE_COULOMB, r, NULL, certificate) != CH_OK) return CH_OUTCOME_MISSED;
  return ch_certificate_met(certificate, tolerance) ? CH_OUTCOME_SOLVED : CH_OUTCOME_MISSED;
}

static ChCell cell_run(Work* work, bool ours, double tolerance, double cap, int repeat, double* r) {
  ChMeasurement m = ch_measure(ours ? call_ours : call_peer, work, ch_problem_view(work->problem).rows, cap, repeat, r);
  ChCell cell = {.seconds = m.seconds, .asked = work->tolerance, .info = m.info, .calls = m.calls};
  if (m.ending != CH_ENDING_OK) {
    cell.outcome = m.ending == CH_ENDING_CAP ? CH_OUTCOME_CAP : CH_OUTCOME_CRASH;
    cell.seconds = cap;
    return cell;
  }
  if (ours && m.info == (int)CH_ERR_UNSUPPORTED) return cell;  // not run
  if (!ours) project(work->problem, r);
  cell.outcome = grade(work->problem, r, tolerance, &cell.certificate);
  return cell;
}

// Asks a peer for ever tighter tolerances while it believes in answers that our certificate refuses.
static ChCell cell_measure(Work* work, bool ours, double tolerance, double cap, int repeat, double* r) {
  ChCell cell = {0};
  work->tolerance = tolerance;
  for (int ask = 0; ask < (ours ? 1 : ASKS_MOST); ++ask, work->tolerance *= 0.1) {
    cell = cell_run(work, ours, tolerance, cap, repeat, r);
    if (cell.outcome != CH_OUTCOME_MISSED || cell.info != 0) break;
  }
  return cell;
}

// --- one problem ---------------------------------------------------------------------------------------------------

static bool solver_takes(const ChResults* results, int s, const Work* work) {
  if (results->solvers[s].ours) return true;
  return work->peers && ch_peer_takes(ch_peer_find(results->solvers[s].name), work->peers);
}

static void problem_row(ChResults* results, int p, Work* work, const Options* options, double* r) {
  for (int s = 0; s < results->solver_count; ++s) {
    const ChBenchSolver* solver = &results->solvers[s];
    if (!solver_takes(results, s, work)) continue;
    work->method = solver->name;
    work->peer = solver->ours ? -1 : ch_peer_find(solver->name);
    for (int t = 0; t < results->tolerance_count; ++t) {
      ChCell* cell = ch_results_cell(results, p, s, t);
      const ChCell* looser = t > 0 ? ch_results_cell(results, p, s, t - 1) : NULL;
      if (looser && looser->outcome == CH_OUTCOME_CAP)
        *cell = *looser;  // what took too long at a looser tolerance is not asked again
      else
        *cell = cell_measure(work, solver->ours, results->tolerances[t], options->cap, options->repeat, r);
      fprintf(stderr, " %s:%c", solver->name, "-+.TX"[cell->outcome]);
    }
  }
  fprintf(stderr, "\n");
}

static void problem_describe(ChBenchProblem* out, const char* path, const ChProblem* problem) {
  const char* slash = strrchr(path, '/');
  snprintf(out->name, sizeof out->name, "%s", slash ? slash + 1 : path);
  const ChProblemView view = ch_problem_view(problem);
  out->form = view.form;
  out->dimension = view.dimension;
  out->contacts = view.block_count;
  out->rows = view.rows;
  out->dof = view.dof;
}

// The shortest of three times: the first finds cold memory.
static ChStatus condense_timed(ChContext* context, const ChProblem* problem, ChProblem** out, double* seconds) {
  *seconds = HUGE_VAL;
  for (int i = 0; i < 3; ++i) {
    ch_problem_destroy(*out);
    double start = ch_measure_clock();
    ChStatus status = ch_problem_condense(context, problem, out);
    if (status != CH_OK) return status;
    *seconds = fmin(*seconds, ch_measure_clock() - start);
  }
  return CH_OK;
}

// False when the file could not be read, with the reason on standard error.
static bool problem_run(ChResults* results, int p, const char* path, const Options* options) {
  ChContext context = {0};
  ChProblem* problem = NULL;
  ChProblem* condensed = NULL;
  double condensing = 0.0;
  if (ch_problem_read(&context, path, &problem) != CH_OK ||
      condense_timed(&context, problem, &condensed, &condensing) != CH_OK) {
    fprintf(stderr, "%s: %s\n", path, context.message);
    ch_problem_destroy(problem);
    return false;
  }
  problem_describe(&results->problems[p], path, problem);
  const ChProblemView view = ch_problem_view(problem), local = ch_problem_view(condensed);
  results->problems[p].condensing = view.form == CH_FORM_GLOBAL ? condensing : 0.0;
  fprintf(stderr, "%s (%d contacts)", results->problems[p].name, view.block_count);
  ChPeerProblem* peers = ch_peer_problem_create(&context, problem, local.W, local.w);
  if (!peers) fprintf(stderr, " [no peers: %s]", context.message);
  size_t rows = (size_t)view.rows + 1, dof = (size_t)view.dof + 1;
  double* space = calloc(2 * rows + dof, sizeof(double));
  if (space) {
    Work work = {.problem = problem, .peers = peers, .u = space + rows, .v = space + 2 * rows};
    problem_row(results, p, &work, options, space);
  }
  free(space);
  ch_peer_problem_destroy(peers);
  ch_problem_destroy(condensed);
  ch_problem_destroy(problem);
  return space != NULL;
}

// --- command line --------------------------------------------------------------------------------------------------

static const char USAGE[] =
    "usage: solvers FOLDER|FILE... [--tols 1e-4,1e-8,1e-12] [--cap SECONDS] [--methods all|none|NAME,...]\n"
    "               [--peers all|none|NAME,...] [--repeat K] [--core N] [--min-contacts N] [--csv FILE] [--svg "
    "FOLDER]\n"
    "Compares our methods with Siconos' solvers on contact problems. `solvers --peers list` names the peers.\n";

static int usage_error(const char* what, const char* value) {
  fprintf(stderr, "solvers: %s '%s'\n%s", what, value, USAGE);
  return 2;
}

static bool problem_name(const char* name) {
  const char* dot = strrchr(name, '.');
  return dot && (!strcasecmp(dot, ".hdf5") || !strcasecmp(dot, ".h5") || !strcasecmp(dot, ".dat"));
}

static bool file_add(Options* options, const char* folder, const char* name) {
  size_t size = strlen(name) + (folder ? strlen(folder) : 0) + 2;
  char* path = malloc(size);
  if (!path || options->file_count == FILES_MOST) {
    free(path);
    return false;
  }
  snprintf(path, size, "%s%s%s", folder ? folder : "", folder ? "/" : "", name);
  options->files[options->file_count++] = path;
  return true;
}

static int by_name(const void* a, const void* b) { return strcmp(*(char* const*)a, *(char* const*)b); }

static bool files_add(Options* options, const char* path) {
  struct stat info;
  if (stat(path, &info) != 0) return false;
  if (!S_ISDIR(info.st_mode)) return file_add(options, NULL, path);
  DIR* folder = opendir(path);
  if (!folder) return false;
  int first = options->file_count;
  bool fits = true;
  for (struct dirent* entry; fits && (entry = readdir(folder));)
    if (problem_name(entry->d_name)) fits = file_add(options, path, entry->d_name);
  closedir(folder);
  qsort(options->files + first, (size_t)(options->file_count - first), sizeof(char*), by_name);
  return fits;
}

static bool option_set(Options* options, const char* name, const char* value) {
  double number = 0.0;
  if (!strcmp(name, "--tols")) return (options->tolerances = value) != NULL;
  if (!strcmp(name, "--methods")) return (options->methods = value) != NULL;
  if (!strcmp(name, "--peers")) return (options->peers = value) != NULL;
  if (!strcmp(name, "--csv")) return (options->csv = value) != NULL;
  if (!strcmp(name, "--svg")) return (options->svg = value) != NULL;
  if (!strcmp(name, "--cap") && ch_measure_number(value, 1e-3, 1e6, &number)) return (options->cap = number) > 0.0;
  if (!strcmp(name, "--repeat") && ch_measure_number(value, 1, 200, &number))
    return (options->repeat = (int)number) > 0;
  if (!strcmp(name, "--core") && ch_measure_number(value, 0, 1e4, &number)) return (options->core = (int)number) >= 0;
  if (!strcmp(name, "--min-contacts") && ch_measure_number(value, 0, 1e9, &number))
    return (options->min_contacts = (int)number) >= 0;
  return false;
}

static int options_read(Options* options, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "--help")) {
      printf("%s", USAGE);
      exit(0);
    }
    if (argv[i][0] == '-') {
      if (i + 1 == argc || !option_set(options, argv[i], argv[i + 1])) return usage_error("cannot understand", argv[i]);
      ++i;
    } else if (!files_add(options, argv[i])) {
      return usage_error("cannot open", argv[i]);
    }
  }
  return 0;
}

// --- what is to be compared ----------------------------------------------------------------------------------------

static bool solver_add(ChResults* results, const char* name, bool ours) {
  if (results->solver_count == CH_SOLVERS_MOST) return false;
  int peer = ours ? -1 : ch_peer_find(name);
  if (!ours && peer < 0) return false;
  results->solvers[results->solver_count++] =
      (ChBenchSolver){.name = ours ? name : ch_peer_info(peer).name,
                      .ours = ours,
                      .condensed = !ours && ch_peer_info(peer).form != CH_PEER_GLOBAL};
  return true;
}

static bool method_known(const char* name) {
  for (int i = 0; i < ch_method_count(); ++i)
    if (!strcmp(ch_method_info(i).name, name)) return true;
  return false;
}

// Names between commas; the list's text is cut in place and lives as long as the results.
static int solvers_read(ChResults* results, const char* list, bool ours) {
  char* text = strdup(list);
  for (char* name = text ? strtok(text, ",") : NULL; name; name = strtok(NULL, ","))
    if ((ours && !method_known(name)) || !solver_add(results, name, ours))
      return usage_error(ours ? "no method is called" : "no peer is called", name);
  return 0;
}

static int tolerances_read(ChResults* results, const char* list) {
  char* text = strdup(list);
  int status = 0;
  for (char* word = text ? strtok(text, ",") : NULL; word && !status; word = strtok(NULL, ",")) {
    double value = 0.0;
    if (results->tolerance_count == CH_TOLERANCES_MOST || !ch_measure_number(word, 1e-16, 1.0, &value))
      status = usage_error("not a tolerance", word);
    else
      results->tolerances[results->tolerance_count++] = value;
  }
  free(text);
  return status;
}

static int comparison_read(ChResults* results, const Options* options) {
  int status = tolerances_read(results, options->tolerances);
  if (!status && !strcmp(options->methods, "all"))
    for (int i = 0; i < ch_method_count(); ++i) solver_add(results, ch_method_info(i).name, true);
  else if (!status && strcmp(options->methods, "none") != 0)
    status = solvers_read(results, options->methods, true);
  if (status || !strcmp(options->peers, "none")) return status;
  if (strcmp(options->peers, "all") != 0) return solvers_read(results, options->peers, false);
  for (int i = 0; i < ch_peer_count(); ++i) solver_add(results, ch_peer_info(i).name, false);
  return 0;
}

static int peers_list(void) {
  static const char* const forms[] = {"local", "planar", "global"};
  for (int i = 0; i < ch_peer_count(); ++i)
    printf("%-14s %-7s %s\n", ch_peer_info(i).name, forms[ch_peer_info(i).form], ch_peer_info(i).summary);
  return 0;
}

// --- output --------------------------------------------------------------------------------------------------------

static int outputs_write(const ChResults* results, const Options* options) {
  for (int t = 0; t < results->tolerance_count; ++t) {
    ch_results_table(results, t, stdout);
    ch_results_summary(results, t, stdout);
  }
  fflush(stdout);
  if (options->csv && !ch_results_csv(results, options->csv)) {
    fprintf(stderr, "solvers: cannot write '%s': %s\n", options->csv, strerror(errno));
    return 3;
  }
  for (int t = 0; options->svg && t < results->tolerance_count; ++t) {
    char path[4096];
    snprintf(path, sizeof path, "%s/profile-%g.svg", options->svg, results->tolerances[t]);
    if (!ch_profile_svg(results, t, path)) {
      fprintf(stderr, "solvers: cannot write '%s': %s\n", path, strerror(errno));
      return 3;
    }
  }
  return 0;
}

int main(int argc, char** argv) {
  static Options options = {.methods = "all",
                            .peers = "all",
                            .tolerances = "1e-4,1e-8,1e-12",
                            .cap = 10.0,
                            .repeat = 5,
                            .core = -1,
                            .min_contacts = 20};
  static ChResults results;
  ch_machine_single_thread(argv);
  int status = options_read(&options, argc, argv);
  if (!status && !strcmp(options.peers, "list")) return peers_list();
  if (!status && options.file_count == 0) status = usage_error("no problem given in", argc > 1 ? argv[1] : "");
  if (!status) status = comparison_read(&results, &options);
  if (status) return status;
  ch_machine_pin(options.core);
  results.cap = options.cap;
  results.min_contacts = options.min_contacts;
  size_t cells = (size_t)options.file_count * (size_t)results.solver_count * (size_t)results.tolerance_count;
  results.problems = calloc((size_t)options.file_count, sizeof(ChBenchProblem));
  results.cells = calloc(cells + 1, sizeof(ChCell));
  if (!results.problems || !results.cells) return 3;
  for (int i = 0; i < options.file_count; ++i)
    if (problem_run(&results, results.problem_count, options.files[i], &options)) ++results.problem_count;
  return outputs_write(&results, &options);
}
