// States of bodies near those of other processes.
//
// Each process tells all others the box around what it moves: every body's ball, swept along its velocity and widened
// as contacts are looked for (collide.c), or around where it was and will be. A body whose own such box meets that of
// another process is sent there. So whatever may meet a body is known where the body is moved, and whoever has a
// contact has both its bodies. Joints reach farther: their bodies go to each other's processes in any case.
#include <math.h>
#include <string.h>

#include "dist/dist.h"

#define SLACK 1e-9  // more than rounding

typedef struct Sight {
  ChDistributed* d;
  const ChBodyState* end;  // NULL: not known yet
  double margin, ahead;
} Sight;

typedef struct Box {
  double low[3], high[3];
} Box;

static void take_in(Box* box, ChVec3 at, double by) {
  const double x[3] = {at.x, at.y, at.z};
  for (int a = 0; a < 3; ++a) {
    double more = by + SLACK * (fabs(x[a]) + by);
    box->low[a] = fmin(box->low[a], x[a] - more);
    box->high[a] = fmax(box->high[a], x[a] + more);
  }
}

static Box nothing(void) { return (Box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}; }

static Box box_of(const Sight* sight, int b) {
  const ChBodyState* from = &sight->d->s->states[b];
  double reach = sight->d->reach[b], widen = 0.5 * sight->margin + sight->ahead * ch_norm(from->omega) * reach;
  Box box = nothing();
  take_in(&box, from->position, reach + widen);
  take_in(&box, ch_along(from->position, sight->ahead, from->velocity), reach + widen);
  if (sight->end) take_in(&box, sight->end[b].position, reach + widen);
  return box;
}

static bool meet(const Box* a, const Box* b) {
  for (int k = 0; k < 3; ++k)
    if (!(a->low[k] <= b->high[k] && b->low[k] <= a->high[k])) return false;
  return true;
}

static void tell_boxes(const Sight* sight) {
  ChDistributed* d = sight->d;
  Box own = nothing();
  for (int b = 0; b < d->bodies; ++b) {
    if (!d->mine[b]) continue;
    const Box box = box_of(sight, b);
    for (int a = 0; a < 3; ++a) {
      own.low[a] = fmin(own.low[a], box.low[a]);
      own.high[a] = fmax(own.high[a], box.high[a]);
    }
  }
  ch_post_share(&d->post, (const double*)&own, 6, d->boxes);
}

static void put_body(const Sight* sight, int b, int to) {
  ChDistributed* d = sight->d;
  ch_post_put(&d->post, to, &b, sizeof b);
  ch_post_put(&d->post, to, &d->s->states[b], sizeof *d->s->states);
  if (sight->end) ch_post_put(&d->post, to, &sight->end[b], sizeof *sight->end);
}

static void put_near(const Sight* sight) {
  ChDistributed* d = sight->d;
  const Box* all = (const Box*)d->boxes;
  for (int r = 0; r < d->post.size; ++r) {
    if (r == d->post.rank || !meet(&all[r], &all[d->post.rank])) continue;
    for (int b = 0; b < d->bodies; ++b) {
      if (!d->mine[b]) continue;
      const Box box = box_of(sight, b);
      if (meet(&box, &all[r])) put_body(sight, b, r);
    }
  }
}

static void put_joined(const Sight* sight) {
  ChDistributed* d = sight->d;
  for (int j = 0; j < d->joints; ++j) {
    const int* body = d->s->world->joints[j].body;
    if (!ch_dist_moves(d->s->world, body[0]) || !ch_dist_moves(d->s->world, body[1])) continue;
    int a = d->owner[body[0]], b = d->owner[body[1]];
    if (a == b) continue;
    if (a == d->post.rank) put_body(sight, body[0], b);
    if (b == d->post.rank) put_body(sight, body[1], a);
  }
}

static void take_bodies(const Sight* sight, ChBodyState* end) {
  ChDistributed* d = sight->d;
  int body;
  for (int r = 0; r < d->post.size; ++r)
    while (ch_post_get(&d->post, r, &body, sizeof body)) {
      ch_post_get(&d->post, r, &d->s->states[body], sizeof *d->s->states);
      d->s->before[body] = d->s->states[body];
      if (end) ch_post_get(&d->post, r, &end[body], sizeof *end);
      d->cost.ghosts += !d->near[body];
      d->near[body] = 1;
    }
}

ChStatus ch_dist_see(void* self, ChContext* context, ChBodyState* end, double margin, double ahead) {
  ChDistributed* d = self;
  Sight sight = {.d = d, .end = end, .margin = margin, .ahead = ahead};
  for (int b = 0; b < d->bodies; ++b) {
    d->near[b] = d->mine[b] || d->s->world->bodies[b].kind != CH_BODY_DYNAMIC;
    d->cost.bodies += !end && d->mine[b];
  }
  d->cost.tries += !end;
  tell_boxes(&sight);
  put_near(&sight);
  put_joined(&sight);
  ChStatus status = ch_post_exchange(context, &d->post, "bodies near others");
  if (status == CH_OK) take_bodies(&sight, end);
  return status;
}
