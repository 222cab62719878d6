// See heal_command.h. The scene is written with includes and parameters resolved, each moved body with its new position
// and orientation; all else is as it was.
#include "cli/heal_command.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/body.h"
#include "cardhouse/geometry.h"
#include "cardhouse/scene.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "common/by_row.h"
#include "common/printable.h"

#define HEALED 1e-9  // metres of overlap that may stay

#define HEAL_OPTIONS(X) X(TEXT, out, NULL, "FILE.json", 0, 0, "file for the scene instead of standard output; or -o")

typedef struct Arguments {
  HEAL_OPTIONS(CH_ARG_MEMBER)
} Arguments;

static const ChArgRow rows[] = {HEAL_OPTIONS(CH_ARG_ROW)};

const ChCommand ch_command_scene_heal = {
    .name = "scene heal",
    .summary = "parts the bodies that overlap at the start of a scene, with the least motion",
    .operand = "FILE",
    .examples = "  cardhouse scene heal wall.json -o healed.json\n  cardhouse scene heal wall.json > healed.json\n",
    .row_count = sizeof rows / sizeof *rows,
    .rows = rows,
};

static json_t* find_body(json_t* root, const char* name) {
  size_t k;
  json_t* body;
  json_array_foreach(json_object_get(root, "bodies"), k, body) {
    const char* its = json_string_value(json_object_get(body, "name"));
    if (its && strcmp(its, name) == 0) return body;
  }
  return NULL;
}

// The frame in which the body was defined, from where its centre of mass is now.
static void write_body(json_t* body, const ChBodyInfo* info, const ChBodyView* now, int dimension) {
  ChVec3 arm = ch_rotate(now->orientation, info->centre);
  double x = now->position.x - arm.x, y = now->position.y - arm.y, z = now->position.z - arm.z;
  ChQuat q = now->orientation;
  json_object_set_new(body, "position", dimension == 2 ? json_pack("[f, f]", x, y) : json_pack("[f, f, f]", x, y, z));
  json_object_set_new(
      body, "orientation",
      dimension == 2 ? json_pack("{s:f}", "radians", now->angle) : json_pack("[f, f, f, f]", q.w, q.x, q.y, q.z));
}

// Copy k of an entry, as an entry of its own.
static json_t* one_copy(const json_t* entry, const json_t* places, size_t k, size_t dimension) {
  const char* its = json_string_value(json_object_get(entry, "name"));
  json_t *body = json_deep_copy(entry), *at = json_array();
  for (size_t a = 0; a < dimension; ++a) json_array_append(at, json_array_get(places, k * dimension + a));
  json_object_del(body, "copies");
  json_object_set_new(body, "position", at);
  if (its) json_object_set_new(body, "name", json_sprintf("%s %d", its, (int)k + 1));
  return body;
}

// A body that is moved needs a place of its own.
static void write_out_copies(json_t* root, size_t dimension) {
  json_t *list = json_array(), *entry;
  size_t j;
  json_array_foreach(json_object_get(root, "bodies"), j, entry) {
    const json_t* places = json_object_get(entry, "copies");
    if (!places) json_array_append(list, entry);
    for (size_t k = 0; k < json_array_size(places) / dimension; ++k)
      json_array_append_new(list, one_copy(entry, places, k, dimension));
  }
  json_object_set_new(root, "bodies", list);
}

// Bodies that no round has moved keep their words.
static json_t* healed_scene(const ChScene* scene, const ChSimulation* s, const ChBodyView* before) {
  const ChWorld* world = ch_simulation_world(s);
  json_t* root = json_loads(scene->text, 0, NULL);
  if (root) write_out_copies(root, (size_t)ch_world_dimension(world));
  for (int k = 0; root && k < ch_world_body_count(world); ++k) {
    ChBodyView now = ch_simulation_body_at(s, k);
    if (!ch_row_moves(world, k) || memcmp(&now, &before[k], sizeof now) == 0) continue;
    ChBodyInfo info = ch_world_body_info(world, ch_world_body_at(world, k));
    json_t* body = find_body(root, info.name);
    if (body) write_body(body, &info, &now, ch_world_dimension(world));
  }
  return root;
}

