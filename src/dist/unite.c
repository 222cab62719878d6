// Islands that several processes share come together.
//
// Each process joins the bodies of its own contacts and joints. Where one of them is moved by another process the two
// tell each other the smallest body that theirs hangs together with, until nothing changes: the distributed form of
// disjoint sets. The smallest body names the island, and who moves that one keeps count of it: it says which process
// solves it, the one that moves most of its bodies. There go states, contacts and the reactions that they start with,
// so that the island's problem is there as a whole, in the same order and bit for bit as on a machine alone.
#include <stdlib.h>
#include <string.h>

#include "cardhouse/union_find.h"
#include "dist/dist.h"

// --- who hangs together ----------------------------------------------------------------------------------------------

static void join(ChDistributed* d, int a, int b) {
  const ChWorld* world = d->s->world;
  if (ch_dist_moves(world, a)) d->used[a] = 1;
  if (ch_dist_moves(world, b)) d->used[b] = 1;
  if (ch_dist_moves(world, a) && ch_dist_moves(world, b)) ch_sets_join(d->parent, a, b);
}

static void join_own(ChDistributed* d, const ChMoment* moment) {
  ch_sets_init(d->bodies, d->parent);
  memset(d->used, 0, (size_t)d->bodies);
  for (int g = 0; g < moment->gap_count; ++g) join(d, moment->gaps[g].body[0], moment->gaps[g].body[1]);
  for (int j = 0; j < d->joints; ++j) {
    const int* body = d->s->world->joints[j].body;
    if (ch_dist_joint_owner(d, j) == d->post.rank) join(d, body[0], body[1]);
  }
  for (int b = 0; b < d->bodies; ++b) d->label[b] = b;
  memcpy(d->touched, d->used, (size_t)d->bodies);
}

static bool add_link(ChDistributed* d, int body, int rank) {
  if (!ch_dist_grow((void**)&d->links, &d->link_room, d->link_count + 1, sizeof *d->links)) return false;
  d->links[d->link_count++] = (ChLink){.body = body, .rank = rank, .told = -1};
  return true;
}

// Both sides of a border know of it: who uses the body, and who moves it.
static ChStatus find_links(ChContext* context, ChDistributed* d) {
  bool fits = true;
  d->link_count = 0;
  for (int b = 0; b < d->bodies; ++b) {
    if (!d->used[b] || d->mine[b]) continue;
    ch_post_put(&d->post, d->owner[b], &b, sizeof b);
    fits = add_link(d, b, d->owner[b]) && fits;
  }
  ChStatus status = ch_post_exchange(context, &d->post, "bodies on borders");
  int body;
  for (int r = 0; r < d->post.size && status == CH_OK; ++r)
    while (ch_post_get(&d->post, r, &body, sizeof body)) {
      fits = add_link(d, body, r) && fits;
      d->used[body] = 1;
    }
  if (status == CH_OK && !fits) status = ch_dist_no_memory(context);
  return ch_dist_agree(d, context, status);
}

static int label_of(ChDistributed* d, int body) { return d->label[ch_sets_root(d->parent, body)]; }

static ChStatus spread_labels(ChContext* context, ChDistributed* d) {
  for (;;) {
    double told = 0.0;
    for (int k = 0; k < d->link_count; ++k) {
      ChLink* link = &d->links[k];
      int label = label_of(d, link->body);
      if (label == link->told) continue;
      link->told = label;
      told += 1.0;
      ch_post_put(&d->post, link->rank, &link->body, sizeof link->body);
      ch_post_put(&d->post, link->rank, &label, sizeof label);
    }
    ch_post_reduce(&d->post, &told, 1, NULL, 0);
    if (told == 0.0) return CH_OK;
    ChStatus status = ch_post_exchange(context, &d->post, "islands across borders");
    if (status != CH_OK) return status;
    int body, label;
    for (int r = 0; r < d->post.size; ++r)
      while (ch_post_get(&d->post, r, &body, sizeof body) && ch_post_get(&d->post, r, &label, sizeof label)) {
        int root = ch_sets_root(d->parent, body);
        if (label < d->label[root]) d->label[root] = label;
      }
  }
}

