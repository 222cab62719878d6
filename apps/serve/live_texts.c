// What the live session says: hello, scenes, settings, the loop's figures, errors.
#include <stdio.h>
#include <string.h>

#include "cardhouse/shape.h"
#include "common/json.h"
#include "serve/live_state.h"
#include "serve/messages.h"
#include "serve/scene_message.h"

void ch_live_tell_hello(ChLive* live) {
  ch_exchange_say(live->exchange, CH_TEXT_HELLO, ch_message_text(ch_message_hello("live")));
}

static json_t* cone_word(const ChLive* live) {
  const ChSimulationOptions* o = &live->setup.options;
  if (o->cone_sides > 0) return json_sprintf("%spolygon:%d", o->cone_outer ? "outer-" : "", o->cone_sides);
  return json_string(ch_world_is_elliptic(ch_simulation_world(live->panes[0].simulation)) ? "elliptic" : "circular");
}

static json_t* method_labels(const ChLive* live) {
  json_t* labels = json_array();
  for (int k = 0; k < live->pane_count; ++k)
    json_array_append_new(labels, json_string(ch_live_options(live, k).solve.method));
  return labels;
}

static ChVec3 gravity_now(const ChLive* live) {
  const ChSimulation* s = live->panes[0].simulation;
  return ch_world_gravity_at(ch_simulation_world(s), ch_simulation_time(s));
}

void ch_live_tell_scenes(ChLive* live) {
  for (int k = 0; k < CH_PANES_MAX; ++k) {
    json_t* object = NULL;
    if (k < live->pane_count) {
      ChSimulationOptions o = ch_live_options(live, k);
      object = ch_scene_message(ch_simulation_world(live->panes[k].simulation), live->scene.look);
      json_t* head = json_pack(
          "{s:s, s:I, s:i, s:i, s:o, s:o, s:O, s:o, s:o, s:s, s:o, s:o, s:o, s:s}", "type", "scene", "generation",
          (json_int_t)live->generation, "panes", live->pane_count, "pane", k, "name", ch_json_path(live->scene.name),
          "scene", ch_json_path(live->scene.word), "parameters", live->scene.parameters, "h", ch_json_real(o.h),
          "tolerance", ch_json_real(o.solve.tolerance), "method", o.solve.method, "cone", cone_word(live), "methods",
          method_labels(live), "until", ch_json_real(live->scene.until), "contact", ch_contact_law_name(o.contact));
      json_object_update(object, head);
      json_decref(head);
    }
    ch_exchange_say(live->exchange, (ChTextKind)(CH_TEXT_SCENE + k), object ? ch_message_text(object) : NULL);
  }
}

void ch_live_tell_state(ChLive* live) {
  ChSimulationOptions o = ch_live_options(live, 0);
  json_t* object =
      json_pack("{s:s, s:I, s:b, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:b, s:b, s:i}", "type", "state",
                "generation", (json_int_t)live->generation, "running", live->running, "speed",
                ch_json_real(live->speed), "pace", live->fluent ? "fluent" : "exact", "mu",
                live->setup.friction >= 0.0 ? ch_json_real(live->setup.friction) : json_null(), "gravity",
                ch_json_vector(gravity_now(live)), "h", ch_json_real(o.h), "tolerance", ch_json_real(o.solve.tolerance),
                "limit", live->limit_given > 0.0 ? ch_json_real(live->limit_given) : json_null(), "method",
                o.solve.method, "methods", method_labels(live), "cone", cone_word(live), "rest", o.rest, "compare",
                live->pane_count > 1, "shots", live->setup.shot_count);
  ch_exchange_say(live->exchange, CH_TEXT_STATE, ch_message_text(object));
}

void ch_live_tell_loop(ChLive* live) {
  json_t* object = ch_loop_meter_close(&live->meter);
  if (object) {
    if (live->speed == 0.0) json_object_set_new(object, "behind_seconds", json_null());  // there is no clock
    json_object_set_new(object, "limit", ch_json_real(live->pace.terms.limit));
    json_object_set_new(object, "time", ch_json_real(ch_simulation_time(live->panes[0].simulation)));
    json_object_set_new(object, "watchers", json_integer(ch_exchange_watchers(live->exchange)));
  }
  ch_exchange_say(live->exchange, CH_TEXT_LOOP, ch_message_text(object));
}

void ch_live_tell_error(ChLive* live, unsigned client, const char* text) {
  ch_exchange_reply(live->exchange, client, ch_message_text(ch_message_error(text)));
}
