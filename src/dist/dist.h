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

// Bodies that this process and others have contacts on, in heaps that they solve together.
typedef struct ChBorders {
  int count, body_room, heap_room, start_room, rank_room;
  int *body, *heap, *start, *rank;  // `rank`: the others, from start[k] to start[k + 1]
} ChBorders;

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
  // Of shared_heap.c.
  unsigned char *ball, *touched;  // body -> is a ball that no joint holds; has a contact that was found here
  bool balls_alone;               // contacts of balls are what a heap can take
  int alone;                      // steps for which every heap is solved by one process
  bool retry;                     // the try at hand missed
  int *heap, *place;              // body -> heap, -1; place among the borders at hand
  int* labels;                    // of heaps
  int label_room;
  ChBorders borders;
  int border_count;        // of the heap at hand
  struct ChRoute* routes;  // of colours
  int color_count;
  ChBorderImpulse* received;
  int received_room;
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

// shared_heap.c: islands that are solved together.
void ch_dist_find_balls(ChDistributed* d);
// Once it is known which islands are: `labels` of them, by this process or in its care.
ChStatus ch_dist_open_heaps(ChContext* context, ChDistributed* d, int count, const int* labels);
void ch_dist_routes_free(ChDistributed* d);

// The functions of peers.h.
ChStatus ch_dist_see(void* self, ChContext* context, ChBodyState* end, double margin, double ahead);
ChStatus ch_dist_unite(void* self, ChContext* context, ChMoment* moment);
ChStatus ch_dist_give_back(void* self, ChContext* context);
ChStatus ch_dist_settle(void* self, ChContext* context);
int ch_dist_border(void* self, int heap, const int** bodies, const unsigned char** leads);
ChStatus ch_dist_mix(void* self, ChContext* context, bool bits, uint64_t* values);
ChStatus ch_dist_collect(void* self, ChContext* context, int count, const ChBorderImpulse* own,
                         const ChBorderImpulse** others, int* other_count);
ChStatus ch_dist_route(void* self, ChContext* context, const uint64_t* colors, uint64_t* others);
ChStatus ch_dist_swap(void* self, ChContext* context, int color, double* velocities);
void ch_dist_heap_ended(void* self, int contacts, long sweeps, bool missed);
bool ch_dist_again(void* self);
ChStatus ch_dist_agree(void* self, ChContext* context, ChStatus own);
ChStatus ch_dist_reduce(void* self, ChContext* context, double* sums, int sum_count, double* most, int most_count);
void ch_dist_abandon(void* self, const char* why);

#endif
