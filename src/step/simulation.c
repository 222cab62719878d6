// A simulation: its life, its steps, what the caller may ask and change.
#include "cardhouse/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assemble/material_laws.h"
#include "assemble/soft_body.h"
#include "base/check.h"
#include "cardhouse/clock.h"
#include "model/soft/soft_stress.h"
#include "solve/solve_options.h"
#include "step/adaptive.h"
#include "step/composed.h"
#include "step/in_step.h"
#include "step/integrate.h"
#include "step/kinematic.h"
#include "step/ledger.h"
#include "step/margin.h"
#include "step/options.h"
#include "step/peers.h"
#include "step/projection.h"
#include "step/recirculate.h"
#include "step/relax.h"
#include "step/rounding.h"
#include "step/soft_step.h"
#include "step/states.h"
#include "step/steer.h"
#include "step/warm.h"

#define SMALLEST_SHARE (1.0 / 1024.0)  // of h that adaptive stepping goes down to
#define MOST_AFTER 0.3                 // share of a step's limit that is kept for what comes after its solves
#define FORGOTTEN 0.9                  // what of a slow end is expected again of the next step
#define SLACK 0.03                     // share of the limit for what cannot be foreseen

static bool steady(const ChSignal* signal) {
  return signal->rate == 0.0 && signal->amplitude == 0.0 && signal->table_count == 0;
}

