// See soft_stress.h.
#include "model/soft/soft_stress.h"

#include <string.h>

static void add_corner(const ChSoftMesh* mesh, int tet, int corner, const ChTetGeometry* geometry, int modes,
                       const double* U, double* gradient) {
  double L[4] = {0.0}, D[3][3];
  ChVec3 slope[CH_TET_NODES];
  L[corner] = 1.0;
  ch_tet_slopes(geometry, L, slope);
  for (int a = 0; a < modes; ++a) {
    ch_soft_mesh_gradient(mesh, tet, slope, U + 3L * a * mesh->moving_count, D);
    for (int k = 0; k < 9; ++k) gradient[(long)k * modes + a] += geometry->volume * D[k / 3][k % 3];
  }
}

void ch_soft_stress_build(ChArena* arena, const ChSoftMesh* mesh, const double* U, const int* vertices,
                          const ChSoft* soft, const ChSoftStress* stress) {
  ChArenaMark mark = ch_arena_mark(arena);
  const long size = 9L * soft->modes;
  int* place = CH_TAKE(arena, mesh->corner_count, int);  // of a vertex on the skin, and 1; 0: inside
  double* volume = CH_TAKE(arena, soft->skin.vertex_count, double);
  for (int v = 0; v < soft->skin.vertex_count; ++v) place[vertices[v]] = v + 1;
  for (int t = 0; t < mesh->tet_count; ++t) {
    const int* nodes = mesh->tets + (long)CH_TET_NODES * t;
    ChTetGeometry geometry = ch_tet_geometry(mesh->nodes, nodes);
    for (int c = 0; c < 4; ++c) {
      int v = place[nodes[c]] - 1;
      if (v < 0) continue;
      add_corner(mesh, t, c, &geometry, soft->modes, U, stress->gradient + v * size);
      volume[v] += geometry.volume;
    }
  }
  for (int v = 0; v < soft->skin.vertex_count; ++v)
    for (long k = 0; k < size; ++k) stress->gradient[v * size + k] /= volume[v];
  ch_arena_release(arena, mark);
}

static void gradient_at(const ChSoft* soft, int vertex, const double* q, double G[3][3]) {
  int n = soft->modes;
  const double* D = soft->stress->gradient + 9L * n * vertex;
  for (int i = 0; i < 3; ++i) {
    ChVec3 row = ch_soft_displacement(n, D + 3L * i * n, q);
    for (int j = 0; j < 3; ++j) G[i][j] = ch_component(row, j);
  }
}

// Adds share C : sym D.
static void add_stress(ChElastic law, double share, const double D[3][3], double S[3][3]) {
  double c[6];
  ch_elastic_coordinates(law, D, c);
  for (int k = 0; k < 6; ++k) c[k] *= share;
  ch_elastic_stress(law, c, S);
}

// F S F' / det F of F = 1 + G.
static ChMat3 pushed(const double G[3][3], const ChMat3* S) {
  ChMat3 F;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) F.m[i][j] = G[i][j] + (i == j ? 1.0 : 0.0);
  ChVec3 row[3];
  for (int i = 0; i < 3; ++i) row[i] = ch_vec(F.m[i][0], F.m[i][1], F.m[i][2]);
  double volume = ch_dot(row[0], ch_cross(row[1], row[2]));
  ChMat3 back = ch_mat_transposed(&F), right = ch_mat_product(S, &back), out = ch_mat_product(&F, &right);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out.m[i][j] /= volume;
  return out;
}

ChMat3 ch_soft_stress_at(const ChSoft* soft, int vertex, const double* q, const double* stretches) {
  ChElastic law = soft->stress->law;
  ChMat3 S = {{{0.0}}};
  double G[3][3], second[3][3], Z[3][3];
  gradient_at(soft, vertex, q, G);
  add_stress(law, 1.0, G, S.m);
  if (soft->cubic) {
    ch_strain_second(G, G, second);
    add_stress(law, 1.0, second, S.m);
  }
  for (int k = 0; k < soft->arms; ++k) {
    gradient_at(soft, vertex, stretches + (long)k * soft->modes, Z);
    add_stress(law, soft->arm_share[k], Z, S.m);
  }
  return soft->cubic ? pushed(G, &S) : S;
}
