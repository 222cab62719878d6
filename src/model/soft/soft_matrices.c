// Stiffness and mass of a raised mesh, and the motions that neither stretch nor bend it. See soft_mesh.h.
#include <math.h>
#include <string.h>

#include "linalg/lowest_modes.h"
#include "model/soft/soft_mesh.h"

enum { SIDE = 3 * CH_TET_NODES };

static const int* tet_nodes(const ChSoftMesh* mesh, int t) { return mesh->tets + (long)CH_TET_NODES * t; }

// M also gives the pattern: two nodes of one tetrahedron.
static ChSparse assemble_mass(ChArena* arena, const ChSoftMesh* mesh) {
  long most = (long)CH_TET_NODES * CH_TET_NODES * mesh->tet_count, count = 0;
  int *row = CH_TAKE(arena, most, int), *column = CH_TAKE(arena, most, int);
  double* value = CH_TAKE(arena, most, double);
  for (int t = 0; t < mesh->tet_count; ++t) {
    const int* node = tet_nodes(mesh, t);
    double unit = mesh->density * ch_tet_geometry(mesh->nodes, node).volume / 420.0;
    for (int a = 0; a < CH_TET_NODES; ++a)
      for (int b = 0; b < CH_TET_NODES; ++b) {
        int i = mesh->place[node[a]], j = mesh->place[node[b]];
        if (i < 0 || j < 0) continue;
        row[count] = i, column[count] = j, value[count++] = unit * ch_tet_mass[a][b];
      }
  }
  ChTriplets triplets = {mesh->moving_count, mesh->moving_count, count, row, column, value};
  return ch_sparse_from_triplets(arena, &triplets);
}

// K_e = sum over points of w B'B, B: the energy coordinates of the strain that each of the 30 displacements makes.
static void element_stiffness(const ChTetGeometry* geometry, ChElastic law, const ChTetRule* rule, double* Ke) {
  memset(Ke, 0, SIDE * SIDE * sizeof *Ke);
  for (int p = 0; p < rule->count; ++p) {
    ChVec3 slope[CH_TET_NODES];
    double B[SIDE][6], weight = rule->weight[p] * geometry->volume;
    ch_tet_slopes(geometry, rule->point[p], slope);
    for (int k = 0; k < SIDE; ++k) {
      double D[3][3] = {{0}};
      const ChVec3 s = slope[k / 3];
      D[k % 3][0] = s.x, D[k % 3][1] = s.y, D[k % 3][2] = s.z;
      ch_elastic_coordinates(law, D, B[k]);
    }
    for (int k = 0; k < SIDE; ++k)
      for (int l = 0; l < SIDE; ++l)
        for (int c = 0; c < 6; ++c) Ke[SIDE * k + l] += weight * B[k][c] * B[l][c];
  }
}

static double* block_at(const ChBlockCsr* A, int i, int j) { return (double*)ch_block_csr_find(A, i, j); }

static void assemble_stiffness(const ChSoftMesh* mesh, ChBlockCsr* K) {
  double Ke[SIDE * SIDE];
  ChTetRule rule = ch_tet_rule_2();
  for (int t = 0; t < mesh->tet_count; ++t) {
    const int* node = tet_nodes(mesh, t);
    ChTetGeometry geometry = ch_tet_geometry(mesh->nodes, node);
    element_stiffness(&geometry, mesh->law, &rule, Ke);
    for (int a = 0; a < CH_TET_NODES; ++a)
      for (int b = 0; b < CH_TET_NODES; ++b) {
        int i = mesh->place[node[a]], j = mesh->place[node[b]];
        if (i < 0 || j < 0) continue;
        double* block = block_at(K, i, j);
        for (int r = 0; r < 3; ++r)
          for (int c = 0; c < 3; ++c) block[3 * r + c] += Ke[SIDE * (3 * a + r) + 3 * b + c];
      }
  }
}

static ChBlockCsr lay_out(ChArena* arena, const ChSparse* M) {
  int n = M->columns, *dim = CH_TAKE(arena, n, int), *row = CH_TAKE(arena, n + 1, int);
  for (int i = 0; i < n; ++i) dim[i] = 3, row[i + 1] = row[i] + 3;
  ChBlockCsr A = {.n = n, .dim = dim, .row = row, .start = M->start, .column = M->index};
  ch_block_csr_layout(arena, &A);
  return A;
}

