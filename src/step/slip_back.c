// See slip_back.h.
#include "step/slip_back.h"

#include <math.h>

#include "assemble/soft_body.h"
#include "step/soft_step.h"
#include "step/states.h"

#define GAINS 1e-6  // share of what friction exchanges that counts as a gain: less is the solver's tolerance

// u of row a of a block, w left out, with the new velocities.
static double new_speed(const ChSimulation* s, const ChRows* rows, int block, int a) {
  const ChRowBlock* b = &rows->blocks[block];
  const ChRow* row = &rows->rows[b->law.row + a];
  const int width = ch_world_width(s->world);
  double speed = 0.0;
  for (int side = 0; side < 2; ++side) {
    const int body = b->body[side];
    if (body < 0) continue;
    ChBodyState next = s->states[body];
    ch_state_write(s->world, s->velocities + (long)body * width, &next);
    speed += ch_dot(row->force[side], next.velocity) + ch_dot(row->torque[side], next.omega);
    const ChSkinTouch* touch = ch_row_touch(rows, block, side);
    if (!touch) continue;
    const double* rates = s->velocities + ch_modes_at(s->world, body);
    speed += ch_dot(touch->along[a], ch_skin_velocity(s->world, body, &touch->point, rates));
  }
  return speed;
}

bool ch_slip_back(const ChSimulation* s, const ChRows* rows, const double* r, bool* turned) {
  bool any = false;
  for (int b = 0; b < rows->block_count; ++b) {
    const ChRowBlock* block = &rows->blocks[b];
    if (block->gap < 0 || turned[b]) continue;
    double old[CH_BLOCK_MAX], work = 0.0, exchanged = 0.0;
    for (int a = 1; a < s->world->dimension && a < block->law.dimension; ++a) {
      const int k = block->law.row + a;
      const double driven = rows->prescribed[k];
      old[a] = ch_row_speed(&rows->rows[k], block->body, s->states) + ch_soft_row_speed(s, rows, b, a) + driven;
      const double new = new_speed(s, rows, b, a) + driven;
      work += 0.5 * r[k] * (old[a] + new);
      exchanged += 0.5 * fabs(r[k]) * (fabs(old[a]) + fabs(new));
    }
    if (!(work > GAINS * exchanged)) continue;
    for (int a = 1; a < s->world->dimension && a < block->law.dimension; ++a) rows->w[block->law.row + a] += old[a];
    any = turned[b] = true;
  }
  return any;
}
