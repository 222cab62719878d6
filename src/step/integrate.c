// One step of an integrator (integrator.h):
//
//   M (v+ - v) = h k* + H r,    u = H^T v+ + w,  (u, r) in their laws,    q+ = q + h d,  d = a v + (1 - a) v+
//
// k* may depend on v+. It is linearised about a guess vj, which leaves a contact problem with another mass,
//
//   M^ v+ = M v + h k*(vj) - (h cq dk/dq + h cv dk/dv) vj + H r,   M^ = M - h cq dk/dq - h cv dk/dv
//
// and where the integrator asks for it vj <- v+ until nothing changes: Newton's method, with what a spring could gain
// energy by left out of the derivatives. The gyroscopic term is taken by the midpoint rule beforehand (rotation.h), so
// that v is the velocity after the free spin.
#include <float.h>
#include <math.h>
#include <string.h>

#include "assemble/soft_body.h"
#include "base/check.h"
#include "cardhouse/clock.h"
#include "step/adaptive.h"
#include "step/bonds.h"
#include "step/driven.h"
#include "step/end_gaps.h"
#include "step/force_place.h"
#include "step/free_velocity.h"
#include "step/held_gaps.h"
#include "step/hold.h"
#include "step/impact.h"
#include "step/in_step.h"
#include "step/integrate.h"
#include "step/joint_heap.h"
#include "step/kinematic.h"
#include "step/ledger.h"
#include "step/passing.h"
#include "step/peers.h"
#include "step/remember.h"
#include "step/rotation.h"
#include "step/shear.h"
#include "step/slip_back.h"
#include "step/soft_step.h"
#include "step/states.h"
#include "step/warm.h"

#define TOUCHING 1e-9  // metres: a gap that counts as closed
#define SETTLED 1e-13  // change of velocities, relative, at which Newton's method ends
#define NEARLY 1e-9    // and at which a step does not count as missed

enum { MOST_TURNS = 20 };  // of solves in which friction of a contact is asked another way (slip_back.h)

typedef struct Step {
  ChContext* context;
  ChSimulation* s;
  const ChIntegrator* it;
  double h, a;
  double margin;         // within which gaps take part
  double gap_tolerance;  // at its end (end_gaps.h)
  ChStepInfo* info;
  ChMoment moment;
  ChMoment seen;  // with the gaps that this process looked for; without peers they are those of `moment`
  ChRows rows;
  ChIslands islands;
  ChForcePlace place;
  ChHold hold;
  double *reference, *impulse, *r;
  const double** soft;    // body -> a deformable body's mass
  ChSoftAnswer* answers;  // and all that its free motion leaves
  ChDynamics dynamics;
  ChStage stage;
} Step;

static ChRowRule row_rule(const Step* p) {
  const ChSimulationOptions* o = &p->s->options;
  double h = p->h;
  ChRowRule rule = {.h = h,
                    .contact_gain = o->gamma / h,
                    .push_out = o->push_out,
                    .kept = p->s->rounding,
                    .joint_gain = o->gamma / h,
                    .motor_gain = 1.0 / h};
  if (o->contact == CH_CONTACT_COMPLIANT) rule.heap = &p->s->heap;
  switch (o->stabilization) {
    case CH_STABILIZE_LINEARIZED:
      rule.contact_gain = rule.joint_gain = 1.0 / (o->gamma * h);
      break;
    case CH_STABILIZE_CONTACTS:
      rule.contact_gain = 1.0 / h;
      rule.joint_gain = 0.0;
      break;
    case CH_STABILIZE_OFF:
      rule.contact_gain = rule.joint_gain = 0.0;
      rule.closed_only = true;
      break;
    case CH_STABILIZE_ON:
      break;
  }
  const double weight = ch_integrator_soft_weight(o);
  if (p->it->contacts == CH_CONTACTS_STABILIZED && !rule.heap) rule.rebound = (1.0 - weight) / weight;
  if (p->it->contacts == CH_CONTACTS_ARRIVE) {  // where a gap closes at the end is the scheme itself, no stabilisation
    rule.contact_gain = 1.0 / (h * (1.0 - p->a));
    rule.push_out = INFINITY;
    rule.kept = 0.0;
  } else if (p->it->contacts != CH_CONTACTS_STABILIZED) {
    rule.contact_gain = 0.0;
    rule.closed_only = true;
  }
  return rule;
}

