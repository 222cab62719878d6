// Bodies that move as prescribed. Over a step they move with their mean velocity, so that what touches them is carried
// exactly as far as they go.
#include <math.h>

#include "base/check.h"
#include "step/kinematic.h"
#include "step/state.h"

static ChVec3 mean_spin(const ChBody* body, const ChBodyState* state, double t, double end, double h) {
  double rate = (ch_signal_value(&body->turn, end) - ch_signal_value(&body->turn, t)) / h;
  return ch_rotate_back(state->orientation, ch_scale(rate, body->turn_axis));
}

// The spin that turns a body from one orientation to another in the time h, the short way; body's frame.
static ChVec3 spin_between(const ChWorld* world, const ChBodyState* now, const ChBodyState* then, double h) {
  if (world->dimension == 2) return ch_vec(0.0, 0.0, (then->angle - now->angle) / h);
  ChQuat q = ch_quat_product(ch_quat_conjugate(now->orientation), then->orientation);
  ChVec3 v = q.w < 0.0 ? ch_vec(-q.x, -q.y, -q.z) : ch_vec(q.x, q.y, q.z);
  double sine = ch_norm(v);
  return sine > 0.0 ? ch_scale(2.0 * atan2(sine, fabs(q.w)) / (sine * h), v) : v;
}

void ch_kinematic_velocities(ChSimulation* s, double end, double h) {
  CH_ASSERT(h > 0.0);
  for (int b = 0; b < s->world->body_count; ++b) {
    const ChBody* body = &s->world->bodies[b];
    if (body->kind != CH_BODY_KINEMATIC) continue;
    ChBodyState now, then;
    now = then = s->states[b];
    if (!body->led) ch_body_move(body, s->time, &now);
    ch_body_move(body, end, &then);
    double time = body->led ? s->left : h;
    s->states[b] = now;
    s->states[b].velocity = ch_scale(1.0 / time, ch_sub(then.position, now.position));
    s->states[b].omega = body->led ? spin_between(s->world, &now, &then, time) : mean_spin(body, &now, s->time, end, h);
  }
}

// A led body on its way, where there is more of the step to come.
static void lead_on(const ChWorld* world, double h, ChBodyState* state) {
  state->position = ch_along(state->position, h, state->velocity);
  if (world->dimension == 2) {
    state->angle += h * state->omega.z;
    state->orientation = ch_quat_about(ch_axis(2), state->angle);
  } else {
    double rate = ch_norm(state->omega);
    ChQuat turn = ch_quat_about(rate > 0.0 ? ch_scale(1.0 / rate, state->omega) : ch_axis(2), rate * h);
    state->orientation = ch_quat_unit(ch_quat_product(state->orientation, turn));
  }
}

void ch_kinematic_arrive(ChSimulation* s, double t, double h) {
  for (int b = 0; b < s->world->body_count; ++b) {
    const ChBody* body = &s->world->bodies[b];
    if (body->kind != CH_BODY_KINEMATIC) continue;
    ChVec3 velocity = s->states[b].velocity, omega = s->states[b].omega;
    if (body->led && h < s->left)
      lead_on(s->world, h, &s->states[b]);
    else
      ch_body_move(body, t, &s->states[b]);
    s->states[b].velocity = velocity;
    s->states[b].omega = omega;
  }
}
