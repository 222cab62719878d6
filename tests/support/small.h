// Problems small enough to write down: a local problem from a dense W.
#ifndef CH_TESTS_SMALL_H
#define CH_TESTS_SMALL_H

#include "cardhouse/problem.h"

// W is rows x rows by rows, q has rows entries; rows is the sum of the blocks' dimensions. Ends the program on failure.
ChProblem* ch_small_local(int dimension, int block_count, const ChBlock* blocks, const double* W, const double* q);

// The same problem in other units: row i of u is multiplied by velocity[i], row i of r by reaction[i]; in the global
// form entry j of v by dof_velocity[j] and of the momentum by dof_momentum[j].
ChProblem* ch_problem_in_units(const ChProblem* problem, const double* velocity, const double* reaction,
                               const double* dof_velocity, const double* dof_momentum);

#endif