// --- motion by itself

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
  if (ch_body_locks(world, b) == 0) return;
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
  if (!body->soft && spins(s->world, body) && ch_hold_has(&p->hold, b)) {
    left = ch_hold_spin(&p->hold, b);
  } else if (!body->soft && spins(s->world, body)) {
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
}

static ChStatus split_body(Step* p, int b, const double gravity[3]) {
  ChSimulation* s = p->s;
  split_motion(p, b, gravity);
  ChStatus status = CH_OK;
  if (s->world->bodies[b].soft)
    status =
        ch_soft_split(p->context, s, b, p->h, ch_vec(gravity[0], gravity[1], gravity[2]), p->reference, &p->answers[b]);
  if (s->world->bodies[b].soft) {
    const long modes = ch_modes_at(s->world, b);
    p->soft[b] = p->answers[b].M;
    for (int a = 0; a < ch_body_modes(s->world, b); ++a) p->impulse[modes + a] = p->h * s->k[modes + a];
  }
  keep_locks(s->world, b, &s->states[b], p->reference + (long)b * ch_world_width(s->world));
  return status == CH_OK ? check_finite(p, b) : status;
}

static ChStatus split_motions(Step* p) {
  ChSimulation* s = p->s;
  long count = ch_world_numbers(s->world);
  double gravity[3];
  if (!p->reference) p->reference = CH_TAKE(s->scratch, count, double);
  if (!p->impulse) p->impulse = CH_TAKE(s->scratch, count, double);
  if (s->world->mode_count > 0) {
    p->soft = CH_TAKE(s->scratch, s->world->body_count, const double*);
    p->answers = CH_TAKE(s->scratch, s->world->body_count, ChSoftAnswer);
  }
  ch_force_place_explicit(&p->place, s->k);
  ch_force_place_gravity(&p->place, gravity);
  for (int b = 0; b < s->world->body_count; ++b) {
    if (!ch_peers_here(s, b) && !ch_peers_near(s, b)) continue;
    if (s->world->bodies[b].kind != CH_BODY_DYNAMIC) continue;
    ChStatus status = split_body(p, b, gravity);
    if (status != CH_OK) return status;
  }
  return CH_OK;
}

// The same for a deformable body: V+ = V0 + M^-1 impulse.
static void move_free_soft(const Step* p, int b) {
  const ChWorld* world = p->s->world;
  double impulse[CH_SOFT_SIZE_MAX], change[CH_SOFT_SIZE_MAX], v[CH_SOFT_SIZE_MAX];
  ch_soft_gather(world, b, p->impulse, impulse);
  ch_soft_gather(world, b, p->reference, v);
  ch_soft_velocity(world, b, &p->s->states[b], p->soft[b], impulse, change);
  for (int a = 0; a < 6 + ch_body_modes(world, b); ++a) v[a] += change[a];
  ch_soft_scatter(world, b, v, p->s->velocities);
}

// Deformable bodies in islands are linearised about the velocity that they have, and not about the free motion's.
static void add_curvature(Step* p) {
  const ChWorld* world = p->s->world;
  for (int b = 0; b < world->body_count && world->mode_count > 0; ++b) {
    if (!world->bodies[b].soft || p->islands.place[b] < 0) continue;
    const double* c = p->answers[b].curvature;
    for (int a = 0; a < 3; ++a) p->impulse[6L * b + 3 + a] += c[a];
    double* modes = p->impulse + ch_modes_at(world, b);
    for (int a = 0; a < ch_body_modes(world, b); ++a) modes[a] += c[3 + a];
  }
}

static void move_free_bodies(const Step* p) {
  ChSimulation* s = p->s;
  int width = ch_world_width(s->world);
  for (int b = 0; b < s->world->body_count; ++b) {
    if (!ch_peers_here(s, b) || s->world->bodies[b].kind != CH_BODY_DYNAMIC || p->islands.place[b] >= 0) continue;
    if (s->world->bodies[b].soft) {
      move_free_soft(p, b);
      continue;
    }
    double* v = s->velocities + (long)b * width;
    ch_free_velocity(s->world, b, &s->states[b], p->impulse + (long)b * width, v);
    for (int a = 0; a < width; ++a) v[a] += p->reference[(long)b * width + a];
  }
}

