// See passing.h.
#include "step/passing.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "collide/broad.h"
#include "collide/shape_box.h"
#include "collide/sweep.h"
#include "step/peers.h"
#include "step/rotation.h"

#define DEEP 0.25   // of both half widths: the nearest side is still the one they came from
#define LATE 1e-3   // of the smaller body's radius: an overlap that a contact would not have let happen
#define GRAZE 0.02  // of both half widths: what meets by less has a contact in the next step
#define FAR 2.0     // radii of the smaller body
#define TURN 2.25   // pi / sqrt(2), and a little more

typedef struct Look {
  ChSimulation* s;
  const ChMoment* moment;
  double margin;
  ChWay* ways;           // of bodies
  double* uncovered;     // u of bodies
  unsigned char* looks;  // whether a body is looked at
  ChManifold list;
} Look;

static bool is_endless(const ChShape* shape) { return ch_shape_kind(shape)->info.endless; }

bool ch_passing_is_far(const ChMoment* moment, double margin) {
  for (int g = 0; g < moment->gap_count; ++g) {
    const ChGap* gap = &moment->gaps[g];
    if (!(gap->gap > margin)) continue;
    const ChShape *a = &moment->world->shapes[gap->shape[0]], *b = &moment->world->shapes[gap->shape[1]];
    if (a->soft || b->soft || is_endless(a) || is_endless(b)) continue;
    if (gap->gap > FAR * ch_smaller_radius(moment, gap)) return true;
  }
  return false;
}

// --- those that fly past ---------------------------------------------------------------------------------------------

static ChWay free_way(const ChSimulation* s, int b, double h) {
  const ChBodyState* from = &s->states[b];
  ChBodyState to = *from;
  ChVec3 velocity = from->velocity;
  if (ch_world_moves(s->world, b)) velocity = ch_along(velocity, h, ch_world_gravity(s->world, s->time));
  to.position = ch_along(to.position, h, velocity);
  to.angle += h * to.omega.z;
  to.orientation =
      s->world->dimension == 2 ? ch_quat_about(ch_axis(2), to.angle) : ch_turn(to.orientation, to.omega, h);
  return ch_way_between(s->world->dimension, from, &to);
}

static bool may_fly_past(const ChWorld* world, const ChGap* gap, double margin) {
  if (!(gap->gap > margin && gap->closes >= gap->gap)) return false;
  const ChShape *a = &world->shapes[gap->shape[0]], *b = &world->shapes[gap->shape[1]];
  return gap->closes > a->half_width + b->half_width && !a->soft && !b->soft && !is_endless(a) && !is_endless(b);
}

static bool flies_past(ChSimulation* s, const ChGap* gap, double h) {
  const ChShape *a = &s->world->shapes[gap->shape[0]], *b = &s->world->shapes[gap->shape[1]];
  ChWay ways[2] = {free_way(s, gap->body[0], h), free_way(s, gap->body[1], h)};
  const ChSwept x = {a, &ways[0]}, y = {b, &ways[1]};
  double width = a->half_width + b->half_width;
  return width > 0.0 && !(ch_swept_meet(&x, &y, GRAZE * width, &s->passing) <= 1.0);
}

void ch_passing_leave_out(ChSimulation* s, ChMoment* moment, double h, double margin) {
  bool any = false, past = false;
  for (int g = 0; g < moment->gap_count && !any; ++g) any = may_fly_past(s->world, &moment->gaps[g], margin);
  if (!any) return;
  ChGap* kept = CH_TAKE_RAW(s->scratch, moment->gap_count, ChGap);
  const int* known = NULL;  // the pair that `past` is about
  int count = 0;
  for (int g = 0; g < moment->gap_count; ++g) {
    const ChGap* gap = &moment->gaps[g];
    bool may = may_fly_past(s->world, gap, margin);
    if (may && !(known && known[0] == gap->shape[0] && known[1] == gap->shape[1])) {
      past = flies_past(s, gap, h);
      known = gap->shape;
    }
    if (!(may && past)) kept[count++] = *gap;
  }
  moment->gaps = kept;
  moment->gap_count = count;
}

// --- bodies ----------------------------------------------------------------------------------------------------------

static double reach_of(const ChWorld* world, int body, double* half_width) {
  double reach = 0.0;
  *half_width = INFINITY;
  for (int k = 0; k < world->bodies[body].shape_count; ++k) {
    const ChShape* shape = &world->shapes[world->bodies[body].first_shape + k];
    reach = fmax(reach, shape->reach);
    *half_width = fmin(*half_width, shape->half_width);
  }
  return reach;
}