// --- where an island is solved ---------------------------------------------------------------------------------------

typedef struct Part {
  int label, root, bodies, rank;
  int odd;  // bodies that are no balls
} Part;

enum { TOGETHER = -1 };  // instead of a home

static int compare_parts(const void* a, const void* b) {
  const Part *x = a, *y = b;
  if (x->label != y->label) return x->label < y->label ? -1 : 1;
  return (x->rank > y->rank) - (x->rank < y->rank);
}

// Of the parts of one island, sorted by rank: the rank with most bodies, or TOGETHER.
static int choose_home(const ChDistributed* d, const Part* parts, int count) {
  int best = parts[0].rank, most = -1, odd = 0, all = 0;
  for (int k = 0; k < count; ++k) {
    odd += parts[k].odd;
    all += parts[k].bodies;
  }
  if (d->balls_alone && d->alone == 0 && odd == 0 && all > d->options.together) return TOGETHER;
  for (int k = 0; k < count;) {
    int rank = parts[k].rank, bodies = 0;
    for (; k < count && parts[k].rank == rank; ++k) bodies += parts[k].bodies;
    if (bodies > most) most = bodies, best = rank;
  }
  return best;
}

// Parts of islands across borders are told to whoever moves the body that the island is named by.
static void put_parts(ChDistributed* d) {
  memset(d->shared, 0, (size_t)d->bodies);
  memset(d->count, 0, (size_t)d->bodies * sizeof *d->count);
  memset(d->place, 0, (size_t)d->bodies * sizeof *d->place);  // odd ones
  for (int k = 0; k < d->link_count; ++k) d->shared[ch_sets_root(d->parent, d->links[k].body)] = 1;
  for (int b = 0; b < d->bodies; ++b) {
    if (!d->used[b] || !d->mine[b]) continue;
    int root = ch_sets_root(d->parent, b);
    ++d->count[root];
    d->place[root] += !d->ball[b];
  }
  for (int b = 0; b < d->bodies; ++b) {
    d->home[b] = d->post.rank;
    if (!d->used[b] || d->parent[b] != b) continue;
    Part part = {.label = d->label[b], .root = b, .bodies = d->count[b], .rank = d->post.rank, .odd = d->place[b]};
    if (d->shared[b])
      ch_post_put(&d->post, d->owner[part.label], &part, sizeof part);
    else
      d->home[b] = choose_home(d, &part, 1);
  }
}

// Names of islands that are solved together: those of this process alone, and those in its care.
static bool add_label(ChDistributed* d, int* count, int label) {
  if (!ch_dist_grow((void**)&d->labels, &d->label_room, *count + 1, sizeof *d->labels)) return false;
  d->labels[(*count)++] = label;
  return true;
}

static ChStatus choose_homes(ChContext* context, ChDistributed* d) {
  put_parts(d);
  ChStatus status = ch_post_exchange(context, &d->post, "parts of islands");
  if (status != CH_OK) return status;
  Part *parts = NULL, part;
  int count = 0, room = 0;
  bool fits = true;
  for (int r = 0; r < d->post.size; ++r)
    while (fits && ch_post_get(&d->post, r, &part, sizeof part)) {
      fits = ch_dist_grow((void**)&parts, &room, count + 1, sizeof *parts);
      if (fits) parts[count++] = part;
    }
  int labels = 0;
  for (int b = 0; b < d->bodies && fits; ++b)
    if (d->used[b] && d->parent[b] == b && d->home[b] == TOGETHER) fits = add_label(d, &labels, d->label[b]);
  status = ch_dist_agree(d, context, fits ? CH_OK : ch_dist_no_memory(context));
  if (status == CH_OK && count > 0) qsort(parts, (size_t)count, sizeof *parts, compare_parts);
  for (int k = 0, end; status == CH_OK && k < count; k = end) {
    for (end = k; end < count && parts[end].label == parts[k].label; ++end) continue;
    int home = choose_home(d, parts + k, end - k);
    if (home == TOGETHER) fits = add_label(d, &labels, parts[k].label) && fits;
    for (int i = k; i < end; ++i) {
      ch_post_put(&d->post, parts[i].rank, &parts[i].root, sizeof(int));
      ch_post_put(&d->post, parts[i].rank, &home, sizeof home);
    }
  }
  free(parts);
  if (status == CH_OK) status = ch_post_exchange(context, &d->post, "where islands are solved");
  int root;
  for (int r = 0; r < d->post.size && status == CH_OK; ++r)
    while (ch_post_get(&d->post, r, &root, sizeof root)) ch_post_get(&d->post, r, &d->home[root], sizeof(int));
  if (status == CH_OK) status = ch_dist_agree(d, context, fits ? CH_OK : ch_dist_no_memory(context));
  return status == CH_OK ? ch_dist_open_heaps(context, d, labels, d->labels) : status;
}

