// Meshes: neighbours across edges, normals, and a tree of boxes split at the median of the longest side.
#include "model/mesh/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/mesh/doubled_triangles.h"
#include "model/mesh/half_edges.h"
#include "model/mesh/mesh_features.h"

enum { LEAF = 4, MOST_CELLS = 1 << 29 };

// ------------------------------------------------------------------------------------------------------------ topology

static ChStatus join_triangles(ChContext* context, ChArena* arena, ChMesh* mesh) {
  int count = 3 * mesh->cell_count;
  const ChHalfEdge* halves = ch_half_edges(arena, mesh->cell_count, mesh->cells);
  for (int k = 0; k < count; ++k) mesh->across[k] = -1;
  mesh->closed = true;
  for (int k = 0, next; k < count; k = next) {
    const ChHalfEdge* a = &halves[k];
    next = ch_half_edges_next(halves, count, k);
    if (next - k > 2)
      return ch_fail(context, CH_ERR_FORMAT,
                     "mesh: %d triangles share the edge of vertices %d and %d, at most 2 may: give sheets "
                     "that meet there a thickness, as one closed surface",
                     next - k, a->low, a->high);
    if (next - k == 1) {
      mesh->closed = false;
      continue;
    }
    if (a[0].forward == a[1].forward)
      return ch_fail(context, CH_ERR_FORMAT,
                     "mesh: triangles %d and %d face opposite sides: both run through their common edge from vertex %d "
                     "to %d",
                     a[0].place / 3, a[1].place / 3, a->forward ? a->low : a->high, a->forward ? a->high : a->low);
    mesh->across[a[0].place] = a[1].place / 3;
    mesh->across[a[1].place] = a[0].place / 3;
  }
  return CH_OK;
}

// Segments follow each other: across[2 c] is the one before, across[2 c + 1] the one after.
static ChStatus join_segments(ChContext* context, ChArena* arena, ChMesh* mesh) {
  int *ending = CH_TAKE(arena, mesh->vertex_count, int), *starting = CH_TAKE(arena, mesh->vertex_count, int);
  for (int c = 0; c < mesh->cell_count; ++c) {
    int from = mesh->cells[2 * c], to = mesh->cells[2 * c + 1];
    if (starting[from] || ending[to])
      return ch_fail(context, CH_ERR_FORMAT, "chain: segment %d meets another segment head to head", c);
    starting[from] = ending[to] = c + 1;
  }
  mesh->closed = true;
  for (int c = 0; c < mesh->cell_count; ++c) {
    mesh->across[2 * c] = ending[mesh->cells[2 * c]] - 1;
    mesh->across[2 * c + 1] = starting[mesh->cells[2 * c + 1]] - 1;
    if (mesh->across[2 * c] < 0 || mesh->across[2 * c + 1] < 0) mesh->closed = false;
  }
  return CH_OK;
}

static ChStatus make_normals(ChContext* context, ChMesh* mesh) {
  const char* cell = mesh->width == 3 ? "triangle" : "segment";
  for (int c = 0; c < mesh->cell_count; ++c) {
    ChVec3 p[3];
    for (int k = 0; k < mesh->width; ++k) p[k] = mesh->vertices[mesh->cells[mesh->width * c + k]];
    ChVec3 one = ch_sub(p[1], p[0]);
    ChVec3 area = mesh->width == 3 ? ch_cross(one, ch_sub(p[2], p[0])) : ch_vec(-one.y, one.x, 0.0);
    double size = mesh->width == 3 ? ch_dot(one, one) + ch_dot(ch_sub(p[2], p[0]), ch_sub(p[2], p[0])) : 0.0;
    if (!(ch_norm(area) > 1e-14 * size))
      return ch_fail(context, CH_ERR_RANGE, "mesh: %s %d has no %s", cell, c, mesh->width == 3 ? "area" : "length");
    mesh->normals[c] = ch_unit(area);
  }
  return CH_OK;
}

