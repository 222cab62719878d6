// See shear.h.
#include "step/shear.h"

#include <math.h>

#include "step/bonds.h"

// The shortest turn that takes the unit vector a to b, of an x that is orthogonal to a:
// x - (b . x) / (1 + a . b) (a + b).
static ChVec3 turned(ChVec3 x, ChVec3 a, ChVec3 b) {
  const double both = 1.0 + ch_dot(a, b);
  if (!(both > 1e-12)) return (ChVec3){0};
  const ChVec3 y = ch_along(x, -ch_dot(b, x) / both, ch_add(a, b));
  return ch_along(y, -ch_dot(y, b), b);
}

const ChVec3* ch_shears_of(ChSimulation* s, const ChMoment* moment) {
  if (!ch_world_is_sheared(s->world)) return NULL;
  ChVec3* stretch = CH_TAKE(s->scratch, moment->gap_count + 1, ChVec3);
  const ChMemory* memory = &s->memory;
  for (int g = 0, at = 0; g < moment->gap_count; ++g) {
    const ChGap* gap = &moment->gaps[g];
    while (at < memory->contact_count && ch_memory_compare(&memory->contacts[at], gap) < 0) ++at;
    if (at == memory->contact_count || ch_memory_compare(&memory->contacts[at], gap) != 0) continue;
    stretch[g] = turned(memory->contacts[at].stretch, memory->contacts[at].axis[0], gap->normal);
  }
  return stretch;
}

// About the unit vector n.
static ChVec3 spun(ChVec3 x, ChVec3 n, double angle) {
  const ChVec3 across = ch_cross(n, x);
  return ch_along(ch_scale(cos(angle), x), sin(angle), across);
}

ChVec3 ch_shear_after(const ChSimulation* s, const ChRows* rows, int block, const ChGap* gap, const double* r,
                      double h) {
  const ChRowBlock* b = &rows->blocks[block];
  const ChShear* shear = &rows->shears[block];
  ChVec3 sum = {0};
  if (!(shear->stiffness > 0.0) || !(r[0] > 0.0 || b->bonded)) return sum;
  for (int a = 1; a < b->law.dimension; ++a) {
    const ChVec3 along = rows->rows[b->law.row + a].force[1];
    sum = ch_along(sum, ch_shear_end(shear, h, ch_dot(shear->stretch, along), r[a]), along);
  }
  if (s->world->dimension == 2) return sum;
  const ChVec3 spin = ch_add(s->states[gap->body[0]].omega, s->states[gap->body[1]].omega);
  return spun(sum, gap->normal, 0.5 * h * ch_dot(spin, gap->normal));
}

static double energy(const ChShear* shear, ChVec3 stretch) { return 0.5 * shear->stiffness * ch_dot(stretch, stretch); }

double ch_shears_stored_before(const ChRows* rows) {
  double sum = 0.0;
  for (int b = 0; rows->shears && b < rows->block_count; ++b)
    if (rows->blocks[b].gap >= 0) sum += energy(&rows->shears[b], rows->shears[b].stretch);
  return sum;
}

double ch_shears_stored_after(const ChSimulation* s, const ChRows* rows) {
  double sum = 0.0;
  const ChContactMemory* kept = s->memory.contacts;  // in the order of the blocks
  for (int b = 0; rows->shears && b < rows->block_count; ++b)
    if (rows->blocks[b].gap >= 0) sum += energy(&rows->shears[b], (kept++)->stretch);
  return sum;
}
