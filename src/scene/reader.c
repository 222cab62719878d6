// Forms read: every key known, every value of its type and range, nothing required left out. See reader.h.
#include "scene/reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cardhouse/scene.h"
#include "cardhouse/text.h"

enum { KEYS_MAX = 64, SHOWN = 60, PATH_SIZE = 240, LIST_SIZE = 320 };

static const ChBounds bounds[] = {
    [CH_ANY] = {-INFINITY, INFINITY, false, "must be finite"},
    [CH_POSITIVE] = {0.0, INFINITY, true, "must be > 0"},
    [CH_NOT_NEGATIVE] = {0.0, INFINITY, false, "must be >= 0"},
    [CH_DENSITY] = {0.0, INFINITY, false, "must be >= 0"},
    [CH_FRICTION] = {0.0, 1e8, false, "must be >= 0, and at most 1e8"},
    [CH_STEP] = {1e-12, 1e3, false, "must be > 0, and 1e-12 to 1000"},
    [CH_THREADS] = {1.0, 1024.0, false, "must be a whole number, 1 to 1024"},
    [CH_HALVINGS] = {1.0, 20.0, false, "must be a whole number, 1 to 20"},
    [CH_CELLS] = {4.0, 256.0, false, "must be a whole number, 4 to 256"},
    [CH_GRID] = {0.0, 1000.0, false, "must be a whole number, 0 (the shape's own) to 1000"},
    [CH_MODES] = {1.0, 58.0, false, "must be a whole number, 1 to 58"},
    [CH_POISSON] = {-0.9999, 0.4999, false, "must be -0.9999 to 0.4999 (0.5: a body that keeps its volume)"},
    [CH_DURATION] = {0.0, 1e12, false, "must be >= 0, and at most 1e12"},
    [CH_SHARE] = {0.0, 1.0, true, "must be > 0 and at most 1"},
    [CH_UNIT] = {0.0, 1.0, false, "must be 0 to 1"},
    [CH_LATER_HALF] = {0.5, 1.0, false, "must be 0.5 to 1"},
    [CH_TOLERANCE] = {1e-15, 1.0, false, "must be 1e-15 to 1"},
    [CH_WHOLE_0] = {0.0, 1e9, false, "must be a whole number, 0 or more"},
    [CH_WHOLE_1] = {1.0, 1e9, false, "must be a whole number, 1 or more"},
    [CH_TWO_OR_THREE] = {2.0, 3.0, false, "must be 2 (plane) or 3 (space)"},
    [CH_ANGLE] = {1.0, 150.0, false, "must be 1 to 150"},
    [CH_ONE] = {1.0, 1.0, false, "must be 1, the version of this form"},
};

const ChBounds* ch_range_bounds(ChRange range) { return &bounds[range]; }

// --------------------------------------------------------------------------------------------------------- complaints

void ch_place_write(const ChPlace* place, char* text, size_t size) {
  if (!place || !place->above) {
    snprintf(text, size, "$");
    return;
  }
  ch_place_write(place->above, text, size);
  size_t used = strlen(text);
  if (place->key)
    snprintf(text + used, size - used, ".%.*s", SHOWN, place->key);
  else
    snprintf(text + used, size - used, "[%zu]", place->index);
}

static bool wrong_at(ChReader* r, ChStatus status, const ChPlace* place, bool at_key, const char* text) {
  if (r->status != CH_OK) return false;
  if (r->faults && r->faults->count == CH_SCENE_FAULTS_MAX) {  // it is only counted: places are found by a walk each
    r->status = status;
    return false;
  }
  char path[PATH_SIZE];
  long line, column;
  ch_place_write(place, path, sizeof path);
  const ChDocument* d = r->document;
  if (d->locate)
    d->locate(d, place, &line, &column);
  else
    ch_text_locate(d->text, d->size, place, at_key, &line, &column);
  r->status = ch_fail(r->context, status, "%s:%ld:%ld: %s: %s", r->document->file, line, column, path, text);
  return false;
}

