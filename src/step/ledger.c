// The energy ledger: work that comes from outside over one step. With vm the mean of old and new velocities the kinetic
// energy rises by r . G vm through a reaction r, exactly, so that nothing is left over:
//
//   motors, prescribed motions, joints on driven bodies     r . G vm
//   contacts with driven bodies                             - r . w,  w from the mean of the driven body's velocities
//   applied wrenches, driven torques                        h k . vm
//   gravity that changes in time                            V(t + h, q+) - V(t, q+)
//   springs and dampers on driven bodies                    see driven.h
//
// Compliant contacts store energy, 1/2 k d^2 at the overlap d+ = -(Phi + h u) that the step ends with, and this counts
// as potential. The implicit spring gives back less than it took, by 1/2 k (d+ - d)^2 a step: numerical dissipation,
// which vanishes with h.
//
// Where positions move with the new velocity (euler), not with vm, K + V swings by half a step's work of gravity,
// 1/2 h m g . (v+ - v), whenever a body speeds up or slows down. It comes back, so it is no gain: what symplectic Euler
// keeps is K + V less that half step, and this is the energy whose rise is looked at.
//
// A contact that bends (bend.h) turns velocities by half of the step's angle ahead, so that a chord is gone and no
// tangent. What that adds, 1/2 r |bend| / h, the next step takes away again; on a circle both are equal.
//
// Deformable bodies move with their weight a (docs/theory/soft_bodies.md): where there are any, vm is v_a of every body
// and of the half step 1 - a is left. So at a = 1 it is K + V itself that no contact raises.
//
// What contacts dissipate is not work: a belt that drags a box gives more than the box gets. A gain that is no more
// than the solver's tolerance of what was exchanged in the step is none.
#include <math.h>

#include "base/check.h"
#include "step/integrator.h"
#include "step/ledger.h"
#include "step/peers.h"
#include "step/state.h"
#include "step/states.h"

#define ROUND_OFF 1e-13  // of the energies that are compared

// Of the new velocities in vm
static double end_weight(const ChSimulation* s) {
  return s->world->mode_count > 0 ? ch_integrator_soft_weight(&s->options) : 0.5;
}

// G vm of the bodies that move; s->states have the old velocities, s->velocities the new ones.
static double mean_speed(const ChSimulation* s, const ChRows* rows, int k, const int body[2]) {
  const ChRow* row = &rows->rows[k];
  double end = end_weight(s), speed = (1.0 - end) * ch_row_speed(row, body, s->states), v[6];
  int width = ch_world_width(s->world);
  if (rows->bends) {
    speed += (1.0 - end) * ch_row_bend_speed(s->world, rows, k, body, ch_states_rates(s->world, s->states));
    speed += end * ch_row_bend_speed(s->world, rows, k, body, s->velocities + (long)width * s->world->body_count);
  }
  for (int side = 0; side < 2; ++side) {
    if (body[side] < 0) continue;
    ChBodyState next = s->states[body[side]];
    for (int a = 0; a < width; ++a) v[a] = s->velocities[(long)body[side] * width + a];
    ch_state_write(s->world, v, &next);
    speed += end * (ch_dot(row->force[side], next.velocity) + ch_dot(row->torque[side], next.omega));
  }
  return speed;
}

double ch_ledger_rows(const ChSimulation* s, const ChMoment* moment, const ChRows* rows, const double* r,
                      const ChBodyState* before) {
  double work = 0.0, end = end_weight(s);
  for (int b = 0; b < rows->block_count; ++b) {
    const ChRowBlock* block = &rows->blocks[b];
    int driven[2] = {-1, -1};
    for (int side = 0; side < 2 && block->gap >= 0; ++side)
      if (block->body[side] < 0) driven[side] = moment->gaps[block->gap].body[side];
    for (int k = block->law.row; k < block->law.row + block->law.dimension; ++k) {
      if (r[k] == 0.0) continue;
      if (rows->driven[k])
        work += r[k] * mean_speed(s, rows, k, block->body);
      else if (block->gap >= 0)
        work -= r[k] * (end * rows->prescribed[k] + (1.0 - end) * ch_row_speed(&rows->rows[k], driven, before));
      else
        work -= r[k] * rows->prescribed[k];
    }
  }
  return work;
}

double ch_ledger_applied(const ChSimulation* s, const double* k, double h) {
  CH_ASSERT(h > 0.0 && k);
  int width = ch_world_width(s->world);
  double sum = 0.0, end = end_weight(s);
  for (int b = 0; b < s->world->body_count; ++b) {
    if (!ch_peers_here(s, b) || s->world->bodies[b].kind != CH_BODY_DYNAMIC) continue;
    double v[6];
    ch_state_read(s->world, &s->states[b], v);
    for (int a = 0; a < width; ++a)
      sum += h * k[(long)b * width + a] * ((1.0 - end) * v[a] + end * s->velocities[(long)b * width + a]);
  }
  const long modes = (long)width * s->world->body_count;
  const double* rates = ch_states_rates(s->world, s->states);
  for (int a = 0; a < s->world->mode_count; ++a)
    sum += h * k[modes + a] * ((1.0 - end) * rates[a] + end * s->velocities[modes + a]);
  return sum;
}

