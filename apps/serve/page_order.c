// Orders read from JSON: see page_order.h. docs/viewer_protocol.md lists them.
#include "serve/page_order.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardhouse/geometry.h"
#include "cardhouse/text.h"

static const double WEIGHT_SLACK = 1e-3;

typedef struct Reader {
  ChContext* context;
  const json_t* root;
  ChOrder* order;
} Reader;

// --- members ---------------------------------------------------------------------------------------------------------

static ChStatus read_number(const Reader* r, const char* name, double lowest, double highest, double* out) {
  const json_t* value = json_object_get(r->root, name);
  if (!json_is_number(value)) return ch_fail(r->context, CH_ERR_FORMAT, "'%s' must be a number", name);
  double number = json_number_value(value);
  if (!(number >= lowest && number <= highest))
    return ch_fail(r->context, CH_ERR_RANGE, "'%s' is %g, allowed %g to %g", name, number, lowest, highest);
  *out = number;
  return CH_OK;
}

static bool has(const Reader* r, const char* name) {
  const json_t* value = json_object_get(r->root, name);
  return value && !json_is_null(value);
}

static ChStatus read_index(const Reader* r, const char* name, int highest, int* out) {
  const json_t* value = json_object_get(r->root, name);
  if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > highest)
    return ch_fail(r->context, CH_ERR_FORMAT, "'%s' must be a whole number from 0 to %d", name, highest);
  *out = (int)json_integer_value(value);
  return CH_OK;
}

static ChStatus read_pane(const Reader* r) {
  return has(r, "pane") ? read_index(r, "pane", CH_PANES_MAX - 1, &r->order->pane) : CH_OK;
}

// Three numbers, or two, the third then being 0.
static ChStatus read_vector(const Reader* r, const char* name, double most, ChVec3* out) {
  const json_t* value = json_object_get(r->root, name);
  size_t count = json_array_size(value);
  double x[3] = {0.0, 0.0, 0.0};
  bool fine = json_is_array(value) && (count == 2 || count == 3);
  for (size_t k = 0; fine && k < count; ++k) {
    const json_t* entry = json_array_get(value, k);
    x[k] = json_number_value(entry);
    fine = json_is_number(entry) && fabs(x[k]) <= most;
  }
  if (!fine)
    return ch_fail(r->context, CH_ERR_FORMAT, "'%s' must be an array of 2 or 3 numbers, none beyond %g", name, most);
  *out = ch_vec(x[0], x[1], x[2]);
  return CH_OK;
}

// Words are short and without control characters, so that they can be shown in a message.
static bool copy_word(const char* text, char out[CH_ORDER_WORD]) {
  size_t size = text ? strlen(text) : 0;
  if (size == 0 || size >= CH_ORDER_WORD) return false;
  for (size_t k = 0; k < size; ++k)
    if ((unsigned char)text[k] < 0x20 || text[k] == 0x7f) return false;
  memcpy(out, text, size + 1);
  return true;
}

static ChStatus read_word(const Reader* r, const char* name, char out[CH_ORDER_WORD]) {
  if (!copy_word(json_string_value(json_object_get(r->root, name)), out))
    return ch_fail(r->context, CH_ERR_FORMAT, "'%s' must be a text of 1 to %d bytes", name, CH_ORDER_WORD - 1);
  return CH_OK;
}

// --- one function a type ---------------------------------------------------------------------------------------------

static ChStatus read_nothing(const Reader* r) {
  (void)r;
  return CH_OK;
}

static bool parameter_text(const json_t* value, char out[CH_ORDER_WORD]) {
  if (json_is_string(value)) return copy_word(json_string_value(value), out);
  if (json_is_integer(value))
    snprintf(out, CH_ORDER_WORD, "%lld", (long long)json_integer_value(value));
  else if (json_is_real(value))
    snprintf(out, CH_ORDER_WORD, "%.17g", json_real_value(value));
  return json_is_number(value);
}

static ChStatus read_load(const Reader* r) {
  ChStatus status = read_word(r, "scene", r->order->word);
  if (status != CH_OK || !has(r, "parameters")) return status;
  json_t* parameters = json_object_get(r->root, "parameters");
  if (!json_is_object(parameters) || json_object_size(parameters) > CH_ORDER_PARAMETERS_MAX)
    return ch_fail(r->context, CH_ERR_FORMAT, "'parameters' must be an object of at most %d members",
                   CH_ORDER_PARAMETERS_MAX);
  const char* name;
  json_t* value;
  json_object_foreach(parameters, name, value) {
    char(*pair)[CH_ORDER_WORD] = r->order->parameters[r->order->parameter_count];
    if (!copy_word(name, pair[0]) || !parameter_text(value, pair[1]))
      return ch_fail(r->context, CH_ERR_FORMAT, "parameter '%.40s' must be a number or a short text", name);
    ++r->order->parameter_count;
  }
  return CH_OK;
}

