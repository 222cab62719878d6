// Contact problems in files: FCLIB's HDF5 (read and write) and Siconos' text form (read).
#ifndef CARDHOUSE_FILES_H
#define CARDHOUSE_FILES_H

#include "cardhouse/api.h"
#include "cardhouse/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

// Reads a problem in any of these formats, which is recognised by the file's content, not by its name.
CH_API ChStatus ch_problem_read(ChContext* context, const char* path, ChProblem** out);

// Writes a problem as FCLIB HDF5, local or global by its form; an existing file is replaced only once the new one is
// complete. FCLIB has no place for polygonal sections (ChBlock.sides): the file holds smooth cones with the same mu.
CH_API ChStatus ch_problem_write(ChContext* context, const char* path, const ChProblem* problem);

// Writes problem and solution (v, u, r) together, the solution in FCLIB's solution group. v may be NULL for the local
// form.
CH_API ChStatus ch_solution_write(ChContext* context, const char* path, const ChProblem* problem, const double* v,
                                  const double* u, const double* r);

// Reads reactions for a warm start from a file's solution group or, if that is absent or all zero, from its first
// guess. r has problem->rows entries.
CH_API ChStatus ch_reaction_read(ChContext* context, const char* path, const ChProblem* problem, double* r);

// Adds guesses (FCLIB's guesses/1, guesses/2, ...) to an existing FCLIB file.
CH_API ChStatus ch_guess_append(ChContext* context, const char* path, const ChProblem* problem, const double* v,
                                const double* u, const double* r);

#ifdef __cplusplus
}
#endif
#endif
