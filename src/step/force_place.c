// See force_place.h.
#include "step/force_place.h"

#include <math.h>
#include <string.h>

#include "assemble/soft_body.h"
#include "base/check.h"
#include "step/rotation.h"
#include "step/states.h"

ChForcePlace ch_force_place(ChSimulation* s, ChForceRule rule, double h, double a) {
  ChForcePlace p = {.s = s, .rule = rule, .h = h, .a = a, .states = s->states};
  int width = ch_world_width(s->world);
  p.couplings = CH_TAKE(s->scratch, s->world->force_count, ChForceCoupling);
  if (rule == CH_FORCES_START) return p;
  p.guess = CH_TAKE(s->scratch, ch_world_numbers(s->world), double);
  p.states = ch_states_take(s->scratch, s->world);
  for (int b = 0; b < s->world->body_count; ++b) {
    ch_state_read(s->world, &s->states[b], p.guess + (long)b * width);
    if (s->world->bodies[b].soft)
      memcpy(p.guess + ch_modes_at(s->world, b), ch_state_rates(s->world, s->states, b),
             (size_t)ch_body_modes(s->world, b) * sizeof(double));
  }
  return p;
}

// A share of the old velocity v and one of the guess vj.
typedef struct Mix {
  double old, new;
} Mix;

// Amplitudes and rates of a deformable body by the same mixes.
static void move_modes(const ChForcePlace* p, Mix shift, Mix speed, int body) {
  const ChSimulation* s = p->s;
  const double *q = ch_state_modes(s->world, s->states, body), *qd = ch_state_rates(s->world, s->states, body);
  const double* guess = p->guess + ch_modes_at(s->world, body);
  double *to = ch_state_modes(s->world, p->states, body), *rates = ch_state_rates(s->world, p->states, body);
  for (int a = 0; a < ch_body_modes(s->world, body); ++a) {
    to[a] = q[a] + p->h * (shift.old * qd[a] + shift.new* guess[a]);
    rates[a] = speed.old * qd[a] + speed.new* guess[a];
  }
}

// States after h times one mix; their velocities are another.
static void move_states(const ChForcePlace* p, Mix shift, Mix speed) {
  ChSimulation* s = p->s;
  int width = ch_world_width(s->world);
  for (int b = 0; b < s->world->body_count; ++b) {
    ChBodyState *to = &p->states[b], by;
    double v[6], x[6], y[6];
    *to = by = s->states[b];
    if (s->world->bodies[b].soft) move_modes(p, shift, speed, b);
    if (s->world->bodies[b].kind == CH_BODY_FIXED) continue;
    ch_state_read(s->world, to, v);
    const double* vj = s->world->bodies[b].kind == CH_BODY_DYNAMIC ? p->guess + (long)b * width : v;
    for (int k = 0; k < width; ++k) {
      x[k] = shift.old * v[k] + shift.new* vj[k];
      y[k] = speed.old * v[k] + speed.new* vj[k];
    }
    ch_state_write(s->world, x, &by);
    ch_state_write(s->world, y, to);
    to->position = ch_along(to->position, p->h, by.velocity);
    to->angle += s->world->dimension == 2 ? p->h * by.omega.z : 0.0;
    if (p->symmetric && s->world->dimension == 3) {
      ChQuat from = to->orientation, end = ch_turn(from, by.omega, 2.0 * p->h);
      to->orientation = ch_quat_unit((ChQuat){from.w + end.w, from.x + end.x, from.y + end.y, from.z + end.z});
      continue;
    }
    to->orientation =
        s->world->dimension == 2 ? ch_quat_about(ch_axis(2), to->angle) : ch_turn(to->orientation, by.omega, p->h);
  }
}

