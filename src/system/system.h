// What a method sees: one connected part of the problem, in scaled variables, with circular sections only.
//
//   g = d_i s_a      d_i = (trace(W_ii) / dim_i)^(-1/2) per block,  s_a makes an elliptic section circular (contacts)
//   W' = g W g       q' = g q / c,  c = |g q|        r = c g r'        u = c u' / g
//
// (rows of a bilateral block, which may differ in unit, have d = W_aa^(-1/2) each). r' and u' are both in root joule
// whatever the problem's units, |q'| = 1, and 1 is a good step length everywhere. With S = diag(1, m/mu_1, m/mu_2), m =
// sqrt(mu_1 mu_2), r' = S r, u' = S^-1 u an elliptic cone becomes the circular one of friction m, and the support
// functions agree: the transformation is exact.
//
// Where a law is one of u_n + c r_n and u_T + c_t r_T (compliant), W stands for W + C, C = diag(c, c_t, c_t) on such
// blocks and 0 elsewhere, in everything here: in W, in W_ii, in trace(W_ii) and in u = W r + q. Bodies alone give H^T
// M^-1 H: whoever takes a velocity from them adds ch_system_add_compliance.
#ifndef CH_SYSTEM_SYSTEM_H
#define CH_SYSTEM_SYSTEM_H

#include <stdbool.h>

#include "base/arena.h"
#include "cardhouse/problem.h"
#include "linalg/block_csr.h"
#include "problem/laws/law.h"
#include "system/bodies.h"

typedef struct ChSystem {
  int n, rows;           // blocks, scalar rows
  int *dim, *row;        // n, n + 1
  ChScaledBlock* block;  // law and parameters of each
  double* q;
  bool formed;  // W is there; otherwise only bodies
  bool due;     // it is not, but small enough for ch_system_form
  bool symmetric;
  bool polygonal;  // some section has sides
  bool compliant;  // some block has a compliance
  bool unusual;    // some law is: see ch_law_is_unusual
  bool unbarred;   // some law has no barrier
  bool relaxed;    // the pose: complementarity with u itself instead of u + mu |u_T| n
  ChBlockCsr W;
  ChBodies* bodies;  // W = H^T M^-1 H by bodies; NULL when the problem came without
  double* diagonal;  // W_ii blocks, at diagonal_at[i]
  int* diagonal_at;
} ChSystem;

#define CH_ERROR_FLOOR 1e-6  // of |q|: the least that an error is compared with, as in the certificate

// One connected part and the way back.
typedef struct ChComponent {
  ChSystem system;
  double size;        // |g q| of the part, and of bounds that leave zero out
  double c;           // the unit: that, or a power of two times it where zero_error would be small
  double zero_error;  // c-free error of r = 0, see ch_system_error
  int* source;        // original row of each row
  double* g;
} ChComponent;

typedef struct ChPrepared {
  int count;
  ChComponent* component;
} ChPrepared;

// Splits and scales a problem. Blocks without compliance (both bodies fixed) and parts with q = 0 are left out: their
// reactions are zero. So are blocks that `skip` marks (may be NULL).
ChStatus ch_prepare(ChContext* context, ChArena* arena, const ChProblem* problem, ChPose pose,
                    const unsigned char* skip, ChPrepared* out);

// The same with W left out where bodies can stand in for it, and forming it where a method turns out to need it.
ChStatus ch_prepare_late(ChContext* context, ChArena* arena, const ChProblem* problem, ChPose pose,
                         const unsigned char* skip, ChPrepared* out);
void ch_system_form(ChArena* arena, ChSystem* system);

// A large heap: more rows than degrees of freedom. Forming its W costs more than a method that can do without gains.
bool ch_system_is_heap(const ChSystem* system);
// Whether some of its bodies have more degrees of freedom than a rigid one.
bool ch_system_is_soft(const ChSystem* system);
// Many contacts on few degrees of freedom, as where skins of deformable bodies touch: factors in the space of
// velocities are small however many contacts there are, and W is large and of low rank.
bool ch_system_is_crowded(const ChSystem* system);

// y = W x
void ch_system_apply(const ChSystem* s, const double* x, double* y);

// u += C r, of block i and of all
static inline void ch_system_add_block_compliance(const ChSystem* s, int i, const double* r, double* u) {
  if (!s->compliant) return;
  const ChScaledBlock* b = &s->block[i];
  u[0] += b->compliance * r[0];
  for (int a = 1; a < s->dim[i] && a < 3; ++a) u[a] += b->shear[a - 1] * r[a];
}
static inline void ch_system_add_compliance(const ChSystem* s, const double* r, double* u) {
  for (int i = 0; s->compliant && i < s->n; ++i) ch_system_add_block_compliance(s, i, r + s->row[i], u + s->row[i]);
}

// u = W r + q
void ch_system_velocity(const ChSystem* s, const double* r, double* u);

// |u_T| of block i, 0 where there is no friction; u points at the block's rows
static inline double ch_system_slip(const ChSystem* s, int i, const double* u) {
  const ChScaledBlock* b = &s->block[i];
  return b->law->slip ? b->law->slip(b, u, NULL) : 0.0;
}

// The same with its gradient t in the tangent entries (t[0] = 0; zero where there is no slip)
static inline double ch_system_slip_gradient(const ChSystem* s, int i, const double* u, double* t) {
  const ChScaledBlock* b = &s->block[i];
  if (b->law->slip) return b->law->slip(b, u, t);
  for (int a = 0; a < b->dim; ++a) t[a] = 0.0;
  return 0.0;
}

// y = P(x), for one block and block by block
static inline void ch_system_project_block(const ChSystem* s, int i, const double* x, double* y) {
  s->block[i].law->project(&s->block[i], x, y);
}
void ch_system_project(const ChSystem* s, const double* x, double* y);

// e(r) = | r - P(r - û) |, û = u + mu |u_T| n (u itself when relaxed); u must be W r + q
double ch_system_error(const ChSystem* s, const double* r, const double* u);
// The square of block i's part; r and u point at its rows
double ch_system_block_error(const ChSystem* s, int i, const double* r, const double* u);

#endif
