// See net_parts.h.
//
// A segment of length L and mass m has the spread m (L^2 / 12 d d' + r^2 / 4 (1 - d d')) about its middle, d its
// direction, a point m r^2 / 5. Where r is zero, or all parts lie on one line, a thousandth of the size stands in for
// it: a line without any thickness has no inertia about itself, and no body turns without.
#include "model/shapes/net_parts.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "model/mesh/mesh.h"

static const double THIN = 1e-3, DRAWN = 4e-3;  // of the size
enum { SIDES = 6 };                             // of a tube, in pictures

ChStatus ch_net_make(ChContext* context, ChWorld* world, const ChShapeDef* def, int count, const int* segments,
                     double weight, ChShape* shape) {
  if (!(def->radius >= 0.0 && isfinite(def->radius)))
    return ch_fail(context, CH_ERR_RANGE, "radius is %g m, must be 0 or more", def->radius);
  for (int k = 0; k < 2 * count; ++k)
    if (segments[k] < 0 || segments[k] >= def->point_count)
      return ch_fail(context, CH_ERR_RANGE, "segment %d names point %d, must be 0 to %d", k / 2, segments[k],
                     def->point_count - 1);
  double size = 0.0;
  for (int k = 0; k < def->point_count; ++k) size = fmax(size, ch_norm(def->points[k]));
  for (int k = 0; k < count; ++k)
    if (!(ch_norm(ch_sub(def->points[segments[2 * k]], def->points[segments[2 * k + 1]])) > 1e-9 * size))
      return ch_fail(context, CH_ERR_RANGE, "segment %d has no length", k);
  ChNet* net = CH_TAKE(world->arena, 1, ChNet);
  ChVec3* points = CH_TAKE(world->arena, def->point_count, ChVec3);
  memcpy(points, def->points, (size_t)def->point_count * sizeof *points);
  int* pairs = count > 0 ? CH_TAKE(world->arena, 2 * count, int) : NULL;
  if (pairs) memcpy(pairs, segments, 2 * (size_t)count * sizeof *pairs);
  double drawn = fmax(def->radius, DRAWN * fmax(size, 1e-6));
  *net = (ChNet){.point_count = def->point_count, .segment_count = count, .points = points, .segments = pairs};
  net->radius = def->radius, net->drawn = drawn, net->weight = weight;
  if (!(def->radius > 0.0)) net->lines = ch_mesh_of_lines(world->arena, def->point_count, points, count, pairs);
  shape->net = net;
  shape->radius = def->radius;
  shape->bound = size + drawn;
  return CH_OK;
}

ChReach ch_net_reach(const ChShape* shape, ChVec3 d) {
  const ChNet* net = shape->net;
  ChReach reach = {INFINITY, -INFINITY};
  for (int k = 0; k < net->point_count; ++k) {
    double x = ch_dot(d, net->points[k]);
    reach.low = fmin(reach.low, x);
    reach.high = fmax(reach.high, x);
  }
  return (ChReach){reach.low - net->drawn, reach.high + net->drawn};
}

// --- mass ------------------------------------------------------------------------------------------------------------

static ChMassProperties part_mass(const ChNet* net, int part, double density, double thin) {
  ChVec3 ends[2];
  ch_net_ends(net, part, ends);
  ChVec3 way = ch_sub(ends[1], ends[0]);
  double length = ch_norm(way), r = net->radius, t = fmax(r, thin);
  double line = net->weight > 0.0 ? net->weight : density * M_PI * r * r;
  double ball = net->weight > 0.0 ? net->weight : density * 4.0 / 3.0 * M_PI * r * r * r;
  double mass = net->segments ? line * length : ball, across = mass * t * t * (net->segments ? 0.25 : 0.2);
  ChMassProperties out = {.mass = mass, .centre = ch_scale(0.5, ch_add(ends[0], ends[1]))};
  out.spread = ch_mat_diagonal(ch_vec(across, across, across));
  if (length > 0.0) {
    ChVec3 d = ch_scale(1.0 / length, way);
    ch_mat_add_outer(&out.spread, mass * length * length / 12.0 - across, d, d);
  }
  return out;
}

