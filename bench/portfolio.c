// Every member of the portfolio, and auto, on a folder of problems: what the table of bench/portfolio.csv is made of.
//
// One child process a cell, under a limit of counted work, so that the table is the same on any machine but for its
// column of seconds. A file whose name ends in -warm.hdf5 is solved from the reactions that it holds.
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cardhouse/cardhouse.h"
#include "machine.h"
#include "measure.h"

enum { WORDS_MOST = 32, FILES_MOST = 4096 };
#define SLOWEST 8.0  // seconds that 1e9 of work may take before a cell is given up

typedef struct Words {
  int count;
  char* at[WORDS_MOST];
} Words;

// What the child leaves beside its answer.
typedef struct Report {
  double natural, work;
  long iterations, factorizations;
} Report;

typedef struct Cell {
  const ChProblem* problem;
  const char* method;
  const double* start;
  double tolerance, work_limit;
  double *u, *v;
  Report* report;
} Cell;

static ChCall call(void* user, double* r) {
  Cell* cell = user;
  ChContext context = {0};
  ChSolveInfo info = {0};
  ChSolveOptions options = ch_solve_options_default();
  options.method = cell->method;
  options.tolerance = cell->tolerance;
  options.time_limit = INFINITY;
  options.work_limit = cell->work_limit;
  options.warm = cell->start;
  double began = ch_measure_clock();
  ChStatus status = ch_solve(&context, cell->problem, &options, cell->v, cell->u, r, &info);
  double seconds = ch_measure_clock() - began;
  *cell->report = (Report){.natural = info.certificate.natural,
                           .work = info.work,
                           .iterations = info.outer + info.inner,
                           .factorizations = info.factorizations};
  return (ChCall){.seconds = seconds, .info = (int)status};
}

// True where the method solved the problem.
static bool measure(Cell* cell, const char* name, const ChProblemView* view, double* r) {
  *cell->report = (Report){.natural = NAN, .work = cell->work_limit};
  double cap = fmax(1.0, SLOWEST * 1e-9 * cell->work_limit);
  ChMeasurement m = ch_measure(call, cell, view->rows, cap, 1, r);
  if (m.ending == CH_ENDING_OK && m.info == (int)CH_ERR_UNSUPPORTED) return false;
  ChContext context = {0};
  ChCertificate grade = {.natural = NAN};
  if (m.ending == CH_ENDING_OK) ch_certify(&context, cell->problem, CH_POSE_COULOMB, r, NULL, &grade);
  bool solved = isfinite(grade.natural) && ch_certificate_met(&grade, cell->tolerance);
  printf("%s,%d,%d,%s,%g,%d,%.2e,%.3e,%ld,%ld,%.3e\n", name, view->block_count, view->dof, cell->method,
         cell->tolerance, solved, grade.natural, cell->report->work, cell->report->iterations,
         cell->report->factorizations, m.ending == CH_ENDING_OK ? m.seconds : cap);
  fflush(stdout);
  return solved;
}

// Tolerances in falling order: what missed a loose one is not asked for a tighter one, except auto, of which more is
// to be known.
static void measure_all(Cell* cell, const char* name, const Words* methods, const Words* tolerances, double* r) {
  const ChProblemView view = ch_problem_view(cell->problem);
  for (int m = 0; m < methods->count; ++m) {
    cell->method = methods->at[m];
    bool solved = true;
    for (int t = 0; t < tolerances->count && (solved || strcmp(cell->method, "auto") == 0); ++t) {
      cell->tolerance = atof(tolerances->at[t]);
      solved = measure(cell, name, &view, r);
    }
  }
}

static bool ends_with(const char* text, const char* end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

static void measure_file(const char* path, const char* name, Cell cell, const Words* methods, const Words* tolerances) {
  ChContext context = {0};
  ChProblem* problem = NULL;
  if (ch_problem_read(&context, path, &problem) != CH_OK) {
    fprintf(stderr, "%s: %s\n", path, context.message);
    return;
  }
  const ChProblemView view = ch_problem_view(problem);
  size_t rows = (size_t)view.rows + 1, dof = (size_t)view.dof + 1;
  double* space = calloc(3 * rows + dof, sizeof(double));
  cell.problem = problem;
  if (space) {
    cell.u = space + rows;
    cell.v = space + 3 * rows;
    if (ends_with(name, "-warm.hdf5") && ch_reaction_read(&context, path, problem, space + 2 * rows) == CH_OK)
      cell.start = space + 2 * rows;
    measure_all(&cell, name, methods, tolerances, space);
  }
  free(space);
  ch_problem_destroy(problem);
}

static Words split(char* list) {
  Words words = {0};
  for (char* word = strtok(list, ","); word && words.count < WORDS_MOST; word = strtok(NULL, ","))
    words.at[words.count++] = word;
  return words;
}

static int is_problem(const struct dirent* entry) {
  return ends_with(entry->d_name, ".hdf5") || ends_with(entry->d_name, ".h5") || ends_with(entry->d_name, ".dat");
}

// A folder, or one file.
static int measure_path(const char* path, Cell cell, const Words* methods, const Words* tolerances) {
  struct dirent** entries;
  int count = scandir(path, &entries, is_problem, alphasort);
  if (count < 0) {
    const char* slash = strrchr(path, '/');
    measure_file(path, slash ? slash + 1 : path, cell, methods, tolerances);
    return 0;
  }
  for (int k = 0; k < count; ++k) {
    char file[4096];
    snprintf(file, sizeof file, "%s/%s", path, entries[k]->d_name);
    measure_file(file, entries[k]->d_name, cell, methods, tolerances);
    free(entries[k]);
  }
  free(entries);
  return 0;
}

int main(int argc, char** argv) {
  char methods[] = "nsgs,ansgs,newton,admm,ipm,successive,staggered,apgd,leap,working-set,walk,auto";
  char tolerances[] = "1e-4,1e-8";
  char *method_list = methods, *tolerance_list = tolerances;
  double work = 2e9;
  ch_machine_single_thread(argv);
  Report* report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (report == MAP_FAILED) return 3;
  int first = 1;
  for (; first + 1 < argc && argv[first][0] == '-'; first += 2) {
    if (strcmp(argv[first], "--methods") == 0) method_list = argv[first + 1];
    if (strcmp(argv[first], "--tols") == 0) tolerance_list = argv[first + 1];
    if (strcmp(argv[first], "--work") == 0 && !ch_measure_number(argv[first + 1], 1.0, 1e15, &work)) return 2;
  }
  if (first >= argc) {
    fprintf(stderr, "usage: portfolio [--methods a,b] [--tols 1e-4,1e-8] [--work 2e9] FOLDER|FILE...\n");
    return 2;
  }
  const Words m = split(method_list), t = split(tolerance_list);
  printf("problem,contacts,dof,member,tolerance,solved,natural,work,iterations,factorizations,cpu\n");
  Cell cell = {.work_limit = work, .report = report};
  for (int k = first; k < argc; ++k) measure_path(argv[k], cell, &m, &t);
  return 0;
}
