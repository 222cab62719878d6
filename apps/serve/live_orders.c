// Orders carried out by the live session: each is checked against the scene at hand, and answered where it fails.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/soft.h"
#include "common/by_row.h"
#include "serve/live_state.h"
#include "serve/scene_message.h"

static const ChWorld* world_of(const ChLive* live) { return ch_simulation_world(live->panes[0].simulation); }

// --- settings --------------------------------------------------------------------------------------------------------

// The registry's own copy of the name, which lives as long as the program.
static ChStatus find_method(ChContext* context, const char* word, const char** out) {
  for (int k = 0; k < ch_method_count(); ++k) {
    *out = ch_method_info(k).name;
    if (strcmp(word, *out) == 0) return CH_OK;
  }
  return ch_fail(context, CH_ERR_ARGUMENT, "there is no method '%s'", word);
}

static ChStatus read_cone(ChContext* context, const ChLive* live, const char* word, ChSimulationOptions* o) {
  int sides = 0;
  bool outer = false;
  bool smooth = strcmp(word, "circular") == 0 || strcmp(word, "elliptic") == 0;
  if (!smooth && (!ch_cone_polygon(word, &outer, &sides) || sides == 0))
    return ch_fail(context, CH_ERR_ARGUMENT,
                   "cone '%s' is not known; there are: circular, elliptic, polygon:M, outer-polygon:M with M even and "
                   "from %d to %d",
                   word, CH_SIDES_MIN, CH_SIDES_MAX);
  if (ch_world_dimension(world_of(live)) == 2) sides = 0;  // there the two sides are the cone itself
  o->cone_sides = sides;
  o->cone_outer = sides > 0 && outer;
  return CH_OK;
}

// Options with the change in them; the scene's own check decides.
static ChStatus change_options(ChContext* context, ChLive* live, const ChOrder* order) {
  ChSimulationOptions o = live->setup.options;
  const char* methods[CH_PANES_MAX];
  memcpy(methods, live->methods, sizeof methods);
  ChStatus status = CH_OK;
  if (order->setting == CH_CHANGE_H) o.h = order->value;
  if (order->setting == CH_CHANGE_TOLERANCE) o.solve.tolerance = order->value;
  if (order->setting == CH_CHANGE_LIMIT) o.step_limit = order->value;
  if (order->setting == CH_CHANGE_REST) o.rest = order->on;
  if (order->setting == CH_CHANGE_CONE) status = read_cone(context, live, order->word, &o);
  if (order->setting == CH_CHANGE_METHOD) {
    const char* method = NULL;
    status = find_method(context, order->word, &method);
    if (live->pane_count == 1) o.solve.method = method;
    for (int k = 0; k < live->pane_count && live->pane_count > 1; ++k)
      if (order->pane < 0 || order->pane == k) methods[k] = method;
  }
  for (int k = 0; k < live->pane_count && status == CH_OK; ++k) {
    ChSimulationOptions own = o;
    ch_live_use_method(&own, methods[k]);
    status = ch_simulation_check_options(context, live->panes[k].simulation, &own);
  }
  if (status != CH_OK) return status;
  if (order->setting == CH_CHANGE_LIMIT) live->limit_given = order->value;
  if (order->setting == CH_CHANGE_PACE) live->fluent = order->on;
  live->setup.options = o;
  memcpy(live->methods, methods, sizeof methods);
  for (int k = 0; k < live->pane_count && status == CH_OK; ++k) {
    ChSimulationOptions own = ch_live_options(live, k);
    status = ch_simulation_set_options(context, live->panes[k].simulation, &own);
  }
  ch_live_set_pace(live);
  return status;
}

static ChStatus obey_set(ChContext* context, ChLive* live, const ChOrder* order) {
  ChStatus status = CH_OK;
  ChVec3 gravity = order->vector;
  if (ch_world_dimension(world_of(live)) == 2) gravity.z = 0.0;
  if (order->setting == CH_CHANGE_MU) {
    for (int k = 0; k < live->pane_count && status == CH_OK; ++k)
      status = ch_simulation_set_friction(context, live->panes[k].simulation, order->value);
    if (status == CH_OK) live->setup.friction = order->value;
  } else if (order->setting == CH_CHANGE_GRAVITY) {
    for (int k = 0; k < live->pane_count && status == CH_OK; ++k)
      status = ch_simulation_set_gravity(context, live->panes[k].simulation, gravity);
    if (status == CH_OK) {
      live->setup.gravity = gravity;
      live->setup.gravity_given = true;
    }
  } else {
    status = change_options(context, live, order);
  }
  return status;
}

