// See soft_parts.h.
#include "support/soft_parts.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "model/tet/tet_shapes.h"

enum { SIDE = 3 * CH_TET_NODES, LOAD_STEPS = 5, MOST_ITERATIONS = 30 };

// -------------------------------------------------------------------------------------------------------------- bars

ChBar ch_bar(ChSoftKind kind, bool clamped, int modes) {
  ChBar bar = {.length = 1.0, .width = 0.06, .height = 0.04, .density = 1000.0, .along = 8, .across = 2};
  bar.def = ch_soft_def_default();
  bar.def.kind = kind;
  bar.def.young = 1e7;
  bar.def.modes = modes;
  bar.def.clamped = clamped;
  bar.def.clamp_low = ch_vec(-0.501, -1.0, -1.0);
  bar.def.clamp_high = ch_vec(-0.499, 1.0, 1.0);
  return bar;
}

ChTetMesh ch_bar_mesh(ChArena* arena, const ChBar* bar) {
  ChTetMesh mesh = {0};
  const int cells[3] = {bar->along, bar->across, bar->across};
  ch_tet_box(NULL, arena, ch_vec(bar->length, bar->width, bar->height), cells, &mesh);
  return mesh;
}

const ChSoft* ch_bar_soft(ChArena* arena, const ChBar* bar) {
  const ChSoft* soft = NULL;
  ChTetMesh mesh = ch_bar_mesh(arena, bar);
  return ch_soft_create(NULL, arena, "bar", &bar->def, bar->density, &mesh, &soft) == CH_OK ? soft : NULL;
}

ChSoftParts* ch_soft_parts(ChArena* arena, const ChTetMesh* mesh, double density, const ChSoftDef* def) {
  ChSoftParts* parts = CH_TAKE(arena, 1, ChSoftParts);
  bool* held = def->clamped ? CH_TAKE(arena, mesh->vertex_count, bool) : NULL;
  for (int v = 0; held && v < mesh->vertex_count; ++v) held[v] = mesh->vertices[v].x <= def->clamp_high.x;
  parts->mesh = ch_soft_mesh_raise(arena, mesh, density, held);
  parts->mesh.law = ch_elastic_law(def->young, def->poisson);
  if (!ch_soft_matrices_assemble(arena, &parts->mesh, &parts->matrices)) return NULL;
  parts->U = CH_TAKE(arena, (long)def->modes * parts->matrices.n, double);
  parts->lambda = CH_TAKE(arena, def->modes, double);
  return ch_soft_basis(arena, &parts->matrices, def->kind, def->modes, parts->U, parts->lambda) ? parts : NULL;
}

ChSoftParts* ch_bar_parts(ChArena* arena, const ChBar* bar) {
  ChTetMesh mesh = ch_bar_mesh(arena, bar);
  return ch_soft_parts(arena, &mesh, bar->density, &bar->def);
}

// ---------------------------------------------------------------------------------------------------- nonlinear law

// What one point has: F = 1 + du/dX, the coordinates of its strain, and its stress.
typedef struct Point {
  double F[3][3], c[6], S[3][3];
} Point;

static Point strain_at(const ChSoftMesh* mesh, int tet, const ChVec3* slope, const double* u) {
  Point at = {0};
  double E[3][3];
  ch_soft_mesh_gradient(mesh, tet, slope, u, at.F);
  for (int i = 0; i < 3; ++i) at.F[i][i] += 1.0;
  ch_strain_second(at.F, at.F, E);
  for (int i = 0; i < 3; ++i) E[i][i] -= 0.5;
  ch_elastic_coordinates(mesh->law, E, at.c);
  ch_elastic_stress(mesh->law, at.c, at.S);
  return at;
}

static void add_force(const ChSoftMesh* mesh, const int* node, const ChVec3* slope, const Point* at, double weight,
                      double* f) {
  for (int k = 0; k < CH_TET_NODES; ++k) {
    int place = mesh->place[node[k]];
    if (place < 0) continue;
    const double s[3] = {slope[k].x, slope[k].y, slope[k].z};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int l = 0; l < 3; ++l) f[3 * place + i] += weight * at->F[i][j] * at->S[j][l] * s[l];
  }
}

