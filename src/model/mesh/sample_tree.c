// See sample_tree.h.
#include "model/mesh/sample_tree.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { LEAF = 8 };
static const double FLAT = 1e-6;  // sine of angles that count as none

double ch_mesh_edge_turn(const ChMesh* mesh, int cell, int k) {
  int other = mesh->across[3 * cell + k];
  if (other < 0) return 1.0;
  ChVec3 along = ch_sub(mesh->vertices[mesh->cells[3 * cell + (k + 1) % 3]], mesh->vertices[mesh->cells[3 * cell + k]]);
  return ch_dot(ch_cross(mesh->normals[cell], mesh->normals[other]), ch_unit(along));
}

// ------------------------------------------------------------------------------------------------------------- corners

typedef struct Corner {
  double sharpness;
  int vertex;
} Corner;

static int compare_corners(const void* a, const void* b) {
  const Corner *x = a, *y = b;
  if (x->sharpness != y->sharpness) return x->sharpness > y->sharpness ? -1 : 1;
  return (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

static double edge_length(const ChMesh* mesh, int k) {
  int next = k % 3 == 2 ? k - 2 : k + 1;
  return ch_norm(ch_sub(mesh->vertices[mesh->cells[next]], mesh->vertices[mesh->cells[k]]));
}

// Vertices with a convex edge, the sharpest first; ends of long convex edges before all.
static int list_corners(const ChMesh* mesh, double spacing, Corner* corners) {
  for (int v = 0; v < mesh->vertex_count; ++v) corners[v] = (Corner){-1.0, v};
  for (int k = 0; k < 3 * mesh->cell_count; ++k) {
    double turn = ch_mesh_edge_turn(mesh, k / 3, k % 3);
    if (!(turn > FLAT)) continue;
    const int ends[2] = {mesh->cells[k], mesh->cells[k % 3 == 2 ? k - 2 : k + 1]};
    for (int e = 0; e < 2; ++e) {
      ChVec3 away = ch_unit(mesh->vertex_normals[ends[e]]);
      double sharpness = edge_length(mesh, k) > spacing ? 2.0 : 1.0 - ch_dot(away, mesh->normals[k / 3]);
      corners[ends[e]].sharpness = fmax(corners[ends[e]].sharpness, sharpness);
    }
  }
  int count = 0;
  for (int v = 0; v < mesh->vertex_count; ++v)
    if (corners[v].sharpness >= 0.0) corners[count++] = corners[v];
  if (count > 0) qsort(corners, (size_t)count, sizeof *corners, compare_corners);
  return count;
}

// Points kept so far, in cells of the spacing's width that a hash finds.
typedef struct Kept {
  const ChMesh* mesh;
  double spacing;
  uint32_t mask;
  int *head, *next;  // vertices + 1
} Kept;

static uint32_t slot(const Kept* kept, const int64_t at[3]) {
  uint64_t z = (uint64_t)at[0] * 0x9e3779b97f4a7c15u ^ (uint64_t)at[1] * 0xc2b2ae3d27d4eb4fu ^
               (uint64_t)at[2] * 0x165667b19e3779f9u;
  return (uint32_t)((z ^ (z >> 29)) >> 16) & kept->mask;
}

static void cell_of(const Kept* kept, ChVec3 x, int64_t at[3]) {
  for (int k = 0; k < 3; ++k)
    at[k] = (int64_t)floor((ch_component(x, k) - ch_component(kept->mesh->nodes[0].box.low, k)) / kept->spacing);
}

static bool is_crowded(const Kept* kept, int vertex) {
  int64_t middle[3];
  ChVec3 x = kept->mesh->vertices[vertex];
  cell_of(kept, x, middle);
  for (int n = 0; n < 27; ++n) {
    const int64_t at[3] = {middle[0] + n % 3 - 1, middle[1] + n / 3 % 3 - 1, middle[2] + n / 9 - 1};
    for (int v = kept->head[slot(kept, at)]; v > 0; v = kept->next[v - 1])
      if (ch_norm(ch_sub(kept->mesh->vertices[v - 1], x)) < kept->spacing) return true;
  }
  return false;
}

static void keep(Kept* kept, int vertex) {
  int64_t at[3];
  cell_of(kept, kept->mesh->vertices[vertex], at);
  uint32_t s = slot(kept, at);
  kept->next[vertex] = kept->head[s];
  kept->head[s] = vertex + 1;
}

static int add_corners(ChArena* arena, const ChMesh* mesh, double spacing, ChSample* samples) {
  ChArenaMark mark = ch_arena_mark(arena);
  Corner* corners = CH_TAKE(arena, mesh->vertex_count, Corner);
  int count = list_corners(mesh, spacing, corners), taken = 0;
  Kept kept = {.mesh = mesh, .spacing = spacing, .mask = 1};
  while (kept.mask < (uint32_t)count) kept.mask = 2 * kept.mask + 1;
  kept.head = CH_TAKE(arena, (size_t)kept.mask + 1, int);
  kept.next = CH_TAKE(arena, mesh->vertex_count, int);
  for (int k = 0; k < count; ++k) {
    int v = corners[k].vertex;
    if (corners[k].sharpness < 2.0 && is_crowded(&kept, v)) continue;
    keep(&kept, v);
    samples[taken++] = (ChSample){{mesh->vertices[v], mesh->vertices[v]}, 0, v};
  }
  ch_arena_release(arena, mark);
  return taken;
}

// --------------------------------------------------------------------------------------------------------------- edges

static bool is_long_edge(const ChMesh* mesh, int k, double spacing) {
  bool own = mesh->across[k] < 0 || k / 3 < mesh->across[k];  // its turn comes once
  return own && edge_length(mesh, k) > spacing && ch_mesh_edge_turn(mesh, k / 3, k % 3) > FLAT;
}

static int add_edges(const ChMesh* mesh, double spacing, ChSample* samples) {
  int count = 0;
  for (int k = 0; k < 3 * mesh->cell_count; ++k) {
    if (!is_long_edge(mesh, k, spacing)) continue;
    ChVec3 from = mesh->vertices[mesh->cells[k]], to = mesh->vertices[mesh->cells[k % 3 == 2 ? k - 2 : k + 1]];
    int steps = (int)fmin(ceil(edge_length(mesh, k) / spacing), CH_MOST_SAMPLES + 1.0);
    samples[count++] = (ChSample){{from, to}, steps, k};
  }
  return count;
}

// --------------------------------------------------------------------------------------------------------------- faces

// Into how many parts a length is divided so that none is longer than `spacing`.
static double parts_of(double length, double spacing) { return ceil(length / spacing); }

static double longest_edge(const ChMesh* mesh, int cell) {
  return fmax(edge_length(mesh, 3 * cell), fmax(edge_length(mesh, 3 * cell + 1), edge_length(mesh, 3 * cell + 2)));
}

// Whether points along edge k are samples of faces: it is nobody's to follow, and its turn comes once.
static bool is_inner_edge(const ChMesh* mesh, int k) {
  bool own = mesh->across[k] < 0 || k / 3 < mesh->across[k];
  return own && !(ch_mesh_edge_turn(mesh, k / 3, k % 3) > FLAT);
}

static double count_inside(const ChMesh* mesh, double spacing) {
  double count = 0.0;
  for (int c = 0; c < mesh->cell_count; ++c) {
    const double n = parts_of(longest_edge(mesh, c), spacing);
    count += 0.5 * (n - 1.0) * (n - 2.0);
    for (int k = 3 * c; k < 3 * c + 3; ++k)
      if (is_inner_edge(mesh, k)) count += fmax(parts_of(edge_length(mesh, k), spacing) - 1.0, 0.0);
  }
  return count;
}

static void add_face_point(const ChMesh* mesh, int cell, double a, double b, ChSample* samples, int* count) {
  const int* corner = mesh->cells + 3 * cell;
  const ChVec3 from = mesh->vertices[corner[0]];
  ChVec3 x = ch_along(from, a, ch_sub(mesh->vertices[corner[1]], from));
  x = ch_along(x, b, ch_sub(mesh->vertices[corner[2]], from));
  samples[*count] = (ChSample){{x, x}, 0, mesh->vertex_count + *count};
  ++*count;
}

// Points with whole barycentric coordinates over n, and those that divide edges inside of the surface.
static int add_faces(const ChMesh* mesh, double spacing, ChSample* samples) {
  static const double a[3] = {0.0, 1.0, 0.0}, b[3] = {0.0, 0.0, 1.0};  // corners
  int count = 0;
  for (int c = 0; c < mesh->cell_count; ++c) {
    const int n = (int)parts_of(longest_edge(mesh, c), spacing);
    for (int i = 1; i < n; ++i)
      for (int j = 1; i + j < n; ++j) add_face_point(mesh, c, (double)i / n, (double)j / n, samples, &count);
    for (int k = 0; k < 3; ++k) {
      if (!is_inner_edge(mesh, 3 * c + k)) continue;
      const int parts = (int)parts_of(edge_length(mesh, 3 * c + k), spacing), to = (k + 1) % 3;
      for (int i = 1; i < parts; ++i) {
        const double t = (double)i / parts;
        add_face_point(mesh, c, a[k] + t * (a[to] - a[k]), b[k] + t * (b[to] - b[k]), samples, &count);
      }
    }
  }
  return count;
}

// ---------------------------------------------------------------------------------------------------------------- tree

static ChVec3 middle_of(const ChSample* s) { return ch_scale(0.5, ch_add(s->end[0], s->end[1])); }

static ChVec3 lower(ChVec3 a, ChVec3 b) { return ch_vec(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)); }
static ChVec3 upper(ChVec3 a, ChVec3 b) { return ch_vec(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)); }

