// HTTP: the page, and the present step's contact problem. There are no other paths, and no files behind them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "serve/page.h"
#include "serve/server_state.h"

static const double PROBLEM_SECONDS = 60.0;  // that a problem may take to come

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
bool ch_http_is_local(ChServer* server, struct lws* wsi) {
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

// Status, security headers and whatever else; the body follows.
static int send_head(struct lws* wsi, unsigned status, const char* type, size_t size, const char* disposition) {
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
                            {"cache-control:", "no-store"},
                            {"content-disposition:", disposition}};
  int count = (int)(sizeof headers / sizeof *headers) - (disposition ? 0 : 1);
  if (lws_add_http_common_headers(wsi, status, type, size, &p, end) || !put_headers(wsi, count, headers, &p, end))
    return 1;
  return lws_finalize_write_http_header(wsi, start, &p, end) ? 1 : 0;
}

// A short text as the whole answer.
int ch_http_refuse(struct lws* wsi, unsigned status, const char* text) {
  unsigned char buffer[LWS_PRE + 512];
  int size = snprintf((char*)buffer + LWS_PRE, sizeof buffer - LWS_PRE, "%s\n", text);
  if (size >= (int)(sizeof buffer - LWS_PRE)) size = (int)(sizeof buffer - LWS_PRE) - 1;
  if (send_head(wsi, status, "text/plain; charset=utf-8", (size_t)size, NULL)) return 1;
  lws_write(wsi, buffer + LWS_PRE, (size_t)size, LWS_WRITE_HTTP_FINAL);
  return 1;  // and the connection ends
}

static int begin(ChDownload* d, const char* type, const char* disposition) {
  d->sent = 0;
  if (send_head(d->wsi, HTTP_STATUS_OK, type, d->size, disposition)) return 1;
  lws_callback_on_writable(d->wsi);
  return 0;
}

static int ask_for_problem(ChServer* server, ChDownload* d) {
  char word[8] = "";
  const char* pane = lws_get_urlarg_by_name(d->wsi, "pane=", word, sizeof word);
  if (pane && strcmp(pane, "0") != 0 && strcmp(pane, "1") != 0)
    return ch_http_refuse(d->wsi, HTTP_STATUS_BAD_REQUEST, "pane must be 0 or 1");
  ChOrder order = {.type = CH_ORDER_PROBLEM, .client = ++server->last_id, .pane = pane ? pane[0] - '0' : 0};
  if (!ch_exchange_put(server->exchange, &order))
    return ch_http_refuse(d->wsi, HTTP_STATUS_SERVICE_UNAVAILABLE, "too much is asked for at once");
  d->ticket = order.client;
  d->asked_at = ch_clock_seconds();
  d->next = server->waiting;
  server->waiting = d;
  lws_set_timeout(d->wsi, PENDING_TIMEOUT_HTTP_CONTENT, (int)PROBLEM_SECONDS + 10);
  return 0;
}

int ch_http_answer(ChServer* server, ChDownload* d, struct lws* wsi) {
  char* path = NULL;
  int length = 0, method = lws_http_get_uri_and_method(wsi, &path, &length);
  ch_http_close(server, d);
  d->wsi = wsi;
  if (!ch_http_is_local(server, wsi))
    return ch_http_refuse(wsi, HTTP_STATUS_FORBIDDEN, "this server speaks to its own page only");
  if (method != LWSHUMETH_GET) return ch_http_refuse(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED, "only GET is understood");
  char name[32];
  snprintf(name, sizeof name, "%.*s", length, path);
  if (strcmp(name, "/") == 0 || strcmp(name, "/index.html") == 0) {
    d->bytes = ch_page_begin;
    d->size = (size_t)(ch_page_end - ch_page_begin);
    return begin(d, "text/html; charset=utf-8", NULL);
  }
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
  if (d->ticket == 0) return 0;
  bool failed = false;
  ChParcel* parcel = ch_exchange_problem(server->exchange, d->ticket, &failed);
  if (!parcel && ch_clock_seconds() - d->asked_at < PROBLEM_SECONDS) return 0;
  struct lws* wsi = d->wsi;
  ch_http_close(server, d);
  if (!parcel || failed) {
    char text[400];
    snprintf(text, sizeof text, "%.*s", parcel ? (int)parcel->size : 0, parcel ? (const char*)parcel->bytes : "");
    ch_parcel_drop(parcel);
    return ch_http_refuse(wsi, HTTP_STATUS_SERVICE_UNAVAILABLE, text[0] ? text : "the problem did not come in time");
  }
  d->wsi = wsi;
  d->parcel = parcel;
  d->bytes = parcel->bytes;
  d->size = parcel->size;
  return begin(d, "application/x-hdf5", "attachment; filename=\"problem.hdf5\"");
}

void ch_http_close(ChServer* server, ChDownload* d) {
  for (ChDownload** link = &server->waiting; *link; link = &(*link)->next)
    if (*link == d) {
      *link = d->next;
      break;
    }
  ch_parcel_drop(d->parcel);
  *d = (ChDownload){0};
}

void ch_http_look(ChServer* server) {
  for (ChDownload* d = server->waiting; d; d = d->next) lws_callback_on_writable(d->wsi);
}