// --- contacts

// Leaves out what does not touch.
static void keep_closed(Step* p) {
  ChMoment* m = &p->moment;
  ChGap* closed = CH_TAKE(p->s->scratch, m->gap_count, ChGap);
  int count = 0;
  for (int g = 0; g < m->gap_count; ++g)
    if (m->gaps[g].gap <= TOUCHING) closed[count++] = m->gaps[g];
  m->gaps = closed;
  m->gap_count = count;
}

// n'd >= 0 in v+: n'v+ + a / (1 - a) n'v, v after the free spin.
static void reflect(Step* p) {
  ChSimulation* s = p->s;
  double share = p->a / (1.0 - p->a);
  ChBodyState* spun = CH_TAKE(s->scratch, s->world->body_count, ChBodyState);
  memcpy(spun, s->states, (size_t)s->world->body_count * sizeof *spun);
  for (int b = 0; b < s->world->body_count; ++b) spun[b].omega = ch_along(spun[b].omega, -2.0, s->lag[b]);
  for (int b = 0; b < p->rows.block_count; ++b) {
    int k = p->rows.blocks[b].law.row;
    if (p->rows.blocks[b].gap < 0) continue;
    double modal = ch_soft_row_speed(s, &p->rows, b, 0);
    p->rows.w[k] +=
        share * (ch_row_speed(&p->rows.rows[k], p->rows.blocks[b].body, spun) + modal + p->rows.prescribed[k]);
  }
}

static void build_rows(Step* p) {
  ChSimulation* s = p->s;
  if (s->options.contact == CH_CONTACT_COMPLIANT && !(s->heap.overlap > 0.0))
    s->heap = ch_world_heap(s->scratch, s->world, s->options.overlap > 0.0 ? s->options.overlap : 1e-3, s->options.h);
  ChRowRule rule = row_rule(p);
  rule.bonded = ch_bonds_of(s, &p->moment);
  rule.stretch = ch_shears_of(s, &p->moment);
  ch_rows_build(p->s->scratch, &p->moment, &rule, &p->rows);
  if (p->it->contacts == CH_CONTACTS_REFLECT || p->it->contacts == CH_CONTACTS_ARRIVE) reflect(p);
}

// --- passes

static ChStatus first_pass(Step* p) {
  ChSimulation* s = p->s;
  const ChSimulationOptions* o = &s->options;
  double began = ch_clock_seconds();
  ch_force_place_couple(&p->place);
  ChStatus status = ch_peers_agree(p->context, s, split_motions(p));
  if (status != CH_OK) return status;
  build_rows(p);
  ch_hold_rows(&p->hold, &p->moment, &p->rows);
  if (s->restock) s->info.stored = ch_ledger_stored_before(&p->rows) + ch_shears_stored_before(&p->rows);
  if (s->restock) status = ch_peers_reduce(p->context, s, &s->info.stored, 1, NULL, 0);
  if (status != CH_OK) return status;
  ch_islands_find(s->scratch, s->world, &p->rows, p->place.couplings, p->place.coupling_count, !s->options.islands,
                  s->peers ? s->peers->heap : NULL, &p->islands);
  add_curvature(p);
  p->r = CH_TAKE(s->scratch, p->rows.row_count, double);
  if (o->warm) ch_memory_recall(s, &p->rows, p->moment.gaps, p->h, p->r);
  if (o->warm) ch_bends_recall(&s->bends, p->r, p->rows.row_count);
  p->dynamics = (ChDynamics){.reference = p->reference,
                             .impulse = p->impulse,
                             .soft = p->soft,
                             .couplings = p->place.couplings,
                             .coupling_count = p->place.coupling_count,
                             .stiffness = p->h * p->place.cq,
                             .damping = p->h * p->place.cv};
  p->stage = (ChStage){.moment = &p->moment,
                       .rows = &p->rows,
                       .islands = &p->islands,
                       .dynamics = &p->dynamics,
                       .options = o,
                       .deadline = s->deadline,
                       .haste = &s->haste,
                       .may_rest = o->rest,
                       .trial = s->trial,
                       .unsure = s->memory.unsure,
                       .r = p->r,
                       .velocities = s->velocities};
  p->info->seconds_assemble += ch_clock_seconds() - began;
  began = ch_clock_seconds();
  if (o->rest) ch_rest_recall(s, &p->stage);
  if (s->peers) p->stage.idle = ch_joint_heaps_mark(s, &p->islands);
  status = ch_peers_agree(p->context, s, ch_stage_solve(p->context, s->scratch, &p->stage));
  if (s->peers && status == CH_OK) status = ch_joint_heaps_solve(p->context, s, &p->stage);
  p->info->seconds_solve += ch_clock_seconds() - began;
  if (status != CH_OK) return status;
  move_free_bodies(p);
  return s->peers ? s->peers->give_back(s->peers->self, p->context) : CH_OK;
}

