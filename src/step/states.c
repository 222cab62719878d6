// States of bodies as rows of numbers, and what no state may hold.
#include <math.h>

#include "assemble/soft_body.h"
#include "step/state.h"
#include "step/states.h"

#define FARTHEST 1e15  // metres, metres a second: beyond, a double no longer tells one from two

void ch_state_read(const ChWorld* world, const ChBodyState* state, double* v) {
  v[0] = state->velocity.x;
  v[1] = state->velocity.y;
  if (world->dimension == 2) {
    v[2] = state->omega.z;
    return;
  }
  v[2] = state->velocity.z;
  v[3] = state->omega.x, v[4] = state->omega.y, v[5] = state->omega.z;
}

void ch_state_write(const ChWorld* world, const double* v, ChBodyState* state) {
  if (world->dimension == 2) {
    state->velocity = ch_vec(v[0], v[1], 0.0);
    state->omega = ch_vec(0.0, 0.0, v[2]);
  } else {
    state->velocity = ch_vec(v[0], v[1], v[2]);
    state->omega = ch_vec(v[3], v[4], v[5]);
  }
}

static bool within(ChVec3 a, double most) { return fabs(a.x) <= most && fabs(a.y) <= most && fabs(a.z) <= most; }

static ChStatus check_modes(ChContext* context, const ChWorld* world, const ChBodyState* states, int body, long step) {
  const double *q = ch_state_modes(world, states, body), *rates = ch_state_rates(world, states, body);
  for (int a = 0; a < ch_body_modes(world, body); ++a)
    if (!(fabs(q[a]) <= FARTHEST && fabs(rates[a]) <= FARTHEST))
      return ch_fail(context, CH_ERR_NUMERIC,
                     "step %ld: body '%s' is deformed beyond all bounds: mode %d is %g, its rate %g", step,
                     world->bodies[body].name, a + 1, q[a], rates[a]);
  const double* z = ch_state_stretches(world, states, body);
  for (int k = 0; k < ch_body_stretches(world, body); ++k)
    if (!(fabs(z[k]) <= FARTHEST))
      return ch_fail(context, CH_ERR_NUMERIC, "step %ld: body '%s' is stretched beyond all bounds: arm %d by %g", step,
                     world->bodies[body].name, k / ch_body_modes(world, body) + 1, z[k]);
  return CH_OK;
}

ChStatus ch_states_check(ChContext* context, const ChWorld* world, const ChBodyState* states, long step) {
  for (int b = 0; b < world->body_count; ++b) {
    const ChBodyState* s = &states[b];
    const ChQuat q = s->orientation;
    double length = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    bool fine = within(s->position, FARTHEST) && within(s->velocity, FARTHEST) && within(s->omega, FARTHEST) &&
                fabs(s->angle) <= FARTHEST && fabs(length - 1.0) <= 1e-6;
    if (!fine)
      return ch_fail(context, CH_ERR_NUMERIC,
                     "step %ld: body '%s' is beyond all bounds: position (%g, %g, %g), velocity (%g, %g, %g)", step,
                     world->bodies[b].name, s->position.x, s->position.y, s->position.z, s->velocity.x, s->velocity.y,
                     s->velocity.z);
    ChStatus status = world->bodies[b].soft ? check_modes(context, world, states, b, step) : CH_OK;
    if (status != CH_OK) return status;
  }
  return CH_OK;
}
