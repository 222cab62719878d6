// Pairs of which one is a closed mesh that moves: corners and edges of each against the distance of the other
// (sampling.h).
#include "collide/mesh/sampling.h"

#include "base/check.h"
#include "collide/mesh/mesh_walk.h"
#include "model/mesh/mesh_distance.h"
#include "model/mesh/mesh_features.h"
#include "model/mesh/sample_tree.h"

enum { STACK = 64 };
static const ChVec3 anywhere = {0.0, 0.0, 0.0};  // a rigid shape's samples need not say where they face

// --- what is sampled -------------------------------------------------------------------------------------------------

static ChSampleName named(int id) { return (ChSampleName){id, -1}; }

static void sample_mesh(const ChSampling* q, const ChSampleTree* tree) {
  int stack[STACK] = {0}, depth = tree->node_count > 0;
  while (depth > 0) {
    const ChSampleNode* node = &tree->nodes[stack[--depth]];
    if (!q->probe.may_reach(&q->probe, ch_sampling_place(q, node->centre), node->radius, q->margin)) continue;
    if (node->count == 0) {
      if (depth + 2 <= STACK) stack[depth++] = node->first + 1, stack[depth++] = node->first;
      continue;
    }
    for (int k = node->first; k < node->first + node->count; ++k) {
      const ChSample* s = &tree->samples[k];
      if (s->steps == 0)
        ch_sampling_corner(q, s->end[0], anywhere, named(s->id));
      else if (!q->probe.flat)
        ch_sampling_edge(q, s->end[0], s->end[1], anywhere, s->steps, named(s->id));
    }
  }
}

static int steps_of(ChVec3 from, ChVec3 to, double spacing) {
  return (int)fmin(fmax(ceil(ch_norm(ch_sub(to, from)) / spacing), 1.0), 1e6);
}

static void sample_polytope(const ChSampling* q, const ChPolytope* p, double spacing) {
  for (int v = 0; v < p->vertex_count; ++v) ch_sampling_corner(q, p->vertices[v], anywhere, named(v));
  for (int e = 0; e < p->edge_count; ++e) {
    ChVec3 from = p->vertices[p->edges[e].vertex[0]], to = p->vertices[p->edges[e].vertex[1]];
    ch_sampling_edge(q, from, to, anywhere, steps_of(from, to, spacing), named(e));
  }
}

// Corners and edges of the triangles near the probe. A corner is many triangles': it is listed with the first.
static void sample_surface(const ChSampling* q, const ChMesh* mesh, ChBox3 near, double spacing) {
  int first = q->out->count;
  ChMeshWalk walk = ch_mesh_walk(mesh, near);
  for (int c; (c = ch_mesh_walk_next(&walk)) >= 0;)
    for (int k = 0; k < 3; ++k) {
      int vertex = mesh->cells[3 * c + k], count = q->out->count;
      if (!(ch_mesh_edge_turn(mesh, c, k) > CH_SAME_NORMAL)) continue;
      ChVec3 from = mesh->vertices[vertex], to = mesh->vertices[mesh->cells[3 * c + (k + 1) % 3]];
      if (mesh->across[3 * c + k] < 0 || c < mesh->across[3 * c + k])
        ch_sampling_edge(q, from, to, anywhere, steps_of(from, to, spacing), named(3 * c + k));
      count = q->out->count;
      ch_sampling_corner(q, from, anywhere, named(vertex));
      for (int i = first; i < count && q->out->count > count; ++i)
        if (q->out->points[i].key == q->out->points[count].key) q->out->count = count;
    }
}

// --- pairs -----------------------------------------------------------------------------------------------------------

static ChVec3 middle_of(const ChPosed* posed) {
  const ChBox3* box = &posed->shape->mesh->nodes[0].box;
  ChVec3 middle = ch_scale(0.5, ch_add(box->low, box->high));
  return ch_add(posed->frame.at, ch_mat_apply(&posed->turn, middle));
}

// Every corner that stands out; on the inside of the half-space, too.
static void corners_on_plane(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  const ChMesh* mesh = a->shape->mesh;
  const ChMeshFeatures* f = mesh->features;
  ChVec3 n = ch_mat_apply(&b->turn, b->shape->normal);
  ChVec3 seen = ch_mat_apply_transposed(&a->turn, n);
  double level = b->shape->offset + ch_dot(n, ch_sub(b->frame.at, a->frame.at));
  int stack[STACK] = {0}, depth = 1, vertex = -1;
  while (depth > 0) {
    const ChMeshNode* node = &mesh->nodes[stack[--depth]];
    ChVec3 low = node->box.low, high = node->box.high;
    double lowest = fmin(seen.x * low.x, seen.x * high.x) + fmin(seen.y * low.y, seen.y * high.y) +
                    fmin(seen.z * low.z, seen.z * high.z);
    if (!(lowest - level <= margin)) continue;
    if (node->count == 0) stack[depth++] = node->first + 1, stack[depth++] = node->first;
    for (int k = node->first; k < node->first + node->count; ++k)
      for (int c = f->corner_start[mesh->order[k]]; c < f->corner_start[mesh->order[k] + 1]; ++c) {
        if (f->corners[c].vertex == vertex) continue;  // both sides of a sheet
        vertex = f->corners[c].vertex;
        double gap = ch_dot(seen, mesh->vertices[vertex]) - level;
        ChVec3 at = ch_add(a->frame.at, ch_mat_apply(&a->turn, mesh->vertices[vertex]));
        if (gap <= margin) ch_manifold_add(out, ch_along(at, -0.5 * gap, n), ch_neg(n), gap, (uint64_t)vertex);
      }
  }
}