// Whether what acts on a body depends on v+.
static bool is_guessed(const Step* p, int island) {
  const ChIslands* all = &p->islands;
  bool guessed = all->coupling_start[island] < all->coupling_start[island + 1];
  for (int k = all->body_start[island]; k < all->body_start[island + 1]; ++k)
    guessed = guessed || ch_hold_has(&p->hold, all->bodies[k]);
  return guessed;
}

// Islands in which nothing depends on v+ keep what they have, unless all are asked again.
static ChStatus next_pass(Step* p, bool all) {
  ChSimulation* s = p->s;
  ChStage* stage = &p->stage;
  const ChStage last = *stage;
  double began = ch_clock_seconds();
  ch_force_place_find(&p->place);
  ch_force_place_couple(&p->place);
  ChStatus status = split_motions(p);
  if (status != CH_OK) return status;
  ch_hold_rows(&p->hold, &p->moment, &p->rows);
  add_curvature(p);
  unsigned char* idle = CH_TAKE(s->scratch, p->islands.count, unsigned char);
  for (int i = 0; i < p->islands.count; ++i) idle[i] = !all && !is_guessed(p, i);
  stage->idle = idle;
  p->info->seconds_assemble += ch_clock_seconds() - began;
  began = ch_clock_seconds();
  status = ch_stage_solve(p->context, s->scratch, stage);
  p->info->seconds_solve += ch_clock_seconds() - began;
  if (status != CH_OK) return status;
  move_free_bodies(p);
  stage->worst = (ChCertificate){0};
  stage->missed = false;
  for (int i = 0; i < p->islands.count; ++i) {
    if (idle[i]) {
      stage->rests[i] = last.rests[i];
      stage->unsure_next[i] = last.unsure_next[i];
      stage->grades[i] = last.grades[i];
      stage->relaxed[i] = last.relaxed[i];
    }
    stage->worst = ch_certificate_worse(stage->worst, stage->grades[i]);
    if (!ch_certificate_met(&stage->grades[i], s->options.solve.tolerance)) stage->missed = true;
  }
  return CH_OK;
}

// Newton's method on what depends on v+, from the first solve or from another.
static ChStatus settle(Step* p) {
  ChSimulation* s = p->s;
  size_t bytes = (size_t)ch_world_numbers(s->world) * sizeof(double);
  ChStatus status = CH_OK;
  double change = INFINITY;
  const int passes = p->hold.held ? CH_NEWTON_PASSES : p->it->passes;
  const bool guessed = p->place.coupling_count > 0 || p->hold.held;
  for (int pass = 1; pass < passes && status == CH_OK && guessed; ++pass) {
    double before = change;
    change = fmax(ch_force_place_change(&p->place), ch_hold_change(&p->hold));
    if (change <= SETTLED || (change <= NEARLY && change >= 0.5 * before) || ch_step_is_late(s)) break;
    memcpy(p->place.guess, s->velocities, bytes);
    status = next_pass(p, false);
  }
  bool settled = passes == 1 || !guessed || change <= NEARLY;
  p->info->missed |= !settled;
  return status;
}

