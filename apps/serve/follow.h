// The follow session: a simulation of another process, as its feed shows it, for all who watch. It can be looked at,
// not changed: who steps it is somewhere else.
#ifndef CH_SERVE_FOLLOW_H
#define CH_SERVE_FOLLOW_H

#include "serve/exchange.h"

typedef struct ChFollow ChFollow;

// `path` is a feed (cardhouse/feed.h).
ChStatus ch_follow_create(ChContext* context, const char* path, ChExchange* exchange, ChFollow** out);
void ch_follow_destroy(ChFollow* follow);

// Until the exchange is stopped. The last state stays on the page when the simulation is over.
void ch_follow_run(ChFollow* follow);

#endif
