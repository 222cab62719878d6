// See soft_step.h.
#include "step/soft_step.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "assemble/soft_body.h"
#include "step/integrator.h"
#include "step/rotation.h"
#include "step/soft_motion.h"

static bool ahead_of_contact(const ChSimulation* s) {
  return ch_integrator_find(s->options.integrator)->contacts == CH_CONTACTS_STABILIZED;
}

const ChBodyState* ch_contact_states(ChSimulation* s, double h) {
  const ChWorld* world = s->world;
  if (world->mode_count == 0 || !ahead_of_contact(s)) return s->states;
  memcpy(s->ahead, s->states, ch_world_state_bytes(world));
  double share = (1.0 - ch_integrator_soft_weight(&s->options)) * h;
  for (int b = 0; b < world->body_count; ++b) {
    if (!world->bodies[b].soft) continue;
    double *q = ch_state_modes(world, s->ahead, b), *rates = ch_state_rates(world, s->ahead, b);
    for (int a = 0; a < ch_body_modes(world, b); ++a) q[a] += share * rates[a];
    if (!ch_vec_is_zero(s->ahead[b].omega))
      s->ahead[b].orientation = ch_turn(s->ahead[b].orientation, s->ahead[b].omega, 0.5 * h);
  }
  return s->ahead;
}

ChStatus ch_soft_split(ChContext* context, ChSimulation* s, int body, double h, ChVec3 gravity, double* reference,
                       ChSoftAnswer* answer) {
  const ChWorld* world = s->world;
  const ChSoft* soft = world->bodies[body].soft;
  const ChBodyState* state = &s->states[body];
  long size = 6 + soft->modes, first = ch_modes_at(world, body), frame = 6L * body;
  double *c = CH_TAKE_RAW(s->scratch, size, double), *M = CH_TAKE_RAW(s->scratch, size * size, double);
  ChSoftStart start = {.soft = soft,
                       .h = h,
                       .weight = ch_integrator_soft_weight(&s->options),
                       .turns = ch_body_locks(world, body) >> 3 == 0,
                       .q = ch_state_modes(world, s->states, body),
                       .qd = ch_state_rates(world, s->states, body),
                       .stretches = ch_state_stretches(world, s->states, body)};
  if (start.turns) start.w = state->omega;
  if (soft->clamped) start.gravity = ch_rotate_back(state->orientation, gravity);
  ChSoftEnd end = {.rates = reference + first, .M = M, .curvature = c};
  if (!ch_soft_motion(s->scratch, &start, &end))
    return ch_fail(context, CH_ERR_NUMERIC,
                   "step %ld: deformable body '%.80s' turns too fast or bends too far for h = %g s; a "
                   "shorter step%s, more damping or a much larger Young's modulus help",
                   s->step + 1, world->bodies[body].name, h, soft->kind == CH_SOFT_STVK ? "" : ", \"model\": \"stvk\"");
  *answer = (ChSoftAnswer){.M = M, .curvature = c};
  reference[frame + 3] = end.w.x, reference[frame + 4] = end.w.y, reference[frame + 5] = end.w.z;
  return CH_OK;
}

// Rates with which amplitudes move in the step.
static void mean_rates(const ChSimulation* s, int body, double* mean) {
  const double *old = ch_state_rates(s->world, s->states, body), *new = s->velocities + ch_modes_at(s->world, body);
  double a = ch_integrator_soft_weight(&s->options);
  for (int k = 0; k < ch_body_modes(s->world, body); ++k) mean[k] = (1.0 - a) * old[k] + a * new[k];
}

double ch_soft_heat(const ChSimulation* s, double h) {
  const ChWorld* world = s->world;
  double sum = 0.0, mean[CH_SOFT_MODES_MAX], damping[CH_SOFT_MODES_MAX];
  for (int b = 0; b < world->body_count && world->mode_count > 0; ++b) {
    const ChSoft* soft = world->bodies[b].soft;
    if (!soft) continue;
    mean_rates(s, b, mean);
    ch_soft_damping(soft, damping);
    for (int a = 0; a < soft->modes; ++a) sum += h * damping[a] * mean[a] * mean[a];
    if (soft->arms > 0) sum += ch_soft_arms_heat(soft, h, mean, ch_state_stretches(world, s->states, b));
  }
  return sum;
}

