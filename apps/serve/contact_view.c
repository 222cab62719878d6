// Contacts as a page shows them: see contact_view.h.
#include "serve/contact_view.h"

#include <math.h>

#include "cardhouse/geometry.h"
#include "cardhouse/shape.h"

ChFrameContact ch_frame_contact(const ChWorld* world, const ChContactView* view) {
  return (ChFrameContact){.point = view->point,
                          .normal = view->normal,
                          .force = view->force,
                          .slip = view->slip,
                          .gap = view->gap,
                          .mu = ch_world_friction(world, view->shape[0], view->shape[1]),
                          .body = {view->body[0], view->body[1]},
                          .branch = view->branch};
}

void ch_contact_loads_add(ChContactLoads* loads, ChVec3 force, ChVec3 normal) {
  double load = ch_dot(force, normal);
  if (!(load > 0.0)) return;
  loads->sum += load;
  ++loads->carrying;
  loads->largest = fmax(loads->largest, load);
}

ChContactScale ch_contact_loads_scale(const ChContactLoads* loads, double fall_speed) {
  return ch_contact_scale(loads->carrying > 0 ? loads->sum / loads->carrying : 0.0, loads->largest, fall_speed);
}

ChContactScale ch_contact_scale_of(int count, const ChContactView* views, double fall_speed) {
  ChContactLoads loads = {0};
  for (int k = 0; k < count; ++k) ch_contact_loads_add(&loads, views[k].force, views[k].normal);
  return ch_contact_loads_scale(&loads, fall_speed);
}

double ch_fall_speed(const ChWorld* world, double time, double h) {
  return ch_norm(ch_world_gravity_at(world, time)) * h;
}

unsigned char* ch_frame_put_contacts(unsigned char* at, const ChWorld* world, int count, const ChContactView* views,
                                     double fall_speed) {
  ChContactScale scale = ch_contact_scale_of(count, views, fall_speed);
  for (int k = 0; k < count; ++k) {
    ChFrameContact contact = ch_frame_contact(world, &views[k]);
    at = ch_frame_put_contact(at, &contact, ch_contact_status(&contact, scale));
  }
  return at;
}
