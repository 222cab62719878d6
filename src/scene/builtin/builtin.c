// Built-in scenes: the list of them, their parameters read, their parts put together.
#include "scene/builtin/builtin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain_numbers.h"
#include "cardhouse/text.h"
#include "scene/json_text.h"

#define X(name) &ch_builtin_##name,
static const ChBuiltin* const builtins[] = {CH_BUILTIN_LIST(X)};
#undef X
enum { BUILTINS = sizeof builtins / sizeof *builtins, LIST_SIZE = 600 };

int ch_scene_builtin_count(void) { return BUILTINS; }
static bool exists(int index) { return index >= 0 && index < BUILTINS; }
const char* ch_scene_builtin_name(int index) { return exists(index) ? builtins[index]->name : NULL; }
const char* ch_scene_builtin_summary(int index) { return exists(index) ? builtins[index]->summary : NULL; }
const ChSceneParameter* ch_scene_builtin_parameters(int index) {
  return exists(index) ? builtins[index]->parameters : NULL;
}

int ch_scene_builtin_find(const char* name) {
  for (int k = 0; k < BUILTINS; ++k)
    if (strcmp(name, builtins[k]->name) == 0) return k;
  return -1;
}

// ---------------------------------------------------------------------------------------------------------- parameters

static ChStatus unknown(ChContext* context, const char* what, const char* word, int count, const char* const* known) {
  const char* near = ch_word_nearest(word, count, known);
  char list[LIST_SIZE] = "";
  for (int k = 0; k < count; ++k) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", known[k]);
  }
  if (near)
    return ch_fail(context, CH_ERR_ARGUMENT, "unknown %s '%.60s'; did you mean '%s'? There are: %s", what, word, near,
                   list);
  return ch_fail(context, CH_ERR_ARGUMENT, "unknown %s '%.60s'; there are: %s", what, word, list);
}

static ChStatus find(ChContext* context, const char* name, const ChBuiltin** out) {
  int index = ch_scene_builtin_find(name);
  if (exists(index)) {
    *out = builtins[index];
    return CH_OK;
  }
  const char* known[BUILTINS];
  for (int k = 0; k < BUILTINS; ++k) known[k] = builtins[k]->name;
  return unknown(context, "scene", name, BUILTINS, known);
}

static bool word_is_one_of(const char* words, const char* word) {
  size_t length = strlen(word);
  for (const char* at = words; length > 0 && (at = strstr(at, word)) != NULL; at += length) {
    bool starts = at == words || at[-1] == '|', ends = at[length] == '\0' || at[length] == '|';
    if (starts && ends) return true;
  }
  return false;
}

static ChStatus read_value(ChContext* context, const ChSceneParameter* p, const char* text, int k, ChBuild* build) {
  if (p->words) {
    build->word[k] = text;
    if (word_is_one_of(p->words, text)) return CH_OK;
    return ch_fail(context, CH_ERR_ARGUMENT, "%s is '%.60s', must be %s", p->name, text, p->words);
  }
  char* end;
  double value = ch_number_parse(text, &end);
  if (end == text || *end != '\0' || (p->whole && value != floor(value)))
    return ch_fail(context, CH_ERR_ARGUMENT, "%s is '%.60s', must be a%s number: %s", p->name, text,
                   p->whole ? " whole" : "", p->text);
  if (!(value >= p->lowest && value <= p->highest))
    return ch_fail(context, CH_ERR_RANGE, "%s is %s, allowed %g to %g: %s", p->name, text, p->lowest, p->highest,
                   p->text);
  build->number[k] = value;
  return CH_OK;
}

static ChStatus read_parameters(ChContext* context, const ChBuiltin* builtin, int count, const char* const (*given)[2],
                                ChBuild* build) {
  const char* known[CH_BUILTIN_VALUES];
  int known_count = 0;
  for (const ChSceneParameter* p = builtin->parameters; p->name; ++p, ++known_count) {
    known[known_count] = p->name;
    read_value(context, p, p->value, known_count, build);
  }
  for (int j = 0; j < count; ++j) {
    int k = 0;
    while (k < known_count && strcmp(given[j][0], known[k]) != 0) ++k;
    if (k == known_count) {
      char what[64];
      snprintf(what, sizeof what, "parameter of %s", builtin->name);
      return unknown(context, what, given[j][0], known_count, known);
    }
    ChStatus status = read_value(context, &builtin->parameters[k], given[j][1], k, build);
    if (status != CH_OK) return status;
  }
  return CH_OK;
}

