// See soft_element.h.
#include "model/soft/soft_element.h"

#include <math.h>

// ------------------------------------------------------------------------------------------------------- elastic law

ChElastic ch_elastic_law(double young, double poisson) {
  return (ChElastic){sqrt(young / (1.0 + poisson)), sqrt(young / (3.0 * (1.0 - 2.0 * poisson)))};
}

static const double ROOT_HALF = 0.70710678118654752440, ROOT_SIXTH = 0.40824829046386301637;

void ch_elastic_coordinates(ChElastic law, const double D[3][3], double c[6]) {
  c[0] = law.shear * ROOT_HALF * (D[0][0] - D[1][1]);
  c[1] = law.shear * ROOT_SIXTH * (2.0 * D[2][2] - D[0][0] - D[1][1]);
  c[2] = law.shear * ROOT_HALF * (D[0][1] + D[1][0]);
  c[3] = law.shear * ROOT_HALF * (D[0][2] + D[2][0]);
  c[4] = law.shear * ROOT_HALF * (D[1][2] + D[2][1]);
  c[5] = law.bulk * (D[0][0] + D[1][1] + D[2][2]);
}

void ch_elastic_stress(ChElastic law, const double c[6], double D[3][3]) {
  double first = law.shear * ROOT_HALF * c[0], second = law.shear * ROOT_SIXTH * c[1], trace = law.bulk * c[5];
  D[0][0] += first - second + trace;
  D[1][1] += -first - second + trace;
  D[2][2] += 2.0 * second + trace;
  for (int k = 0; k < 3; ++k) {
    int i = k == 2 ? 1 : 0, j = k == 0 ? 1 : 2;
    D[i][j] += law.shear * ROOT_HALF * c[2 + k];
    D[j][i] += law.shear * ROOT_HALF * c[2 + k];
  }
}

// ---------------------------------------------------------------------------------------------------------- geometry

ChTetGeometry ch_tet_geometry(const ChVec3* nodes, const int* corners) {
  ChVec3 a = nodes[corners[0]], b = ch_sub(nodes[corners[1]], a), c = ch_sub(nodes[corners[2]], a),
         d = ch_sub(nodes[corners[3]], a);
  double six = ch_dot(ch_cross(b, c), d);
  ChTetGeometry g = {.volume = six / 6.0};
  g.slope[1] = ch_scale(1.0 / six, ch_cross(c, d));
  g.slope[2] = ch_scale(1.0 / six, ch_cross(d, b));
  g.slope[3] = ch_scale(1.0 / six, ch_cross(b, c));
  g.slope[0] = ch_neg(ch_add(g.slope[1], ch_add(g.slope[2], g.slope[3])));
  return g;
}

void ch_tet_slopes(const ChTetGeometry* g, const double L[4], ChVec3 slope[CH_TET_NODES]) {
  for (int i = 0; i < 4; ++i) slope[i] = ch_scale(4.0 * L[i] - 1.0, g->slope[i]);
  for (int i = 0, at = 4; i < 4; ++i)
    for (int j = i + 1; j < 4; ++j)
      slope[at++] = ch_add(ch_scale(4.0 * L[i], g->slope[j]), ch_scale(4.0 * L[j], g->slope[i]));
}

// -------------------------------------------------------------------------------------------------------------- mass

const int ch_tet_mass[CH_TET_NODES][CH_TET_NODES] = {
    {6, 1, 1, 1, -4, -4, -4, -6, -6, -6},    {1, 6, 1, 1, -4, -6, -6, -4, -4, -6},
    {1, 1, 6, 1, -6, -4, -6, -4, -6, -4},    {1, 1, 1, 6, -6, -6, -4, -6, -4, -4},
    {-4, -4, -6, -6, 32, 16, 16, 16, 16, 8}, {-4, -6, -4, -6, 16, 32, 16, 16, 8, 16},
    {-4, -6, -6, -4, 16, 16, 32, 8, 16, 16}, {-6, -4, -4, -6, 16, 16, 8, 32, 16, 16},
    {-6, -4, -6, -4, 16, 8, 16, 16, 32, 16}, {-6, -6, -4, -4, 8, 16, 16, 16, 16, 32},
};
const int ch_tet_share[CH_TET_NODES] = {-1, -1, -1, -1, 4, 4, 4, 4, 4, 4};

// -------------------------------------------------------------------------------------------------------- quadrature

// Four points (a, a, a, 1 - 3 a).
static void add_corner_points(ChTetRule* rule, double a, double weight) {
  for (int k = 0; k < 4; ++k, ++rule->count) {
    for (int i = 0; i < 4; ++i) rule->point[rule->count][i] = i == k ? 1.0 - 3.0 * a : a;
    rule->weight[rule->count] = weight;
  }
}

// Six points (a, a, 1/2 - a, 1/2 - a).
static void add_edge_points(ChTetRule* rule, double a, double weight) {
  for (int j = 0; j < 4; ++j)
    for (int k = j + 1; k < 4; ++k, ++rule->count) {
      for (int i = 0; i < 4; ++i) rule->point[rule->count][i] = i == j || i == k ? 0.5 - a : a;
      rule->weight[rule->count] = weight;
    }
}

ChTetRule ch_tet_rule_2(void) {
  ChTetRule rule = {0};
  add_corner_points(&rule, (5.0 - sqrt(5.0)) / 20.0, 0.25);
  return rule;
}

ChTetRule ch_tet_rule_5(void) {  // Walkington 2000
  ChTetRule rule = {0};
  add_corner_points(&rule, 0.31088591926330060980, 0.11268792571801585080);
  add_corner_points(&rule, 0.092735250310891226402, 0.073493043116361949544);
  add_edge_points(&rule, 0.045503704125649649492, 0.042546020777081466438);
  return rule;
}
