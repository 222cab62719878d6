// Who touches whom: the number of neighbours of a grain, from contacts or from distances.
#ifndef CH_MEASURE_COORDINATION_H
#define CH_MEASURE_COORDINATION_H

#include "measure/grains.h"

enum { CH_COORDINATION_MAX = 24 };  // more neighbours than this are counted as this many

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

typedef struct ChCoordination {
  long grains;                              // counted, over all moments
  long by_number[CH_COORDINATION_MAX + 1];  // grains with so many touching grains
  long touching;                            // sum over grains: other grains that touch
  long loaded, loaded_walls;                // of these, with a force; walls with a force
  long rattlers;                            // grains held by fewer than two neighbours that press, walls counted
  long forced;                              // grains counted at moments with known forces: what the three above are of
} ChCoordination;

// Grains whose centres lie in the region; their neighbours may be outside.
void ch_coordination_add(ChArena* arena, ChCoordination* c, const ChGrains* grains, const ChRegion* region,
                         const ChTouches* touches);

double ch_coordination_mean(const ChCoordination* c);
// Mean number of neighbours that press, walls counted; NaN where forces are not known, as the next.
double ch_coordination_loaded(const ChCoordination* c);
double ch_coordination_rattlers(const ChCoordination* c);  // their share

#endif
