// euler: half-implicit Euler with constraints linearised at the beginning of the step (000 (5)-(7), 001 (9), 002).
//
//   M^ (v+ - v^) = H r,  M^ = M - h^2 dk/dq - h dk/dv,  M^ v^ = M v + h (k - dk/dv v)     implicit in stiff forces
//   u = H^T v+ + w,  w_n = gamma Phi / h,  joints gamma g / h + dg/dt,                   (u, r) in their laws
//   q+ = q + h v+
//
// The gyroscopic term is taken by the midpoint rule beforehand (rotation.h). Collisions with restitution come first,
// the energy ledger last.
#include <string.h>

#include "base/clock.h"
#include "linalg/small.h"
#include "step/rotation.h"
#include "step/state.h"

typedef struct Step {
  ChContext* context;
  ChSimulation* s;
  double h;
  ChStepInfo* info;
  ChMoment moment;
  ChRows rows;
  ChIslands islands;
  ChForceCoupling* couplings;
  int coupling_count;
  double* r;
  ChDynamics dynamics;
  ChStage stage;
} Step;

static ChRowRule row_rule(const ChSimulationOptions* o, double h) {
  switch (o->stabilization) {
    case CH_STABILIZE_LINEARIZED:
      return (ChRowRule){.h = h, .contact_gain = 1.0 / (o->gamma * h), .joint_gain = 1.0 / (o->gamma * h)};
    case CH_STABILIZE_CONTACTS:
      return (ChRowRule){.h = h, .contact_gain = 1.0 / h};
    case CH_STABILIZE_OFF:
      return (ChRowRule){.h = h, .closed_only = true};
    case CH_STABILIZE_ON:
      break;
  }
  return (ChRowRule){.h = h, .contact_gain = o->gamma / h, .joint_gain = o->gamma / h};
}

static void list_couplings(Step* p) {
  ChSimulation* s = p->s;
  p->couplings = CH_TAKE(s->scratch, s->world->force_count, ChForceCoupling);
  for (int f = 0; f < s->world->force_count; ++f)
    if (ch_force_implicit(s->world, f, s->states, s->time, &p->couplings[p->coupling_count])) ++p->coupling_count;
}

// k - dk/dv v
static void subtract_damping(const Step* p, double* k) {
  int width = ch_world_width(p->s->world);
  for (int c = 0; c < p->coupling_count; ++c) {
    const ChForceCoupling* f = &p->couplings[c];
    for (int j = 0; j < 2; ++j) {
      if (f->body[j] < 0) continue;
      double v[6];
      ch_state_read(p->s->world, &p->s->states[f->body[j]], v);
      for (int i = 0; i < 2; ++i)
        for (int a = 0; a < width && f->body[i] >= 0; ++a)
          for (int b = 0; b < width; ++b) k[(long)f->body[i] * width + a] -= f->dkdv[i][j][a * width + b] * v[b];
    }
  }
}

static bool turns_freely(const ChWorld* world, const ChBody* body) {
  return world->dimension == 3 && !(body->locks & (CH_LOCK_RX | CH_LOCK_RY | CH_LOCK_RZ));
}

// M v + h k^, with the free spin already turned
static void fill_momenta(Step* p) {
  ChSimulation* s = p->s;
  int width = ch_world_width(s->world);
  ch_forces_evaluate(s->world, s->states, s->time, s->k);
  subtract_damping(p, s->k);
  for (int b = 0; b < s->world->body_count; ++b) {
    const ChBody* body = &s->world->bodies[b];
    if (body->kind != CH_BODY_DYNAMIC) continue;
    ChBodyState state = s->states[b];
    s->lag[b] = ch_vec(0.0, 0.0, 0.0);
    if (turns_freely(s->world, body)) {
      ChVec3 end = ch_free_spin(&body->inertia, state.omega, p->h);
      s->lag[b] = ch_scale(0.5, ch_sub(state.omega, end));
      state.omega = end;
    }
    double M[36], v[6];
    ch_body_mass(s->world, b, M);
    ch_state_read(s->world, &state, v);
    for (int a = 0; a < width; ++a) {
      double sum = p->h * s->k[(long)b * width + a];
      for (int c = 0; c < width; ++c) sum += M[a * width + c] * v[c];
      s->momentum[(long)b * width + a] = sum;
    }
  }
}

// v = basis (basis^T M basis)^-1 basis^T momentum: a body that nothing touches
static void move_freely(const Step* p, int b) {
  ChSimulation* s = p->s;
  int width = ch_world_width(s->world);
  double M[36], basis[36], A[36] = {0}, inverse[36], f[6] = {0}, x[6];
  int n = ch_body_basis(s->world, b, &s->states[b], basis);
  ch_body_mass(s->world, b, M);
  for (int i = 0; i < n; ++i)
    for (int a = 0; a < width; ++a) {
      f[i] += basis[a * n + i] * s->momentum[(long)b * width + a];
      for (int j = 0; j < n; ++j)
        for (int c = 0; c < width; ++c) A[i * n + j] += basis[a * n + i] * M[a * width + c] * basis[c * n + j];
    }
  if (n == 0 || !ch_small_invert(n, A, inverse)) return;
  ch_small_multiply(n, inverse, f, x);
  for (int a = 0; a < width; ++a) {
    s->velocities[(long)b * width + a] = 0.0;
    for (int i = 0; i < n; ++i) s->velocities[(long)b * width + a] += basis[a * n + i] * x[i];
  }
}

