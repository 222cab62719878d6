// Collisions with restitution, before the step itself (000 section 2.B; 004 section 5.2.3, footnote).
//
// A contact takes part when it closes within the step: gap + h u_n < 0 with the velocity at hand. Touching contacts and
// joints share the shock; contacts further apart do not, however near, and islands in which nothing bounces are left
// alone. Velocities change at once:
//
//   newton    M (v+ - v) = H r,   u_n+ + e u_n- >= 0 _|_ r_n >= 0 at closing contacts, u_n+ >= 0 at touching ones,
//             Coulomb's law
//   poisson   compression with e = 0 gives r_c; decompression adds e r_c along the normals and solves once more
//
// A shock may set others off (balls in a row, a hair apart): the search is repeated until nothing closes that bounces,
// or until the step's time is up: what closes then is stopped by the step itself and does not bounce.
#include <math.h>
#include <string.h>

#include "assemble/soft_body.h"
#include "base/check.h"
#include "cardhouse/clock.h"
#include "step/impact.h"
#include "step/in_step.h"
#include "step/ledger.h"
#include "step/soft_step.h"
#include "step/states.h"

enum { MOST_SHOCKS = 200 };
#define TOUCHING 1e-9    // metres
#define SLOWEST 1e-10    // metres a second: an approach below this is round-off of a resting contact
#define LEAST_SHARE 0.1  // of a restitution that gains energy; with less it is left out

typedef struct Shock {
  ChSimulation* s;
  const ChMoment* all;  // the step's own, every gap of it
  double h;
  double slowest;  // approach that still counts as a collision
  ChMoment moment;
  ChRows rows;
  ChIslands islands;
  unsigned char* idle;  // islands in which nothing bounces
  double* bounce;       // e u_n- of each block, 0 where it does not close
  double* restitution;
} Shock;

static double closing_speed(const Shock* k, const ChGap* g) {
  const ChSimulation* s = k->s;
  ChVec3 v[2];
  for (int side = 0; side < 2; ++side) {
    const ChBodyState* state = &s->states[g->body[side]];
    ChVec3 spin = ch_rotate(state->orientation, state->omega);
    v[side] = ch_add(state->velocity, ch_cross(spin, ch_sub(ch_gap_point(g, side), state->position)));
  }
  double speed = ch_dot(g->normal, ch_sub(v[1], v[0]));
  return s->world->mode_count == 0 ? speed : speed + ch_soft_closing(s, k->all->states, g);
}

static bool closes(const Shock* k, const ChGap* g) {
  double speed = closing_speed(k, g);
  return speed < 0.0 && g->gap + k->h * speed < 0.0;
}

// What the world's gravity adds along the normal in half a step: a bounce slower than this ends where it began, within
// the step.
static double settling_speed(const Shock* k, const ChGap* g) {
  const ChSignal* gravity = k->s->world->gravity;
  double along = 0.0;
  for (int a = 0; a < 3; ++a) along += ch_signal_value(&gravity[a], k->all->time) * ch_component(g->normal, a);
  return 0.5 * k->h * fabs(along);
}

static bool is_elastic(const Shock* k, const ChGap* g) {
  if (k->s->options.contact == CH_CONTACT_COMPLIANT) return false;  // springs throw bodies back, and damp them
  return ch_world_surface(k->s->world, g->shape[0], g->shape[1]).restitution > 0.0;
}

// Whether anything could at all, whatever moves.
static bool may_bounce(const Shock* k) {
  for (int g = 0; g < k->all->gap_count; ++g)
    if (is_elastic(k, &k->all->gaps[g])) return true;
  return false;
}

static bool bounces(const Shock* k, const ChGap* g) {
  if (!is_elastic(k, g)) return false;
  return closes(k, g) && -closing_speed(k, g) > k->slowest + settling_speed(k, g);
}

// What a solve of this accuracy leaves behind is no collision either, or shocks would never end.
static void find_slowest(Shock* k) {
  double fastest = 0.0;
  for (int g = 0; g < k->all->gap_count; ++g)
    if (closes(k, &k->all->gaps[g])) fastest = fmax(fastest, -closing_speed(k, &k->all->gaps[g]));
  k->slowest = SLOWEST + 10.0 * k->s->options.solve.tolerance * fastest;
}

// Contacts that take part; false when none of them bounces.
static bool gather(ChArena* arena, Shock* k) {
  bool any = false;
  for (int g = 0; g < k->all->gap_count && !any; ++g) any = bounces(k, &k->all->gaps[g]);
  if (!any) return false;
  ChGap* taken = CH_TAKE(arena, k->all->gap_count, ChGap);
  k->moment = *k->all;
  k->moment.gaps = taken;
  k->moment.gap_count = 0;
  for (int g = 0; g < k->all->gap_count; ++g)
    if (k->all->gaps[g].gap <= TOUCHING || closes(k, &k->all->gaps[g])) taken[k->moment.gap_count++] = k->all->gaps[g];
  return true;
}

