// The exchange between simulating and serving: see exchange.h. One lock, held for moments only.
#include "serve/exchange.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ORDERS = 256, ANSWERS = 64, SPARES = 4 };

typedef struct Answer {
  unsigned client;
  ChParcel* parcel;
} Answer;

// Steps of one pane, the latest CH_STATS_KEPT of them; number k is at k % CH_STATS_KEPT.
typedef struct Stats {
  long begin, count;
  ChFrameStat kept[CH_STATS_KEPT];
} Stats;

struct ChExchange {
  pthread_mutex_t lock;
  pthread_cond_t ordered;
  void (*wake)(void* user);
  void* wake_user;
  atomic_int watchers;
  atomic_bool stopped;

  ChOrder orders[ORDERS];
  int first_order, order_count;

  ChParcel* texts[CH_TEXT_KINDS];
  unsigned text_version;
  Answer answers[ANSWERS];
  unsigned answer_count;  // ever

  unsigned wishes[CH_PANES_MAX];  // tickets of problems that were not begun; 0: none
  unsigned last_ticket;
  ChMadeProblem made;  // ticket 0: none; the next one is begun when it was received
  bool making;

  ChSnapshot* snapshots[CH_PANES_MAX];
  bool seen[CH_PANES_MAX];
  unsigned snapshot_version;
  ChSnapshot* spares[SPARES];
  Stats stats[CH_PANES_MAX];
};

// --- life ------------------------------------------------------------------------------------------------------------

ChStatus ch_exchange_create(ChContext* context, ChExchange** out) {
  *out = NULL;
  ChExchange* e = calloc(1, sizeof *e);
  if (!e) return ch_fail(context, CH_ERR_MEMORY, "out of memory for the viewer");
  pthread_condattr_t clock;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_mutex_init(&e->lock, NULL);
  pthread_cond_init(&e->ordered, &clock);
  pthread_condattr_destroy(&clock);
  *out = e;
  return CH_OK;
}

static void snapshot_free(ChSnapshot* s) {
  if (!s) return;
  free(s->bytes);
  free(s);
}

void ch_exchange_destroy(ChExchange* e) {
  if (!e) return;
  for (int k = 0; k < CH_TEXT_KINDS; ++k) ch_parcel_drop(e->texts[k]);
  for (int k = 0; k < ANSWERS; ++k) ch_parcel_drop(e->answers[k].parcel);
  ch_parcel_drop(e->made.parcel);
  for (int k = 0; k < CH_PANES_MAX; ++k) snapshot_free(e->snapshots[k]);
  for (int k = 0; k < SPARES; ++k) snapshot_free(e->spares[k]);
  pthread_cond_destroy(&e->ordered);
  pthread_mutex_destroy(&e->lock);
  free(e);
}

void ch_exchange_set_wake(ChExchange* e, void (*wake)(void* user), void* user) {
  pthread_mutex_lock(&e->lock);
  e->wake = wake;
  e->wake_user = user;
  pthread_mutex_unlock(&e->lock);
}

static void wake(ChExchange* e) {
  pthread_mutex_lock(&e->lock);
  void (*call)(void*) = e->wake;
  void* user = e->wake_user;
  pthread_mutex_unlock(&e->lock);
  if (call) call(user);
}

// --- orders ----------------------------------------------------------------------------------------------------------

static bool replaces(const ChOrder* waiting, const ChOrder* order) {
  return waiting->type == CH_ORDER_DRAG && order->type == CH_ORDER_DRAG && waiting->client == order->client;
}

bool ch_exchange_put(ChExchange* e, const ChOrder* order) {
  pthread_mutex_lock(&e->lock);
  ChOrder* last = e->order_count > 0 ? &e->orders[(e->first_order + e->order_count - 1) % ORDERS] : NULL;
  bool taken = true;
  if (last && replaces(last, order))
    *last = *order;
  else if (e->order_count < ORDERS)
    e->orders[(e->first_order + e->order_count++) % ORDERS] = *order;
  else
    taken = false;
  pthread_cond_signal(&e->ordered);
  pthread_mutex_unlock(&e->lock);
  return taken;
}

