// One contact problem of `cardhouse solve`: read, solved by one method after another, graded, described.
#ifndef CH_CLI_SOLVE_JOB_H
#define CH_CLI_SOLVE_JOB_H

#include <jansson.h>

#include "cardhouse/diagnostics.h"
#include "cardhouse/solve.h"
#include "cli/arguments.h"

typedef struct ChSolveJob {
  // Wanted.
  const char* file;
  const char* cone_wanted;  // as for --cone; NULL: as the file says
  const char* warm_file;    // NULL: starts from nothing
  double compliance;        // 0: as the file says
  ChSolveOptions options;
  ChSetting settings[CH_LIST_MAX];
  // Found.
  ChContext context;
  ChProblem* problem;
  const char* cone;
  double *r, *u, *v, *warm;
  double seconds_read;
  ChStatus status;  // of the solve; while it says that the problem could not be solved at all, there is no answer
  ChSolveInfo info;
  ChBlock* smooth;  // the blocks as they were, where polygons replace them
  ChCertificate circular;
} ChSolveJob;

// Reads the problem and makes room for answers.
ChStatus ch_solve_job_read(ChSolveJob* job);
// Solves it by options.method, from the start reactions or from nothing. What comes back is a failure that left no
// answer; how good the answer is stands in job->status.
ChStatus ch_solve_job_solve(ChSolveJob* job, const ChStaggeredWatch* told);
// Back to the smooth cones, and what the answer is worth over them.
ChStatus ch_solve_job_grade(ChSolveJob* job);
// The velocity, or NULL: the local form has none.
double* ch_solve_job_velocity(const ChSolveJob* job);
// Frees what was found; what is wanted stays, for the next file.
void ch_solve_job_reset(ChSolveJob* job);

// "solved", "iteration_limit", "time_limit", "interrupted", "stationary", "refused" or "failed".
const char* ch_solve_status_word(ChStatus status);
// Everything that is known about the answer; the caller gives it up.
json_t* ch_solve_job_json(const ChSolveJob* job);

#endif
