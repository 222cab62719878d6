// The Stewart-Trinkle complementarity problem of a system with polygonal friction, eliminated velocities:
//
//   0 <= A y + b  _|_  y >= 0,   y = (alpha, beta, lambda) per contact
//
//       [ N'N   N'D   0 ]        [ N'q ]       alpha   normal impulse
//   A = [ D'N   D'D   E ]    b = [ D'q ]       beta_j  impulse along direction d_j, sum_j beta_j <= mu alpha
//       [ mu    -E'   0 ]        [  0  ]       lambda  slip speed
//
// with products in W. In pose relaxed -mu stands in the corner right above, which makes A positive semidefinite for a
// symmetric W (000 (12)-(13)). In the plane d = +1, -1 and the cone is exact. A unilateral row has alpha alone; a free
// row is a variable without sign; a box has alpha = r - lo and a multiplier of its upper bound.
#ifndef CH_SOLVE_LCP_POLYGON_LCP_H
#define CH_SOLVE_LCP_POLYGON_LCP_H

#include <stdbool.h>

#include "system/system.h"

typedef struct ChPolygonLcp {
  int n;
  ChSparse A;
  double* b;
  unsigned char* free;  // variable without sign, row an equation
  ChSparse G;           // r = G y + base
  double* base;
} ChPolygonLcp;

// Variables of block i: alpha, then directions, then lambda; box: alpha, upper; free and half: one a row.
int ch_polygon_lcp_variables(const ChSystem* system, int i);

// W must be formed; every cone in space must have sides.
ChPolygonLcp ch_polygon_lcp(ChArena* arena, const ChSystem* system);

// Everything but the products with W and q: G, base, free, and A and b as far as friction and bounds go. Reads no more
// of the system than its blocks.
ChPolygonLcp ch_polygon_lcp_frame(ChArena* arena, const ChSystem* system);

// r = G y + base
void ch_polygon_lcp_reactions(const ChPolygonLcp* lcp, const ChSystem* system, const double* y, double* r);

// y of reactions r and velocities u = W r + q: what the contact law makes of them. A solution gives a solution.
void ch_polygon_lcp_point(const ChSystem* system, const double* r, const double* u, double* y);

#endif
