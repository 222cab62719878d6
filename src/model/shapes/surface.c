// Surfaces of shapes as polygons: see surface.h.
#include "model/shapes/surface.h"

#include <string.h>

#include "model/mesh/mesh.h"
#include "model/shapes/shape_kind.h"

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

ChPatches ch_patches_revolve(ChArena* arena, int count, const double (*profile)[2], int facets) {
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

ChPatches ch_patches_ball(ChArena* arena, double radius, double half_length, int facets) {
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
  return ch_patches_revolve(arena, count, profile, facets);
}

ChPatches ch_patches_ellipse(ChArena* arena, double half_x, double half_y, int facets) {
  ChPatches p = take(arena, facets, 1, facets);
  for (int k = 0; k < facets; ++k) {
    double angle = 2.0 * M_PI * k / facets;
    add_point(&p, ch_vec(half_x * cos(angle), half_y * sin(angle), 0.0));
  }
  add_loop(&p);
  return p;
}

ChPatches ch_patches_polytope(ChArena* arena, const ChShape* shape, const ChSurfaceView* view) {
  (void)view;
  const ChPolytope* solid = shape->polytope;
  const bool plane = solid->edge_count == 0;
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

ChPatches ch_patches_mesh(ChArena* arena, const ChShape* shape, const ChSurfaceView* view) {
  (void)view;
  const ChMesh* cells = shape->mesh;
  ChPatches p = take(arena, cells->vertex_count, cells->cell_count, cells->width * cells->cell_count);
  p.line = cells->width == 2;
  for (int v = 0; v < cells->vertex_count; ++v) add_point(&p, cells->vertices[v]);
  for (int c = 0; c < cells->cell_count; ++c) add_cell(&p, cells->width, cells->cells + (long)cells->width * c);
  if (cells->uv) {
    size_t count = 2 * (size_t)p.corner_count;
    p.uv = memcpy(CH_TAKE(arena, count, double), cells->uv, count * sizeof *p.uv);
  }
  return p;
}

ChPatches ch_patches_triangles(ChArena* arena, int point_count, const ChVec3* points, int count, const int* corners) {
  ChPatches p = take(arena, point_count, count, 3 * count);
  for (int v = 0; v < point_count; ++v) add_point(&p, points[v]);
  for (int t = 0; t < count; ++t) add_cell(&p, 3, corners + 3L * t);
  return p;
}

// The part of the boundary normal . x = offset that lies nearest to `about`.
ChPatches ch_patches_halfspace(ChArena* arena, const ChShape* shape, const ChSurfaceView* view) {
  const bool plane = ch_shape_kind(shape)->info.dimension == 2;
  const double reach = view->reach;
  ChVec3 n = shape->normal, t1, t2;
  ChVec3 centre = ch_along(view->about, shape->offset - ch_dot(n, view->about), n);
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

ChPatches ch_shape_patches(ChArena* arena, const ChShape* shape, const ChSurfaceView* view) {
  return ch_shape_kind(shape)->surface(arena, shape, view);
}
