// See driven.h.
#include "step/driven.h"
#include "step/states.h"

// A force with nothing of the world but its ends.
typedef struct Tie {
  ChForce force;
  ChBodyState ends[2];
  bool driven[2];
} Tie;

static bool is_driven(const ChWorld* world, int body) {
  return body >= 0 && world->bodies[body].kind == CH_BODY_KINEMATIC;
}

static bool has_driven_end(const ChWorld* world, const ChForce* force) {
  bool ties = force->def.type == CH_FORCE_SPRING || force->def.type == CH_FORCE_TORSION;
  return ties && (is_driven(world, force->body[0]) || is_driven(world, force->body[1]));
}

static Tie tie_of(const ChWorld* world, const ChForce* force, const ChBodyState* free, const ChBodyState* driven) {
  Tie tie = {.force = *force};
  for (int side = 0; side < 2; ++side) {
    int body = force->body[side];
    if (body < 0) continue;
    tie.driven[side] = is_driven(world, body);
    tie.ends[side] = tie.driven[side] ? driven[body] : free[body];
    tie.force.body[side] = side;
  }
  return tie;
}

static double stored_with(const ChSimulation* s, const ChBodyState* driven) {
  const ChWorld* world = s->world;
  double sum = 0.0;
  for (int f = 0; f < world->force_count; ++f) {
    if (!has_driven_end(world, &world->forces[f])) continue;
    Tie tie = tie_of(world, &world->forces[f], s->states, driven);
    sum += ch_force_stored(world, &tie.force, tie.ends);
  }
  return sum;
}

double ch_driven_stored(const ChSimulation* s) { return stored_with(s, s->states); }

double ch_driven_stored_ahead(const ChForcePlace* place) {
  double there = stored_with(place->s, place->states);
  return place->rule == CH_FORCES_TRAPEZOID ? 0.5 * (there + ch_driven_stored(place->s)) : there;
}

// Free ends move with this share of the new velocity and the rest of the old.
static void mix_velocity(const ChSimulation* s, int body, double share, ChBodyState* end) {
  int width = ch_world_width(s->world);
  const double* next = s->velocities + (long)body * width;
  double v[6];
  ch_state_read(s->world, &s->states[body], v);
  for (int a = 0; a < width; ++a) v[a] = (1.0 - share) * v[a] + share * next[a];
  ch_state_write(s->world, v, end);
}

static double power(const ChSimulation* s, const ChForce* force, const ChBodyState* states, double share) {
  Tie tie = tie_of(s->world, force, states, states);
  double sum = 0.0;
  for (int side = 0; side < 2; ++side)
    if (ch_body_is_dynamic(s->world, force->body[side])) mix_velocity(s, force->body[side], share, &tie.ends[side]);
  for (int side = 0; side < 2; ++side)
    if (tie.driven[side]) sum += ch_force_damper_power(s->world, &tie.force, tie.ends, side);
  return sum;
}

double ch_driven_damping(const ChForcePlace* place) {
  const ChSimulation* s = place->s;
  double sum = 0.0;
  for (int f = 0; f < s->world->force_count; ++f) {
    const ChForce* force = &s->world->forces[f];
    if (!has_driven_end(s->world, force) || force->def.damping == 0.0) continue;
    if (place->rule == CH_FORCES_TRAPEZOID)
      sum += 0.5 * (power(s, force, s->states, 0.0) + power(s, force, place->states, 1.0));
    else
      sum += power(s, force, place->states, place->cv);
  }
  return place->h * sum;
}
