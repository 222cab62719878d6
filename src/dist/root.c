// Process 0 gets what there is, and records it as a simulation by itself would: one file, in the order of one machine,
// to be continued by any number of processes. Between two records nothing is gathered.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dist/dist.h"

enum Kind { BODY, CONTACT, JOINT, VIEW };

static void put_kind(ChPost* post, enum Kind kind) { ch_post_put(post, 0, &kind, sizeof kind); }

static void put_all(ChDistributed* d) {
  const ChSimulation* s = d->s;
  const ChMemory* memory = &s->memory;
  for (int b = 0; b < d->bodies; ++b) {
    if (!d->mine[b]) continue;
    put_kind(&d->post, BODY);
    ch_post_put(&d->post, 0, &b, sizeof b);
    ch_post_put(&d->post, 0, &s->states[b], sizeof *s->states);
    ch_post_put(&d->post, 0, &memory->unsure[b], 1);
  }
  for (int k = 0; k < memory->contact_count; ++k) {
    if (ch_dist_memory_owner(d, &memory->contacts[k]) != d->post.rank) continue;
    put_kind(&d->post, CONTACT);
    ch_post_put(&d->post, 0, &memory->contacts[k], sizeof *memory->contacts);
  }
  for (int j = 0; j < d->joints; ++j) {
    if (ch_dist_joint_owner(d, j) != d->post.rank) continue;
    put_kind(&d->post, JOINT);
    ch_post_put(&d->post, 0, &j, sizeof j);
    ch_post_put(&d->post, 0, memory->joints + (long)j * CH_JOINT_ROWS_MAX, CH_JOINT_ROWS_MAX * sizeof(double));
  }
  for (int k = 0; k < s->contact_count; ++k) {
    put_kind(&d->post, VIEW);
    ch_post_put(&d->post, 0, &s->contacts[k], sizeof *s->contacts);
  }
}

static bool take_one(ChDistributed* d, int from, enum Kind kind) {
  ChSimulation* s = d->s;
  ChContactMemory contact;
  int k;
  switch (kind) {
    case BODY:
      ch_post_get(&d->post, from, &k, sizeof k);
      ch_post_get(&d->post, from, &s->states[k], sizeof *s->states);
      return ch_post_get(&d->post, from, &s->memory.unsure[k], 1);
    case CONTACT:
      return ch_post_get(&d->post, from, &contact, sizeof contact) && ch_dist_keep_arrival(d, &contact);
    case JOINT:
      ch_post_get(&d->post, from, &k, sizeof k);
      return ch_post_get(&d->post, from, s->memory.joints + (long)k * CH_JOINT_ROWS_MAX,
                         CH_JOINT_ROWS_MAX * sizeof(double));
    case VIEW:
      if (!ch_dist_grow((void**)&s->contacts, &s->contact_room, s->contact_count + 1, sizeof *s->contacts))
        return false;
      return ch_post_get(&d->post, from, &s->contacts[s->contact_count++], sizeof *s->contacts);
  }
  return false;
}

// By shapes; those of one pair come from one process, in their order.
typedef struct Place {
  int shape[2], at;
} Place;

static int compare_places(const void* a, const void* b) {
  const Place *x = a, *y = b;
  for (int k = 0; k < 2; ++k)
    if (x->shape[k] != y->shape[k]) return x->shape[k] < y->shape[k] ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

static bool sort_views(ChSimulation* s) {
  size_t count = (size_t)s->contact_count;
  if (count == 0) return true;
  Place* places = malloc(count * sizeof *places);
  ChContactView* sorted = malloc(count * sizeof *sorted);
  for (int k = 0; places && sorted && k < s->contact_count; ++k)
    places[k] = (Place){{s->contacts[k].shape[0], s->contacts[k].shape[1]}, k};
  bool fits = places && sorted;
  if (fits) {
    qsort(places, count, sizeof *places, compare_places);
    for (size_t k = 0; k < count; ++k) sorted[k] = s->contacts[places[k].at];
    memcpy(s->contacts, sorted, count * sizeof *sorted);
  }
  free(places);
  free(sorted);
  return fits;
}

ChStatus ch_distributed_gather(ChContext* context, ChDistributed* d) {
  if (d->complete) return CH_OK;  // nothing has happened since: bodies that rest make no step
  d->complete = true;
  put_all(d);
  ChStatus status = ch_post_exchange(context, &d->post, "gathering the recorded state");
  if (status != CH_OK) return status;
  bool fits = true;
  enum Kind kind;
  if (d->post.rank == 0) d->s->contact_count = 0;
  for (int r = 0; r < d->post.size; ++r)
    while (ch_post_get(&d->post, r, &kind, sizeof kind)) fits = take_one(d, r, kind) && fits;
  if (d->post.rank == 0) fits = sort_views(d->s) && fits;
  return ch_dist_agree(d, context, fits ? ch_dist_merge_arrivals(context, d) : ch_dist_no_memory(context));
}

ChStatus ch_distributed_summarize(ChContext* context, ChDistributed* d, ChSummary* summary) {
  double own = summary->displacement, most = own, body;
  ChStatus status = ch_dist_reduce(d, context, NULL, 0, &most, 1);
  body = own == most ? (double)summary->displaced : -1.0;
  if (status == CH_OK) status = ch_dist_reduce(d, context, NULL, 0, &body, 1);
  summary->displacement = most;
  summary->displaced = (int)body;
  return status;
}
