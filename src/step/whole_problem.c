// The contact problem of the last step, all islands together, as another solver would be given it.
#include <string.h>

#include "problem/contact_problem.h"
#include "step/state.h"
#include "step/whole_problem.h"

// One island that holds every body and block of all of them.
static ChIslands as_one(ChArena* arena, const ChWorld* world, const ChIslands* all) {
  int bodies = all->body_start[all->count], dof = 0;
  ChIslands one = {.count = 1,
                   .body_start = CH_TAKE(arena, 2, int),
                   .bodies = CH_TAKE(arena, bodies, int),
                   .block_start = CH_TAKE(arena, 2, int),
                   .blocks = CH_TAKE(arena, all->block_start[all->count], int),
                   .coupling_start = CH_TAKE(arena, 2, int),
                   .couplings = CH_TAKE(arena, all->coupling_start[all->count], int),
                   .place = CH_TAKE(arena, world->body_count, int),
                   .first = CH_TAKE(arena, world->body_count, int)};
  for (int b = 0; b < world->body_count; ++b) {
    one.place[b] = all->place[b] < 0 ? -1 : one.body_start[1];
    if (all->place[b] < 0) continue;
    one.first[b] = dof;
    dof += ch_body_freedoms(world, b);
    one.bodies[one.body_start[1]++] = b;
  }
  one.block_start[1] = all->block_start[all->count];
  one.coupling_start[1] = all->coupling_start[all->count];
  for (int k = 0; k < one.block_start[1]; ++k) one.blocks[k] = k;
  for (int k = 0; k < one.coupling_start[1]; ++k) one.couplings[k] = all->couplings[k];
  return one;
}

ChStatus ch_simulation_problem(ChContext* context, const ChSimulation* s, ChProblem** out) {
  *out = NULL;
  const ChRestMemory* last = &s->rest;
  if (!last->filled)
    return ch_fail(context, CH_ERR_ARGUMENT, "there is no problem before the first step, or after a change of options");
  ChArena* volatile arena = NULL;
  jmp_buf landing;
  if (setjmp(landing) || !(arena = ch_arena_create(NULL))) {
    ch_problem_destroy(*out);
    *out = NULL;
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory for a problem with %d rows", last->rows.row_count);
  }
  ch_arena_set_landing(arena, &landing);
  ChIslands one = as_one(arena, s->world, &last->islands);
  ChMoment moment = {.world = s->world, .states = s->before};
  ChDynamics dynamics = last->dynamics;
  dynamics.absolute = true;
  ChStatus status = ch_island_problem(context, arena, &moment, &last->rows, &one, 0, &dynamics, out);
  if (status == CH_OK && (*out)->curve_count > 0) {  // it may outlive the world
    ch_arena_set_landing((*out)->arena, &landing);
    ch_problem_set_curves(*out, (*out)->curve_count, (*out)->curves);
    ch_arena_set_landing((*out)->arena, NULL);
  }
  if (status == CH_OK && s->options.cone_sides > 0)
    status = ch_problem_set_polygon(context, *out, s->options.cone_sides, s->options.cone_outer);
  ch_arena_destroy(arena);
  return status;
}

int ch_simulation_contact_features(const ChSimulation* s, int room, ChContactFeature* out) {
  for (int k = 0; k < s->memory.contact_count && k < room; ++k) {
    const ChContactMemory* c = &s->memory.contacts[k];
    out[k] = (ChContactFeature){.shape = {c->shape[0], c->shape[1]}, .key = c->key};
    memcpy(out[k].axis, c->axis, sizeof out[k].axis);
  }
  return s->memory.contact_count;
}

int ch_simulation_freedoms(const ChSimulation* s) {
  int sum = 0;
  for (int b = 0; b < s->world->body_count; ++b) sum += ch_body_freedoms(s->world, b);
  return sum;
}

void ch_simulation_reactions(const ChSimulation* s, int rows, double* r) {
  for (int b = 0, row = 0; b < s->rest.rows.block_count && row < rows; ++b) {
    const ChBlock* law = &s->rest.rows.blocks[b].law;
    memcpy(r + row, s->rest.r + law->row, (size_t)law->dimension * sizeof *r);
    row += law->dimension;
  }
}