static ChExit write_scene(const char* out, const json_t* root) {
  FILE* file = out ? fopen(out, "wb") : stdout;
  bool good = file && root && json_dumpf(root, file, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) == 0;
  if (good) fputc('\n', file);
  if (file && out) good = fclose(file) == 0 && good;
  if (!good) ch_complain(&ch_command_scene_heal, "%s cannot be written", out ? CH_SHOWN(out) : "the scene");
  return good ? CH_EXIT_DONE : CH_EXIT_FAULT;
}

static void report(FILE* to, const ChHealing* h, const ChWorld* world) {
  if (h->body < 0 && h->after <= HEALED) {
    fprintf(to, "overlap       %.3g m at most: nothing had to be moved\n", h->before);
    return;
  }
  fprintf(to, "overlap       %.3g m at most, %.3g m afterwards; %d rounds\n", h->before, h->after, h->rounds);
  if (h->body >= 0)
    fprintf(to, "moved         %.3g m (%s) and %.3g radian at most\n", h->moved, CH_SHOWN(ch_row_name(world, h->body)),
            h->turned);
}

static ChExit heal(const Arguments* a, ChScene* scene, ChSimulation* s) {
  ChContext context = {0};
  const ChWorld* world = ch_simulation_world(s);
  int count = ch_world_body_count(world);
  ChBodyView* before = calloc((size_t)count + 1, sizeof *before);
  if (!before) {
    ch_complain(&ch_command_scene_heal, "out of memory for %d bodies", count);
    return CH_EXIT_FAULT;
  }
  for (int k = 0; k < count; ++k) before[k] = ch_simulation_body_at(s, k);
  ChHealing healing;
  ChStatus status = ch_simulation_heal(&context, s, &healing);
  json_t* root = status == CH_OK ? healed_scene(scene, s, before) : NULL;
  free(before);
  if (status != CH_OK) return ch_failure_exit(&ch_command_scene_heal, &context, status);
  ChExit exit = write_scene(a->out, root);
  json_decref(root);
  if (exit != CH_EXIT_DONE) return exit;
  report(a->out ? stdout : stderr, &healing, world);
  if (healing.after <= HEALED) return CH_EXIT_DONE;
  ch_complain(&ch_command_scene_heal,
              "bodies still overlap by %.3g m: there is no room; move walls, or let bodies \"ignore\" each other",
              healing.after);
  return CH_EXIT_SHORT;
}

ChExit ch_scene_heal_run(int count, char** words) {
  Arguments arguments = {HEAL_OPTIONS(CH_ARG_DEFAULT)};
  const char* file = NULL;
  static char out[] = "--out";
  for (int k = 0; k < count; ++k)
    if (strcmp(words[k], "-o") == 0) words[k] = out;
  ChParsed parsed = ch_arguments_parse(&ch_command_scene_heal, count, words, &arguments, &file);
  if (parsed != CH_PARSED_RUN) return parsed == CH_PARSED_HELP ? CH_EXIT_DONE : CH_EXIT_USAGE;
  ChContext context = {0};
  ChScene* scene;
  ChSimulation* s;
  ch_notices_show(&ch_command_scene_heal, &context, true);
  ch_signals_end();
  ChStatus status = ch_scene_open_overlapping(&context, file, &scene);
  if (status != CH_OK) return ch_failure_exit(&ch_command_scene_heal, &context, status);
  ChWorld* world = scene->world;
  scene->world = NULL;
  status = ch_simulation_create(&context, world, &scene->options, &s);
  ChExit exit =
      status == CH_OK ? heal(&arguments, scene, s) : ch_failure_exit(&ch_command_scene_heal, &context, status);
  if (status == CH_OK) ch_simulation_destroy(s);
  ch_scene_destroy(scene);
  return exit;
}
