// Performance profiles (Dolan and More 2002) of methods over files.
#ifndef CH_CLI_SOLVE_PROFILE_H
#define CH_CLI_SOLVE_PROFILE_H

#include <stdio.h>

// Costs of `method_count` methods on `file_count` files, a file's side by side; infinite where the method did not solve
// the problem, NaN where nobody could read it.
typedef struct ChSolveProfile {
  int file_count, method_count;
  char* const* method;
  const double *work, *seconds;
  double tolerance;
} ChSolveProfile;

// Prints one SVG, by work on the left and by time on the right; `state` is a ChSolveProfile.
void ch_solve_profile_put(FILE* file, const void* state);

#endif
