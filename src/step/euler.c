// euler: half-implicit Euler with constraints linearised at the beginning of the step (000 (5)-(7), 001 (9), 002).
//
//   M^ v+ = M v + h (k - dk/dv v) + H r,  M^ = M - h^2 dk/dq - h dk/dv                   implicit in stiff forces
//   u = H^T v+ + w,  w_n = gamma Phi / h,  joints gamma g / h + dg/dt,                   (u, r) in their laws
//   q+ = q + h v+
//
// The gyroscopic term is taken by the midpoint rule beforehand (rotation.h). Collisions with restitution come first.
#include <float.h>
#include <math.h>

#include "base/clock.h"
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
  double *reference, *impulse, *r;
  ChDynamics dynamics;
  ChStage stage;
} Step;

static ChRowRule row_rule(const ChSimulationOptions* o, double h) {
  switch (o->stabilization) {
    case CH_STABILIZE_LINEARIZED:
      return (ChRowRule){
          .h = h, .contact_gain = 1.0 / (o->gamma * h), .joint_gain = 1.0 / (o->gamma * h), .motor_gain = 1.0 / h};
    case CH_STABILIZE_CONTACTS:
      return (ChRowRule){.h = h, .contact_gain = 1.0 / h, .motor_gain = 1.0 / h};
    case CH_STABILIZE_OFF:
      return (ChRowRule){.h = h, .motor_gain = 1.0 / h, .closed_only = true};
    case CH_STABILIZE_ON:
      break;
  }
  return (ChRowRule){.h = h, .contact_gain = o->gamma / h, .joint_gain = o->gamma / h, .motor_gain = 1.0 / h};
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

// Whether the free spin changes w: with one axis left it does not. With two left the lock takes its part of it back.
static bool spins(const ChWorld* world, const ChBody* body) {
  unsigned locked = body->locks >> 3;
  return world->dimension == 3 && (locked & (locked - 1)) == 0;
}

static ChStatus check_finite(const Step* p, int b) {
  int width = ch_world_width(p->s->world);
  for (long k = (long)b * width; k < (long)(b + 1) * width; ++k)
    if (!isfinite(p->reference[k]) || !isfinite(p->impulse[k]))
      return ch_fail(p->context, CH_ERR_NUMERIC, "step %ld: the forces on body '%s' at t = %g s are not finite",
                     p->info->step, p->s->world->bodies[b].name, p->s->time);
  return CH_OK;
}

// v <- B B' v: what round-off, or gravity, put into locked parts.
static void keep_locks(const ChWorld* world, int b, const ChBodyState* state, double* v) {
  if (world->bodies[b].locks == 0) return;
  double basis[36], x[6] = {0};
  int width = ch_world_width(world), n = ch_body_basis(world, b, state, basis);
  for (int c = 0; c < n; ++c)
    for (int a = 0; a < width; ++a) x[c] += basis[a * n + c] * v[a];
  for (int a = 0; a < width; ++a) {
    v[a] = 0.0;
    for (int c = 0; c < n; ++c) v[a] += basis[a * n + c] * x[c];
  }
}

// a - b, or zero where that is no more than the round-off of a.
static double beyond(double a, double b) { return fabs(a - b) <= 4.0 * DBL_EPSILON * fabs(a) ? 0.0 : a - b; }

// Where a body would be going by gravity and its own spin alone, and what else acts on it.
static void split_motion(Step* p, int b, const double gravity[3]) {
  ChSimulation* s = p->s;
  const ChBody* body = &s->world->bodies[b];
  int width = ch_world_width(s->world);
  double *v = p->reference + (long)b * width, *f = p->impulse + (long)b * width, *k = s->k + (long)b * width;
  ChBodyState state = s->states[b];
  ChVec3 left = {0.0, 0.0, 0.0};
  s->lag[b] = left;
  if (spins(s->world, body)) {
    ChVec3 end = ch_free_spin(&body->inertia, state.omega, p->h);
    if (body->locks >> 3 != 0) {
      left = ch_mat_apply(&body->inertia, ch_sub(end, state.omega));
    } else {
      s->lag[b] = ch_scale(0.5, ch_sub(state.omega, end));
      state.omega = end;
    }
  }
  ch_state_read(s->world, &state, v);
  for (int a = 0; a < width; ++a) f[a] = p->h * k[a];
  for (int a = 0; a < s->world->dimension; ++a) {
    v[a] += p->h * gravity[a];
    f[a] = p->h * beyond(k[a], body->mass * gravity[a]);
  }
  for (int a = 0; a < 3 && width == 6; ++a) f[3 + a] += ch_component(left, a);
  keep_locks(s->world, b, &s->states[b], v);
}

static ChStatus split_motions(Step* p) {
  ChSimulation* s = p->s;
  long count = (long)s->world->body_count * ch_world_width(s->world);
  double gravity[3];
  p->reference = CH_TAKE(s->scratch, count, double);
  p->impulse = CH_TAKE(s->scratch, count, double);
  ch_forces_evaluate(s->world, s->states, s->time, s->k);
  subtract_damping(p, s->k);
  for (int a = 0; a < 3; ++a) gravity[a] = ch_signal_value(&s->world->gravity[a], s->time);
  for (int b = 0; b < s->world->body_count; ++b) {
    if (s->world->bodies[b].kind != CH_BODY_DYNAMIC) continue;
    split_motion(p, b, gravity);
    ChStatus status = check_finite(p, b);
    if (status != CH_OK) return status;
  }
  return CH_OK;
}

static void move_free_bodies(const Step* p) {
  ChSimulation* s = p->s;
  int width = ch_world_width(s->world);
  for (int b = 0; b < s->world->body_count; ++b) {
    if (s->world->bodies[b].kind != CH_BODY_DYNAMIC || p->islands.place[b] >= 0) continue;
    double* v = s->velocities + (long)b * width;
    ch_free_velocity(s->world, b, &s->states[b], p->impulse + (long)b * width, v);
    for (int a = 0; a < width; ++a) v[a] += p->reference[(long)b * width + a];
  }
}

static ChStatus solve(Step* p) {
  ChSimulation* s = p->s;
  const ChSimulationOptions* o = &s->options;
  double began = ch_clock_seconds();
  ChRowRule rule = row_rule(o, p->h);
  list_couplings(p);
  ChStatus status = split_motions(p);
  if (status != CH_OK) return status;
  ch_rows_build(s->scratch, &p->moment, &rule, &p->rows);
  ch_islands_find(s->scratch, s->world, &p->rows, p->couplings, p->coupling_count, &p->islands);
  p->r = CH_TAKE(s->scratch, p->rows.row_count, double);
  if (o->warm) ch_memory_recall(s, &p->rows, p->moment.gaps, p->h, p->r);
  p->dynamics = (ChDynamics){.reference = p->reference,
                             .impulse = p->impulse,
                             .couplings = p->couplings,
                             .coupling_count = p->coupling_count,
                             .h = p->h};
  p->stage = (ChStage){.moment = &p->moment,
                       .rows = &p->rows,
                       .islands = &p->islands,
                       .dynamics = &p->dynamics,
                       .options = o,
                       .may_rest = o->rest,
                       .unsure = s->memory.unsure,
                       .r = p->r,
                       .velocities = s->velocities};
  p->info->seconds_assemble += ch_clock_seconds() - began;
  began = ch_clock_seconds();
  if (o->rest) ch_rest_recall(s, &p->stage);
  status = ch_stage_solve(p->context, s->scratch, &p->stage);
  p->info->seconds_solve += ch_clock_seconds() - began;
  if (status == CH_OK) move_free_bodies(p);
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

ChStatus ch_euler_step(ChContext* context, ChSimulation* s, double h, double* half_step, ChStepInfo* info) {
  Step p = {.context = context, .s = s, .h = h, .info = info};
  double began = ch_clock_seconds();
  ch_kinematic_velocities(s, info->time, h);
  p.moment = (ChMoment){.world = s->world, .states = s->states, .time = s->time, .end = info->time};
  ChStatus status = ch_simulation_gaps(context, s, h, &p.moment.gaps, &p.moment.gap_count);
  info->seconds_collide += ch_clock_seconds() - began;
  if (status == CH_OK) status = ch_impacts_resolve(context, s, &p.moment, h, info);
  if (status == CH_OK) status = solve(&p);
  if (status != CH_OK) return status;
  measure(&p);
  *half_step = ch_ledger_half_step(s, h);
  info->work +=
      ch_ledger_applied(s, h) + ch_ledger_rows(s, &p.moment, &p.rows, p.r, info->impacts == 0 ? s->before : s->states);
  status = ch_step_remember(context, s, &p.stage, h);
  if (status != CH_OK) return status;
  advance(&p);
  ch_kinematic_arrive(s, info->time);
  return CH_OK;
}
