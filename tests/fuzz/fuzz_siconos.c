// Fuzz target: any text at all, read as Siconos' form. `fuzz_siconos --seeds FOLDER` writes a corpus to start from.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/siconos_file.h"

int LLVMFuzzerInitialize(int* argc, char*** argv);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

#define BANNER "CSparse Version 3.1.9, May 4, 2016.\n"

static const char* const seeds[] = {
    // local, dense, plane, with the old flag at the end
    "2 1\n0 2 2\n2 2\n1.0e+00 0 0 2\n-1 0.25\n0.3\n0\n",
    // local, dense, space, 25 digits
    "3 1 0 3 3 3 3 1.000000000000000055511151e-01 0 0 0 4 0 0 0 5 -1 2 3 0.5\n",
    // local, blocks
    "2 2 1 4 4 3 2 2 2 4 2 4 3 3 0 2 3 0 1 1 0 1 0 0 1 1 .5 0 0 .5 2 1e0 0 0 1e0 -1 0 -2 0 .5 .7\n",
    "2 0 1 0 0 0\n",
    // local, sparse, both origins
    "2\n1\n2\n2\n2\n1\n" BANNER
    "triplet: 2-by-2, nzmax: 3 nnz: 3\n    0 0 : 1\n    1 1 : 2.5\n    0 1 : -0.5\n-1 0\n0.5\n",
    "2\n1\n2\n2\n2\n2\n" BANNER
    "2-by-2, nzmax: 3 nnz: 3, 1-norm: 3\n    col 0 : locations 0 to 0\n      0 : 1\n"
    "    col 1 : locations 1 to 2\n      0 : -0.5\n      1 : 2.5\n-1 0\n0.5\n",
    // global: dense M, sparse H
    "2 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1\n2\n3\n2\n1\n" BANNER
    "triplet: 3-by-2, nzmax: 2 nnz: 2\n  0 0 : 1\n  1 1 : 1\n0 -9.81 0\n0.5 0\n0.8\n",
    // global with as many degrees of freedom as rows
    "2 1 0 2 2 2 2 1 0 0 1  0 2 2 2 2 1 0 0 1  0 -1  0.5 0  0.3\n",
};

static void write_seeds(const char* folder) {
  for (size_t k = 0; k < sizeof seeds / sizeof *seeds; ++k) {
    char name[4096];
    snprintf(name, sizeof name, "%s/seed-%zu.dat", folder, k);
    FILE* file = fopen(name, "w");
    if (!file || fputs(seeds[k], file) < 0 || fclose(file) != 0) {
      perror(name);
      exit(1);
    }
  }
}

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc != 3 || strcmp((*argv)[1], "--seeds") != 0) return 0;
  write_seeds((*argv)[2]);
  exit(0);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  char* text = malloc(size + 1);  // exactly as long as the text, so that a read beyond it is seen
  if (!text) return 0;
  if (size > 0) memcpy(text, data, size);
  text[size] = '\0';
  ChContext context = {0};
  ChProblem* problem = NULL;
  ChStatus status = ch_siconos_parse(&context, "fuzz.dat", text, size, &problem);
  // A refusal says why; a success gives a problem.
  if ((status == CH_OK) != (problem != NULL) || (status != CH_OK && context.message[0] == '\0')) abort();
  if (problem) ch_problem_destroy(problem);
  free(text);
  return 0;
}
