// A contact law as a row: what it is, how it is graded, and what solvers need of it. One file of this folder fills one
// row; CH_LAWS in cardhouse/law.h lists them. Nobody asks which law a block obeys: each question is a field here.
//
// The certificate sees `grade` alone. Everything below it speaks of a block in the scaled variables of system/system.h,
// in which elliptic sections are circular.
#ifndef CH_PROBLEM_LAWS_LAW_H
#define CH_PROBLEM_LAWS_LAW_H

#include "base/arena.h"
#include "linalg/entry_list.h"
#include "problem/laws/barrier.h"
#include "problem/laws/grade.h"

typedef struct ChLawRow ChLawRow;

enum { CH_BALLS_MAX = 3, CH_BALL_ROWS = 3 };  // of a product of balls over one normal, see balls.h

// One block as methods see it.
typedef struct ChScaledBlock {
  const ChLawRow* law;
  int dim;
  int sides;                         // of a polygonal section; 0: smooth
  const double* corners;             // their cosines and sines, see problem/polygon.h
  double mu;                         // cone: friction; disc: radius; 0 elsewhere
  double lo, hi;                     // limit
  double compliance;                 // of the first row: part of its W_ii and of u, see system/system.h; set by system/
  double shear[2];                   // the same of the second and third row
  double more[CH_BLOCK_MORE];        // whatever else the law's `keep` puts there; of balls their radii
  int balls;                         // of a product of balls over one normal
  unsigned char ball[CH_BALLS_MAX];  // and the rows of each
  const ChFrictionSection* section;  // of the law that has one
} ChScaledBlock;

// C of a block: compliance of its first row, shear of the next two.
static inline bool ch_scaled_block_yields(const ChScaledBlock* b) {
  return b->compliance > 0.0 || b->shear[0] > 0.0 || b->shear[1] > 0.0;
}
static inline double ch_scaled_block_compliance(const ChScaledBlock* b, int row) {
  return row == 0 ? b->compliance : row < 3 ? b->shear[row - 1] : 0.0;
}

// W_ii += C, of dim rows
static inline void ch_scaled_block_add_compliance(const ChScaledBlock* b, int dim, double* W) {
  for (int a = 0; a < dim && a < 3; ++a) W[a * dim + a] += ch_scaled_block_compliance(b, a);
}

// What `keep` knows of a block, and what it says: which rows take part, on which scales, as which set.
typedef struct ChKeepFacts {
  ChPose pose;
  const double* diagonal;                 // W_aa of the block's rows
  double d;                               // (trace(W_ii) / dimension)^(-1/2)
  unsigned char immovable[CH_BLOCK_MAX];  // rows that nothing moves and that move nothing, tangents only
} ChKeepFacts;

typedef struct ChKeptBlock {
  int source;  // block of the problem
  int rows[CH_BLOCK_MAX];
  double g[CH_BLOCK_MAX];
  ChScaledBlock block;  // law (filled in before), dim, mu, sides and more; bounds and corners follow
} ChKeptBlock;

// A block's exact solution with everything else frozen: what is worked out once, before the first visit.
typedef struct ChLocalBlock {
  double normal_inverse;  // 1 / W_nn
  double cosine, sine;    // eigenvectors of Wt
  double value[2];        // its eigenvalues
  double lever[2];        // -w / W_nn in the eigenbasis
  double root;            // last a
  double* inverse;        // of W_ii, or whatever a law keeps
  double* asymmetry;      // W_ii minus its symmetric part, carried on the right-hand side; NULL: symmetric
} ChLocalBlock;

// Rays of a block for the active-set method, see solve/qp/active_set_rays.h.
enum { CH_RAY_ROWS = 3 };  // entries of a ray

typedef struct ChRayRows {
  double* G;            // CH_RAY_ROWS entries a ray; where rows are not bound together the first is the row's sign
  unsigned char* free;  // rays without sign
  double* bound;        // their caps
  double* base;         // r without rays
} ChRayRows;

// Where a block writes its part of a complementarity problem: its first row of r and its first variable.
typedef struct ChLcpPlace {
  int row, at;
  bool relaxed;
  ChEntryList *G, *C;
} ChLcpPlace;