static void prepare(ChArena* arena, Shock* k) {
  ChSimulation* s = k->s;
  ch_rows_build(arena, &k->moment, &(ChRowRule){.h = k->h, .at_once = true}, &k->rows);
  ch_islands_find(arena, s->world, &k->rows, NULL, 0, !s->options.islands, NULL, &k->islands);
  k->bounce = CH_TAKE(arena, k->rows.block_count, double);
  k->restitution = CH_TAKE(arena, k->rows.block_count, double);
  k->idle = CH_TAKE(arena, k->islands.count, unsigned char);
  for (int i = 0; i < k->islands.count; ++i) {
    k->idle[i] = 1;
    for (int at = k->islands.block_start[i]; at < k->islands.block_start[i + 1]; ++at) {
      int b = k->islands.blocks[at], g = k->rows.blocks[b].gap;
      if (g < 0 || !bounces(k, &k->moment.gaps[g])) continue;
      const int* shape = k->moment.gaps[g].shape;
      k->restitution[b] = ch_world_surface(s->world, shape[0], shape[1]).restitution;
      k->bounce[b] = k->restitution[b] * closing_speed(k, &k->moment.gaps[g]);
      k->idle[i] = 0;
    }
  }
}

static double* read_velocities(ChArena* arena, const ChSimulation* s) {
  int width = ch_world_width(s->world);
  double* v = CH_TAKE(arena, ch_world_numbers(s->world), double);
  for (int b = 0; b < s->world->body_count; ++b) ch_state_read(s->world, &s->states[b], v + (long)b * width);
  size_t modes = (size_t)s->world->mode_count;
  if (modes > 0) memcpy(v + ch_modes_at(s->world, 0), ch_state_rates(s->world, s->states, 0), modes * sizeof *v);
  return v;
}

// The new velocities of islands that had a shock into the states.
static void write_velocities(const Shock* k) {
  ChSimulation* s = k->s;
  int width = ch_world_width(s->world);
  for (int i = 0; i < k->islands.count; ++i)
    for (int at = k->islands.body_start[i]; at < k->islands.body_start[i + 1] && !k->idle[i]; ++at) {
      int b = k->islands.bodies[at], modes = ch_body_modes(s->world, b);
      ch_state_write(s->world, s->velocities + (long)b * width, &s->states[b]);
      if (modes > 0)
        memcpy(ch_state_rates(s->world, s->states, b), s->velocities + ch_modes_at(s->world, b),
               (size_t)modes * sizeof(double));
    }
}

// Of a step that has a deadline a shock may take half of the time that is left; the rest is for the step itself.
static double half_way(const ChSimulation* s) {
  double now = ch_clock_seconds();
  return s->deadline > 0.0 ? now + 0.5 * fmax(s->deadline - now, 0.0) : 0.0;
}

// Solves with these impulses on the velocities at hand; `given` lists them by rows, for the ledger. The new velocities
// go into the states.
static ChStatus solve(ChContext* context, ChArena* arena, Shock* k, const double* impulse, double* given, double* r,
                      ChStepInfo* info) {
  ChSimulation* s = k->s;
  int width = ch_world_width(s->world);
  ChDynamics dynamics = {.reference = read_velocities(arena, s), .impulse = impulse, .soft = ch_soft_masses(arena, s)};
  ChStage stage = {.moment = &k->moment,
                   .rows = &k->rows,
                   .islands = &k->islands,
                   .dynamics = &dynamics,
                   .options = &s->options,
                   .deadline = half_way(s),
                   .haste = &s->haste,
                   .trial = s->trial,
                   .idle = k->idle,
                   .r = r,
                   .velocities = s->velocities};
  ChStatus status = ch_stage_solve(context, arena, &stage);
  if (status != CH_OK) return status;
  for (int row = 0; row < k->rows.row_count; ++row) given[row] += r[row];
  for (int i = 0; i < k->islands.count; ++i)
    for (int at = k->islands.body_start[i]; at < k->islands.body_start[i + 1]; ++at) {
      int b = k->islands.bodies[at];
      if (k->idle[i]) ch_state_read(s->world, &s->states[b], s->velocities + (long)b * width);
    }
  info->work += ch_ledger_rows(s, &k->moment, &k->rows, given, s->states);
  write_velocities(k);
  info->certificate = ch_certificate_worse(info->certificate, stage.worst);
  info->iterations += stage.iterations;
  s->spent += stage.spent;
  info->missed |= stage.missed;
  return CH_OK;
}

static double* take_impulses(ChArena* arena, const Shock* k) {
  return CH_TAKE(arena, ch_world_numbers(k->s->world), double);
}

