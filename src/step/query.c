// Rays, closest points and overlaps. See query.h.
#include "cardhouse/query.h"

#include <math.h>
#include <stdlib.h>

#include "collide/images.h"
#include "collide/pairs.h"
#include "collide/shape_box.h"
#include "model/def_check.h"
#include "model/ids.h"
#include "model/periodic.h"
#include "model/shapes/shape_kind.h"
#include "model/soft/soft.h"
#include "step/state.h"

enum { CELLS_OF_RAY = 1000 };  // of a periodic world that a ray goes through

// --- rays ------------------------------------------------------------------------------------------------------------

typedef struct Skin {
  const ChSoft* soft;
  const double* modes;
  ChFrame frame;
} Skin;

static ChVec3 skin_vertex(const void* surface, int v) {
  const Skin* skin = surface;
  return ch_frame_point(skin->frame, ch_soft_vertex(skin->soft, v, skin->modes));
}

static bool meet(const ChSimulation* s, const ChRay* ray, const ChShape* shape, ChVec3 shift, ChRayTouch* touch) {
  const ChBodyState* state = &s->states[shape->body];
  ChRay moved = {ch_sub(ray->from, shift), ray->along, ray->reach};
  if (!shape->soft) return ch_ray_meet(&moved, shape, ch_shape_frame(shape, state), touch);
  Skin skin = {shape->soft, ch_state_modes(s->world, s->states, shape->body), ch_state_frame(s->states, shape->body)};
  return ch_ray_meet_triangles(&moved, shape->soft->skin.triangle_count, shape->soft->skin.triangles, skin_vertex,
                               &skin, touch);
}

static ChPosed pose(const ChSimulation* s, int k) {
  const ChShape* shape = &s->world->shapes[k];
  ChFrame frame = ch_shape_frame(shape, &s->states[shape->body]);
  return (ChPosed){.shape = shape, .frame = frame, .turn = ch_mat_from_quat(frame.orientation)};
}

// Shifts under which a shape may be near what is placed somewhere.
static int images_near(const ChSimulation* s, const ChPlaced* where, int k, ChVec3 shifts[CH_NEAR_IMAGES]) {
  shifts[0] = ch_vec(0.0, 0.0, 0.0);
  if (!ch_periodic_any(&s->world->periodic)) return 1;
  if (ch_shape_kind(&s->world->shapes[k])->info.endless) return 1;  // its normal looks along no axis that repeats
  ChPosed posed = pose(s, k);
  ChPlaced placed = ch_placed(s->world, k, &posed);
  return ch_images_near(&s->world->periodic, where, &placed, shifts);
}

// How far a ray goes, from `t` on, until it leaves the cell that it is in.
static double leaves_cell(const ChPeriodic* p, const ChRay* ray, double t) {
  double next = ray->reach;
  for (int a = 0; a < 3; ++a) {
    double speed = ch_component(ray->along, a), from = ch_component(ray->from, a);
    if (!p->axis[a] || speed == 0.0) continue;
    double length = ch_periodic_length(p, a), cell = ch_periodic_period(p, a, from + speed * t);
    double border = ch_periodic_low(p, a) + length * (speed > 0.0 ? cell + 1.0 : cell);
    double at = (border - from) / speed;
    next = fmin(next, fmax(at, t + 1e-9 * length));
  }
  return next;
}

// The nearest shape that the ray meets between two places of it, both in one cell.
static void meet_within(const ChSimulation* s, ChRay ray, double from, double to, ChRayHit* hit) {
  double middle = isfinite(to) ? 0.5 * (from + to) : from;
  ChPlaced there = {.at = ch_along(ray.from, middle, ray.along)};
  for (int k = 0; k < s->world->shape_count; ++k) {
    ChVec3 shifts[CH_NEAR_IMAGES];
    int count = images_near(s, &there, k, shifts);
    for (int m = 0; m < count; ++m) {
      ChRayTouch touch;
      if (!meet(s, &ray, &s->world->shapes[k], shifts[m], &touch) || touch.distance > to) continue;
      if (!ch_body_id_is_none(hit->body) && touch.distance >= hit->distance) continue;
      ray.reach = touch.distance;
      *hit = (ChRayHit){.body = ch_body_id_of(s->world, s->world->shapes[k].body),
                        .shape = ch_shape_id_of(s->world, k),
                        .distance = touch.distance,
                        .point = ch_along(ray.from, touch.distance, ray.along),
                        .normal = touch.normal};
    }
  }
}

