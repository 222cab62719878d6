// One simulation as it is shown: see pane.h.
#include "serve/pane.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/clock.h"
#include "cardhouse/geometry.h"
#include "cardhouse/soft.h"
#include "common/by_row.h"
#include "common/json.h"
#include "serve/contact_view.h"
#include "serve/scene_message.h"

static const double OVERLAP = 1e6;  // metres: any

// --- life ------------------------------------------------------------------------------------------------------------

// Blocks are bodies of the scene's text, behind all others, so that what was there keeps its number. They rub as the
// first thing does that moves. Where they begin, something may lie at the scene's start.
static bool add_shot(json_t* root, const json_t* material, bool plane, int number, const ChShot* shot) {
  double half = 0.5 * shot->size;
  ChVec3 x = shot->origin, v = shot->velocity;
  json_t* shape = plane ? json_pack("{s:s, s:[f,f]}", "type", "box", "half", half, half)
                        : json_pack("{s:s, s:[f,f,f]}", "type", "box", "half", half, half, half);
  if (material) json_object_set(shape, "material", (json_t*)material);
  json_t* body =
      json_pack("{s:o, s:f, s:[o]}", "name", json_sprintf("shot %d", number + 1), "mass", shot->mass, "shapes", shape);
  json_object_set_new(body, "position", plane ? json_pack("[f,f]", x.x, x.y) : json_pack("[f,f,f]", x.x, x.y, x.z));
  json_object_set_new(body, "velocity", plane ? json_pack("[f,f]", v.x, v.y) : json_pack("[f,f,f]", v.x, v.y, v.z));
  return json_array_append_new(json_object_get(root, "bodies"), body) == 0;
}

// Of the first body that nothing holds, by its first shape, or NULL.
static const json_t* common_material(const json_t* root) {
  size_t k;
  json_t* body;
  json_array_foreach(json_object_get(root, "bodies"), k, body) {
    const json_t *shapes = json_object_get(body, "shapes"), *soft = json_object_get(body, "soft");
    if (soft) return json_object_get(soft, "material");
    bool moves = !json_is_true(json_object_get(body, "fixed")) && !json_object_get(body, "motion");
    if (moves && json_array_size(shapes) > 0) return json_object_get(json_array_get(shapes, 0), "material");
  }
  return NULL;
}

static char* text_with_shots(const ChPaneSetup* setup) {
  json_t* root = json_loads(setup->text, 0, NULL);
  if (!root) return NULL;
  if (!json_object_get(root, "bodies")) json_object_set_new(root, "bodies", json_array());
  if (!json_object_get(root, "step")) json_object_set_new(root, "step", json_object());
  json_object_set_new(json_object_get(root, "step"), "overlap", json_real(OVERLAP));
  bool plane = json_integer_value(json_object_get(root, "dimension")) == 2, whole = true;
  const json_t* material = common_material(root);
  for (int k = 0; k < setup->shot_count; ++k) whole = add_shot(root, material, plane, k, &setup->shots[k]) && whole;
  char* text = whole ? json_dumps(root, JSON_COMPACT) : NULL;
  json_decref(root);
  return text;
}

char* ch_pane_text(const ChPaneSetup* setup) {
  return setup->shot_count > 0 ? text_with_shots(setup) : strdup(setup->text);
}

static ChStatus build_world(ChContext* context, const ChPaneSetup* setup, ChWorld** out) {
  ChScene* scene = NULL;
  char* text = ch_pane_text(setup);
  ChStatus status = !text ? ch_fail(context, CH_ERR_MEMORY, "out of memory for a scene")
                          : ch_scene_parse(context, text, setup->file, &scene);
  free(text);
  if (status != CH_OK) return status;
  *out = scene->world;
  scene->world = NULL;
  ch_scene_destroy(scene);
  return CH_OK;
}

ChStatus ch_pane_create(ChContext* context, const ChPaneSetup* setup, const ChSimulation* from, ChPane* out) {
  *out = (ChPane){0};
  ChWorld* world;
  ChStatus status = build_world(context, setup, &world);
  if (status != CH_OK) return status;
  out->body_count = ch_world_body_count(world);
  out->islands = calloc((size_t)out->body_count + 1, sizeof *out->islands);
  status = ch_simulation_create(context, world, &setup->options, &out->simulation);
  if (status == CH_OK && !out->islands) status = ch_fail(context, CH_ERR_MEMORY, "out of memory for a scene");
  if (status == CH_OK && setup->gravity_given)
    status = ch_simulation_set_gravity(context, out->simulation, setup->gravity);
  if (status == CH_OK && setup->friction >= 0.0)
    status = ch_simulation_set_friction(context, out->simulation, setup->friction);
  if (status == CH_OK && from) status = ch_simulation_carry(context, out->simulation, from);
  if (status != CH_OK) {
    ch_pane_destroy(out);
    return status;
  }
  for (int b = 0; b < out->body_count; ++b) out->islands[b] = -1;
  return CH_OK;
}

