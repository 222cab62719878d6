// Mass properties: sums over tetrahedra or triangles, exact; closed forms are in the files of the shapes.
#include "model/shapes/mass_properties.h"

#include "model/shapes/shape_kind.h"

ChMassProperties ch_mass_centred(double mass, double xx, double yy, double zz) {
  return (ChMassProperties){mass, {0, 0, 0}, ch_mat_diagonal(ch_vec(mass * xx, mass * yy, mass * zz))};
}

// ------------------------------------------------------------------------------------------- sums over simplices

// Simplices with one corner in the origin and `width` others: volume V, first moment V s / (n + 1) and second moment
// V (s s' + sum of x x') / ((n + 1)(n + 2)) with s the sum of the corners, n the dimension.
typedef struct Sums {
  double volume;
  ChVec3 first;
  ChMat3 second;
} Sums;

static void add_simplex(Sums* sums, int n, const ChVec3* corner) {
  double volume =
      n == 3 ? ch_dot(corner[0], ch_cross(corner[1], corner[2])) / 6.0 : ch_cross(corner[0], corner[1]).z / 2.0;
  ChVec3 s = {0, 0, 0};
  double share = volume / ((n + 1) * (n + 2));
  for (int k = 0; k < n; ++k) {
    s = ch_add(s, corner[k]);
    ch_mat_add_outer(&sums->second, share, corner[k], corner[k]);
  }
  ch_mat_add_outer(&sums->second, share, s, s);
  sums->first = ch_along(sums->first, volume / (n + 1), s);
  sums->volume += volume;
}

// The sums were taken about `about`, a point near the solid, so that little cancels.
static ChMassProperties from_sums(const Sums* sums, ChVec3 about, double density) {
  ChMassProperties out = {.mass = density * sums->volume, .centre = about};
  if (sums->volume == 0.0) return out;
  ChVec3 shift = ch_scale(1.0 / sums->volume, sums->first);
  out.centre = ch_add(about, shift);
  out.spread = sums->second;
  ch_mat_add_outer(&out.spread, -sums->volume, shift, shift);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out.spread.m[i][j] *= density;
  return out;
}

static ChVec3 middle(int count, const ChVec3* points) {
  ChVec3 sum = {0, 0, 0};
  for (int k = 0; k < count; ++k) sum = ch_along(sum, 1.0 / count, points[k]);
  return sum;
}

ChMassProperties ch_mass_of_polytope(const ChPolytope* p, double density) {
  ChVec3 about = middle(p->vertex_count, p->vertices);
  bool plane = p->edge_count == 0;
  Sums sums = {0};
  for (int f = 0; f < p->face_count; ++f) {
    const int* loop = p->face_vertex + p->face_start[f];
    int size = p->face_start[f + 1] - p->face_start[f];
    for (int k = 1; k + 1 < size + plane; ++k) {  // a side of a polygon is one simplex, a face a fan of them
      ChVec3 corner[3] = {ch_sub(p->vertices[loop[0]], about), ch_sub(p->vertices[loop[k]], about)};
      if (!plane) corner[2] = ch_sub(p->vertices[loop[k + 1]], about);
      add_simplex(&sums, plane ? 2 : 3, corner);
    }
  }
  return from_sums(&sums, about, density);
}

ChMassProperties ch_mass_of_mesh(const ChMesh* mesh, double density) {
  if (!mesh->closed || mesh->width != 3) return (ChMassProperties){0};
  ChVec3 about = middle(mesh->vertex_count, mesh->vertices);
  Sums sums = {0};
  for (int c = 0; c < mesh->cell_count; ++c) {
    ChVec3 corner[3];
    for (int k = 0; k < 3; ++k) corner[k] = ch_sub(mesh->vertices[mesh->cells[3 * c + k]], about);
    add_simplex(&sums, 3, corner);
  }
  return from_sums(&sums, about, density);
}

// -------------------------------------------------------------------------------------------------------------- shapes

ChMassProperties ch_mass_of_shape(const ChShape* shape, double density) {
  const ChShapeKind* kind = ch_shape_kind(shape);
  if (!kind->mass) return (ChMassProperties){.centre = shape->local.at};
  ChMassProperties mass = kind->mass(shape, density);
  mass.centre = ch_frame_point(shape->local, mass.centre);
  ChQuat q = shape->local.orientation;
  if (q.x != 0.0 || q.y != 0.0 || q.z != 0.0) mass.spread = ch_mat_turned(q, &mass.spread);
  return mass;
}

ChMassProperties ch_mass_sum(int count, const ChMassProperties* parts) {
  if (count == 1) return parts[0];
  ChMassProperties sum = {0};
  for (int k = 0; k < count; ++k) sum.mass += parts[k].mass;
  if (sum.mass == 0.0) return sum;
  for (int k = 0; k < count; ++k) sum.centre = ch_along(sum.centre, parts[k].mass / sum.mass, parts[k].centre);
  for (int k = 0; k < count; ++k) {
    ChVec3 d = ch_sub(parts[k].centre, sum.centre);
    sum.spread = ch_mat_along(&sum.spread, 1.0, &parts[k].spread);
    ch_mat_add_outer(&sum.spread, parts[k].mass, d, d);
  }
  return sum;
}

ChMat3 ch_mass_inertia(const ChMassProperties* mass) {
  const ChMat3* c = &mass->spread;
  ChMat3 j;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) j.m[i][k] = -0.5 * (c->m[i][k] + c->m[k][i]);
  j.m[0][0] = c->m[1][1] + c->m[2][2];
  j.m[1][1] = c->m[0][0] + c->m[2][2];
  j.m[2][2] = c->m[0][0] + c->m[1][1];
  return j;
}
