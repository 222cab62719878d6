// A page at the other end of a socket: its messages in, texts and frames out.
//
// Out goes one message at a time, in pieces, as the socket takes them. When the one is through, the most urgent that is
// new is next; of frames that is always the latest, so a slow page skips what it could not take and holds one at most.
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "cardhouse/clock.h"
#include "serve/messages.h"
#include "serve/scene_message.h"
#include "serve/server_state.h"

static const double FRAME_SECONDS = 1.0 / 70.0;  // from frame to frame, at least
static const double FRAME_BYTES = 300e6;         // a second, for all pages together
static const double STALL_SECONDS = 30.0;        // after which a page that reads nothing is sent away
enum { SOCKET_BYTES = 1 << 20 };                 // that wait in the system: more would only make frames old

// --- life ------------------------------------------------------------------------------------------------------------

int ch_client_filter(ChServer* server, struct lws* wsi) {
  char path[32] = "";
  if (!ch_http_may_enter(server, wsi)) return 1;
  if (lws_hdr_copy(wsi, path, sizeof path, WSI_TOKEN_GET_URI) <= 0 || strcmp(path, "/ws") != 0)
    return ch_http_refuse(wsi, HTTP_STATUS_NOT_FOUND, "the socket is /ws");
  if (server->client_count < CH_CLIENTS_MAX) return 0;
  ch_server_log(server, "refused a page: %d are open", server->client_count);
  return ch_http_refuse(wsi, HTTP_STATUS_SERVICE_UNAVAILABLE, "too many pages are open");
}

