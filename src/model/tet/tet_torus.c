// A solid ring: see tet_torus.h.
//
// The section is a disc of 6 n^2 triangles in n rings; each is swept to the next section as a prism and cut into three
// tetrahedra by diagonals that lead from the vertex of the lower number in this section to that of the higher in the
// next, so that neighbours match all around.
#include "model/tet/tet_torus.h"

#include <math.h>

#include "model/tet/tet_measure.h"

static int ring_vertex(int ring, int k) { return ring == 0 ? 0 : 1 + 3 * ring * (ring - 1) + k % (6 * ring); }

// The triangles of the disc: 3 vertices each.
static int disc(int rings, int* triangles) {
  int count = 0;
  for (int r = 1; r <= rings; ++r)
    for (int sector = 0; sector < 6; ++sector)
      for (int k = 0; k < r; ++k) {
        int outer = sector * r + k, inner = sector * (r - 1) + k;
        int* t = triangles + 3 * count++;
        t[0] = ring_vertex(r, outer), t[1] = ring_vertex(r, outer + 1), t[2] = ring_vertex(r - 1, inner);
        if (k == r - 1) continue;
        t = triangles + 3 * count++;
        t[0] = ring_vertex(r, outer + 1), t[1] = ring_vertex(r - 1, inner + 1), t[2] = ring_vertex(r - 1, inner);
      }
  return count;
}

static void place(double radius, double tube, int around, int rings, ChTetMesh* out) {
  double full = 2.0 * acos(-1.0);
  for (int s = 0; s < around; ++s)
    for (int r = 0; r <= rings; ++r)
      for (int k = 0; k < (r ? 6 * r : 1); ++k) {
        double turn = full * s / around, angle = r ? full * k / (6 * r) : 0.0, reach = tube * r / rings;
        double from_axis = radius + reach * cos(angle);
        out->vertices[out->vertex_count++] = ch_vec(from_axis * cos(turn), from_axis * sin(turn), reach * sin(angle));
      }
}

static void add_tet(ChTetMesh* out, int a, int b, int c, int d) {
  int* tet = out->tets + 4L * out->tet_count;
  tet[0] = a, tet[1] = b, tet[2] = c, tet[3] = d;
  if (ch_tet_volume(out, out->tet_count++) < 0.0) tet[2] = d, tet[3] = c;
}

static void sweep(int around, int section, int triangle_count, const int* triangles, ChTetMesh* out) {
  for (int s = 0; s < around; ++s)
    for (int k = 0; k < triangle_count; ++k) {
      const int* t = triangles + 3 * k;
      int low = t[0], middle = t[1], high = t[2], swap;
      if (low > middle) swap = low, low = middle, middle = swap;
      if (middle > high) swap = middle, middle = high, high = swap;
      if (low > middle) swap = low, low = middle, middle = swap;
      int here = s * section, there = (s + 1) % around * section;
      add_tet(out, here + low, here + middle, here + high, there + high);
      add_tet(out, here + low, here + middle, there + middle, there + high);
      add_tet(out, here + low, there + low, there + middle, there + high);
    }
}

ChStatus ch_tet_torus(ChContext* context, ChArena* arena, double radius, double tube, int around, int rings,
                      ChTetMesh* out) {
  *out = (ChTetMesh){0};
  if (!(tube < radius))
    return ch_fail(context, CH_ERR_RANGE, "torus: a tube of radius %g leaves no hole in a ring of radius %g", tube,
                   radius);
  if (around < 3 || rings < 1)
    return ch_fail(context, CH_ERR_RANGE, "torus: has %d pieces and %d rings, must have at least 3 pieces and 1 ring",
                   around, rings);
  double tets = 18.0 * rings * rings * around;
  if (tets > CH_TETS_MAX)
    return ch_fail(context, CH_ERR_SIZE, "torus: %d pieces of %d rings make %.0f tetrahedra, at most %d are taken",
                   around, rings, tets, CH_TETS_MAX);
  int section = ring_vertex(rings + 1, 0);
  int* triangles = CH_TAKE_RAW(arena, 18 * (size_t)rings * (size_t)rings, int);
  out->vertices = CH_TAKE_RAW(arena, (size_t)section * (size_t)around, ChVec3);
  out->tets = CH_TAKE_RAW(arena, 4 * (size_t)tets, int);
  place(radius, tube, around, rings, out);
  sweep(around, section, disc(rings, triangles), triangles, out);
  return CH_OK;
}
