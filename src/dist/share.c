// Who moves which body: space is cut by recursive bisection (Zoltan's RCB), and a body belongs to the part that its
// centre is in. The cuts are the same everywhere, and stay until the load of the parts differs too much; a body whose
// centre crosses one goes over to its new process before the next step, with all that belongs to it: state, reactions
// of its contacts and joints. Everybody is told, so that everybody knows who moves which body.
//
// The load of a body is 1 + CONTACT_LOAD times its contacts, counted, not measured by a clock: the same run is cut in
// the same way.
#include <stdlib.h>
#include <string.h>
#include <zoltan.h>

#include "dist/dist.h"

#define CONTACT_LOAD 1.0
#define UNEVEN 1.1    // largest load over the mean from which on space is cut anew,
#define WORSE 1.05    // where it has grown by this since it was last cut
enum { LOOKS = 10 };  // steps from look to look at the load

struct ChShares {
  struct Zoltan_Struct* zoltan;
  ChDistributed* d;
  float* load;  // of bodies
  int *moving, *to;
  int count, room, to_room;
  double uneven;  // after the last cut
  long next;      // step of the next look
};

// --- what Zoltan asks ------------------------------------------------------------------------------------------------

static int count_objects(void* user, int* error) {
  const ChDistributed* d = ((ChShares*)user)->d;
  int count = 0;
  for (int b = 0; b < d->bodies; ++b) count += d->mine[b];
  *error = ZOLTAN_OK;
  return count;
}

static void list_objects(void* user, int ids, int locals, ZOLTAN_ID_PTR id, ZOLTAN_ID_PTR local, int weights,
                         float* weight, int* error) {
  const ChShares* shares = user;
  (void)ids, (void)locals, (void)local, (void)weights;
  for (int b = 0, k = 0; b < shares->d->bodies; ++b) {
    if (!shares->d->mine[b]) continue;
    id[k] = (ZOLTAN_ID_TYPE)b;
    weight[k++] = shares->load[b];
  }
  *error = ZOLTAN_OK;
}

static int count_dimensions(void* user, int* error) {
  *error = ZOLTAN_OK;
  return ((ChShares*)user)->d->s->world->dimension;
}

static void list_places(void* user, int ids, int locals, int count, ZOLTAN_ID_PTR id, ZOLTAN_ID_PTR local,
                        int dimension, double* place, int* error) {
  const ChDistributed* d = ((ChShares*)user)->d;
  (void)ids, (void)locals, (void)local;
  for (int k = 0; k < count; ++k)
    for (int a = 0; a < dimension; ++a) place[(long)k * dimension + a] = ch_component(d->s->states[id[k]].position, a);
  *error = ZOLTAN_OK;
}

// --- cutting ---------------------------------------------------------------------------------------------------------

static ChStatus fail(ChContext* context) { return ch_fail(context, CH_ERR_DEVICE, "Zoltan cannot divide space"); }

static ChStatus make_zoltan(ChContext* context, ChShares* shares) {
  static const char* const settings[][2] = {
      {"DEBUG_LEVEL", "0"},      {"LB_METHOD", "RCB"},     {"KEEP_CUTS", "1"},       {"RCB_REUSE", "1"},
      {"OBJ_WEIGHT_DIM", "1"},   {"NUM_GID_ENTRIES", "1"}, {"NUM_LID_ENTRIES", "0"}, {"IMBALANCE_TOL", "1.02"},
      {"RCB_OUTPUT_LEVEL", "0"}, {"RETURN_LISTS", "NONE"}};
  float version;
  if (Zoltan_Initialize(0, NULL, &version) != ZOLTAN_OK) return fail(context);
  shares->zoltan = Zoltan_Create(shares->d->post.comm);
  if (!shares->zoltan) return fail(context);
  for (size_t k = 0; k < sizeof settings / sizeof *settings; ++k)
    if (Zoltan_Set_Param(shares->zoltan, settings[k][0], settings[k][1]) != ZOLTAN_OK) return fail(context);
  Zoltan_Set_Num_Obj_Fn(shares->zoltan, count_objects, shares);
  Zoltan_Set_Obj_List_Fn(shares->zoltan, list_objects, shares);
  Zoltan_Set_Num_Geom_Fn(shares->zoltan, count_dimensions, shares);
  Zoltan_Set_Geom_Multi_Fn(shares->zoltan, list_places, shares);
  return CH_OK;
}

static void weigh(ChShares* shares) {
  const ChDistributed* d = shares->d;
  const ChMemory* memory = &d->s->memory;
  for (int b = 0; b < d->bodies; ++b) shares->load[b] = 1.0f;
  for (int k = 0; k < memory->contact_count; ++k)
    for (int side = 0; side < 2; ++side) {
      int body = d->s->world->shapes[memory->contacts[k].shape[side]].body;
      shares->load[body] += (float)(0.5 * CONTACT_LOAD);
    }
}

