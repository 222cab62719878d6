// See hold.h.
#include "step/hold.h"

#include <math.h>
#include <string.h>

#include "assemble/soft_body.h"
#include "base/check.h"
#include "step/rotation.h"
#include "step/states.h"

ChHold ch_hold_open(ChSimulation* s, const ChIntegrator* integrator, double h, double a, const double* guess) {
  ChHold hold = {.s = s,
                 .rule = {.h = h,
                          .a = a,
                          .bounces = integrator->contacts == CH_CONTACTS_REFLECT,
                          .arrives = integrator->contacts == CH_CONTACTS_ARRIVE},
                 .guess = guess};
  const ChWorld* world = s->world;
  const bool all = integrator->composed && world->force_count > 0;
  if (integrator->joints != CH_JOINTS_HELD || (world->joint_count == 0 && !all)) return hold;
  hold.held = CH_TAKE(s->scratch, world->body_count, bool);
  hold.end = ch_states_take(s->scratch, world);
  hold.middle = world->mode_count > 0 ? ch_states_take(s->scratch, world) : hold.end;
  hold.turn = CH_TAKE(s->scratch, world->body_count, ChVec3);
  for (int b = 0; b < world->body_count && all; ++b) hold.held[b] = world->bodies[b].kind == CH_BODY_DYNAMIC;
  for (int j = 0; j < world->joint_count; ++j)
    for (int side = 0; side < 2; ++side) {
      const int body = world->joints[j].body[side];
      if (body >= 0) hold.held[body] = world->bodies[body].kind == CH_BODY_DYNAMIC;
    }
  return hold;
}

// d of a body: a v + (1 - a) vj; one that is driven moves as it does.
static ChBodyState motion_of(const ChHold* hold, int body) {
  const ChWorld* world = hold->s->world;
  ChBodyState old = hold->s->states[body], guess = old;
  if (world->bodies[body].kind != CH_BODY_DYNAMIC) return old;
  const double a = hold->rule.a;
  ch_state_write(world, hold->guess + (long)body * ch_world_width(world), &guess);
  guess.velocity = ch_add(ch_scale(a, old.velocity), ch_scale(1.0 - a, guess.velocity));
  const double turn = world->bodies[body].soft ? 0.5 : a;  // these turn with the mean, whatever a is (soft_step.h)
  guess.omega = ch_add(ch_scale(turn, old.omega), ch_scale(1.0 - turn, guess.omega));
  return guess;
}

static void bend(ChHold* hold, int body) {
  const ChSimulation* s = hold->s;
  const ChWorld* world = s->world;
  const double weight = ch_integrator_soft_weight(&s->options), h = hold->rule.h;
  const double *q = ch_state_modes(world, s->states, body), *rates = ch_state_rates(world, s->states, body);
  const double* guess = hold->guess + ch_modes_at(world, body);
  double *end = ch_state_modes(world, hold->end, body), *middle = ch_state_modes(world, hold->middle, body);
  for (int a = 0; a < ch_body_modes(world, body); ++a) {
    end[a] = q[a] + h * ((1.0 - weight) * rates[a] + weight * guess[a]);
    middle[a] = 0.5 * (q[a] + end[a]);
  }
  const ChQuat from = s->states[body].orientation, to = hold->end[body].orientation;
  hold->middle[body].orientation = ch_quat_unit((ChQuat){from.w + to.w, from.x + to.x, from.y + to.y, from.z + to.z});
}

static void find_end(ChHold* hold, int body) {
  const ChWorld* world = hold->s->world;
  const double h = hold->rule.h;
  ChBodyState *end = &hold->end[body], by = motion_of(hold, body);
  *end = hold->s->states[body];
  hold->turn[body] = ch_vec(0.0, 0.0, 0.0);
  if (world->bodies[body].kind == CH_BODY_FIXED) return;
  hold->turn[body] = by.omega;
  end->position = ch_along(end->position, h, by.velocity);
  if (world->dimension == 2) {
    end->angle += h * by.omega.z;
    end->orientation = ch_turn_plane(end->orientation, h * by.omega.z);
  } else {
    end->orientation = ch_turn(end->orientation, by.omega, h);
  }
}

ChVec3 ch_hold_spin(const ChHold* hold, int body) {
  const ChMat3* J = &hold->s->world->bodies[body].inertia;
  const ChVec3 w = motion_of(hold, body).omega;
  return ch_scale(-hold->rule.h, ch_cross(w, ch_mat_apply(J, w)));
}

void ch_hold_rows(ChHold* hold, const ChMoment* moment, ChRows* rows) {
  if (!hold->held) return;
  if (!hold->asked) {
    hold->asked = CH_TAKE_RAW(hold->s->scratch, rows->row_count, double);
    for (int k = 0; k < rows->row_count; ++k) hold->asked[k] = rows->w[k] - rows->prescribed[k];
  }
  for (int b = 0; b < hold->s->world->body_count; ++b) {
    find_end(hold, b);
    if (hold->s->world->bodies[b].soft) bend(hold, b);
  }
  const ChJointPaths paths = {
      .start = hold->s->states, .end = hold->end, .middle = hold->middle, .turn = hold->turn, .h = hold->rule.h};
  ch_rows_hold(moment, &paths, &hold->rule, hold->asked, rows);
}

double ch_hold_change(const ChHold* hold) {
  const ChSimulation* s = hold->s;
  const int width = ch_world_width(s->world);
  double change = 0.0, size = 0.0, modal = 0.0, rates = 0.0;
  for (int b = 0; b < s->world->body_count; ++b)
    for (long k = (long)b * width; k < (long)(b + 1) * width && ch_hold_has(hold, b); ++k) {
      change = ch_max(change, fabs(s->velocities[k] - hold->guess[k]));
      size = ch_max(size, fabs(s->velocities[k]) + fabs(hold->guess[k]));
    }
  for (int b = 0; b < s->world->body_count; ++b)
    for (long k = ch_modes_at(s->world, b), end = k + ch_body_modes(s->world, b); k < end && ch_hold_has(hold, b); ++k)
      modal = ch_max(modal, fabs(s->velocities[k] - hold->guess[k])),
      rates = ch_max(rates, fabs(s->velocities[k]) + fabs(hold->guess[k]));
  if (modal > 0.0 && modal * size > change * rates) change = modal, size = rates;
  return change > 0.0 ? change / size : change;
}