static ChStatus solve(Step* p) {
  ChSimulation* s = p->s;
  ChStatus status = first_pass(p);
  if (status == CH_OK) status = settle(p);
  if (p->it->contacts != CH_CONTACTS_REFLECT || s->world->mode_count == 0) return status;
  bool* turned = CH_TAKE(s->scratch, p->rows.block_count, bool);
  for (int turn = 0; turn < MOST_TURNS && status == CH_OK && ch_slip_back(s, &p->rows, p->r, turned); ++turn) {
    memcpy(p->place.guess, s->velocities, (size_t)ch_world_numbers(s->world) * sizeof(double));
    status = next_pass(p, true);
    if (status == CH_OK) status = settle(p);
  }
  return status;
}

// Largest change of velocities, relative to the largest.
static double change_since(const ChSimulation* s, const double* last) {
  double change = 0.0, size = 0.0;
  for (long k = 0; k < ch_world_numbers(s->world); ++k) {
    change = ch_max(change, fabs(s->velocities[k] - last[k]));
    size = ch_max(size, fabs(s->velocities[k]) + fabs(last[k]));
  }
  return change > 0.0 ? change / size : change;
}

// What the last pass made of the gaps, in place of what it was asked.
static void show_ends(Step* p, const ChHeldGaps* held) {
  ChGap* gaps = CH_TAKE_RAW(p->s->scratch, p->moment.gap_count + 1, ChGap);
  for (int g = 0; g < p->moment.gap_count; ++g) gaps[g] = p->moment.gaps[g], gaps[g].gap = held->ends[g];
  p->moment.gaps = gaps;
  for (int b = 0; b < p->rows.block_count; ++b) {
    const ChRowBlock* block = &p->rows.blocks[b];
    if (block->gap >= 0) p->rows.value[block->law.row] = gaps[block->gap].gap;
  }
}

// Newton's method on the gaps themselves. Solves are exact to their tolerance, and no pass is closer to another.
static ChStatus hold_gaps(Step* p) {
  ChSimulation* s = p->s;
  if (p->moment.gap_count == 0) return CH_OK;
  const size_t bytes = (size_t)ch_world_numbers(s->world) * sizeof(double);
  const double exact = s->options.solve.tolerance;
  ChGap* seen = CH_TAKE_RAW(s->scratch, p->seen.gap_count + 1, ChGap);
  memcpy(seen, p->seen.gaps, (size_t)p->seen.gap_count * sizeof *seen);
  p->seen.gaps = seen;
  double* last = CH_TAKE_RAW(s->scratch, ch_world_numbers(s->world), double);
  double change = INFINITY, before;
  ChHeldGaps held = ch_held_gaps_open(s, p->h, p->a);
  for (int pass = 0; pass < CH_NEWTON_PASSES && !ch_step_is_late(s); ++pass) {
    memcpy(last, s->velocities, bytes);
    memcpy(p->place.guess, s->velocities, bytes);
    ChStatus status = ch_held_gaps_find(p->context, &held, &p->moment);
    if (status != CH_OK) return status;
    p->info->iterations += p->stage.iterations;
    ch_force_place_find(&p->place);
    status = first_pass(p);
    if (status == CH_OK) status = settle(p);
    if (status != CH_OK) return status;
    before = change;
    change = change_since(s, last);
    if (change <= fmax(SETTLED, 0.01 * exact) || (change <= exact && change >= 0.5 * before)) break;
  }
  p->info->missed |= !(change <= fmax(NEARLY, 10.0 * exact));
  show_ends(p, &held);
  return CH_OK;
}

// --- the new state

static void turn(const ChWorld* world, ChVec3 omega, ChVec3 lag, double h, ChBodyState* state) {
  if (world->dimension == 2) {
    state->angle += h * omega.z;
    state->orientation = ch_quat_about(ch_axis(2), state->angle);
    return;
  }
  ChVec3 by = ch_add(omega, lag);
  if (ch_dot(by, by) > 0.0) state->orientation = ch_turn(state->orientation, by, h);
}

// q+ = q + h d; orientations turn with the midpoint of the free spin
static ChBodyState end_of(const Step* p, int b) {
  const ChSimulation* s = p->s;
  const double a = p->a;
  ChBodyState old = s->states[b], state = old;
  ch_state_write(s->world, s->velocities + (long)b * ch_world_width(s->world), &state);
  ChVec3 velocity = ch_add(ch_scale(a, old.velocity), ch_scale(1.0 - a, state.velocity));
  ChVec3 spun = ch_along(old.omega, -2.0, s->lag[b]);
  ChVec3 omega = ch_add(ch_scale(a, spun), ch_scale(1.0 - a, state.omega));
  state.position = ch_along(state.position, p->h, velocity);
  if (!s->world->bodies[b].soft) turn(s->world, omega, s->lag[b], p->h, &state);
  if (ch_hold_has(&p->hold, b) && s->world->dimension == 2)
    state.orientation = ch_turn_plane(old.orientation, p->h * omega.z);
  return state;
}

