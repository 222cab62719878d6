// Convex hull of points by qhull. Facets that are coplanar up to rounding are one face; corners are points as given.
#include <libqhull_r/qhull_ra.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/plain_numbers.h"
#include "model/shapes/polytope_build.h"

static const double FLAT = 1e-9;    // thinner than this, relative to its size, a set of points has no inside
static const double MERGE = 1e-12;  // facets nearer to one plane than this, relative to coordinates, are one face

// Loops of faces as indices of points, in arrays large enough for any hull of that many points.
typedef struct Loops {
  int face_count, room_faces, room_vertices;
  int *start, *vertex;
} Loops;

// Distances that say whether the points span space: farthest from the first, from the line, from the plane.
static double thickness(int count, const ChVec3* points, double* size) {
  ChVec3 first = points[0], axis = {0, 0, 0}, side = {0, 0, 0};
  double length = 0.0, width = 0.0, height = 0.0;
  for (int k = 1; k < count; ++k) {
    ChVec3 d = ch_sub(points[k], first);
    if (ch_norm(d) > length) length = ch_norm(d), axis = ch_unit(d);
  }
  for (int k = 1; k < count; ++k) {
    ChVec3 d = ch_sub(points[k], first), across = ch_along(d, -ch_dot(d, axis), axis);
    if (ch_norm(across) > width) width = ch_norm(across), side = ch_unit(across);
  }
  ChVec3 normal = ch_cross(axis, side);
  for (int k = 1; k < count; ++k) height = fmax(height, fabs(ch_dot(normal, ch_sub(points[k], first))));
  *size = length;
  return height;
}

// qhull leaves by a jump where it meets an inconsistency: nothing here may take memory of ours.
static bool copy_facets(qhT* qh, Loops* loops) {
  bool fits = true;
  int jumped = setjmp(qh->errexit);
  if (!jumped) {
    qh->NOerrexit = False;
    facetT* facet;
    FORALLfacets {
      setT* ring = qh_facet3vertex(qh, facet);
      int used = loops->start[loops->face_count], size = qh_setsize(qh, ring);
      fits = fits && loops->face_count < loops->room_faces && used + size <= loops->room_vertices;
      if (fits) {
        vertexT *vertex, **vertexp;
        FOREACHvertex_(ring) loops->vertex[used++] = qh_pointid(qh, vertex->point);
        loops->start[++loops->face_count] = used;
      }
      qh_settempfree(qh, &ring);
    }
  }
  qh->NOerrexit = True;
  return fits && !jumped;
}

static bool run_qhull(int count, const ChVec3* points, double merge, Loops* loops) {
  char *text = NULL, command[64];
  size_t size = 0;
  FILE* words = open_memstream(&text, &size);  // what qhull would print
  if (!words) return false;
  locale_t before = ch_plain_numbers_begin();  // qhull reads its command
  snprintf(command, sizeof command, "qhull C-%.3g Pp", merge);
  qhT state, *qh = &state;
  qh_zero(qh, words);
  int failed = qh_new_qhull(qh, 3, count, (coordT*)(uintptr_t)points, False, command, NULL, words);
  ch_plain_numbers_end(before);
  loops->face_count = 0;
  bool done = !failed && copy_facets(qh, loops);
  qh_freeqhull(qh, !qh_ALL);
  int long_blocks, long_bytes;
  qh_memfreeshort(qh, &long_blocks, &long_bytes);
  fclose(words);
  free(text);
  return done;
}

// Which way the loops run, all alike, is seen from the sign of the volume.
static void orient(const ChVec3* points, Loops* loops) {
  double volume = 0.0;
  ChVec3 inside = points[loops->vertex[0]];
  for (int f = 0; f < loops->face_count; ++f) {
    const int* loop = loops->vertex + loops->start[f];
    for (int k = 1; k + 1 < loops->start[f + 1] - loops->start[f]; ++k)
      volume += ch_dot(ch_sub(points[loop[0]], inside),
                       ch_cross(ch_sub(points[loop[k]], inside), ch_sub(points[loop[k + 1]], inside)));
  }
  if (volume > 0.0) return;
  for (int f = 0; f < loops->face_count; ++f)
    for (int low = loops->start[f], high = loops->start[f + 1] - 1; low < high; ++low, --high) {
      int swap = loops->vertex[low];
      loops->vertex[low] = loops->vertex[high], loops->vertex[high] = swap;
    }
}

// Keeps the points that are corners, in the order given.
static ChPolytope* from_loops(ChArena* arena, int count, const ChVec3* points, const Loops* loops) {
  int* place = CH_TAKE(arena, count, int);
  int total = loops->start[loops->face_count];
  for (int k = 0; k < total; ++k) place[loops->vertex[k]] = 1;
  ChPolytope* p = CH_TAKE(arena, 1, ChPolytope);
  for (int k = 0; k < count; ++k)
    if (place[k]) place[k] = ++p->vertex_count;
  p->vertices = CH_TAKE(arena, p->vertex_count, ChVec3);
  for (int k = 0; k < count; ++k)
    if (place[k]) p->vertices[place[k] - 1] = points[k];
  p->face_count = loops->face_count;
  p->face_start = CH_TAKE(arena, p->face_count + 1, int);
  p->face_vertex = CH_TAKE(arena, total, int);
  for (int f = 0; f <= p->face_count; ++f) p->face_start[f] = loops->start[f];
  for (int k = 0; k < total; ++k) p->face_vertex[k] = place[loops->vertex[k]] - 1;
  return p;
}

ChStatus ch_polytope_hull(ChContext* context, ChArena* arena, int count, const ChVec3* points, ChPolytope** out) {
  if (count < 4) return ch_fail(context, CH_ERR_SIZE, "hull: has %d points, must have 4 or more", count);
  double size, thick = thickness(count, points, &size), reach = 0.0;
  if (!(thick > FLAT * size))
    return ch_fail(context, CH_ERR_RANGE, "hull: its %d points lie in one plane (within %g, for a size of %g)", count,
                   thick, size);
  for (int k = 0; k < count; ++k) reach = fmax(reach, ch_norm(points[k]));
  // A polytope with n corners has at most 2 n - 4 faces and 6 n - 12 sides of faces.
  Loops loops = {.room_faces = 2 * count, .room_vertices = 6 * count};
  loops.start = CH_TAKE(arena, loops.room_faces + 1, int);
  loops.vertex = CH_TAKE(arena, loops.room_vertices, int);
  const double merges[2] = {MERGE * reach, 0.0};
  for (int k = 0; k < 2; ++k) {
    if (!run_qhull(count, points, merges[k], &loops)) continue;
    orient(points, &loops);
    ChPolytope* hull = from_loops(arena, count, points, &loops);
    if (!ch_polytope_finish(arena, hull)) continue;
    *out = hull;
    return CH_OK;
  }
  return ch_fail(context, CH_ERR_NUMERIC, "hull: of %d points could not be formed; they are nearly degenerate", count);
}
