// The server: HTTP and WebSocket on this machine only. It hands out one page, embedded in the program, the present
// step's contact problem, and the socket /ws through which pages watch and order. docs/viewer_protocol.md describes it.
#ifndef CH_SERVE_SERVER_H
#define CH_SERVE_SERVER_H

#include "serve/exchange.h"

typedef struct ChServerOptions {
  int port;  // 0: any that is free
  void (*log)(void* user, const char* line);
  void* user;
  bool (*is_over)(void);  // asked several times a second
} ChServerOptions;

typedef struct ChServer ChServer;

ChStatus ch_server_create(ChContext* context, const ChServerOptions* options, ChExchange* exchange, ChServer** out);
void ch_server_destroy(ChServer* server);
int ch_server_port(const ChServer* server);

// Serves, in the thread that calls it, until `is_over` says so.
void ch_server_run(ChServer* server);

#endif