void ch_pane_destroy(ChPane* pane) {
  ch_simulation_destroy(pane->simulation);
  free(pane->islands);
  *pane = (ChPane){0};
}

// --- steps -----------------------------------------------------------------------------------------------------------

static ChFrameStat stat_of(const ChStepInfo* info, double seconds) {
  bool missed = info->missed || !isfinite(info->certificate.natural);  // NaN goes as it is, and is never good
  unsigned flags =
      (missed ? CH_STAT_MISSED : 0) | (info->islands > 0 && info->resting == info->islands ? CH_STAT_RESTING : 0);
  flags |= CH_STAT_BOUNDS * (unsigned)info->bounds;
  return (ChFrameStat){.time = info->time,
                       .natural = info->certificate.natural,
                       .kinetic = info->kinetic,
                       .potential = info->potential,
                       .contacts = (float)info->contacts,
                       .iterations = (float)info->iterations,
                       .seconds = (float)seconds,
                       .flags = (float)flags};
}

void ch_pane_tell_start(const ChPane* pane, ChExchange* exchange, int number) {
  ChStepInfo info = ch_simulation_info(pane->simulation);
  ChFrameStat stat = stat_of(&info, 0.0);
  ch_exchange_add_stat(exchange, number, &stat);
}

ChStatus ch_pane_step(ChContext* context, ChPane* pane, ChExchange* exchange, int number, double* seconds) {
  ChStepInfo info;
  double before = ch_clock_seconds();
  ChStatus status = ch_simulation_step(context, pane->simulation, &info);
  if (status != CH_OK) return status;
  double spent = ch_clock_seconds() - before;
  ChFrameStat stat = stat_of(&info, spent);
  ch_exchange_add_stat(exchange, number, &stat);
  *seconds += spent;
  return CH_OK;
}

// --- what is shown ---------------------------------------------------------------------------------------------------

static ChFall fall_of(const ChSimulation* s) {
  return ch_fall(ch_simulation_world(s), ch_simulation_time(s), ch_simulation_info(s).h);
}

static ChBodyView body_of(const void* simulation, int row) { return ch_simulation_body_at(simulation, row); }

static ChQuat orientation_of(const ChWorld* world, const ChBodyView* view) {
  return ch_world_dimension(world) == 2 ? ch_quat_about(ch_axis(2), view->angle) : view->orientation;
}

void ch_pane_show(ChPane* pane, ChExchange* exchange, int number, unsigned generation, bool running) {
  const ChSimulation* s = pane->simulation;
  const ChWorld* world = ch_simulation_world(s);
  int contacts;
  const ChContactView* views = ch_simulation_contacts(s, &contacts);
  ChFrameHead head = {.generation = generation,
                      .pane = (unsigned)number,
                      .bodies = (unsigned)pane->body_count,
                      .modes = (unsigned)ch_world_mode_count(world),
                      .contacts = (unsigned)contacts,
                      .flags = running ? CH_FRAME_RUNNING : 0,
                      .time = ch_simulation_time(s),
                      .step = ch_simulation_step_count(s)};
  ChSnapshot* shot = ch_exchange_blank(exchange, ch_frame_middle_size(&head));
  if (!shot) return;
  shot->head = head;
  ch_simulation_islands(s, pane->islands);
  unsigned char* at = shot->bytes;
  for (int b = 0; b < pane->body_count; ++b) {
    ChBodyView view = ch_simulation_body_at(s, b);
    at = ch_frame_put_body(at, view.position, orientation_of(world, &view));
  }
  for (int b = 0; b < pane->body_count; ++b) {
    int modes = 0;
    const double* amplitudes = ch_simulation_modes(s, ch_world_body_at(world, b), &modes);
    if (amplitudes) at = ch_frame_put_modes(at, (unsigned)modes, amplitudes);
  }
  for (int b = 0; b < pane->body_count; ++b) at = ch_frame_put_island(at, pane->islands[b]);
  ch_frame_put_contacts(at, world, contacts, views, fall_of(s), (ChBodyMotion){body_of, s});
  ch_exchange_show(exchange, number, shot);
}

// --- inspection ------------------------------------------------------------------------------------------------------

