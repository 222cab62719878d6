// Contacts as a page shows them: with their friction, and what each is doing.
#ifndef CH_SERVE_CONTACT_VIEW_H
#define CH_SERVE_CONTACT_VIEW_H

#include "serve/frame.h"

// How bodies move at the moment, by their rows.
typedef struct ChBodyMotion {
  ChBodyView (*of)(const void* source, int row);
  const void* source;
} ChBodyMotion;

// With how the bodies turn against each other.
ChFrameContact ch_frame_contact(const ChWorld* world, const ChContactView* view, ChBodyMotion motion);
// What all contacts of a moment carry, one added after the other to zeros.
typedef struct ChContactLoads {
  double sum, largest;  // N
  int carrying;
} ChContactLoads;
void ch_contact_loads_add(ChContactLoads* loads, ChVec3 force, ChVec3 normal);

// Gravity, m/s^2, and the speed that it gives in one step.
typedef struct ChFall {
  double gravity, speed;
} ChFall;
ChFall ch_fall(const ChWorld* world, double time, double h);
ChContactScale ch_contact_loads_scale(const ChContactLoads* loads, ChFall fall);
// Of all contacts of a moment.
ChContactScale ch_contact_scale_of(int count, const ChContactView* views, ChFall fall);

unsigned char* ch_frame_put_contacts(unsigned char* at, const ChWorld* world, int count, const ChContactView* views,
                                     ChFall fall, ChBodyMotion motion);

#endif
