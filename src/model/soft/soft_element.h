// The straight-sided quadratic tetrahedron: ten nodes, four corners and the middles of the edges 01 02 03 12 13 23.
//
//   N_i = L_i (2 L_i - 1),   N_ij = 4 L_i L_j        L: barycentric coordinates, linear in X
//
// Strains are linear in X, so that bending does not lock as it does in tetrahedra of four nodes. With energy
// coordinates c of a strain, the density of elastic energy is |c|^2 / 2:
//
//   lambda/2 tr(E)^2 + mu E:E = (2 mu |dev E|^2 + kappa tr(E)^2) / 2,   kappa = lambda + 2 mu / 3
#ifndef CH_MODEL_SOFT_SOFT_ELEMENT_H
#define CH_MODEL_SOFT_SOFT_ELEMENT_H

#include "base/vector.h"

enum { CH_TET_NODES = 10 };

typedef struct ChElastic {
  double shear, bulk;  // sqrt(2 mu), sqrt(kappa)
} ChElastic;
ChElastic ch_elastic_law(double young, double poisson);

// Energy coordinates of the symmetric part of D.
void ch_elastic_coordinates(ChElastic law, const double D[3][3], double c[6]);
// Their transposed: adds to D the symmetric tensor T with T : E = c . (coordinates of E) for every E.
void ch_elastic_stress(ChElastic law, const double c[6], double D[3][3]);

// a'b / 2, of which the symmetric part is the strain of second order that two fields of these gradients share.
static inline void ch_strain_second(const double a[3][3], const double b[3][3], double g[3][3]) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) g[i][j] = 0.5 * (a[0][i] * b[0][j] + a[1][i] * b[1][j] + a[2][i] * b[2][j]);
}

typedef struct ChTetGeometry {
  double volume;
  ChVec3 slope[4];  // gradients of the barycentric coordinates
} ChTetGeometry;
ChTetGeometry ch_tet_geometry(const ChVec3* nodes, const int* corners);

// Gradients of the ten shape functions at barycentric coordinates L.
void ch_tet_slopes(const ChTetGeometry* geometry, const double L[4], ChVec3 slope[CH_TET_NODES]);

// int rho N_i N_j = rho V / 420 of this.
extern const int ch_tet_mass[CH_TET_NODES][CH_TET_NODES];
// int N_i = V / 20 of this.
extern const int ch_tet_share[CH_TET_NODES];

// Points and weights, the latter of the volume 1.
typedef struct ChTetRule {
  int count;
  double weight[14], point[14][4];
} ChTetRule;
ChTetRule ch_tet_rule_2(void);  // exact to degree 2: stiffness
ChTetRule ch_tet_rule_5(void);  // exact to degree 5, all weights positive: the quartic energy

#endif