void ch_client_open(ChServer* server, ChClient* c, struct lws* wsi) {
  int bytes = SOCKET_BYTES;
  *c = (ChClient){.wsi = wsi,
                  .next = server->clients,
                  .id = ++server->last_id,
                  .answers_seen = ch_exchange_answers(server->exchange),
                  .moved_at = ch_clock_seconds()};
  server->clients = c;
  setsockopt(lws_get_socket_fd(wsi), SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
  ch_exchange_set_watchers(server->exchange, ++server->client_count);
  lws_callback_on_writable(wsi);
}

static void message_end(ChServer* server, ChClient* c) {
  ch_parcel_drop(c->parcel);
  ch_snapshot_drop(server->exchange, c->snapshot);
  free(c->tail);
  c->parcel = NULL;
  c->snapshot = NULL;
  c->tail = NULL;
  c->tail_size = c->sent = c->size = 0;
}

void ch_client_close(ChServer* server, ChClient* c) {
  for (ChClient** link = &server->clients; *link; link = &(*link)->next)
    if (*link == c) {
      *link = c->next;
      ch_exchange_set_watchers(server->exchange, --server->client_count);
      break;
    }
  ch_exchange_put(server->exchange, &(ChOrder){.type = CH_ORDER_RELEASE, .client = c->id});
  message_end(server, c);
  free(c->inbox);
  *c = (ChClient){0};
}

// --- in --------------------------------------------------------------------------------------------------------------

static int send_away(ChServer* server, ChClient* c, enum lws_close_status status, const char* why) {
  ch_server_note(server, "page %u: sent away: %s", c->id, why);
  c->leaving = true;
  lws_close_reason(c->wsi, status, (unsigned char*)why, strlen(why));
  return -1;
}

static int obey(ChServer* server, ChClient* c) {
  ChContext context = {0};
  ChOrder order;
  ChStatus status = ch_order_parse(&context, c->inbox, c->inbox_size, &order);
  order.client = c->id;
  if (status == CH_OK && !ch_exchange_put(server->exchange, &order))
    status = ch_fail(&context, CH_ERR_SIZE, "too many requests at once");
  if (status == CH_OK) return 0;
  ch_server_log(server, "page %u: %s", c->id, context.message);
  ch_exchange_reply(server->exchange, c->id, ch_message_text(ch_message_error(context.message)));
  if (++c->faults < CH_FAULTS_MAX) return 0;
  return send_away(server, c, LWS_CLOSE_STATUS_POLICY_VIOLATION, "too many wrong messages");
}

int ch_client_receive(ChServer* server, ChClient* c, const char* bytes, size_t size) {
  if (lws_frame_is_binary(c->wsi))
    return send_away(server, c, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "messages must be text");
  if (lws_is_first_fragment(c->wsi)) c->inbox_size = 0;
  if (c->inbox_size + size + lws_remaining_packet_payload(c->wsi) > CH_ORDER_BYTES_MAX)
    return send_away(server, c, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "a message is longer than 64 KiB");
  if (!c->inbox) c->inbox = malloc(CH_ORDER_BYTES_MAX);
  if (!c->inbox) return send_away(server, c, LWS_CLOSE_STATUS_UNEXPECTED_CONDITION, "out of memory");
  if (size > 0) memcpy(c->inbox + c->inbox_size, bytes, size);
  c->inbox_size += size;
  return lws_is_final_fragment(c->wsi) ? obey(server, c) : 0;
}

// --- out -------------------------------------------------------------------------------------------------------------

static bool choose_text(ChServer* server, ChClient* c, int first, int last) {
  for (int kind = first; kind <= last; ++kind) {
    c->parcel = ch_exchange_text(server->exchange, (ChTextKind)kind, c->text_seen[kind]);
    if (!c->parcel) continue;
    c->text_seen[kind] = c->parcel->version;
    c->size = c->parcel->size;
    return true;
  }
  return false;
}

static bool choose_answer(ChServer* server, ChClient* c) {
  c->parcel = ch_exchange_answer(server->exchange, c->id, &c->answers_seen);
  if (c->parcel) c->size = c->parcel->size;
  return c->parcel != NULL;
}

static bool put_stats(ChServer* server, ChClient* c, int pane) {
  ChFrameStat stats[CH_STATS_PER_FRAME];
  int count = ch_exchange_stats(server->exchange, pane, &c->stats_seen[pane], c->snapshot->steps, stats);
  c->tail_size = (size_t)count * CH_FRAME_STAT_SIZE;
  c->tail = count > 0 ? malloc(c->tail_size) : NULL;
  if (count > 0 && !c->tail) return false;
  unsigned char* at = c->tail;
  for (int k = 0; k < count; ++k) at = ch_frame_put_stat(at, &stats[k]);
  ChFrameHead head = c->snapshot->head;
  head.stats = (unsigned)count;
  ch_frame_put_head(c->head, &head);
  c->size = CH_FRAME_HEAD_SIZE + c->snapshot->size + c->tail_size;
  return true;
}

static bool frame_is_due(const ChServer* server, const ChClient* c, size_t size) {
  double apart = (double)size * server->client_count / FRAME_BYTES;
  return ch_clock_seconds() - c->frame_at >= (apart > FRAME_SECONDS ? apart : FRAME_SECONDS);
}

// The panes take turns; both count as one frame.
static bool choose_frame(ChServer* server, ChClient* c) {
  for (int k = 0; k < CH_PANES_MAX; ++k) {
    int pane = (c->next_pane + k) % CH_PANES_MAX;
    c->snapshot = ch_exchange_snapshot(server->exchange, pane, c->frame_seen[pane]);
    if (!c->snapshot) continue;
    if ((pane == 0 && !frame_is_due(server, c, c->snapshot->size)) || !put_stats(server, c, pane)) {
      message_end(server, c);
      continue;
    }
    c->frame_seen[pane] = c->snapshot->version;
    c->next_pane = (pane + 1) % CH_PANES_MAX;
    if (pane == 0) c->frame_at = ch_clock_seconds();
    return true;
  }
  return false;
}

static bool choose_message(ChServer* server, ChClient* c) {
  if (choose_text(server, c, CH_TEXT_HELLO, CH_TEXT_STATE) || choose_answer(server, c) ||
      choose_text(server, c, CH_TEXT_LOOP, CH_TEXT_LOOP))
    return true;
  if (!choose_frame(server, c)) return false;
  ChParcel* scene = NULL;
  for (int kind = CH_TEXT_SCENE; kind <= CH_TEXT_SECOND_SCENE && !scene; ++kind)
    scene = ch_exchange_text(server->exchange, (ChTextKind)kind, c->text_seen[kind]);
  if (!scene) return true;
  ch_parcel_drop(scene);  // a new scene came in between, and the frame may be of it
  message_end(server, c);
  return choose_text(server, c, CH_TEXT_HELLO, CH_TEXT_STATE);
}

// Bytes [from, from + size) of head, middle and tail together.
static void copy_piece(const ChClient* c, size_t from, size_t size, unsigned char* out) {
  const struct {
    const unsigned char* bytes;
    size_t size;
  } parts[] = {{c->parcel ? c->parcel->bytes : c->head, c->parcel ? c->parcel->size : CH_FRAME_HEAD_SIZE},
               {c->snapshot ? c->snapshot->bytes : NULL, c->snapshot ? c->snapshot->size : 0},
               {c->tail, c->tail_size}};
  for (int k = 0; k < 3 && size > 0; ++k) {
    if (from >= parts[k].size) {
      from -= parts[k].size;
      continue;
    }
    size_t part = parts[k].size - from < size ? parts[k].size - from : size;
    memcpy(out, parts[k].bytes + from, part);
    out += part;
    size -= part;
    from = 0;
  }
}

int ch_client_send(ChServer* server, ChClient* c) {
  c->moved_at = ch_clock_seconds();
  if (!c->parcel && !c->snapshot && !choose_message(server, c)) return 0;
  size_t left = c->size - c->sent, size = left < CH_CHUNK ? left : CH_CHUNK;
  copy_piece(c, c->sent, size, server->chunk + LWS_PRE);
  int flags = lws_write_ws_flags(c->parcel ? LWS_WRITE_TEXT : LWS_WRITE_BINARY, c->sent == 0, size == left);
  if (lws_write(c->wsi, server->chunk + LWS_PRE, size, (enum lws_write_protocol)flags) < 0) return -1;
  c->sent += size;
  if (size == left) message_end(server, c);
  lws_callback_on_writable(c->wsi);
  return 0;
}

void ch_client_look(ChServer* server) {
  double now = ch_clock_seconds();
  for (ChClient* c = server->clients; c; c = c->next) {
    lws_callback_on_writable(c->wsi);
    if (c->leaving || now - c->moved_at < STALL_SECONDS) continue;
    ch_server_note(server, "page %u: sent away: it reads nothing", c->id);
    c->leaving = true;
    lws_set_timeout(c->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
  }
}