// What gravity would give in one step to bodies at rest.
static double fall_energy(const ChSimulation* s, double h) {
  double square = 0.0, mass = 0.0;
  for (int a = 0; a < 3; ++a) {
    double along = ch_signal_value(&s->world->gravity[a], s->time);
    square += along * along;
  }
  for (int b = 0; b < s->world->body_count; ++b)
    if (ch_body_is_dynamic(s->world, b)) mass += s->world->bodies[b].mass;
  return mass * square * h * h;
}

// What lifts each body by its own radius.
static double lift_energy(const ChSimulation* s) {
  double sum = 0.0, g = ch_norm(ch_world_gravity(s->world, s->time));
  for (int b = 0; b < s->world->body_count && g > 0.0; ++b)
    if (ch_body_is_dynamic(s->world, b)) sum += s->world->bodies[b].mass * g * ch_world_reach(s->world, b);
  return sum;
}

double ch_ledger_half_step(const ChSimulation* s, double h) {
  int width = ch_world_width(s->world);
  double sum = 0.0, left = 1.0 - end_weight(s);
  for (int b = 0; b < s->world->body_count; ++b) {
    if (!ch_peers_here(s, b) || !ch_body_is_dynamic(s->world, b)) continue;
    double v[6];
    ch_state_read(s->world, &s->states[b], v);
    for (int a = 0; a < s->world->dimension; ++a)
      sum += left * h * s->world->bodies[b].mass * ch_signal_value(&s->world->gravity[a], s->time) *
             (s->velocities[(long)b * width + a] - v[a]);
  }
  return sum;
}

double ch_ledger_bends(const ChMoment* moment, const ChRows* rows, const double* r, double h) {
  double sum = 0.0;
  for (int b = 0; b < rows->block_count; ++b)
    if (rows->blocks[b].gap >= 0) sum -= 0.5 * r[rows->blocks[b].law.row] * moment->gaps[rows->blocks[b].gap].bend / h;
  return sum;
}

double ch_ledger_stored_before(const ChRows* rows) {
  double sum = 0.0;
  for (int b = 0; rows->springs && b < rows->block_count; ++b)
    if (rows->blocks[b].gap >= 0) sum += ch_spring_energy(&rows->springs[b], -rows->value[rows->blocks[b].law.row]);
  return sum;
}

double ch_ledger_stored_after(const ChSimulation* s, const ChRows* rows, double h) {
  double sum = 0.0;
  const ChContactView* contact = s->contacts;  // in the order of the blocks
  for (int b = 0; rows->springs && b < rows->block_count; ++b) {
    if (rows->blocks[b].gap < 0) continue;
    sum += ch_spring_energy(&rows->springs[b], -(contact->gap + h * ch_dot(contact->slip, contact->normal)));
    ++contact;
  }
  return sum;
}

// Energies of all bodies, whoever moves them.
typedef struct Energies {
  double old, was, kinetic, potential, here_before;  // `here_before`: potential of where bodies are, at the time before
  ChVec3 momentum, angular_momentum;
} Energies;

static ChStatus find_energies(ChContext* context, ChSimulation* s, double time, Energies* out) {
  const unsigned char* mine = s->peers ? s->peers->mine : NULL;
  *out = (Energies){.old = ch_kinetic_energy_of(s->world, mine, s->before),
                    .was = ch_forces_potential_of(s->world, mine, s->before, s->time),
                    .kinetic = ch_kinetic_energy_of(s->world, mine, s->states),
                    .potential = ch_forces_potential_of(s->world, mine, s->states, time)};
  ch_momenta_of(s->world, mine, s->states, &out->momentum, &out->angular_momentum);
  if (!s->autonomous) out->here_before = ch_forces_potential_of(s->world, mine, s->states, s->time);
  return ch_peers_reduce(context, s, (double*)out, sizeof *out / sizeof(double), NULL, 0);
}

ChStatus ch_ledger_close(ChContext* context, ChSimulation* s, double half_step, ChStepInfo* info) {
  Energies all;
  ChStatus status = find_energies(context, s, info->time, &all);
  if (status != CH_OK) return status;
  double old = all.old, was = all.was + s->info.stored;
  info->kinetic = all.kinetic;
  info->potential = all.potential + info->stored;
  info->momentum = all.momentum;
  info->angular_momentum = all.angular_momentum;
  if (!s->autonomous) info->work += info->potential - info->stored - all.here_before;
  double gain = info->kinetic + info->potential - old - was - info->work + half_step;
  double size = info->kinetic + fabs(info->potential) + old + fabs(was) + fabs(info->work);
  double change = fabs(info->kinetic - old) + fabs(info->potential - was) + fabs(info->work) + fall_energy(s, info->h);
  bool noise = gain <= ROUND_OFF * size + s->options.solve.tolerance * change;
  info->gain = noise ? 0.0 : gain;  // NaN is kept
  info->exchanged = fmax(info->kinetic, old) + fabs(info->potential - was) + fabs(info->work) + lift_energy(s);
  return CH_OK;
}
