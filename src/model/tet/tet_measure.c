// Sizes and shapes of tetrahedra: see tet_measure.h.
#include "model/tet/tet_measure.h"

#include <math.h>

static const int edge[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

static ChVec3 corner(const ChTetMesh* mesh, int tet, int k) { return mesh->vertices[mesh->tets[4 * tet + k]]; }

double ch_tet_volume(const ChTetMesh* mesh, int tet) {
  ChVec3 a = corner(mesh, tet, 0), b = ch_sub(corner(mesh, tet, 1), a), c = ch_sub(corner(mesh, tet, 2), a);
  return ch_dot(ch_cross(b, c), ch_sub(corner(mesh, tet, 3), a)) / 6.0;
}

static double edge_length(const ChTetMesh* mesh, int tet, int k) {
  return ch_norm(ch_sub(corner(mesh, tet, edge[k][1]), corner(mesh, tet, edge[k][0])));
}

double ch_tet_longest(const ChTetMesh* mesh, int tet) {
  double longest = 0.0;
  for (int k = 0; k < 6; ++k) longest = fmax(longest, edge_length(mesh, tet, k));
  return longest;
}

double ch_tet_quality(const ChTetMesh* mesh, int tet) {
  double sum = 0.0;
  for (int k = 0; k < 6; ++k) {
    double length = edge_length(mesh, tet, k);
    sum += length * length;
  }
  double mean = sqrt(sum / 6.0);
  return 6.0 * sqrt(2.0) * ch_tet_volume(mesh, tet) / (mean * mean * mean);
}

ChVec3 ch_tet_middle(const ChTetMesh* mesh, int tet) {
  ChVec3 middle = {0};
  for (int k = 0; k < 4; ++k) middle = ch_along(middle, 0.25, corner(mesh, tet, k));
  return middle;
}

// The angle between the two faces that meet at edge k: of their parts normal to it.
static double dihedral(const ChTetMesh* mesh, int tet, int k) {
  ChVec3 from = corner(mesh, tet, edge[k][0]), along = ch_unit(ch_sub(corner(mesh, tet, edge[k][1]), from));
  ChVec3 side[2];
  const int* other = edge[5 - k];  // the edge that edge k does not touch
  for (int s = 0; s < 2; ++s) {
    ChVec3 d = ch_sub(corner(mesh, tet, other[s]), from);
    side[s] = ch_along(d, -ch_dot(d, along), along);
  }
  return atan2(ch_norm(ch_cross(side[0], side[1])), ch_dot(side[0], side[1]));
}

static ChVec3 least(ChVec3 a, ChVec3 b) { return ch_vec(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)); }
static ChVec3 largest(ChVec3 a, ChVec3 b) { return ch_vec(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)); }

static void measure_tets(const ChTetMesh* mesh, ChTetMeasures* m) {
  m->worst_quality = 1.0, m->least_dihedral = acos(-1.0);
  for (int t = 0; t < mesh->tet_count; ++t) {
    double volume = ch_tet_volume(mesh, t), quality = ch_tet_quality(mesh, t);
    m->volume += volume;
    m->mean_quality += quality / mesh->tet_count;
    m->worst_quality = fmin(m->worst_quality, quality);
    for (int k = 0; k < 4; ++k) m->centre = ch_along(m->centre, 0.25 * volume, corner(mesh, t, k));
    for (int k = 0; k < 6; ++k) {
      double angle = dihedral(mesh, t, k);
      m->least_dihedral = fmin(m->least_dihedral, angle), m->largest_dihedral = fmax(m->largest_dihedral, angle);
    }
  }
  m->centre = ch_scale(1.0 / m->volume, m->centre);
}

static void measure_skin(ChArena* arena, const ChTetMesh* mesh, ChTetMeasures* m) {
  int* triangles;
  m->skin_triangles = ch_tet_mesh_skin(arena, mesh, &triangles);
  bool* used = CH_TAKE(arena, mesh->vertex_count, bool);
  for (int k = 0; k < m->skin_triangles; ++k) {
    const int* t = triangles + 3 * k;
    ChVec3 a = mesh->vertices[t[0]];
    m->area += 0.5 * ch_norm(ch_cross(ch_sub(mesh->vertices[t[1]], a), ch_sub(mesh->vertices[t[2]], a)));
    used[t[0]] = used[t[1]] = used[t[2]] = true;
  }
  for (int v = 0; v < mesh->vertex_count; ++v) m->skin_vertices += used[v];
}

ChTetMeasures ch_tet_measure(ChArena* arena, const ChTetMesh* mesh) {
  ChTetMeasures m = {.low = mesh->vertices[0], .high = mesh->vertices[0]};
  for (int v = 1; v < mesh->vertex_count; ++v)
    m.low = least(m.low, mesh->vertices[v]), m.high = largest(m.high, mesh->vertices[v]);
  measure_tets(mesh, &m);
  ChArenaMark mark = ch_arena_mark(arena);
  measure_skin(arena, mesh, &m);
  ch_arena_release(arena, mark);
  return m;
}
