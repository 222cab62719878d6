// Poking: what a caller may change between two steps. Places, velocities, impulses, a spring to pull with, gravity and
// friction, and going on in another world that has more bodies. Nothing that was certified before a change is taken for
// granted after it.
#include <math.h>
#include <string.h>

#include "assemble/soft_body.h"
#include "linalg/small.h"
#include "model/friction_curves.h"
#include "model/ids.h"
#include "step/free_velocity.h"
#include "step/in_step.h"
#include "step/soft_step.h"
#include "step/states.h"
#include "step/steer.h"
#include "step/warm.h"

ChStatus ch_free_body_find(ChContext* context, const ChSimulation* s, ChBodyId id, int* row) {
  ChStatus status = ch_body_find(context, s->world, id, "simulation", row);
  if (status != CH_OK) return status;
  int body = *row;
  if (s->world->bodies[body].kind != CH_BODY_DYNAMIC)
    return ch_fail(context, CH_ERR_ARGUMENT, "body '%s' does not move freely", s->world->bodies[body].name);
  return CH_OK;
}

ChStatus ch_simulation_set_velocity(ChContext* context, ChSimulation* s, ChBodyId id, ChVec3 velocity, ChVec3 omega) {
  int body;
  ChStatus status = ch_free_body_find(context, s, id, &body);
  if (status != CH_OK) return status;
  const ChBody* b = &s->world->bodies[body];
  if (!ch_vec_finite(velocity) || !ch_vec_finite(omega))
    return ch_fail(context, CH_ERR_RANGE, "velocity of body '%s' must be finite", b->name);
  if (s->world->dimension == 2) {
    velocity.z = 0.0;
    omega = ch_vec(0.0, 0.0, omega.z);
  }
  ChBodyState* state = &s->states[body];
  state->velocity = ch_unlocked(b->locks, velocity);
  state->omega = ch_rotate_back(state->orientation, ch_unlocked(b->locks >> 3, omega));
  s->still = false;
  return CH_OK;
}

// Where a body is held: a point of its frame, or a vertex of its skin.
typedef struct Hold {
  int body, vertex;  // vertex: -1 where the body is rigid
  ChVec3 arm;        // from the centre of mass, world frame
} Hold;

static Hold hold_vertex(const ChSimulation* s, int body, int vertex) {
  const ChSoft* soft = s->world->bodies[body].soft;
  ChVec3 local = ch_soft_vertex(soft, vertex, ch_state_modes(s->world, s->states, body));
  return (Hold){.body = body, .vertex = vertex, .arm = ch_rotate(s->states[body].orientation, local)};
}

// Gradients of the held point's velocity along the body's modes: those of a force `along`.
static void modal_force(const ChSimulation* s, const Hold* hold, ChVec3 along, double* out) {
  ChSkinPoint point = {.count = 1, .vertex = {hold->vertex}, .weight = {1.0}};
  ch_skin_gradients(s->world, s->states, hold->body, &point, 1, &along, out);
}

// Change of velocity by an impulse at the point: width numbers, and then the modes.
static void respond(const ChSimulation* s, const Hold* hold, ChVec3 impulse, double* change) {
  const ChBodyState* state = &s->states[hold->body];
  ChBodyState given = *state;
  double momentum[CH_SOFT_SIZE_MAX];
  given.velocity = impulse;
  given.omega = ch_rotate_back(state->orientation, ch_cross(hold->arm, impulse));
  ch_state_read(s->world, &given, momentum);
  if (hold->vertex < 0) {
    ch_free_velocity(s->world, hold->body, state, momentum, change);
    return;
  }
  double M[CH_SOFT_SIZE_MAX * CH_SOFT_SIZE_MAX];
  ch_soft_mass(s->world->bodies[hold->body].soft, ch_state_modes(s->world, s->states, hold->body), M);
  modal_force(s, hold, impulse, momentum + 6);
  ch_soft_velocity(s->world, hold->body, state, M, momentum, change);
}

