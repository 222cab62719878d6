// A start that overlaps is healed: positions are projected until nothing overlaps, as after a step (projection.h), but
// for as many rounds as it takes. Each round moves bodies least in the metric of their masses; where overlaps oppose
// each other they are shared out (tight_fit.h), and what no round improves any more stays.
#include <math.h>
#include <string.h>

#include "step/projection.h"
#include "step/state.h"
#include "step/states.h"

enum { MOST_ROUNDS = 100, PATIENCE = 5 };
#define HEALED 1e-10  // metres of overlap that count as none
#define BETTER 0.9    // share of the least overlap so far below which a round has gained

static double turn_between(ChQuat a, ChQuat b) {
  ChQuat d = ch_quat_product(ch_quat_conjugate(a), b);
  return 2.0 * atan2(sqrt(d.x * d.x + d.y * d.y + d.z * d.z), fabs(d.w));
}

static void measure(const ChSimulation* s, ChHealing* out) {
  for (int b = 0; b < s->world->body_count; ++b) {
    double moved = ch_norm(ch_sub(s->states[b].position, s->before[b].position));
    out->turned = fmax(out->turned, turn_between(s->before[b].orientation, s->states[b].orientation));
    if (moved > out->moved) {
      out->moved = moved;
      out->body = b;
    }
  }
}

static ChStatus rounds(ChContext* context, ChSimulation* s, ChHealing* out) {
  double least = INFINITY;
  for (int patience = PATIENCE;; ++out->rounds) {
    bool last = out->rounds == MOST_ROUNDS || patience == 0;
    long iterations = 0;
    ch_arena_release(s->scratch, (ChArenaMark){0});
    ChStatus status = ch_positions_round(context, s, s->time, last ? INFINITY : HEALED, &out->after, &iterations);
    if (status != CH_OK) return status;
    if (out->rounds == 0) out->before = out->after;
    if (last || out->after <= HEALED) return ch_states_check(context, s->world, s->states, 0);
    patience = out->after < BETTER * least ? PATIENCE : patience - 1;
    least = fmin(least, out->after);
  }
}

ChStatus ch_simulation_heal(ChContext* context, ChSimulation* s, ChHealing* out) {
  *out = (ChHealing){.body = -1};
  if (s->world->mode_count > 0)
    return ch_fail(context, CH_ERR_ARGUMENT, "deformable bodies cannot be healed: their shapes would have to change");
  jmp_buf landing;
  size_t bytes = ch_world_state_bytes(s->world);
  memcpy(s->before, s->states, bytes);
  s->scratch = s->scratches[0];
  ChArena* scratch = s->scratch;
  if (setjmp(landing)) {
    ch_arena_set_landing(scratch, NULL);
    memcpy(s->states, s->before, bytes);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory while %d bodies are healed", s->world->body_count);
  }
  ch_arena_set_landing(scratch, &landing);
  ChStatus status = rounds(context, s, out);
  ch_arena_set_landing(scratch, NULL);
  if (status != CH_OK)
    memcpy(s->states, s->before, bytes);
  else
    measure(s, out);
  s->still = s->rest.filled = false;
  s->info.kinetic = ch_kinetic_energy(s->world, s->states);
  s->info.potential = ch_forces_potential(s->world, s->states, s->time);
  return status;
}
