// See bonds.h.
#include "step/bonds.h"

#include <math.h>

#define TOUCHES 1e-6     // metres of a gap at the start that counts as none
#define WHOLE_PULL 1e-6  // share of c within which the whole of it is used
#define PARTS 1e-6       // of what gravity gives in a step: speed from which on a contact parts

const unsigned char* ch_bonds_of(ChSimulation* s, const ChMoment* moment) {
  if (!ch_world_is_cohesive(s->world)) return NULL;
  unsigned char* bonded = CH_TAKE(s->scratch, moment->gap_count, unsigned char);
  const ChMemory* memory = &s->memory;
  const bool first = !(memory->h > 0.0);  // nothing is remembered yet
  int at = 0;
  for (int g = 0; g < moment->gap_count; ++g) {
    const ChGap* gap = &moment->gaps[g];
    while (at < memory->contact_count && ch_memory_compare(&memory->contacts[at], gap) < 0) ++at;
    const bool known = at < memory->contact_count && ch_memory_compare(&memory->contacts[at], gap) == 0;
    bonded[g] = first ? gap->gap <= TOUCHES : known && memory->contacts[at].bonded;
  }
  return bonded;
}

bool ch_bond_holds(const ChSimulation* s, const ChRowBlock* block, const ChGap* gap, const ChContactView* view,
                   double r_n, double h) {
  const ChSurface surface = ch_world_surface(s->world, gap->shape[0], gap->shape[1]);
  const double pull = surface.cohesion * h;
  if (!(pull > 0.0)) return false;
  if (!block->bonded) return surface.heals && r_n > 0.0;
  const double fall = ch_norm(ch_world_gravity_at(s->world, s->time)) * h;
  const bool spent = r_n <= -pull * (1.0 - WHOLE_PULL);
  return !(spent && ch_dot(view->slip, view->normal) > PARTS * fall);
}
