// Collisions with restitution, before the step itself (000 section 2.B; 004 section 5.2.3, footnote).
//
// A contact takes part when it closes within the step: gap + h u_n < 0 with the velocity at hand. Touching contacts and
// joints share the shock; contacts further apart do not, however near. Velocities change at once, with h = 0:
//
//   newton    M (v+ - v) = H r,   u_n+ + e u_n- >= 0 _|_ r_n >= 0 at closing contacts, u_n+ >= 0 at touching ones,
//   Coulomb's law poisson   compression with e = 0 gives r_c; decompression adds e r_c along the normals and solves
//   once more
//
// A shock may set others off (balls in a row, a hair apart): the search is repeated until nothing closes that bounces.
#include <math.h>

#include "step/state.h"

enum { MOST_SHOCKS = 200 };
#define TOUCHING 1e-9  // metres

typedef struct Shock {
  ChSimulation* s;
  ChMoment moment;
  ChRows rows;
  ChIslands islands;
  double* bounce;  // e u_n- of each block, 0 where it does not close
  double* restitution;
} Shock;

static double closing_speed(const ChSimulation* s, const ChGap* g) {
  ChVec3 v[2];
  for (int side = 0; side < 2; ++side) {
    const ChBodyState* state = &s->states[g->body[side]];
    ChVec3 spin = ch_rotate(state->orientation, state->omega);
    v[side] = ch_add(state->velocity, ch_cross(spin, ch_sub(g->point, state->position)));
  }
  return ch_dot(g->normal, ch_sub(v[1], v[0]));
}

static bool closes(const ChSimulation* s, const ChGap* g, double h) {
  double speed = closing_speed(s, g);
  return speed < 0.0 && g->gap + h * speed < 0.0;
}

static bool bounces(const ChSimulation* s, const ChGap* g) {
  return ch_world_surface(s->world, g->shape[0], g->shape[1]).restitution > 0.0;
}

// Contacts that take part; false when none of them bounces.
static bool gather(ChArena* arena, const ChSimulation* s, const ChGap* gaps, int count, double h, ChMoment* moment) {
  bool any = false;
  ChGap* taken = CH_TAKE(arena, count, ChGap);
  *moment = (ChMoment){.world = s->world, .states = s->states, .time = s->time, .gaps = taken};
  for (int g = 0; g < count; ++g) {
    bool closing = closes(s, &gaps[g], h);
    // an approach slower than round-off of a resting contact is no collision
    if (closing && bounces(s, &gaps[g]) && closing_speed(s, &gaps[g]) < -1e-10) any = true;
    if (closing || gaps[g].gap <= TOUCHING) taken[moment->gap_count++] = gaps[g];
  }
  return any;
}

static void prepare(ChArena* arena, Shock* k, double h) {
  ChSimulation* s = k->s;
  ch_rows_build(arena, &k->moment, &(ChRowRule){.h = 0.0}, &k->rows);
  ch_islands_find(arena, s->world, &k->rows, NULL, 0, &k->islands);
  k->bounce = CH_TAKE(arena, k->rows.block_count, double);
  k->restitution = CH_TAKE(arena, k->rows.block_count, double);
  for (int b = 0; b < k->rows.block_count; ++b) {
    int g = k->rows.blocks[b].gap;
    if (g < 0 || !closes(s, &k->moment.gaps[g], h)) continue;
    const int* shape = k->moment.gaps[g].shape;
    k->restitution[b] = ch_world_surface(s->world, shape[0], shape[1]).restitution;
    k->bounce[b] = k->restitution[b] * closing_speed(s, &k->moment.gaps[g]);
  }
}

static void read_momenta(const ChSimulation* s, double* momentum) {
  int width = ch_world_width(s->world);
  for (int b = 0; b < s->world->body_count; ++b) {
    double M[36], v[6];
    ch_body_mass(s->world, b, M);
    ch_state_read(s->world, &s->states[b], v);
    for (int a = 0; a < width; ++a) {
      momentum[(long)b * width + a] = 0.0;
      for (int c = 0; c < width; ++c) momentum[(long)b * width + a] += M[a * width + c] * v[c];
    }
  }
}

