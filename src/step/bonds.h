// Bonds: contacts that cohesion holds together (problem/laws/cohesive.c). Which ones do is remembered from step to
// step.
//
//   at the start      every contact that touches is bonded, where its surface has a cohesion
//   after a step      a bond is there until it parted: r_n = -c and u_n > 0
//   without a bond    one forms where the contact was pressed, r_n > 0, if the surface heals
#ifndef CH_STEP_BONDS_H
#define CH_STEP_BONDS_H

#include "step/state.h"

// Of each gap whether it is bonded; NULL in a world without cohesion. In the scratch arena of the step.
const unsigned char* ch_bonds_of(ChSimulation* s, const ChMoment* moment);

// Whether a contact is bonded after the step: r_n and what the contact does at its end.
bool ch_bond_holds(const ChSimulation* s, const ChRowBlock* block, const ChGap* gap, const ChContactView* view,
                   double r_n, double h);

// The order of remembered contacts against gaps, which both lists are sorted by.
static inline int ch_memory_compare(const ChContactMemory* m, const ChGap* g) {
  for (int side = 0; side < 2; ++side)
    if (m->shape[side] != g->shape[side]) return m->shape[side] < g->shape[side] ? -1 : 1;
  return m->key < g->key ? -1 : m->key > g->key;
}

#endif
