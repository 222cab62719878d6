// Types of values that say how a run is made: stabilisation, methods and their options, cones.
#include <string.h>

#include "cardhouse/problem.h"
#include "scene/forms.h"

enum { WORDS_MAX = 256 };

#define TYPE(name) const ChFieldType ch_type_##name = {read_##name, schema_##name}

static bool read_stabilization(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  ChSimulationOptions* options = out;
  if (json_is_object(value)) return ch_form_read(r, place, value, field->more, options);
  if (!json_is_number(value))
    return ch_reader_wrong(r, place, "is %s, must be a number (gamma), or an object with mode and gamma",
                           ch_json_kind(value));
  return ch_read_number(r, place, value, CH_SHARE, &options->gamma);
}
static json_t* schema_stabilization(const ChField* field, int dimension) {
  return ch_schema_either(ch_schema_number(CH_SHARE, false), ch_schema_reference(field->more, dimension));
}
TYPE(stabilization);

static bool read_contact(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  const ChSceneForm* form = field->more;
  ChSimulationOptions* options = out;
  if (json_is_object(value)) return ch_form_read(r, place, value, form, options);
  int law;
  if (!ch_read_word(r, place, value, form->fields[0].more, &law)) return false;
  options->contact = (ChContactLaw)law;
  return true;
}
static json_t* schema_contact(const ChField* field, int dimension) {
  const ChSceneForm* form = field->more;
  return ch_schema_either(ch_type_choice.schema(&form->fields[0], dimension), ch_schema_reference(form, dimension));
}
TYPE(contact);

static bool read_adaptive(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  ChSimulationOptions* options = out;
  bool gap = json_object_get(value, "gap_tolerance") != NULL;
  if (json_is_object(value) && !json_object_get(value, "on") && !gap && !json_object_get(value, "overlap_tolerance"))
    return ch_reader_wrong(r, place, "needs \"on\" (miss, gap or off), a gap_tolerance or an overlap_tolerance");
  if (gap) options->adaptive = CH_ADAPTIVE_GAP;
  return ch_form_read(r, place, value, field->more, options);
}
static json_t* schema_adaptive(const ChField* field, int dimension) {
  return ch_schema_reference(field->more, dimension);
}
TYPE(adaptive);

static bool read_bounds(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  return ch_form_read(r, place, value, field->more, out);
}
static json_t* schema_bounds(const ChField* field, int dimension) {
  return ch_schema_reference(field->more, dimension);
}
TYPE(bounds);

// Words of a list, kept as pointers into the list, which outlives every document.
static bool read_listed(ChReader* r, const ChPlace* place, const json_t* value, const char* const* words,
                        const char** out) {
  int k;
  if (!ch_read_word(r, place, value, words, &k)) return false;
  *out = words[k];
  return true;
}

static json_t* schema_listed(const char* const* words) {
  ChField field = {.more = words};
  return ch_type_choice.schema(&field, 3);
}

static void integrator_names(const char* names[WORDS_MAX]) {
  int count = 0;
  for (; count < ch_integrator_count() && count < WORDS_MAX - 1; ++count) names[count] = ch_integrator_info(count).name;
  names[count] = NULL;
}

static bool read_integrator(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  (void)field;
  const char* names[WORDS_MAX];
  integrator_names(names);
  return read_listed(r, place, value, names, out);
}
static json_t* schema_integrator(const ChField* field, int dimension) {
  (void)field, (void)dimension;
  const char* names[WORDS_MAX];
  integrator_names(names);
  return schema_listed(names);
}
TYPE(integrator);

// ------------------------------------------------------------------------------------------------------------- methods

static void method_names(bool inner, const char* names[WORDS_MAX]) {
  int count = 0;
  for (int k = 0; k < ch_method_count() && count < WORDS_MAX - 1; ++k) {
    ChMethodInfo info = ch_method_info(k);
    if (!inner || info.inner) names[count++] = info.name;
  }
  names[count] = NULL;
}

static bool read_method(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  (void)field;
  const char* names[WORDS_MAX];
  method_names(false, names);
  return read_listed(r, place, value, names, out);
}
static json_t* schema_method(const ChField* field, int dimension) {
  (void)field, (void)dimension;
  const char* names[WORDS_MAX];
  method_names(false, names);
  return schema_listed(names);
}
TYPE(method);

static bool read_inner(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  (void)field;
  const char* names[WORDS_MAX];
  method_names(true, names);
  return read_listed(r, place, value, names, out);
}
static json_t* schema_inner(const ChField* field, int dimension) {
  (void)field, (void)dimension;
  const char* names[WORDS_MAX];
  method_names(true, names);
  return schema_listed(names);
}
TYPE(inner);

static bool read_settings(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  if (!json_is_object(value))
    return ch_reader_wrong(r, place, "is %s, must be an object: %s", ch_json_kind(value), field->text);
  ChSolveOptions* options = out;
  const char* names[WORDS_MAX];
  int count = 0;
  for (; count < ch_option_count() && count < WORDS_MAX - 1; ++count) names[count] = ch_option_info(count).name;
  names[count] = NULL;
  ChSetting* settings = CH_TAKE(r->arena, json_object_size(value) + 1, ChSetting);
  options->settings = settings;
  const char* key;
  json_t* number;
  json_object_foreach(value, key, number) {
    ChPlace at = {place, key, 0};
    json_t* word = json_string(key);
    int k = 0;
    double setting = 0.0;
    bool good = ch_read_word(r, &at, word, names, &k) && ch_read_number(r, &at, number, CH_ANY, &setting);
    json_decref(word);
    if (!good) return false;
    ChOptionInfo info = ch_option_info(k);
    if (!(setting >= info.lowest && setting <= info.highest))
      return ch_reader_wrong(r, &at, "is %g, must be %g to %g: %s", setting, info.lowest, info.highest, info.text);
    settings[options->setting_count++] = (ChSetting){names[k], setting};
  }
  return true;
}
static json_t* schema_settings(const ChField* field, int dimension) {
  (void)field, (void)dimension;
  json_t* properties = json_object();
  for (int k = 0; k < ch_option_count(); ++k) {
    ChOptionInfo info = ch_option_info(k);
    json_t* number = ch_schema_number(CH_ANY, false);
    json_object_set_new(number, "minimum", json_real(info.lowest));
    json_object_set_new(number, "maximum", json_real(info.highest));
    json_object_set_new(number, "description", json_string(info.text));
    json_object_set_new(properties, info.name, number);
  }
  return json_pack("{s:s, s:o, s:b}", "type", "object", "properties", properties, "additionalProperties", 0);
}
TYPE(settings);

// --------------------------------------------------------------------------------------------------------------- cones

static bool read_cone(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  ChSimulationOptions* options = out;
  const char* word = json_string_value(value);
  if (!word) return ch_reader_wrong(r, place, "is %s, must be a word: %s", ch_json_kind(value), field->text);
  if (strcmp(word, "circular") == 0 || strcmp(word, "elliptic") == 0) return true;
  int sides = 0;
  if (!ch_cone_polygon(word, &options->cone_outer, &sides) || sides == 0)
    return ch_reader_wrong(r, place, "is '%.40s', must be %s with M even and from %d to %d", word, field->text,
                           (int)CH_SIDES_MIN, (int)CH_SIDES_MAX);
  options->cone_sides = sides;
  return true;
}
static json_t* schema_cone(const ChField* field, int dimension) {
  (void)field, (void)dimension;
  return json_pack("{s:s, s:s}", "type", "string", "pattern",
                   "^(circular|elliptic|(outer-)?polygon(:([468]|[1-5][02468]|6[024]))?)$");
}
TYPE(cone);
