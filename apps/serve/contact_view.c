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
                          .body = {view->body[0], view->body[1]}};
}

ChContactScale ch_contact_scale_of(int count, const ChContactView* views, double fall_speed) {
  double sum = 0.0, largest = 0.0;
  int carrying = 0;
  for (int k = 0; k < count; ++k) {
    double normal = ch_dot(views[k].force, views[k].normal);
    if (!(normal > 0.0)) continue;
    sum += normal;
    ++carrying;
    largest = fmax(largest, normal);
  }
  return ch_contact_scale(carrying > 0 ? sum / carrying : 0.0, largest, fall_speed);
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
