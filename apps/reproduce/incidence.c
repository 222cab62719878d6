// See incidence.h.
#include "reproduce/incidence.h"

#include <math.h>

#include "cardhouse/geometry.h"

static ChVec3 velocity_at(const ChIncidence* n, int body, ChVec3 point) {
  if (body < 0 || body >= CH_INCIDENCE_BODIES) return ch_vec(0.0, 0.0, 0.0);
  const ChBodyView* view = &n->before[body];
  return ch_add(view->velocity, ch_cross(view->omega, ch_sub(point, view->position)));
}

static void begin_impact(ChIncidence* n, const ChSlipPair* p, double time) {
  ChVec3 v = ch_sub(velocity_at(n, p->body[1], p->point), velocity_at(n, p->body[0], p->point));
  double normal = -ch_dot(v, p->normal);
  if (!(normal >= n->approach) || n->count == CH_INCIDENCE_IMPACTS) return;
  n->impacts[n->count++] = (ChImpact){.body = {p->body[0], p->body[1]},
                                      .time = time,
                                      .angle = atan2(ch_norm(ch_along(v, normal, p->normal)), normal),
                                      .speed = ch_norm(v)};
}

static void follow(const ChIncidence* n, ChImpact* impact, const ChSlips* slips, const ChStepInfo* info) {
  if (info->time - impact->time > n->after) return;
  for (int k = 0; k < slips->count; ++k) {
    const ChSlipPair* p = &slips->pairs[k];
    if (p->body[0] != impact->body[0] || p->body[1] != impact->body[1] || !p->loaded) continue;
    *(p->stuck ? &impact->sticking : &impact->slipping) += info->h;
  }
}

void ch_incidence_add(ChIncidence* n, const ChSlips* slips, const ChSimulation* simulation, const ChStepInfo* info) {
  for (int k = 0; k < slips->count && n->began; ++k) {
    const ChSlipPair* p = &slips->pairs[k];
    if (p->loaded && !(info->time - p->last_load <= n->apart)) begin_impact(n, p, info->time);
  }
  for (int k = 0; k < n->count; ++k) follow(n, &n->impacts[k], slips, info);
  int bodies = ch_world_body_count(ch_simulation_world(simulation));
  for (int b = 0; b < bodies && b < CH_INCIDENCE_BODIES; ++b) n->before[b] = ch_simulation_body_at(simulation, b);
  n->began = true;
}