// Velocity of the held point for a body that moves with v (as in `respond`).
static ChVec3 point_velocity(const ChSimulation* s, const Hold* hold, const double* v) {
  ChBodyState moved = s->states[hold->body];
  ch_state_write(s->world, v, &moved);
  ChVec3 sum = ch_add(moved.velocity, ch_cross(ch_rotate(moved.orientation, moved.omega), hold->arm));
  for (int axis = 0; axis < 3 && hold->vertex >= 0; ++axis) {
    double gradient[CH_SOFT_MODES_MAX], speed = 0.0;
    modal_force(s, hold, ch_axis(axis), gradient);
    for (int a = 0; a < ch_body_modes(s->world, hold->body); ++a) speed += gradient[a] * v[6 + a];
    sum = ch_along(sum, speed, ch_axis(axis));
  }
  return sum;
}

static void push(ChSimulation* s, const Hold* hold, ChVec3 impulse) {
  ChBodyState *state = &s->states[hold->body], given = *state;
  double change[CH_SOFT_SIZE_MAX], *rates = ch_state_rates(s->world, s->states, hold->body);
  respond(s, hold, impulse, change);
  ch_state_write(s->world, change, &given);
  state->velocity = ch_add(state->velocity, given.velocity);
  state->omega = ch_add(state->omega, given.omega);
  for (int a = 0; a < ch_body_modes(s->world, hold->body); ++a) rates[a] += change[6 + a];
  s->still = false;
}

ChStatus ch_simulation_push(ChContext* context, ChSimulation* s, ChBodyId id, ChVec3 impulse, ChVec3 point) {
  int body;
  ChStatus status = ch_free_body_find(context, s, id, &body);
  if (status != CH_OK) return status;
  if (!ch_vec_finite(impulse) || !ch_vec_finite(point))
    return ch_fail(context, CH_ERR_RANGE, "impulse on body '%s' must be finite", s->world->bodies[body].name);
  const ChSoft* soft = s->world->bodies[body].soft;
  Hold hold = {.body = body, .vertex = -1, .arm = ch_sub(point, s->states[body].position)};
  if (soft)
    hold = hold_vertex(s, body,
                       ch_soft_nearest(soft, ch_frame_local(ch_state_frame(s->states, body), point),
                                       ch_state_modes(s->world, s->states, body)));
  push(s, &hold, impulse);
  return CH_OK;
}

ChStatus ch_simulation_place(ChContext* context, ChSimulation* s, ChBodyId id, ChVec3 position) {
  int body;
  ChStatus status = ch_free_body_find(context, s, id, &body);
  if (status != CH_OK) return status;
  if (!ch_vec_finite(position) || (s->world->dimension == 2 && position.z != 0.0))
    return ch_fail(context, CH_ERR_RANGE, "body '%s' is placed at (%g, %g, %g), must be finite%s",
                   s->world->bodies[body].name, position.x, position.y, position.z,
                   s->world->dimension == 2 ? " and have no z in the plane" : "");
  s->states[body].position = position;
  s->still = s->rest.filled = false;
  s->info.potential = ch_forces_potential(s->world, s->states, s->time) + s->info.stored;
  ch_momenta(s->world, s->states, &s->info.momentum, &s->info.angular_momentum);
  return CH_OK;
}

// --- a spring to pull with -------------------------------------------------------------------------------------------

// A damped spring from the point x of the body to the target, e = x - target, taken at the end of the step of length h
// as if nothing else held the body: with K the response of the point to an impulse J there,
//
//   J = h f,  f = -k (e + h v+) - c v+,  v+ = v + K J    =>    (1 + a K) J = -(h k e + a v),  a = h^2 k + h c
//
// which pulls stably at any h and k; k = m w^2 and c = 2 z m w.

// K: three columns, one for each unit impulse at the point.
static ChMat3 point_response(const ChSimulation* s, const Hold* hold) {
  ChMat3 K = {0};
  for (int axis = 0; axis < s->world->dimension; ++axis) {
    double change[CH_SOFT_SIZE_MAX];
    respond(s, hold, ch_axis(axis), change);
    ChVec3 v = point_velocity(s, hold, change);
    K.m[0][axis] = v.x;
    K.m[1][axis] = v.y;
    K.m[2][axis] = v.z;
  }
  return K;
}

ChGrip ch_grip_default(void) { return (ChGrip){.frequency = 4.0, .damping = 1.0, .strength = 200.0}; }

