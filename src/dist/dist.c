// The life of a distributed world, and what all processes agree on.
#include "dist/dist.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cardhouse/clock.h"

ChDistributedOptions ch_distributed_options_default(void) {
  return (ChDistributedOptions){.patience = 300.0, .together = 2000};
}

ChStatus ch_dist_no_memory(ChContext* context) {
  return ch_fail(context, CH_ERR_MEMORY, "out of memory for a part of a distributed world");
}

bool ch_dist_grow(void** list, int* room, int count, size_t size) {
  if (count <= *room) return true;
  int wanted = count < 32 ? 64 : 2 * count;
  void* larger = realloc(*list, (size_t)wanted * size);
  if (!larger) return false;
  *list = larger;
  *room = wanted;
  return true;
}

// --- MPI's beginning and end -----------------------------------------------------------------------------------------

ChStatus ch_distributed_begin(ChContext* context, const ChDistributedOptions* options, ChDistributed** out) {
  *out = NULL;
  if (!(options->patience > 0.0))
    return ch_fail(context, CH_ERR_RANGE, "patience is %g s, must be positive", options->patience);
  if (options->together < 1)
    return ch_fail(context, CH_ERR_RANGE, "together is %d, must be 1 or more", options->together);
  int given = 0;
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS)
    return ch_fail(context, CH_ERR_DEVICE, "MPI does not start");
  ChDistributed* d = calloc(1, sizeof *d);
  if (!d) return ch_dist_no_memory(context);
  d->options = *options;
  ChStatus status = ch_post_create(context, options->patience, &d->post);
  if (status != CH_OK) {
    free(d);
    return status;
  }
  *out = d;
  return CH_OK;
}

static void free_arrays(ChDistributed* d) {
  void* const all[] = {d->owner,         d->mine,         d->near,    d->here,   d->joint_here,   d->reach,
                       d->boxes,         d->parent,       d->label,   d->home,   d->used,         d->shared,
                       d->count,         d->guests,       d->links,   d->gaps,   d->arrived,      d->heap,
                       d->place,         d->ball,         d->touched, d->labels, d->borders.body, d->borders.heap,
                       d->borders.start, d->borders.rank, d->received};
  for (size_t k = 0; k < sizeof all / sizeof *all; ++k) free(all[k]);
}

void ch_distributed_end(ChDistributed* d) {
  if (!d) return;
  if (d->s) d->s->peers = NULL;
  ch_post_wait(&d->post, "ending");
  ch_shares_destroy(d->shares);
  ch_dist_routes_free(d);
  MPI_Comm_free(&d->post.comm);
  MPI_Finalize();
  ch_post_waited(&d->post);
  ch_post_destroy(&d->post);
  free_arrays(d);
  free(d);
}

int ch_distributed_rank(const ChDistributed* d) { return d->post.rank; }
int ch_distributed_size(const ChDistributed* d) { return d->post.size; }

// --- what all agree on -----------------------------------------------------------------------------------------------

// Failures that stop a run go before those that only end a try.
static double weight_of(ChStatus status) { return status == CH_OK ? 0.0 : status >= CH_ERR_ARGUMENT ? 2.0 : 1.0; }

ChStatus ch_dist_agree(void* self, ChContext* context, ChStatus own) {
  ChDistributed* d = self;
  double most[2] = {weight_of(own), 0.0};
  double mine = most[0];
  ch_post_reduce(&d->post, NULL, 0, most, 1);
  if (!(most[0] > 0.0)) return CH_OK;
  double first = mine == most[0] ? (double)(d->post.size - d->post.rank) : 0.0;
  ch_post_reduce(&d->post, NULL, 0, &first, 1);
  struct {
    ChStatus status;
    char message[CH_MESSAGE_SIZE];
  } told = {.status = own};
  if (context && context->message[0]) snprintf(told.message, sizeof told.message, "%s", context->message);
  int from = d->post.size - (int)first;
  ch_post_tell(&d->post, from, &told, sizeof told);
  if (told.status == own && from == d->post.rank) return own;
  return ch_fail(context, told.status, "%s", told.message);
}

ChStatus ch_distributed_agree(ChContext* context, ChDistributed* d, ChStatus own) {
  return ch_dist_agree(d, context, own);
}

ChStatus ch_dist_reduce(void* self, ChContext* context, double* sums, int sum_count, double* most, int most_count) {
  (void)context;
  ChDistributed* d = self;
  ch_post_reduce(&d->post, sums, sum_count, most, most_count);
  return CH_OK;
}

ChStatus ch_distributed_any(ChContext* context, ChDistributed* d, bool* flag) {
  double most = *flag;
  ChStatus status = ch_dist_reduce(d, context, NULL, 0, &most, 1);
  *flag = most > 0.0;
  return status;
}