// --- there they go ---------------------------------------------------------------------------------------------------

enum Kind { BODY, GAP, MEMORY, JOINT };

static void put_kind(ChPost* post, int to, enum Kind kind) { ch_post_put(post, to, &kind, sizeof kind); }

static int home_of(ChDistributed* d, int a, int b) {
  int body = ch_dist_moves(d->s->world, a) ? a : b;
  return d->home[ch_sets_root(d->parent, body)];
}

static void put_bodies(ChDistributed* d) {
  for (int b = 0; b < d->bodies; ++b) {
    d->here[b] = d->mine[b];
    if (!d->mine[b] || !d->used[b]) continue;
    int to = d->home[ch_sets_root(d->parent, b)];
    if (to == d->post.rank || to == TOGETHER) continue;
    d->here[b] = 0;
    put_kind(&d->post, to, BODY);
    ch_post_put(&d->post, to, &b, sizeof b);
    ch_post_put(&d->post, to, &d->s->states[b], sizeof *d->s->states);
    ch_post_put(&d->post, to, &d->s->memory.unsure[b], 1);
  }
}

static void put_gap(ChDistributed* d, const ChGap* gap, int to) {
  const ChContactMemory* memory = ch_dist_recall(d, gap);
  put_kind(&d->post, to, GAP);
  ch_post_put(&d->post, to, gap, sizeof *gap);
  if (!memory) return;
  put_kind(&d->post, to, MEMORY);
  ch_post_put(&d->post, to, memory, sizeof *memory);
}

static bool put_gaps(ChDistributed* d, const ChMoment* moment) {
  d->gap_count = 0;
  if (!ch_dist_grow((void**)&d->gaps, &d->gap_room, moment->gap_count, sizeof *d->gaps)) return false;
  for (int g = 0; g < moment->gap_count; ++g) {
    const ChGap* gap = &moment->gaps[g];
    int to = home_of(d, gap->body[0], gap->body[1]);
    if (to == d->post.rank || to == TOGETHER) {
      d->gaps[d->gap_count++] = *gap;
    } else {
      put_gap(d, gap, to);
      d->cost.moved += 1.0;
    }
  }
  return true;
}

static void put_joints(ChDistributed* d) {
  for (int j = 0; j < d->joints; ++j) {
    const int* body = d->s->world->joints[j].body;
    d->joint_here[j] = 0;
    if (ch_dist_joint_owner(d, j) != d->post.rank) continue;
    int to = home_of(d, body[0], body[1]);
    d->joint_here[j] = to == d->post.rank;
    if (to == d->post.rank) continue;
    put_kind(&d->post, to, JOINT);
    ch_post_put(&d->post, to, &j, sizeof j);
    ch_post_put(&d->post, to, d->s->memory.joints + (long)j * CH_JOINT_ROWS_MAX, CH_JOINT_ROWS_MAX * sizeof(double));
  }
}