bool ch_reader_wrong(ChReader* r, const ChPlace* place, const char* format, ...) {
  char text[CH_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return wrong_at(r, CH_ERR_FORMAT, place, false, text);
}

bool ch_reader_pass_on(ChReader* r, const ChPlace* place, ChStatus status) {
  if (status == CH_OK) return true;
  if (status == CH_ERR_MEMORY || !r->context) {
    r->status = status;
    return false;
  }
  char text[CH_MESSAGE_SIZE];
  snprintf(text, sizeof text, "%s", r->context->message);
  return wrong_at(r, status, place, false, text);
}

static void keep_fault(ChReader* r) {
  ChSceneFaults* f = r->faults;
  if (f->count == 0) r->first = r->status;
  if (f->count < CH_SCENE_FAULTS_MAX)
    snprintf(f->text[f->count++], CH_MESSAGE_SIZE, "%s", r->context->message);
  else
    ++f->more;
}

bool ch_reader_goes_on(ChReader* r) {
  if (!r->faults || r->status == CH_ERR_MEMORY || r->status == CH_ERR_DEVICE) return false;
  if (r->status != CH_OK) keep_fault(r);  // else it is kept already
  r->status = CH_OK;
  return true;
}

bool ch_reader_settle(ChReader* r) {
  if (!r->faults) return r->status == CH_OK;
  if (r->status != CH_OK && !r->settled) keep_fault(r);
  if (r->faults->count == 0) return r->status == CH_OK;
  r->settled = true;
  if (r->status != CH_ERR_MEMORY) r->status = ch_fail(r->context, r->first, "%s", r->faults->text[0]);
  return false;
}

// -------------------------------------------------------------------------------------------------------------- forms

bool ch_flags_fit(unsigned flags, int dimension) {
  unsigned where = flags & (CH_PLANE | CH_SPACE | CH_NOWHERE);
  return where == 0 || (where & (dimension == 2 ? CH_PLANE : CH_SPACE)) != 0;
}

// All fields of an object: those of its form, then those of its variant.
static int field_count(const ChSceneForm* form, const ChVariant* variant) {
  return form->count + (variant ? variant->count : 0);
}

static ChField field_at(const ChSceneForm* form, const ChVariant* variant, int k) {
  return k < form->count ? form->fields[k] : ch_variant_field(variant, k - form->count);
}

static bool field_find(const ChSceneForm* form, const ChVariant* variant, const char* key, ChField* out) {
  for (int k = 0; k < field_count(form, variant); ++k) {
    *out = field_at(form, variant, k);
    if (strcmp(out->key, key) == 0) return true;
  }
  return false;
}

// What other programs call it.
static const char* const other_words[][2] = {{"cube", "box"},
                                             {"cuboid", "box"},
                                             {"ball", "sphere"},
                                             {"circle", "disk"},
                                             {"plane", "halfspace"},
                                             {"size", "half"},
                                             {"extents", "half"},
                                             {"dimensions", "half"},
                                             {"pos", "position"},
                                             {"rotation", "orientation"},
                                             {"angular_velocity", "omega"},
                                             {"mu", "friction"},
                                             {"static", "fixed"},
                                             {"timestep", "step"},
                                             {"vertices", "points"},
                                             {"faces", "triangles"}};

// The known word that stands for this one, or the nearest by its letters; or NULL.
static const char* meant(const char* word, int count, const char* const* known) {
  for (size_t k = 0; k < sizeof other_words / sizeof *other_words; ++k)
    for (int j = 0; strcmp(word, other_words[k][0]) == 0 && j < count; ++j)
      if (strcmp(other_words[k][1], known[j]) == 0) return known[j];
  return ch_word_nearest(word, count, known);
}

// The known words as "a, b, c", and the one that was meant.
static void unknown_word(const char* word, int count, const char* const* known, char* text, size_t size) {
  const char* near = meant(word, count, known);
  char list[LIST_SIZE] = "";
  for (int k = 0; k < count; ++k) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", known[k]);
  }
  if (near)
    snprintf(text, size, "is not known; did you mean '%s'? There are: %s", near, list);
  else
    snprintf(text, size, "is not known; there are: %s", list);
}

static bool unknown_key(ChReader* r, const ChPlace* place, const char* key, const ChSceneForm* form,
                        const ChVariant* v) {
  const char* known[KEYS_MAX];
  int count = 0;
  if (v) known[count++] = "type";
  for (int k = 0; k < field_count(form, v) && count < KEYS_MAX; ++k) {
    ChField field = field_at(form, v, k);
    if (ch_flags_fit(field.flags, r->dimension)) known[count++] = field.key;
  }
  char text[CH_MESSAGE_SIZE];
  unknown_word(key, count, known, text, sizeof text);
  ChPlace at = {place, key, 0};
  return wrong_at(r, CH_ERR_FORMAT, &at, true, text);
}