static ChStatus read_speed(const Reader* r) { return read_number(r, "value", 0.0, 1e3, &r->order->value); }

static ChStatus read_seek(const Reader* r) { return read_number(r, "time", -1e12, 1e12, &r->order->value); }

static ChStatus read_switch(const Reader* r) {
  const json_t* value = json_object_get(r->root, "value");
  if (!json_is_boolean(value)) return ch_fail(r->context, CH_ERR_FORMAT, "'value' must be true or false");
  r->order->on = json_is_true(value);
  return CH_OK;
}

static ChStatus read_pace(const Reader* r) {
  ChStatus status = read_word(r, "value", r->order->word);
  if (status != CH_OK) return status;
  r->order->on = strcmp(r->order->word, "fluent") == 0;
  if (r->order->on || strcmp(r->order->word, "exact") == 0) return CH_OK;
  return ch_fail(r->context, CH_ERR_ARGUMENT, "there is no pace '%s'; there are exact and fluent", r->order->word);
}

static ChStatus read_set(const Reader* r) {
  static const char* const names[] = {"mu", "gravity", "h", "tolerance", "method", "cone", "rest", "limit", "pace"};
  enum { COUNT = sizeof names / sizeof *names };
  ChOrder* o = r->order;
  char name[CH_ORDER_WORD];
  ChStatus status = read_word(r, "name", name);
  if (status == CH_OK) status = read_pane(r);
  if (status != CH_OK) return status;
  int k = 0;
  while (k < COUNT && strcmp(name, names[k]) != 0) ++k;
  if (k == COUNT) {
    const char* near = ch_word_nearest(name, COUNT, names);
    return ch_fail(r->context, CH_ERR_ARGUMENT, "there is no setting '%s'%s%s%s", name, near ? "; did you mean '" : "",
                   near ? near : "", near ? "'?" : "");
  }
  o->setting = (ChSettingName)k;
  switch (o->setting) {
    case CH_CHANGE_MU:
      return read_number(r, "value", 0.0, 1e3, &o->value);
    case CH_CHANGE_GRAVITY:
      return read_vector(r, "value", 1e4, &o->vector);
    case CH_CHANGE_H:
      return read_number(r, "value", 1e-7, 1.0, &o->value);
    case CH_CHANGE_TOLERANCE:
      return read_number(r, "value", 1e-16, 1.0, &o->value);
    case CH_CHANGE_LIMIT:
      return !has(r, "value") ? CH_OK : read_number(r, "value", 1e-4, 60.0, &o->value);
    case CH_CHANGE_REST:
      return read_switch(r);
    case CH_CHANGE_PACE:
      return read_pace(r);
    case CH_CHANGE_METHOD:
    case CH_CHANGE_CONE:
      break;
  }
  return read_word(r, "value", o->word);
}

// Barycentric coordinates, which a page rounds.
static ChStatus read_weights(const Reader* r, double weights[3]) {
  const json_t* value = json_object_get(r->root, "weights");
  double sum = 0.0;
  bool fine = json_array_size(value) == 3;
  for (size_t k = 0; k < 3 && fine; ++k) {
    weights[k] = json_number_value(json_array_get(value, k));
    fine = json_is_number(json_array_get(value, k)) && weights[k] >= -WEIGHT_SLACK && weights[k] <= 1.0 + WEIGHT_SLACK;
    sum += weights[k];
  }
  if (!fine || !(fabs(sum - 1.0) <= WEIGHT_SLACK))
    return ch_fail(r->context, CH_ERR_FORMAT, "'weights' must be three numbers from 0 to 1 whose sum is 1");
  for (int k = 0; k < 3; ++k) weights[k] /= sum;
  return CH_OK;
}

static ChStatus read_drag(const Reader* r) {
  ChStatus status = read_pane(r);
  if (status == CH_OK && has(r, "triangle")) {
    status = read_index(r, "triangle", 1 << 28, &r->order->triangle);
    if (status == CH_OK) status = read_weights(r, r->order->weights);
  }
  if (status == CH_OK) status = read_index(r, "body", 1 << 30, &r->order->body);
  if (status == CH_OK) status = read_vector(r, "local", 1e6, &r->order->local);
  if (status == CH_OK) status = read_vector(r, "target", 1e6, &r->order->target);
  return status;
}