bool ch_world_is_autonomous(const ChWorld* world) {
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

void ch_simulation_take_arrays(ChSimulation* s) {
  int bodies = s->world->body_count;
  s->states = ch_states_take(s->arena, s->world);
  s->before = ch_states_take(s->arena, s->world);
  if (s->world->mode_count > 0) s->ahead = ch_states_take(s->arena, s->world);
  s->k = CH_TAKE(s->arena, ch_world_numbers(s->world), double);
  s->velocities = CH_TAKE(s->arena, ch_world_numbers(s->world), double);
  s->lag = CH_TAKE(s->arena, bodies, ChVec3);
  s->memory.joints = CH_TAKE(s->arena, (long)s->world->joint_count * CH_JOINT_ROWS_MAX, double);
  s->memory.unsure = CH_TAKE(s->arena, bodies, unsigned char);
  if (bodies > 0) memset(s->memory.unsure, CH_LOOK_FIRST, (size_t)bodies);
  if (bodies > 0) memcpy(s->states, s->world->states, ch_world_state_bytes(s->world));
}

static ChStatus start(ChContext* context, ChSimulation* s) {
  jmp_buf landing;
  if (!s->arena || !s->scratches[0] || !s->scratches[1] || setjmp(landing))
    return ch_fail(context, CH_ERR_MEMORY, "out of memory for a simulation of %d bodies", s->world->body_count);
  ch_arena_set_landing(s->arena, &landing);
  ch_simulation_take_arrays(s);
  ch_arena_set_landing(s->arena, NULL);
  s->h = s->base_h = s->options.h;
  s->autonomous = ch_world_is_autonomous(s->world);
  ch_simulation_weigh(s);
  s->left = s->h;
  ch_kinematic_arrive(s, 0.0, s->h);
  s->info = (ChStepInfo){.kinetic = ch_kinetic_energy(s->world, s->states),
                         .potential = ch_forces_potential(s->world, s->states, 0.0)};
  ch_momenta(s->world, s->states, &s->info.momentum, &s->info.angular_momentum);
  ChStatus status = ch_rounding_at_start(context, s->world, &s->rounding);
  return status == CH_OK ? ch_collider_create(context, s->world, &s->collider) : status;
}

void ch_simulation_weigh(ChSimulation* s) {
  s->heap = (ChHeap){0};
  s->restock = true;
}

// Of a recording's deformable bodies only the skin is known.
static ChStatus check_bodies(ChContext* context, const ChWorld* world) {
  for (int b = 0; b < world->body_count; ++b)
    if (world->bodies[b].soft && world->bodies[b].soft->skin_only)
      return ch_fail(context, CH_ERR_ARGUMENT, "body '%.100s' comes from a recording: it can be shown, not stepped",
                     world->bodies[b].name);
  return CH_OK;
}

ChStatus ch_simulation_create(ChContext* context, ChWorld* world, const ChSimulationOptions* options,
                              ChSimulation** out) {
  *out = NULL;
  if (!world || !options) {
    ch_world_destroy(world);
    return ch_fail(context, CH_ERR_ARGUMENT, "a world and options are needed, NULL was given");
  }
  ChSimulation* s = calloc(1, sizeof *s);
  if (!s) {
    ch_world_destroy(world);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory for a simulation");
  }
  s->world = world;
  s->arena = ch_arena_create(NULL);
  for (int k = 0; k < 2; ++k) s->scratches[k] = ch_arena_create(NULL);
  bool changed;
  ChStatus status = ch_options_take(context, s, options, &changed);
  if (status == CH_OK) status = check_bodies(context, world);
  if (status == CH_OK) status = ch_material_laws_find(context, world);
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
  free(s->names);
  free(s->memory.contacts);
  free(s->undo);
  free(s->passing.points);
  ch_bends_free(&s->bends);
  free(s->contacts);
  free(s);
}

double ch_step_margin(const ChSimulation* s) {
  return s->options.margin >= 0.0 ? s->options.margin : ch_default_margin(s->world, s->options.h);
}

ChStatus ch_simulation_gaps(ChContext* context, ChSimulation* s, const ChBodyState* states, double look_ahead,
                            const ChGap** gaps, int* count) {
  ChCollideOptions options = {.margin = ch_step_margin(s) + s->widen,
                              .threads = s->options.threads,
                              .look_ahead = s->options.look_ahead ? look_ahead : 0.0,
                              .reduce = s->options.reduce_contacts,
                              .touched = ch_memory_holds,
                              .past = &s->memory,
                              .near = s->peers ? s->peers->near : NULL,
                              .mine = s->peers ? s->peers->mine : NULL};
  ChStatus status = s->collider ? CH_OK : ch_collider_create(context, s->world, &s->collider);
  return status == CH_OK ? ch_collide(context, s->collider, states, &options, gaps, count) : status;
}

// --- one step --------------------------------------------------------------------------------------------------------

// The two scratch arenas in turn: what the last step left stays readable during this one.
static ChArena* other_scratch(const ChSimulation* s) {
  return s->scratch == s->scratches[0] ? s->scratches[1] : s->scratches[0];
}

static void turn_scratch(ChSimulation* s) {
  s->scratch = other_scratch(s);
  ch_arena_release(s->scratch, (ChArenaMark){0});
}

// Steps of equal length are counted and not summed, so that 600 s of them are 600 s.
static double time_after(ChSimulation* s, double h) {
  if (h != s->base_h) {
    s->base_time = s->time;
    s->base_step = s->step;
    s->base_h = h;
  }
  return s->base_time + (double)(s->step + 1 - s->base_step) * h;
}

// States are finite by now; what is computed of them may still be out of range.
static ChStatus check_info(ChContext* context, const ChStepInfo* info) {
  const double figures[] = {
      info->kinetic, info->potential, info->work,      info->gain,        info->penetration,        info->deferred,
      info->relaxed, info->uncovered, info->exchanged, info->joint_error, info->certificate.natural};
  if (ch_all_finite(figures, sizeof figures / sizeof *figures)) return CH_OK;
  return ch_fail(context, CH_ERR_NUMERIC, "step %ld: its figures are not finite: energy %g J + %g J, work %g J",
                 info->step, info->kinetic, info->potential, info->work);
}

static ChStatus try_step(ChContext* context, ChSimulation* s, double h, double end, ChStepInfo* info) {
  jmp_buf landing;
  turn_scratch(s);
  *info = (ChStepInfo){.step = s->step + 1, .time = end, .h = h, .substeps = 1, .shortest = h};
  ChArena* scratch = s->scratch;
  if (setjmp(landing)) {
    ch_arena_set_landing(scratch, NULL);
    if (s->peers) s->peers->abandon(s->peers->self, "out of memory in a step");
    return ch_fail(context, CH_ERR_MEMORY, "out of memory in step %ld", s->step + 1);
  }
  ch_arena_set_landing(scratch, &landing);
  double half_step;
  ChStatus status = ch_step_make(context, s, h, &half_step, info);
  if (status == CH_OK) status = ch_peers_agree(context, s, ch_states_check(context, s->world, s->states, info->step));
  if (status == CH_OK && s->options.project) status = ch_positions_project(context, s, info);
  if (status == CH_OK) status = ch_states_check(context, s->world, s->states, info->step);
  if (status == CH_OK) status = ch_ledger_close(context, s, half_step, info);
  if (status == CH_OK) status = check_info(context, info);
  ch_arena_set_landing(scratch, NULL);
  return status;
}

ChStatus ch_step_try(ChContext* context, ChSimulation* s, double h, double end, ChStepInfo* info) {
  ChStatus status = try_step(context, s, h, end, info);
  if (status == CH_ERR_NUMERIC && s->trial.rejects) status = CH_MAX_ITER;
  if (status != CH_MAX_ITER) return status;
  memcpy(s->states, s->before, ch_world_state_bytes(s->world));
  s->scratch = other_scratch(s);  // the last step's: the next try begins where this one did
  if (s->peers && s->peers->again(s->peers->self)) return ch_step_try(context, s, h, end, info);
  return status;
}

// How far the end of the step overlaps: adaptive stepping keeps it small (000 section 4.A, step 3).
static ChStatus overlap(ChContext* context, ChSimulation* s, double* worst) {
  const ChGap* gaps;
  int count;
  ChStatus status = ch_simulation_gaps(context, s, ch_contact_states(s, s->h), 0.0, &gaps, &count);
  *worst = 0.0;
  for (int g = 0; status == CH_OK && g < count; ++g) *worst = ch_max(*worst, -gaps[g].gap);
  return status;
}

static ChStatus adaptive_step(ChContext* context, ChSimulation* s, ChStepInfo* info) {
  double at_start = s->info.penetration, worst = 0.0;
  for (;;) {
    s->left = s->h;
    bool last = s->h <= SMALLEST_SHARE * s->options.h || ch_step_is_late(s);
    s->trial = (ChTrial){.nears = !last, .parts = !last};
    ChStatus status = ch_step_try(context, s, s->h, time_after(s, s->h), info);
    bool passed = status == CH_MAX_ITER;
    s->trial = (ChTrial){0};
    if (status == CH_OK) status = overlap(context, s, &worst);
    if (status != CH_OK && !passed) return status;
    bool fine = !passed && worst <= ch_max(s->options.gap_tolerance, at_start);
    if (fine || last || (!passed && ch_step_is_late(s))) break;
    memcpy(s->states, s->before, ch_world_state_bytes(s->world));
    s->rest.filled = false;
    s->h *= 0.5;
  }
  info->penetration = ch_max(info->penetration, worst);
  s->h = fmin(2.0 * s->h, s->options.h);
  return CH_OK;
}

// NaN is out of every bound.
static void note_bounds(const ChSimulationOptions* o, ChStepInfo* info) {
  if (!(info->overlap <= o->penetration_bound)) info->bounds |= CH_BOUND_PENETRATION;
  if (!(info->gain <= o->energy_bound * info->exchanged)) info->bounds |= CH_BOUND_ENERGY;
  if (!(info->uncovered <= 0.0)) info->bounds |= CH_BOUND_MOTION;
}

// Nothing moved, nothing depends on time: the next step is the last one over again, certificate and all.
static void repeat_step(ChSimulation* s, ChStepInfo* info) {
  *info = s->info;
  info->step = s->step + 1;
  info->time = time_after(s, info->h);
  info->iterations = 0;
  info->seconds_collide = info->seconds_assemble = info->seconds_solve = 0.0;
}

// Seconds of a step; where gaps decide, of the next one.
double ch_step_length(const ChSimulation* s) { return s->options.adaptive == CH_ADAPTIVE_GAP ? s->h : s->options.h; }

static ChStatus choose_step(ChContext* context, ChSimulation* s, ChUndo* undo, ChStepInfo* info) {
  s->left = ch_step_length(s);
  if (s->options.adaptive == CH_ADAPTIVE_GAP) return adaptive_step(context, s, info);
  double end = time_after(s, s->options.h);
  if (ch_integrator_find(s->options.integrator)->composed) return ch_composed_step(context, s, end, info);
  if (ch_adaptive_halves(s)) return ch_adaptive_step(context, s, end, undo, info);
  return ch_step_try(context, s, s->options.h, end, info);
}

// Whether the step changed nothing, not a bit of any state.
static ChStatus note_still(ChContext* context, ChSimulation* s, const ChStepInfo* info) {
  bool moved = !s->autonomous || info->missed || info->substeps != 1;
  if (!moved && !s->peers) moved = memcmp(s->before, s->states, ch_world_state_bytes(s->world)) != 0;
  for (int b = 0; s->peers && b < s->world->body_count && !moved; ++b)
    moved = s->peers->mine[b] && memcmp(&s->before[b], &s->states[b], sizeof s->states[b]) != 0;
  ChStatus status = ch_peers_any(context, s, &moved);
  s->still = !moved;
  return status;
}

static ChStatus make_step(ChContext* context, ChSimulation* s, ChStepInfo* info) {
  size_t bytes = ch_world_state_bytes(s->world);
  ChUndo undo = ch_undo_of(s);
  bool forgets = s->options.solve.stop && (s->options.adaptive == CH_ADAPTIVE_GAP || s->options.project);
  ChStatus status = ch_peers_agree(context, s, ch_states_check(context, s->world, s->states, s->step + 1));
  if (status == CH_OK && forgets) status = ch_undo_keep(context, s, &undo);
  if (status != CH_OK) return status;
  memcpy(s->before, s->states, bytes);
  status = choose_step(context, s, &undo, info);
  if (status == CH_OK) note_bounds(&s->options, info);
  if (forgets && ch_step_is_stopped(s)) status = CH_STOPPED;
  if (status == CH_STOPPED) ch_fail(context, status, "step %ld was stopped at the caller's request", s->step + 1);
  if (status != CH_OK) {
    ch_undo_take(s, &undo);
    return status;
  }
  return note_still(context, s, info);
}

bool ch_step_is_rejected(const ChSimulation* s, const ChStepInfo* info) { return s->trial.rejects && info->missed; }

bool ch_step_is_stopped(const ChSimulation* s) {
  return s->options.solve.stop && s->options.solve.stop(s->options.solve.stop_user);
}

bool ch_step_is_late(const ChSimulation* s) { return s->deadline > 0.0 && ch_clock_seconds() >= s->deadline; }

// The limit is for the whole step: what comes after the solves must be foreseen. The first step has nothing to start
// from, and no limit.
static void set_deadline(ChSimulation* s) {
  double limit = s->options.step_limit;
  bool limited = limit > 0.0 && s->step > 0;
  s->deadline = limited ? ch_clock_seconds() + limit - fmin(1.2 * s->after + SLACK * limit, MOST_AFTER * limit) : 0.0;
}

static void note_end(ChSimulation* s) {
  if (s->options.step_limit > 0.0) s->after = fmax(FORGOTTEN * s->after, ch_clock_seconds() - s->solved);
}

ChStatus ch_simulation_step(ChContext* context, ChSimulation* s, ChStepInfo* info) {
  ChStepInfo own;
  if (!info) info = &own;
  ChStatus status = CH_OK;
  set_deadline(s);
  bool same_length = s->info.h == ch_step_length(s);
  if (s->still && s->options.rest && same_length)
    repeat_step(s, info);
  else
    status = make_step(context, s, info);
  if (status != CH_OK) return status;
  note_end(s);
  s->time = info->time;
  ++s->step;
  s->restock = false;
  ch_recirculate(s, info);
  s->info = *info;
  ch_control_end_step(s);
  return CH_OK;
}

// --- what the caller may ask and change ------------------------------------------------------------------------------

const ChWorld* ch_simulation_world(const ChSimulation* s) { return s->world; }

const ChSimulationOptions* ch_simulation_options(const ChSimulation* s) { return &s->options; }

// Nothing from before other options is taken over; but a limit of time, which may be another one from step to step,
// changes nothing about what was found.
ChStatus ch_simulation_set_options(ChContext* context, ChSimulation* s, const ChSimulationOptions* options) {
  bool changed;
  ChStatus status = ch_options_take(context, s, options, &changed);
  if (status != CH_OK || !changed) return status;
  s->still = s->rest.filled = false;
  s->h = fmin(s->h, s->options.h);
  ch_simulation_weigh(s);
  return CH_OK;
}

double ch_simulation_time(const ChSimulation* s) { return s->time; }

long ch_simulation_step_count(const ChSimulation* s) { return s->step; }

ChStepInfo ch_simulation_info(const ChSimulation* s) { return s->info; }

static ChBodyView nowhere(void) {
  ChVec3 nan = {NAN, NAN, NAN};
  return (ChBodyView){nan, {NAN, NAN, NAN, NAN}, NAN, nan, nan};
}

ChBodyView ch_simulation_body_at(const ChSimulation* s, int row) {
  if (row < 0 || row >= s->world->body_count) return nowhere();
  const ChBodyState* state = &s->states[row];
  return (ChBodyView){.position = state->position,
                      .orientation = state->orientation,
                      .angle = state->angle,
                      .velocity = state->velocity,
                      .omega = ch_rotate(state->orientation, state->omega)};
}

ChBodyView ch_simulation_body(const ChSimulation* s, ChBodyId body) {
  return ch_simulation_body_at(s, ch_world_body_row(s->world, body));
}

const double* ch_simulation_modes(const ChSimulation* s, ChBodyId body, int* count) {
  int row = ch_world_body_row(s->world, body);
  *count = row >= 0 ? ch_body_modes(s->world, row) : 0;
  return *count > 0 ? ch_state_modes(s->world, s->states, row) : NULL;
}

const double* ch_simulation_rates(const ChSimulation* s, ChBodyId body, int* count) {
  const double* modes = ch_simulation_modes(s, body, count);
  return modes ? modes + s->world->mode_count : NULL;
}

bool ch_simulation_soft_stress(const ChSimulation* s, ChBodyId body, double* stress) {
  int row = ch_world_body_row(s->world, body);
  const ChSoft* soft = row >= 0 ? s->world->bodies[row].soft : NULL;
  if (!soft) return false;
  const double *q = ch_state_modes(s->world, s->states, row), *z = ch_state_stretches(s->world, s->states, row);
  for (int v = 0; v < soft->skin.vertex_count; ++v, stress += 6) {
    ChMat3 t = ch_soft_stress_at(soft, v, q, z);
    const double six[6] = {t.m[0][0], t.m[1][1], t.m[2][2], t.m[0][1], t.m[1][2], t.m[0][2]};
    memcpy(stress, six, sizeof six);
  }
  return true;
}

const ChContactView* ch_simulation_contacts(const ChSimulation* s, int* count) {
  *count = s->contact_count;
  return s->contacts;
}