static bool take_one(ChDistributed* d, int from, enum Kind kind) {
  ChSimulation* s = d->s;
  ChContactMemory memory;
  int k;
  switch (kind) {
    case BODY:
      ch_post_get(&d->post, from, &k, sizeof k);
      ch_post_get(&d->post, from, &s->states[k], sizeof *s->states);
      ch_post_get(&d->post, from, &s->memory.unsure[k], 1);
      s->before[k] = s->states[k];
      d->here[k] = 1;
      d->guests[d->guest_count++] = k;
      return true;
    case GAP:
      if (!ch_dist_grow((void**)&d->gaps, &d->gap_room, d->gap_count + 1, sizeof *d->gaps)) return false;
      return ch_post_get(&d->post, from, &d->gaps[d->gap_count++], sizeof *d->gaps);
    case MEMORY:
      return ch_post_get(&d->post, from, &memory, sizeof memory) && ch_dist_keep_arrival(d, &memory);
    case JOINT:
      ch_post_get(&d->post, from, &k, sizeof k);
      d->joint_here[k] = 1;
      return ch_post_get(&d->post, from, s->memory.joints + (long)k * CH_JOINT_ROWS_MAX,
                         CH_JOINT_ROWS_MAX * sizeof(double));
  }
  return false;
}

// Gaps of one pair of shapes come from one process, in their order; so runs of pairs are merged, and keys sort the
// same.
static int compare_gaps(const void* a, const void* b) {
  const ChGap *x = a, *y = b;
  for (int k = 0; k < 2; ++k)
    if (x->shape[k] != y->shape[k]) return x->shape[k] < y->shape[k] ? -1 : 1;
  return (x->key > y->key) - (x->key < y->key);
}

// Merge sort, which keeps the order of equals.
static bool sort_gaps(int count, ChGap* gaps) {
  bool sorted = true;
  for (int k = 1; k < count && sorted; ++k) sorted = compare_gaps(&gaps[k - 1], &gaps[k]) <= 0;
  if (sorted) return true;
  ChGap* spare = malloc((size_t)count * sizeof *spare);
  if (!spare) return false;
  for (int run = 1; run < count; run *= 2) {
    for (int from = 0; from < count; from += 2 * run) {
      int middle = from + run < count ? from + run : count, end = middle + run < count ? middle + run : count;
      for (int a = from, b = middle, to = from; to < end; ++to)
        spare[to] = b == end || (a < middle && compare_gaps(&gaps[a], &gaps[b]) <= 0) ? gaps[a++] : gaps[b++];
    }
    memcpy(gaps, spare, (size_t)count * sizeof *gaps);
  }
  free(spare);
  return true;
}

static ChStatus take_all(ChContext* context, ChDistributed* d) {
  bool fits = true;
  enum Kind kind;
  d->guest_count = 0;
  for (int r = 0; r < d->post.size; ++r)
    while (ch_post_get(&d->post, r, &kind, sizeof kind)) fits = take_one(d, r, kind) && fits;
  for (int b = 0; b < d->bodies && d->peers.heap_count > 0; ++b)
    if (d->heap[b] >= 0 && !d->mine[b]) d->guests[d->guest_count++] = b;
  if (!fits || !sort_gaps(d->gap_count, d->gaps)) return ch_dist_no_memory(context);
  return ch_dist_merge_arrivals(context, d);
}

ChStatus ch_dist_unite(void* self, ChContext* context, ChMoment* moment) {
  ChDistributed* d = self;
  d->cost.contacts += moment->gap_count;
  join_own(d, moment);
  ChStatus status = find_links(context, d);
  if (status == CH_OK) status = spread_labels(context, d);
  if (status == CH_OK) status = choose_homes(context, d);
  if (status != CH_OK) return status;
  put_bodies(d);
  put_joints(d);
  bool fits = put_gaps(d, moment);
  status = ch_dist_agree(d, context, fits ? CH_OK : ch_dist_no_memory(context));
  if (status == CH_OK) status = ch_post_exchange(context, &d->post, "islands that are joined");
  if (status == CH_OK) status = ch_dist_agree(d, context, take_all(context, d));
  moment->gaps = d->gaps;
  moment->gap_count = d->gap_count;
  return status;
}

