// See squeeze.h.
#include "reproduce/squeeze.h"

#include <math.h>

#include "cardhouse/geometry.h"
#include "common/by_row.h"

enum { BODIES = 64 };

static bool in_range(int body) { return body >= 0 && body < BODIES; }

// Bodies that the tool presses on, directly or through others, up to the box; how many, or 0 when none of them leads
// there. With `resting` only through bodies that rest.
static int chain(const ChSqueeze* q, const ChSlips* slips, const ChSimulation* s, int tool, int box, bool resting) {
  bool reached[BODIES] = {false}, grows = true, wall = false;
  int bodies = 0;
  reached[tool] = true;
  while (grows) {
    grows = false;
    for (int k = 0; k < slips->count; ++k) {
      const ChSlipPair* p = &slips->pairs[k];
      if (!(p->load >= q->carries) || !in_range(p->body[0]) || !in_range(p->body[1])) continue;
      if (reached[p->body[0]] == reached[p->body[1]]) continue;
      int from = reached[p->body[0]] ? p->body[0] : p->body[1], to = p->body[0] + p->body[1] - from;
      bool moves = ch_row_moves(ch_simulation_world(s), to);
      if (to == box && from != tool) wall = true;
      if (!moves || (resting && !(ch_norm(ch_simulation_body_at(s, to).velocity) < q->still))) continue;
      reached[to] = grows = true;
      ++bodies;
    }
  }
  return wall ? bodies : 0;
}

void ch_squeeze_add(ChSqueeze* q, const ChSlips* slips, const ChSimulation* s, const ChStepInfo* info) {
  const ChWorld* world = ch_simulation_world(s);
  int tool = ch_world_body_row(world, ch_world_find_body(world, "tool")),
      hand = ch_world_body_row(world, ch_world_find_body(world, "hand"));
  int box = ch_world_body_row(world, ch_world_find_body(world, "box"));
  ChBodyView held = ch_simulation_body_at(s, tool);
  double force = q->stiffness * ch_norm(ch_sub(ch_simulation_body_at(s, hand).position, held.position));
  if (force >= q->squeezes && chain(q, slips, s, tool, box, false) > 0) q->squeezed += info->h;
  int bodies = force >= q->squeezes && ch_norm(held.velocity) < q->still ? chain(q, slips, s, tool, box, true) : 0;
  q->now = bodies > 0 ? q->now + info->h : 0.0;
  if (bodies == 0) return;
  q->jammed += info->h;
  q->longest = fmax(q->longest, q->now);
  q->force = fmax(q->force, force);
  if (bodies > q->most) q->most = bodies;
}
