// A feed shown through the exchange: see follow.h.
#include "serve/follow.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/clock.h"
#include "cardhouse/feed.h"
#include "cardhouse/scene.h"
#include "cardhouse/soft.h"
#include "common/json.h"
#include "serve/contact_view.h"
#include "serve/messages.h"
#include "serve/scene_message.h"

static const double SHOW_SECONDS = 1.0 / 60.0;  // from look to look
static const double IDLE_SECONDS = 0.5;         // after which a simulation that takes no step counts as waiting

struct ChFollow {
  ChExchange* exchange;
  ChFeedReader* reader;
  ChScene* scene;
  long number;      // of the scene in the feed
  json_t* message;  // of that scene
  unsigned generation;
  const ChFeedState* state;  // the last one,
  long step;                 // and its step
  bool running, over;
  double moved_at;  // when the last step was seen, on ch_clock_seconds
};

// --- what it says ----------------------------------------------------------------------------------------------------

static void tell_state(const ChFollow* f) {
  json_t* object =
      json_pack("{s:s, s:b, s:f, s:b}", "type", "state", "running", f->running, "speed", 1.0, "over", f->over);
  ch_exchange_say(f->exchange, CH_TEXT_STATE, ch_message_text(object));
}

static void tell_error(const ChFollow* f, unsigned client, const char* text) {
  ch_exchange_reply(f->exchange, client, ch_message_text(ch_message_error(text)));
}

// Joints that came later were not there at the start: the feed says how they lie in their bodies.
static void put_joints(json_t* message, const ChFeedScene* scene) {
  json_t* joints = json_object_get(message, "joints");
  for (size_t j = 0; j < json_array_size(joints); ++j) {
    json_t *anchors = json_array(), *axes = json_array(), *joint = json_array_get(joints, j);
    for (int side = 0; side < 2; ++side) {
      ChFrame frame = scene->joints[j].side[side];
      json_array_append_new(anchors, ch_json_vector(frame.at));
      json_array_append_new(axes, ch_json_vector(ch_rotate(frame.orientation, ch_axis(2))));
    }
    json_object_set_new(joint, "anchors", anchors);
    json_object_set_new(joint, "axes", axes);
  }
}

static json_t* scene_message(const ChFollow* f, const ChFeedScene* scene) {
  json_t* object = ch_scene_message(f->scene->world, f->scene->look);
  json_t* head =
      json_pack("{s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:[o], s:o, s:o}", "type", "scene", "panes", 1, "pane", 0, "name",
                ch_json_path(f->scene->name), "h", ch_json_real(scene->h), "tolerance", ch_json_real(scene->tolerance),
                "method", ch_json_path(scene->method), "methods", ch_json_path(scene->method), "until",
                ch_json_real(f->scene->until), "contact", ch_json_path(scene->contact));
  if (object && head && json_object_update(object, head) == 0) put_joints(object, scene);
  json_decref(head);
  return object;
}

// Frames from now on belong to a generation of their own.
static void tell_scene(ChFollow* f) {
  json_object_set_new(f->message, "generation", json_integer(++f->generation));
  ch_exchange_say(f->exchange, CH_TEXT_SCENE, ch_message_text(json_incref(f->message)));
}

static ChStatus take_scene(ChContext* context, ChFollow* f, const ChFeedScene* scene) {
  ChScene* next;
  ChStatus status = ch_scene_parse(context, scene->text, scene->file, &next);
  if (status != CH_OK) return status;
  if (ch_world_joint_count(next->world) != scene->joint_count) {
    ch_scene_destroy(next);
    return ch_fail(context, CH_ERR_FORMAT, "the joints of the feed's scene are not those that the feed announces");
  }
  ch_scene_destroy(f->scene);
  f->scene = next;
  f->number = scene->number;
  json_decref(f->message);
  f->message = scene_message(f, scene);
  if (!f->message) return ch_fail(context, CH_ERR_MEMORY, "out of memory for a scene");
  tell_scene(f);
  return CH_OK;
}

// --- frames ----------------------------------------------------------------------------------------------------------

static unsigned char* put_contacts(unsigned char* at, const ChWorld* world, const ChFeedState* s) {
  ChContactLoads loads = {0};
  for (int k = 0; k < s->contact_count; ++k) ch_contact_loads_add(&loads, s->contacts[k].force, s->contacts[k].normal);
  ChContactScale scale = ch_contact_loads_scale(&loads, ch_fall(world, s->time, s->h));
  for (int k = 0; k < s->contact_count; ++k) {
    const ChFeedContact* c = &s->contacts[k];
    const ChFrameContact contact = {.point = c->point,
                                    .normal = c->normal,
                                    .force = c->force,
                                    .slip = c->slip,
                                    .gap = c->gap,
                                    .mu = c->friction,
                                    .body = {c->body[0], c->body[1]}};
    at = ch_frame_put_contact(at, &contact, ch_contact_status(&contact, scale));
  }
  return at;
}