ChStatus ch_scene_builtin(ChContext* context, const char* name, int count, const char* const (*parameters)[2],
                          char** text) {
  const ChBuiltin* builtin = NULL;
  ChBuild build = {0};
  *text = NULL;
  ChStatus status = find(context, name, &builtin);
  if (status == CH_OK) status = read_parameters(context, builtin, count, parameters, &build);
  if (status != CH_OK) return status;
  builtin->make(&build);
  if (build.why[0] != '\0')
    status = ch_fail(context, CH_ERR_RANGE, "%s", build.why);
  else if (build.failed || !(*text = ch_json_text(build.root)))
    status = ch_fail(context, CH_ERR_MEMORY, "out of memory for the scene %s", name);
  json_decref(build.root);
  return status;
}

// --------------------------------------------------------------------------------------------------------------- parts

void ch_build_set(ChBuild* b, json_t* object, const char* key, json_t* value) {
  if (json_object_set_new(object, key, value) != 0) b->failed = true;
}

static json_t* append(ChBuild* b, json_t* array, json_t* value) {
  if (json_array_append_new(array, value) != 0) b->failed = true;
  return value;
}

json_t* ch_build_vector(const ChBuild* b, ChVec3 v) {
  return b->dimension == 2 ? json_pack("[f,f]", v.x, v.y) : json_pack("[f,f,f]", v.x, v.y, v.z);
}

void ch_build_begin(ChBuild* b, const char* name, const char* description, int dimension) {
  b->dimension = dimension;
  b->root = json_pack("{s:i, s:s, s:s, s:i}", "cardhouse", 1, "name", name, "description", description, "dimension",
                      dimension);
  ch_build_gravity(b, dimension == 2 ? ch_vec(0.0, -9.81, 0.0) : ch_vec(0.0, 0.0, -9.81));
}

void ch_build_gravity(ChBuild* b, ChVec3 gravity) { ch_build_set(b, b->root, "gravity", ch_build_vector(b, gravity)); }

void ch_build_step(ChBuild* b, double h, double until, double margin) {
  json_t* step = json_pack("{s:f, s:f}", "h", h, "until", until);
  if (margin > 0.0) ch_build_set(b, step, "margin", json_real(margin));
  ch_build_set(b, b->root, "step", step);
}

void ch_build_tolerance(ChBuild* b, double tolerance) {
  ch_build_set(b, b->root, "method", json_pack("{s:f}", "tolerance", tolerance));
}

void ch_build_compliant(ChBuild* b, double overlap) {
  ch_build_set(b, b->root, "contact", json_pack("{s:s, s:f}", "law", "compliant", "overlap", overlap));
  ch_build_tolerance(b, 1e-6);
}

void ch_build_material(ChBuild* b, const char* name, double density, double friction, double restitution) {
  if (!json_object_get(b->root, "materials")) ch_build_set(b, b->root, "materials", json_object());
  ch_build_set(b, json_object_get(b->root, "materials"), name,
               json_pack("{s:f, s:f, s:f}", "density", density, "friction", friction, "restitution", restitution));
}

json_t* ch_build_body(ChBuild* b, const char* name, ChVec3 at) {
  if (!b->bodies) ch_build_set(b, b->root, "bodies", b->bodies = json_array());
  return append(b, b->bodies, json_pack("{s:s, s:o}", "name", name, "position", ch_build_vector(b, at)));
}

json_t* ch_build_numbered(ChBuild* b, const char* name, int number, ChVec3 at) {
  char text[64];
  snprintf(text, sizeof text, "%s %d", name, number);
  return ch_build_body(b, text, at);
}

json_t* ch_build_copied(ChBuild* b, const char* name, json_t* places) {
  if (!b->bodies) ch_build_set(b, b->root, "bodies", b->bodies = json_array());
  return append(b, b->bodies, json_pack("{s:s, s:o}", "name", name, "copies", places));
}

void ch_build_fixed(ChBuild* b, json_t* body) { ch_build_set(b, body, "fixed", json_true()); }

void ch_build_turned(ChBuild* b, json_t* object, ChVec3 axis, double degrees) {
  ch_build_set(b, object, "orientation",
               b->dimension == 2 ? json_pack("{s:f}", "degrees", degrees)
                                 : json_pack("{s:o, s:f}", "axis", ch_build_vector(b, axis), "degrees", degrees));
}

void ch_build_velocity(ChBuild* b, json_t* body, ChVec3 velocity) {
  ch_build_set(b, body, "velocity", ch_build_vector(b, velocity));
}

void ch_build_locked(ChBuild* b, json_t* body) { ch_build_set(b, body, "lock", json_pack("[s,s,s]", "y", "rx", "rz")); }

json_t* ch_build_shape(ChBuild* b, json_t* body, const char* type, const char* material) {
  if (!json_object_get(body, "shapes")) ch_build_set(b, body, "shapes", json_array());
  return append(b, json_object_get(body, "shapes"), json_pack("{s:s, s:s}", "type", type, "material", material));
}