void ch_pair_mesh_halfspace(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  if (!a->shape->mesh->samples) {
    corners_on_plane(a, b, margin, out);
    return;
  }
  ChSampling q = ch_sampling(a, b, middle_of(a), margin, false, out);
  sample_mesh(&q, a->shape->mesh->samples);
}

static const ChMesh* surface_of(const ChShape* shape) { return shape->mesh ? shape->mesh : shape->surface; }

static bool is_exact(const ChPosed* posed) {
  const ChMesh* surface = posed->skin ? NULL : surface_of(posed->shape);
  return surface && surface->features && !surface->samples;
}

static bool has_one_side(const ChPosed* posed) { return posed->shape->mesh && posed->shape->mesh->front; }

// What convex shapes touch of ground with one side is told by mesh_pairs.c, which knows that side.
bool ch_pair_is_exact(const ChPosed* a, const ChPosed* b) {
  if (!a->shape->mesh && !b->shape->mesh) return false;
  bool ground = (has_one_side(a) && !b->shape->mesh) || (has_one_side(b) && !a->shape->mesh);
  return !ground && is_exact(a) && is_exact(b);
}

void ch_pair_polytope_mesh(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  const ChSampleTree* samples = b->shape->mesh->samples;
  if (ch_pair_is_exact(a, b)) {
    ch_exact_pair(a, a->shape->surface, b, b->shape->mesh, margin, out);
    return;
  }
  if (!samples) {
    ch_pair_convex_mesh(a, b, margin, out);
    return;
  }
  ChSampling to_mesh = ch_sampling(a, b, a->frame.at, margin, false, out),
             back = ch_sampling(b, a, middle_of(b), margin, true, out);
  sample_polytope(&to_mesh, a->shape->polytope, samples->spacing);
  sample_mesh(&back, samples);
}

// Whether a point (the mesh's frame) is inside of a mesh that moves, and where it is nearest to leave it.
static bool is_inside(const ChMesh* mesh, ChVec3 point, ChFieldPoint* out) {
  ChMeshFoot foot;
  if (mesh->field) return ch_distance_field_at(mesh->field, point, 0.0, out);
  if (!mesh->moves || !mesh->closed || ch_box_distance2(&mesh->nodes[0].box, point) > 0.0) return false;
  if (!ch_mesh_foot(mesh, point, INFINITY, &foot) || foot.distance > 0.0) return false;
  *out = (ChFieldPoint){foot.distance, foot.normal};
  return true;
}

// Round shapes meet the triangles themselves; one whose centre is inside is pushed out the shortest way.
void ch_pair_round_mesh(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  ChFieldPoint foot;
  ChVec3 centre = ch_mat_apply_transposed(&b->turn, ch_sub(a->frame.at, b->frame.at));
  if (!is_inside(b->shape->mesh, centre, &foot)) {
    ch_pair_convex_mesh(a, b, margin, out);
    return;
  }
  ChVec3 outward = ch_mat_apply(&b->turn, foot.normal);
  double gap = foot.distance + ch_shape_lowest(a, outward) - ch_dot(outward, a->frame.at);
  ChVec3 surface = ch_along(a->frame.at, -foot.distance, outward);
  ch_manifold_add(out, ch_along(surface, 0.5 * gap, outward), ch_neg(outward), gap, 0);
}

void ch_pair_mesh_mesh(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  const ChMesh *first = a->shape->mesh, *second = b->shape->mesh;
  if (ch_pair_is_exact(a, b)) {
    ch_exact_pair(a, first, b, second, margin, out);
    return;
  }
  for (int side = 0; side < 2; ++side) {
    const ChPosed *from = side ? b : a, *to = side ? a : b;
    const ChMesh *own = side ? second : first, *other = side ? first : second;
    if (!own->samples && !other->samples) return;
    ChSampling q = ch_sampling(from, to, own->samples ? middle_of(from) : to->frame.at, margin, side, out);
    if (own->samples) {
      sample_mesh(&q, own->samples);
      continue;
    }
    ChBox3 near = ch_shape_box_in(to, from);
    ChVec3 reach = ch_vec(margin, margin, margin);
    near = (ChBox3){ch_sub(near.low, reach), ch_add(near.high, reach)};
    sample_surface(&q, own, near, other->samples->spacing);
  }
}