// How much farther than half the margin a body comes than the way h v, and the turn h w, that it was seen to go.
static double beyond(const Look* look, const ChWay* way, double h, double reach) {
  ChVec3 seen = ch_scale(h, way->from.velocity);
  double square = ch_dot(seen, seen), along = 0.0;
  if (!look->s->options.look_ahead) square = 0.0;
  if (square > 0.0) along = fmin(fmax(ch_dot(seen, way->step) / square, 0.0), 1.0);
  double turned = look->s->options.look_ahead ? h * ch_norm(way->from.omega) : 0.0;
  double aside = ch_norm(ch_along(way->step, -along, seen)) + reach * fmax(way->angle - turned, 0.0);
  return fmax(aside - 0.5 * look->margin, 0.0);
}

// Whether the body is surely not to be looked at: a turn by an angle below pi changes a quaternion by 2 sin(angle / 4),
// which is at least the angle over TURN. No root and no arctangent for what stands and falls.
static bool is_slow(const ChSimulation* s, int b, const ChBodyState* end, double margin) {
  const ChBodyState *from = &s->before[b], *to = &end[b];
  double half_width, reach = reach_of(s->world, b, &half_width);
  ChQuat p = from->orientation, q = to->orientation, d = {q.w - p.w, q.x - p.x, q.y - p.y, q.z - p.z};
  double turn = s->world->dimension == 2 ? fabs(to->angle - from->angle)
                                         : TURN * sqrt(d.w * d.w + d.x * d.x + d.y * d.y + d.z * d.z);
  double motion = ch_norm(ch_sub(to->position, from->position)) + (turn > 0.0 ? turn * reach : 0.0);
  return motion <= fmin(half_width, 0.5 * margin);
}

bool ch_passing_is_looked_at(const ChSimulation* s, const ChBodyState* end, double margin) {
  for (int b = 0; b < s->world->body_count; ++b) {
    const ChBody* body = &s->world->bodies[b];
    if (body->kind == CH_BODY_DYNAMIC && !ch_peers_mine(s, b)) continue;
    if (body->kind != CH_BODY_FIXED && !body->soft && !is_slow(s, b, end, margin)) return true;
  }
  return false;
}

// Returns whether any body is to be looked at.
static bool look_at_bodies(Look* look, const ChBodyState* end, double h) {
  const ChWorld* world = look->s->world;
  bool any = false;
  for (int b = 0; b < world->body_count; ++b) {
    if (!ch_peers_near(look->s, b)) continue;
    look->ways[b] = ch_way_between(world->dimension, &look->s->before[b], &end[b]);
    if (world->bodies[b].kind == CH_BODY_FIXED || world->bodies[b].soft) continue;
    double half_width, reach = reach_of(world, b, &half_width);
    if (!isfinite(reach)) continue;  // a plane on a driven body
    const ChWay* way = &look->ways[b];
    if (world->bodies[b].kind == CH_BODY_DYNAMIC) look->uncovered[b] = beyond(look, way, h, reach);
    look->looks[b] = look->uncovered[b] > 0.0 || ch_norm(way->step) + reach * way->angle > half_width;
    any |= look->looks[b];
  }
  return any;
}

// --- pairs -----------------------------------------------------------------------------------------------------------

static ChBox3 widened(ChBox3 box, ChVec3 step, double widen) {
  return (ChBox3){ch_vec(box.low.x + fmin(step.x, 0.0) - widen, box.low.y + fmin(step.y, 0.0) - widen,
                         box.low.z + fmin(step.z, 0.0) - widen),
                  ch_vec(box.high.x + fmax(step.x, 0.0) + widen, box.high.y + fmax(step.y, 0.0) + widen,
                         box.high.z + fmax(step.z, 0.0) + widen)};
}

