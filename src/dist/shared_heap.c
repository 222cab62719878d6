// Islands that are solved together (step/joint_heap.h): who has contacts on the bodies at their borders, and how the
// velocities of these travel.
#include <stdlib.h>
#include <string.h>

#include "cardhouse/union_find.h"
#include "dist/dist.h"

enum { COLORS = 64, AFTER_A_MISS = 16 };  // steps for which heaps are solved by one process after one missed

// What goes to one process, or comes from it, after a colour.
typedef struct Leg {
  int rank, count, room;
  int* border;      // places in the list of borders
  double* numbers;  // six each
} Leg;

typedef struct ChRoute {
  int out_count, in_count;
  Leg *out, *in;
} ChRoute;

// --- what can be solved so -------------------------------------------------------------------------------------------

static bool is_ball(const ChWorld* world, int b) {
  const ChBody* body = &world->bodies[b];
  if (body->kind != CH_BODY_DYNAMIC || body->shape_count != 1 || body->locks != 0 || body->soft) return false;
  const ChShape* shape = &world->shapes[body->first_shape];
  const double(*m)[3] = body->inertia.m;
  bool isotropic = m[0][0] == m[1][1] && m[1][1] == m[2][2];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) isotropic = isotropic && (i == j || m[i][j] == 0.0);
  const ChVec3 at = shape->local.at;
  return shape->type == CH_SHAPE_SPHERE && isotropic && at.x == 0.0 && at.y == 0.0 && at.z == 0.0;
}

// One coefficient of friction, and nothing but friction.
static bool rubs_simply(const ChWorld* world) {
  for (int m = 0; m < world->material_count; ++m) {
    const ChMaterial* one = &world->materials[m];
    if (one->friction[0] != one->friction[1] || one->section[0] || one->section[1]) return false;
  }
  for (int k = 0; k < world->pair_count; ++k)
    if (world->pairs[k].friction[0] != world->pairs[k].friction[1]) return false;
  return world->curve_count == 0 && !ch_world_has_moments(world) && !ch_world_is_cohesive(world);
}

void ch_dist_find_balls(ChDistributed* d) {
  const ChWorld* world = d->s->world;
  const ChSimulationOptions* o = &d->s->options;
  bool method = strcmp(o->solve.method, "auto") == 0 || strcmp(o->solve.method, "ansgs") == 0;
  d->balls_alone =
      world->dimension == 3 && rubs_simply(world) && method && o->solve.pose == CH_POSE_COULOMB && o->cone_sides == 0;
  for (int b = 0; b < d->bodies; ++b) d->ball[b] = is_ball(world, b);
  for (int j = 0; j < d->joints; ++j)
    for (int side = 0; side < 2; ++side)
      if (world->joints[j].body[side] >= 0) d->ball[world->joints[j].body[side]] = 0;
}

// --- borders ---------------------------------------------------------------------------------------------------------

