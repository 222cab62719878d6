// Who touches whom: the number of neighbours of a grain, from contacts or from distances.
#ifndef CH_MEASURE_COORDINATION_H
#define CH_MEASURE_COORDINATION_H

#include "measure/grains.h"

// Two bodies that touch, told once however many contacts they have.
typedef struct ChTouch {
  int grain[2];  // the smaller first; -1: no grain, a wall
  int wall;      // the body, where grain[0] is -1
  bool loaded;   // a force acts
} ChTouch;

typedef struct ChTouches {
  int count;
  ChTouch* list;
  bool forces;  // they are known: otherwise nothing is loaded
} ChTouches;

// Contacts of a step that carry a force or are no wider than `gap`, m.
ChTouches ch_touches_of_contacts(ChArena* arena, const ChGrains* grains, int count, const ChContactView* contacts,
                                 double gap);
// Round grains no further apart than `gap`, m; walls are not seen, nor are forces.
ChTouches ch_touches_of_distances(ChArena* arena, const ChGrains* grains, double gap);

// Grains whose centres lie in the region; their neighbours may be outside.
void ch_coordination_add(ChArena* arena, ChCoordination* c, const ChGrains* grains, const ChRegion* region,
                         const ChTouches* touches);

#endif
