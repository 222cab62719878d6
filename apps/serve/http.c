// HTTP: the page, and the present step's contact problem. There are no other paths, and no files behind them.
//
// Every request carries the key in its query. A cookie would be kept out of the address line, but the browser would
// show it to every server of this machine, whatever its port, and so to other users' servers. The page loads nothing
// from elsewhere, and tells nobody where it came from.
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/clock.h"
#include "serve/packed_page.h"
#include "serve/peer.h"
#include "serve/server_state.h"
#include "serve/viewer_page.h"

static const double PROBLEM_SECONDS = 60.0;     // that a problem may take to come
static const double INVITATION_SECONDS = 60.0;  // that a browser may take to start
static const char LOCKED[] =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Cardhouse</title>"
    "<p>This page needs its key: copy the whole address that <code>cardhouse view</code> printed.</p></html>";
static const char TEXT[] = "text/plain; charset=utf-8", HTML[] = "text/html; charset=utf-8";

// --- who asks --------------------------------------------------------------------------------------------------------

static bool names_us(const ChServer* server, const char* text) {
  char expected[64];
  snprintf(expected, sizeof expected, "127.0.0.1:%d", server->port);
  if (strcasecmp(text, expected) == 0) return true;
  snprintf(expected, sizeof expected, "localhost:%d", server->port);
  return strcasecmp(text, expected) == 0;
}

// A name that leads here from elsewhere (DNS rebinding) is not ours; a page of another origin says so itself. Programs
// that are no browsers name no origin.
static bool is_local(ChServer* server, struct lws* wsi) {
  char host[256] = "", origin[256] = "";
  if (lws_hdr_copy(wsi, host, sizeof host, WSI_TOKEN_HOST) <= 0 || !names_us(server, host)) {
    ch_server_log(server, "refused a request for the host '%.80s'", host);
    return false;
  }
  if (lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) == 0) return true;
  bool read = lws_hdr_copy(wsi, origin, sizeof origin, WSI_TOKEN_ORIGIN) > 0;
  if (read && strncmp(origin, "http://", 7) == 0 && names_us(server, origin + 7)) return true;
  ch_server_log(server, "refused a request from the origin '%.80s'", origin);
  return false;
}

// The word of the query with this name, or an empty one.
static const char* query_word(struct lws* wsi, const char* name, char buffer[80]) {
  const char* word = lws_get_urlarg_by_name(wsi, name, buffer, 80);
  return word ? word : "";
}

static bool has_key(ChServer* server, struct lws* wsi) {
  char buffer[80];
  return ch_secret_equals(&server->key, query_word(wsi, "key=", buffer));
}

// All users can read command lines, and a browser is started with one: its invitation is good for this user alone, and
// spent by its first use.
static bool has_invitation(ChServer* server, struct lws* wsi) {
  char buffer[80];
  bool good = ch_secret_equals(&server->invitation, query_word(wsi, "once=", buffer)) && is_local(server, wsi) &&
              ch_clock_seconds() - server->invited_at < INVITATION_SECONDS &&
              ch_peer_is_same_user(lws_get_socket_fd(wsi));
  if (good) server->invitation = (ChSecret){0};
  return good;
}

// --- answers ---------------------------------------------------------------------------------------------------------

typedef struct Header {
  const char *name, *value;
} Header;

static bool put_headers(struct lws* wsi, int count, const Header* headers, unsigned char** p, unsigned char* end) {
  for (int k = 0; k < count; ++k)
    if (lws_add_http_header_by_name(wsi, (const unsigned char*)headers[k].name, (const unsigned char*)headers[k].value,
                                    (int)strlen(headers[k].value), p, end))
      return false;
  return true;
}

// Status, security headers and one of its own, which may be NULL; the body follows.
static int send_head(struct lws* wsi, unsigned status, const char* type, size_t size, const Header* own) {
  unsigned char buffer[LWS_PRE + 2048], *start = buffer + LWS_PRE, *p = start, *end = buffer + sizeof buffer - 1;
  char policy[1024];
  snprintf(policy, sizeof policy,
           "default-src 'none'; script-src %s; style-src 'unsafe-inline'; img-src 'self' data: blob:; font-src data:; "
           "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
           ch_page_scripts);
  const Header headers[] = {{"content-security-policy:", policy},
                            {"x-content-type-options:", "nosniff"},
                            {"x-frame-options:", "DENY"},
                            {"referrer-policy:", "no-referrer"},
                            {"cross-origin-opener-policy:", "same-origin"},
                            {"cross-origin-resource-policy:", "same-origin"},
                            {"cache-control:", "no-store"}};
  if (lws_add_http_common_headers(wsi, status, type, size, &p, end) ||
      !put_headers(wsi, (int)(sizeof headers / sizeof *headers), headers, &p, end) ||
      !put_headers(wsi, own ? 1 : 0, own, &p, end))
    return 1;
  return lws_finalize_write_http_header(wsi, start, &p, end) ? 1 : 0;
}