// Solves with the momenta at hand and writes the new velocities into the states.
static ChStatus solve(ChContext* context, ChArena* arena, Shock* k, double* momentum, double* r, ChStepInfo* info) {
  ChSimulation* s = k->s;
  int width = ch_world_width(s->world);
  ChDynamics dynamics = {.momentum = momentum};
  ChStage stage = {.moment = &k->moment,
                   .rows = &k->rows,
                   .islands = &k->islands,
                   .dynamics = &dynamics,
                   .options = &s->options,
                   .r = r,
                   .velocities = s->velocities};
  ChStatus status = ch_stage_solve(context, arena, &stage);
  if (status != CH_OK) return status;
  for (int k_body = 0; k_body < k->islands.body_start[k->islands.count]; ++k_body) {
    int b = k->islands.bodies[k_body];
    ch_state_write(s->world, s->velocities + (long)b * width, &s->states[b]);
  }
  info->certificate = ch_certificate_worse(info->certificate, stage.worst);
  info->iterations += stage.iterations;
  info->missed |= stage.missed;
  return CH_OK;
}

static ChStatus newton(ChContext* context, ChArena* arena, Shock* k, double* r, ChStepInfo* info) {
  double* momentum = k->s->momentum;
  read_momenta(k->s, momentum);
  for (int b = 0; b < k->rows.block_count; ++b) k->rows.w[k->rows.blocks[b].law.row] += k->bounce[b];
  return solve(context, arena, k, momentum, r, info);
}

// Adds e r_c along the normals to the momenta.
static void add_restitution(const Shock* k, const double* r, double* momentum) {
  const ChWorld* world = k->s->world;
  int width = ch_world_width(world);
  for (int b = 0; b < k->rows.block_count; ++b) {
    const ChRowBlock* block = &k->rows.blocks[b];
    double impulse = k->restitution[b] * r[block->law.row];
    const ChRow* row = &k->rows.rows[block->law.row];
    for (int side = 0; side < 2 && impulse > 0.0; ++side) {
      if (block->body[side] < 0) continue;
      double* m = momentum + (long)block->body[side] * width;
      ChVec3 f = row->force[side], t = row->torque[side];
      double parts[6] = {f.x, f.y, width == 3 ? t.z : f.z, t.x, t.y, t.z};
      for (int a = 0; a < width; ++a) m[a] += impulse * parts[a];
    }
  }
}

static ChStatus poisson(ChContext* context, ChArena* arena, Shock* k, double* r, ChStepInfo* info) {
  double* momentum = k->s->momentum;
  read_momenta(k->s, momentum);
  ChStatus status = solve(context, arena, k, momentum, r, info);
  if (status != CH_OK) return status;
  read_momenta(k->s, momentum);
  add_restitution(k, r, momentum);
  double* second = CH_TAKE(arena, k->rows.row_count, double);
  return solve(context, arena, k, momentum, second, info);
}

ChStatus ch_impacts_resolve(ChContext* context, ChSimulation* s, const ChGap* gaps, int count, double h,
                            ChStepInfo* info) {
  ChStatus status = CH_OK;
  for (int shock = 0; shock < MOST_SHOCKS && status == CH_OK; ++shock) {
    ChArenaMark mark = ch_arena_mark(s->scratch);
    Shock k = {.s = s};
    bool any = gather(s->scratch, s, gaps, count, h, &k.moment);
    if (any) {
      prepare(s->scratch, &k, h);
      double* r = CH_TAKE(s->scratch, k.rows.row_count, double);
      status = (s->options.restitution == CH_RESTITUTION_NEWTON ? newton : poisson)(context, s->scratch, &k, r, info);
    }
    ch_arena_release(s->scratch, mark);
    if (!any) break;
  }
  return status;
}