// --- scenes ----------------------------------------------------------------------------------------------------------

static ChStatus obey_load(ChContext* context, ChLive* live, const ChOrder* order) {
  ChLiveScene scene;
  ChStatus status = ch_live_scene_open(context, live, order->word, order->parameter_count, order->parameters, &scene);
  if (status != CH_OK) return status;
  status = ch_live_start(context, live, &scene, live->pane_count > 1 ? live->pane_count : 0, live->methods);
  if (status != CH_OK) ch_live_scene_clear(&scene);
  return status;
}

static ChStatus obey_reset(ChContext* context, ChLive* live, const ChOrder* order) {
  (void)order;
  return ch_live_start(context, live, &live->scene, live->pane_count > 1 ? live->pane_count : 0, live->methods);
}

static ChStatus obey_compare(ChContext* context, ChLive* live, const ChOrder* order) {
  const char* methods[CH_PANES_MAX] = {NULL};
  ChStatus status = CH_OK;
  for (int k = 0; k < order->method_count && status == CH_OK; ++k)
    status = find_method(context, order->methods[k], &methods[k]);
  return status == CH_OK ? ch_live_start(context, live, &live->scene, order->method_count, methods) : status;
}

// --- running ---------------------------------------------------------------------------------------------------------

static ChStatus obey_run(ChContext* context, ChLive* live, const ChOrder* order) {
  (void)context, (void)order;
  live->running = true;
  ch_live_restart_clock(live);
  return CH_OK;
}

static ChStatus obey_pause(ChContext* context, ChLive* live, const ChOrder* order) {
  (void)context, (void)order;
  live->running = false;
  return CH_OK;
}

static ChStatus obey_step(ChContext* context, ChLive* live, const ChOrder* order) {
  (void)context, (void)order;
  live->running = false;
  ch_live_step(live);
  return CH_OK;
}

static ChStatus obey_speed(ChContext* context, ChLive* live, const ChOrder* order) {
  (void)context;
  live->speed = order->value;
  ch_live_set_pace(live);
  return CH_OK;
}

static ChStatus obey_seek(ChContext* context, ChLive* live, const ChOrder* order) {
  (void)live, (void)order;
  return ch_fail(context, CH_ERR_ARGUMENT, "a live scene cannot go back in time; `reset` starts it again");
}

// --- poking ----------------------------------------------------------------------------------------------------------

static ChStatus check_moving(ChContext* context, const ChLive* live, int body) {
  const ChWorld* world = world_of(live);
  if (body >= ch_world_body_count(world))
    return ch_fail(context, CH_ERR_RANGE, "there is no body %d; there are %d", body, ch_world_body_count(world));
  if (!ch_row_moves(world, body))
    return ch_fail(context, CH_ERR_ARGUMENT, "body '%.80s' does not move freely", ch_row_name(world, body));
  return CH_OK;
}

static ChStatus obey_drag(ChContext* context, ChLive* live, const ChOrder* order) {
  ChStatus status = check_moving(context, live, order->body);
  if (status != CH_OK) return status;
  ChSoftView soft;
  int triangles = ch_world_soft(world_of(live), order->body, &soft) ? soft.skin->triangle_count : 0;
  if (order->triangle >= triangles)
    return ch_fail(context, CH_ERR_RANGE, "body '%.80s' has no triangle %d to be pulled at; there are %d",
                   ch_row_name(world_of(live), order->body), order->triangle, triangles);
  live->drag = *order;
  return CH_OK;
}

static ChStatus obey_release(ChContext* context, ChLive* live, const ChOrder* order) {
  (void)context;
  if (live->drag.client == order->client) live->drag = (ChOrder){0};
  return CH_OK;
}

