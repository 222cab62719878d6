// The replay session: a recorded trajectory, played to all who watch, with a place in time that they can move.
#ifndef CH_SERVE_PLAYBACK_H
#define CH_SERVE_PLAYBACK_H

#include "serve/exchange.h"

typedef struct ChPlayback ChPlayback;

// `speed` as in ChLiveOptions.
ChStatus ch_playback_create(ChContext* context, const char* path, double speed, bool paused, ChExchange* exchange,
                            ChPlayback** out);
void ch_playback_destroy(ChPlayback* playback);

// Until the exchange is stopped.
void ch_playback_run(ChPlayback* playback);

#endif
