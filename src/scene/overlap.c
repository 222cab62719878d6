// Bodies that overlap at the start: a mistake in the scene, which a run would turn into an explosion.
#include <math.h>

#include "base/check.h"
#include "collide/collide.h"
#include "scene/build.h"

static const double SHARE = 1e-3;        // of the smaller body's size
static const double MOST_STEPS = 200.0;  // that push-out may take, at the speed of assemble/push_out.c

// Radius of a ball that holds the shapes of a body.
static double body_size(const ChWorld* world, int body) {
  double size = 0.0;
  const ChBody* b = &world->bodies[body];
  for (int k = 0; k < b->shape_count; ++k) {
    const ChShape* shape = &world->shapes[b->first_shape + k];
    size = ch_max(size, ch_norm(shape->local.at) + shape->bound);
  }
  return size;
}

static bool refuse(ChReader* r, const ChDocuments* documents, const ChWorld* world, const ChGap* gap, double allowed) {
  ChPlace top = {0}, bodies = {&top, "bodies", 0}, at = {&bodies, NULL, 0};
  ChBodyPlace place;
  r->document = &documents->document[0];
  int later = gap->body[0] > gap->body[1] ? gap->body[0] : gap->body[1];
  bool known = ch_body_place(documents, later, &place);
  if (known) {
    r->document = place.document;
    at.index = place.index;
  }
  return ch_reader_wrong(r, known ? &at : &bodies,
                         "'%.60s' and '%.60s' overlap by %g m at (%g, %g, %g) at the start, at most %g m is allowed "
                         "(\"step\": {\"overlap\": ...}); move one, or let them \"ignore\" each other",
                         world->bodies[gap->body[0]].name, world->bodies[gap->body[1]].name, -gap->gap, gap->point.x,
                         gap->point.y, gap->point.z, allowed);
}

// What is pushed out in so many steps of this length: d <= n h v(d), v = sqrt(g d / 2) or R / 100 s.
static double undone_in_time(const ChWorld* world, double radius, double h) {
  double g = ch_norm(ch_world_gravity(world, 0.0)), time = MOST_STEPS * h;
  return ch_max(0.5 * g * time * time, 0.01 * radius * time);
}

static double allowed_overlap(const ChWorld* world, const ChGap* gap, const ChSceneRun* run) {
  if (run->overlap >= 0.0) return run->overlap;
  double radius = ch_min(body_size(world, gap->body[0]), body_size(world, gap->body[1]));
  return ch_min(SHARE * 2.0 * radius, undone_in_time(world, radius, run->options.h));
}

bool ch_world_check_overlap(ChReader* r, const ChDocuments* documents, const ChWorld* world) {
  const ChSceneRun* run = &documents->root[0].run;
  ChCollider* collider;
  const ChGap* gaps;
  int count, worst = -1;
  double excess = 0.0;
  ChCollideOptions options = {.margin = 0.0};
  ChStatus status = ch_collider_create(r->context, world, &collider);
  if (status == CH_OK) status = ch_collide(r->context, collider, world->states, &options, &gaps, &count);
  for (int k = 0; status == CH_OK && k < count; ++k) {
    double over = -gaps[k].gap - allowed_overlap(world, &gaps[k], run);
    if (over > excess) excess = over, worst = k;
  }
  bool good = ch_reader_pass_on(r, &(ChPlace){0}, status);
  if (good && worst >= 0) good = refuse(r, documents, world, &gaps[worst], allowed_overlap(world, &gaps[worst], run));
  ch_collider_destroy(collider);
  return good;
}
