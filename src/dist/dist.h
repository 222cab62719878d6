// The distributed world from inside.
//
// Every process holds the definitions of all bodies, shapes and joints, and who moves which body. States, contacts and
// reactions are kept by whoever moves the bodies: a contact or a joint belongs to the process that moves the first of
// its two bodies that is dynamic. All ids are those of the one world, so lists have the same order everywhere, and an
// island has the same problem, bit for bit, on whatever process it is solved.
#ifndef CH_DIST_DIST_H
#define CH_DIST_DIST_H

#include "cardhouse/distributed.h"
#include "dist/post.h"
#include "step/peers.h"
#include "step/state.h"

typedef struct ChShares ChShares;  // what Zoltan knows (share.c)

// A body that is on both sides of a border: a process with contacts on it, and the one that moves it.
typedef struct ChLink {
  int body, rank;
  int told;  // the label that the other side was told last
} ChLink;

struct ChDistributed {
  ChPost post;
  ChDistributedOptions options;
  ChDistributedCost cost;
  ChPeers peers;
  ChSimulation* s;
  ChShares* shares;
  int bodies, joints;
  bool complete;                                   // process 0 has everything as it is now
  int* owner;                                      // body -> rank; of bodies that are not dynamic: -1
  unsigned char *mine, *near, *here, *joint_here;  // see peers.h
  double* reach;                                   // of bodies: radius about the centre of mass
  double* boxes;                                   // six numbers a rank: around all that it moves
  // Of unite.c; by body, unless said otherwise.
  int *parent, *label, *home;
  unsigned char *used, *shared;
  int *count, *guests, guest_count;  // `guests`: bodies of others whose island is solved here
  ChLink* links;
  int link_count, link_room;
  ChGap* gaps;
  int gap_count, gap_room;
  ChContactMemory* arrived;
  int arrived_count, arrived_room;
};

static inline bool ch_dist_moves(const ChWorld* world, int body) {
  return body >= 0 && world->bodies[body].kind == CH_BODY_DYNAMIC;
}

// Who looks for the contacts of two bodies, or has their joint; -1: nobody, for none of them moves.
static inline int ch_dist_owner(const ChDistributed* d, int a, int b) {
  int first = a < b ? a : b, second = a < b ? b : a;
  if (ch_dist_moves(d->s->world, first)) return d->owner[first];
  return ch_dist_moves(d->s->world, second) ? d->owner[second] : -1;
}
static inline int ch_dist_memory_owner(const ChDistributed* d, const ChContactMemory* memory) {
  const ChShape* shapes = d->s->world->shapes;
  return ch_dist_owner(d, shapes[memory->shape[0]].body, shapes[memory->shape[1]].body);
}
static inline int ch_dist_joint_owner(const ChDistributed* d, int joint) {
  const int* body = d->s->world->joints[joint].body;
  return ch_dist_owner(d, body[0], body[1]);
}

// Contacts are sorted by shapes and key.
static inline int ch_dist_compare(const ChContactMemory* a, const ChContactMemory* b) {
  for (int k = 0; k < 2; ++k)
    if (a->shape[k] != b->shape[k]) return a->shape[k] < b->shape[k] ? -1 : 1;
  return (a->key > b->key) - (a->key < b->key);
}

// Whether `count` entries of `size` bytes fit; `*list` grows.
bool ch_dist_grow(void** list, int* room, int count, size_t size);
ChStatus ch_dist_no_memory(ChContext* context);

// What of this simulation cannot be distributed (refuse.c).
ChStatus ch_dist_refuse(ChContext* context, const ChSimulation* s);

// share.c: who moves which body.
ChStatus ch_shares_create(ChContext* context, ChDistributed* d);
void ch_shares_destroy(ChShares* shares);
// Bodies whose centres have left go to others, with all that belongs to them; now and then space is shared out anew.
ChStatus ch_shares_renew(ChContext* context, ChDistributed* d);

// arrivals.c: contacts' reactions that come from others.
bool ch_dist_keep_arrival(ChDistributed* d, const ChContactMemory* memory);
ChStatus ch_dist_merge_arrivals(ChContext* context, ChDistributed* d);
const ChContactMemory* ch_dist_recall(const ChDistributed* d, const ChGap* gap);

// The functions of peers.h.
ChStatus ch_dist_see(void* self, ChContext* context, ChBodyState* end, double margin, double ahead);
ChStatus ch_dist_unite(void* self, ChContext* context, ChMoment* moment);
ChStatus ch_dist_give_back(void* self, ChContext* context);
ChStatus ch_dist_settle(void* self, ChContext* context);
ChStatus ch_dist_agree(void* self, ChContext* context, ChStatus own);
ChStatus ch_dist_reduce(void* self, ChContext* context, double* sums, int sum_count, double* most, int most_count);
void ch_dist_abandon(void* self, const char* why);

#endif
