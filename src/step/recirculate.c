// See recirculate.h. Places at the inlet are Halton's sequence (1960) in bases 2 and 3: they fill it evenly, and their
// number is all that a checkpoint needs. What is near the inlet is listed once a step; each body that comes back joins
// the list.
#include "step/recirculate.h"

#include <math.h>
#include <setjmp.h>

#include "base/check.h"
#include "model/forces.h"
#include "step/in_step.h"

#define APART 1.01  // times the sum of both radii

enum { PLACES_MOST = 64 };  // that are tried for a body in one step

typedef struct Ball {
  ChVec3 at;
  double radius;
} Ball;

typedef struct Inlet {
  const ChWorld* world;
  const ChRecirculation* r;
  int up;
  bool* tied;  // bodies with joints; NULL: there are none
  int low_count, near_count;
  int* low;  // bodies that come back
  Ball* near;
} Inlet;

static double halton(long k, int base) {
  double sum = 0.0, share = 1.0;
  for (; k > 0; k /= base) {
    share /= base;
    sum += share * (double)(k % base);
  }
  return sum;
}

// The k-th place at the inlet.
static ChVec3 place(const Inlet* inlet, long k) {
  const ChRecirculation* r = inlet->r;
  double u = halton(k, 2), v = halton(k, 3);
  if (inlet->world->dimension == 2) return ch_vec(r->at.x + r->radius * (2.0 * u - 1.0), r->at.y, 0.0);
  double from_middle = r->radius * sqrt(u), angle = 2.0 * M_PI * v;
  return ch_vec(r->at.x + from_middle * cos(angle), r->at.y + from_middle * sin(angle), r->at.z);
}

static bool is_low(const Inlet* inlet, const ChBodyState* states, int b) {
  return ch_component(states[b].position, inlet->up) < inlet->r->below && ch_world_moves(inlet->world, b) &&
         !inlet->world->bodies[b].soft && !(inlet->tied && inlet->tied[b]);
}

// Returns whether any body comes back; the lists are in the arena.
static bool list_bodies(ChArena* arena, Inlet* inlet, const ChBodyState* states) {
  const ChWorld* world = inlet->world;
  double widest = 0.0;
  for (int b = 0; b < world->body_count; ++b) inlet->low_count += is_low(inlet, states, b);
  if (inlet->low_count == 0) return false;
  inlet->low = CH_TAKE_RAW(arena, inlet->low_count, int);
  inlet->low_count = 0;
  for (int b = 0; b < world->body_count; ++b) {
    if (!is_low(inlet, states, b)) continue;
    inlet->low[inlet->low_count++] = b;
    widest = fmax(widest, ch_world_reach(world, b));
  }
  inlet->near = CH_TAKE_RAW(arena, world->body_count, Ball);
  for (int b = 0; b < world->body_count; ++b) {
    if (!ch_world_moves(world, b) || is_low(inlet, states, b)) continue;
    Ball ball = {states[b].position, ch_world_reach(world, b)};
    double away = fabs(ch_component(ball.at, inlet->up) - ch_component(inlet->r->at, inlet->up));
    if (away <= APART * (ball.radius + widest)) inlet->near[inlet->near_count++] = ball;
  }
  return true;
}

static bool has_room(const Inlet* inlet, ChVec3 at, double radius) {
  for (int k = 0; k < inlet->near_count; ++k)
    if (ch_norm(ch_sub(at, inlet->near[k].at)) < APART * (radius + inlet->near[k].radius)) return false;
  return true;
}

// Returns whether there was a place for it.
static bool put_back(ChSimulation* s, Inlet* inlet, int body) {
  const double radius = ch_world_reach(inlet->world, body);
  for (int k = 0; k < PLACES_MOST; ++k) {
    ChVec3 at = place(inlet, ++s->inlet_places);
    if (!has_room(inlet, at, radius)) continue;
    inlet->near[inlet->near_count++] = (Ball){at, radius};
    s->states[body].position = at;
    s->states[body].velocity = s->states[body].omega = ch_vec(0.0, 0.0, 0.0);
    return true;
  }
  return false;
}

static bool* list_tied(ChArena* arena, const ChWorld* world) {
  if (world->joint_count == 0) return NULL;
  bool* tied = CH_TAKE(arena, world->body_count, bool);
  for (int j = 0; j < world->joint_count; ++j)
    for (int side = 0; side < 2; ++side)
      if (world->joints[j].body[side] >= 0) tied[world->joints[j].body[side]] = true;
  return tied;
}

// Springs of the contacts that a body leaves behind are measured anew (restock).
static void settle(ChSimulation* s, double energy, ChStepInfo* info) {
  info->kinetic = ch_kinetic_energy(s->world, s->states);
  info->potential = ch_forces_potential(s->world, s->states, info->time) + info->stored;
  info->work += info->kinetic + info->potential - energy;
  ch_momenta(s->world, s->states, &info->momentum, &info->angular_momentum);
  s->recirculated += info->recirculated;
  s->restock = true;
  s->still = s->rest.filled = false;
}

void ch_recirculate(ChSimulation* s, ChStepInfo* info) {
  const ChWorld* world = s->world;
  info->recirculated = 0;
  if (!(world->recirculation.radius > 0.0)) return;
  jmp_buf landing;
  if (setjmp(landing)) {
    ch_arena_set_landing(s->scratch, NULL);
    return;
  }
  ChArena* arena = s->scratch;
  ch_arena_set_landing(arena, &landing);
  Inlet inlet = {.world = world, .r = &world->recirculation, .up = world->dimension - 1};
  inlet.tied = list_tied(arena, world);
  const bool any = list_bodies(arena, &inlet, s->states);
  ch_arena_set_landing(arena, NULL);
  const double energy = info->kinetic + info->potential;
  for (int k = 0; any && k < inlet.low_count; ++k) {
    if (!put_back(s, &inlet, inlet.low[k])) break;
    ++info->recirculated;
  }
  if (info->recirculated > 0) settle(s, energy, info);
}

long ch_simulation_recirculated(const ChSimulation* s) { return s->recirculated; }