static double unevenness(ChShares* shares) {
  const ChDistributed* d = shares->d;
  double own = 0.0, sum, most;
  for (int b = 0; b < d->bodies; ++b) own += d->mine[b] ? shares->load[b] : 0.0;
  sum = most = own;
  ch_post_reduce(&shares->d->post, &sum, 1, &most, 1);
  return sum > 0.0 ? most * d->post.size / sum : 1.0;
}

static ChStatus cut(ChContext* context, ChShares* shares) {
  int changes, ids, locals, in, out, *in_ranks = NULL, *in_parts = NULL, *out_ranks = NULL, *out_parts = NULL;
  ZOLTAN_ID_PTR in_ids = NULL, in_locals = NULL, out_ids = NULL, out_locals = NULL;
  ch_post_wait(&shares->d->post, "dividing space");
  int done = Zoltan_LB_Partition(shares->zoltan, &changes, &ids, &locals, &in, &in_ids, &in_locals, &in_ranks,
                                 &in_parts, &out, &out_ids, &out_locals, &out_ranks, &out_parts);
  ch_post_waited(&shares->d->post);
  if (done != ZOLTAN_OK && done != ZOLTAN_WARN) return fail(context);
  Zoltan_LB_Free_Part(&in_ids, &in_locals, &in_ranks, &in_parts);
  Zoltan_LB_Free_Part(&out_ids, &out_locals, &out_ranks, &out_parts);
  ++shares->d->cost.balances;
  return CH_OK;
}

// The rank that a body's centre belongs to.
static int rank_of(const ChShares* shares, int body) {
  const ChVec3 at = shares->d->s->states[body].position;
  double place[3] = {at.x, at.y, at.z};
  int rank = shares->d->post.rank;
  if (Zoltan_LB_Point_Assign(shares->zoltan, place, &rank) != ZOLTAN_OK) return shares->d->owner[body];
  return rank;
}

// --- going over ------------------------------------------------------------------------------------------------------

enum Kind { BODY, CONTACT, JOINT };

static ChStatus list_moves(ChContext* context, ChShares* shares) {
  ChDistributed* d = shares->d;
  shares->count = 0;
  for (int b = 0; b < d->bodies; ++b) {
    if (!d->mine[b]) continue;
    int to = rank_of(shares, b);
    if (to == d->post.rank) continue;
    if (!ch_dist_grow((void**)&shares->moving, &shares->room, shares->count + 1, sizeof(int)) ||
        !ch_dist_grow((void**)&shares->to, &shares->to_room, shares->count + 1, sizeof(int)))
      return ch_dist_no_memory(context);
    shares->moving[shares->count] = b;
    shares->to[shares->count++] = to;
  }
  return CH_OK;
}

// Everybody hears of all moves; `owner` is the new one from then on, `home` the old one of those that moved.
static ChStatus tell_moves(ChContext* context, ChShares* shares) {
  ChDistributed* d = shares->d;
  for (int k = 0; k < shares->count; ++k)
    for (int r = 0; r < d->post.size; ++r) {
      ch_post_put(&d->post, r, &shares->moving[k], sizeof(int));
      ch_post_put(&d->post, r, &shares->to[k], sizeof(int));
    }
  ChStatus status = ch_post_exchange(context, &d->post, "bodies that change process");
  memcpy(d->home, d->owner, (size_t)d->bodies * sizeof *d->home);
  int body;
  for (int r = 0; r < d->post.size && status == CH_OK; ++r)
    while (ch_post_get(&d->post, r, &body, sizeof body)) ch_post_get(&d->post, r, &d->owner[body], sizeof(int));
  return status;
}

static int owner_before(const ChDistributed* d, int a, int b) {
  int first = a < b ? a : b, second = a < b ? b : a;
  return ch_dist_moves(d->s->world, first) ? d->home[first] : ch_dist_moves(d->s->world, second) ? d->home[second] : -1;
}

static void put_kind(ChPost* post, int to, enum Kind kind) { ch_post_put(post, to, &kind, sizeof kind); }

static void put_moves(ChShares* shares) {
  ChDistributed* d = shares->d;
  const ChMemory* memory = &d->s->memory;
  for (int k = 0; k < shares->count; ++k) {
    int b = shares->moving[k], to = shares->to[k];
    put_kind(&d->post, to, BODY);
    ch_post_put(&d->post, to, &b, sizeof b);
    ch_post_put(&d->post, to, &d->s->states[b], sizeof *d->s->states);
    ch_post_put(&d->post, to, &memory->unsure[b], 1);
  }
  for (int k = 0; k < memory->contact_count; ++k) {
    const ChShape* shapes = d->s->world->shapes;
    const ChContactMemory* m = &memory->contacts[k];
    int to = ch_dist_memory_owner(d, m);
    if (to == d->post.rank || to < 0) continue;
    if (owner_before(d, shapes[m->shape[0]].body, shapes[m->shape[1]].body) != d->post.rank) continue;
    put_kind(&d->post, to, CONTACT);
    ch_post_put(&d->post, to, m, sizeof *m);
  }
  for (int j = 0; j < d->joints; ++j) {
    const int* body = d->s->world->joints[j].body;
    int to = ch_dist_joint_owner(d, j);
    if (to == d->post.rank || to < 0 || owner_before(d, body[0], body[1]) != d->post.rank) continue;
    put_kind(&d->post, to, JOINT);
    ch_post_put(&d->post, to, &j, sizeof j);
    ch_post_put(&d->post, to, memory->joints + (long)j * CH_JOINT_ROWS_MAX, CH_JOINT_ROWS_MAX * sizeof(double));
  }
}