// Boxes of all that a shape meets on its way; planes turn with nobody.
static int find_pairs(const Look* look, const ChBroadPair** pairs) {
  const ChWorld* world = look->s->world;
  ChArena* arena = look->s->scratch;
  ChBroadItem* items = CH_TAKE(arena, world->shape_count, ChBroadItem);
  ChBroadPlane* planes = CH_TAKE(arena, world->shape_count, ChBroadPlane);
  int plane_count = 0;
  for (int i = 0; i < world->shape_count; ++i) {
    const ChShape* shape = &world->shapes[i];
    if (!ch_peers_near(look->s, shape->body)) {  // a plane that is not listed meets nobody
      items[i] = (ChBroadItem){.body = shape->body, .plane = true};
      continue;
    }
    ChSwept swept = {shape, &look->ways[shape->body]};
    ChPosed posed = ch_swept_at(&swept, 0.0);
    items[i] = (ChBroadItem){
        .body = shape->body,
        .moves = world->bodies[shape->body].kind == CH_BODY_DYNAMIC && ch_peers_mine(look->s, shape->body),
        .plane = is_endless(shape) || shape->soft};
    if (is_endless(shape)) {
      ChVec3 normal = ch_mat_apply(&posed.turn, shape->normal);
      double offset = shape->offset + ch_dot(normal, posed.frame.at);
      planes[plane_count++] = (ChBroadPlane){i, normal, offset + fmax(ch_dot(normal, swept.way->step), 0.0)};
    } else if (!shape->soft) {
      items[i].box = widened(ch_shape_box(&posed), swept.way->step, ch_swept_turn(&swept));
    }
  }
  return ch_broad_find(ch_broad_create(arena), world->shape_count, items, plane_count, planes, pairs);
}

static int compare_ignored(const void* a, const void* b) {
  const int *x = a, *y = b;
  if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
  return (x[1] > y[1]) - (x[1] < y[1]);
}

static bool is_ignored(const ChWorld* world, int a, int b) {
  const int pair[2] = {a < b ? a : b, a < b ? b : a};
  return world->ignored_count > 0 &&
         bsearch(pair, world->ignored, (size_t)world->ignored_count, sizeof *world->ignored, compare_ignored);
}

// Whether the shapes have been a contact in this step. Gaps are sorted by shapes.
static bool is_listed(const ChMoment* moment, int i, int j) {
  int low = 0, high = moment->gap_count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    const int* shape = moment->gaps[middle].shape;
    if (shape[0] < i || (shape[0] == i && shape[1] < j))
      low = middle + 1;
    else
      high = middle;
  }
  return low < moment->gap_count && moment->gaps[low].shape[0] == i && moment->gaps[low].shape[1] == j;
}

static void look_at_pair(Look* look, int i, int j, ChPassing* out) {
  const ChWorld* world = look->s->world;
  const ChShape *a = &world->shapes[i], *b = &world->shapes[j];
  if (!(look->looks[a->body] || look->looks[b->body]) || a->soft || b->soft) return;
  const unsigned char* mine = look->s->peers ? look->s->peers->mine : NULL;
  if (is_ignored(world, a->body, b->body) || !ch_pair_is_mine(world, mine, a->body, b->body)) return;
  const ChSwept x = {a, &look->ways[a->body]}, y = {b, &look->ways[b->body]};
  double motion = ch_swept_motion(&x, &y), width = a->half_width + b->half_width;
  if (width > 0.0 && motion > width) {
    double met = ch_swept_meet(&x, &y, DEEP * width, &look->list);
    if (met <= 1.0) *out = (ChPassing){true, fmax(out->uncovered, fmax(1.0 - met, 1e-3) * motion)};
  }
  double uncovered = fmax(look->uncovered[a->body], look->uncovered[b->body]);
  if (!(uncovered > 0.0) || is_listed(look->moment, i, j)) return;
  double smaller = INFINITY;
  if (ch_world_moves(world, a->body)) smaller = fmin(smaller, a->reach);
  if (ch_world_moves(world, b->body)) smaller = fmin(smaller, b->reach);
  if (ch_swept_gap(&x, &y, 1.0, 0.0, &look->list) < -LATE * smaller)
    *out = (ChPassing){true, fmax(out->uncovered, uncovered)};
}

ChStatus ch_passing_look(ChContext* context, ChSimulation* s, const ChMoment* moment, const ChBodyState* end, double h,
                         double margin, ChPassing* out) {
  CH_ASSERT(h > 0.0 && margin >= 0.0 && end);
  *out = (ChPassing){0};
  Look look = {.s = s,
               .moment = moment,
               .margin = margin,
               .ways = CH_TAKE(s->scratch, s->world->body_count, ChWay),
               .uncovered = CH_TAKE(s->scratch, s->world->body_count, double),
               .looks = CH_TAKE(s->scratch, s->world->body_count, unsigned char),
               .list = s->passing};
  if (!look_at_bodies(&look, end, h)) return CH_OK;
  const ChBroadPair* pairs;
  int count = find_pairs(&look, &pairs);
  for (int k = 0; k < count; ++k) look_at_pair(&look, pairs[k].item[0], pairs[k].item[1], out);
  bool failed = look.list.failed;
  s->passing = look.list;
  s->passing.failed = false;
  return failed ? ch_fail(context, CH_ERR_MEMORY, "out of memory while checking a step's motion") : CH_OK;
}