// The normals of a vertex's triangles weighted by their angles there: a point whose nearest surface point is this
// vertex is outside where it lies on their side (Baerentzen, Aanaes 2005), which an unweighted sum does not tell.
static void make_vertex_normals(ChMesh* mesh) {
  for (int k = 0; k < 3 * mesh->cell_count; ++k) {
    int cell = k / 3, next = k % 3 == 2 ? k - 2 : k + 1, last = k % 3 == 0 ? k + 2 : k - 1;
    ChVec3 at = mesh->vertices[mesh->cells[k]];
    ChVec3 a = ch_sub(mesh->vertices[mesh->cells[next]], at), b = ch_sub(mesh->vertices[mesh->cells[last]], at);
    double angle = atan2(ch_norm(ch_cross(a, b)), ch_dot(a, b));
    ChVec3* sum = &mesh->vertex_normals[mesh->cells[k]];
    *sum = ch_along(*sum, angle, mesh->normals[cell]);
  }
}

// ---------------------------------------------------------------------------------------------------------------- tree

static ChBox3 cell_box(const ChMesh* mesh, int cell) {
  ChBox3 box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (int k = 0; k < mesh->width; ++k) {
    ChVec3 p = mesh->vertices[mesh->cells[mesh->width * cell + k]];
    box.low = ch_vec(fmin(box.low.x, p.x), fmin(box.low.y, p.y), fmin(box.low.z, p.z));
    box.high = ch_vec(fmax(box.high.x, p.x), fmax(box.high.y, p.y), fmax(box.high.z, p.z));
  }
  return box;
}

typedef struct Placed {
  double at;
  int cell;
} Placed;

static int compare_placed(const void* a, const void* b) {
  const Placed *x = a, *y = b;
  if (x->at != y->at) return x->at < y->at ? -1 : 1;
  return (x->cell > y->cell) - (x->cell < y->cell);
}

static void sort_cells(const ChMesh* mesh, int axis, int first, int count, Placed* scratch) {
  for (int k = 0; k < count; ++k) {
    int cell = mesh->order[first + k];
    double sum = 0.0;
    for (int c = 0; c < mesh->width; ++c)
      sum += ch_component(mesh->vertices[mesh->cells[mesh->width * cell + c]], axis);
    scratch[k] = (Placed){sum, cell};
  }
  qsort(scratch, (size_t)count, sizeof *scratch, compare_placed);
  for (int k = 0; k < count; ++k) mesh->order[first + k] = scratch[k].cell;
}

// The halves differ by one cell at most, so the tree is no deeper than the logarithm of its size.
static void build_node(ChMesh* mesh, int node, int first, int count, Placed* scratch) {
  ChBox3 box = cell_box(mesh, mesh->order[first]);
  for (int k = 1; k < count; ++k) {
    ChBox3 one = cell_box(mesh, mesh->order[first + k]);
    box.low = ch_vec(fmin(box.low.x, one.low.x), fmin(box.low.y, one.low.y), fmin(box.low.z, one.low.z));
    box.high = ch_vec(fmax(box.high.x, one.high.x), fmax(box.high.y, one.high.y), fmax(box.high.z, one.high.z));
  }
  mesh->nodes[node] = (ChMeshNode){box, first, count};
  if (count <= LEAF) return;
  ChVec3 side = ch_sub(box.high, box.low);
  int axis = side.x >= side.y ? (side.x >= side.z ? 0 : 2) : (side.y >= side.z ? 1 : 2);
  sort_cells(mesh, axis, first, count, scratch);
  int child = mesh->node_count;
  mesh->node_count += 2;
  mesh->nodes[node].first = child, mesh->nodes[node].count = 0;
  build_node(mesh, child, first, count / 2, scratch);
  build_node(mesh, child + 1, first + count / 2, count - count / 2, scratch);
}

static void build_tree(ChArena* arena, ChMesh* mesh) {
  mesh->nodes = CH_TAKE(arena, 2 * mesh->cell_count, ChMeshNode);
  mesh->order = CH_TAKE(arena, mesh->cell_count, int);
  Placed* scratch = CH_TAKE(arena, mesh->cell_count, Placed);
  for (int c = 0; c < mesh->cell_count; ++c) mesh->order[c] = c;
  mesh->node_count = 1;
  build_node(mesh, 0, 0, mesh->cell_count, scratch);
}

static void make_inward(ChMesh* mesh) {
  for (int c = 0; c < mesh->cell_count; ++c)
    for (int k = 0; k < 3; ++k) {
      const int *corners = mesh->cells + 3 * c, from = corners[k], to = corners[(k + 1) % 3];
      ChVec3 edge = ch_sub(mesh->vertices[to], mesh->vertices[from]);
      mesh->inward[3 * c + k] = ch_unit(ch_cross(mesh->normals[c], edge));
    }
}

