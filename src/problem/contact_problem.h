// What a contact problem is made of. Outside of the engine it is seen through ch_problem_view.
#ifndef CH_PROBLEM_CONTACT_PROBLEM_H
#define CH_PROBLEM_CONTACT_PROBLEM_H

#include "cardhouse/problem.h"

struct ChProblem {
  ChForm form;
  int dimension;
  int block_count;
  int rows;  // sum of the blocks' dimensions
  int dof;   // global: size of v; local: 0
  ChBlock* blocks;
  ChSparse W;
  ChSparse M, H;
  double* f;
  double* w;
  int curve_count;  // of friction over speed
  const ChFrictionCurve* curves;
  double asymmetry;                       // max |A - A^T| / max |A| of W (local) or M (global)
  struct ChMass* mass;                    // global: M seen as bodies, for M^-1
  const struct ChGroundwork* groundwork;  // of the certificate; NULL: who grades makes it
  const ChFrictionSection* last_section;  // copied last; NULL: none
  struct ChArena* arena;                  // owns every array above
};

// Copies curves of friction over speed into the problem.
void ch_problem_set_curves(ChProblem* problem, int count, const ChFrictionCurve* curves);

#endif