// --- and back --------------------------------------------------------------------------------------------------------

ChStatus ch_dist_give_back(void* self, ChContext* context) {
  ChDistributed* d = self;
  ChSimulation* s = d->s;
  int width = s->world->dimension == 2 ? 3 : 6, body;
  size_t bytes = (size_t)width * sizeof(double);
  for (int k = 0; k < d->guest_count; ++k) {
    int b = d->guests[k];
    ch_post_put(&d->post, d->owner[b], &b, sizeof b);
    ch_post_put(&d->post, d->owner[b], s->velocities + (long)b * width, bytes);
  }
  ChStatus status = ch_post_exchange(context, &d->post, "velocities that are returned");
  for (int r = 0; r < d->post.size && status == CH_OK; ++r)
    while (ch_post_get(&d->post, r, &body, sizeof body))
      ch_post_get(&d->post, r, s->velocities + (long)body * width, bytes);
  return status;
}

// What the next step starts with.
static void put_memory(ChDistributed* d) {
  ChMemory* memory = &d->s->memory;
  for (int k = 0; k < d->guest_count; ++k) {
    int b = d->guests[k], to = d->owner[b];
    put_kind(&d->post, to, BODY);
    ch_post_put(&d->post, to, &b, sizeof b);
    ch_post_put(&d->post, to, &memory->unsure[b], 1);
  }
  for (int j = 0; j < d->joints; ++j) {
    int to = ch_dist_joint_owner(d, j);
    if (!d->joint_here[j] || to == d->post.rank) continue;
    put_kind(&d->post, to, JOINT);
    ch_post_put(&d->post, to, &j, sizeof j);
    ch_post_put(&d->post, to, memory->joints + (long)j * CH_JOINT_ROWS_MAX, CH_JOINT_ROWS_MAX * sizeof(double));
  }
  int kept = 0;
  for (int k = 0; k < memory->contact_count; ++k) {
    int to = ch_dist_memory_owner(d, &memory->contacts[k]);
    if (to == d->post.rank || to < 0) {
      memory->contacts[kept++] = memory->contacts[k];
      continue;
    }
    put_kind(&d->post, to, MEMORY);
    ch_post_put(&d->post, to, &memory->contacts[k], sizeof *memory->contacts);
  }
  memory->contact_count = kept;
}

static bool take_memory(ChDistributed* d, int from, enum Kind kind) {
  ChMemory* memory = &d->s->memory;
  ChContactMemory contact;
  int k;
  switch (kind) {
    case BODY:
      return ch_post_get(&d->post, from, &k, sizeof k) && ch_post_get(&d->post, from, &memory->unsure[k], 1);
    case MEMORY:
      return ch_post_get(&d->post, from, &contact, sizeof contact) && ch_dist_keep_arrival(d, &contact);
    case JOINT:
      return ch_post_get(&d->post, from, &k, sizeof k) &&
             ch_post_get(&d->post, from, memory->joints + (long)k * CH_JOINT_ROWS_MAX,
                         CH_JOINT_ROWS_MAX * sizeof(double));
    case GAP:
      break;
  }
  return false;
}

ChStatus ch_dist_settle(void* self, ChContext* context) {
  ChDistributed* d = self;
  d->complete = false;
  put_memory(d);
  ChStatus status = ch_post_exchange(context, &d->post, "reactions that are returned");
  if (status != CH_OK) return status;
  bool fits = true;
  enum Kind kind;
  for (int r = 0; r < d->post.size; ++r)
    while (ch_post_get(&d->post, r, &kind, sizeof kind)) fits = take_memory(d, r, kind) && fits;
  return ch_dist_agree(d, context, fits ? ch_dist_merge_arrivals(context, d) : ch_dist_no_memory(context));
}