void ch_soft_stretch(ChSimulation* s, int body, double h) {
  const ChSoft* soft = s->world->bodies[body].soft;
  double mean[CH_SOFT_MODES_MAX];
  if (soft->arms == 0) return;
  mean_rates(s, body, mean);
  ch_soft_arms_move(soft, h, mean, ch_state_stretches(s->world, s->states, body));
}

void ch_soft_advance(ChSimulation* s, int body, double h) {
  const ChWorld* world = s->world;
  ChBodyState* state = &s->states[body];
  const double *v = s->velocities + 6L * body, *rates = s->velocities + ch_modes_at(world, body);
  double *q = ch_state_modes(world, s->states, body), *old = ch_state_rates(world, s->states, body);
  double a = ch_integrator_soft_weight(&s->options);
  for (int k = 0; k < ch_body_modes(world, body); ++k) {
    q[k] += h * ((1.0 - a) * old[k] + a * rates[k]);
    old[k] = rates[k];
  }
  ChVec3 turn = ch_scale(0.5, ch_add(state->omega, ch_vec(v[3], v[4], v[5])));
  if (ch_dot(turn, turn) > 0.0) state->orientation = ch_turn(state->orientation, turn, h);
}

double ch_soft_closing(const ChSimulation* s, const ChBodyState* seen, const ChGap* g) {
  double speed = 0.0;
  for (int side = 0; side < 2; ++side) {
    int body = g->body[side];
    if (!s->world->bodies[body].soft) continue;
    const double* rates = ch_state_rates(s->world, s->states, body);
    ChSkinPoint point = ch_skin_point(s->world, seen, g, side);
    ChVec3 normal = ch_rotate_back(seen[body].orientation, g->normal);
    speed += (side == 0 ? -1.0 : 1.0) * ch_dot(normal, ch_skin_velocity(s->world, body, &point, rates));
  }
  return speed;
}

double ch_soft_row_speed(const ChSimulation* s, const ChRows* rows, int block, int a) {
  double speed = 0.0;
  for (int side = 0; side < 2; ++side) {
    const ChSkinTouch* touch = ch_row_touch(rows, block, side);
    const int body = rows->blocks[block].body[side];
    if (!touch || body < 0) continue;
    ChVec3 v = ch_skin_velocity(s->world, body, &touch->point, ch_state_rates(s->world, s->states, body));
    speed += ch_dot(touch->along[a], v);
  }
  return speed;
}

const double* const* ch_soft_masses(ChArena* arena, const ChSimulation* s) {
  const ChWorld* world = s->world;
  if (world->mode_count == 0) return NULL;
  const double** list = CH_TAKE(arena, world->body_count, const double*);
  for (int b = 0; b < world->body_count; ++b) {
    if (!world->bodies[b].soft) continue;
    long size = 6 + ch_body_modes(world, b);
    double* M = CH_TAKE_RAW(arena, size * size, double);
    ch_soft_mass(world->bodies[b].soft, ch_state_modes(world, s->states, b), M);
    list[b] = M;
  }
  return list;
}

void ch_soft_velocity(const ChWorld* world, int body, const ChBodyState* state, const double* M, const double* momentum,
                      double* velocity) {
  double A[CH_SOFT_SIZE_MAX * CH_SOFT_SIZE_MAX], x[CH_SOFT_SIZE_MAX];
  int size = ch_soft_reduce_mass(world, body, state, M, A);
  ch_soft_reduce(world, body, state, momentum, x);
  if (LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'L', size, 1, A, size, x, size) != 0) memset(x, 0, sizeof x);
  ch_soft_expand(world, body, state, x, velocity);
}

void ch_soft_gather(const ChWorld* world, int body, const double* from, double* to) {
  memcpy(to, from + 6L * body, 6 * sizeof *to);
  memcpy(to + 6, from + ch_modes_at(world, body), (size_t)ch_body_modes(world, body) * sizeof *to);
}

void ch_soft_scatter(const ChWorld* world, int body, const double* from, double* to) {
  memcpy(to + 6L * body, from, 6 * sizeof *to);
  memcpy(to + ch_modes_at(world, body), from + 6, (size_t)ch_body_modes(world, body) * sizeof *to);
}

int ch_soft_nearest(const ChSoft* soft, ChVec3 local, const double* q) {
  int best = 0;
  double least = INFINITY;
  for (int v = 0; v < soft->skin.vertex_count; ++v) {
    ChVec3 d = ch_sub(q ? ch_soft_vertex(soft, v, q) : soft->skin.rest[v], local);
    if (ch_dot(d, d) < least) least = ch_dot(d, d), best = v;
  }
  return best;
}
