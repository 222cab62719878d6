// A recorded trajectory played through the exchange: see playback.h.
#include "serve/playback.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/clock.h"
#include "common/json.h"
#include "serve/messages.h"
#include "serve/recording.h"
#include "serve/scene_message.h"

static const double SHOW_SECONDS = 1.0 / 60.0, LONGEST_WAIT = 0.5;

struct ChPlayback {
  ChExchange* exchange;
  ChRecording* recording;
  bool running, changed;
  double speed;
  double time;  // where it is; the row shown is the last that is not later
  long row;
  double clock;  // when `time` was last moved on
};

// --- what it says ----------------------------------------------------------------------------------------------------

static double end_of(const ChPlayback* p) {
  return ch_recording_time(p->recording, ch_recording_rows(p->recording) - 1);
}

static void tell_state(const ChPlayback* p) {
  json_t* object = json_pack("{s:s, s:b, s:o, s:o, s:[o,o]}", "type", "state", "running", p->running, "speed",
                             ch_json_real(p->speed), "time", ch_json_real(p->time), "range",
                             ch_json_real(ch_recording_time(p->recording, 0)), ch_json_real(end_of(p)));
  ch_exchange_say(p->exchange, CH_TEXT_STATE, ch_message_text(object));
}

// The whole run at once, so that the charts are complete from the beginning.
static void tell_steps(const ChPlayback* p) {
  long rows = ch_recording_rows(p->recording), group = (rows + CH_STATS_KEPT - 1) / CH_STATS_KEPT;
  for (long first = 0; first < rows; first += group) {
    ChFrameStat stat = ch_recording_stat(p->recording, first);
    for (long row = first + 1; row < rows && row < first + group; ++row)
      stat = ch_frame_stat_worse(stat, ch_recording_stat(p->recording, row));
    ch_exchange_add_stat(p->exchange, 0, &stat);
  }
}

static ChStatus show(ChContext* context, ChPlayback* p) {
  ChFrameHead head = {.generation = 1, .flags = p->running ? CH_FRAME_RUNNING : 0};
  const unsigned char* bytes;
  size_t size;
  ChStatus status = ch_recording_frame(context, p->recording, p->row, &head, &bytes, &size);
  if (status != CH_OK) return status;
  ChSnapshot* snapshot = ch_exchange_blank(p->exchange, size);
  if (!snapshot) return ch_fail(context, CH_ERR_MEMORY, "out of memory for a frame");
  snapshot->head = head;
  memcpy(snapshot->bytes, bytes, size);
  ch_exchange_show(p->exchange, 0, snapshot);
  p->changed = false;
  return CH_OK;
}

// --- life ------------------------------------------------------------------------------------------------------------

ChStatus ch_playback_create(ChContext* context, const char* path, double speed, bool paused, ChExchange* exchange,
                            ChPlayback** out) {
  *out = NULL;
  ChPlayback* p = calloc(1, sizeof *p);
  if (!p) return ch_fail(context, CH_ERR_MEMORY, "out of memory for the viewer");
  p->exchange = exchange;
  p->speed = speed;
  p->running = !paused;
  p->changed = true;
  ChStatus status = ch_recording_open(context, path, &p->recording);
  if (status != CH_OK) {
    free(p);
    return status;
  }
  p->time = ch_recording_time(p->recording, 0);
  p->clock = ch_clock_seconds();
  ch_exchange_say(exchange, CH_TEXT_HELLO, ch_message_text(ch_message_hello("replay")));
  ch_exchange_say(exchange, CH_TEXT_SCENE, ch_message_text(ch_recording_scene(p->recording, 1)));
  tell_state(p);
  tell_steps(p);
  *out = p;
  return CH_OK;
}

void ch_playback_destroy(ChPlayback* p) {
  if (!p) return;
  ch_recording_close(p->recording);
  free(p);
}

// --- orders ----------------------------------------------------------------------------------------------------------

static void move_to(ChPlayback* p, double time) {
  p->time = fmin(fmax(time, ch_recording_time(p->recording, 0)), end_of(p));
  p->row = ch_recording_row_at(p->recording, p->time);
  p->clock = ch_clock_seconds();
  p->changed = true;
}

static void move_to_row(ChPlayback* p, long row) {
  long last = ch_recording_rows(p->recording) - 1;
  move_to(p, ch_recording_time(p->recording, row > last ? last : row));
}

static void refuse(const ChPlayback* p, const ChOrder* order) {
  static const char text[] = "a recording can be watched but not changed";
  ch_exchange_reply(p->exchange, order->client, ch_message_text(ch_message_error(text)));
}

static void refuse_problem(const ChPlayback* p) {
  unsigned ticket;
  int pane;
  if (!ch_exchange_problem_wanted(p->exchange, &ticket, &pane)) return;
  char* text = strdup("a recording holds no contact problems");
  ch_exchange_deliver_problem(p->exchange, ticket, true, (unsigned char*)text, text ? strlen(text) : 0);
}

static void obey(ChPlayback* p, const ChOrder* order) {
  switch (order->type) {
    case CH_ORDER_RUN:
      p->running = true;
      move_to(p, p->time >= end_of(p) ? ch_recording_time(p->recording, 0) : p->time);
      break;
    case CH_ORDER_PAUSE:
      p->running = false;
      p->changed = true;
      break;
    case CH_ORDER_STEP:
      p->running = false;
      move_to_row(p, p->row + 1);
      break;
    case CH_ORDER_RESET:
      move_to_row(p, 0);
      break;
    case CH_ORDER_SEEK:
      move_to(p, order->value);
      break;
    case CH_ORDER_SPEED:
      p->speed = order->value;
      break;
    case CH_ORDER_RELEASE:
    case CH_ORDER_INSPECT:
      return;  // pages know from the frames what a recording tells of a body
    default:
      refuse(p, order);
      return;
  }
  tell_state(p);
}

// --- the thread ------------------------------------------------------------------------------------------------------

// Moves on by the wall clock, or, with no speed given, by one row.
static void move_on(ChPlayback* p) {
  double now = ch_clock_seconds(), end = end_of(p);
  long before = p->row;
  if (p->speed == 0.0)
    move_to_row(p, p->row + 1);
  else {
    p->time = fmin(p->time + p->speed * (now - p->clock), end);
    p->row = ch_recording_row_at(p->recording, p->time);
  }
  p->clock = now;
  if (p->row != before) p->changed = true;
  if (p->time < end) return;
  p->running = false;
  p->changed = true;
  tell_state(p);
}

void ch_playback_run(ChPlayback* p) {
  ChContext context = {0};
  while (!ch_exchange_stopped(p->exchange)) {
    bool playing = p->running && ch_exchange_watchers(p->exchange) > 0;
    ChOrder order;
    bool any = ch_exchange_take(p->exchange, p->changed || playing ? SHOW_SECONDS : LONGEST_WAIT, &order);
    for (; any; any = ch_exchange_take(p->exchange, 0.0, &order)) obey(p, &order);
    refuse_problem(p);
    if (playing && p->running)
      move_on(p);
    else
      p->clock = ch_clock_seconds();
    if (!p->changed || show(&context, p) == CH_OK) continue;
    p->running = p->changed = false;
    ch_exchange_reply(p->exchange, 0, ch_message_text(ch_message_error(context.message)));
    tell_state(p);
  }
}