// With a share of the restitution.
static ChStatus newton(ChContext* context, ChArena* arena, Shock* k, double share, ChStepInfo* info) {
  double *r = CH_TAKE(arena, k->rows.row_count, double), *given = CH_TAKE(arena, k->rows.row_count, double);
  double* w = CH_TAKE(arena, k->rows.row_count, double);
  memcpy(w, k->rows.w, (size_t)k->rows.row_count * sizeof *w);
  for (int b = 0; b < k->rows.block_count; ++b) k->rows.w[k->rows.blocks[b].law.row] += share * k->bounce[b];
  ChStatus status = solve(context, arena, k, take_impulses(arena, k), given, r, info);
  memcpy(k->rows.w, w, (size_t)k->rows.row_count * sizeof *w);
  return status;
}

static void add_modal_impulse(const ChWorld* world, int body, const ChSkinTouch* touch, double impulse,
                              double* impulses) {
  double room[3 * CH_SOFT_MODES_MAX], *out = impulses + ch_modes_at(world, body);
  int modes = ch_body_modes(world, body);
  const double *U = ch_skin_shape(world->bodies[body].soft, &touch->point, room), *V = U + modes, *W = V + modes;
  ChVec3 n = touch->along[0];
  for (int a = 0; a < modes; ++a) out[a] += impulse * (U[a] * n.x + V[a] * n.y + W[a] * n.z);
}

// e r_c along the normals; `given` lists these impulses by rows.
static void add_restitution(const Shock* k, double share, const double* r, double* impulses, double* given) {
  const ChWorld* world = k->s->world;
  int width = ch_world_width(world);
  for (int b = 0; b < k->rows.block_count; ++b) {
    const ChRowBlock* block = &k->rows.blocks[b];
    double impulse = share * k->restitution[b] * r[block->law.row];
    const ChRow* row = &k->rows.rows[block->law.row];
    given[block->law.row] = impulse;
    for (int side = 0; side < 2 && impulse > 0.0; ++side) {
      if (block->body[side] < 0) continue;
      double* m = impulses + (long)block->body[side] * width;
      ChVec3 f = row->force[side], t = row->torque[side];
      double parts[6] = {f.x, f.y, width == 3 ? t.z : f.z, t.x, t.y, t.z};
      for (int a = 0; a < width; ++a) m[a] += impulse * parts[a];
      const ChSkinTouch* touch = ch_row_touch(&k->rows, b, side);
      if (touch) add_modal_impulse(world, block->body[side], touch, impulse, impulses);
    }
  }
}

static ChStatus poisson(ChContext* context, ChArena* arena, Shock* k, double share, ChStepInfo* info) {
  double *r = CH_TAKE(arena, k->rows.row_count, double), *given = CH_TAKE(arena, k->rows.row_count, double);
  ChStatus status = solve(context, arena, k, take_impulses(arena, k), given, r, info);
  if (status != CH_OK) return status;
  double *second = CH_TAKE(arena, k->rows.row_count, double), *more = CH_TAKE(arena, k->rows.row_count, double);
  double* impulses = take_impulses(arena, k);
  add_restitution(k, share, r, impulses, more);
  return solve(context, arena, k, impulses, more, second, info);
}

// Neither rule knows how the impulse comes about: with friction, or with many contacts on few modes, they may give a
// body more than it had (Kane and Levinson 1985), and deformable bodies show it at hard landings. Where a shock gains
// energy that no driven body gave, it is taken back and made with a smaller share of the restitution; without any it is
// plastic, and gains nothing.
static ChStatus collide(ChContext* context, ChArena* arena, Shock* k, ChStepInfo* info) {
  ChSimulation* s = k->s;
  const double first = ch_kinetic_energy(s->world, s->states), work = info->work;
  const double* before = read_velocities(arena, s);
  for (double share = 1.0;; share = share > LEAST_SHARE ? 0.5 * share : 0.0) {
    ChStatus status =
        (s->options.restitution == CH_RESTITUTION_NEWTON ? newton : poisson)(context, arena, k, share, info);
    if (status != CH_OK || s->world->mode_count == 0 || share == 0.0 || info->missed) return status;
    double after = ch_kinetic_energy(s->world, s->states), gain = after - first - (info->work - work);
    if (gain <= 10.0 * s->options.solve.tolerance * (first + after)) return status;
    memcpy(s->velocities, before, (size_t)ch_world_numbers(s->world) * sizeof *before);
    write_velocities(k);
    info->work = work;
  }
}

ChStatus ch_impacts_resolve(ChContext* context, ChSimulation* s, const ChMoment* moment, double h, ChStepInfo* info) {
  CH_ASSERT(moment->world == s->world && h > 0.0);
  ChStatus status = CH_OK;
  Shock k = {.s = s, .all = moment, .h = h};
  if (!may_bounce(&k)) return CH_OK;
  find_slowest(&k);
  while (info->impacts < MOST_SHOCKS && status == CH_OK && !ch_step_is_late(s) && !ch_step_is_rejected(s, info)) {
    ChArenaMark mark = ch_arena_mark(s->scratch);
    bool any = gather(s->scratch, &k);
    if (any) {
      ++info->impacts;
      prepare(s->scratch, &k);
      status = collide(context, s->scratch, &k, info);
    }
    ch_arena_release(s->scratch, mark);
    if (!any) break;
  }
  return status;
}