static ChStatus show(ChContext* context, const ChFollow* f, const ChFeedState* s) {
  const ChWorld* world = f->scene->world;
  if (s->body_count != ch_world_body_count(world) || s->mode_count != ch_world_mode_count(world))
    return ch_fail(context, CH_ERR_FORMAT, "the feed shows %d bodies and %d modes, its scene has %d and %d",
                   s->body_count, s->mode_count, ch_world_body_count(world), ch_world_mode_count(world));
  const ChFrameHead head = {.generation = f->generation,
                            .bodies = (unsigned)s->body_count,
                            .modes = (unsigned)s->mode_count,
                            .contacts = (unsigned)s->contact_count,
                            .flags = f->running ? CH_FRAME_RUNNING : 0,
                            .time = s->time,
                            .step = s->step};
  ChSnapshot* shot = ch_exchange_blank(f->exchange, ch_frame_middle_size(&head));
  if (!shot) return ch_fail(context, CH_ERR_MEMORY, "out of memory for a frame");
  shot->head = head;
  unsigned char* at = shot->bytes;
  for (int b = 0; b < s->body_count; ++b) at = ch_frame_put_body(at, s->bodies[b].at, s->bodies[b].orientation);
  at = ch_frame_put_modes(at, head.modes, s->amplitudes);
  for (int b = 0; b < s->body_count; ++b) at = ch_frame_put_island(at, s->islands[b]);
  put_contacts(at, world, s);
  ch_exchange_show(f->exchange, 0, shot);
  return CH_OK;
}

static void add_step(const ChFollow* f, const ChFeedStep* step) {
  unsigned flags = (step->missed != 0.0 ? CH_STAT_MISSED : 0) | (step->resting != 0.0 ? CH_STAT_RESTING : 0);
  const ChFrameStat stat = {.time = step->time,
                            .natural = step->natural,
                            .kinetic = step->kinetic,
                            .potential = step->potential,
                            .contacts = (float)step->contacts,
                            .iterations = (float)step->iterations,
                            .seconds = (float)step->seconds,
                            .flags = (float)flags};
  ch_exchange_add_stat(f->exchange, 0, &stat);
}

// --- looking ---------------------------------------------------------------------------------------------------------

static ChStatus look(ChContext* context, ChFollow* f) {
  ChFeedNews news;
  ChStatus status = ch_feed_reader_look(context, f->reader, &news);
  if (status != CH_OK) return status;
  bool ran = f->running, was_over = f->over;
  double now = ch_clock_seconds();
  if (news.step_count > 0) f->moved_at = now;
  f->over = news.over;
  f->running = !f->over && now - f->moved_at < IDLE_SECONDS;
  if (news.scene) status = take_scene(context, f, news.scene);
  if (status != CH_OK) return status;
  if (news.state && news.state->step < f->step) {  // reset, or a state that was kept: charts begin again
    ch_exchange_clear_stats(f->exchange);
    tell_scene(f);
  }
  for (int k = 0; k < news.step_count; ++k)
    if (!news.state || !(news.steps[k].time > news.state->time)) add_step(f, &news.steps[k]);
  if (news.state) f->state = news.state, f->step = news.state->step;
  bool turned = ran != f->running || was_over != f->over;
  if (turned) tell_state(f);
  // A state of a scene that is still being written waits for it. When steps stop, all that pages show is of the last.
  return (news.state || turned) && f->state && f->state->scene == f->number ? show(context, f, f->state) : CH_OK;
}

// --- life ------------------------------------------------------------------------------------------------------------

ChStatus ch_follow_create(ChContext* context, const char* path, ChExchange* exchange, ChFollow** out) {
  *out = NULL;
  ChFollow* f = calloc(1, sizeof *f);
  if (!f) return ch_fail(context, CH_ERR_MEMORY, "out of memory for the viewer");
  f->exchange = exchange;
  f->moved_at = -IDLE_SECONDS;
  ch_exchange_say(exchange, CH_TEXT_HELLO, ch_message_text(ch_message_hello("follow")));
  ChStatus status = ch_feed_reader_open(context, path, &f->reader);
  if (status == CH_OK) status = look(context, f);
  if (status == CH_OK && !f->scene) status = ch_fail(context, CH_ERR_FORMAT, "%s: the feed has no scene", path);
  if (status != CH_OK) {
    ch_follow_destroy(f);
    return status;
  }
  tell_state(f);
  *out = f;
  return CH_OK;
}

void ch_follow_destroy(ChFollow* f) {
  if (!f) return;
  ch_feed_reader_close(f->reader);
  ch_scene_destroy(f->scene);
  json_decref(f->message);
  free(f);
}

static void obey(const ChFollow* f, const ChOrder* order) {
  if (order->type == CH_ORDER_RELEASE || order->type == CH_ORDER_INSPECT) return;  // pages know from the frames
  tell_error(f, order->client, "this page only shows the simulation; the program that steps it can change it");
}

static void refuse_problem(const ChFollow* f) {
  unsigned ticket;
  int pane;
  if (!ch_exchange_problem_wanted(f->exchange, &ticket, &pane)) return;
  char* text = strdup("only the program that steps the simulation has its contact problems");
  ch_exchange_deliver_problem(f->exchange, ticket, true, (unsigned char*)text, text ? strlen(text) : 0);
}

void ch_follow_run(ChFollow* f) {
  ChContext context = {0};
  bool fine = true;
  while (!ch_exchange_stopped(f->exchange)) {
    ChOrder order;
    bool any = ch_exchange_take(f->exchange, SHOW_SECONDS, &order);
    for (; any; any = ch_exchange_take(f->exchange, 0.0, &order)) obey(f, &order);
    refuse_problem(f);
    if (!fine || look(&context, f) == CH_OK) continue;
    fine = f->running = false;  // the last good state stays
    tell_error(f, 0, context.message);
    tell_state(f);
  }
}
