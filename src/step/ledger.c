// The energy ledger: work that comes from outside over one step, with the mean of old and new velocities.
//
//   prescribed motions and driven bodies   - r . w_prescribed     (the system sees u = G v + w_prescribed)
//   motors                                 r . G vm
//   applied wrenches, driven torques       h k_applied . vm
//   gravity that changes in time           V(t + h, q) - V(t, q)
#include "step/state.h"

static double row_work(const ChSimulation* s, const ChRows* rows, const ChRowBlock* block, int row) {
  const ChRow* g = &rows->rows[row];
  double speed = 0.0;
  int width = ch_world_width(s->world);
  for (int side = 0; side < 2; ++side) {
    if (block->body[side] < 0) continue;
    ChBodyState end = s->states[block->body[side]];
    ch_state_write(s->world, s->velocities + (long)block->body[side] * width, &end);
    int only[2] = {side == 0 ? block->body[0] : -1, side == 1 ? block->body[1] : -1};
    speed += 0.5 * ch_row_speed(g, only, s->states);
    speed += 0.5 * (ch_dot(g->force[side], end.velocity) + ch_dot(g->torque[side], end.omega));
  }
  return speed;
}

static double applied_work(const ChSimulation* s, double h) {
  int width = ch_world_width(s->world);
  double sum = 0.0, *k = s->k;
  if (!ch_forces_applied(s->world, s->states, s->time, k)) return 0.0;
  for (int b = 0; b < s->world->body_count; ++b) {
    if (s->world->bodies[b].kind != CH_BODY_DYNAMIC) continue;
    double v[6];
    ch_state_read(s->world, &s->states[b], v);
    for (int a = 0; a < width; ++a)
      sum += h * k[(long)b * width + a] * 0.5 * (v[a] + s->velocities[(long)b * width + a]);
  }
  return sum;
}

double ch_ledger_work(const ChSimulation* s, const ChRows* rows, const double* r, double h) {
  double work = applied_work(s, h);
  for (int b = 0; b < rows->block_count; ++b) {
    const ChRowBlock* block = &rows->blocks[b];
    for (int k = block->law.row; k < block->law.row + block->law.dimension; ++k)
      work += rows->driven[b] ? r[k] * row_work(s, rows, block, k) : -r[k] * rows->prescribed[k];
  }
  if (!s->autonomous)
    work += ch_forces_potential(s->world, s->states, s->time + h) - ch_forces_potential(s->world, s->states, s->time);
  return work;
}