static ChStatus check_grip(ChContext* context, const ChGrip* grip, ChVec3 local, ChVec3 target) {
  if (!ch_vec_finite(local) || !ch_vec_finite(target))
    return ch_fail(context, CH_ERR_RANGE, "a body is pulled from (%g, %g, %g) to (%g, %g, %g); both must be finite",
                   local.x, local.y, local.z, target.x, target.y, target.z);
  if (!(grip->frequency > 0.0 && grip->frequency <= 1e6 && grip->damping >= 0.0 && grip->damping <= 1e6 &&
        grip->strength > 0.0))
    return ch_fail(
        context, CH_ERR_RANGE,
        "grip: frequency %g Hz, damping ratio %g, strength %g m/s^2; frequency and strength must be above 0, "
        "damping 0 or more",
        grip->frequency, grip->damping, grip->strength);
  return CH_OK;
}

ChStatus ch_simulation_pull(ChContext* context, ChSimulation* s, ChBodyId id, ChVec3 local, ChVec3 target,
                            const ChGrip* grip) {
  int body;
  ChStatus status = ch_free_body_find(context, s, id, &body);
  if (status == CH_OK) status = check_grip(context, grip, local, target);
  if (status != CH_OK) return status;
  if (s->world->dimension == 2) local.z = target.z = 0.0;
  const ChBodyState* state = &s->states[body];
  double h = ch_step_length(s), mass = s->world->bodies[body].mass;
  double w = 2.0 * M_PI * grip->frequency, k = mass * w * w, a = h * h * k + 2.0 * h * grip->damping * mass * w;
  Hold hold = {.body = body, .vertex = -1, .arm = ch_rotate(state->orientation, local)};
  double speeds[CH_SOFT_SIZE_MAX];
  ch_state_read(s->world, state, speeds);
  if (s->world->bodies[body].soft) {
    hold = hold_vertex(s, body, ch_soft_nearest(s->world->bodies[body].soft, local, NULL));
    memcpy(speeds + 6, ch_state_rates(s->world, s->states, body),
           (size_t)ch_body_modes(s->world, body) * sizeof *speeds);
  }
  ChVec3 point = ch_add(state->position, hold.arm), v = point_velocity(s, &hold, speeds);
  ChMat3 one = ch_mat_diagonal(ch_vec(1.0, 1.0, 1.0)), K = point_response(s, &hold);
  ChMat3 A = ch_mat_along(&one, a, &K);
  double inverse[9];
  if (!ch_small_invert(3, &A.m[0][0], inverse))
    return ch_fail(context, CH_ERR_NUMERIC, "body '%s' cannot be pulled there", s->world->bodies[body].name);
  ChVec3 right = ch_sub(ch_scale(-h * k, ch_sub(point, target)), ch_scale(a, v));
  const double f[3] = {right.x, right.y, right.z};
  double j[3];
  ch_small_multiply(3, inverse, f, j);
  ChVec3 impulse = ch_vec(j[0], j[1], j[2]);
  double most = h * mass * grip->strength, size = ch_norm(impulse);
  if (size > most) impulse = ch_scale(most / size, impulse);
  push(s, &hold, impulse);
  return CH_OK;
}

// --- the world -------------------------------------------------------------------------------------------------------

// Steps from now on are solved afresh.
static void forget_rest(ChSimulation* s) {
  s->autonomous = ch_world_is_autonomous(s->world);
  s->still = s->rest.filled = false;
}

ChStatus ch_simulation_set_gravity(ChContext* context, ChSimulation* s, ChVec3 gravity) {
  if (!ch_vec_finite(gravity) || (s->world->dimension == 2 && gravity.z != 0.0))
    return ch_fail(context, CH_ERR_RANGE, "gravity is (%g, %g, %g), must be finite%s", gravity.x, gravity.y, gravity.z,
                   s->world->dimension == 2 ? " and have no z in the plane" : "");
  for (int k = 0; k < 3; ++k) s->world->gravity[k] = (ChSignal){.base = ch_component(gravity, k)};
  forget_rest(s);
  ch_simulation_weigh(s);
  s->info.potential = ch_forces_potential(s->world, s->states, s->time) + s->info.stored;
  return CH_OK;
}

