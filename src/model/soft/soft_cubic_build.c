// The coefficients of the quartic energy: sums over quadrature points, exact since the energy is quartic in the point.
#include <cblas.h>
#include <math.h>

#include "model/soft/soft_cubic.h"

enum { TABLE_NUMBERS = 1 << 20 };

// Six rows of the table for one point: e_a, then g_ab, in energy coordinates, times the root of the weight.
static void set_rows(const ChSoftMesh* mesh, int n, double D[][3][3], double root, int width, double* rows) {
  double c[6], g[3][3];
  for (int a = 0, at = n; a < n; ++a) {
    ch_elastic_coordinates(mesh->law, D[a], c);
    for (int k = 0; k < 6; ++k) rows[(long)k * width + a] = root * c[k];
    for (int b = a; b < n; ++b, ++at) {
      ch_strain_second(D[a], D[b], g);
      ch_elastic_coordinates(mesh->law, g, c);
      for (int k = 0; k < 6; ++k) rows[(long)k * width + at] = root * c[k];
    }
  }
}

static int tabulate(const ChSoftMesh* mesh, int n, const double* U, const ChTetRule* rule, int tet, int width,
                    double* rows) {
  double D[CH_SOFT_MODES_MAX][3][3];
  ChTetGeometry geometry = ch_tet_geometry(mesh->nodes, mesh->tets + (long)CH_TET_NODES * tet);
  for (int p = 0; p < rule->count; ++p) {
    ChVec3 slope[CH_TET_NODES];
    ch_tet_slopes(&geometry, rule->point[p], slope);
    for (int a = 0; a < n; ++a) ch_soft_mesh_gradient(mesh, tet, slope, U + 3L * a * mesh->moving_count, D[a]);
    set_rows(mesh, n, D, sqrt(rule->weight[p] * geometry.volume), width, rows + 6L * p * width);
  }
  return 6 * rule->count;
}

static int pair_of(int n, int a, int b) {
  int low = a < b ? a : b, high = a < b ? b : a;
  return low * n - low * (low - 1) / 2 + high - low;
}

// G: sums of products of the columns e_a (0 .. n - 1) and g_ab (from n on), upper triangle.
static void symmetrize(int n, int width, const double* G, const ChSoftCubic* out) {
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b)
      for (int c = b; c < n; ++c)
        out->A[(long)a * out->pairs + pair_of(n, b, c)] =
            (G[(long)a * width + n + pair_of(n, b, c)] + G[(long)b * width + n + pair_of(n, a, c)] +
             G[(long)c * width + n + pair_of(n, a, b)]) /
            3.0;
  double* next = out->B;
  for (int a = 0; a < n; ++a)
    for (int b = a; b < n; ++b)
      for (int c = a; c < n; ++c)
        for (int d = c == a ? b : c; d < n; ++d) {
          const int first[3] = {pair_of(n, a, b), pair_of(n, a, c), pair_of(n, a, d)};
          const int second[3] = {pair_of(n, c, d), pair_of(n, b, d), pair_of(n, b, c)};
          double sum = 0.0;
          for (int k = 0; k < 3; ++k) {
            int low = first[k] < second[k] ? first[k] : second[k], high = first[k] + second[k] - low;
            sum += G[(long)(n + low) * width + n + high];
          }
          *next++ = sum / 6.0;
        }
}

void ch_soft_cubic_build(ChArena* arena, const ChSoftMesh* mesh, const double* U, const ChSoftCubic* cubic) {
  ChArenaMark mark = ch_arena_mark(arena);
  ChTetRule rule = ch_tet_rule_5();
  int n = cubic->n, width = n + cubic->pairs, per_tet = 6 * rule.count;
  int chunk = TABLE_NUMBERS / (width * per_tet) + 1;
  double *table = CH_TAKE_RAW(arena, (long)chunk * per_tet * width, double),
         *G = CH_TAKE(arena, (long)width * width, double);
  for (int from = 0; from < mesh->tet_count; from += chunk) {
    int rows = 0;
    for (int t = from; t < mesh->tet_count && t < from + chunk; ++t)
      rows += tabulate(mesh, n, U, &rule, t, width, table + (long)rows * width);
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, width, rows, 1.0, table, width, 1.0, G, width);
  }
  symmetrize(n, width, G, cubic);
  ch_arena_release(arena, mark);
}
