// `cardhouse solve` with several files, methods, or both: every method on every file, one line each.
#ifndef CH_CLI_SOLVE_MANY_H
#define CH_CLI_SOLVE_MANY_H

#include "cli/solve_job.h"

typedef struct ChSolveList {
  int file_count, method_count;
  char **file, **method;
  bool folder;  // a folder was among the words: a list even where it holds one file
} ChSolveList;

// Files and folders (their .hdf5 and .dat files, by name) and the methods of "auto,nsgs". Complains itself.
ChExit ch_solve_list_make(const ChCommand* command, int count, const char* const* operands, const char* methods,
                          ChSolveList* out);
void ch_solve_list_reset(ChSolveList* list);

typedef struct ChSolveOutput {
  const char *csv, *profile;  // files, or NULL
  bool json, quiet, strict;
} ChSolveOutput;

// Solves all of them with the wishes of `job`. What cannot be read or solved is complained of and the rest goes on;
// the worst that happened is the exit status.
ChExit ch_solve_many(const ChCommand* command, ChSolveJob* job, const ChSolveList* list, const ChSolveOutput* output);

#endif
