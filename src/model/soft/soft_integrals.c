// Integrals of the basis over the mass: what couples deformation and motion of the frame (soft.h).
//
// With fields that are quadratic in each tetrahedron, int rho u_i v_j = u_i' m v_j exactly, m the mass matrix. All
// integrals are entries of the Gram matrix of the 3 + 3 n columns X_i, U_a,i.
#include <cblas.h>
#include <string.h>

#include "model/soft/soft_build.h"

// Columns at every node, held ones included: 3 of X, then 3 of each field. Row-major, `width` a row.
static double* tabulate(ChArena* arena, const ChSoftMesh* mesh, int modes, const double* U, int width) {
  double* table = CH_TAKE(arena, (long)mesh->node_count * width, double);
  for (int v = 0; v < mesh->node_count; ++v) {
    double* row = table + (long)v * width;
    for (int i = 0; i < 3; ++i) row[i] = ch_component(mesh->nodes[v], i);
    for (int a = 0; mesh->place[v] >= 0 && a < modes; ++a)
      memcpy(row + 3 + 3 * a, U + 3L * ((long)a * mesh->moving_count + mesh->place[v]), 3 * sizeof *row);
  }
  return table;
}

// m times the table, and int rho of every column.
static double* weigh(ChArena* arena, const ChSoftMesh* mesh, const double* table, int width, double* total) {
  double* product = CH_TAKE(arena, (long)mesh->node_count * width, double);
  for (int t = 0; t < mesh->tet_count; ++t) {
    const int* node = mesh->tets + (long)CH_TET_NODES * t;
    double rho_volume = mesh->density * ch_tet_geometry(mesh->nodes, node).volume;
    for (int a = 0; a < CH_TET_NODES; ++a) {
      cblas_daxpy(width, rho_volume / 20.0 * ch_tet_share[a], table + (long)node[a] * width, 1, total, 1);
      for (int b = 0; b < CH_TET_NODES; ++b)
        cblas_daxpy(width, rho_volume / 420.0 * ch_tet_mass[a][b], table + (long)node[b] * width, 1,
                    product + (long)node[a] * width, 1);
    }
  }
  return product;
}

// G[i][j] = int rho u_i v_j of two fields  ->  int rho (u.v 1 - (u v' + v u') / 2) as xx yy zz xy xz yz
static void inertia_of(const double* G, int width, double six[6]) {
  double trace = G[0] + G[width + 1] + G[2 * width + 2];
  for (int i = 0; i < 3; ++i) six[i] = trace - G[i * width + i];
  six[3] = -0.5 * (G[1] + G[width]);
  six[4] = -0.5 * (G[2] + G[2 * width]);
  six[5] = -0.5 * (G[width + 2] + G[2 * width + 1]);
}

// J2 symmetric and C2 antisymmetric in a, b to the last bit.
static void set_pair(const double* G, int width, int n, int a, int b, ChSoft* soft) {
  double *ab = soft->J2 + 6L * (a * n + b), *ba = soft->J2 + 6L * (b * n + a);
  inertia_of(G, width, ab);
  if (a == b) return;
  memcpy(ba, ab, 6 * sizeof *ab);
  const double c[3] = {G[width + 2] - G[2 * width + 1], G[2 * width] - G[2], G[1] - G[width]};
  for (int i = 0; i < 3; ++i) {
    soft->C2[3L * (a * n + b) + i] = c[i];
    soft->C2[3L * (b * n + a) + i] = -c[i];
  }
}

void ch_soft_integrate(ChArena* arena, const ChSoftMesh* mesh, const double* U, ChSoft* soft) {
  ChArenaMark mark = ch_arena_mark(arena);
  int n = soft->modes, width = 3 + 3 * n;
  double* total = CH_TAKE(arena, width, double);
  const double* table = tabulate(arena, mesh, n, U, width);
  const double* product = weigh(arena, mesh, table, width, total);
  double* G = CH_TAKE(arena, (long)width * width, double);
  cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, width, width, mesh->node_count, 1.0, table, width, product,
              width, 0.0, G, width);
  for (int a = 0; a < n; ++a) {
    const double* Ga = G + 3L * (a + 1) * width;
    inertia_of(Ga, width, soft->J1 + 6L * a);
    for (int k = 0; k < 6; ++k) soft->J1[6L * a + k] *= 2.0;
    for (int b = a; b < n; ++b) set_pair(Ga + 3 * (b + 1), width, n, a, b, soft);
    for (int i = 0; i < 3; ++i) soft->S[(long)i * n + a] = soft->clamped ? total[3 + 3 * a + i] : 0.0;
  }
  ch_arena_release(arena, mark);
}