// A short text as the whole answer.
static int answer_with(struct lws* wsi, unsigned status, const char* type, const char* text, const Header* own) {
  unsigned char buffer[LWS_PRE + 512];
  int size = snprintf((char*)buffer + LWS_PRE, sizeof buffer - LWS_PRE, "%s\n", text);
  if (size >= (int)(sizeof buffer - LWS_PRE)) size = (int)(sizeof buffer - LWS_PRE) - 1;
  if (send_head(wsi, status, type, (size_t)size, own)) return 1;
  lws_write(wsi, buffer + LWS_PRE, (size_t)size, LWS_WRITE_HTTP_FINAL);
  return 1;  // and the connection ends
}

int ch_http_refuse(struct lws* wsi, unsigned status, const char* text) {
  return answer_with(wsi, status, TEXT, text, NULL);
}

bool ch_http_may_enter(ChServer* server, struct lws* wsi) {
  if (!is_local(server, wsi)) {
    ch_http_refuse(wsi, HTTP_STATUS_FORBIDDEN, "this server answers only its own page");
    return false;
  }
  if (has_key(server, wsi)) return true;
  ch_server_log(server, "refused a request without the key");
  answer_with(wsi, HTTP_STATUS_FORBIDDEN, HTML, LOCKED, NULL);
  return false;
}

int ch_http_check_upgrade(ChServer* server, struct lws* wsi, const char* protocol) {
  if (strcasecmp(protocol, "websocket") == 0) return 0;
  ch_server_log(server, "refused to upgrade to '%.20s'", protocol);
  ch_http_refuse(wsi, HTTP_STATUS_BAD_REQUEST, "a connection can be upgraded to websocket only");
  return -1;
}

// Whoever was invited learns the key.
static int welcome(ChServer* server, struct lws* wsi) {
  char place[64];
  snprintf(place, sizeof place, "/?key=%s", server->key.text);
  return answer_with(wsi, HTTP_STATUS_SEE_OTHER, TEXT, "welcome", &(Header){"location:", place});
}

static void enlist(ChServer* server, ChDownload* d) {
  d->next = server->downloads;
  server->downloads = d;
}

static int begin(ChServer* server, ChDownload* d, const char* type, const Header* own) {
  enlist(server, d);
  d->sent = 0;
  if (send_head(d->wsi, HTTP_STATUS_OK, type, d->size, own)) return 1;
  lws_callback_on_writable(d->wsi);
  return 0;
}

// Requests that come together share one problem; the simulation makes one between two steps, and none for whoever left.
static int ask_for_problem(ChServer* server, ChDownload* d) {
  char buffer[80];
  const char* pane = query_word(d->wsi, "pane=", buffer);
  int waiting = 0;
  for (const ChDownload* w = server->downloads; w; w = w->next) waiting += w->ticket != 0;
  if (*pane && strcmp(pane, "0") != 0 && strcmp(pane, "1") != 0)
    return ch_http_refuse(d->wsi, HTTP_STATUS_BAD_REQUEST, "pane must be 0 or 1");
  if (waiting >= CH_WAITING_MAX)
    return answer_with(d->wsi, HTTP_STATUS_SERVICE_UNAVAILABLE, TEXT, "too many requests at once",
                       &(Header){"retry-after:", "1"});
  d->ticket = ch_exchange_ask_problem(server->exchange, *pane ? pane[0] - '0' : 0);
  d->asked_at = ch_clock_seconds();
  enlist(server, d);
  lws_set_timeout(d->wsi, PENDING_TIMEOUT_HTTP_CONTENT, (int)PROBLEM_SECONDS + 10);
  return 0;
}

static bool takes_gzip(struct lws* wsi) {
  char accepted[200];
  return lws_hdr_copy(wsi, accepted, sizeof accepted, WSI_TOKEN_HTTP_ACCEPT_ENCODING) > 0 &&
         ch_encoding_takes_gzip(accepted);
}

// Packed once, when a browser asks first.
static int answer_with_page(ChServer* server, ChDownload* d) {
  bool gzip = takes_gzip(d->wsi);
  if (gzip && !server->packed_page) server->packed_page = ch_page_pack(&server->packed_size);
  gzip = gzip && server->packed_page;
  d->bytes = gzip ? server->packed_page : ch_page_begin;
  d->size = gzip ? server->packed_size : (size_t)(ch_page_end - ch_page_begin);
  return begin(server, d, HTML, gzip ? &(Header){"content-encoding:", "gzip"} : NULL);
}

