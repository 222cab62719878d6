// See distance_probe.h.
#include "collide/mesh/distance_probe.h"

#include "collide/closest.h"
#include "collide/shape_box.h"
#include "collide/skin/skin.h"
#include "model/mesh/mesh_distance.h"

static const double AWAY = 0.5;  // cosine of normals above which a sample faces the same way as the surface

static bool give(ChFieldPoint point, double within, ChProbeFoot* out) {
  *out = (ChProbeFoot){point.distance, point.normal, -1};
  return point.distance <= within;
}

static bool field_at(const ChProbe* probe, ChVec3 x, ChVec3 outward, double within, ChProbeFoot* out) {
  (void)outward;
  ChFieldPoint point;
  return ch_distance_field_at(probe->posed->shape->mesh->field, x, within, &point) && give(point, within, out);
}

static bool field_reaches(const ChProbe* probe, ChVec3 x, double radius, double within) {
  return ch_distance_field_least(probe->posed->shape->mesh->field, x) <= radius + within;
}

static bool polytope_reaches(const ChProbe* probe, ChVec3 x, double radius, double within) {
  const ChPolytope* p = probe->posed->shape->polytope;
  double height = -INFINITY;
  for (int f = 0; f < p->face_count; ++f) {
    double over = ch_dot(p->normals[f], x) - p->offsets[f];
    if (over > height) height = over;  // fmax would be a call
  }
  return height <= radius + within;
}

static bool polytope_at(const ChProbe* probe, ChVec3 x, ChVec3 outward, double within, ChProbeFoot* out) {
  (void)outward;
  if (!polytope_reaches(probe, x, 0.0, within)) return false;
  ChPolytopeFoot foot = ch_polytope_foot(probe->posed->shape->polytope, x);
  return give((ChFieldPoint){foot.distance, foot.normal}, within, out);
}

static double height_over(const ChProbe* p, ChVec3 x) { return ch_dot(p->normal, x) - p->offset; }

static bool flat_reaches(const ChProbe* probe, ChVec3 x, double radius, double within) {
  return height_over(probe, x) <= radius + within;
}

static bool flat_at(const ChProbe* probe, ChVec3 x, ChVec3 outward, double within, ChProbeFoot* out) {
  (void)outward;
  return give((ChFieldPoint){height_over(probe, x), probe->normal}, within, out);
}

static void make_flat(ChProbe* probe, ChVec3 normal, double offset) {
  probe->at = flat_at, probe->may_reach = flat_reaches;
  probe->flat = true, probe->normal = normal, probe->offset = offset;
}

// The largest n . x - offset in a box.
static double highest(ChBox3 box, ChVec3 n, double offset) {
  return (n.x > 0.0 ? box.high.x : box.low.x) * n.x + (n.y > 0.0 ? box.high.y : box.low.y) * n.y +
         (n.z > 0.0 ? box.high.z : box.low.z) * n.z - offset;
}

// With heights h_f over faces and all x of the box: x - h_f n_f is under every other face g, and where x is inside no
// other face is nearer, h_g <= h_f. Both are linear in x.
static bool is_foremost(const ChPolytope* p, int f, ChBox3 box) {
  ChVec3 n = p->normals[f];
  for (int g = 0; g < p->face_count; ++g) {
    if (g == f) continue;
    double along = ch_dot(p->normals[g], n);
    if (!(highest(box, ch_along(p->normals[g], -along, n), p->offsets[g] - along * p->offsets[f]) < 0.0)) return false;
    if (!(highest(box, ch_sub(p->normals[g], n), p->offsets[g] - p->offsets[f]) < 0.0)) return false;
  }
  return true;
}

void ch_probe_flatten(ChProbe* probe, ChBox3 box) {
  const ChPolytope* p = probe->posed->shape->polytope;
  ChVec3 middle = ch_scale(0.5, ch_add(box.low, box.high));
  if (!p) return;
  int face = 0;
  double height = -INFINITY;
  for (int f = 0; f < p->face_count; ++f) {
    double over = ch_dot(p->normals[f], middle) - p->offsets[f];
    if (over > height) height = over, face = f;
  }
  if (is_foremost(p, face, box)) make_flat(probe, p->normals[face], p->offsets[face]);
}

// Triangles of a surface that the asking body's centre sees from behind are its other side, not its inside; a body that
// bends may have its centre anywhere, and tells by where it faces. A closed surface has an inside.
static bool surface_at(const ChProbe* probe, ChVec3 x, ChVec3 outward, double within, ChProbeFoot* out) {
  const ChMesh* mesh = probe->posed->shape->mesh;
  ChMeshFoot foot;
  if (!ch_mesh_foot(mesh, x, fmax(within, probe->deepest), &foot)) return false;
  ChVec3 on = mesh->vertices[mesh->cells[3 * foot.cell]];
  bool behind = ch_vec_is_zero(outward) ? ch_dot(mesh->normals[foot.cell], ch_sub(probe->centre, on)) < 0.0
                                        : !mesh->closed && ch_dot(foot.normal, outward) > AWAY;
  if (foot.distance < 0.0 && behind) return false;
  return give((ChFieldPoint){foot.distance, foot.normal}, within, out);
}

static bool surface_reaches(const ChProbe* probe, ChVec3 x, double radius, double within) {
  ChMeshFoot foot;
  return ch_mesh_foot(probe->posed->shape->mesh, x, radius + fmax(within, probe->deepest), &foot) &&
         foot.distance <= radius + within;
}