static ChBox3 box_of(int count, const ChSample* s) {
  ChBox3 box = {s[0].end[0], s[0].end[0]};
  for (int k = 0; k < 2 * count; ++k) {
    box.low = lower(box.low, s[k / 2].end[k % 2]);
    box.high = upper(box.high, s[k / 2].end[k % 2]);
  }
  return box;
}

typedef struct Placed {
  double at;
  ChSample sample;
} Placed;

static int compare_placed(const void* a, const void* b) {
  const Placed *x = a, *y = b;
  if (x->at != y->at) return x->at < y->at ? -1 : 1;
  if (x->sample.steps != y->sample.steps) return x->sample.steps < y->sample.steps ? -1 : 1;
  return (x->sample.id > y->sample.id) - (x->sample.id < y->sample.id);
}

static void build_node(ChSampleTree* tree, int node, int first, int count, Placed* scratch) {
  ChSample* own = tree->samples + first;
  ChBox3 box = box_of(count, own);
  ChVec3 centre = ch_scale(0.5, ch_add(box.low, box.high)), side = ch_sub(box.high, box.low);
  double radius = 0.0;
  for (int k = 0; k < 2 * count; ++k) radius = fmax(radius, ch_norm(ch_sub(own[k / 2].end[k % 2], centre)));
  tree->nodes[node] = (ChSampleNode){centre, radius, first, count};
  if (count <= LEAF) return;
  int axis = side.x >= side.y ? (side.x >= side.z ? 0 : 2) : (side.y >= side.z ? 1 : 2);
  for (int k = 0; k < count; ++k) scratch[k] = (Placed){ch_component(middle_of(&own[k]), axis), own[k]};
  qsort(scratch, (size_t)count, sizeof *scratch, compare_placed);
  for (int k = 0; k < count; ++k) own[k] = scratch[k].sample;
  int child = tree->node_count;
  tree->node_count += 2;
  tree->nodes[node].first = child, tree->nodes[node].count = 0;
  build_node(tree, child, first, count / 2, scratch);
  build_node(tree, child + 1, first + count / 2, count - count / 2, scratch);
}