json_t* ch_build_box(ChBuild* b, json_t* body, ChVec3 half, const char* material) {
  json_t* shape = ch_build_shape(b, body, "box", material);
  ch_build_set(b, shape, "half", ch_build_vector(b, half));
  return shape;
}

json_t* ch_build_round(ChBuild* b, json_t* body, const char* type, double radius, const char* material) {
  json_t* shape = ch_build_shape(b, body, type, material);
  ch_build_set(b, shape, "radius", json_real(radius));
  return shape;
}

void ch_build_hull(ChBuild* b, json_t* body, int count, const ChVec3* points, const char* material) {
  json_t *shape = ch_build_shape(b, body, "hull", material), *list = json_array();
  for (int k = 0; k < count; ++k) append(b, list, ch_build_vector(b, points[k]));
  ch_build_set(b, shape, "points", list);
}

static json_t* three_reals(ChVec3 v) { return json_pack("[f,f,f]", v.x, v.y, v.z); }

void ch_build_soft(ChBuild* b, json_t* body, const ChBuildSoft* soft) {
  json_t* mesh = json_pack("{s:s}", "shape", soft->shape);
  if (soft->size.x > 0.0) ch_build_set(b, mesh, "size", three_reals(soft->size));
  if (soft->cells[0] > 0)
    ch_build_set(b, mesh, "cells", json_pack("[i,i,i]", soft->cells[0], soft->cells[1], soft->cells[2]));
  ch_build_set(b, body, "soft",
               json_pack("{s:s, s:o, s:s, s:f, s:f, s:[f,f], s:i}", "model", soft->model, "mesh", mesh, "material",
                         soft->material, "young", soft->young, "poisson", soft->poisson, "damping", soft->damping[0],
                         soft->damping[1], "modes", soft->modes));
}

void ch_build_voussoir(ChBuild* b, int number, const ChArchJoint joint[2], double thickness, ChVec3 depth,
                       const char* material) {
  ChVec3 middle = ch_scale(0.5, ch_add(joint[0].at, joint[1].at)), corner[8];
  for (int k = 0; k < 8; ++k) {
    const ChArchJoint* j = &joint[k & 1];
    ChVec3 p = ch_along(j->at, (k & 2 ? 0.5 : -0.5) * thickness, j->normal);
    corner[k] = ch_sub(ch_along(p, k & 4 ? 0.5 : -0.5, depth), middle);
  }
  ch_build_hull(b, ch_build_numbered(b, "voussoir", number, middle), 8, corner, material);
}

void ch_build_floor(ChBuild* b, const char* material) {
  bool plane = b->dimension == 2;
  json_t* floor = ch_build_body(b, "floor", plane ? ch_vec(0.0, -0.5, 0.0) : ch_vec(0.0, 0.0, -0.5));
  ch_build_fixed(b, floor);
  ch_build_box(b, floor, plane ? ch_vec(20.0, 0.5, 0.0) : ch_vec(20.0, 20.0, 0.5), material);
}

json_t* ch_build_entry(ChBuild* b, const char* list, const char* type) {
  if (!json_object_get(b->root, list)) ch_build_set(b, b->root, list, json_array());
  return append(b, json_object_get(b->root, list), json_pack("{s:s}", "type", type));
}

// A force along one axis: `before` until t, `push` on average for 20 ms, then none. A table cannot jump, so that it
// takes 1 ms to change.
static json_t* held_force(double before, double push, double t) {
  const double jump = 1e-3, length = 0.02;
  if (push == 0.0 && before == 0.0) return json_real(0.0);
  if (push == 0.0) return json_pack("{s:[[f,f],[f,f]]}", "table", t, before, t + jump, 0.0);
  return json_pack("{s:[[f,f],[f,f],[f,f],[f,f]]}", "table", t, before, t + jump, push, t + length, push,
                   t + length + jump, 0.0);
}

void ch_build_block(ChBuild* b, const ChLooseBlock* block, const char* material) {
  const double mass = block->density * block->edge * block->edge * block->edge, half = 0.5 * block->edge;
  const double push = mass / 0.02, weight = 9.81 * mass;
  char name[32];
  snprintf(name, sizeof name, "block %d", block->number);
  ch_build_box(b, ch_build_body(b, name, block->at), ch_vec(half, half, half), material);
  json_t* hold = ch_build_entry(b, "forces", "wrench");
  ch_build_set(b, hold, "body", json_string(name));
  ch_build_set(b, hold, "force",
               json_pack("[o,o,o]", held_force(0.0, push * block->velocity.x, block->time),
                         held_force(0.0, push * block->velocity.y, block->time),
                         held_force(weight, push * block->velocity.z, block->time)));
}