// Where bodies will be; deformable ones stay where they are, and driven ones go on as they do.
static ChBodyState* find_end(const Step* p) {
  const ChSimulation* s = p->s;
  ChBodyState* end = ch_states_take(s->scratch, s->world);
  if (s->world->body_count > 0) memcpy(end, s->states, ch_world_state_bytes(s->world));
  for (int b = 0; b < s->world->body_count; ++b) {
    const ChBody* body = &s->world->bodies[b];
    if (body->kind == CH_BODY_DYNAMIC && !body->soft && ch_peers_mine(s, b)) end[b] = end_of(p, b);
    if (body->kind != CH_BODY_KINEMATIC) continue;
    end[b].position = ch_along(end[b].position, p->h, end[b].velocity);
    turn(s->world, end[b].omega, ch_vec(0.0, 0.0, 0.0), p->h, &end[b]);
  }
  return end;
}

static void advance(const Step* p, const ChBodyState* end) {
  ChSimulation* s = p->s;
  for (int b = 0; b < s->world->body_count; ++b) {
    const ChBody* body = &s->world->bodies[b];
    if (!ch_peers_mine(s, b) || body->kind != CH_BODY_DYNAMIC) continue;
    if (body->soft) ch_soft_stretch(s, b, p->h);
    if (body->soft) ch_soft_advance(s, b, p->h);
    s->states[b] = body->soft ? end_of(p, b) : end[b];
  }
}

// Whether the motion that was found is one to keep: nobody passes through anybody, and nobody ends too deep.
static ChStatus look_at_end(Step* p, ChBodyState* end) {
  ChSimulation* s = p->s;
  ChPassing passing = {0};
  double began = ch_clock_seconds(), deepest = 0.0, margin = p->margin + s->widen;
  bool deeper = false, bends = false, moved = ch_passing_is_looked_at(s, end, margin),
       looks = isfinite(p->gap_tolerance);
  ChStatus status = ch_peers_any(p->context, s, &moved);
  if (status == CH_OK && (moved || looks)) status = ch_peers_see(p->context, s, end, p->h);
  if (status == CH_OK && moved)
    status = ch_peers_agree(p->context, s, ch_passing_look(p->context, s, &p->seen, end, p->h, margin, &passing));
  if (status == CH_OK && looks)
    status = ch_end_gaps_look(p->context, s, &p->seen, end, p->h, p->gap_tolerance, &deepest, &deeper, &bends);
  double most[3] = {passing.met, passing.uncovered, deepest};
  if (status == CH_OK) status = ch_peers_reduce(p->context, s, NULL, 0, most, 3);
  passing = (ChPassing){.met = most[0] > 0.0, .uncovered = most[1]};
  deepest = most[2];
  p->info->seconds_collide += ch_clock_seconds() - began;
  if (status != CH_OK) return status;
  p->info->uncovered = passing.uncovered;
  if (bends) ch_bends_keep_reactions(&s->bends, p->r, p->rows.row_count);
  if ((passing.met && s->trial.parts) || (deeper && s->trial.gaps) || bends) return CH_MAX_ITER;
  p->info->penetration = fmax(p->info->penetration, deepest);
  return CH_OK;
}

// `deepest`: of the pair of shapes so far; gaps of a pair follow each other, and all have the same radius.
static void note_overlap(const Step* p, const ChGap* gap, const ChGap** deepest) {
  const ChGap* last = *deepest;
  if (!(gap->gap < 0.0)) return;
  if (last && last->shape[0] == gap->shape[0] && last->shape[1] == gap->shape[1] && gap->gap >= last->gap) return;
  *deepest = gap;
  double radius = ch_smaller_radius(&p->moment, gap);
  if (radius > 0.0 && -gap->gap > p->info->overlap * radius) p->info->overlap = -gap->gap / radius;
}

