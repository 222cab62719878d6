// Pairs of which one is a closed mesh that moves: samples of each against the distance of the other.
//
//   gap = d(x),  normal = grad d(x)   for every sample x of one shape with d(x) <= margin, d the other's distance
//
// Corners are asked where they are. Along a straight edge, parameter s and direction t, d changes at the rate n . t, so
// a place where it is least lies between two samples at which the rate goes from falling to rising; it is found by
// halving, so that two edges that cross touch in the point where they do, however far the samples are apart. Where the
// edge lies along a flat part of the other, rates are equal and gaps on one line: only the ends of such a stretch are
// listed, since forces on the points between them are sums of forces on these.
//
// Behind a ridge of the other shape the distance has a crease: the nearest side changes while the edge passes under it.
// The normal there is the mean of both sides', across the edge, and the gap is counted along it. Where the two sides
// face each other (the edge pierces a plate) there is none.
#include "base/check.h"
#include "collide/distance_probe.h"
#include "collide/mesh_walk.h"
#include "model/sample_tree.h"

enum { STACK = 64, HALVINGS = 30 };
static const double SAME = 1e-6;        // radian: normals that differ by less are the same
static const double STEADY = 1e-9;      // of the size: gaps that are so near to a line are on it
static const double TURNED = 0.3;       // cosine from a crease's normal to its sides: below, they face each other
static const double LEAST_RATE = 1e-7;  // of change along an edge that counts

enum { CORNER, STRETCH, LOWEST };  // kinds of points, for keys

typedef struct Query {
  ChProbe probe;
  ChMat3 turn;  // from the frame of the sampled shape to that of the probe
  ChVec3 shift;
  double margin, size;
  uint64_t side;  // 0: the sampled shape is the pair's first
  ChManifold* out;
} Query;

static ChVec3 to_probe(const Query* q, ChVec3 local) { return ch_add(q->shift, ch_mat_apply(&q->turn, local)); }

static Query query(const ChPosed* sampled, const ChPosed* target, ChVec3 centre, double margin, bool second,
                   ChManifold* out) {
  Query q = {.margin = margin, .size = sampled->shape->bound, .side = second, .out = out};
  q.probe = ch_probe(target, centre, sampled->shape->bound);
  ChPosed seen = ch_posed_in(sampled, target);
  q.turn = seen.turn, q.shift = seen.frame.at;
  return q;
}

static void add(const Query* q, ChVec3 x, const ChFieldPoint* foot, int kind, int id, int ordinal) {
  const ChPosed* target = q->probe.posed;
  ChVec3 outward = ch_mat_apply(&target->turn, foot->normal);
  ChVec3 middle = ch_along(x, -0.5 * foot->distance, foot->normal);
  uint64_t key = q->side << 63 | (uint64_t)kind << 60 | (uint64_t)id << 24 | (uint64_t)(ordinal & 0xffffff);
  ch_manifold_add(q->out, ch_add(target->frame.at, ch_mat_apply(&target->turn, middle)),
                  q->side ? outward : ch_neg(outward), foot->distance, key);
}

static void add_corner(const Query* q, ChVec3 local, int id) {
  ChVec3 x = to_probe(q, local);
  ChFieldPoint foot;
  if (q->probe.at(&q->probe, x, q->margin, &foot)) add(q, x, &foot, CORNER, id, 0);
}

// --- edges -----------------------------------------------------------------------------------------------------------

typedef struct Line {
  ChVec3 from, along;  // in the probe's frame; along is unit
  double length;
  int id;
} Line;

typedef struct Stop {
  double s;
  bool near;  // within the margin
  bool known;
  ChFieldPoint foot;
} Stop;

static Stop stop_at(const Query* q, const Line* line, double s, double within) {
  Stop stop = {.s = s};
  stop.known = q->probe.at(&q->probe, ch_along(line->from, s, line->along), within, &stop.foot);
  stop.near = stop.known && stop.foot.distance <= q->margin;
  return stop;
}

static double rate(const Line* line, const Stop* stop) { return ch_dot(stop->foot.normal, line->along); }

// Whether the surface is one plane from one stop to the other.
static bool is_flat(const Query* q, const Line* line, const Stop* a, const Stop* b) {
  if (!a->near || !b->near || ch_norm(ch_sub(a->foot.normal, b->foot.normal)) > SAME) return false;
  double expected = a->foot.distance + (b->s - a->s) * rate(line, a);
  return fabs(b->foot.distance - expected) <= STEADY * q->size + SAME * fabs(b->s - a->s);
}

// The least distance between two stops, of which the first falls and the second rises.
static void add_lowest(const Query* q, const Line* line, Stop low, Stop high, int ordinal) {
  double within = q->margin + (high.s - low.s);
  for (int k = 0; k < HALVINGS; ++k) {
    Stop middle = stop_at(q, line, 0.5 * (low.s + high.s), within);
    if (!middle.known) return;
    if (rate(line, &middle) < 0.0)
      low = middle;
    else
      high = middle;
  }
  ChVec3 sum = ch_add(low.foot.normal, high.foot.normal);
  ChFieldPoint foot = {fmin(low.foot.distance, high.foot.distance), sum};
  foot.normal = ch_unit(ch_along(sum, -ch_dot(sum, line->along), line->along));
  double turned = ch_dot(foot.normal, low.foot.normal);
  if (!(turned >= TURNED)) return;
  if (foot.distance < 0.0) foot.distance /= turned;
  if (foot.distance <= q->margin) add(q, ch_along(line->from, low.s, line->along), &foot, LOWEST, line->id, ordinal);
}