// -------------------------------------------------------------------------------------------------------------- create

static ChStatus check_cells(ChContext* context, int vertex_count, const ChVec3* vertices, int cell_count,
                            const int* cells, int width) {
  if (vertex_count < width || cell_count < 1 || cell_count > MOST_CELLS)
    return ch_fail(context, CH_ERR_SIZE, "mesh: has %d vertices and %d cells, must have at least %d and 1",
                   vertex_count, cell_count, width);
  for (int k = 0; k < vertex_count; ++k)
    if (!ch_vec_finite(vertices[k])) return ch_fail(context, CH_ERR_RANGE, "mesh: vertex %d is not finite", k);
  for (int k = 0; k < width * cell_count; ++k)
    if (cells[k] < 0 || cells[k] >= vertex_count)
      return ch_fail(context, CH_ERR_RANGE, "mesh: cell %d names vertex %d, must be 0 to %d", k / width, cells[k],
                     vertex_count - 1);
  return CH_OK;
}

ChStatus ch_mesh_create(ChContext* context, ChArena* arena, int vertex_count, const ChVec3* vertices, int cell_count,
                        const int* cells, int width, ChMesh** out) {
  ChStatus status = check_cells(context, vertex_count, vertices, cell_count, cells, width);
  if (status != CH_OK) return status;
  ChMesh* mesh = CH_TAKE(arena, 1, ChMesh);
  *mesh = (ChMesh){.vertex_count = vertex_count, .cell_count = cell_count, .width = width};
  mesh->vertices = CH_TAKE(arena, vertex_count, ChVec3);
  mesh->cells = CH_TAKE(arena, width * cell_count, int);
  mesh->across = CH_TAKE(arena, width * cell_count, int);
  mesh->normals = CH_TAKE(arena, cell_count, ChVec3);
  memcpy(mesh->vertices, vertices, (size_t)vertex_count * sizeof *vertices);
  memcpy(mesh->cells, cells, (size_t)(width * cell_count) * sizeof *cells);
  status = make_normals(context, mesh);
  int pair[2];
  if (status == CH_OK && width == 3 && ch_doubled_triangle(arena, vertices, cell_count, cells, pair))
    status = ch_fail(context, CH_ERR_FORMAT,
                     "mesh: triangles %d and %d are the same; a repeated triangle would count twice", pair[0], pair[1]);
  ChArenaMark mark = ch_arena_mark(arena);
  if (status == CH_OK) status = width == 3 ? join_triangles(context, arena, mesh) : join_segments(context, arena, mesh);
  ch_arena_release(arena, mark);
  if (status != CH_OK) return status;
  if (width == 3) {
    mesh->vertex_normals = CH_TAKE(arena, vertex_count, ChVec3);
    make_vertex_normals(mesh);
    mesh->inward = CH_TAKE(arena, 3 * cell_count, ChVec3);
    make_inward(mesh);
  }
  build_tree(arena, mesh);
  if (width == 3) mesh->features = ch_mesh_features(arena, mesh);
  *out = mesh;
  return CH_OK;
}

ChMesh* ch_mesh_of_lines(ChArena* arena, int point_count, const ChVec3* points, int segment_count,
                         const int* segments) {
  int count = segments ? segment_count : point_count;
  ChMesh* mesh = CH_TAKE(arena, 1, ChMesh);
  *mesh = (ChMesh){.vertex_count = point_count, .cell_count = count, .width = 3, .lines = true};
  mesh->vertices = CH_TAKE(arena, point_count, ChVec3);
  mesh->cells = CH_TAKE(arena, 3 * count, int);
  mesh->across = CH_TAKE(arena, 3 * count, int);
  mesh->normals = CH_TAKE(arena, count, ChVec3);
  mesh->inward = CH_TAKE(arena, 3 * count, ChVec3);
  mesh->vertex_normals = CH_TAKE(arena, point_count, ChVec3);
  memcpy(mesh->vertices, points, (size_t)point_count * sizeof *points);
  for (int c = 0; c < count; ++c)
    for (int k = 0; k < 3; ++k) {
      mesh->cells[3 * c + k] = segments ? segments[2 * c + (k > 0)] : c;
      mesh->across[3 * c + k] = -1;
    }
  build_tree(arena, mesh);
  mesh->features = ch_line_features(arena, mesh, segments != NULL);
  return mesh;
}