static ChStatus measure(const Step* p) {
  ChStepInfo* info = p->info;
  const ChGap* deepest = NULL;
  for (int b = 0; b < p->rows.block_count; ++b) {
    const ChRowBlock* block = &p->rows.blocks[b];
    for (int a = 0; a < block->law.dimension; ++a) {
      double value = p->rows.value[block->law.row + a];
      if (ch_law_info(block->law.law)->equation && fabs(value) > info->joint_error) info->joint_error = fabs(value);
      if (block->gap >= 0 && -value > info->penetration) info->penetration = -value;
    }
    if (block->gap >= 0) note_overlap(p, &p->moment.gaps[block->gap], &deepest);
  }
  info->deferred = p->rows.deferred;
  info->locked = p->rows.locked;
  info->locked_overlap = p->rows.locked_overlap;
  for (int i = 0; i < p->islands.count; ++i) info->relaxed = fmax(info->relaxed, p->h * p->stage.relaxed[i]);
  info->contacts = p->moment.gap_count;
  info->islands = p->islands.count + ch_joint_heaps_counted(p->s, &p->stage);
  for (int i = 0; i < p->islands.count; ++i) info->resting += p->stage.rests[i];
  info->certificate = ch_certificate_worse(info->certificate, p->stage.worst);
  info->iterations += p->stage.iterations;
  info->missed |= p->stage.missed;
  double spent = p->stage.spent;
  ChStatus status = ch_peers_measure(p->context, p->s, &spent, info);
  p->s->spent += spent;
  return status;
}

// The end of the step is looked at, too, and with the same collider: then the list is our own.
static void keep_gaps(Step* p) {
  ChMoment* m = &p->moment;
  p->gap_tolerance = ch_end_gap_tolerance(p->s, p->margin);
  p->s->bends.applied = false;
  if (!p->s->peers && (!isfinite(p->gap_tolerance) || m->gap_count == 0)) return;  // with peers all do the same
  ChGap* own = CH_TAKE_RAW(p->s->scratch, m->gap_count + 1, ChGap);
  if (m->gap_count > 0) memcpy(own, m->gaps, (size_t)m->gap_count * sizeof *own);
  ch_bends_apply(&p->s->bends, p->h, own, m->gap_count);
  m->gaps = own;
}

// Contacts that several processes looked for come together by islands.
static ChStatus unite(Step* p) {
  ChSimulation* s = p->s;
  p->seen = p->moment;
  return s->peers ? s->peers->unite(s->peers->self, p->context, &p->moment) : CH_OK;
}

// A second try of the same step sees what the first one saw.
static ChStatus find_gaps(Step* p, const ChBodyState* states) {
  ChSimulation* s = p->s;
  if (!ch_bends_has_gaps(&s->bends, p->h))
    return ch_simulation_gaps(p->context, s, states, p->h, &p->moment.gaps, &p->moment.gap_count);
  p->moment.gaps = s->bends.gaps;
  p->moment.gap_count = s->bends.gap_count;
  return CH_OK;
}

// Gaps where rows are built; shocks first, where the integrator has them.
static ChStatus look(Step* p) {
  ChSimulation* s = p->s;
  double began = ch_clock_seconds();
  bool ahead = p->it->forces == CH_FORCES_PREDICTOR;
  if (ahead) ch_force_place_find(&p->place);
  const ChBodyState* states = ahead ? p->place.states : ch_contact_states(s, p->h);
  p->moment = (ChMoment){.world = s->world, .states = states, .time = s->time, .end = p->info->time};
  if (s->peers) p->moment.joint_here = s->peers->joint_here;
  ChStatus status = ch_peers_see(p->context, s, NULL, p->h);
  if (status == CH_OK) status = ch_peers_agree(p->context, s, find_gaps(p, states));
  p->info->seconds_collide += ch_clock_seconds() - began;
  if (status != CH_OK) return status;
  if (s->trial.parts) ch_passing_leave_out(s, &p->moment, p->h, p->margin);
  bool far = s->trial.nears && ch_passing_is_far(&p->moment, p->margin);
  double count = p->moment.gap_count, is_far = far;
  status = ch_peers_reduce(p->context, s, &count, 1, &is_far, 1);
  if (status == CH_OK && is_far > 0.0) return CH_MAX_ITER;
  keep_gaps(p);
  ch_trial_settle(s, (int)count, isfinite(p->gap_tolerance));
  if (status == CH_OK) status = unite(p);
  if (status != CH_OK || !p->it->impacts || s->peers) return status;  // with peers nothing bounces: dist/refuse.c
  status = ch_impacts_resolve(p->context, s, &p->moment, p->h, p->info);
  if (status == CH_OK && ch_step_is_rejected(s, p->info)) return CH_MAX_ITER;
  for (int b = 0; b < s->world->body_count && ahead; ++b) {
    p->place.states[b].velocity = s->states[b].velocity;
    p->place.states[b].omega = s->states[b].omega;
    if (s->world->bodies[b].soft)
      memcpy(ch_state_rates(s->world, p->place.states, b), ch_state_rates(s->world, s->states, b),
             (size_t)ch_body_modes(s->world, b) * sizeof(double));
  }
  if (p->info->impacts > 0 && s->ahead) ch_contact_states(s, p->h);
  return status;
}