static struct timespec moment_in(double seconds) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  long nanoseconds = t.tv_nsec + (long)((seconds - (double)(long)seconds) * 1e9);
  t.tv_sec += (long)seconds + nanoseconds / 1000000000L;
  t.tv_nsec = nanoseconds % 1000000000L;
  return t;
}

// With the lock held: the pane whose problem may be begun, or -1.
static int pane_wanted(const ChExchange* e) {
  if (e->making || e->made.ticket != 0) return -1;
  int oldest = -1;
  for (int pane = 0; pane < CH_PANES_MAX; ++pane)
    if (e->wishes[pane] != 0 && (oldest < 0 || e->wishes[pane] < e->wishes[oldest])) oldest = pane;
  return oldest;
}

bool ch_exchange_take(ChExchange* e, double seconds, ChOrder* out) {
  pthread_mutex_lock(&e->lock);
  if (seconds > 0.0) {
    struct timespec until = moment_in(seconds);
    int watchers = e->watchers;
    while (e->order_count == 0 && !e->stopped && e->watchers == watchers && pane_wanted(e) < 0)
      if (pthread_cond_timedwait(&e->ordered, &e->lock, &until) == ETIMEDOUT) break;
  }
  bool any = e->order_count > 0;
  if (any) {
    *out = e->orders[e->first_order];
    e->first_order = (e->first_order + 1) % ORDERS;
    --e->order_count;
  }
  pthread_mutex_unlock(&e->lock);
  return any;
}

void ch_exchange_set_watchers(ChExchange* e, int count) {
  pthread_mutex_lock(&e->lock);
  e->watchers = count;
  pthread_cond_signal(&e->ordered);
  pthread_mutex_unlock(&e->lock);
}

int ch_exchange_watchers(const ChExchange* e) { return e->watchers; }

void ch_exchange_stop(ChExchange* e) {
  pthread_mutex_lock(&e->lock);
  e->stopped = true;
  pthread_cond_signal(&e->ordered);
  pthread_mutex_unlock(&e->lock);
}

bool ch_exchange_stopped(const ChExchange* e) { return e->stopped; }

// --- texts -----------------------------------------------------------------------------------------------------------

static ChParcel* parcel_create(unsigned char* bytes, size_t size) {
  ChParcel* parcel = bytes ? calloc(1, sizeof *parcel) : NULL;
  if (!parcel) {
    free(bytes);
    return NULL;
  }
  parcel->references = 1;
  parcel->bytes = bytes;
  parcel->size = size;
  return parcel;
}

void ch_parcel_drop(ChParcel* parcel) {
  if (!parcel || atomic_fetch_sub(&parcel->references, 1) > 1) return;
  free(parcel->bytes);
  free(parcel);
}

ChParcel* ch_parcel_share(ChParcel* parcel) {
  if (parcel) atomic_fetch_add(&parcel->references, 1);
  return parcel;
}

void ch_exchange_say(ChExchange* e, ChTextKind kind, char* text) {
  ChParcel* parcel = parcel_create((unsigned char*)text, text ? strlen(text) : 0);
  pthread_mutex_lock(&e->lock);
  if (parcel) parcel->version = ++e->text_version;
  ch_parcel_drop(e->texts[kind]);
  e->texts[kind] = parcel;
  pthread_mutex_unlock(&e->lock);
  wake(e);
}

ChParcel* ch_exchange_text(ChExchange* e, ChTextKind kind, unsigned seen) {
  pthread_mutex_lock(&e->lock);
  ChParcel* parcel = e->texts[kind];
  parcel = parcel && parcel->version > seen ? ch_parcel_share(parcel) : NULL;
  pthread_mutex_unlock(&e->lock);
  return parcel;
}