ChMassProperties ch_net_mass(const ChShape* shape, double density) {
  const ChNet* net = shape->net;
  double thin = THIN * shape->bound;
  ChMassProperties sum = part_mass(net, 0, density, thin);
  for (int k = 1; k < ch_net_parts(net); ++k) {
    const ChMassProperties both[2] = {sum, part_mass(net, k, density, thin)};
    sum = ch_mass_sum(2, both);
  }
  return sum;
}

// --- pictures and rays -----------------------------------------------------------------------------------------------

// A tube about the part with pointed ends, an octahedron where it is a point.
static void draw_part(const ChNet* net, int part, ChVec3* at, int* corners) {
  ChVec3 ends[2], t1, t2;
  ch_net_ends(net, part, ends);
  ChVec3 way = ch_sub(ends[1], ends[0]), axis = net->segments ? ch_unit(way) : ch_axis(2);
  ch_tangents(axis, &t1, &t2);
  int first = part * (2 * SIDES + 2);
  double r = net->drawn;
  at[0] = ch_along(ends[0], -r, axis);
  at[1] = ch_along(ends[1], r, axis);
  for (int k = 0; k < SIDES; ++k) {
    double angle = 2.0 * M_PI * k / SIDES;
    ChVec3 out = ch_along(ch_scale(r * cos(angle), t1), r * sin(angle), t2);
    int next = (k + 1) % SIDES, low = first + 2 + k, high = low + SIDES, low2 = first + 2 + next, high2 = low2 + SIDES;
    at[2 + k] = ch_add(ends[0], out);
    at[2 + SIDES + k] = ch_add(ends[1], out);
    const int four[12] = {first, low2, low, low, low2, high2, low, high2, high, first + 1, high, high2};
    memcpy(corners + 12 * k, four, sizeof four);
  }
}

ChPatches ch_net_surface(ChArena* arena, const ChShape* shape, const ChSurfaceView* view) {
  (void)view;
  const ChNet* net = shape->net;
  int parts = ch_net_parts(net), vertices = 2 * SIDES + 2, triangles = 4 * SIDES;
  ChVec3* at = CH_TAKE(arena, (size_t)parts * (size_t)vertices, ChVec3);
  int* corners = CH_TAKE(arena, 3 * (size_t)parts * (size_t)triangles, int);
  for (int k = 0; k < parts; ++k) draw_part(net, k, at + (long)k * vertices, corners + 3L * k * triangles);
  return ch_patches_triangles(arena, parts * vertices, at, parts * triangles, corners);
}

// Each part as a capsule, as thick as it is drawn.
bool ch_net_ray(const ChRay* ray, const ChShape* shape, ChRayTouch* out) {
  const ChNet* net = shape->net;
  bool found = false;
  ChRay rest = *ray;
  for (int k = 0; k < ch_net_parts(net); ++k) {
    ChVec3 ends[2];
    ch_net_ends(net, k, ends);
    ChVec3 way = ch_sub(ends[1], ends[0]);
    double length = ch_norm(way);
    ChShape part = {.type = length > 0.0 ? CH_SHAPE_CAPSULE : CH_SHAPE_SPHERE, .radius = net->drawn};
    part.half_length = 0.5 * length;
    part.bound = part.half_length + net->drawn;
    ChQuat turn = length > 0.0 ? ch_quat_from_z(ch_scale(1.0 / length, way)) : ch_quat_identity();
    ChRayTouch touch;
    if (!ch_ray_meet(&rest, &part, (ChFrame){ch_along(ends[0], 0.5, way), turn}, &touch)) continue;
    *out = touch;
    rest.reach = touch.distance;
    found = true;
  }
  return found;
}
