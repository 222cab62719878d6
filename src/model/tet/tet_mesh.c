// Tetrahedral meshes: whether one is a single solid body, and its skin.
//
// Faces are bucketed by their lowest vertex and sorted within: a face of one tetrahedron belongs to the skin, a face of
// two must be run through in opposite senses, and every edge of the skin lies between two of its triangles. The skin of
// such a mesh is closed.
#include "model/tet/tet_mesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/union_find.h"
#include "model/tet/tet_measure.h"

static const int outward[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};  // face k lies opposite corner k

// ----------------------------------------------------------------------------------------------------------- messages

// Tetrahedra are counted from 1 in messages, and found by where they lie.
static ChStatus wrong_tet(ChContext* context, const char* what, const ChTetMesh* mesh, int tet, const char* why) {
  ChVec3 middle = ch_tet_middle(mesh, tet);
  return ch_fail(context, CH_ERR_FORMAT, "%s: tetrahedron %d of %d, near (%.5g, %.5g, %.5g), %s", what, tet + 1,
                 mesh->tet_count, middle.x, middle.y, middle.z, why);
}

// -------------------------------------------------------------------------------------------------- numbers and shapes

// NaN when there is one in it.
static double largest_part(ChVec3 x) { return ch_vec_finite(x) ? fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z))) : NAN; }

static ChStatus check_numbers(ChContext* context, const char* what, const ChTetMesh* mesh) {
  if (mesh->tet_count < 1) return ch_fail(context, CH_ERR_SIZE, "%s: holds no tetrahedra", what);
  if (mesh->tet_count > CH_TETS_MAX)
    return ch_fail(context, CH_ERR_SIZE, "%s: holds %d tetrahedra, at most %d are taken", what, mesh->tet_count,
                   CH_TETS_MAX);
  for (int k = 0; k < 4 * mesh->tet_count; ++k)
    if (mesh->tets[k] < 0 || mesh->tets[k] >= mesh->vertex_count)
      return ch_fail(context, CH_ERR_RANGE, "%s: tetrahedron %d of %d names vertex %d, must be 0 to %d", what,
                     k / 4 + 1, mesh->tet_count, mesh->tets[k], mesh->vertex_count - 1);
  for (int k = 0; k < mesh->vertex_count; ++k)
    if (!(largest_part(mesh->vertices[k]) <= CH_TET_COORDINATE_MOST))
      return ch_fail(context, CH_ERR_RANGE,
                     "%s: vertex %d of %d is (%g, %g, %g), must be finite and at most %g in size", what, k + 1,
                     mesh->vertex_count, mesh->vertices[k].x, mesh->vertices[k].y, mesh->vertices[k].z,
                     CH_TET_COORDINATE_MOST);
  return CH_OK;
}

// Coordinates have 16 digits: of those of a mesh far away only the last few tell its shape, or none.
static ChStatus check_distance(ChContext* context, const char* what, const ChTetMesh* mesh) {
  ChVec3 first = mesh->vertices[0];
  double reach = 0.0, extent = 0.0;
  for (int k = 0; k < mesh->vertex_count; ++k) {
    reach = fmax(reach, largest_part(mesh->vertices[k]));
    extent = fmax(extent, largest_part(ch_sub(mesh->vertices[k], first)));
  }
  if (extent >= CH_TET_FAR * reach) return CH_OK;
  return ch_fail(context, CH_ERR_RANGE,
                 "%s: is %.3g m large, but its coordinates are up to %.3g m: its shape is lost to rounding; move it to "
                 "the origin before writing it",
                 what, extent, reach);
}

// Vertices that no tetrahedron uses are dropped; the arrays become the mesh's own.
static void keep_used(ChArena* arena, ChTetMesh* mesh) {
  int* number = CH_TAKE(arena, mesh->vertex_count, int);
  for (int k = 0; k < 4 * mesh->tet_count; ++k) number[mesh->tets[k]] = 1;
  int kept = 0;
  for (int k = 0; k < mesh->vertex_count; ++k) number[k] = number[k] ? kept++ : -1;
  ChVec3* vertices = CH_TAKE_RAW(arena, kept, ChVec3);
  for (int k = 0; k < mesh->vertex_count; ++k)
    if (number[k] >= 0) vertices[number[k]] = mesh->vertices[k];
  int* tets = CH_TAKE_RAW(arena, 4 * (size_t)mesh->tet_count, int);
  for (int k = 0; k < 4 * mesh->tet_count; ++k) tets[k] = number[mesh->tets[k]];
  mesh->vertex_count = kept, mesh->vertices = vertices, mesh->tets = tets;
}

// Of a tetrahedron of no volume: what is wrong with it.
static ChStatus no_volume(ChContext* context, const char* what, const ChTetMesh* mesh, int tet, double size) {
  char why[120] = "is flat";
  if (size > 0.0 && size < CH_TET_EDGE_LEAST)
    snprintf(why, sizeof why, "is %.3g m large, must be at least %g; coordinates are in metres", size,
             CH_TET_EDGE_LEAST);
  return wrong_tet(context, what, mesh, tet, why);
}

