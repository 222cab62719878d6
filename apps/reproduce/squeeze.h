// Jamming while a hand squeezes: bodies at rest under load between the tool and the walls.
//
// The hand pulls the tool with at least `squeezes`, and yet the tool does not move; a chain of contacts, each loaded
// with at least `carries`, leads from the tool through one body or more, none of which moves, to the box.
#ifndef CH_REPRODUCE_SQUEEZE_H
#define CH_REPRODUCE_SQUEEZE_H

#include "reproduce/slips.h"

typedef struct ChSqueeze {
  double squeezes, carries;  // N
  double still;              // m/s: what is slower rests
  double stiffness;          // of the spring from hand to tool, N/m
  double squeezed;           // s in which the hand squeezes and a chain carries it to the box
  double jammed, longest;    // s of them in which nothing in the chain moves, in all and at a stretch
  double now;                // s of the stretch that lasts
  double force;              // largest of the hand while jammed, N
  int most;                  // bodies in a chain at most
} ChSqueeze;

// After each step, and after ch_slips_add.
void ch_squeeze_add(ChSqueeze* squeeze, const ChSlips* slips, const ChSimulation* simulation, const ChStepInfo* info);

#endif
