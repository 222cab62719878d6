// Polygonal friction: the cone spanned by M generators g_j = (1, mu_1 cos t_j, mu_2 sin t_j), t_j = 2 pi j / M.
//
// Its corners lie on the ellipse (inscribed polygon, Kaufman 2009); with mu / cos(pi / M) for mu it is the
// circumscribed one (Andreani et al.). In the plane two generators are the cone itself, and nothing here is needed.
#ifndef CH_PROBLEM_POLYGON_H
#define CH_PROBLEM_POLYGON_H

#include "cardhouse/problem.h"

// The face of the cone that a projection landed on, with the derivative D of the projection there (row-major 3 x 3).
typedef struct ChPolygonFace {
  double D[9];
} ChPolygonFace;

// cos and sin of the corners' angles, interleaved: 2 * sides numbers.
void ch_polygon_corners(int sides, double* corners);

// y = projection of x; face may be NULL. NaN stays NaN.
void ch_project_polygon(const double mu[2], int sides, const double* corners, const double x[3], double y[3],
                        ChPolygonFace* face);

// The plane polygon with corners radius (cos t_j, sin t_j), as a friction set for a given normal reaction: y =
// projection of x, D (row-major 2 x 2, may be NULL) its derivative. NaN stays NaN.
void ch_project_polygon_disc(double radius, int sides, const double* corners, const double x[2], double y[2],
                             double* D);

// max_j (mu_1 cos t_j u_1 + mu_2 sin t_j u_2), u = the two tangent entries; best (may be NULL) gets the j
double ch_polygon_support(const double mu[2], int sides, const double* corners, const double* u_tangent, int* best);

#endif