static bool round_at(const ChProbe* probe, ChVec3 x, ChVec3 outward, double within, ChProbeFoot* out) {
  (void)outward;
  return give(ch_shape_kind(probe->posed->shape)->round.distance(probe->posed->shape, x), within, out);
}

static bool round_reaches(const ChProbe* probe, ChVec3 x, double radius, double within) {
  return ch_shape_kind(probe->posed->shape)->round.distance(probe->posed->shape, x).distance <= radius + within;
}

// --- skins

// Whether nothing of the skin is nearer to x than `within`, and x outside, by what is known.
static bool is_away(const ChEmptyBalls* balls, ChVec3 x, double within) {
  for (int k = 0; balls && k < balls->count && k < CH_EMPTY_BALLS; ++k) {
    double room = (balls->radius[k] - balls->bent) * (1.0 - 1e-12) - within;
    ChVec3 apart = ch_sub(x, balls->centre[k]);
    if (room > 0.0 && ch_dot(apart, apart) < room * room) return true;
  }
  return false;
}

// In the place of the oldest; a memory may live for as long as a run does, so that its count goes round.
static void keep_ball(ChEmptyBalls* balls, ChVec3 centre, double radius) {
  if (!balls) return;
  int place = balls->count % CH_EMPTY_BALLS;
  balls->centre[place] = centre;
  balls->radius[place] = radius - balls->bent;
  if (++balls->count == 2 * CH_EMPTY_BALLS) balls->count = CH_EMPTY_BALLS;
}

static bool skin_at(const ChProbe* probe, ChVec3 x, ChVec3 outward, double within, ChProbeFoot* out) {
  ChSkinFoot foot = {.triangle = -1};
  if (!(ch_box_distance2(&probe->box, x) <= within * within) || is_away(probe->empty, x, within)) return false;
  bool outside = is_away(probe->empty, x, 0.0);
  int start = probe->last ? *probe->last : -1;
  bool found = ch_skin_foot(probe->posed->skin, x, outward, within, outside, start, probe->near, &foot);
  if (probe->last && foot.triangle >= 0) *probe->last = foot.triangle;
  if (foot.triangle >= 0 && foot.distance > within) keep_ball(probe->empty, x, foot.distance);
  *out = (ChProbeFoot){foot.distance, foot.normal, foot.triangle};
  return found;
}

// Two balls that the skin does not enter and that meet are on the same side of it.
bool ch_probe_is_outside(const ChProbe* probe, ChVec3 x, double radius) {
  return !(ch_box_distance2(&probe->box, x) <= 0.0) || is_away(probe->empty, x, -radius * (1.0 - 1e-12));
}

bool ch_probe_holds(const ChProbe* probe, ChVec3 x, double radius) {
  static const ChVec3 anywhere = {0.0, 0.0, 0.0};
  ChSkinFoot foot;
  int start = probe->last ? *probe->last : -1;
  if (ch_probe_is_outside(probe, x, radius)) return false;
  if (!ch_skin_foot(probe->posed->skin, x, anywhere, INFINITY, false, start, NULL, &foot)) return false;
  if (foot.distance > 0.0) keep_ball(probe->empty, x, foot.distance);
  return foot.distance < 0.0;
}

// A polytope is where the face that is highest at x stays so, and feet stay on it: heights change by the radius, and
// the foot of a point at height h is by no more than |h| farther out over another face.
bool ch_probe_is_plane(const ChProbe* probe, ChVec3 x, double radius, ChProbePlane* plane) {
  const ChPolytope* p = probe->posed->shape->polytope;
  if (probe->flat) *plane = (ChProbePlane){probe->normal, probe->offset};
  if (probe->flat || probe->posed->skin || !p) return probe->flat;
  double first = -INFINITY, second = -INFINITY;
  for (int f = 0; f < p->face_count; ++f) {
    double height = ch_dot(p->normals[f], x) - p->offsets[f];
    if (height > first) {
      second = first, first = height;
      *plane = (ChProbePlane){p->normals[f], p->offsets[f]};
    } else if (height > second) {
      second = height;
    }
  }
  return second < -fabs(first) - 2.0 * radius - 1e-12 * p->radius;
}

static ChBox3 box_of(const ChShape* s) {
  const ChPosed own = {.shape = s, .turn = ch_mat_diagonal(ch_vec(1.0, 1.0, 1.0))};
  return ch_shape_box(&own);
}

ChProbe ch_probe(const ChPosed* target, ChVec3 centre, double size) {
  const ChShape* s = target->shape;
  ChProbe probe = {.posed = target, .deepest = size};
  probe.centre = ch_mat_apply_transposed(&target->turn, ch_sub(centre, target->frame.at));
  if (ch_shape_kind(s)->info.endless) {
    make_flat(&probe, s->normal, s->offset);
  } else if (target->skin) {
    probe.at = skin_at, probe.box = target->skin->box;
  } else if (s->polytope) {
    probe.at = polytope_at, probe.may_reach = polytope_reaches, probe.box = box_of(s), probe.convex = true;
  } else if (!s->mesh) {
    probe.at = round_at, probe.may_reach = round_reaches, probe.box = box_of(s), probe.convex = true;
  } else {
    bool solid = s->mesh->field != NULL;
    probe.at = solid ? field_at : surface_at, probe.may_reach = solid ? field_reaches : surface_reaches;
    probe.box = s->mesh->nodes[0].box;
  }
  return probe;
}