// B'B of the strains that displacements make, and the stress that turns with them.
static void add_stiffness(const ChSoftMesh* mesh, const int* node, const ChVec3* slope, const Point* at, double weight,
                          ChBlockCsr* K) {
  double B[SIDE][6];
  for (int k = 0; k < SIDE; ++k) {
    double D[3][3], twice[3][3] = {{0}};
    const double s[3] = {slope[k / 3].x, slope[k / 3].y, slope[k / 3].z};
    for (int j = 0; j < 3; ++j) twice[k % 3][j] = 2.0 * s[j];
    ch_strain_second(at->F, twice, D);
    ch_elastic_coordinates(mesh->law, D, B[k]);
  }
  for (int a = 0; a < CH_TET_NODES; ++a)
    for (int b = 0; b < CH_TET_NODES; ++b) {
      int i = mesh->place[node[a]], j = mesh->place[node[b]];
      if (i < 0 || j < 0) continue;
      double *block = (double*)ch_block_csr_find(K, i, j), turn = 0.0;
      const double s[3] = {slope[a].x, slope[a].y, slope[a].z}, t[3] = {slope[b].x, slope[b].y, slope[b].z};
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l) turn += s[k] * at->S[k][l] * t[l];
      for (int r = 0; r < 3; ++r) {
        block[4 * r] += weight * turn;
        for (int c = 0; c < 3; ++c)
          for (int k = 0; k < 6; ++k) block[3 * r + c] += weight * B[3 * a + r][k] * B[3 * b + c][k];
      }
    }
}

double ch_full_stvk(const ChSoftMesh* mesh, const double* u, double* force, ChBlockCsr* stiffness) {
  ChTetRule rule = ch_tet_rule_5();
  double energy = 0.0;
  if (force) memset(force, 0, 3 * (size_t)mesh->moving_count * sizeof *force);
  if (stiffness)
    memset(stiffness->value, 0, (size_t)stiffness->offset[stiffness->start[stiffness->n]] * sizeof(double));
  for (int t = 0; t < mesh->tet_count; ++t) {
    const int* node = mesh->tets + CH_TET_NODES * t;
    ChTetGeometry geometry = ch_tet_geometry(mesh->nodes, node);
    for (int p = 0; p < rule.count; ++p) {
      ChVec3 slope[CH_TET_NODES];
      double weight = rule.weight[p] * geometry.volume;
      ch_tet_slopes(&geometry, rule.point[p], slope);
      Point at = strain_at(mesh, t, slope, u);
      for (int k = 0; k < 6; ++k) energy += 0.5 * weight * at.c[k] * at.c[k];
      if (force) add_force(mesh, node, slope, &at, weight, force);
      if (stiffness) add_stiffness(mesh, node, slope, &at, weight, stiffness);
    }
  }
  return energy;
}

// -------------------------------------------------------------------------------------------------------------- rest

static double length(int n, const double* x) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += x[i] * x[i];
  return sqrt(sum);
}

bool ch_full_stvk_rest(ChArena* arena, const ChSoftMatrices* m, const double* f, double* u) {
  int n = m->n;
  ChBlockCsr K = m->K;
  K.value = CH_TAKE(arena, K.offset[K.start[K.n]], double);
  double *inner = CH_TAKE(arena, n, double), *step = CH_TAKE(arena, n, double);
  ChCholesky* factor = ch_cholesky_analyze(arena, &K);
  bool done = false;
  for (int part = 1; part <= LOAD_STEPS; ++part) {
    done = false;
    for (int k = 0; k < MOST_ITERATIONS && !done; ++k) {
      ch_full_stvk(m->mesh, u, inner, &K);
      for (int i = 0; i < n; ++i) inner[i] = f[i] * part / LOAD_STEPS - inner[i];
      if (!ch_cholesky_factor(factor, &K)) return false;
      ch_cholesky_solve(factor, inner, step);
      for (int i = 0; i < n; ++i) u[i] += step[i];
      done = length(n, step) <= 1e-10 * length(n, u);
    }
    if (!done) return false;
  }
  return done;
}

bool ch_soft_rest(const ChSoft* soft, const double* f, double* q) {
  int n = soft->modes;
  double K[CH_SOFT_MODES_MAX * CH_SOFT_MODES_MAX], step[CH_SOFT_MODES_MAX];
  bool done = false;
  memset(q, 0, (size_t)n * sizeof *q);
  for (int part = 1; part <= LOAD_STEPS; ++part) {
    done = false;
    for (int k = 0; k < MOST_ITERATIONS && !done; ++k) {
      ch_soft_force(soft, q, step);
      ch_soft_stiffness(soft, q, K);
      for (int a = 0; a < n; ++a) step[a] = f[a] * part / LOAD_STEPS - step[a];
      if (LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', n, 1, K, n, step, 1) != 0) return false;
      for (int a = 0; a < n; ++a) q[a] += step[a];
      done = length(n, step) <= 1e-12 * length(n, q);
    }
    if (!done) return false;
  }
  return done;
}