// How far each mode is out, how fast it swings by itself, and what that holds of energy.
static json_t* soft_object(const ChSimulation* s, int index) {
  const ChWorld* world = ch_simulation_world(s);
  ChSoftView view, *soft = &view;
  int modes = 0;
  const double* q = ch_simulation_modes(s, ch_world_body_at(world, index), &modes);
  json_t *amplitudes = json_array(), *frequencies = json_array();
  ch_world_soft(world, index, soft);
  for (int a = 0; a < modes; ++a) {
    json_array_append_new(amplitudes, ch_json_real(q[a]));
    json_array_append_new(frequencies, ch_json_real(soft->frequency[a] / (2.0 * M_PI)));
  }
  return json_pack("{s:s, s:b, s:i, s:o, s:o, s:o, s:o}", "kind", soft->kind == CH_SOFT_STVK ? "stvk" : "modal",
                   "clamped", soft->clamped, "modes", modes, "amplitudes", amplitudes, "frequencies", frequencies,
                   "elastic_energy", ch_json_real(ch_world_soft_energy(world, index, q)), "least_volume",
                   ch_json_real(ch_world_soft_least_volume(world, index, q)));
}

json_t* ch_pane_body(const ChPane* pane, int number, int index) {
  const ChSimulation* s = pane->simulation;
  const ChWorld* world = ch_simulation_world(s);
  const ChBodyInfo info = ch_world_body_info(world, ch_world_body_at(world, index)), *body = &info;
  ChBodyView view = ch_simulation_body_at(s, index);
  int contacts, touching = 0;
  const ChContactView* views = ch_simulation_contacts(s, &contacts);
  ChVec3 force = {0.0, 0.0, 0.0};
  for (int k = 0; k < contacts; ++k)
    for (int side = 0; side < 2; ++side) {
      if (views[k].body[side] != index) continue;
      force = ch_along(force, side == 1 ? 1.0 : -1.0, views[k].force);
      ++touching;
    }
  ChQuat q = orientation_of(world, &view);
  json_t* object = json_pack(
      "{s:s, s:i, s:i, s:o, s:s, s:o, s:o, s:[f,f,f,f], s:o, s:o, s:o, s:i, s:i, s:f}", "type", "body", "pane", number,
      "index", index, "name", ch_json_path(body->name), "kind", ch_body_kind_word(body->kind), "mass",
      ch_json_real(body->mass), "position", ch_json_vector(view.position), "orientation", q.w, q.x, q.y, q.z,
      "velocity", ch_json_vector(view.velocity), "omega", ch_json_vector(view.omega), "contact_force",
      ch_json_vector(force), "contacts", touching, "island", pane->islands[index], "time", ch_simulation_time(s));
  if (object && body->soft) json_object_set_new(object, "soft", soft_object(s, index));
  return object;
}

json_t* ch_pane_contact(const ChPane* pane, int number, int index) {
  static const char* const words[] = {"open", "stick", "slip", "about to open", "roll", "spin"};
  const ChSimulation* s = pane->simulation;
  const ChWorld* world = ch_simulation_world(s);
  int count;
  const ChContactView* views = ch_simulation_contacts(s, &count);
  ChFrameContact c = ch_frame_contact(world, &views[index], (ChBodyMotion){body_of, s});
  double normal = ch_dot(c.force, c.normal), slip_normal = ch_dot(c.slip, c.normal);
  ChVec3 tangential = ch_along(c.force, -normal, c.normal), slip = ch_along(c.slip, -slip_normal, c.normal);
  double used = ch_norm(tangential) / (c.mu * normal);
  ChContactStatus status = ch_contact_status(&c, ch_contact_scale_of(count, views, fall_of(s)));
  return json_pack("{s:s, s:i, s:i, s:[i,i], s:[o,o], s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:f}",
                   "type", "contact", "pane", number, "index", index, "bodies", c.body[0], c.body[1], "names",
                   ch_json_path(ch_row_name(world, c.body[0])), ch_json_path(ch_row_name(world, c.body[1])), "point",
                   ch_json_vector(c.point), "normal", ch_json_vector(c.normal), "gap", ch_json_real(c.gap), "mu",
                   ch_json_real(c.mu), "force", ch_json_vector(c.force), "normal_force", ch_json_real(normal),
                   "tangential_force", ch_json_real(ch_norm(tangential)), "slip", ch_json_vector(c.slip), "slip_speed",
                   ch_json_real(ch_norm(slip)), "opening_speed", ch_json_real(slip_normal), "utilisation",
                   ch_json_real(used), "status", words[status], "time", ch_simulation_time(s));
}

double ch_pane_distance(const ChPane* a, const ChPane* b) {
  double largest = 0.0;
  int count = a->body_count < b->body_count ? a->body_count : b->body_count;
  for (int k = 0; k < count; ++k) {
    ChVec3 between =
        ch_sub(ch_simulation_body_at(a->simulation, k).position, ch_simulation_body_at(b->simulation, k).position);
    double distance = ch_norm(between);
    if (!(distance <= largest)) largest = distance;
  }
  return largest;
}
