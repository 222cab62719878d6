// Surfaces of shapes as polygons: see surface.h.
#include "record/surface.h"

#include "model/mesh/mesh.h"
#include "model/soft/soft.h"

static ChPatches take(ChArena* arena, int points, int cells, int corners) {
  return (ChPatches){.points = CH_TAKE(arena, points, ChVec3),
                     .sizes = CH_TAKE(arena, cells, int),
                     .corners = CH_TAKE(arena, corners, int)};
}

static void add_point(ChPatches* p, ChVec3 point) { p->points[p->point_count++] = point; }

static void add_cell(ChPatches* p, int size, const int* corners) {
  p->sizes[p->cell_count++] = size;
  for (int k = 0; k < size; ++k) p->corners[p->corner_count++] = corners[k];
}

// One loop through all points, or an open polyline.
static void add_loop(ChPatches* p) {
  p->sizes[p->cell_count++] = p->point_count;
  for (int k = 0; k < p->point_count; ++k) p->corners[p->corner_count++] = k;
}

// Turns the profile (radius, height), from the lowest point up, about z. Its ends are closed: by a point where the
// radius is zero, by a flat polygon otherwise.
static ChPatches revolve(ChArena* arena, int count, const double (*profile)[2], int facets) {
  ChPatches p = take(arena, count * facets, (count + 1) * facets, 4 * (count + 1) * facets);
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < facets; ++k) {
      double angle = 2.0 * M_PI * k / facets;
      add_point(&p, ch_vec(profile[i][0] * cos(angle), profile[i][0] * sin(angle), profile[i][1]));
    }
  for (int i = 0; i + 1 < count; ++i)
    for (int k = 0; k < facets; ++k) {
      int next = (k + 1) % facets, low = i * facets, high = low + facets;
      add_cell(&p, 4, (int[4]){low + k, low + next, high + next, high + k});
    }
  for (int end = 0; end < 2; ++end) {
    int first = end ? (count - 1) * facets : 0;
    if (profile[end ? count - 1 : 0][0] == 0.0) continue;
    p.sizes[p.cell_count++] = facets;
    for (int k = 0; k < facets; ++k) p.corners[p.corner_count++] = first + (end ? k : facets - 1 - k);
  }
  return p;
}

// A ball of this radius, pulled apart to the length of a capsule.
static ChPatches ball(ChArena* arena, double radius, double half_length, int facets) {
  double profile[64][2];
  int count = 0, half = facets / 4;
  for (int side = -1; side <= 1; side += 2)
    for (int k = 0; k <= half; ++k) {
      if (side > 0 && k == 0 && half_length == 0.0) continue;  // the equator once
      double angle = side * 0.5 * M_PI * (side < 0 ? half - k : k) / half;
      bool pole = side < 0 ? k == 0 : k == half;
      profile[count][0] = pole ? 0.0 : radius * cos(angle);
      profile[count++][1] = radius * sin(angle) + side * half_length;
    }
  return revolve(arena, count, profile, facets);
}

static ChPatches ellipsoid(ChArena* arena, ChVec3 half, int facets) {
  ChPatches p = ball(arena, 1.0, 0.0, facets);
  for (int k = 0; k < p.point_count; ++k) {
    ChVec3* x = &p.points[k];
    *x = ch_vec(half.x * x->x, half.y * x->y, half.z * x->z);
  }
  return p;
}

static ChPatches cylinder(ChArena* arena, double radius, double half_length, int facets) {
  const double profile[2][2] = {{radius, -half_length}, {radius, half_length}};
  return revolve(arena, 2, profile, facets);
}

static ChPatches ellipse(ChArena* arena, double half_x, double half_y, int facets) {
  ChPatches p = take(arena, facets, 1, facets);
  for (int k = 0; k < facets; ++k) {
    double angle = 2.0 * M_PI * k / facets;
    add_point(&p, ch_vec(half_x * cos(angle), half_y * sin(angle), 0.0));
  }
  add_loop(&p);
  return p;
}

