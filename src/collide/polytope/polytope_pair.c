// Two convex polyhedra, or two polygons in the plane: signed gap, normal and all points of contact.
//
// Direction of the gap -> points along it -> where touching features leave the normal open, its centre and the points
// along that.
#include "collide/polytope/polytope_pair.h"

static ChSolid solid_of(const ChPosed* posed, ChVec3 origin) {
  const ChShape* shape = posed->shape;
  return (ChSolid){.polytope = shape->polytope,
                   .turn = posed->turn,
                   .at = ch_sub(posed->frame.at, origin),
                   .half = shape->half,
                   .box = ch_shape_is_box(shape)};
}

// One point where the solids' own ends along the normal are, so that a pair within the margin is never left out.
static void add_ends(const ChSolidPair* pair, ChVec3 normal, double gap, ChManifold* out) {
  const int vertex_a = ch_solid_support(&pair->a, normal, 0), vertex_b = ch_solid_support(&pair->b, ch_neg(normal), 0);
  const bool smaller_b = pair->b.polytope->radius <= pair->a.polytope->radius;
  const ChVec3 x = smaller_b ? ch_along(ch_solid_vertex(&pair->b, vertex_b), -0.5 * gap, normal)
                             : ch_along(ch_solid_vertex(&pair->a, vertex_a), 0.5 * gap, normal);
  ch_manifold_add(out, ch_add(x, pair->origin), normal, gap, (uint64_t)1 << 63);
}

static double separation(const ChSolidPair* pair, ChVec3 normal) {
  int hint_a = 0, hint_b = 0;
  return -ch_solid_reach(&pair->b, ch_neg(normal), &hint_b) - ch_solid_reach(&pair->a, normal, &hint_a);
}

static ChSeparatingAxis find_axis(const ChSolidPair* pair) {
  const bool boxes = pair->a.box && pair->b.box;
  if (boxes) return ch_solid_axis_boxes(pair);
  const ChSeparatingAxis apart = ch_solid_axis_apart(pair, ch_sub(pair->b.at, pair->a.at));
  return apart.gap > 1e-9 * pair->size ? apart : ch_solid_axis_hulls(pair);
}

void ch_solid_collide(const ChPosed* a, const ChPosed* b, bool plane, double margin, ChManifold* out) {
  const ChVec3 origin = a->frame.at;
  ChSolidPair pair = {
      .a = solid_of(a, origin), .b = solid_of(b, origin), .origin = origin, .margin = margin, .plane = plane};
  pair.size = fmin(pair.a.polytope->radius, pair.b.polytope->radius);
  pair.touch = CH_SOLID_TOUCH * pair.size;

  const int first = out->count;
  ChSeparatingAxis axis = find_axis(&pair);
  if (!(axis.gap <= margin)) return;
  double least = ch_solid_points(&pair, axis.normal, out);
  if (axis.gap > 0.0 && !(least <= axis.gap + 1e-11 * pair.size)) {
    const ChSeparatingAxis apart = ch_solid_axis_apart(&pair, axis.normal);
    if (apart.gap > 1e-9 * pair.size) {
      out->count = first;
      axis = apart;
      if (!(axis.gap <= margin)) return;
      least = ch_solid_points(&pair, axis.normal, out);
    }
  }
  const ChVec3 centre = ch_solid_centre_normal(&pair, axis, out, first);
  // A centre that separates less than touching features must is no common normal: slivers of faces can mislead.
  if (ch_dot(centre, axis.normal) < 1.0 - 1e-15 && separation(&pair, centre) >= axis.gap - 4.0 * pair.touch) {
    out->count = first;
    axis.normal = centre;
    ch_solid_points(&pair, centre, out);
  }
  if (out->count == first) add_ends(&pair, axis.normal, axis.gap, out);
}

void ch_pair_polytope_polytope(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  ch_solid_collide(a, b, false, margin, out);
}
