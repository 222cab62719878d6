// See grid_mesh.h.
#include "model/mesh/grid_mesh.h"

#include <math.h>
#include <string.h>

enum { LEAF = 2 };  // cells

typedef struct Build {
  const ChGridCorners* grid;
  ChMesh* mesh;
  int ordered;
} Build;

// First triangle of a cell, -1 where there is none.
static int cell_at(const ChGridCorners* g, int x, int y) {
  return x < 0 || y < 0 || x + 1 >= g->across || y + 1 >= g->up ? -1 : g->first[y * (g->across - 1) + x];
}

static int lower(int cell) { return cell; }
static int upper(int cell) { return cell < 0 ? -1 : cell + 1; }

static void join_cell(Build* b, int x, int y) {
  const ChGridCorners* g = b->grid;
  int cell = cell_at(g, x, y);
  if (cell < 0) return;
  int* across = b->mesh->across + 3 * cell;
  across[0] = upper(cell_at(g, x, y - 1));
  across[1] = upper(cell_at(g, x + 1, y));
  across[2] = upper(cell);
  across[3] = lower(cell);
  across[4] = lower(cell_at(g, x, y + 1));
  across[5] = lower(cell_at(g, x - 1, y));
}

static void make_planes(ChMesh* mesh) {
  for (int c = 0; c < mesh->cell_count; ++c) {
    ChVec3 p[3];
    for (int k = 0; k < 3; ++k) p[k] = mesh->vertices[mesh->cells[3 * c + k]];
    ChVec3 normal = ch_unit(ch_cross(ch_sub(p[1], p[0]), ch_sub(p[2], p[0])));
    mesh->normals[c] = normal;
    for (int k = 0; k < 3; ++k) mesh->inward[3 * c + k] = ch_unit(ch_cross(normal, ch_sub(p[(k + 1) % 3], p[k])));
  }
}

static void take_in(ChBox3* box, ChVec3 p) {
  box->low = ch_vec(fmin(box->low.x, p.x), fmin(box->low.y, p.y), fmin(box->low.z, p.z));
  box->high = ch_vec(fmax(box->high.x, p.x), fmax(box->high.y, p.y), fmax(box->high.z, p.z));
}

static void fill_leaf(Build* b, ChMeshNode* node, const int low[2], const int high[2]) {
  ChMesh* mesh = b->mesh;
  node->first = b->ordered;
  for (int y = low[1]; y < high[1]; ++y)
    for (int x = low[0]; x < high[0]; ++x) {
      int cell = cell_at(b->grid, x, y);
      for (int t = cell; cell >= 0 && t < cell + 2; ++t) {
        mesh->order[b->ordered++] = t;
        for (int k = 0; k < 3; ++k) take_in(&node->box, mesh->vertices[mesh->cells[3 * t + k]]);
      }
    }
  node->count = b->ordered - node->first;
}

// Cells from low to high; a half without cells keeps its empty box.
static void build_node(Build* b, int node, const int low[2], const int high[2]) {
  ChMesh* mesh = b->mesh;
  ChBox3 nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  mesh->nodes[node] = (ChMeshNode){.box = nothing};
  int wide = high[0] - low[0], tall = high[1] - low[1];
  if (wide * tall <= LEAF) {
    fill_leaf(b, &mesh->nodes[node], low, high);
    return;
  }
  int axis = wide >= tall ? 0 : 1, middle = (low[axis] + high[axis]) / 2, child = mesh->node_count;
  int until[2] = {high[0], high[1]}, from[2] = {low[0], low[1]};
  until[axis] = from[axis] = middle;
  mesh->node_count += 2;
  mesh->nodes[node].first = child;
  build_node(b, child, low, until);
  build_node(b, child + 1, from, high);
  for (int k = 0; k < 2; ++k) {
    take_in(&mesh->nodes[node].box, mesh->nodes[child + k].box.low);
    take_in(&mesh->nodes[node].box, mesh->nodes[child + k].box.high);
  }
}

ChMesh* ch_grid_mesh(ChArena* arena, const ChGridCorners* g) {
  ChMesh* mesh = CH_TAKE(arena, 1, ChMesh);
  *mesh = (ChMesh){.vertex_count = g->vertex_count, .cell_count = g->triangle_count, .width = 3};
  mesh->vertices = CH_TAKE_RAW(arena, g->vertex_count, ChVec3);
  mesh->cells = CH_TAKE_RAW(arena, 3 * g->triangle_count, int);
  mesh->across = CH_TAKE_RAW(arena, 3 * g->triangle_count, int);
  mesh->normals = CH_TAKE_RAW(arena, g->triangle_count, ChVec3);
  mesh->inward = CH_TAKE_RAW(arena, 3 * g->triangle_count, ChVec3);
  mesh->order = CH_TAKE_RAW(arena, g->triangle_count, int);
  mesh->nodes = CH_TAKE_RAW(arena, 2 * g->across * g->up, ChMeshNode);
  memcpy(mesh->vertices, g->at, (size_t)g->vertex_count * sizeof *g->at);
  memcpy(mesh->cells, g->triangles, 3 * (size_t)g->triangle_count * sizeof *g->triangles);
  Build b = {.grid = g, .mesh = mesh};
  for (int y = 0; y + 1 < g->up; ++y)
    for (int x = 0; x + 1 < g->across; ++x) join_cell(&b, x, y);
  make_planes(mesh);
  mesh->node_count = 1;
  build_node(&b, 0, (const int[2]){0, 0}, (const int[2]){g->across - 1, g->up - 1});
  return mesh;
}