// A mesh that is inverted throughout was numbered by the other convention and is turned.
static ChStatus check_shapes(ChContext* context, const char* what, ChTetMesh* mesh) {
  int inverted = 0, first_inverted = -1;
  for (int t = 0; t < mesh->tet_count; ++t) {
    double size = ch_tet_longest(mesh, t), volume = ch_tet_volume(mesh, t);
    if (!(fabs(volume) > CH_TET_FLAT * size * size * size && size >= CH_TET_EDGE_LEAST))
      return no_volume(context, what, mesh, t, size);
    if (volume > 0.0) continue;
    if (inverted++ == 0) first_inverted = t;
  }
  if (inverted > 0 && inverted < mesh->tet_count) {
    char why[120];
    if (inverted == 1)
      snprintf(why, sizeof why, "is inverted, and is the only one");
    else
      snprintf(why, sizeof why, "is inverted, as %d others are; give all of them the same orientation", inverted - 1);
    return wrong_tet(context, what, mesh, first_inverted, why);
  }
  for (int t = 0; inverted > 0 && t < mesh->tet_count; ++t) {
    int* c = mesh->tets + 4 * t;
    int swap = c[2];
    c[2] = c[3], c[3] = swap;
  }
  return CH_OK;
}

// --------------------------------------------------------------------------------------------------------------- faces

typedef struct Face {
  int low, middle, high;
  int place;  // tet * 4 + which
  bool even;  // (low, middle, high) is outward
} Face;

static Face face_of(const ChTetMesh* mesh, int place) {
  const int *corner = mesh->tets + 4 * (place / 4), *way = outward[place % 4];
  int v[3] = {corner[way[0]], corner[way[1]], corner[way[2]]};
  bool even = true;
  for (int k = 0; k < 3; ++k) {  // bubbles, counting
    int i = k == 1 ? 1 : 0;
    if (v[i] <= v[i + 1]) continue;
    int swap = v[i];
    v[i] = v[i + 1], v[i + 1] = swap;
    even = !even;
  }
  return (Face){v[0], v[1], v[2], place, even};
}

static int compare_faces(const void* a, const void* b) {
  const Face *x = a, *y = b;
  if (x->middle != y->middle) return x->middle < y->middle ? -1 : 1;
  if (x->high != y->high) return x->high < y->high ? -1 : 1;
  return (x->place > y->place) - (x->place < y->place);
}

static bool same_face(const Face* a, const Face* b) {
  return a->low == b->low && a->middle == b->middle && a->high == b->high;
}

// All 4 T faces in order, equal ones together.
static Face* sorted_faces(ChArena* arena, const ChTetMesh* mesh) {
  int count = 4 * mesh->tet_count;
  Face* faces = CH_TAKE_RAW(arena, count, Face);
  int* start = CH_TAKE(arena, mesh->vertex_count + 1, int);
  for (int k = 0; k < count; ++k) ++start[face_of(mesh, k).low + 1];
  for (int v = 0; v < mesh->vertex_count; ++v) start[v + 1] += start[v];
  int* next = CH_TAKE_RAW(arena, mesh->vertex_count, int);
  memcpy(next, start, (size_t)mesh->vertex_count * sizeof *next);
  for (int k = 0; k < count; ++k) {
    Face face = face_of(mesh, k);
    faces[next[face.low]++] = face;
  }
  for (int v = 0; v < mesh->vertex_count; ++v)
    if (start[v + 1] > start[v])
      qsort(faces + start[v], (size_t)(start[v + 1] - start[v]), sizeof *faces, compare_faces);
  return faces;
}

static int compare_vertices(const void* a, const void* b) {
  const ChVec3 *x = a, *y = b;
  if (x->x != y->x) return x->x < y->x ? -1 : 1;
  if (x->y != y->y) return x->y < y->y ? -1 : 1;
  return (x->z > y->z) - (x->z < y->z);
}

// Vertices that lie where another one does: what should hang together does not, where each part has its own.
static int count_coincident(ChArena* arena, const ChTetMesh* mesh) {
  int count = mesh->vertex_count, found = 0;
  ChVec3* sorted = CH_TAKE_RAW(arena, count, ChVec3);
  memcpy(sorted, mesh->vertices, (size_t)count * sizeof *sorted);
  qsort(sorted, (size_t)count, sizeof *sorted, compare_vertices);
  for (int k = 1; k < count; ++k) found += compare_vertices(&sorted[k - 1], &sorted[k]) == 0;
  return found;
}