ChStatus ch_simulation_cast_ray(ChContext* context, const ChSimulation* s, ChVec3 from, ChVec3 direction, double reach,
                                ChRayHit* hit) {
  *hit = (ChRayHit){.distance = 0.0};
  double length = ch_norm(direction);
  if (!(ch_vec_finite(from) && isfinite(length) && length > 0.0 && reach >= 0.0))
    return ch_fail(context, CH_ERR_RANGE,
                   "ray from (%g, %g, %g) along (%g, %g, %g), reach %g m: must be finite, have a direction and a reach "
                   "of 0 or more",
                   from.x, from.y, from.z, direction.x, direction.y, direction.z, reach);
  ChRay ray = {from, ch_scale(1.0 / length, direction), reach};
  double at = 0.0;
  for (int cell = 0; cell < CELLS_OF_RAY && ch_body_id_is_none(hit->body); ++cell) {
    double next = leaves_cell(&s->world->periodic, &ray, at);
    meet_within(s, ray, at, next, hit);
    if (!(next < reach)) break;
    at = next;
  }
  return CH_OK;
}

// --- closest points --------------------------------------------------------------------------------------------------

// The deepest point of a pair, or NULL where there is none within.
static const ChGap* deepest(const ChPosed* a, const ChPosed* b, double within, ChManifold* list) {
  double bounds = a->shape->bound + b->shape->bound;
  if (!(ch_norm(ch_sub(b->frame.at, a->frame.at)) <= (1.0 + 1e-9) * bounds + within)) return NULL;
  list->count = 0;
  ch_pair_collide(a, b, within, list);
  const ChGap* best = NULL;
  for (int k = 0; k < list->count; ++k)
    if (list->points[k].gap <= within && (!best || list->points[k].gap < best->gap)) best = &list->points[k];
  return best;
}

// Of the images of a shape, the second of the pair, as the first sees them; false where none is within.
static bool deepest_image(const ChSimulation* s, const ChPosed* a, const ChPlaced* placed, int k, double within,
                          ChManifold* list, ChGap* best) {
  ChVec3 shifts[CH_NEAR_IMAGES];
  int count = images_near(s, placed, k, shifts);
  bool found = false;
  for (int m = 0; m < count; ++m) {
    ChPosed b = pose(s, k);
    b.frame.at = ch_add(b.frame.at, shifts[m]);
    const ChGap* gap = deepest(a, &b, within, list);
    if (!gap || (found && gap->gap >= best->gap)) continue;
    *best = *gap;
    found = true;
  }
  return found;
}

// The shape with the index i, as one that others are near to.
static ChPlaced placed_shape(const ChSimulation* s, int i, const ChPosed* posed) {
  bool simple = !ch_periodic_any(&s->world->periodic) || ch_shape_kind(posed->shape)->info.endless;
  return simple ? (ChPlaced){.at = posed->frame.at, .stands = {true, true, true}} : ch_placed(s->world, i, posed);
}

static ChStatus end(ChContext* context, ChManifold* list) {
  bool failed = list->failed;
  ch_manifold_free(list);
  return failed ? ch_fail(context, CH_ERR_MEMORY, "out of memory for a query") : CH_OK;
}

static ChStatus check_within(ChContext* context, double within) {
  if (within >= 0.0 && within < INFINITY) return CH_OK;
  return ch_fail(context, CH_ERR_RANGE, "query: within is %g m, must be finite and 0 or more", within);
}

static ChStatus find_rigid(ChContext* context, const ChSimulation* s, ChBodyId id, int* row) {
  ChStatus status = ch_body_find(context, s->world, id, "query", row);
  if (status == CH_OK && s->world->bodies[*row].soft)
    status = ch_fail(context, CH_ERR_UNSUPPORTED, "query: body '%.100s' is deformable", s->world->bodies[*row].name);
  return status;
}