static int compare_labels(const void* a, const void* b) {
  const int *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

// All hear of all heaps, and number them in the same way.
static ChStatus share_labels(ChContext* context, ChDistributed* d, int count, const int* labels) {
  for (int k = 0; k < count; ++k)
    for (int r = 0; r < d->post.size; ++r) ch_post_put(&d->post, r, &labels[k], sizeof(int));
  ChStatus status = ch_post_exchange(context, &d->post, "heaps");
  int all = 0, label;
  bool fits = true;
  for (int r = 0; r < d->post.size && status == CH_OK; ++r)
    while (fits && ch_post_get(&d->post, r, &label, sizeof label)) {
      fits = ch_dist_grow((void**)&d->labels, &d->label_room, all + 1, sizeof *d->labels);
      if (fits) d->labels[all++] = label;
    }
  if (all > 0) qsort(d->labels, (size_t)all, sizeof *d->labels, compare_labels);
  d->peers.heap_count = all;
  return status == CH_OK && !fits ? ch_dist_no_memory(context) : status;
}

static void mark_bodies(ChDistributed* d) {
  for (int b = 0; b < d->bodies; ++b) {
    d->heap[b] = -1;
    if (!d->used[b] || d->peers.heap_count == 0) continue;
    int label = d->label[ch_sets_root(d->parent, b)];
    const int* found = bsearch(&label, d->labels, (size_t)d->peers.heap_count, sizeof label, compare_labels);
    if (found) d->heap[b] = (int)(found - d->labels);
  }
}

static bool add_border(ChDistributed* d, int body) {
  ChBorders* b = &d->borders;
  bool fits = ch_dist_grow((void**)&b->body, &b->body_room, b->count + 1, sizeof(int)) &&
              ch_dist_grow((void**)&b->heap, &b->heap_room, b->count + 1, sizeof(int)) &&
              ch_dist_grow((void**)&b->start, &b->start_room, b->count + 2, sizeof(int));
  if (!fits) return false;
  b->body[b->count] = body;
  b->heap[b->count] = d->heap[body];
  if (b->count == 0) b->start[0] = 0;
  b->start[b->count + 1] = b->start[b->count];
  ++b->count;
  return true;
}

static bool add_rank(ChDistributed* d, int rank) {
  ChBorders* b = &d->borders;
  int* end = &b->start[b->count];
  if (!ch_dist_grow((void**)&b->rank, &b->rank_room, *end + 1, sizeof(int))) return false;
  b->rank[(*end)++] = rank;
  return true;
}

static int compare_links(const void* a, const void* b) {
  const ChLink *x = a, *y = b;
  if (x->body != y->body) return x->body < y->body ? -1 : 1;
  return (x->rank > y->rank) - (x->rank < y->rank);
}

// Who moves a body knows who has contacts on it, and tells them of each other.
static void tell_borders(ChDistributed* d) {
  if (d->link_count > 0) qsort(d->links, (size_t)d->link_count, sizeof *d->links, compare_links);
  for (int k = 0, end; k < d->link_count; k = end) {
    int body = d->links[k].body;
    for (end = k; end < d->link_count && d->links[end].body == body; ++end) continue;
    if (d->heap[body] < 0 || !d->mine[body]) continue;
    int count = end - k + (d->touched[body] != 0);
    for (int to = k; to < end + (d->touched[body] != 0) && count > 1; ++to) {
      int rank = to < end ? d->links[to].rank : d->post.rank;
      ch_post_put(&d->post, rank, &body, sizeof body);
      ch_post_put(&d->post, rank, &count, sizeof count);
      for (int j = k; j < end; ++j) ch_post_put(&d->post, rank, &d->links[j].rank, sizeof(int));
      if (d->touched[body]) ch_post_put(&d->post, rank, &d->post.rank, sizeof(int));
    }
  }
}

static bool take_borders(ChDistributed* d) {
  int body, count, rank;
  bool fits = true;
  d->borders.count = 0;
  for (int r = 0; r < d->post.size; ++r)
    while (fits && ch_post_get(&d->post, r, &body, sizeof body)) {
      ch_post_get(&d->post, r, &count, sizeof count);
      fits = add_border(d, body);
      for (int k = 0; k < count; ++k) {
        ch_post_get(&d->post, r, &rank, sizeof rank);
        if (rank != d->post.rank) fits = fits && add_rank(d, rank);
      }
    }
  return fits;
}

ChStatus ch_dist_open_heaps(ChContext* context, ChDistributed* d, int count, const int* labels) {
  ChStatus status = share_labels(context, d, count, labels);
  status = ch_dist_agree(d, context, status);
  if (status != CH_OK) return status;
  mark_bodies(d);
  d->borders.count = 0;
  if (d->peers.heap_count == 0) return CH_OK;
  tell_borders(d);
  status = ch_post_exchange(context, &d->post, "borders of heaps");
  if (status == CH_OK && !take_borders(d)) status = ch_dist_no_memory(context);
  return ch_dist_agree(d, context, status);
}

// --- one heap at a time ----------------------------------------------------------------------------------------------

// Homes and counts have done their work by now: their room takes the bodies, and their places among all borders.
int ch_dist_border(void* self, int heap, const int** bodies, const unsigned char** leads) {
  ChDistributed* d = self;
  ChBorders* b = &d->borders;
  d->border_count = 0;
  for (int k = 0; k < b->count; ++k) {
    if (b->heap[k] != heap) continue;
    d->place[b->body[k]] = d->border_count;
    d->count[d->border_count] = k;
    d->shared[d->border_count] = 1;
    for (int i = b->start[k]; i < b->start[k + 1]; ++i)
      if (b->rank[i] < d->post.rank) d->shared[d->border_count] = 0;
    d->home[d->border_count++] = b->body[k];
  }
  *leads = d->shared;
  *bodies = d->home;
  return d->border_count;
}

static int ranks_of(const ChDistributed* d, int border, const int** ranks) {
  const ChBorders* b = &d->borders;
  int k = d->count[border];
  *ranks = b->rank + b->start[k];
  return b->start[k + 1] - b->start[k];
}

static void put_to_others(ChDistributed* d, int border, const void* bytes, size_t size) {
  const int *ranks, count = ranks_of(d, border, &ranks);
  for (int k = 0; k < count; ++k) {
    ch_post_put(&d->post, ranks[k], &d->home[border], sizeof(int));
    ch_post_put(&d->post, ranks[k], bytes, size);
  }
}

ChStatus ch_dist_mix(void* self, ChContext* context, bool bits, uint64_t* values) {
  ChDistributed* d = self;
  for (int k = 0; k < d->border_count; ++k) put_to_others(d, k, &values[k], sizeof *values);
  ChStatus status = ch_post_exchange(context, &d->post, "colours of a heap");
  int body;
  uint64_t value;
  for (int r = 0; r < d->post.size && status == CH_OK; ++r)
    while (ch_post_get(&d->post, r, &body, sizeof body) && ch_post_get(&d->post, r, &value, sizeof value)) {
      uint64_t* own = &values[d->place[body]];
      *own = bits ? *own | value : value > *own ? value : *own;
    }
  return status;
}

ChStatus ch_dist_collect(void* self, ChContext* context, int count, const ChBorderImpulse* own,
                         const ChBorderImpulse** others, int* other_count) {
  ChDistributed* d = self;
  for (int i = 0; i < count; ++i) {
    const int *ranks, many = ranks_of(d, d->place[own[i].body], &ranks);
    for (int k = 0; k < many; ++k) ch_post_put(&d->post, ranks[k], &own[i], sizeof own[i]);
  }
  ChStatus status = ch_post_exchange(context, &d->post, "impulses of a heap");
  bool fits = true;
  *other_count = 0;
  ChBorderImpulse one;
  for (int r = 0; r < d->post.size && status == CH_OK; ++r)
    while (ch_post_get(&d->post, r, &one, sizeof one)) {
      fits = fits && ch_dist_grow((void**)&d->received, &d->received_room, *other_count + 1, sizeof one);
      if (fits) d->received[(*other_count)++] = one;
    }
  *others = d->received;
  if (!fits) ch_dist_abandon(d, "out of memory for the impulses of a heap");
  return status;
}

// --- colour by colour ------------------------------------------------------------------------------------------------

static void free_legs(int count, Leg* legs) {
  for (int k = 0; k < count; ++k) {
    free(legs[k].border);
    free(legs[k].numbers);
  }
  free(legs);
}

void ch_dist_routes_free(ChDistributed* d) {
  for (int c = 0; c < COLORS && d->routes; ++c) {
    free_legs(d->routes[c].out_count, d->routes[c].out);
    free_legs(d->routes[c].in_count, d->routes[c].in);
  }
  free(d->routes);
  d->routes = NULL;
}

static bool add_to_leg(Leg** legs, int* count, int rank, int border) {
  int k = 0;
  while (k < *count && (*legs)[k].rank != rank) ++k;
  if (k == *count) {
    Leg* larger = realloc(*legs, (size_t)(k + 1) * sizeof *larger);
    if (!larger) return false;
    *legs = larger;
    larger[(*count)++] = (Leg){.rank = rank};
  }
  Leg* leg = &(*legs)[k];
  if (leg->count == leg->room) {
    int room = leg->room ? 2 * leg->room : 16;
    int* borders = realloc(leg->border, (size_t)room * sizeof *borders);
    if (borders) leg->border = borders;
    double* numbers = realloc(leg->numbers, 6 * (size_t)room * sizeof *numbers);
    if (numbers) leg->numbers = numbers;
    if (!borders || !numbers) return false;
    leg->room = room;
  }
  leg->border[leg->count++] = border;
  return true;
}

// Both sides list the bodies of a colour in the order of the bodies: they are told so, from one list.
static bool make_routes(ChDistributed* d, const uint64_t* colors) {
  for (int c = 0; c < COLORS; ++c)
    for (int k = 0; k < d->border_count; ++k) {
      const int *ranks, many = ranks_of(d, k, &ranks);
      for (int i = 0; i < many && (colors[k] >> c & 1); ++i)
        if (!add_to_leg(&d->routes[c].out, &d->routes[c].out_count, ranks[i], k)) return false;
    }
  return true;
}

ChStatus ch_dist_route(void* self, ChContext* context, const uint64_t* colors, uint64_t* others) {
  ChDistributed* d = self;
  ch_dist_routes_free(d);
  d->routes = calloc(COLORS, sizeof *d->routes);
  if (!d->routes || !make_routes(d, colors)) ch_dist_abandon(d, "out of memory for the borders of a heap");
  memset(others, 0, (size_t)d->border_count * sizeof *others);
  for (int k = 0; k < d->border_count; ++k) put_to_others(d, k, &colors[k], sizeof *colors);
  ChStatus status = ch_post_exchange(context, &d->post, "owners of the bodies of a heap");
  int body;
  uint64_t value;
  bool fits = true;
  for (int r = 0; r < d->post.size && status == CH_OK; ++r)
    while (ch_post_get(&d->post, r, &body, sizeof body) && ch_post_get(&d->post, r, &value, sizeof value)) {
      int border = d->place[body];
      others[border] |= value;
      for (int c = 0; c < COLORS && fits; ++c)
        if (value >> c & 1) fits = add_to_leg(&d->routes[c].in, &d->routes[c].in_count, r, border);
    }
  if (!fits) ch_dist_abandon(d, "out of memory for the borders of a heap");
  return status;
}

ChStatus ch_dist_swap(void* self, ChContext* context, int color, double* v) {
  enum { TAG = 2 };
  ChDistributed* d = self;
  ChRoute* route = &d->routes[color];
  int count = 0;
  if (route->in_count + route->out_count == 0) return CH_OK;
  ch_post_wait(&d->post, "velocities at the border of a heap");
  for (int k = 0; k < route->in_count; ++k) {
    Leg* leg = &route->in[k];
    MPI_Irecv(leg->numbers, 6 * leg->count, MPI_DOUBLE, leg->rank, TAG, d->post.comm, &d->post.requests[count++]);
  }
  for (int k = 0; k < route->out_count; ++k) {
    Leg* leg = &route->out[k];
    for (int i = 0; i < leg->count; ++i) memcpy(leg->numbers + 6L * i, v + 6L * leg->border[i], 6 * sizeof(double));
    MPI_Isend(leg->numbers, 6 * leg->count, MPI_DOUBLE, leg->rank, TAG, d->post.comm, &d->post.requests[count++]);
    d->post.messages += 1.0;
    d->post.bytes += 48.0 * leg->count;
  }
  int done = MPI_Waitall(count, d->post.requests, MPI_STATUSES_IGNORE);
  ch_post_waited(&d->post);
  for (int k = 0; k < route->in_count; ++k) {
    const Leg* leg = &route->in[k];
    for (int i = 0; i < leg->count; ++i) memcpy(v + 6L * leg->border[i], leg->numbers + 6L * i, 6 * sizeof(double));
  }
  return done == MPI_SUCCESS ? CH_OK : ch_fail(context, CH_ERR_DEVICE, "messages between processes failed (a heap)");
}

// --- how it went -----------------------------------------------------------------------------------------------------

void ch_dist_heap_ended(void* self, int contacts, long sweeps, bool missed) {
  ChDistributed* d = self;
  d->cost.together += contacts;
  d->cost.sweeps += (double)sweeps;
  if (!missed) return;
  d->alone = AFTER_A_MISS;
  d->retry = true;
}

bool ch_dist_again(void* self) {
  ChDistributed* d = self;
  bool again = d->retry;
  d->retry = false;
  return again;
}