static ChStatus solve(Step* p) {
  ChSimulation* s = p->s;
  const ChSimulationOptions* o = &s->options;
  double began = ch_clock_seconds();
  ChRowRule rule = row_rule(o, p->h);
  p->moment.time = s->time + p->h;
  list_couplings(p);
  fill_momenta(p);
  ch_rows_build(s->scratch, &p->moment, &rule, &p->rows);
  ch_islands_find(s->scratch, s->world, &p->rows, p->couplings, p->coupling_count, &p->islands);
  p->r = CH_TAKE(s->scratch, p->rows.row_count, double);
  if (o->warm) ch_memory_recall(s, &p->rows, p->moment.gaps, p->h, p->r);
  p->dynamics =
      (ChDynamics){.momentum = s->momentum, .couplings = p->couplings, .coupling_count = p->coupling_count, .h = p->h};
  p->stage = (ChStage){.moment = &p->moment,
                       .rows = &p->rows,
                       .islands = &p->islands,
                       .dynamics = &p->dynamics,
                       .options = o,
                       .may_rest = o->rest,
                       .r = p->r,
                       .velocities = s->velocities};
  p->info->seconds_assemble += ch_clock_seconds() - began;
  began = ch_clock_seconds();
  if (o->rest) ch_rest_recall(s, &p->stage);
  ChStatus status = ch_stage_solve(p->context, s->scratch, &p->stage);
  p->info->seconds_solve += ch_clock_seconds() - began;
  for (int b = 0; b < s->world->body_count; ++b)
    if (s->world->bodies[b].kind == CH_BODY_DYNAMIC && p->islands.place[b] < 0) move_freely(p, b);
  return status;
}

// q+ = q + h v+; orientations turn with the midpoint of the free spin
static void advance(const Step* p) {
  ChSimulation* s = p->s;
  int width = ch_world_width(s->world);
  for (int b = 0; b < s->world->body_count; ++b) {
    if (s->world->bodies[b].kind != CH_BODY_DYNAMIC) continue;
    ChBodyState* state = &s->states[b];
    ch_state_write(s->world, s->velocities + (long)b * width, state);
    state->position = ch_along(state->position, p->h, state->velocity);
    if (s->world->dimension == 2) {
      state->angle += p->h * state->omega.z;
      state->orientation = ch_quat_about(ch_axis(2), state->angle);
    } else {
      ChVec3 turn = ch_add(state->omega, s->lag[b]);
      if (ch_dot(turn, turn) > 0.0) state->orientation = ch_turn(state->orientation, turn, p->h);
    }
  }
}

static void measure(const Step* p) {
  ChStepInfo* info = p->info;
  for (int b = 0; b < p->rows.block_count; ++b) {
    const ChRowBlock* block = &p->rows.blocks[b];
    for (int a = 0; a < block->law.dimension; ++a) {
      double value = p->rows.value[block->law.row + a];
      if (block->law.law == CH_LAW_BILATERAL && fabs(value) > info->joint_error) info->joint_error = fabs(value);
      if (block->gap >= 0 && -value > info->penetration) info->penetration = -value;
    }
  }
  info->contacts = p->moment.gap_count;
  info->islands = p->islands.count;
  for (int i = 0; i < p->islands.count; ++i) info->resting += p->stage.rests[i];
  info->certificate = ch_certificate_worse(info->certificate, p->stage.worst);
  info->iterations += p->stage.iterations;
  info->missed |= p->stage.missed;
}

ChStatus ch_euler_step(ChContext* context, ChSimulation* s, double h, ChStepInfo* info) {
  Step p = {.context = context, .s = s, .h = h, .info = info};
  double began = ch_clock_seconds();
  ch_kinematic_velocities(s, h);
  double energy = ch_kinetic_energy(s->world, s->states) + ch_forces_potential(s->world, s->states, s->time);
  p.moment = (ChMoment){.world = s->world, .states = s->states};
  ChStatus status = ch_simulation_gaps(context, s, h, &p.moment.gaps, &p.moment.gap_count);
  info->seconds_collide += ch_clock_seconds() - began;
  if (status == CH_OK) status = ch_impacts_resolve(context, s, p.moment.gaps, p.moment.gap_count, h, info);
  if (status == CH_OK) status = solve(&p);
  if (status != CH_OK) return status;
  measure(&p);
  info->work = ch_ledger_work(s, &p.rows, p.r, h);
  status = ch_step_remember(context, s, &p.stage, h);
  if (status != CH_OK) return status;
  advance(&p);
  ch_kinematic_arrive(s, s->time + h);
  info->kinetic = ch_kinetic_energy(s->world, s->states);
  info->potential = ch_forces_potential(s->world, s->states, s->time + h);
  double gain = info->kinetic + info->potential - energy - info->work;
  info->gain = gain > 0.0 ? gain : 0.0;
  return CH_OK;
}