static ChPatches polytope(ChArena* arena, const ChPolytope* solid, bool plane) {
  int corners = plane ? solid->vertex_count : solid->face_start[solid->face_count];
  ChPatches p = take(arena, solid->vertex_count, plane ? 1 : solid->face_count, corners);
  for (int v = 0; v < solid->vertex_count; ++v) add_point(&p, solid->vertices[v]);
  if (plane) {
    add_loop(&p);
    return p;
  }
  for (int f = 0; f < solid->face_count; ++f)
    add_cell(&p, solid->face_start[f + 1] - solid->face_start[f], solid->face_vertex + solid->face_start[f]);
  return p;
}

static ChPatches mesh(ChArena* arena, const ChMesh* cells) {
  ChPatches p = take(arena, cells->vertex_count, cells->cell_count, cells->width * cells->cell_count);
  p.line = cells->width == 2;
  for (int v = 0; v < cells->vertex_count; ++v) add_point(&p, cells->vertices[v]);
  for (int c = 0; c < cells->cell_count; ++c) add_cell(&p, cells->width, cells->cells + (long)cells->width * c);
  return p;
}

// As it is at rest; who draws a deformed one moves the points, which are the skin's vertices in their order.
static ChPatches skin(ChArena* arena, const ChSoftSkin* s) {
  ChPatches p = take(arena, s->vertex_count, s->triangle_count, 3 * s->triangle_count);
  for (int v = 0; v < s->vertex_count; ++v) add_point(&p, s->rest[v]);
  for (int t = 0; t < s->triangle_count; ++t) add_cell(&p, 3, s->triangles + 3L * t);
  return p;
}

// The part of the boundary normal . x = offset that lies nearest to `about`.
static ChPatches halfspace(ChArena* arena, const ChShape* shape, bool plane, ChVec3 about, double reach) {
  ChVec3 n = shape->normal, t1, t2;
  ChVec3 centre = ch_along(about, shape->offset - ch_dot(n, about), n);
  ch_tangents(n, &t1, &t2);
  ChPatches p = take(arena, 4, 1, 4);
  if (plane) {
    ChVec3 along = ch_vec(-n.y, n.x, 0.0);
    p.line = true;
    add_point(&p, ch_along(centre, -reach, along));
    add_point(&p, ch_along(centre, reach, along));
  } else {
    for (int k = 0; k < 4; ++k)
      add_point(&p, ch_along(ch_along(centre, k == 0 || k == 3 ? -reach : reach, t1), k < 2 ? -reach : reach, t2));
  }
  add_loop(&p);
  return p;
}

ChPatches ch_shape_patches(ChArena* arena, const ChShape* shape, bool plane, ChVec3 about, double reach, int facets) {
  switch (shape->type) {
    case CH_SHAPE_SPHERE:
      return ball(arena, shape->radius, 0.0, facets);
    case CH_SHAPE_CAPSULE:
      return ball(arena, shape->radius, shape->half_length, facets);
    case CH_SHAPE_CYLINDER:
      return cylinder(arena, shape->radius, shape->half_length, facets);
    case CH_SHAPE_ELLIPSOID:
      return ellipsoid(arena, shape->half, facets);
    case CH_SHAPE_DISK:
      return ellipse(arena, shape->radius, shape->radius, facets);
    case CH_SHAPE_ELLIPSE:
      return ellipse(arena, shape->half.x, shape->half.y, facets);
    case CH_SHAPE_HALFSPACE:
    case CH_SHAPE_HALFPLANE:
      return halfspace(arena, shape, plane, about, reach);
    case CH_SHAPE_MESH:
    case CH_SHAPE_CHAIN:
      return mesh(arena, shape->mesh);
    case CH_SHAPE_BOX:
    case CH_SHAPE_HULL:
    case CH_SHAPE_RECTANGLE:
    case CH_SHAPE_POLYGON:
      break;
    case CH_SHAPE_SOFT:
      return skin(arena, &shape->soft->skin);
  }
  return polytope(arena, shape->polytope, plane);
}
