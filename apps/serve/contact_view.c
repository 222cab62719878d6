// Contacts as a page shows them: see contact_view.h.
#include "serve/contact_view.h"

#include <math.h>

#include "cardhouse/geometry.h"
#include "cardhouse/shape.h"
#include "common/by_row.h"

ChFrameContact ch_frame_contact(const ChWorld* world, const ChContactView* view, ChBodyMotion motion) {
  ChFrameContact c = {.point = view->point,
                      .normal = view->normal,
                      .force = view->force,
                      .slip = view->slip,
                      .reach = INFINITY,
                      .gap = view->gap,
                      .mu = ch_world_friction(world, view->shape[0], view->shape[1]),
                      .body = {view->body[0], view->body[1]},
                      .branch = view->branch};
  for (int side = 0; side < 2; ++side) {
    if (view->body[side] < 0) continue;
    ChBodyView body = motion.of(motion.source, view->body[side]);
    c.spin = ch_along(c.spin, side == 1 ? 1.0 : -1.0, body.omega);
    if (ch_row_moves(world, view->body[side])) c.reach = fmin(c.reach, ch_norm(ch_sub(view->point, body.position)));
  }
  if (!isfinite(c.reach)) c.reach = 0.0;
  return c;
}

void ch_contact_loads_add(ChContactLoads* loads, ChVec3 force, ChVec3 normal) {
  double load = ch_dot(force, normal);
  if (!(load > 0.0)) return;
  loads->sum += load;
  ++loads->carrying;
  loads->largest = fmax(loads->largest, load);
}

ChContactScale ch_contact_loads_scale(const ChContactLoads* loads, ChFall fall) {
  return ch_contact_scale(loads->carrying > 0 ? loads->sum / loads->carrying : 0.0, loads->largest, fall.speed,
                          fall.gravity);
}

ChContactScale ch_contact_scale_of(int count, const ChContactView* views, ChFall fall) {
  ChContactLoads loads = {0};
  for (int k = 0; k < count; ++k) ch_contact_loads_add(&loads, views[k].force, views[k].normal);
  return ch_contact_loads_scale(&loads, fall);
}

ChFall ch_fall(const ChWorld* world, double time, double h) {
  double gravity = ch_norm(ch_world_gravity_at(world, time));
  return (ChFall){gravity, gravity * h};
}

unsigned char* ch_frame_put_contacts(unsigned char* at, const ChWorld* world, int count, const ChContactView* views,
                                     ChFall fall, ChBodyMotion motion) {
  ChContactScale scale = ch_contact_scale_of(count, views, fall);
  for (int k = 0; k < count; ++k) {
    ChFrameContact contact = ch_frame_contact(world, &views[k], motion);
    at = ch_frame_put_contact(at, &contact, ch_contact_status(&contact, scale));
  }
  return at;
}
