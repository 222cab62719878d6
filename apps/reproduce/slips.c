// See slips.h.
#include "reproduce/slips.h"

#include <math.h>

#include "cardhouse/geometry.h"

static ChSlipPair* find(ChSlips* s, const int body[2], int hint) {
  for (int k = 0; k < s->count; ++k) {
    ChSlipPair* p = &s->pairs[(hint + k) % s->count];
    if (p->body[0] == body[0] && p->body[1] == body[1]) return p;
  }
  if (s->count == CH_SLIPS_PAIRS) return NULL;
  ChSlipPair* p = &s->pairs[s->count++];
  *p = (ChSlipPair){.body = {body[0], body[1]}, .last_load = -INFINITY};
  return p;
}

static void add_contact(ChSlipPair* p, const ChContactView* c) {
  double normal = ch_dot(c->force, c->normal);
  if (!(normal > 0.0)) return;
  ChVec3 pull = ch_along(c->force, -normal, c->normal);
  ChVec3 slip = ch_along(c->slip, -ch_dot(c->slip, c->normal), c->normal);
  p->load += normal;
  p->friction += ch_norm(pull);
  p->slip += normal * ch_norm(slip);
  p->point = ch_along(p->point, normal, c->point);
  p->normal = ch_along(p->normal, normal, c->normal);
}

static void end_step(const ChSlips* s, ChSlipPair* p, const ChStepInfo* info) {
  bool was = p->loaded;
  p->loaded = p->load > 0.0 && p->load >= s->least_load;
  if (!p->loaded) return;
  p->slip /= p->load;
  p->point = ch_scale(1.0 / p->load, p->point);
  p->normal = ch_scale(1.0 / fmax(1e-300, ch_norm(p->normal)), p->normal);
  bool sticks = p->slip < s->sticks;
  p->turns += was && p->stuck && !sticks;
  p->returns += was && !p->stuck && sticks;
  p->stuck = sticks;
  if (sticks) {
    p->sticking += info->h;
    if (p->friction >= s->pull * p->load) p->gripping += info->h;
  } else {
    p->slipping += info->h;
  }
}

void ch_slips_add(ChSlips* s, const ChSimulation* simulation, const ChStepInfo* info) {
  int count, hint = 0;
  const ChContactView* contacts = ch_simulation_contacts(simulation, &count);
  for (int k = 0; k < s->count; ++k) {
    ChSlipPair* p = &s->pairs[k];
    if (p->loaded) p->last_load = info->time - info->h;
    p->load = p->friction = p->slip = 0.0;
    p->point = p->normal = ch_vec(0.0, 0.0, 0.0);
  }
  for (int k = 0; k < count; ++k) {
    ChSlipPair* p = find(s, contacts[k].body, hint);
    if (!p) {
      ++s->skipped;
      continue;
    }
    hint = (int)(p - s->pairs);
    add_contact(p, &contacts[k]);
  }
  for (int k = 0; k < s->count; ++k) end_step(s, &s->pairs[k], info);
}
