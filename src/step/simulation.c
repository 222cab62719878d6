// A simulation: its life, its steps, what the caller may ask and change.
#include "cardhouse/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "linalg/small.h"
#include "step/state.h"

#define SMALLEST_SHARE (1.0 / 1024.0)  // of h that adaptive stepping goes down to

ChSimulationOptions ch_simulation_options_default(void) {
  return (ChSimulationOptions){.h = 1e-3,
                               .integrator = "euler",
                               .gamma = 1.0,
                               .margin = 0.01,
                               .look_ahead = true,
                               .gap_tolerance = 1e-4,
                               .warm = true,
                               .rest = true,
                               .threads = 1,
                               .solve = ch_solve_options_default()};
}

static ChStatus check_options(ChContext* context, const ChSimulationOptions* o) {
  if (!(o->h > 0.0 && o->h <= 1e3))
    return ch_fail(context, CH_ERR_RANGE, "step h is %g s, must be above 0 and at most 1000", o->h);
  if (!(o->gamma > 0.0 && o->gamma <= 1.0))
    return ch_fail(context, CH_ERR_RANGE, "stabilization is %g, must be above 0 and at most 1", o->gamma);
  if (!(o->margin >= 0.0 && o->margin < INFINITY))
    return ch_fail(context, CH_ERR_RANGE, "margin is %g m, must be 0 or more", o->margin);
  if (!o->integrator || strcmp(o->integrator, "euler") != 0)
    return ch_fail(context, CH_ERR_ARGUMENT, "integrator '%s' is not known; there is: euler",
                   o->integrator ? o->integrator : "");
  if (o->adaptive && !(o->gap_tolerance > 0.0))
    return ch_fail(context, CH_ERR_RANGE, "gap tolerance is %g m, must be above 0", o->gap_tolerance);
  if (o->threads < 1) return ch_fail(context, CH_ERR_RANGE, "threads is %d, must be 1 or more", o->threads);
  return CH_OK;
}

static bool steady(const ChSignal* signal) {
  return signal->rate == 0.0 && signal->amplitude == 0.0 && signal->table_count == 0;
}

// Whether the world looks the same at any time.
static bool is_autonomous(const ChWorld* world) {
  for (int a = 0; a < 3; ++a)
    if (!steady(&world->gravity[a])) return false;
  for (int b = 0; b < world->body_count; ++b)
    if (world->bodies[b].kind == CH_BODY_KINEMATIC) return false;
  for (int j = 0; j < world->joint_count; ++j)
    for (int a = 0; a < 3; ++a)
      if (world->joints[j].axes[a].drive != CH_DRIVE_NONE && !steady(&world->joints[j].axes[a].target)) return false;
  for (int f = 0; f < world->force_count; ++f)
    for (int a = 0; a < 3; ++a)
      if (!steady(&world->forces[f].def.force[a]) || !steady(&world->forces[f].def.torque[a])) return false;
  return true;
}

static void take_arrays(ChSimulation* s) {
  int bodies = s->world->body_count, width = ch_world_width(s->world);
  s->states = CH_TAKE(s->arena, bodies, ChBodyState);
  s->before = CH_TAKE(s->arena, bodies, ChBodyState);
  s->k = CH_TAKE(s->arena, (long)bodies * width, double);
  s->momentum = CH_TAKE(s->arena, (long)bodies * width, double);
  s->velocities = CH_TAKE(s->arena, (long)bodies * width, double);
  s->lag = CH_TAKE(s->arena, bodies, ChVec3);
  s->memory.joints = CH_TAKE(s->arena, (long)s->world->joint_count * CH_JOINT_ROWS_MAX, double);
  memcpy(s->states, s->world->states, (size_t)bodies * sizeof *s->states);
}

static ChStatus start(ChContext* context, ChSimulation* s) {
  jmp_buf landing;
  if (!s->arena || !s->scratches[0] || !s->scratches[1] || setjmp(landing))
    return ch_fail(context, CH_ERR_MEMORY, "out of memory for a simulation of %d bodies", s->world->body_count);
  ch_arena_set_landing(s->arena, &landing);
  take_arrays(s);
  ch_arena_set_landing(s->arena, NULL);
  s->h = s->options.h;
  s->autonomous = is_autonomous(s->world);
  ch_kinematic_arrive(s, 0.0);
  s->info = (ChStepInfo){.kinetic = ch_kinetic_energy(s->world, s->states),
                         .potential = ch_forces_potential(s->world, s->states, 0.0)};
  return ch_collider_create(context, s->world, &s->collider);
}

