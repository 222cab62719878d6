// Pairs of which one is a closed mesh that moves: corners and edges of each against the distance of the other
// (sampling.h).
#include "collide/mesh/sampling.h"

#include "base/check.h"
#include "collide/mesh/mesh_walk.h"
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

void ch_pair_mesh_halfspace(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  if (!a->shape->mesh->samples) return;
  ChSampling q = ch_sampling(a, b, middle_of(a), margin, false, out);
  sample_mesh(&q, a->shape->mesh->samples);
}

void ch_pair_polytope_mesh(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  const ChSampleTree* samples = b->shape->mesh->samples;
  if (!samples) {
    ch_pair_convex_mesh(a, b, margin, out);
    return;
  }
  ChSampling to_mesh = ch_sampling(a, b, a->frame.at, margin, false, out),
             back = ch_sampling(b, a, middle_of(b), margin, true, out);
  sample_polytope(&to_mesh, a->shape->polytope, samples->spacing);
  sample_mesh(&back, samples);
}

// Round shapes meet the triangles themselves; one whose centre is inside is pushed out the way the field says.
void ch_pair_round_mesh(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  const ChDistanceField* field = b->shape->mesh->field;
  ChFieldPoint foot;
  ChVec3 centre = ch_mat_apply_transposed(&b->turn, ch_sub(a->frame.at, b->frame.at));
  if (!field || !ch_distance_field_at(field, centre, 0.0, &foot)) {
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
