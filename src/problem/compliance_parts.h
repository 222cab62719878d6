// What the files of the certificate's M^-1 share: factors (compliance.c), parts of which a few unknowns hold all others
// together (compliance_arrow.c), the diagonal of H^T M^-1 H (compliance_diagonal.c).
#ifndef CH_PROBLEM_COMPLIANCE_PARTS_H
#define CH_PROBLEM_COMPLIANCE_PARTS_H

#include <cholmod.h>
#include <stdbool.h>

#include "problem/compliance.h"

typedef struct ChArrow ChArrow;

// Connected unknowns; factored as an arrow, densely in one of two ways, or sparsely.
typedef struct ChPart {
  int size;
  const int* member;  // its unknowns, ascending
  ChArrow* arrow;
  double* lu;    // dense: size x size by rows, L below the diagonal (unit), U on and above
  int* pivot;    // dense: row exchanged with row k
  double* root;  // dense and positive definite: L by columns
  ChSparse A;    // sparse: the part's own matrix
  cholmod_factor* cholesky;
  void* umfpack;
} ChPart;

struct ChCompliance {
  ChArena* arena;
  const ChSparse* M;
  double* alone;  // of an unknown that is coupled with none: its entry of M; otherwise 0
  double* share;  // of such an unknown: the inverse of that entry
  int count;
  ChPart* parts;  // of the others
  int* part;      // of each unknown; -1 where it is alone, -2 - p where the arrow that is part p takes it along
  int* position;  // of each unknown, in its part
  cholmod_common* common;
};

enum { CH_PART_WIDE = 12 };  // unknowns of a dense part from which on another form than LU may be worth while

// x := A^-1 x of one part; `work` holds 2 size entries.
ChStatus ch_part_solve(ChContext* context, const ChCompliance* mass, const ChPart* part, double* x, double* work);

// x := system^-1 x for `columns` right-hand sides of a part factored by CHOLMOD, system as CHOLMOD names it.
void ch_part_solve_cholmod(const ChCompliance* mass, const ChPart* part, int system, int columns, double* x);

// NULL where the part is no arrow, or not symmetric and positive definite.
ChArrow* ch_arrow_find(ChCompliance* mass, const ChPart* part);

// x := A^-1 x
void ch_arrow_solve(const ChPart* part, double* x);

// Adds h^T A^-1 h to the sum, h given by the entries k .. end - 1 of H as far as they are the part's or taken along, of
// which k is the first; returns the first that is not.
int ch_arrow_measure(const ChPart* part, const ChSparse* H, int k, int end, double* sum);

// h^T A^-1 h of three columns from c on that are alike (ch_sparse_three_alike); false where they are not, or have other
// entries.
bool ch_arrow_measure_three(const ChPart* part, const ChSparse* H, int c, double out[3]);

#endif
