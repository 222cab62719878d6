// Contacts as a page shows them: with their friction, and what each is doing.
#ifndef CH_SERVE_CONTACT_VIEW_H
#define CH_SERVE_CONTACT_VIEW_H

#include "serve/frame.h"

ChFrameContact ch_frame_contact(const ChWorld* world, const ChContactView* view);
// What all contacts of a moment carry, one added after the other to zeros.
typedef struct ChContactLoads {
  double sum, largest;  // N
  int carrying;
} ChContactLoads;
void ch_contact_loads_add(ChContactLoads* loads, ChVec3 force, ChVec3 normal);
ChContactScale ch_contact_loads_scale(const ChContactLoads* loads, double fall_speed);
// Of all contacts of a moment; `fall_speed`: what gravity gives in one step.
ChContactScale ch_contact_scale_of(int count, const ChContactView* views, double fall_speed);
double ch_fall_speed(const ChWorld* world, double time, double h);

unsigned char* ch_frame_put_contacts(unsigned char* at, const ChWorld* world, int count, const ChContactView* views,
                                     double fall_speed);

#endif