void ch_force_place_find(ChForcePlace* p) {
  double a = p->a, h = p->h, t = p->s->time;
  switch (p->rule) {
    case CH_FORCES_START:
      p->cq = h;
      p->cv = 1.0;
      p->when = t;
      break;
    case CH_FORCES_PREDICTOR:
      p->cq = 0.25 * h;
      p->cv = 0.5;
      p->when = t + 0.5 * h;
      move_states(p, (Mix){0.25, 0.0}, (Mix){1.0, 0.0});
      break;
    case CH_FORCES_MIDPOINT:
      p->cq = a * (1.0 - a) * h;
      p->cv = 1.0 - a;
      p->when = t + a * h;
      move_states(p, (Mix){a * a, a * (1.0 - a)}, (Mix){a, 1.0 - a});
      break;
    case CH_FORCES_TRAPEZOID:
      p->cq = 0.5 * (1.0 - a) * h;
      p->cv = 0.5;
      p->when = t + h;
      move_states(p, (Mix){a, 1.0 - a}, (Mix){0.0, 1.0});
      break;
  }
}

void ch_force_place_couple(ChForcePlace* p) {
  const ChWorld* world = p->s->world;
  p->coupling_count = 0;
  for (int f = 0; f < world->force_count; ++f)
    if (ch_force_implicit(world, f, p->states, p->when, &p->couplings[p->coupling_count])) ++p->coupling_count;
}

static bool some_forces(const ChWorld* world, bool applied, const ChBodyState* states, double t, double* k) {
  if (applied) return ch_forces_applied(world, states, t, k);
  ch_forces_evaluate(world, states, t, k);
  return true;
}

bool ch_force_place_sum(const ChForcePlace* p, bool applied, double* k) {
  const ChSimulation* s = p->s;
  if (!some_forces(s->world, applied, p->states, p->when, k)) return false;
  if (p->rule != CH_FORCES_TRAPEZOID) return true;
  long count = ch_world_numbers(s->world);
  double* start = CH_TAKE(s->scratch, count, double);
  some_forces(s->world, applied, s->states, s->time, start);
  for (long j = 0; j < count; ++j) k[j] = 0.5 * (k[j] + start[j]);
  return true;
}

void ch_force_place_gravity(const ChForcePlace* p, double gravity[3]) {
  for (int a = 0; a < 3; ++a) {
    const ChSignal* signal = &p->s->world->gravity[a];
    gravity[a] = ch_signal_value(signal, p->when);
    if (p->rule == CH_FORCES_TRAPEZOID) gravity[a] = 0.5 * (gravity[a] + ch_signal_value(signal, p->s->time));
  }
}

// At the start and at the predictor positions are those of vj = 0, velocities those of v.
static void subtract_coupling(const ChForcePlace* p, const ChForceCoupling* f, double* k) {
  int width = ch_world_width(p->s->world);
  bool guessed = p->rule == CH_FORCES_MIDPOINT || p->rule == CH_FORCES_TRAPEZOID;
  for (int j = 0; j < 2; ++j) {
    if (f->body[j] < 0) continue;
    double v[6];
    if (guessed)
      memcpy(v, p->guess + (long)f->body[j] * width, (size_t)width * sizeof *v);
    else
      ch_state_read(p->s->world, &p->s->states[f->body[j]], v);
    for (int i = 0; i < 2; ++i)
      for (int a = 0; a < width && f->body[i] >= 0; ++a)
        for (int b = 0; b < width; ++b) {
          double slope = p->cv * f->dkdv[i][j][a * width + b];
          if (guessed) slope += p->cq * f->dkdq[i][j][a * width + b];
          k[(long)f->body[i] * width + a] -= slope * v[b];
        }
  }
}

void ch_force_place_explicit(const ChForcePlace* p, double* k) {
  ch_force_place_sum(p, false, k);
  for (int c = 0; c < p->coupling_count; ++c) subtract_coupling(p, &p->couplings[c], k);
}

double ch_force_place_change(const ChForcePlace* p) {
  int width = ch_world_width(p->s->world);
  double change = 0.0, size = 0.0;
  for (int c = 0; c < p->coupling_count; ++c)
    for (int side = 0; side < 2; ++side) {
      long first = (long)p->couplings[c].body[side] * width;
      for (long k = first; k < first + width && first >= 0; ++k) {
        change = ch_max(change, fabs(p->s->velocities[k] - p->guess[k]));
        size = ch_max(size, fabs(p->s->velocities[k]) + fabs(p->guess[k]));
      }
    }
  return change > 0.0 ? change / size : change;
}