ChStatus ch_simulation_closest(ChContext* context, const ChSimulation* s, ChBodyId a, ChBodyId b, double within,
                               ChClosestPoints* out) {
  int row[2];
  *out = (ChClosestPoints){.found = false};
  ChStatus status = find_rigid(context, s, a, &row[0]);
  if (status == CH_OK) status = find_rigid(context, s, b, &row[1]);
  if (status == CH_OK) status = check_within(context, within);
  if (status != CH_OK) return status;
  const ChBody *x = &s->world->bodies[row[0]], *y = &s->world->bodies[row[1]];
  ChManifold list = {0};
  for (int i = x->first_shape; i < x->first_shape + x->shape_count; ++i)
    for (int j = y->first_shape; j < y->first_shape + y->shape_count; ++j) {
      ChPosed p = pose(s, i);
      ChPlaced placed = placed_shape(s, i, &p);
      ChGap gap;
      if (!deepest_image(s, &p, &placed, j, within, &list, &gap) || (out->found && gap.gap >= out->gap)) continue;
      *out = (ChClosestPoints){
          .found = true,
          .shape = {ch_shape_id_of(s->world, i), ch_shape_id_of(s->world, j)},
          .gap = gap.gap,
          .point = {ch_along(gap.point, -0.5 * gap.gap, gap.normal), ch_along(gap.point, 0.5 * gap.gap, gap.normal)},
          .normal = gap.normal};
    }
  return end(context, &list);
}

// --- overlaps --------------------------------------------------------------------------------------------------------

ChQueryProbe ch_query_ball(ChVec3 centre, double radius) {
  return (ChQueryProbe){.type = CH_SHAPE_SPHERE, .frame = {centre, {1.0, 0.0, 0.0, 0.0}}, .radius = radius};
}

// Whether numbers alone, which the probe has, make a shape of the type.
static bool is_made_of_sizes(const ChShapeInfo* info) {
  for (int k = 0; k < info->field_count; ++k)
    if (info->fields[k].kind != CH_DEF_SIZE && info->fields[k].kind != CH_DEF_SIZES) return false;
  return info->field_count > 0;
}

// The probe as a shape; `arena` keeps what it is made of.
static ChStatus make_probe(ChContext* context, const ChSimulation* s, ChArena* arena, const ChQueryProbe* probe,
                           ChShape* shape) {
  ChWorld alone = {.arena = arena, .dimension = s->world->dimension};
  const ChShapeInfo* info = ch_shape_info(probe->type);
  if (!info || info->dimension != alone.dimension || !is_made_of_sizes(info))
    return ch_fail(context, CH_ERR_ARGUMENT, "probe: must be a shape of %s that sizes describe, such as a %s or a box",
                   alone.dimension == 2 ? "the plane" : "space", alone.dimension == 2 ? "disk" : "sphere");
  const ChQuat q = probe->frame.orientation;
  if (!(ch_vec_finite(probe->frame.at) && fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1.0) <= 1e-6))
    return ch_fail(context, CH_ERR_RANGE, "probe: its frame must be finite with a unit quaternion");
  ChShapeDef def = {
      .type = probe->type, .radius = probe->radius, .half_length = probe->half_length, .half = probe->half};
  ChStatus status = ch_def_check(context, &alone, &def, info->field_count, info->fields, "probe");
  if (status != CH_OK) return status;
  *shape = (ChShape){.type = probe->type, .body = -1};
  return ch_shape_kind(shape)->make(context, &alone, &def, shape);
}

static ChStatus list_near(ChContext* context, const ChSimulation* s, const ChPosed* probe, double within, int room,
                          ChNearby* out, int* count) {
  ChManifold list = {0};
  for (int k = 0; k < s->world->shape_count; ++k) {
    if (s->world->shapes[k].soft) continue;
    ChPlaced placed = {.at = probe->frame.at};
    ChGap gap;
    if (!deepest_image(s, probe, &placed, k, within, &list, &gap)) continue;
    if (*count < room)
      out[*count] = (ChNearby){.body = ch_body_id_of(s->world, s->world->shapes[k].body),
                               .shape = ch_shape_id_of(s->world, k),
                               .gap = gap.gap,
                               .point = ch_along(gap.point, 0.5 * gap.gap, gap.normal),
                               .normal = ch_neg(gap.normal)};
    ++*count;
  }
  return end(context, &list);
}

ChStatus ch_simulation_overlap(ChContext* context, const ChSimulation* s, const ChQueryProbe* probe, double within,
                               int room, ChNearby* out, int* count) {
  *count = 0;
  ChStatus status = check_within(context, within);
  if (status != CH_OK) return status;
  ChArena* arena = ch_arena_create(NULL);
  jmp_buf landing;
  if (!arena || setjmp(landing)) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory for a query");
  }
  ch_arena_set_landing(arena, &landing);
  ChShape shape;
  status = make_probe(context, s, arena, probe, &shape);
  ChPosed posed = {.shape = &shape, .frame = probe->frame, .turn = ch_mat_from_quat(probe->frame.orientation)};
  if (status == CH_OK) status = list_near(context, s, &posed, within, room, out, count);
  ch_arena_destroy(arena);
  return status;
}