static bool take_one(ChDistributed* d, int from, enum Kind kind) {
  ChMemory* memory = &d->s->memory;
  ChContactMemory contact;
  int k;
  switch (kind) {
    case BODY:
      ch_post_get(&d->post, from, &k, sizeof k);
      ch_post_get(&d->post, from, &d->s->states[k], sizeof *d->s->states);
      return ch_post_get(&d->post, from, &memory->unsure[k], 1);
    case CONTACT:
      return ch_post_get(&d->post, from, &contact, sizeof contact) && ch_dist_keep_arrival(d, &contact);
    case JOINT:
      ch_post_get(&d->post, from, &k, sizeof k);
      return ch_post_get(&d->post, from, memory->joints + (long)k * CH_JOINT_ROWS_MAX,
                         CH_JOINT_ROWS_MAX * sizeof(double));
  }
  return false;
}

static ChStatus go_over(ChContext* context, ChShares* shares) {
  ChDistributed* d = shares->d;
  put_moves(shares);
  d->cost.moves += shares->count;
  ChStatus status = ch_post_exchange(context, &d->post, "data of bodies that change process");
  if (status != CH_OK) return status;
  for (int b = 0; b < d->bodies; ++b) d->mine[b] = d->owner[b] == d->post.rank;
  bool fits = true;
  enum Kind kind;
  for (int r = 0; r < d->post.size; ++r)
    while (ch_post_get(&d->post, r, &kind, sizeof kind)) fits = take_one(d, r, kind) && fits;
  return fits ? ch_dist_merge_arrivals(context, d) : ch_dist_no_memory(context);
}

ChStatus ch_shares_renew(ChContext* context, ChDistributed* d) {
  ChShares* shares = d->shares;
  if (d->post.size == 1) return CH_OK;
  ChStatus status = CH_OK;
  if (d->s->step >= shares->next) {
    shares->next = d->s->step + LOOKS;
    weigh(shares);
    double uneven = unevenness(shares);
    if (uneven > UNEVEN && uneven > WORSE * shares->uneven) {
      status = cut(context, shares);
      shares->uneven = 0.0;  // to be found with the next look
    } else if (shares->uneven == 0.0) {
      shares->uneven = uneven;
    }
  }
  if (status == CH_OK) status = list_moves(context, shares);
  status = ch_dist_agree(d, context, status);
  if (status != CH_OK) return status;
  double moves = shares->count;
  ch_post_reduce(&d->post, &moves, 1, NULL, 0);
  if (moves == 0.0) return CH_OK;
  status = tell_moves(context, shares);
  if (status == CH_OK) status = go_over(context, shares);
  return ch_dist_agree(d, context, status);
}

// --- the first time --------------------------------------------------------------------------------------------------

// All know all states: nothing needs to be sent. For a start, bodies are dealt out in their order.
static ChStatus deal_out(ChContext* context, ChShares* shares) {
  ChDistributed* d = shares->d;
  for (int b = 0; b < d->bodies; ++b) {
    bool moves = ch_dist_moves(d->s->world, b);
    d->owner[b] = moves ? (int)((long)b * d->post.size / d->bodies) : -1;
    d->mine[b] = moves && d->owner[b] == d->post.rank;
  }
  weigh(shares);
  ChStatus status = ch_dist_agree(d, context, d->post.size > 1 ? cut(context, shares) : CH_OK);
  for (int b = 0; b < d->bodies && status == CH_OK && d->post.size > 1; ++b) {
    if (d->owner[b] >= 0) d->owner[b] = rank_of(shares, b);
    d->mine[b] = d->owner[b] == d->post.rank;
  }
  return status;
}

ChStatus ch_shares_create(ChContext* context, ChDistributed* d) {
  ChShares* shares = d->shares = calloc(1, sizeof *shares);
  if (!shares) return ch_dist_no_memory(context);
  shares->d = d;
  shares->load = calloc((size_t)d->bodies + 1, sizeof *shares->load);
  if (!shares->load) return ch_dist_no_memory(context);
  ChStatus status = make_zoltan(context, shares);
  return status == CH_OK ? deal_out(context, shares) : status;
}

void ch_shares_destroy(ChShares* shares) {
  if (!shares) return;
  if (shares->zoltan) Zoltan_Destroy(&shares->zoltan);
  free(shares->load);
  free(shares->moving);
  free(shares->to);
  free(shares);
}