void ch_exchange_reply(ChExchange* e, unsigned client, char* text) {
  ChParcel* parcel = parcel_create((unsigned char*)text, text ? strlen(text) : 0);
  if (!parcel) return;
  pthread_mutex_lock(&e->lock);
  Answer* answer = &e->answers[e->answer_count++ % ANSWERS];
  ch_parcel_drop(answer->parcel);
  *answer = (Answer){client, parcel};
  pthread_mutex_unlock(&e->lock);
  wake(e);
}

ChParcel* ch_exchange_answer(ChExchange* e, unsigned client, unsigned* cursor) {
  ChParcel* found = NULL;
  pthread_mutex_lock(&e->lock);
  if (e->answer_count - *cursor > ANSWERS) *cursor = e->answer_count - ANSWERS;
  while (!found && *cursor != e->answer_count) {
    const Answer* answer = &e->answers[(*cursor)++ % ANSWERS];
    if (answer->client == 0 || answer->client == client) found = ch_parcel_share(answer->parcel);
  }
  pthread_mutex_unlock(&e->lock);
  return found;
}

unsigned ch_exchange_answers(ChExchange* e) {
  pthread_mutex_lock(&e->lock);
  unsigned count = e->answer_count;
  pthread_mutex_unlock(&e->lock);
  return count;
}

// --- problems --------------------------------------------------------------------------------------------------------

unsigned ch_exchange_ask_problem(ChExchange* e, int pane) {
  pthread_mutex_lock(&e->lock);
  if (e->wishes[pane] == 0) {
    if (++e->last_ticket == 0) ++e->last_ticket;
    e->wishes[pane] = e->last_ticket;
  }
  unsigned ticket = e->wishes[pane];
  pthread_cond_signal(&e->ordered);
  pthread_mutex_unlock(&e->lock);
  return ticket;
}

void ch_exchange_forget_problem(ChExchange* e, unsigned ticket) {
  pthread_mutex_lock(&e->lock);
  for (int pane = 0; pane < CH_PANES_MAX; ++pane)
    if (e->wishes[pane] == ticket) e->wishes[pane] = 0;
  pthread_mutex_unlock(&e->lock);
}

bool ch_exchange_problem_wanted(ChExchange* e, unsigned* ticket, int* pane) {
  pthread_mutex_lock(&e->lock);
  int wanted = pane_wanted(e);
  if (wanted >= 0) {
    *pane = wanted;
    *ticket = e->wishes[wanted];
    e->wishes[wanted] = 0;
    e->making = true;
  }
  pthread_mutex_unlock(&e->lock);
  return wanted >= 0;
}

void ch_exchange_deliver_problem(ChExchange* e, unsigned ticket, bool failed, unsigned char* bytes, size_t size) {
  ChParcel* parcel = parcel_create(bytes, size);
  pthread_mutex_lock(&e->lock);
  e->made = (ChMadeProblem){.ticket = ticket, .failed = failed || !parcel, .parcel = parcel};
  e->making = false;
  pthread_mutex_unlock(&e->lock);
  wake(e);
}

bool ch_exchange_receive_problem(ChExchange* e, ChMadeProblem* out) {
  pthread_mutex_lock(&e->lock);
  *out = e->made;
  e->made = (ChMadeProblem){0};
  if (out->ticket != 0) pthread_cond_signal(&e->ordered);  // the next may be begun
  pthread_mutex_unlock(&e->lock);
  return out->ticket != 0;
}

// --- frames ----------------------------------------------------------------------------------------------------------

ChSnapshot* ch_exchange_blank(ChExchange* e, size_t size) {
  ChSnapshot* s = NULL;
  pthread_mutex_lock(&e->lock);
  for (int k = 0; k < SPARES && !s; ++k) {
    s = e->spares[k];
    e->spares[k] = NULL;
  }
  pthread_mutex_unlock(&e->lock);
  if (!s) s = calloc(1, sizeof *s);
  if (s && s->room < size) {
    free(s->bytes);
    s->room = size + size / 4;
    s->bytes = malloc(s->room);
  }
  if (!s || (size > 0 && !s->bytes)) {
    free(s);
    return NULL;
  }
  s->references = 1;
  s->size = size;
  return s;
}

