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
// Where the page is: http://127.0.0.1:PORT/?key=..., for who may watch and order. Nothing answers without the key.
enum { CH_ADDRESS_SIZE = 96 };
void ch_server_address(const ChServer* server, char address[CH_ADDRESS_SIZE]);
// An address for the command line of a browser, which other users can read: it works once, within a minute, for this
// user, and leads to the other. False where none can be made. To be called before the server runs.
bool ch_server_invite(ChServer* server, char address[CH_ADDRESS_SIZE]);

// Serves, in the thread that calls it, until `is_over` says so.
void ch_server_run(ChServer* server);

#endif