static ChStatus in_pieces(ChContext* context, ChArena* arena, const char* what, const ChTetMesh* mesh, int tet,
                          int pieces) {
  char why[240];
  int twice = count_coincident(arena, mesh);
  if (twice > 0)
    snprintf(why, sizeof why,
             "is not connected to the first one by faces: the mesh falls into %d pieces, and %d of its %d nodes "
             "coincide with another node; merge those (Gmsh: `Coherence Mesh;`)",
             pieces, twice, mesh->vertex_count);
  else
    snprintf(why, sizeof why, "is not connected to the first one by faces: the mesh falls into %d pieces", pieces);
  return wrong_tet(context, what, mesh, tet, why);
}

// Joins what shares a face; refuses a third tetrahedron at a face, and two on one side of it.
static ChStatus check_faces(ChContext* context, ChArena* arena, const char* what, const ChTetMesh* mesh) {
  int count = 4 * mesh->tet_count;
  const Face* faces = sorted_faces(arena, mesh);
  int* parent = CH_TAKE_RAW(arena, mesh->tet_count, int);
  ch_sets_init(mesh->tet_count, parent);
  for (int k = 0, next; k < count; k = next) {
    const Face* f = &faces[k];
    for (next = k + 1; next < count && same_face(f, &faces[next]); ++next) {
    }
    if (next - k > 2) return wrong_tet(context, what, mesh, f->place / 4, "shares a face with two others or more");
    if (next - k == 1) continue;
    if (f[0].even == f[1].even)
      return wrong_tet(context, what, mesh, f->place / 4, "overlaps another tetrahedron on the same side of a face");
    ch_sets_join(parent, f[0].place / 4, f[1].place / 4);
  }
  int* label = CH_TAKE_RAW(arena, mesh->tet_count, int);
  int pieces = ch_sets_label(mesh->tet_count, parent, label);
  for (int t = 0; t < mesh->tet_count; ++t)
    if (label[t] != 0) return in_pieces(context, arena, what, mesh, t, pieces);
  return CH_OK;
}

// ---------------------------------------------------------------------------------------------------------------- skin

int ch_tet_mesh_skin(ChArena* arena, const ChTetMesh* mesh, int** triangles) {
  int count = 4 * mesh->tet_count, kept = 0;
  bool* inner = CH_TAKE(arena, count, bool);
  ChArenaMark mark = ch_arena_mark(arena);
  const Face* faces = sorted_faces(arena, mesh);
  for (int k = 0; k + 1 < count; ++k)
    if (same_face(&faces[k], &faces[k + 1])) inner[faces[k].place] = inner[faces[k + 1].place] = true;
  ch_arena_release(arena, mark);
  for (int k = 0; k < count; ++k) kept += !inner[k];
  *triangles = CH_TAKE_RAW(arena, 3 * (size_t)kept + 1, int);
  int* to = *triangles;
  for (int k = 0; k < count; ++k) {
    if (inner[k]) continue;
    for (int c = 0; c < 3; ++c) *to++ = mesh->tets[k - k % 4 + outward[k % 4][c]];
  }
  return kept;
}

typedef struct Edge {
  int low, high;
} Edge;

static int compare_edges(const void* a, const void* b) {
  const Edge *x = a, *y = b;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  return (x->high > y->high) - (x->high < y->high);
}

// More than two triangles of the skin meet at an edge where parts of the body touch there only.
static ChStatus check_skin(ChContext* context, ChArena* arena, const char* what, const ChTetMesh* mesh) {
  int* triangles;
  int count = 3 * ch_tet_mesh_skin(arena, mesh, &triangles);
  Edge* edges = CH_TAKE_RAW(arena, count, Edge);
  for (int k = 0; k < count; ++k) {
    int a = triangles[k], b = triangles[k % 3 == 2 ? k - 2 : k + 1];
    edges[k] = a < b ? (Edge){a, b} : (Edge){b, a};
  }
  qsort(edges, (size_t)count, sizeof *edges, compare_edges);
  for (int k = 0; k + 2 < count; ++k)
    if (compare_edges(&edges[k], &edges[k + 2]) == 0) {
      ChVec3 a = mesh->vertices[edges[k].low], b = mesh->vertices[edges[k].high];
      return ch_fail(context, CH_ERR_FORMAT,
                     "%s: parts of the body touch only along the edge from (%.5g, %.5g, %.5g) to (%.5g, %.5g, %.5g); "
                     "join or separate them",
                     what, a.x, a.y, a.z, b.x, b.y, b.z);
    }
  return CH_OK;
}

// --------------------------------------------------------------------------------------------------------------- check

ChStatus ch_tet_mesh_check(ChContext* context, ChArena* arena, const char* what, ChTetMesh* mesh) {
  ChStatus status = check_numbers(context, what, mesh);
  if (status != CH_OK) return status;
  keep_used(arena, mesh);
  ChArenaMark mark = ch_arena_mark(arena);
  status = check_distance(context, what, mesh);
  if (status == CH_OK) status = check_shapes(context, what, mesh);
  if (status == CH_OK) status = check_faces(context, arena, what, mesh);
  if (status == CH_OK) status = check_skin(context, arena, what, mesh);
  ch_arena_release(arena, mark);
  return status;
}
