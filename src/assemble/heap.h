// What the stiffness of compliant contacts follows from (spring.c): how heavy the bodies of a world lie on each other,
// and how far they fall. Of the world as it starts, so that a run that goes on from a checkpoint finds the same.
#ifndef CH_ASSEMBLE_HEAP_H
#define CH_ASSEMBLE_HEAP_H

#include "base/arena.h"
#include "model/world.h"

typedef struct ChHeap {
  double overlap;   // asked for, as a share of the smaller body's radius
  double h;         // of a whole step, s: springs must not become stiffer where a step is cut short
  double pressure;  // Pa (plane: N/m): all weight over the ground that it stands on
  double energy;    // J/kg: the largest that a body has where its fall ends
} ChHeap;

// `scratch` has a landing.
ChHeap ch_world_heap(ChArena* scratch, const ChWorld* world, double overlap, double h);

#endif