// The part of the line that is within reach of the probe's box: s in [range[0], range[1]].
static bool clip(const Query* q, const Line* line, double range[2]) {
  range[0] = 0.0, range[1] = line->length;
  for (int k = 0; k < 3; ++k) {
    double low = ch_component(q->probe.box.low, k) - q->margin, high = ch_component(q->probe.box.high, k) + q->margin;
    double at = ch_component(line->from, k), slope = ch_component(line->along, k);
    if (fabs(slope) < 1e-12) {
      if (at < low || at > high) return false;
      continue;
    }
    double s0 = (low - at) / slope, s1 = (high - at) / slope;
    range[0] = fmax(range[0], fmin(s0, s1)), range[1] = fmin(range[1], fmax(s0, s1));
  }
  return range[0] <= range[1];
}

// Follows an edge of the sampled shape in this many steps; its ends are corners and listed as such.
static void add_edge(const Query* q, ChVec3 from, ChVec3 to, int steps, int id) {
  Line line = {.from = to_probe(q, from), .id = id};
  ChVec3 whole = ch_sub(to_probe(q, to), line.from);
  line.length = ch_norm(whole);
  line.along = ch_unit(whole);
  double range[2], step = line.length / steps;
  if (!(step > 0.0) || !clip(q, &line, range)) return;
  int first = (int)floor(range[0] / step), last = (int)ceil(range[1] / step), lowest = 0;
  if (first < 0) first = 0;
  if (last > steps) last = steps;
  double within = q->margin + step;
  Stop before = {0}, here = stop_at(q, &line, first * step, within);
  for (int k = first; k <= last; ++k) {
    Stop next = k < last ? stop_at(q, &line, k + 1 == steps ? line.length : (k + 1) * step, within) : (Stop){0};
    bool falls = here.known && rate(&line, &here) < -LEAST_RATE, rises = next.known && rate(&line, &next) > LEAST_RATE;
    if (falls && rises) add_lowest(q, &line, here, next, lowest++);
    bool flat = is_flat(q, &line, &before, &here) != is_flat(q, &line, &here, &next);
    if (flat && k > 0 && k < steps) add(q, ch_along(line.from, here.s, line.along), &here.foot, STRETCH, id, k);
    before = here;
    here = next;
  }
}

// --- what is sampled -------------------------------------------------------------------------------------------------

static void sample_mesh(const Query* q, const ChSampleTree* tree) {
  int stack[STACK] = {0}, depth = tree->node_count > 0;
  while (depth > 0) {
    const ChSampleNode* node = &tree->nodes[stack[--depth]];
    if (q->probe.least(&q->probe, to_probe(q, node->centre), node->radius) > q->margin) continue;
    if (node->count == 0) {
      if (depth + 2 <= STACK) stack[depth++] = node->first + 1, stack[depth++] = node->first;
      continue;
    }
    for (int k = node->first; k < node->first + node->count; ++k) {
      const ChSample* s = &tree->samples[k];
      if (s->steps == 0)
        add_corner(q, s->end[0], s->id);
      else if (!q->probe.flat)
        add_edge(q, s->end[0], s->end[1], s->steps, s->id);
    }
  }
}

static int steps_of(ChVec3 from, ChVec3 to, double spacing) {
  return (int)fmin(fmax(ceil(ch_norm(ch_sub(to, from)) / spacing), 1.0), 1e6);
}

static void sample_polytope(const Query* q, const ChPolytope* p, double spacing) {
  for (int v = 0; v < p->vertex_count; ++v) add_corner(q, p->vertices[v], v);
  for (int e = 0; e < p->edge_count; ++e) {
    ChVec3 from = p->vertices[p->edges[e].vertex[0]], to = p->vertices[p->edges[e].vertex[1]];
    add_edge(q, from, to, steps_of(from, to, spacing), e);
  }
}

// Corners and edges of the triangles near the probe. A corner is many triangles': it is listed with the first.
static void sample_surface(const Query* q, const ChMesh* mesh, ChBox3 near, double spacing) {
  int first = q->out->count;
  ChMeshWalk walk = ch_mesh_walk(mesh, near);
  for (int c; (c = ch_mesh_walk_next(&walk)) >= 0;)
    for (int k = 0; k < 3; ++k) {
      int vertex = mesh->cells[3 * c + k], count = q->out->count;
      if (!(ch_mesh_edge_turn(mesh, c, k) > SAME)) continue;
      ChVec3 from = mesh->vertices[vertex], to = mesh->vertices[mesh->cells[3 * c + (k + 1) % 3]];
      if (mesh->across[3 * c + k] < 0 || c < mesh->across[3 * c + k])
        add_edge(q, from, to, steps_of(from, to, spacing), 3 * c + k);
      count = q->out->count;
      add_corner(q, from, vertex);
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
  Query q = query(a, b, middle_of(a), margin, false, out);
  sample_mesh(&q, a->shape->mesh->samples);
}

void ch_pair_polytope_mesh(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  const ChSampleTree* samples = b->shape->mesh->samples;
  if (!samples) {
    ch_pair_convex_mesh(a, b, margin, out);
    return;
  }
  Query to_mesh = query(a, b, a->frame.at, margin, false, out), back = query(b, a, middle_of(b), margin, true, out);
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
    Query q = query(from, to, own->samples ? middle_of(from) : to->frame.at, margin, side, out);
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
