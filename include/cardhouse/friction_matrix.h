// The matrix A of the polygonal complementarity problem (Kaufman 2009, (5.25)-(5.30)), and the classes it belongs to.
// docs/theory/sqp.md says what follows from each class.
#ifndef CARDHOUSE_FRICTION_MATRIX_H
#define CARDHOUSE_FRICTION_MATRIX_H

#include <stdbool.h>

#include "cardhouse/api.h"
#include "cardhouse/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ChAnswer { CH_ANSWER_UNKNOWN, CH_ANSWER_NO, CH_ANSWER_YES } ChAnswer;

typedef struct ChFrictionMatrix {
  int variables;     // number of variables: alpha, beta and lambda of all contacts, and those of joints and limits
  bool known;        // false: a part is too large for these checks (1500 variables), or nothing can move
  double asymmetry;  // max |A - A^T| / max |A|
  double eigenvalue_lowest;  // lowest eigenvalue of the symmetric part, in scaled variables
  ChAnswer copositive;       // y'A y >= 0 for all y >= 0: Lemke's method and the value of (5.31) rest on it
  bool copositive_by_sum;  // shown by A = semidefinite + nonnegative, without trying all supports (up to 16 variables)
  double copositive_lowest;  // if the answer is no: y'A y of the worst y >= 0 with entries that add up to 1
  ChAnswer row_sufficient;   // yes: all first-order points of (5.31) are solutions
  double row_witness;        // if the answer is no: the smallest x_i (A'x)_i of an x for which none is positive
} ChFrictionMatrix;

// Examines the matrix. Smooth cones in space are first replaced by polygons of that many sides; the problem itself does
// not change.
CH_API ChStatus ch_friction_matrix_classify(ChContext* context, const ChProblem* problem, int sides,
                                            ChFrictionMatrix* out);

// The mixed complementarity problem of a step (Anitescu and Hart 2004, (6)-(7)): velocities and joints are kept,
//
//   [ M    -nu  -n  -D   0 ] [ v      ]   [ -f ]     = 0            M (v - vp) = nu c_nu + n c_n + D beta
//   [ nu'   0    0   0   0 ] [ c_nu   ]   [ .  ]     = 0            joints
//   [ n'    0    0   0   0 ] [ c_n    ] + [ w_n]     >= 0, _|_ c_n
//   [ D'    0    0   0   E ] [ beta   ]   [ .  ]     >= 0, _|_ beta
//   [ 0     0    mu -E'  0 ] [ lambda ]   [ 0  ]     >= 0, _|_ lambda
//
// in the problem's own units; f = M vp. After v the variables are ordered block by block, a contact's as c_n, beta of
// its sides, lambda.
typedef struct ChMixedProblem {
  int n;    // variables
  int dof;  // the first of them are v
  ChSparse A;
  double* b;            // A x + b >= 0, _|_ x >= 0
  unsigned char* free;  // 1: the row is an equation, the variable has no sign
  void* memory;         // memory that holds the arrays
} ChMixedProblem;

// Builds the mixed problem of a contact problem, which must be global, and every contact in space must have sides. The
// caller frees *out with ch_mixed_problem_free; it is empty on failure.
CH_API ChStatus ch_mixed_problem_build(ChContext* context, const ChProblem* problem, ChMixedProblem* out);
// Frees the arrays and empties the struct; an empty one is legal.
CH_API void ch_mixed_problem_free(ChMixedProblem* mixed);

#ifdef __cplusplus
}
#endif
#endif
