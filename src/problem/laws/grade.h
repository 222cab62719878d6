// What the certificate reads of a law: functions of the problem's own block in its own units, and nothing that a solver
// uses. certificate.c includes this header and not law.h.
#ifndef CH_PROBLEM_LAWS_GRADE_H
#define CH_PROBLEM_LAWS_GRADE_H

#include "cardhouse/problem.h"

// How far (r, u) is from the parts of the law that have a figure of their own, see cardhouse/certificate.h.
typedef struct ChLawTerms {
  double signorini;    // m/s
  double dissipation;  // joule
} ChLawTerms;

typedef struct ChLawGrade {
  // The set is the whole space: u = 0, row by row, and each row has its own weight because it may have its own unit.
  bool free;
  // Rows of different unit: the ends of the groups that have one weight each. Returns how many groups there are. NULL:
  // one, or with `free` each row.
  int (*groups)(const ChBlock* block, int end[CH_BLOCK_MAX]);
  // The same set in rows r_a = g_a r'_a, where g is one number a group: what the block is then. NULL: never asked.
  void (*stretch)(const ChBlock* block, const double* g, ChBlock* out);
  // y = the point of the law's set nearest to x; x may be y. A NaN in x gives NaN, never a point of the set.
  void (*project)(const ChBlock* block, ChPose pose, const double* x, double* y);
  // sigma(u_T) = max { -r_T . u_T : r in the set, r_n = 1 above the lowest }: De Saxce's shift. NULL: no friction, 0.
  double (*support)(const ChBlock* block, ChPose pose, const double* u);
  // Whether r (NULL: zero) is zero and u parts so clearly that every figure of the block is zero to the last bit; rho:
  // weights of its rows. NULL: never asked.
  bool (*is_open)(const ChBlock* block, ChPose pose, const double* rho, const double* r, const double* u);
  // diagonal: W_nn of the first row. NULL: nothing to say.
  ChLawTerms (*terms)(const ChBlock* block, ChPose pose, double diagonal, const double* r, const double* u);
} ChLawGrade;

// Whether the law reads mu, which may depend on the speed of slip then.
bool ch_law_rubs(ChLaw law);

extern const ChLawGrade* ch_law_grades[CH_LAW_END];

static inline const ChLawGrade* ch_law_grade(const ChBlock* block) { return ch_law_grades[block->law]; }

#endif