// With the lock held: the last one who drops it leaves it for the next moment.
static void drop_locked(ChExchange* e, ChSnapshot* s) {
  if (!s || atomic_fetch_sub(&s->references, 1) > 1) return;
  for (int k = 0; k < SPARES; ++k)
    if (!e->spares[k]) {
      e->spares[k] = s;
      return;
    }
  snapshot_free(s);
}

void ch_snapshot_drop(ChExchange* e, ChSnapshot* s) {
  if (!s) return;
  pthread_mutex_lock(&e->lock);
  drop_locked(e, s);
  pthread_mutex_unlock(&e->lock);
}

static void replace(ChExchange* e, int pane, ChSnapshot* snapshot) {
  pthread_mutex_lock(&e->lock);
  if (snapshot) {
    snapshot->version = ++e->snapshot_version;
    snapshot->steps = e->stats[pane].count;
  }
  drop_locked(e, e->snapshots[pane]);
  e->snapshots[pane] = snapshot;
  e->seen[pane] = false;
  pthread_mutex_unlock(&e->lock);
}

void ch_exchange_show(ChExchange* e, int pane, ChSnapshot* snapshot) {
  replace(e, pane, snapshot);
  wake(e);
}

void ch_exchange_hide(ChExchange* e, int pane) { replace(e, pane, NULL); }

bool ch_exchange_was_seen(ChExchange* e, int pane) {
  pthread_mutex_lock(&e->lock);
  bool seen = e->seen[pane] || !e->snapshots[pane];
  pthread_mutex_unlock(&e->lock);
  return seen;
}

ChSnapshot* ch_exchange_snapshot(ChExchange* e, int pane, unsigned seen) {
  pthread_mutex_lock(&e->lock);
  ChSnapshot* s = e->snapshots[pane];
  if (s && s->version > seen) {
    atomic_fetch_add(&s->references, 1);
    e->seen[pane] = true;
  } else {
    s = NULL;
  }
  pthread_mutex_unlock(&e->lock);
  return s;
}

// --- steps, for the charts -------------------------------------------------------------------------------------------

void ch_exchange_add_stat(ChExchange* e, int pane, const ChFrameStat* stat) {
  pthread_mutex_lock(&e->lock);
  Stats* stats = &e->stats[pane];
  stats->kept[stats->count++ % CH_STATS_KEPT] = *stat;
  pthread_mutex_unlock(&e->lock);
}

void ch_exchange_clear_stats(ChExchange* e) {
  pthread_mutex_lock(&e->lock);
  for (int pane = 0; pane < CH_PANES_MAX; ++pane) e->stats[pane].begin = e->stats[pane].count;
  pthread_mutex_unlock(&e->lock);
}

int ch_exchange_stats(ChExchange* e, int pane, long* cursor, long end, ChFrameStat out[CH_STATS_PER_FRAME]) {
  int count = 0;
  pthread_mutex_lock(&e->lock);
  const Stats* stats = &e->stats[pane];
  long from = *cursor > stats->begin ? *cursor : stats->begin;
  if (stats->count - from > CH_STATS_KEPT) from = stats->count - CH_STATS_KEPT;
  long group = end > from ? (end - from + CH_STATS_PER_FRAME - 1) / CH_STATS_PER_FRAME : 1;
  for (long k = from; k < end; ++k) {
    ChFrameStat stat = stats->kept[k % CH_STATS_KEPT];
    if ((k - from) % group == 0)
      out[count++] = stat;
    else
      out[count - 1] = ch_frame_stat_worse(out[count - 1], stat);
  }
  *cursor = from > end ? from : end;
  pthread_mutex_unlock(&e->lock);
  return count;
}
