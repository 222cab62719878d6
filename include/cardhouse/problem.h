// The contact problem: the one structure that mechanics and numerics share.
//
//   global form   M v = H r + f      u = H^T v + w        (f = M vp: impulse of everything but the constraints)
//   local form    u = W r + w                             (w is then FCLIB's q; W = H^T M^-1 H)
//   and           (u_i, r_i) obey law i for every block i
//
// Rows of r and u are ordered block by block; inside a contact they are (normal, tangent 1[, tangent 2]).
#ifndef CARDHOUSE_PROBLEM_H
#define CARDHOUSE_PROBLEM_H

#include <stdbool.h>

#include "cardhouse/api.h"
#include "cardhouse/friction_curve.h"
#include "cardhouse/friction_section.h"
#include "cardhouse/law.h"
#include "cardhouse/sparse.h"
#include "cardhouse/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ChForm { CH_FORM_LOCAL, CH_FORM_GLOBAL } ChForm;

typedef enum ChPose { CH_POSE_COULOMB, CH_POSE_RELAXED, CH_POSE_FRICTIONLESS } ChPose;

enum { CH_BLOCK_MAX = 6 };   // largest dimension of a block
enum { CH_BLOCK_MORE = 4 };  // parameters of a law besides those named in ChBlock

// One block of the problem. The library fills in `row`.
typedef struct ChBlock {
  ChLaw law;
  int dimension;
  int row;        // first row in r, u and w
  double mu[2];   // contact: friction along tangent 1 and 2; equal = circular, different = elliptic
  double lo, hi;  // limit; may be infinite
  double
      compliance;  // compliant: c in (m/s)/(N s) = 1/kg; 1 / (k h^2) for a spring of stiffness k in a step of length h
  int sides;       // contact in space: 0 = smooth; M = polygon with corners mu (cos, sin)(2 pi j / M), M even, >= 4
  int curve;       // friction over the speed of slip: 1 + the index of the curve in the problem; 0: mu is constant
  double more[CH_BLOCK_MORE];  // parameters of the law. rolling, drilling, ellipsoidal: mu_r, mu_d in metres; cohesive:
                               // the largest pull c, an impulse
  const ChFrictionSection* section;  // section: the caller's in a definition, the problem's own copy in a built problem
  double shear;  // compliant, cohesive: c_t of the tangents, in the unit of `compliance`; 0: rigid along them
} ChBlock;

// The definition that a caller fills in. The build copies everything, so the arrays may go out of scope after it.
typedef struct ChProblemDef {
  ChForm form;
  int dimension;  // 2 or 3
  int block_count;
  const ChBlock* blocks;
  ChTriplets W;     // local: rows x rows
  ChTriplets M, H;  // global: dof x dof, dof x rows
  const double* f;  // global: dof
  const double* w;  // rows (local: q)
  const int* body;  // global: dof -> body, whose degrees of freedom are adjacent. For speed only; may be NULL
  int curve_count;  // number of curves of friction over speed, to which blocks refer; a curve without points is refused
  const ChFrictionCurve* curves;
} ChProblemDef;

// A problem that was built and checked. Opaque; ch_problem_view shows its content.
typedef struct ChProblem ChProblem;

// Copies and checks a definition. Refuses wrong sizes, indices out of range, NaN and infinities, negative mu, lo > hi,
// a non-positive diagonal of M, a negative diagonal of W. The caller owns *out, which is NULL on failure.
CH_API ChStatus ch_problem_build(ChContext* context, const ChProblemDef* def, ChProblem** out);

// Frees a problem; NULL is legal.
CH_API void ch_problem_destroy(ChProblem* problem);

// The content of a problem. Arrays and matrices belong to the problem; they are valid, and never written to, until it
// is destroyed.
typedef struct ChProblemView {
  ChForm form;
  int dimension;  // of space
  int block_count;
  int rows;  // sum of the blocks' dimensions
  int dof;   // global: size of v; local: 0
  const ChBlock* blocks;
  const ChSparse* W;      // local: rows x rows; else NULL
  const ChSparse *M, *H;  // global: dof x dof, dof x rows; else NULL
  const double* f;        // global: dof; else NULL
  const double* w;        // rows (local: q)
  int body_count;         // global: number of parts that M does not couple, or that the definition names; local: 0
  const int* body;        // global: dof -> body; else NULL
  double asymmetry;       // max |A - A^T| / max |A| of W (local) or M (global); legal, but solvers must know
  int curve_count;
  const ChFrictionCurve* curves;
} ChProblemView;

// Returns a view of a problem. Cheap; valid until the problem is destroyed.
CH_API ChProblemView ch_problem_view(const ChProblem* problem);

// Replaces block i, for example to change its friction or bounds or to set a polygon. Its dimension must stay the same;
// `row` is not read. Refuses what ch_problem_build refuses; the block then stays as it is.
CH_API ChStatus ch_problem_set_block(ChContext* context, ChProblem* problem, int i, const ChBlock* block);

// Gives every contact in space a polygonal section: inscribed, with its corners on the circle or ellipse, or
// circumscribed (outer). The number of sides is even, from 4 to 64. Plane contacts have two directions anyway and stay
// as they are.
CH_API ChStatus ch_problem_set_polygon(ChContext* context, ChProblem* problem, int sides, bool outer);
enum { CH_SIDES_MIN = 4, CH_SIDES_MAX = 64 };

// Reads such a section from a word: polygon, polygon:M, outer-polygon or outer-polygon:M. Returns false for any other
// word. An M that is odd or out of range gives sides = 0.
CH_API bool ch_cone_polygon(const char* word, bool* outer, int* sides);

// Returns the support function of a contact's friction at the slip in u (of the block's dimension): mu |u_T| for a
// round cone. De Saxce's shift adds this value to u_n, and friction dissipates it for each unit of normal reaction. 0
// for laws without friction.
CH_API double ch_contact_support(const ChBlock* block, ChPose pose, const double* u);

// Return how many blocks obey a law, and how many rows they have.
CH_API int ch_problem_count(const ChProblem* problem, ChLaw law);
CH_API int ch_problem_rows(const ChProblem* problem, ChLaw law);

// Computes u and v from the reactions r, in the problem's own units. The arrays belong to the caller. Global: v = M^-1
// (H r + f), u = H^T v + w; v may be NULL. Local: u = W r + w, v is not touched.
CH_API ChStatus ch_problem_velocity(ChContext* context, const ChProblem* problem, const double* r, double* v,
                                    double* u);

// Finds the branch of every block from reactions r and velocities u = W r + q, one entry of each for every row. Fails
// if the problem cannot be graded.
CH_API ChStatus ch_problem_branches(ChContext* context, const ChProblem* problem, const double* r, const double* u,
                                    ChBranch* branch);

// Adds C r of compliant contacts to u: c r_n in their normal rows and c_t r_T in their tangents. The laws of compliant
// contacts hold for the sum.
CH_API void ch_problem_add_compliance(const ChProblem* problem, const double* r, double* u);

#ifdef __cplusplus
}
#endif
#endif
