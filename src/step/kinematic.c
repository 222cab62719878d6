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
    s->states[b] = now;
    s->states[b].velocity = ch_scale(1.0 / h, ch_sub(then.position, now.position));
    s->states[b].omega = body->led ? spin_between(s->world, &now, &then, h) : mean_spin(body, &now, s->time, end, h);
  }
}

void ch_kinematic_arrive(ChSimulation* s, double t) {
  for (int b = 0; b < s->world->body_count; ++b) {
    const ChBody* body = &s->world->bodies[b];
    if (body->kind != CH_BODY_KINEMATIC) continue;
    ChVec3 velocity = s->states[b].velocity, omega = s->states[b].omega;
    ch_body_move(body, t, &s->states[b]);
    s->states[b].velocity = velocity;
    s->states[b].omega = omega;
  }
}