static ChStatus read_shoot(const Reader* r) {
  ChOrder* o = r->order;
  ChStatus status = read_vector(r, "origin", 1e6, &o->origin);
  if (status == CH_OK) status = read_vector(r, "direction", 1e6, &o->direction);
  if (status == CH_OK && !(ch_norm(o->direction) > 1e-9))
    status = ch_fail(r->context, CH_ERR_RANGE, "'direction' must not be zero");
  if (status == CH_OK) status = read_number(r, "speed", 0.0, 1e3, &o->value);
  if (status == CH_OK && has(r, "mass")) status = read_number(r, "mass", 1e-6, 1e6, &o->mass);
  if (status == CH_OK && has(r, "size")) status = read_number(r, "size", 1e-4, 1e3, &o->size);
  return status;
}

static ChStatus read_inspect(const Reader* r) {
  ChOrder* o = r->order;
  ChStatus status = read_pane(r);
  if (o->pane < 0) o->pane = 0;
  if (status != CH_OK) return status;
  if (has(r, "body")) return read_index(r, "body", 1 << 30, &o->body);
  if (has(r, "contact")) return read_index(r, "contact", 1 << 30, &o->contact);
  return ch_fail(r->context, CH_ERR_FORMAT, "'body' or 'contact' is missing");
}

static ChStatus read_compare(const Reader* r) {
  const json_t* methods = json_object_get(r->root, "methods");
  size_t count = json_array_size(methods);
  bool fine = !has(r, "methods") || (json_is_array(methods) && (count == 0 || count == CH_PANES_MAX));
  for (size_t k = 0; fine && k < count; ++k)
    fine = copy_word(json_string_value(json_array_get(methods, k)), r->order->methods[k]);
  if (!fine)
    return ch_fail(r->context, CH_ERR_FORMAT, "'methods' must be an array of %d names, or empty", CH_PANES_MAX);
  r->order->method_count = (int)count;
  return CH_OK;
}

// --- all of them -----------------------------------------------------------------------------------------------------

static const struct {
  const char* name;
  ChOrderType type;
  ChStatus (*read)(const Reader* r);
} types[] = {{"load", CH_ORDER_LOAD, read_load},
             {"run", CH_ORDER_RUN, read_nothing},
             {"pause", CH_ORDER_PAUSE, read_nothing},
             {"step", CH_ORDER_STEP, read_nothing},
             {"reset", CH_ORDER_RESET, read_nothing},
             {"speed", CH_ORDER_SPEED, read_speed},
             {"set", CH_ORDER_SET, read_set},
             {"drag", CH_ORDER_DRAG, read_drag},
             {"release", CH_ORDER_RELEASE, read_nothing},
             {"shoot", CH_ORDER_SHOOT, read_shoot},
             {"inspect", CH_ORDER_INSPECT, read_inspect},
             {"compare", CH_ORDER_COMPARE, read_compare},
             {"seek", CH_ORDER_SEEK, read_seek}};
enum { TYPES = sizeof types / sizeof *types };

static ChStatus read_order(const Reader* r) {
  if (!json_is_object(r->root)) return ch_fail(r->context, CH_ERR_FORMAT, "a message must be a JSON object");
  char name[CH_ORDER_WORD];
  ChStatus status = read_word(r, "type", name);
  if (status != CH_OK) return status;
  const char* known[TYPES];
  for (int k = 0; k < TYPES; ++k) {
    known[k] = types[k].name;
    if (strcmp(name, known[k]) != 0) continue;
    r->order->type = types[k].type;
    return types[k].read(r);
  }
  const char* near = ch_word_nearest(name, TYPES, known);
  return ch_fail(r->context, CH_ERR_ARGUMENT, "there is no message of type '%s'%s%s%s", name,
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

ChStatus ch_order_parse(ChContext* context, const char* text, size_t size, ChOrder* out) {
  *out = (ChOrder){.pane = -1, .body = -1, .contact = -1, .triangle = -1};
  if (size > CH_ORDER_BYTES_MAX)
    return ch_fail(context, CH_ERR_SIZE, "a message of %zu bytes; at most %d are read", size, CH_ORDER_BYTES_MAX);
  json_error_t error;
  json_t* root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
  if (!root)
    return ch_fail(context, CH_ERR_FORMAT, "not JSON at line %d, column %d: %s", error.line, error.column, error.text);
  ChStatus status = read_order(&(Reader){.context = context, .root = root, .order = out});
  json_decref(root);
  return status;
}
