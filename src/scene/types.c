// Types of values that many forms share: how they are read, and how JSON Schema says the same.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vector.h"
#include "scene/reader.h"

const char* ch_json_kind(const json_t* value) {
  if (!value || json_is_null(value)) return "null";
  switch (json_typeof(value)) {
    case JSON_OBJECT:
      return "an object";
    case JSON_ARRAY:
      return "an array";
    case JSON_STRING:
      return "text";
    case JSON_INTEGER:
    case JSON_REAL:
      return "a number";
    default:
      return "true or false";
  }
}

// ------------------------------------------------------------------------------------------------------------- numbers

// Products of a few numbers within these neither overflow nor vanish: what a step makes of a scene stays finite.
static const double LARGEST = 1e50, SMALLEST = 1e-50;

bool ch_read_number(ChReader* r, const ChPlace* place, const json_t* value, ChRange range, double* out) {
  const ChBounds* b = ch_range_bounds(range);
  if (!json_is_number(value)) return ch_reader_wrong(r, place, "is %s, must be a number", ch_json_kind(value));
  double number = json_number_value(value);
  if (!(isfinite(number) && number >= b->lowest && number <= b->highest && !(b->open && number == b->lowest)))
    return ch_reader_wrong(r, place, "is %g, %s", number, b->text);
  if (fabs(number) > LARGEST) return ch_reader_wrong(r, place, "is %g, must be at most %g in size", number, LARGEST);
  if (b->open && number < SMALLEST) return ch_reader_wrong(r, place, "is %g, must be at least %g", number, SMALLEST);
  if (range == CH_DENSITY && number > 0.0 && number < SMALLEST)
    return ch_reader_wrong(r, place, "is %g, must be 0 or at least %g", number, SMALLEST);
  *out = number;
  return true;
}

bool ch_read_numbers(ChReader* r, const ChPlace* place, const json_t* value, size_t count, ChRange range, double* out) {
  if (!json_is_array(value))
    return ch_reader_wrong(r, place, "is %s, must be an array of %zu numbers", ch_json_kind(value), count);
  if (json_array_size(value) != count)
    return ch_reader_wrong(r, place, "has %zu entries, must have %zu", json_array_size(value), count);
  for (size_t k = 0; k < count; ++k) {
    ChPlace at = {place, NULL, k};
    if (!ch_read_number(r, &at, json_array_get(value, k), range, &out[k])) return false;
  }
  return true;
}

static bool read_number(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  return ch_read_number(r, place, value, field->range, out);
}

static bool read_whole(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  double number = 0.0;
  if (!ch_read_number(r, place, value, field->range, &number)) return false;
  if (number != floor(number)) return ch_reader_wrong(r, place, "is %g, must be a whole number", number);
  *(int*)out = (int)number;
  return true;
}

// Numbers may be written as formulas, which are gone before forms are read; the schema lets them pass.
json_t* ch_schema_number(ChRange range, bool whole) {
  const ChBounds* b = ch_range_bounds(range);
  json_t* schema = json_pack("{s:[s,s], s:s}", "type", whole ? "integer" : "number", "string", "pattern", "^=");
  if (isfinite(b->lowest)) json_object_set_new(schema, b->open ? "exclusiveMinimum" : "minimum", json_real(b->lowest));
  if (isfinite(b->highest)) json_object_set_new(schema, "maximum", json_real(b->highest));
  return schema;
}

static json_t* schema_number(const ChField* field, int dimension) {
  (void)dimension;
  return ch_schema_number(field->range, false);
}

static json_t* schema_whole(const ChField* field, int dimension) {
  (void)dimension;
  return ch_schema_number(field->range, true);
}

const ChFieldType ch_type_number = {read_number, schema_number};
const ChFieldType ch_type_whole = {read_whole, schema_whole};

static bool read_vector(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  double x[3] = {0};
  if (!ch_read_numbers(r, place, value, (size_t)r->dimension, field->range, x)) return false;
  *(ChVec3*)out = ch_vec(x[0], x[1], x[2]);
  return true;
}

static json_t* schema_vector(const ChField* field, int dimension) {
  return ch_schema_array(ch_schema_number(field->range, false), dimension, dimension);
}

const ChFieldType ch_type_vector = {read_vector, schema_vector};

// -------------------------------------------------------------------------------------------------- flags, texts,
// words

