// What passes between the thread that simulates and the thread that serves: orders one way, messages and frames the
// other. Neither ever waits for the other's work: the queue of orders is bounded and refuses, and of everything that
// goes out only the latest is kept.
#ifndef CH_SERVE_EXCHANGE_H
#define CH_SERVE_EXCHANGE_H

#include <stdatomic.h>

#include "serve/frame.h"
#include "serve/page_order.h"

enum { CH_STATS_PER_FRAME = 256, CH_STATS_KEPT = 8192 };

// Text or bytes that several readers share; the last one frees it. Not changed once it is given away.
typedef struct ChParcel {
  atomic_int references;
  unsigned version;  // of its kind, counting up
  size_t size;
  unsigned char* bytes;
} ChParcel;

// A frame without its stats, which differ from reader to reader.
typedef struct ChSnapshot {
  atomic_int references;
  unsigned version;
  long steps;  // how many steps of the pane were told when it was shown
  ChFrameHead head;
  size_t size, room;  // of bytes: bodies, amplitudes, islands, contacts
  unsigned char* bytes;
} ChSnapshot;

// What became of a wish for a contact problem: a file, or with `failed` a text that says why not; NULL where there was
// no memory for either.
typedef struct ChMadeProblem {
  unsigned ticket;
  bool failed;
  ChParcel* parcel;
} ChMadeProblem;

// Texts of which only the latest matters, in the order in which a reader must get them.
typedef enum ChTextKind {
  CH_TEXT_HELLO,
  CH_TEXT_SCENE,  // one a pane
  CH_TEXT_SECOND_SCENE,
  CH_TEXT_STATE,
  CH_TEXT_LOOP,
  CH_TEXT_KINDS,
} ChTextKind;

typedef struct ChExchange ChExchange;

// `wake` is called, from the simulating thread, when there is something new for the serving one.
ChStatus ch_exchange_create(ChContext* context, ChExchange** out);
void ch_exchange_destroy(ChExchange* exchange);
void ch_exchange_set_wake(ChExchange* exchange, void (*wake)(void* user), void* user);

// --- the serving side
// False when the queue is full. A drag replaces the one before it that is still waiting.
bool ch_exchange_put(ChExchange* exchange, const ChOrder* order);
void ch_exchange_set_watchers(ChExchange* exchange, int count);
void ch_exchange_stop(ChExchange* exchange);
// The latest text or snapshot later than version `seen`, or NULL; the caller drops it.
ChParcel* ch_exchange_text(ChExchange* exchange, ChTextKind kind, unsigned seen);
ChSnapshot* ch_exchange_snapshot(ChExchange* exchange, int pane, unsigned seen);
// Answers to `client` since answer number *cursor, oldest first; NULL when there is none. Answers to nobody go to all.
ChParcel* ch_exchange_answer(ChExchange* exchange, unsigned client, unsigned* cursor);
unsigned ch_exchange_answers(ChExchange* exchange);  // how many there were: where a new reader begins
// Steps of the pane from number *cursor to before `end`, thinned to CH_STATS_PER_FRAME: of those that become one the
// worst certificate is kept. Returns how many, and puts *cursor behind them.
int ch_exchange_stats(ChExchange* exchange, int pane, long* cursor, long end, ChFrameStat out[CH_STATS_PER_FRAME]);
// Asks for the pane's contact problem. Wishes for one pane share a ticket until its making begins.
unsigned ch_exchange_ask_problem(ChExchange* exchange, int pane);
// Nobody waits for it any more: what was not begun is not made.
void ch_exchange_forget_problem(ChExchange* exchange, unsigned ticket);
// What was made since; the caller drops the parcel. False when there is nothing.
bool ch_exchange_receive_problem(ChExchange* exchange, ChMadeProblem* out);

// --- the simulating side
// The next order; waits at most so many seconds for one, or for a wish. False when there is none.
bool ch_exchange_take(ChExchange* exchange, double seconds, ChOrder* out);
int ch_exchange_watchers(const ChExchange* exchange);
bool ch_exchange_stopped(const ChExchange* exchange);
void ch_exchange_say(ChExchange* exchange, ChTextKind kind, char* text);  // takes the text, which may be NULL
void ch_exchange_reply(ChExchange* exchange, unsigned client, char* text);
// A problem that is wished for; whoever takes the wish delivers.
bool ch_exchange_problem_wanted(ChExchange* exchange, unsigned* ticket, int* pane);
void ch_exchange_deliver_problem(ChExchange* exchange, unsigned ticket, bool failed, unsigned char* bytes, size_t size);
// Room for a snapshot of this size, not yet seen by anybody; NULL when out of memory.
ChSnapshot* ch_exchange_blank(ChExchange* exchange, size_t size);
void ch_exchange_show(ChExchange* exchange, int pane, ChSnapshot* snapshot);
bool ch_exchange_was_seen(ChExchange* exchange, int pane);  // whether anybody took the last one
void ch_exchange_hide(ChExchange* exchange, int pane);      // there is no such pane any more
void ch_exchange_add_stat(ChExchange* exchange, int pane, const ChFrameStat* stat);
void ch_exchange_clear_stats(ChExchange* exchange);  // what comes now is another run

ChParcel* ch_parcel_share(ChParcel* parcel);  // which may be NULL
void ch_parcel_drop(ChParcel* parcel);
void ch_snapshot_drop(ChExchange* exchange, ChSnapshot* snapshot);

#endif
