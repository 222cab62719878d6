// Positions onto the constraints after a step (000 section 4.A, step 10), as an option.
//
//   min 1/2 dq'M dq   Phi + n'dq >= 0,  g + G dq = 0,     q <- q + dq,     until nothing overlaps by more than TIGHT
//
// This is a frictionless contact problem with f = 0 and w = (Phi, g), in displacements instead of velocities.
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "step/in_step.h"
#include "step/projection.h"
#include "step/relax.h"
#include "step/rotation.h"
#include "step/state.h"
#include "step/states.h"

enum { MOST_ROUNDS = 10 };
#define TIGHT 1e-12  // metres

static double violation(const ChRows* rows) {
  double worst = 0.0;
  for (int b = 0; b < rows->block_count; ++b)
    for (int k = rows->blocks[b].law.row; k < rows->blocks[b].law.row + rows->blocks[b].law.dimension; ++k) {
      double miss = ch_law_info(rows->blocks[b].law.law)->equation ? fabs(rows->value[k]) : -rows->value[k];
      if (miss > worst) worst = miss;
    }
  return worst;
}

static void displace(ChSimulation* s, const ChIslands* islands) {
  int width = ch_world_width(s->world);
  for (int k = 0; k < islands->body_start[islands->count]; ++k) {
    ChBodyState *state = &s->states[islands->bodies[k]], moved = *state;
    ch_state_write(s->world, s->velocities + (long)islands->bodies[k] * width, &moved);
    state->position = ch_add(state->position, moved.velocity);
    state->angle += s->world->dimension == 2 ? moved.omega.z : 0.0;
    state->orientation = s->world->dimension == 2 ? ch_quat_about(ch_axis(2), state->angle)
                                                  : ch_turn(state->orientation, moved.omega, 1.0);
  }
}

// Only what holds positions: driven rows and friction have nothing to say here.
static void keep_geometry(ChRows* rows) {
  for (int b = 0; b < rows->block_count; ++b) {
    ChBlock* law = &rows->blocks[b].law;
    const ChLawInfo* info = ch_law_info(law->law);
    if (!info->equation && !info->opens) law->lo = law->hi = 0.0;
    for (int k = law->row; k < law->row + law->dimension; ++k) rows->w[k] = rows->value[k];
  }
}

ChStatus ch_positions_round(ChContext* context, ChSimulation* s, double time, double tight, double* miss,
                            long* iterations) {
  ChMoment moment = {.world = s->world, .states = s->states, .time = time, .end = time};
  ChStatus status = ch_simulation_gaps(context, s, s->states, 0.0, &moment.gaps, &moment.gap_count);
  if (status != CH_OK) return status;
  ChRows rows;
  ChIslands islands;
  ch_rows_build(s->scratch, &moment, &(ChRowRule){.frictionless = true}, &rows);
  *miss = violation(&rows);
  if (!(*miss > tight)) return CH_OK;
  keep_geometry(&rows);
  ch_islands_find(s->scratch, s->world, &rows, NULL, 0, !s->options.islands, NULL, &islands);
  long count = (long)s->world->body_count * ch_world_width(s->world);
  ChDynamics dynamics = {.reference = CH_TAKE(s->scratch, count, double),
                         .impulse = CH_TAKE(s->scratch, count, double)};
  ChSimulationOptions options = s->options;
  options.warm = false;
  unsigned char* unsure = CH_TAKE(s->scratch, s->world->body_count, unsigned char);
  memset(unsure, CH_LOOK_FIRST, (size_t)s->world->body_count);
  ChStage stage = {.moment = &moment,
                   .unsure = unsure,
                   .rows = &rows,
                   .islands = &islands,
                   .dynamics = &dynamics,
                   .options = &options,
                   .deadline = s->deadline,
                   .haste = &s->haste,
                   .r = CH_TAKE(s->scratch, rows.row_count, double),
                   .velocities = s->velocities};
  status = ch_stage_solve(context, s->scratch, &stage);
  if (status == CH_OK) displace(s, &islands);
  *iterations += stage.iterations;
  return status;
}

ChStatus ch_positions_project(ChContext* context, ChSimulation* s, ChStepInfo* info) {
  CH_ASSERT(s->scratch && s->collider);
  double miss = INFINITY;
  ChStatus status = CH_OK;
  for (int round = 0; round < MOST_ROUNDS && miss > TIGHT && status == CH_OK && !ch_step_is_late(s); ++round)
    status = ch_positions_round(context, s, info->time, TIGHT, &miss, &info->iterations);
  return status;
}