static bool read_flag(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  (void)field;
  if (!json_is_boolean(value)) return ch_reader_wrong(r, place, "is %s, must be true or false", ch_json_kind(value));
  *(bool*)out = json_is_true(value);
  return true;
}

static json_t* schema_flag(const ChField* field, int dimension) {
  (void)field, (void)dimension;
  return json_pack("{s:s}", "type", "boolean");
}

const ChFieldType ch_type_flag = {read_flag, schema_flag};

static bool read_text(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  (void)field;
  if (!json_is_string(value)) return ch_reader_wrong(r, place, "is %s, must be text", ch_json_kind(value));
  if (json_string_length(value) == 0) return ch_reader_wrong(r, place, "is empty");
  *(const char**)out = json_string_value(value);
  return true;
}

static json_t* text_schema(void) { return json_pack("{s:s, s:i}", "type", "string", "minLength", 1); }

static json_t* schema_text(const ChField* field, int dimension) {
  (void)field, (void)dimension;
  return text_schema();
}

const ChFieldType ch_type_text = {read_text, schema_text};

static bool read_choice(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  return ch_read_word(r, place, value, field->more, out);
}

static json_t* schema_choice(const ChField* field, int dimension) {
  (void)dimension;
  json_t* words = json_array();
  for (const char* const* word = field->more; *word; ++word) json_array_append_new(words, json_string(*word));
  return json_pack("{s:o}", "enum", words);
}

const ChFieldType ch_type_choice = {read_choice, schema_choice};

// ---------------------------------------------------------------------------------------------------- forms and lists

static bool read_form(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  return ch_form_read(r, place, value, field->more, out);
}

void ch_schema_name(const ChSceneForm* form, int dimension, char* name, size_t size) {
  snprintf(name, size, "%s%s", form->same ? "" : dimension == 2 ? "plane-" : "space-", form->name);
}

json_t* ch_schema_reference(const ChSceneForm* form, int dimension) {
  char name[64];
  ch_schema_name(form, dimension, name, sizeof name);
  return json_pack("{s:o}", "$ref", json_sprintf("#/$defs/%s", name));
}

static json_t* schema_form(const ChField* field, int dimension) { return ch_schema_reference(field->more, dimension); }

const ChFieldType ch_type_form = {read_form, schema_form};

json_t* ch_schema_array(json_t* items, int fewest, int most) {
  json_t* schema = json_pack("{s:s, s:o}", "type", "array", "items", items);
  if (fewest > 0) json_object_set_new(schema, "minItems", json_integer(fewest));
  if (most >= 0) json_object_set_new(schema, "maxItems", json_integer(most));
  return schema;
}

json_t* ch_schema_either(json_t* one, json_t* other) { return json_pack("{s:[o,o]}", "anyOf", one, other); }

static bool read_list(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  if (!json_is_array(value))
    return ch_reader_wrong(r, place, "is %s, must be an array: %s", ch_json_kind(value), field->text);
  *(json_t**)out = value;
  return true;
}

static json_t* schema_list(const ChField* field, int dimension) {
  return ch_schema_array(ch_schema_reference(field->more, dimension), 0, -1);
}

const ChFieldType ch_type_list = {read_list, schema_list};

static bool read_map(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  if (!json_is_object(value))
    return ch_reader_wrong(r, place, "is %s, must be an object: %s", ch_json_kind(value), field->text);
  *(json_t**)out = value;
  return true;
}

static json_t* schema_map(const ChField* field, int dimension) {
  return json_pack("{s:s, s:o}", "type", "object", "additionalProperties",
                   field->more ? ch_schema_reference(field->more, dimension) : ch_schema_number(CH_ANY, false));
}

const ChFieldType ch_type_map = {read_map, schema_map};

static bool read_texts(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  if (!read_list(r, place, value, field, out)) return false;
  for (size_t k = 0; k < json_array_size(value); ++k) {
    ChPlace at = {place, NULL, k};
    const char* unused;
    if (read_text(r, &at, json_array_get(value, k), field, &unused)) continue;
    *(json_t**)out = NULL;  // where reading goes on, nobody takes the others for texts
    return false;
  }
  return true;
}

static json_t* schema_texts(const ChField* field, int dimension) {
  (void)field, (void)dimension;
  return ch_schema_array(text_schema(), 0, -1);
}

const ChFieldType ch_type_texts = {read_texts, schema_texts};