static bool factor_shifted(ChArena* arena, ChSoftMatrices* m) {
  ChBlockCsr A = m->K;
  long values = A.offset[A.start[A.n]];
  A.value = CH_TAKE_RAW(arena, values, double);
  memcpy(A.value, m->K.value, (size_t)values * sizeof *A.value);
  for (int k = 0; k < A.start[A.n]; ++k)
    for (int r = 0; r < 3; ++r) A.value[A.offset[k] + 4 * r] += m->shift * m->M.value[k];
  m->factor = ch_cholesky_analyze(arena, &A);
  return ch_cholesky_factor(m->factor, &A);
}

// Three shifts and three turns about the centre of mass, orthonormal in M.
static void make_rigid(ChArena* arena, ChSoftMatrices* m) {
  const ChSoftMesh* mesh = m->mesh;
  m->rigid_count = 6;
  m->rigid = CH_TAKE(arena, 6L * m->n, double);
  double* product = CH_TAKE(arena, 6L * m->n, double);
  for (int k = 0; k < 6; ++k) {
    double* u = m->rigid + (long)k * m->n;
    for (int v = 0; v < mesh->node_count; ++v) {
      ChVec3 axis = ch_axis(k % 3), x = k < 3 ? axis : ch_cross(axis, mesh->nodes[v]);
      u[3L * v] = x.x, u[3L * v + 1] = x.y, u[3L * v + 2] = x.z;
    }
    ch_modes_project(m->n, k, m->rigid, product, u);
    ch_soft_mass_multiply(m, u, product + (long)k * m->n);
    double square = 0.0;
    for (int i = 0; i < m->n; ++i) square += u[i] * product[(long)k * m->n + i];
    for (int i = 0; i < m->n; ++i) u[i] /= sqrt(square), product[(long)k * m->n + i] /= sqrt(square);
  }
}

// About the square of the lowest frequency of a free bar of this mass and spread: 22.37^2 E I / (rho A L^4), with L^2 /
// 12 and the height's square over 12 being the largest and the smallest spread of a unit mass. Any positive number
// would do; one near the lowest frequency leaves the shifted matrix well conditioned and the lowest modes well apart.
static double choose_shift(const ChSoftMesh* mesh) {
  if (mesh->moving_count < mesh->node_count) return 0.0;
  double mu = 0.5 * mesh->law.shear * mesh->law.shear, kappa = mesh->law.bulk * mesh->law.bulk;
  double young = 9.0 * kappa * mu / (3.0 * kappa + mu);
  ChVec3 principal = ch_mat_principal(mesh->spread);
  double thin = principal.x / mesh->mass, wide = principal.z / mesh->mass;
  return 0.1 * 500.5 / 144.0 * young / mesh->density * thin / (wide * wide);
}

void ch_soft_matrices_sum(ChArena* arena, const ChSoftMesh* mesh, ChSoftMatrices* out) {
  *out = (ChSoftMatrices){.mesh = mesh, .n = 3 * mesh->moving_count, .shift = choose_shift(mesh)};
  out->M = assemble_mass(arena, mesh);
  out->K = lay_out(arena, &out->M);
  assemble_stiffness(mesh, &out->K);
  if (mesh->moving_count == mesh->node_count) make_rigid(arena, out);
}

bool ch_soft_matrices_assemble(ChArena* arena, const ChSoftMesh* mesh, ChSoftMatrices* out) {
  ch_soft_matrices_sum(arena, mesh, out);
  return factor_shifted(arena, out);
}

void ch_soft_mass_multiply(void* matrices, const double* x, double* y) {
  const ChSoftMatrices* m = matrices;
  const ChSparse* M = &m->M;
  for (int j = 0; j < M->columns; ++j) {  // symmetric: columns are rows
    double sum[3] = {0.0, 0.0, 0.0};
    for (int k = M->start[j]; k < M->start[j + 1]; ++k) {
      const double* at = x + 3L * M->index[k];
      for (int c = 0; c < 3; ++c) sum[c] += M->value[k] * at[c];
    }
    memcpy(y + 3L * j, sum, sizeof sum);
  }
}

void ch_soft_shifted_solve(void* matrices, int count, const double* b, double* x) {
  ch_cholesky_solve_all(((ChSoftMatrices*)matrices)->factor, count, b, x);
}