// Polygonal or polyhedral sets as methods for linear complementarity and quadratic programmes want them. A law without
// is `curved` always.
typedef struct ChLawPolygon {
  int (*variables)(const ChScaledBlock* b);                       // see solve/lcp/polygon_lcp.h
  void (*list)(const ChScaledBlock* b, const ChLcpPlace* place);  // entries of G and C
  void (*bounds)(const ChScaledBlock* b, unsigned char* free, double* base, double* bias);  // zero before
  void (*point)(const ChScaledBlock* b, const double* r, const double* u, double* y);       // zero before
  int (*rays)(const ChScaledBlock* b);                                                      // how many move r
  void (*fill)(const ChScaledBlock* b, ChRayRows rows);                                     // see ChRayRows
  void (*split)(const ChScaledBlock* b, const double* base, const double* r, double* weight);
} ChLawPolygon;

struct ChLawRow {
  // --- what it is
  ChLawInfo info;
  ChStatus (*check)(ChContext* context, const ChBlock* block, int i);  // beyond the ranges of parameters; may be NULL
  bool leaves_zero_out;                                                // r = 0 may be outside the set

  // --- what the certificate reads
  ChLawGrade grade;

  // --- from the problem to the scaled system
  void (*keep)(const ChBlock* block, const ChKeepFacts* facts, ChKeptBlock* out);
  // Parameters in the unit of r, where there are any: r = unit r'. May be NULL.
  void (*set_bounds)(const ChBlock* block, double unit, ChScaledBlock* out);
  // Sections in the problem's own units, with the corners of a polygon (arena's). May be NULL.
  void (*as_given)(ChArena* arena, const ChBlock* block, ChScaledBlock* out);

  // --- what solvers use
  bool cone;      // the set is |r_T| <= mu r_n, or its polygon: all that is made for Coulomb's cone applies
  bool together;  // one bound holds the rows together; otherwise each row has its own
  bool capped;    // ... and that bound is `mu` itself, whatever r is: a disc
  void (*interval)(const ChScaledBlock* b, double* lo, double* hi);             // of the first row alone
  double (*clamp)(const ChScaledBlock* b, int row, double x, const double* r);  // one row, others given
  void (*project)(const ChScaledBlock* b, const double* x, double* y);          // x may be y
  void (*derivative)(const ChScaledBlock* b, const double* x, double* D);       // of it, row-major
  void (*alart_curnier)(const ChScaledBlock* b, const double* x, double* y);    // see solve/contact/contact_map.h;
  void (*alart_curnier_derivative)(const ChScaledBlock* b, const double* x, double* D);  // others: the projection
  double (*slip)(const ChScaledBlock* b, const double* u, double* gradient);             // shift / mu; NULL: none
  void (*prepare_local)(ChArena* arena, const ChScaledBlock* b, const double* W, ChLocalBlock* l);
  void (*solve_local)(const ChScaledBlock* b, bool relaxed, const double* W, ChLocalBlock* l, const double* q,
                      double* r);
  const ChBarrier* barrier;
  void (*halve)(const ChScaledBlock* whole, bool tangential, ChScaledBlock* half);  // cones: the two halves
  bool (*curved)(const ChScaledBlock* b);                                           // NULL: never
  const ChLawPolygon* polygon;
  const struct ChOwnLaw* own;  // what a program registered; NULL: a law of ours
};

// Laws of ours, then those that a program registered; NULL from ch_law_count() on.
extern const ChLawRow* ch_law_rows[CH_LAW_END];

// A row that must stay as long as the program takes the place of a law that is not counted yet; published it is
// counted. Who does this holds the lock.
void ch_law_place(ChLaw law, const ChLawRow* row);
void ch_law_publish(ChLaw law);
void ch_law_lock(void);
void ch_law_unlock(void);

// What a cone's tangents are with the normal reaction given: |r| <= mu, dimension 2. No block of a problem obeys it.
extern const ChLawRow ch_law_disc;

static inline const ChLawRow* ch_law_row(const ChBlock* block) { return ch_law_rows[block->law]; }

// A set that is neither a cone nor made of rows apart: known by its functions alone, so that only methods that use
// nothing else can take it (CH_TAKES_ANY_LAW, and CH_TAKES_ANY_BARRIER where it has one). Its barrier and polygon may
// be NULL.
static inline bool ch_law_is_unusual(const ChLawRow* law) { return law->together && !law->cone && !law->capped; }

// The set has no polygonal description: polygonal methods cannot take it.
static inline bool ch_block_is_curved(const ChScaledBlock* b) {
  return !b->law->polygon || (b->law->curved && b->law->curved(b));
}

#define CH_LAW_DECLARED(NAME, name) extern const ChLawRow ch_law_##name;
CH_LAWS(CH_LAW_DECLARED)
#undef CH_LAW_DECLARED

#endif
