// Fuzz target: any bytes at all, read as a problem file and as a file with reactions. HDF5 wants a file, so the bytes
// lie in one that exists in memory only. `fuzz_fclib --seeds FOLDER` writes a corpus to start from.
#include <math.h>
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cardhouse/files.h"

int LLVMFuzzerInitialize(int* argc, char*** argv);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t room);

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

// HDF5 is a web of offsets: a byte put in or taken out breaks all of them at once and teaches nothing. Most mutations
// therefore overwrite a number in place.
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t room, unsigned seed) {
  static const uint64_t values[] = {0,
                                    1,
                                    2,
                                    3,
                                    7,
                                    8,
                                    0x7f,
                                    0x80,
                                    0xff,
                                    0x7fff,
                                    0xffff,
                                    INT32_MAX,
                                    UINT32_MAX,
                                    UINT64_C(1) << 40,
                                    INT64_MAX,
                                    UINT64_MAX,
                                    UINT64_C(0x7ff8000000000000)};
  srand(seed);
  if (size < 16 || rand() % 8 == 0) return LLVMFuzzerMutate(data, size, room);
  for (int times = 1 + rand() % 3; times > 0; --times) {
    size_t width = (size_t)1 << rand() % 4, at = ((size_t)rand() << 8 ^ (size_t)rand()) % (size - width);
    uint64_t value = 0;
    memcpy(&value, data + at, sizeof value > size - at ? size - at : sizeof value);
    switch (rand() % 4) {
      case 0:
        value = values[(size_t)rand() % (sizeof values / sizeof *values)];
        break;
      case 1:
        value += (uint64_t)(rand() % 33 - 16);
        break;
      case 2:
        value ^= UINT64_C(1) << rand() % 64;
        break;
      default:
        value = (uint64_t)rand();
    }
    memcpy(data + at, &value, width);
  }
  return size;
}

// The signature is put back, since without it HDF5 is never asked.
static bool refill(int fd, const uint8_t* data, size_t size) {
  static const char signature[8] = "\x89HDF\r\n\x1a\n";
  return ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size &&
         (size < sizeof signature || pwrite(fd, signature, sizeof signature, 0) == (ssize_t)sizeof signature);
}

// The library reads HDF5 in a child process because libhdf5 breaks down on some files. A child that does is no finding,
// and must not record one; its report goes where ASAN_OPTIONS=log_path says, and run.sh looks whether the fault was
// ours.
static void disown(void) { __sanitizer_set_death_callback(NULL); }

static char path[4096];
static void remove_file(void) { unlink(path); }

// The file that is read, made at the first call.
static int open_file(void) {
  static int fd = -1;
  if (fd >= 0) return fd;
  const char* folder = getenv("TMPDIR");
  snprintf(path, sizeof path, "%s/fuzz-fclib-XXXXXX", folder ? folder : "/tmp");
  fd = mkstemp(path);
  if (fd < 0) {
    perror(path);
    exit(1);
  }
  atexit(remove_file);
  pthread_atfork(NULL, NULL, disown);
  return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (!refill(open_file(), data, size)) return 0;
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
