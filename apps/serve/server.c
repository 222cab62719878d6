// The server's life and its one callback: see server.h.
//
// libwebsockets runs one thread for all connections, hands over what arrives in bounded pieces and asks when a socket
// can take more, so nobody waits for anybody. It gives up connections that do not finish their request in time.
#include "serve/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cardhouse/clock.h"
#include "common/printable.h"
#include "serve/server_state.h"

enum {
  REQUEST_SECONDS = 5,  // for a request to arrive whole
  KEEP_SECONDS = 15,    // an idle connection is kept
  HEADER_BYTES = 4096,
  LOG_LINES = 10,  // a second
  TICK_US = 20000,
};

static void put_line(const ChServer* server, const char* format, va_list list) {
  char line[256];
  vsnprintf(line, sizeof line, format, list);
  server->options.log(server->options.user, CH_SHOWN(line));
}

void ch_server_note(ChServer* server, const char* format, ...) {
  va_list list;
  va_start(list, format);
  put_line(server, format, list);
  va_end(list);
}

void ch_server_log(ChServer* server, const char* format, ...) {
  double now = ch_clock_seconds();
  if (now - server->log_second >= 1.0) {
    if (server->log_left_out > 0) ch_server_note(server, "%d more refusals", server->log_left_out);
    server->log_second = now;
    server->log_lines = server->log_left_out = 0;
  }
  if (server->log_lines++ >= LOG_LINES) {
    ++server->log_left_out;
    return;
  }
  va_list list;
  va_start(list, format);
  put_line(server, format, list);
  va_end(list);
}

// A message that is too long, cut short or malformed ends a connection without the library's telling why.
static void client_gone(ChServer* server, ChClient* client) {
  if (!client->leaving)
    ch_server_log(server, "page %u: the connection broke, or sent something other than WebSocket", client->id);
  ch_client_close(server, client);
}

static int on_event(struct lws* wsi, enum lws_callback_reasons reason, void* session, void* in, size_t size) {
  ChServer* server = lws_context_user(lws_get_context(wsi));
  ChConnection* connection = session;
  switch (reason) {
    case LWS_CALLBACK_FILTER_NETWORK_CONNECTION:
      if (server->connections < CH_CONNECTIONS_MAX) return 0;
      ch_server_log(server, "refused a connection: there are %d", server->connections);
      return 1;
    case LWS_CALLBACK_WSI_CREATE:
      ++server->connections;
      return 0;
    case LWS_CALLBACK_WSI_DESTROY:
      --server->connections;
      return 0;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
      ch_client_look(server);
      ch_http_look(server);
      return 0;
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:  // the library's own limit begins anew with every byte
      lws_set_timer_usecs(wsi, REQUEST_SECONDS * LWS_US_PER_SEC);
      return 0;
    case LWS_CALLBACK_TIMER:
      return lws_get_opaque_user_data(wsi) ? 0 : -1;
    case LWS_CALLBACK_HTTP:
      lws_set_opaque_user_data(wsi, server);  // it came
      return ch_http_answer(server, &connection->download, wsi);
    case LWS_CALLBACK_HTTP_WRITEABLE:  // here, unlike elsewhere, only a negative result closes
      return ch_http_continue(server, &connection->download) ? -1 : 0;
    case LWS_CALLBACK_CLOSED_HTTP:
      if (connection) ch_http_close(server, &connection->download);
      return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
      lws_set_opaque_user_data(wsi, server);  // it came
      return ch_http_check_upgrade(server, wsi, in);
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
      return ch_client_filter(server, wsi);
    case LWS_CALLBACK_ESTABLISHED:
      ch_client_open(server, &connection->client, wsi);
      return 0;
    case LWS_CALLBACK_RECEIVE:
      return ch_client_receive(server, &connection->client, in, size);
    case LWS_CALLBACK_SERVER_WRITEABLE:
      return ch_client_send(server, &connection->client);
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
      connection->client.leaving = true;
      return 0;
    case LWS_CALLBACK_CLOSED:
      client_gone(server, &connection->client);
      return 0;
    default:
      return 0;
  }
}

static const struct lws_protocols protocols[] = {{.name = "cardhouse",
                                                  .callback = on_event,
                                                  .per_session_data_size = sizeof(ChConnection),
                                                  .rx_buffer_size = 8192,
                                                  .tx_packet_size = CH_CHUNK},
                                                 {.name = NULL}};

static void wake(void* user) { lws_cancel_service(((ChServer*)user)->context); }