ChStatus ch_simulation_create(ChContext* context, ChWorld* world, const ChSimulationOptions* options,
                              ChSimulation** out) {
  *out = NULL;
  ChSimulation* s = calloc(1, sizeof *s);
  if (!s) {
    ch_world_destroy(world);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory for a simulation");
  }
  s->world = world;
  s->options = *options;
  s->arena = ch_arena_create(NULL);
  for (int k = 0; k < 2; ++k) s->scratches[k] = ch_arena_create(NULL);
  ChStatus status = check_options(context, options);
  if (status == CH_OK) status = ch_world_seal(context, world);
  if (status == CH_OK) status = start(context, s);
  if (status != CH_OK) {
    ch_simulation_destroy(s);
    return status;
  }
  *out = s;
  return CH_OK;
}

void ch_simulation_destroy(ChSimulation* s) {
  if (!s) return;
  ch_collider_destroy(s->collider);
  for (int k = 0; k < 2; ++k) ch_arena_destroy(s->scratches[k]);
  ch_arena_destroy(s->arena);
  ch_world_destroy(s->world);
  free(s->memory.contacts);
  free(s->contacts);
  free(s);
}

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

ChStatus ch_simulation_gaps(ChContext* context, ChSimulation* s, double look_ahead, const ChGap** gaps, int* count) {
  ChCollideOptions options = {.margin = s->options.margin,
                              .look_ahead = s->options.look_ahead ? look_ahead : 0.0,
                              .reduce = s->options.reduce_contacts};
  return ch_collide(context, s->collider, s->states, &options, gaps, count);
}

// --- one step
// ---------------------------------------------------------------------------------------------------------

// The two scratch arenas in turn: what the last step left stays readable during this one.
static void turn_scratch(ChSimulation* s) {
  s->scratch = s->scratch == s->scratches[0] ? s->scratches[1] : s->scratches[0];
  ch_arena_release(s->scratch, (ChArenaMark){0});
}

static ChStatus try_step(ChContext* context, ChSimulation* s, double h, ChStepInfo* info) {
  jmp_buf landing;
  turn_scratch(s);
  if (setjmp(landing)) {
    s->rest.filled = false;
    return ch_fail(context, CH_ERR_MEMORY, "out of memory in step %ld", s->step + 1);
  }
  ch_arena_set_landing(s->scratch, &landing);
  *info = (ChStepInfo){.step = s->step + 1, .time = s->time + h, .h = h};
  ChStatus status = ch_euler_step(context, s, h, info);
  if (status == CH_OK && s->options.project) status = ch_positions_project(context, s, info);
  ch_arena_set_landing(s->scratch, NULL);
  return status;
}

// How far the end of the step overlaps: adaptive stepping keeps it small (000 section 4.A, step 3).
static ChStatus overlap(ChContext* context, ChSimulation* s, double* worst) {
  const ChGap* gaps;
  int count;
  ChStatus status = ch_simulation_gaps(context, s, 0.0, &gaps, &count);
  *worst = 0.0;
  for (int g = 0; status == CH_OK && g < count; ++g) *worst = ch_max(*worst, -gaps[g].gap);
  return status;
}

static ChStatus adaptive_step(ChContext* context, ChSimulation* s, ChStepInfo* info) {
  double at_start = s->info.penetration, worst = 0.0;
  for (;;) {
    ChStatus status = try_step(context, s, s->h, info);
    if (status == CH_OK) status = overlap(context, s, &worst);
    if (status != CH_OK) return status;
    bool fine = worst <= ch_max(s->options.gap_tolerance, at_start);
    if (fine || s->h <= SMALLEST_SHARE * s->options.h) break;
    memcpy(s->states, s->before, (size_t)s->world->body_count * sizeof *s->states);
    s->rest.filled = false;
    s->h *= 0.5;
  }
  info->penetration = ch_max(info->penetration, worst);
  s->h = fmin(2.0 * s->h, s->options.h);
  return CH_OK;
}

// Nothing moved, nothing depends on time: the next step is the last one over again, certificate and all.
static void repeat_step(ChSimulation* s, ChStepInfo* info) {
  *info = s->info;
  info->step = s->step + 1;
  info->time = s->time + info->h;
  info->iterations = 0;
  info->seconds_collide = info->seconds_assemble = info->seconds_solve = 0.0;
}