int ch_http_answer(ChServer* server, ChDownload* d, struct lws* wsi) {
  char* path = NULL;
  int length = 0, method = lws_http_get_uri_and_method(wsi, &path, &length);
  ch_http_close(server, d);
  d->wsi = wsi;
  if (has_invitation(server, wsi)) return welcome(server, wsi);
  if (!ch_http_may_enter(server, wsi)) return 1;
  if (method != LWSHUMETH_GET) return ch_http_refuse(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED, "only GET is understood");
  char name[32];
  snprintf(name, sizeof name, "%.*s", length, path);
  if (strcmp(name, "/") == 0 || strcmp(name, "/index.html") == 0) return answer_with_page(server, d);
  if (strcmp(name, "/problem.hdf5") == 0) return ask_for_problem(server, d);
  ch_server_log(server, "refused a request for '%.*s'", length < 80 ? length : 80, path);
  return ch_http_refuse(wsi, HTTP_STATUS_NOT_FOUND, "there is nothing here");
}

static int send_some(ChServer* server, ChDownload* d) {
  size_t left = d->size - d->sent, size = left < CH_CHUNK ? left : CH_CHUNK;
  memcpy(server->chunk + LWS_PRE, d->bytes + d->sent, size);
  bool last = size == left;
  if (lws_write(d->wsi, server->chunk + LWS_PRE, size, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < (int)size)
    return 1;
  d->sent += size;
  if (!last) {
    lws_callback_on_writable(d->wsi);
    return 0;
  }
  struct lws* wsi = d->wsi;
  ch_http_close(server, d);
  return lws_http_transaction_completed(wsi) ? 1 : 0;
}

int ch_http_continue(ChServer* server, ChDownload* d) {
  if (d->bytes) return send_some(server, d);
  if (d->ticket == 0 || (!d->came && ch_clock_seconds() - d->asked_at < PROBLEM_SECONDS)) return 0;
  struct lws* wsi = d->wsi;
  ChParcel* parcel = d->parcel;
  bool failed = d->failed;
  d->parcel = NULL;
  ch_http_close(server, d);
  if (!parcel || failed) {
    char text[400];
    snprintf(text, sizeof text, "%.*s", parcel ? (int)parcel->size : 0, parcel ? (const char*)parcel->bytes : "");
    ch_parcel_drop(parcel);
    return ch_http_refuse(wsi, HTTP_STATUS_SERVICE_UNAVAILABLE,
                          text[0] ? text : "the contact problem was not ready in time");
  }
  d->wsi = wsi;
  d->parcel = parcel;
  d->bytes = parcel->bytes;
  d->size = parcel->size;
  return begin(server, d, "application/x-hdf5",
               &(Header){"content-disposition:", "attachment; filename=\"problem.hdf5\""});
}

void ch_http_close(ChServer* server, ChDownload* d) {
  bool shared = false;
  for (ChDownload** link = &server->downloads; *link;) {
    if (*link == d) {
      *link = d->next;
      continue;
    }
    shared = shared || (*link)->ticket == d->ticket;
    link = &(*link)->next;
  }
  if (d->ticket != 0 && !shared) ch_exchange_forget_problem(server->exchange, d->ticket);
  ch_parcel_drop(d->parcel);
  *d = (ChDownload){0};
}

// The library does not see that a reader hung up while an answer is on its way: it would turn round and round without
// sleeping until a timeout.
static bool has_gone(struct lws* wsi) {
  struct pollfd look = {.fd = lws_get_socket_fd(wsi), .events = POLLRDHUP};
  return poll(&look, 1, 0) > 0 && (look.revents & (POLLRDHUP | POLLHUP | POLLERR));
}

void ch_http_look(ChServer* server) {
  ChMadeProblem made;
  while (ch_exchange_receive_problem(server->exchange, &made)) {
    for (ChDownload* d = server->downloads; d; d = d->next) {
      if (d->ticket != made.ticket || d->came) continue;
      d->came = true;
      d->failed = made.failed;
      d->parcel = ch_parcel_share(made.parcel);
    }
    ch_parcel_drop(made.parcel);
  }
  for (ChDownload* d = server->downloads; d; d = d->next)
    if (has_gone(d->wsi))
      lws_set_timeout(d->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
    else if (d->ticket != 0)
      lws_callback_on_writable(d->wsi);
}