// Known, but not where this world is.
static bool misplaced_key(ChReader* r, const ChPlace* place, const char* key) {
  ChPlace at = {place, key, 0};
  return wrong_at(r, CH_ERR_FORMAT, &at, true,
                  r->dimension == 2 ? "is for worlds in space, but this one is plane (\"dimension\": 2)"
                                    : "is for plane worlds (\"dimension\": 2), but this one is in space");
}

static bool variant_read(ChReader* r, const ChPlace* place, const json_t* object, const ChSceneForm* form,
                         ChVariant* out) {
  ChPlace at = {place, "type", 0};
  const char* name = json_string_value(json_object_get(object, "type"));
  if (!name) {
    if (json_object_get(object, "type"))
      ch_reader_wrong(r, &at, "is %s, must be a word", ch_json_kind(json_object_get(object, "type")));
    else
      ch_reader_wrong(r, place, "\"type\" is missing: the kind of %s", form->name);
    return false;
  }
  const char* known[KEYS_MAX];
  int count = 0;
  for (int k = 0; form->variant(k, out); ++k) {
    if (!ch_flags_fit(out->flags, r->dimension)) continue;
    if (strcmp(out->name, name) == 0) return true;
    if (count < KEYS_MAX) known[count++] = out->name;
  }
  char text[CH_MESSAGE_SIZE];
  unknown_word(name, count, known, text, sizeof text);
  return ch_reader_wrong(r, &at, "'%.*s' %s", SHOWN, name, text);
}

static bool required_there(ChReader* r, const ChPlace* place, const json_t* object, const ChSceneForm* form,
                           const ChVariant* variant) {
  bool good = true;
  for (int k = 0; k < field_count(form, variant); ++k) {
    ChField f = field_at(form, variant, k);
    if (!(f.flags & CH_REQUIRED) || !ch_flags_fit(f.flags, r->dimension) || json_object_get(object, f.key)) continue;
    good = ch_reader_wrong(r, place, "\"%s\" is missing: %s", f.key, f.text);
    if (!ch_reader_goes_on(r)) return false;
  }
  return good;
}

// A key and its value, which is the object's form's or its variant's.
static bool read_key(ChReader* r, const ChPlace* place, const char* key, json_t* value, const ChSceneForm* form,
                     const ChVariant* variant, void* out) {
  ChField field;
  if (!field_find(form, variant, key, &field)) return unknown_key(r, place, key, form, variant);
  if (!ch_flags_fit(field.flags, r->dimension)) return misplaced_key(r, place, key);
  ChPlace at = {place, key, 0};
  return field.type->read(r, &at, value, &field, (char*)out + field.offset);
}

bool ch_form_read(ChReader* r, const ChPlace* place, json_t* object, const ChSceneForm* form, void* out) {
  if (!json_is_object(object))
    return ch_reader_wrong(r, place, "is %s, must be an object: %s", ch_json_kind(object), form->name);
  ChVariant found;
  const ChVariant* variant = form->variant ? &found : NULL;
  if (variant) {
    if (!variant_read(r, place, object, form, &found)) return false;
    *(int*)((char*)out + form->tag) = variant->value;
  }
  const char* key;
  json_t* value;
  bool good = true;
  json_object_foreach(object, key, value) {
    if ((variant && strcmp(key, "type") == 0) || read_key(r, place, key, value, form, variant, out)) continue;
    if (!ch_reader_goes_on(r)) return false;
    good = false;
  }
  return required_there(r, place, object, form, variant) && good;
}

bool ch_read_word(ChReader* r, const ChPlace* place, const json_t* value, const char* const* words, int* out) {
  const char* word = json_string_value(value);
  if (!word) return ch_reader_wrong(r, place, "is %s, must be a word", ch_json_kind(value));
  int count = 0;
  for (; words[count]; ++count)
    if (strcmp(words[count], word) == 0) {
      *out = count;
      return true;
    }
  char text[CH_MESSAGE_SIZE];
  unknown_word(word, count, words, text, sizeof text);
  return ch_reader_wrong(r, place, "'%.*s' %s", SHOWN, word, text);
}