void ch_dist_abandon(void* self, const char* why) {
  enum { LOST = 3 };
  const ChDistributed* d = self;
  fprintf(stderr, "cardhouse: process %d of %d: %s; the run ends here, its last checkpoint is good\n", d->post.rank,
          d->post.size, why);
  fflush(stderr);
  _exit(LOST);
}

// --- sharing out -----------------------------------------------------------------------------------------------------

static void* zeros(size_t count, size_t size) { return calloc(count + 1, size); }

static bool take_arrays(ChDistributed* d) {
  size_t n = (size_t)d->bodies;
  d->owner = zeros(n, sizeof(int));
  d->mine = zeros(n, 1);
  d->near = zeros(n, 1);
  d->here = zeros(n, 1);
  d->joint_here = zeros((size_t)d->joints, 1);
  d->reach = zeros(n, sizeof(double));
  d->boxes = zeros(6 * (size_t)d->post.size, sizeof(double));
  d->parent = zeros(n, sizeof(int));
  d->label = zeros(n, sizeof(int));
  d->home = zeros(n, sizeof(int));
  d->used = zeros(n, 1);
  d->shared = zeros(n, 1);
  d->count = zeros(n, sizeof(int));
  d->guests = zeros(n, sizeof(int));
  d->heap = zeros(n, sizeof(int));
  d->place = zeros(n, sizeof(int));
  d->ball = zeros(n, 1);
  d->touched = zeros(n, 1);
  return d->heap && d->place && d->ball && d->touched && d->owner && d->mine && d->near && d->here && d->joint_here &&
         d->reach && d->boxes && d->parent && d->label && d->home && d->used && d->shared && d->count && d->guests;
}

static void find_reaches(ChDistributed* d) {
  const ChWorld* world = d->s->world;
  for (int b = 0; b < d->bodies; ++b)
    for (int k = 0; k < world->bodies[b].shape_count; ++k)
      d->reach[b] = fmax(d->reach[b], world->shapes[world->bodies[b].first_shape + k].reach);
}

ChStatus ch_distributed_share(ChContext* context, ChDistributed* d, ChSimulation* s) {
  ChStatus status = ch_dist_refuse(context, s);
  if (status != CH_OK) return status;
  d->s = s;
  d->bodies = s->world->body_count;
  d->joints = s->world->joint_count;
  if (!take_arrays(d)) return ch_dist_no_memory(context);
  find_reaches(d);
  ch_dist_find_balls(d);
  status = ch_shares_create(context, d);
  if (status != CH_OK) return status;
  d->peers = (ChPeers){.self = d,
                       .mine = d->mine,
                       .near = d->near,
                       .here = d->here,
                       .joint_here = d->joint_here,
                       .see = ch_dist_see,
                       .unite = ch_dist_unite,
                       .give_back = ch_dist_give_back,
                       .settle = ch_dist_settle,
                       .agree = ch_dist_agree,
                       .reduce = ch_dist_reduce,
                       .first = d->post.rank == 0,
                       .heap = d->heap,
                       .border = ch_dist_border,
                       .mix = ch_dist_mix,
                       .collect = ch_dist_collect,
                       .route = ch_dist_route,
                       .swap = ch_dist_swap,
                       .ended = ch_dist_heap_ended,
                       .again = ch_dist_again,
                       .abandon = ch_dist_abandon};
  s->peers = &d->peers;
  return CH_OK;
}

static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

ChStatus ch_distributed_step(ChContext* context, ChDistributed* d, ChStepInfo* info) {
  d->post.step = d->s->step + 1;
  if (d->alone > 0) --d->alone;
  double began = processor_seconds() - d->post.waited_processor;
  ChStatus status = ch_shares_renew(context, d);
  if (status == CH_OK) status = ch_simulation_step(context, d->s, info);
  d->cost.busy += processor_seconds() - d->post.waited_processor - began;
  if (status == CH_OK) ++d->cost.steps;
  return status;
}

ChStatus ch_distributed_costs(ChContext* context, ChDistributed* d, ChDistributedCost* costs) {
  d->cost.waiting = d->post.waiting;
  d->cost.messages = d->post.messages;
  d->cost.bytes = d->post.bytes;
  ch_post_put(&d->post, 0, &d->cost, sizeof d->cost);
  ChStatus status = ch_post_exchange(context, &d->post, "counting costs");
  for (int r = 0; r < d->post.size && d->post.rank == 0 && status == CH_OK; ++r)
    ch_post_get(&d->post, r, &costs[r], sizeof costs[r]);
  return status;
}