// A block whose size and mass suit the scene, where the order does not say: a tenth of its extent, four times as heavy
// as its bodies are on average.
static ChShot make_shot(const ChLive* live, const ChOrder* order) {
  const ChWorld* world = world_of(live);
  ChViewBounds bounds = ch_world_bounds(world);
  double mass = 0.0;
  int moving = 0;
  for (int b = 0; b < ch_world_body_count(world); ++b)
    if (ch_row_moves(world, b)) {
      mass += ch_world_body_info(world, ch_world_body_at(world, b)).mass;
      ++moving;
    }
  ChShot shot = {.origin = order->origin,
                 .velocity = ch_scale(order->value, ch_unit(order->direction)),
                 .mass = order->mass > 0.0 ? order->mass
                         : moving > 0      ? 4.0 * mass / moving
                                           : 1.0,
                 .size = order->size > 0.0 ? order->size : fmax(0.1 * ch_norm(ch_sub(bounds.high, bounds.low)), 1e-3)};
  if (ch_world_dimension(world) == 2) shot.origin.z = shot.velocity.z = 0.0;
  return shot;
}

static ChStatus obey_shoot(ChContext* context, ChLive* live, const ChOrder* order) {
  if (live->setup.shot_count == CH_SHOTS_MAX)
    return ch_fail(context, CH_ERR_RANGE, "%d blocks were shot, the most that a scene takes; `reset` removes them",
                   CH_SHOTS_MAX);
  live->setup.shots[live->setup.shot_count++] = make_shot(live, order);
  ChStatus status = ch_live_rebuild(context, live);
  if (status != CH_OK) --live->setup.shot_count;
  return status;
}

// --- looking closer --------------------------------------------------------------------------------------------------

static ChStatus obey_inspect(ChContext* context, ChLive* live, const ChOrder* order) {
  if (order->pane >= live->pane_count) return ch_fail(context, CH_ERR_RANGE, "there is no pane %d", order->pane);
  const ChPane* pane = &live->panes[order->pane];
  int contacts;
  ch_simulation_contacts(pane->simulation, &contacts);
  if (order->body >= pane->body_count)
    return ch_fail(context, CH_ERR_RANGE, "there is no body %d; there are %d", order->body, pane->body_count);
  if (order->contact >= contacts)
    return ch_fail(context, CH_ERR_RANGE, "there is no contact %d; there are %d", order->contact, contacts);
  json_t* answer = order->body >= 0 ? ch_pane_body(pane, order->pane, order->body)
                                    : ch_pane_contact(pane, order->pane, order->contact);
  ch_exchange_reply(live->exchange, order->client, ch_message_text(answer));
  return CH_OK;
}

// ---------------------------------------------------------------------------------------------------------------------

void ch_live_obey(ChLive* live, const ChOrder* order) {
  static const struct {
    ChStatus (*obey)(ChContext* context, ChLive* live, const ChOrder* order);
    bool tells;  // the settings are told to all afterwards
  } ways[] = {[CH_ORDER_LOAD] = {obey_load, false},       [CH_ORDER_RUN] = {obey_run, true},
              [CH_ORDER_PAUSE] = {obey_pause, true},      [CH_ORDER_STEP] = {obey_step, true},
              [CH_ORDER_RESET] = {obey_reset, false},     [CH_ORDER_SPEED] = {obey_speed, true},
              [CH_ORDER_SET] = {obey_set, true},          [CH_ORDER_DRAG] = {obey_drag, false},
              [CH_ORDER_RELEASE] = {obey_release, false}, [CH_ORDER_SHOOT] = {obey_shoot, false},
              [CH_ORDER_INSPECT] = {obey_inspect, false}, [CH_ORDER_COMPARE] = {obey_compare, false},
              [CH_ORDER_SEEK] = {obey_seek, false}};
  ChContext context = {0};
  ChStatus status = ways[order->type].obey(&context, live, order);
  if (status != CH_OK) {
    ch_live_tell_error(live, order->client, context.message);
    return;
  }
  if (!ways[order->type].tells) return;
  live->changed = true;
  ch_live_tell_state(live);
}
