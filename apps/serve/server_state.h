// The server from inside: what its files share. All of it belongs to the thread that serves.
#ifndef CH_SERVE_SERVER_STATE_H
#define CH_SERVE_SERVER_STATE_H

#include <libwebsockets.h>

#include "serve/secret.h"
#include "serve/server.h"

enum {
  CH_CLIENTS_MAX = 32,       // pages at once
  CH_CONNECTIONS_MAX = 128,  // of any kind
  CH_WAITING_MAX = 16,       // downloads that wait for a problem
  CH_FAULTS_MAX = 20,        // wrong messages after which a page is sent away
  CH_CHUNK = 128 * 1024,     // bytes handed to the socket at once
};

// A page, at the other end of a socket. Of the message on its way, head, middle and tail are sent one after the other.
typedef struct ChClient {
  struct lws* wsi;
  struct ChClient* next;
  unsigned id;
  bool leaving;  // its end was agreed on, or ordered

  char* inbox;  // the message so far
  size_t inbox_size;
  int faults;

  unsigned text_seen[CH_TEXT_KINDS], answers_seen;
  unsigned frame_seen[CH_PANES_MAX];
  long stats_seen[CH_PANES_MAX];
  int next_pane;
  double frame_at;  // when the last one began

  ChParcel* parcel;      // the message on its way: text,
  ChSnapshot* snapshot;  // or a frame, between
  unsigned char head[CH_FRAME_HEAD_SIZE];
  unsigned char* tail;  // its head and its stats
  size_t tail_size, sent, size;
  double moved_at;  // when the socket last took something
} ChClient;

// An answer over HTTP on its way, or that waits for a problem.
typedef struct ChDownload {
  struct lws* wsi;
  struct ChDownload* next;
  const unsigned char* bytes;
  size_t size, sent;
  ChParcel* parcel;  // owns the bytes, where they are not the page's
  unsigned ticket;   // of the problem it waits for; 0 = none
  bool came, failed;
  double asked_at;
} ChDownload;

// What the library keeps for each connection.
typedef struct ChConnection {
  ChClient client;
  ChDownload download;
} ChConnection;

struct ChServer {
  ChServerOptions options;
  ChExchange* exchange;
  struct lws_context* context;
  struct lws_vhost* vhost;
  int port;
  ChSecret key;         // what a request must carry
  ChSecret invitation;  // what a browser that we start gets instead, once
  double invited_at;
  ChClient* clients;
  int client_count;
  ChDownload* downloads;
  int connections;
  unsigned last_id;  // of clients
  lws_sorted_usec_list_t tick;
  unsigned char* chunk;        // LWS_PRE + CH_CHUNK bytes
  unsigned char* packed_page;  // NULL until it is asked for
  size_t packed_size;
  double log_second;
  int log_lines, log_left_out;
};

// A line of the log. Of what can come often some lines a second are written and the others counted; a note always is.
void ch_server_log(ChServer* server, const char* format, ...) __attribute__((format(printf, 2, 3)));
void ch_server_note(ChServer* server, const char* format, ...) __attribute__((format(printf, 2, 3)));

// Says, as a failure, why the port cannot be had; `error` is what the system told, or 0.
ChStatus ch_server_port_refused(ChContext* context, int port, int error);

// HTTP. Results are those of a callback: non-zero closes the connection.
int ch_http_answer(ChServer* server, ChDownload* download, struct lws* wsi);
int ch_http_continue(ChServer* server, ChDownload* download);
void ch_http_close(ChServer* server, ChDownload* download);
void ch_http_look(ChServer* server);  // for problems that have come, and for readers that have gone
// Whether the request names this server as its host, comes from no other page and carries the key; if not, it is
// answered.
bool ch_http_may_enter(ChServer* server, struct lws* wsi);
int ch_http_refuse(struct lws* wsi, unsigned status, const char* text);
// Of protocols to go over to there is one, WebSocket: HTTP/2 would pass by what is checked here.
int ch_http_check_upgrade(ChServer* server, struct lws* wsi, const char* protocol);

// The socket.
int ch_client_filter(ChServer* server, struct lws* wsi);
void ch_client_open(ChServer* server, ChClient* client, struct lws* wsi);
void ch_client_close(ChServer* server, ChClient* client);
int ch_client_receive(ChServer* server, ChClient* client, const char* bytes, size_t size);
int ch_client_send(ChServer* server, ChClient* client);
void ch_client_look(ChServer* server);  // for something to send, and for clients that stopped to read

#endif