// Some sockets are full when a frame comes, and frames of large scenes are spaced: all look again now and then.
static void on_tick(lws_sorted_usec_list_t* tick) {
  ChServer* server = lws_container_of(tick, ChServer, tick);
  ch_client_look(server);
  ch_http_look(server);
  lws_sul_schedule(server->context, 0, &server->tick, on_tick, TICK_US);
}

// The library does not tell why it could not listen: tried once more, by hand, the system does.
static int listen_error(int port) {
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int one = 1, error = 0, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0 ||
      bind(fd, (struct sockaddr*)&place, sizeof place) != 0 || listen(fd, 1) != 0)
    error = errno;
  close(fd);
  return error;
}

ChStatus ch_server_port_refused(ChContext* context, int port, int error) {
  const char* why = error == EADDRINUSE ? "another program has it"
                    : error == EACCES   ? "the system keeps it for privileged programs; choose one from 1024 on"
                    : error == 0        ? "another program took it a moment ago; try again"
                                        : strerror(error);
  return ch_fail(context, CH_ERR_FILE, "port %d of 127.0.0.1 cannot be listened on: %s", port, why);
}

static ChStatus listen_on(ChContext* context, ChServer* server) {
  struct lws_context_creation_info info = {.port = server->options.port,
                                           .iface = "127.0.0.1",
                                           .protocols = protocols,
                                           .gid = -1,
                                           .uid = -1,
                                           .user = server,
                                           .server_string = "cardhouse",
                                           .timeout_secs = REQUEST_SECONDS,
                                           .keepalive_timeout = KEEP_SECONDS,
                                           .max_http_header_data2 = HEADER_BYTES,
                                           .max_http_header_pool2 = CH_CONNECTIONS_MAX,
                                           .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS |
                                                      LWS_SERVER_OPTION_DISABLE_IPV6 | LWS_SERVER_OPTION_VALIDATE_UTF8 |
                                                      LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND};
  lws_set_log_level(0, NULL);
  server->context = lws_create_context(&info);
  if (!server->context) return ch_fail(context, CH_ERR_MEMORY, "the server could not be set up");
  server->vhost = lws_create_vhost(server->context, &info);
  server->port = server->vhost ? lws_get_vhost_listen_port(server->vhost) : -1;
  if (server->port <= 0)
    return ch_server_port_refused(context, server->options.port, listen_error(server->options.port));
  return CH_OK;
}

ChStatus ch_server_create(ChContext* context, const ChServerOptions* options, ChExchange* exchange, ChServer** out) {
  *out = NULL;
  ChServer* server = calloc(1, sizeof *server);
  if (!server) return ch_fail(context, CH_ERR_MEMORY, "out of memory for the server");
  server->options = *options;
  server->exchange = exchange;
  server->chunk = malloc(LWS_PRE + CH_CHUNK);
  ChStatus status = CH_OK;
  if (!server->chunk) status = ch_fail(context, CH_ERR_MEMORY, "out of memory for the server");
  if (status == CH_OK && !ch_secret_make(&server->key))
    status = ch_fail(context, CH_ERR_FILE, "the system gives no random numbers for the page's key");
  if (status == CH_OK) status = listen_on(context, server);
  if (status != CH_OK) {
    ch_server_destroy(server);
    return status;
  }
  ch_exchange_set_wake(exchange, wake, server);
  lws_sul_schedule(server->context, 0, &server->tick, on_tick, TICK_US);
  *out = server;
  return CH_OK;
}

void ch_server_destroy(ChServer* server) {
  if (!server) return;
  ch_exchange_set_wake(server->exchange, NULL, NULL);
  for (ChClient* c = server->clients; c; c = c->next) c->leaving = true;
  lws_context_destroy(server->context);
  free(server->chunk);
  free(server->packed_page);
  free(server);
}

void ch_server_address(const ChServer* server, char address[CH_ADDRESS_SIZE]) {
  snprintf(address, CH_ADDRESS_SIZE, "http://127.0.0.1:%d/?key=%s", server->port, server->key.text);
}

bool ch_server_invite(ChServer* server, char address[CH_ADDRESS_SIZE]) {
  server->invited_at = ch_clock_seconds();
  snprintf(address, CH_ADDRESS_SIZE, "http://127.0.0.1:%d/?once=", server->port);
  return ch_secret_make(&server->invitation) && strcat(address, server->invitation.text);
}

void ch_server_run(ChServer* server) {
  while (!server->options.is_over() && lws_service(server->context, 0) >= 0) continue;
}