ChStatus ch_step_make(ChContext* context, ChSimulation* s, double h, double* half_step, ChStepInfo* info) {
  CH_ASSERT(h > 0.0 && s->scratch && s->world->sealed);
  const ChIntegrator* it = ch_integrator_find(s->options.integrator);
  CH_ASSERT(it);
  Step p = {.context = context, .s = s, .it = it, .h = h, .margin = ch_step_margin(s), .info = info};
  p.a = ch_integrator_weight(it, &s->options);
  ch_kinematic_velocities(s, info->time, h);
  p.place = ch_force_place(s, it->forces, h, p.a);
  p.place.symmetric = it->composed;
  p.hold = ch_hold_open(s, it, h, p.a, p.place.guess);
  ChStatus status = look(&p);
  if (status != CH_OK) return status;
  if (it->contacts == CH_CONTACTS_CLOSED || it->contacts == CH_CONTACTS_REFLECT) keep_closed(&p);
  if (it->forces != CH_FORCES_PREDICTOR) ch_force_place_find(&p.place);
  status = solve(&p);
  if (status == CH_OK && it->nonlinear) status = hold_gaps(&p);
  if (status != CH_OK) return status;
  s->solved = ch_clock_seconds();
  status = measure(&p);
  bool stopped = ch_step_is_stopped(s);
  if (status == CH_OK) status = ch_peers_any(context, s, &stopped);
  if (status != CH_OK) return status;
  if (stopped) return CH_STOPPED;
  if (ch_step_is_rejected(s, info)) return CH_MAX_ITER;
  ChBodyState* end = find_end(&p);
  status = look_at_end(&p, end);
  if (status != CH_OK) return status;
  *half_step = (1.0 - 2.0 * p.a) * ch_ledger_half_step(s, h) - ch_ledger_bends(&p.moment, &p.rows, p.r, h);
  if (ch_force_place_sum(&p.place, true, s->k)) info->work += ch_ledger_applied(s, s->k, h);
  info->work += ch_ledger_rows(s, &p.moment, &p.rows, p.r, info->impacts == 0 ? s->before : s->states);
  info->work += ch_driven_damping(&p.place);
  info->heat = ch_soft_heat(s, h);
  status = ch_peers_agree(context, s, ch_step_remember(context, s, &p.stage, h));
  if (status != CH_OK) return status;
  info->stored = ch_ledger_stored_after(s, &p.rows, h) + ch_shears_stored_after(s, &p.rows);
  info->work += ch_driven_stored_ahead(&p.place) - ch_driven_stored(s);
  advance(&p, end);
  info->work -= ch_driven_stored_ahead(&p.place);
  ch_kinematic_arrive(s, info->time, h);
  info->work += ch_driven_stored(s);
  if (!s->peers) return CH_OK;
  double sums[3] = {info->work, info->stored, *half_step};
  status = s->peers->settle(s->peers->self, context);
  if (status == CH_OK) status = ch_peers_reduce(context, s, sums, 3, NULL, 0);
  info->work = sums[0], info->stored = sums[1], *half_step = sums[2];
  return status;
}