ChStatus ch_simulation_set_friction(ChContext* context, ChSimulation* s, double mu) {
  if (!(mu >= 0.0 && mu < INFINITY))
    return ch_fail(context, CH_ERR_RANGE, "friction is %g, must be finite and 0 or more", mu);
  for (int m = 0; m < s->world->material_count; ++m) {
    ChMaterial* material = &s->world->materials[m];
    material->friction[0] = material->friction[1] = mu;
    material->anisotropic = false;
  }
  for (int p = 0; p < s->world->pair_count; ++p) s->world->pairs[p].friction[0] = s->world->pairs[p].friction[1] = mu;
  ch_world_forget_curves(s->world);
  forget_rest(s);
  return CH_OK;
}

// Bodies and modes of the old world come first in the new one.
static void carry_states(ChSimulation* s, const ChSimulation* from) {
  const ChWorld *old = from->world, *new = s->world;
  if (old->body_count > 0) memcpy(s->states, from->states, (size_t)old->body_count * sizeof *s->states);
  size_t modes = (size_t)old->mode_count * sizeof(double);
  if (modes == 0) return;
  memcpy(ch_state_modes(new, s->states, 0), ch_state_modes(old, from->states, 0), modes);
  memcpy(ch_state_rates(new, s->states, 0), ch_state_rates(old, from->states, 0), modes);
  memcpy(ch_state_stretches(new, s->states, 0), ch_state_stretches(old, from->states, 0),
         (size_t)old->stretch_count * sizeof(double));
}

static bool same_modes(const ChWorld* a, const ChWorld* b) {
  for (int k = 0; k < a->body_count; ++k)
    if (ch_body_modes(a, k) != ch_body_modes(b, k) || ch_body_stretches(a, k) != ch_body_stretches(b, k)) return false;
  return true;
}

ChStatus ch_simulation_carry(ChContext* context, ChSimulation* s, const ChSimulation* from) {
  const ChWorld *old = from->world, *new = s->world;
  if (old->dimension != new->dimension || old->body_count > new->body_count || old->joint_count != new->joint_count)
    return ch_fail(context, CH_ERR_SIZE,
                   "a world of %d bodies and %d joints in dimension %d cannot continue as one of %d and %d in %d",
                   old->body_count, old->joint_count, old->dimension, new->body_count, new->joint_count,
                   new->dimension);
  if (!same_modes(old, new))
    return ch_fail(context, CH_ERR_SIZE, "continued bodies must keep their number of modes and arms");
  ChStatus status = ch_memory_reserve(context, s, from->memory.contact_count);
  if (status != CH_OK) return status;
  carry_states(s, from);
  memcpy(s->before, s->states, ch_world_state_bytes(s->world));
  if (old->joint_count > 0)
    memcpy(s->memory.joints, from->memory.joints,
           (size_t)old->joint_count * CH_JOINT_ROWS_MAX * sizeof *s->memory.joints);
  int contacts = s->memory.contact_count = from->memory.contact_count;
  if (contacts > 0) memcpy(s->memory.contacts, from->memory.contacts, (size_t)contacts * sizeof *s->memory.contacts);
  s->memory.h = from->memory.h;
  s->time = from->time;
  s->step = from->step;
  s->h = from->h;
  s->level = from->level;
  s->good = from->good;
  s->base_time = from->base_time;
  s->base_step = from->base_step;
  s->base_h = from->base_h;
  s->info = from->info;
  s->info.kinetic = ch_kinetic_energy(s->world, s->states);
  s->info.potential = ch_forces_potential(s->world, s->states, s->time) + s->info.stored;
  ch_momenta(s->world, s->states, &s->info.momentum, &s->info.angular_momentum);
  forget_rest(s);
  return CH_OK;
}

bool ch_simulation_islands(const ChSimulation* s, int* island) {
  if (!s->rest.filled) return false;
  for (int b = 0; b < s->world->body_count; ++b) island[b] = -1;
  const ChIslands* islands = &s->rest.islands;
  for (int i = 0; i < islands->count; ++i)
    for (int k = islands->body_start[i]; k < islands->body_start[i + 1]; ++k) island[islands->bodies[k]] = i;
  return true;
}
