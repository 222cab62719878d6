// See held_gaps.h.
#include "step/held_gaps.h"

#include <string.h>

#include "assemble/soft_body.h"
#include "base/check.h"
#include "step/in_step.h"
#include "step/integrator.h"
#include "step/rotation.h"
#include "step/states.h"

ChHeldGaps ch_held_gaps_open(ChSimulation* s, double h, double a) {
  CH_ASSERT(h > 0.0);
  const ChWorld* world = s->world;
  return (ChHeldGaps){.s = s,
                      .h = h,
                      .a = a,
                      .middle = ch_states_take(s->scratch, world),
                      .end = ch_states_take(s->scratch, world),
                      .velocity = CH_TAKE(s->scratch, world->body_count, ChVec3),
                      .turn = CH_TAKE(s->scratch, world->body_count, ChVec3),
                      .rates = CH_TAKE(s->scratch, world->mode_count, double)};
}

// dj of one body.
static void find_motion(ChHeldGaps* held, int b) {
  const ChSimulation* s = held->s;
  const ChBody* body = &s->world->bodies[b];
  const ChBodyState old = s->states[b];
  held->velocity[b] = old.velocity, held->turn[b] = old.omega;
  if (body->kind != CH_BODY_DYNAMIC) return;
  const double a = held->a;
  ChBodyState new = old;
  ch_state_write(s->world, s->velocities + (long)b * ch_world_width(s->world), &new);
  const ChVec3 spun = ch_along(old.omega, -2.0, s->lag[b]);
  held->velocity[b] = ch_add(ch_scale(a, old.velocity), ch_scale(1.0 - a, new.velocity));
  held->turn[b] = ch_add(ch_add(ch_scale(a, spun), ch_scale(1.0 - a, new.omega)), s->lag[b]);
  if (!body->soft) return;
  const double weight = ch_integrator_soft_weight(&s->options), *rates = ch_state_rates(s->world, s->states, b);
  const double* next = s->velocities + ch_modes_at(s->world, b);
  held->turn[b] = ch_scale(0.5, ch_add(old.omega, new.omega));
  for (int k = 0; k < ch_body_modes(s->world, b); ++k)
    held->rates[body->first_mode + k] = (1.0 - weight) * rates[k] + weight * next[k];
}

// Where a body is after a time, going by dj.
static void move(const ChHeldGaps* held, int b, double time, ChBodyState* states) {
  const ChWorld* world = held->s->world;
  ChBodyState* state = &states[b];
  if (world->bodies[b].kind == CH_BODY_FIXED) return;
  state->position = ch_along(state->position, time, held->velocity[b]);
  if (world->dimension == 2) {
    state->angle += time * held->turn[b].z;
    state->orientation = ch_turn_plane(state->orientation, time * held->turn[b].z);
  } else if (!ch_vec_is_zero(held->turn[b])) {
    state->orientation = ch_turn(state->orientation, held->turn[b], time);
  }
  double* q = ch_state_modes(world, states, b);
  for (int k = 0; k < ch_body_modes(world, b); ++k) q[k] += time * held->rates[world->bodies[b].first_mode + k];
}

// N'dj
static double speed_of(const ChHeldGaps* held, const ChGap* gap) {
  const ChWorld* world = held->s->world;
  double speed = 0.0;
  for (int side = 0; side < 2; ++side) {
    const int body = gap->body[side];
    const ChBodyState* at = &held->middle[body];
    ChVec3 turn = ch_rotate(at->orientation, held->turn[body]);
    ChVec3 v = ch_add(held->velocity[body], ch_cross(turn, ch_sub(ch_gap_point(gap, side), at->position)));
    if (world->bodies[body].soft) {
      const ChSkinPoint point = ch_skin_point(world, held->middle, gap, side);
      const double* rates = held->rates + world->bodies[body].first_mode;
      v = ch_add(v, ch_rotate(at->orientation, ch_skin_velocity(world, body, &point, rates)));
    }
    speed += (side == 0 ? -1.0 : 1.0) * ch_dot(gap->normal, v);
  }
  return speed;
}

static int order(const ChGap* a, const ChGap* b) {
  for (int k = 0; k < 2; ++k)
    if (a->shape[k] != b->shape[k]) return a->shape[k] < b->shape[k] ? -1 : 1;
  return (a->key > b->key) - (a->key < b->key);
}

ChStatus ch_held_gaps_find(ChContext* context, ChHeldGaps* held, ChMoment* moment) {
  ChSimulation* s = held->s;
  const ChWorld* world = s->world;
  if (world->body_count == 0) return CH_OK;
  memcpy(held->middle, s->states, ch_world_state_bytes(world));
  memcpy(held->end, s->states, ch_world_state_bytes(world));
  for (int b = 0; b < world->body_count; ++b) {
    find_motion(held, b);
    move(held, b, 0.5 * held->h, held->middle);
    move(held, b, held->h, held->end);
  }
  const ChGap* found;
  int count, later, next = 0;
  ChStatus status = ch_simulation_gaps(context, s, held->middle, held->h, &found, &count);
  if (status != CH_OK) return status;
  ChGap* gaps = CH_TAKE_RAW(s->scratch, count + 1, ChGap);
  if (count > 0) memcpy(gaps, found, (size_t)count * sizeof *gaps);
  held->ends = CH_TAKE(s->scratch, count + 1, double);
  status = ch_simulation_gaps(context, s, held->end, held->h, &found, &later);
  if (status != CH_OK) return status;
  for (int k = 0; k < count; ++k) {
    while (next < later && order(&found[next], &gaps[k]) < 0) ++next;
    const bool same = next < later && order(&found[next], &gaps[k]) == 0;
    const double speed = speed_of(held, &gaps[k]);
    held->ends[k] = same ? found[next].gap : gaps[k].gap + 0.5 * held->h * speed;
    gaps[k].gap = held->ends[k] - held->h * speed;
  }
  moment->states = held->middle;
  moment->gaps = gaps;
  moment->gap_count = count;
  return CH_OK;
}
