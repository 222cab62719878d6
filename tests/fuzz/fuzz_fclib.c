// Fuzz target: any bytes at all, read as a problem file and as a file with reactions. HDF5 wants a file, so the bytes
// lie in one that exists in memory only. `fuzz_fclib --seeds FOLDER` writes a corpus to start from.
#include <math.h>

#include "cardhouse/files.h"
#include "fuzz_hdf5.h"
#include "problem/contact_problem.h"

int LLVMFuzzerInitialize(int* argc, char*** argv);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t room, unsigned seed);

static void must(ChStatus status, const ChContext* context) {
  if (status == CH_OK) return;
  fprintf(stderr, "%s\n", context->message);
  exit(1);
}

// One block of every law, mixed up where `mixed` is set, contacts only where it is not.
static ChProblem* make_problem(ChForm form, int dimension, bool mixed) {
  ChBlock blocks[5] = {{.law = CH_LAW_CONTACT, .dimension = dimension, .mu = {0.5, 0.5}},
                       {.law = CH_LAW_LIMIT, .dimension = 1, .lo = -1.0, .hi = INFINITY},
                       {.law = CH_LAW_BILATERAL, .dimension = 2},
                       {.law = CH_LAW_CONTACT, .dimension = dimension, .mu = {0.3, 0.6}},
                       {.law = CH_LAW_UNILATERAL, .dimension = 1}};
  int index[16], rows = mixed ? 2 * dimension + 4 : dimension;
  double ones[16], bias[16] = {-1.0, 0.5};
  for (int k = 0; k < 16; ++k) {
    index[k] = k;
    ones[k] = 1.0 + 0.125 * k;
  }
  ChTriplets diagonal = {rows, rows, rows, index, index, ones};
  ChProblemDef def = {.form = form, .dimension = dimension, .block_count = mixed ? 5 : 1, .blocks = blocks};
  def.W = def.M = def.H = diagonal;
  def.f = def.w = bias;
  ChContext context = {0};
  ChProblem* problem = NULL;
  must(ch_problem_build(&context, &def, &problem), &context);
  return problem;
}

static void write_seeds(const char* folder) {
  for (int k = 0; k < 8; ++k) {
    ChProblem* problem = make_problem(k & 1 ? CH_FORM_GLOBAL : CH_FORM_LOCAL, k & 2 ? 2 : 3, k & 4);
    char name[4096];
    snprintf(name, sizeof name, "%s/seed-%d.hdf5", folder, k);
    double x[16] = {1.0, 0.25};
    ChContext context = {0};
    must(ch_solution_write(&context, name, problem, x, x, x), &context);
    must(ch_guess_append(&context, name, problem, x, x, x), &context);
    ch_problem_destroy(problem);
    must(ch_problem_read(&context, name, &problem), &context);
    ch_problem_destroy(problem);
  }
}

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc != 3 || strcmp((*argv)[1], "--seeds") != 0) return 0;
  write_seeds((*argv)[2]);
  exit(0);
}

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t room, unsigned seed) {
  return fuzz_overwrite(data, size, room, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const char* path = fuzz_file(data, size);
  if (!path) return 0;
  ChContext context = {0};
  ChProblem* problem = NULL;
  ChStatus status = ch_problem_read(&context, path, &problem);
  // A refusal says why; a success gives a problem.
  if ((status == CH_OK) != (problem != NULL) || (status != CH_OK && context.message[0] == '\0')) abort();
  if (!problem) return 0;
  double* r = malloc(((size_t)problem->rows + 1) * sizeof *r);
  if (r) ch_reaction_read(&context, path, problem, r);
  free(r);
  ch_problem_destroy(problem);
  return 0;
}
