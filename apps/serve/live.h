// The live session: simulations that run while people watch and poke them. One session for all who watch.
//
// It lives in a thread of its own and is paced by `speed`; orders are applied between two steps. It rests while nobody
// watches. What it says goes through the exchange and never waits.
#ifndef CH_SERVE_LIVE_H
#define CH_SERVE_LIVE_H

#include "cardhouse/scene.h"
#include "serve/exchange.h"

typedef struct ChLiveOptions {
  const char* scene;                  // file or built-in
  const ChSceneChoice* choice;        // its law of contact and its parameters
  const char* compare[CH_PANES_MAX];  // methods; NULL: one pane with the scene's own
  double speed;                       // times life; 0 = as fast as it goes
  bool fluent;                        // keeps to the clock rather than solve every step
  bool paused;                        // does not start by itself
  const char* record;                 // file for a trajectory of the session; NULL: none
} ChLiveOptions;

typedef struct ChLive ChLive;

ChStatus ch_live_create(ChContext* context, const ChLiveOptions* options, ChExchange* exchange, ChLive** out);
void ch_live_destroy(ChLive* live);

// Until the exchange is stopped, as seen between two steps or orders.
void ch_live_run(ChLive* live);
// Removes the files it keeps while it runs, for a program that ends and does not wait for it; any thread may.
void ch_live_remove_files(ChLive* live);

#endif