ChStatus ch_simulation_step(ChContext* context, ChSimulation* s, ChStepInfo* info) {
  ChStepInfo own;
  if (!info) info = &own;
  if (s->still && s->options.rest) {
    repeat_step(s, info);
  } else {
    size_t bytes = (size_t)s->world->body_count * sizeof *s->states;
    memcpy(s->before, s->states, bytes);
    ChStatus status = s->options.adaptive ? adaptive_step(context, s, info) : try_step(context, s, s->options.h, info);
    if (status != CH_OK) {  // as if the step had not been tried
      memcpy(s->states, s->before, bytes);
      return status;
    }
    s->still = s->autonomous && !info->missed && memcmp(s->before, s->states, bytes) == 0;
  }
  s->time = info->time;
  ++s->step;
  s->info = *info;
  return CH_OK;
}

// --- what the caller may ask and change
// -------------------------------------------------------------------------------

const ChWorld* ch_simulation_world(const ChSimulation* s) { return s->world; }

ChSimulationOptions* ch_simulation_options(ChSimulation* s) {
  s->still = s->rest.filled = false;
  return &s->options;
}

double ch_simulation_time(const ChSimulation* s) { return s->time; }

long ch_simulation_step_count(const ChSimulation* s) { return s->step; }

ChStepInfo ch_simulation_info(const ChSimulation* s) { return s->info; }

ChBodyView ch_simulation_body(const ChSimulation* s, int body) {
  const ChBodyState* state = &s->states[body];
  return (ChBodyView){.position = state->position,
                      .orientation = state->orientation,
                      .angle = state->angle,
                      .velocity = state->velocity,
                      .omega = ch_rotate(state->orientation, state->omega)};
}

const ChContactView* ch_simulation_contacts(const ChSimulation* s, int* count) {
  *count = s->contact_count;
  return s->contacts;
}

static ChStatus check_body(ChContext* context, const ChSimulation* s, int body) {
  if (body < 0 || body >= s->world->body_count)
    return ch_fail(context, CH_ERR_RANGE, "body %d: there are %d", body, s->world->body_count);
  if (s->world->bodies[body].kind != CH_BODY_DYNAMIC)
    return ch_fail(context, CH_ERR_ARGUMENT, "body '%s' does not move freely", s->world->bodies[body].name);
  return CH_OK;
}

static bool is_finite(ChVec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }

ChStatus ch_simulation_set_velocity(ChContext* context, ChSimulation* s, int body, ChVec3 velocity, ChVec3 omega) {
  ChStatus status = check_body(context, s, body);
  if (status != CH_OK) return status;
  if (!is_finite(velocity) || !is_finite(omega))
    return ch_fail(context, CH_ERR_RANGE, "velocity of body '%s' must be finite", s->world->bodies[body].name);
  s->states[body].velocity = velocity;
  s->states[body].omega = ch_rotate_back(s->states[body].orientation, omega);
  s->still = false;
  return CH_OK;
}

// J^-1 twist
static ChVec3 spin_of(const ChWorld* world, const ChBody* body, ChVec3 twist) {
  if (world->dimension == 2) return ch_vec(0.0, 0.0, twist.z / body->inertia.m[2][2]);
  double J[9], inverse[9], t[3] = {twist.x, twist.y, twist.z}, w[3] = {0.0, 0.0, 0.0};
  memcpy(J, body->inertia.m, sizeof J);
  if (ch_small_invert(3, J, inverse)) ch_small_multiply(3, inverse, t, w);
  return ch_vec(w[0], w[1], w[2]);
}

ChStatus ch_simulation_push(ChContext* context, ChSimulation* s, int body, ChVec3 impulse, ChVec3 point) {
  ChStatus status = check_body(context, s, body);
  if (status != CH_OK) return status;
  if (!is_finite(impulse) || !is_finite(point))
    return ch_fail(context, CH_ERR_RANGE, "impulse on body '%s' must be finite", s->world->bodies[body].name);
  const ChBody* b = &s->world->bodies[body];
  ChBodyState* state = &s->states[body];
  ChVec3 twist = ch_rotate_back(state->orientation, ch_cross(ch_sub(point, state->position), impulse));
  state->velocity = ch_along(state->velocity, 1.0 / b->mass, impulse);
  state->omega = ch_add(state->omega, spin_of(s->world, b, twist));
  s->still = false;
  return CH_OK;
}