static ChStatus refuse_spacing(ChContext* context, double spacing) {
  return ch_fail(context, CH_ERR_RANGE, "mesh: a spacing of %g m gives more than %d samples", spacing, CH_MOST_SAMPLES);
}

ChStatus ch_sample_tree_create(ChContext* context, ChArena* arena, const ChMesh* mesh, double spacing, bool faces,
                               ChSampleTree** out) {
  ChSampleTree* tree = CH_TAKE(arena, 1, ChSampleTree);
  int edges = 0;
  const double inside = faces ? count_inside(mesh, spacing) : 0.0;
  if (!(inside <= CH_MOST_SAMPLES)) return refuse_spacing(context, spacing);
  for (int k = 0; k < 3 * mesh->cell_count; ++k) edges += is_long_edge(mesh, k, spacing);
  tree->samples = CH_TAKE(arena, mesh->vertex_count + edges + (int)inside, ChSample);
  int corners = add_corners(arena, mesh, spacing, tree->samples);
  tree->sample_count = corners + add_edges(mesh, spacing, tree->samples + corners);
  double points = corners + inside;
  for (int k = corners; k < tree->sample_count; ++k) points += tree->samples[k].steps - 1.0;
  if (!(points <= CH_MOST_SAMPLES)) return refuse_spacing(context, spacing);
  if (faces) tree->sample_count += add_faces(mesh, spacing, tree->samples + tree->sample_count);
  tree->spacing = spacing;
  tree->point_count = (int)points;
  tree->nodes = CH_TAKE(arena, 2 * tree->sample_count, ChSampleNode);
  tree->node_count = 1;
  ChArenaMark mark = ch_arena_mark(arena);
  build_node(tree, 0, 0, tree->sample_count, CH_TAKE(arena, tree->sample_count, Placed));
  ch_arena_release(arena, mark);
  *out = tree;
  return CH_OK;
}
