// See scene_look.h. Forms and types of what is drawn; the viewer reads the same keys (docs/scene.md).
#include "scene/scene_look.h"

#include <stdlib.h>

#include "cardhouse/text.h"
#include "scene/forms.h"
#include "scene/json_text.h"
#include "scene/texture.h"

enum { KEYS_MOST = 1000, NAMES_MOST = 4096, NAME_SHOWN = 60 };

#define ROW(type_name, structure, key, member, text, ...) \
  { key, &ch_type_##type_name, offsetof(structure, member), text, __VA_ARGS__ }

// --- types -----------------------------------------------------------------------------------------------------------

static int digit(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

// "#rrggbb", into a ChLook.
static bool read_colour(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  (void)field;
  if (!json_is_string(value))
    return ch_reader_wrong(r, place, "is %s, must be a colour as text: \"#4477aa\"", ch_json_kind(value));
  const char* text = json_string_value(value);
  bool good = json_string_length(value) == 7 && text[0] == '#';
  unsigned colour = 0;
  for (int k = 1; k < 7 && good; ++k) {
    good = digit(text[k]) >= 0;
    colour = 16 * colour + (unsigned)(good ? digit(text[k]) : 0);
  }
  if (!good)
    return ch_reader_wrong(r, place,
                           "is '%.*s', must be # and six hexadecimal digits, red, green and blue: \"#4477aa\"",
                           NAME_SHOWN, text);
  ChLook* look = out;
  look->coloured = true;
  look->colour = colour;
  return true;
}
static json_t* schema_colour(const ChField* field, int dimension) {
  (void)field, (void)dimension;
  return json_pack("{s:s, s:s}", "type", "string", "pattern", "^#[0-9a-fA-F]{6}$");
}
static const ChFieldType ch_type_colour = {read_colour, schema_colour};

// Into a ChLook.
static bool read_opacity(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  ChLook* look = out;
  look->sheer = true;
  return ch_read_number(r, place, value, field->range, &look->opacity);
}
static json_t* schema_opacity(const ChField* field, int dimension) {
  (void)dimension;
  return ch_schema_number(field->range, false);
}
static const ChFieldType ch_type_opacity = {read_opacity, schema_opacity};

// --- forms -----------------------------------------------------------------------------------------------------------

static const char* const patterns[] = {"plain", "checks", "stripes", "card", NULL};
static const char* const views[] = {"iso", "front", "top", NULL};
static const char* const quantities[] = {"body", "material",     "island", "speed",  "energy", "force",
                                         "age",  "displacement", "strain", "stress", NULL};

static const ChField body_look_fields[] = {
    {"colour", &ch_type_colour, 0, "\"#rrggbb\"", 0, CH_ANY, NULL},
    {"opacity", &ch_type_opacity, 0, "0 unseen to 1 solid", 0, CH_UNIT, NULL},
    ROW(choice, ChLook, "pattern", pattern, "painted on it, by place", 0, CH_ANY, patterns),
    {"texture", &ch_type_texture, 0, "PNG file, painted on it", 0, CH_ANY, NULL},
    ROW(number, ChLook, "texture_size", texture_size, "distance after which a texture repeats itself, m", 0,
        CH_POSITIVE, NULL),
};
const ChSceneForm ch_form_body_look = {
    .name = "body-look", .same = true, .count = CH_COUNT(body_look_fields), .fields = body_look_fields};

static const ChField camera_key_fields[] = {
    ROW(number, ChSceneCamera, "time", time, "of the run, s", CH_REQUIRED, CH_DURATION, NULL),
    ROW(vector, ChSceneCamera, "at", at, "position of the camera, m", 0, CH_ANY, NULL),
    ROW(vector, ChSceneCamera, "target", target, "point that the camera looks at, m", 0, CH_ANY, NULL),
    ROW(number, ChSceneCamera, "fov", fov, "angle of view from bottom to top, degrees", CH_SPACE, CH_ANGLE, NULL),
};
const ChSceneForm ch_form_camera_key = {
    .name = "camera-key", .count = CH_COUNT(camera_key_fields), .fields = camera_key_fields};

static const ChField camera_fields[] = {
    ROW(vector, ChSceneCamera, "at", at, "position of the camera, m; if left out, fitted to the scene", 0, CH_ANY,
        NULL),
    ROW(vector, ChSceneCamera, "target", target, "point that the camera looks at, m", 0, CH_ANY, NULL),
    ROW(number, ChSceneCamera, "fov", fov, "angle of view from bottom to top, degrees", CH_SPACE, CH_ANGLE, NULL),
    ROW(choice, ChSceneCamera, "view", view, "direction from which a fitted camera looks", CH_SPACE, CH_ANY, views),
    ROW(text, ChSceneCamera, "follow", follow, "name of a body that the camera follows", 0, CH_ANY, NULL),
    ROW(number, ChSceneCamera, "orbit", orbit, "turn about the target, degrees per second of the run", CH_SPACE, CH_ANY,
        NULL),
    ROW(list, ChSceneCamera, "keys", keys, "its way: times with places", 0, CH_ANY, &ch_form_camera_key),
};
const ChSceneForm ch_form_camera = {.name = "camera", .count = CH_COUNT(camera_fields), .fields = camera_fields};

static const ChField look_fields[] = {
    {"background", &ch_type_colour, offsetof(ChSceneLook, background), "\"#rrggbb\"", 0, CH_ANY, NULL},
    ROW(choice, ChSceneLook, "colour_by", colour_by, "what bodies are coloured by", 0, CH_ANY, quantities),
    ROW(flag, ChSceneLook, "contacts", contacts, "whether contact points and forces are drawn", 0, CH_ANY, NULL),
    ROW(flag, ChSceneLook, "chains", chains, "whether chains of force are drawn", 0, CH_ANY, NULL),
    ROW(form, ChSceneLook, "camera", camera, "position, direction and path of the camera", 0, CH_ANY, &ch_form_camera),
};
const ChSceneForm ch_form_look = {.name = "look", .count = CH_COUNT(look_fields), .fields = look_fields};

// --- what a form alone cannot say ------------------------------------------------------------------------------------

// Places have a line of sight between them.
static bool check_sight(ChReader* r, const ChPlace* at, const json_t* object, const ChSceneCamera* camera) {
  const ChVec3 a = camera->at, b = camera->target;
  bool both = json_object_get(object, "at") && json_object_get(object, "target");
  if (!both || a.x != b.x || a.y != b.y || a.z != b.z) return true;
  return r->dimension == 2 || ch_reader_wrong(r, at, "is at its own target; the two must differ");
}

static bool check_keys(ChReader* r, const ChPlace* above, json_t* keys) {
  ChPlace list = {above, "keys", 0};
  if (json_array_size(keys) > KEYS_MOST)
    return ch_reader_wrong(r, &list, "has %zu entries, must have at most %d", json_array_size(keys), KEYS_MOST);
  double before = -1.0;
  for (size_t k = 0; k < json_array_size(keys); ++k) {
    ChPlace at = {&list, NULL, k};
    ChSceneCamera key = {0};
    json_t* entry = json_array_get(keys, k);
    if (!ch_form_read(r, &at, entry, &ch_form_camera_key, &key) || !check_sight(r, &at, entry, &key)) return false;
    if (!(key.time > before))
      return ch_reader_wrong(r, &at, "has the time %g after %g; times must ascend", key.time, before);
    before = key.time;
  }
  return true;
}

static bool check_follow(ChReader* r, const ChPlace* above, const char* name, const ChWorld* world) {
  if (!name || ch_world_body_row(world, ch_world_find_body(world, name)) >= 0) return true;
  const char* known[NAMES_MOST];
  int count = ch_world_body_count(world) < NAMES_MOST ? ch_world_body_count(world) : NAMES_MOST;
  for (int b = 0; b < count; ++b) known[b] = ch_world_body_name(world, ch_world_body_at(world, b));
  const char* near = ch_word_nearest(name, count, known);
  ChPlace at = {above, "follow", 0};
  return ch_reader_wrong(r, &at, "there is no body '%.*s'%s%.*s%s", NAME_SHOWN, name, near ? "; did you mean '" : "",
                         NAME_SHOWN, near ? near : "", near ? "'?" : "");
}

bool ch_look_text(ChReader* r, const ChDocuments* documents, const ChWorld* world, char** out) {
  *out = NULL;
  r->document = &documents->document[0];
  const ChSceneCamera* camera = &documents->root[0].look.camera;
  const json_t* look = json_object_get(documents->document[0].root, "look");
  if (!look) return true;
  ChPlace top = {0}, place = {&top, "look", 0}, at = {&place, "camera", 0};
  if (!check_sight(r, &at, json_object_get(look, "camera"), camera) || !check_keys(r, &at, camera->keys) ||
      !check_follow(r, &at, camera->follow, world))
    return false;
  *out = ch_json_text(look);
  if (!*out) r->status = ch_fail(r->context, CH_ERR_MEMORY, "out of memory for the look of a scene");
  return *out != NULL;
}
