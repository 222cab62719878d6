// See soft_fold.h.
#include "model/soft/soft_fold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double MIDDLE[4] = {0.25, 0.25, 0.25, 0.25};

static void gradients_of(const ChSoftMesh* mesh, int tet, int modes, const double* U, double D[][3][3]) {
  ChVec3 slope[CH_TET_NODES];
  ChTetGeometry geometry = ch_tet_geometry(mesh->nodes, mesh->tets + (long)CH_TET_NODES * tet);
  ch_tet_slopes(&geometry, MIDDLE, slope);
  for (int a = 0; a < modes; ++a) ch_soft_mesh_gradient(mesh, tet, slope, U + 3L * a * mesh->moving_count, D[a]);
}

static double square_of(const double D[3][3]) {
  double sum = 0.0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) sum += D[i][j] * D[i][j];
  return sum;
}

typedef struct Place {
  double rank;
  int tet;
} Place;

static int compare_places(const void* a, const void* b) {
  const Place *x = a, *y = b;
  if (x->rank != y->rank) return x->rank > y->rank ? -1 : 1;
  return (x->tet > y->tet) - (x->tet < y->tet);
}

void ch_soft_fold_build(ChArena* arena, const ChSoftMesh* mesh, const double* U, const ChSoft* soft,
                        const ChSoftFold* fold) {
  ChArenaMark mark = ch_arena_mark(arena);
  int n = soft->modes;
  double D[CH_SOFT_MODES_MAX][3][3];
  Place* places = CH_TAKE(arena, mesh->tet_count, Place);
  for (int t = 0; t < mesh->tet_count; ++t) {
    gradients_of(mesh, t, n, U, D);
    places[t].tet = t;
    for (int a = 0; a < n; ++a) places[t].rank += square_of(D[a]) / (soft->frequency[a] * soft->frequency[a]);
  }
  qsort(places, (size_t)mesh->tet_count, sizeof *places, compare_places);
  for (int p = 0; p < fold->count; ++p) {
    gradients_of(mesh, places[p].tet, n, U, D);
    for (int a = 0; a < n; ++a) {
      fold->most[a] = fmax(fold->most[a], sqrt(square_of(D[a])));
      for (int k = 0; k < 9; ++k) fold->gradient[(9L * p + k) * n + a] = D[a][k / 3][k % 3];
    }
  }
  ch_arena_release(arena, mark);
}

double ch_soft_least_volume(const ChSoft* soft, const double* q) {
  int n = soft->modes;
  double least = 1.0;
  for (int p = 0; p < soft->fold->count; ++p) {
    ChVec3 row[3];
    for (int i = 0; i < 3; ++i) {
      row[i] = ch_soft_displacement(n, soft->fold->gradient + (9L * p + 3L * i) * n, q);
      row[i] = ch_add(row[i], ch_axis(i));
    }
    double volume = ch_dot(row[0], ch_cross(row[1], row[2]));
    if (isnan(volume)) return volume;
    if (volume < least) least = volume;
  }
  return least;
}

bool ch_soft_is_folded(const ChSoft* soft, const double* q) {
  double sum = 0.0;  // no less than |F'R - 1|: below 1 no point is turned
  for (int a = 0; a < soft->modes; ++a) sum += fabs(q[a]) * soft->fold->most[a];
  return !(sum < 1.0) && !(ch_soft_least_volume(soft, q) > 0.0);
}
