// Formulas: see formula.h. Recursive descent; the first mistake sticks.
#include "scene/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain_numbers.h"
#include "cardhouse/scene.h"
#include "cardhouse/text.h"

enum { NESTING_MAX = 100, NAME_MAX_LENGTH = 63, NAMES_MAX = 256 };

typedef struct Formula {
  const char* at;
  const json_t* parameters;
  int depth;
  char* why;  // empty while all is well
  size_t size;
} Formula;

static double sum(Formula* f);

static const struct {
  const char* name;
  double (*value)(double);
} functions[] = {{"sqrt", sqrt}, {"abs", fabs},  {"sin", sin},   {"cos", cos},
                 {"tan", tan},   {"asin", asin}, {"acos", acos}, {"atan", atan}};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static double mistake(Formula* f, const char* what) {
  if (f->why[0] == '\0') snprintf(f->why, f->size, "%s at '%.40s'", what, *f->at ? f->at : "its end");
  return NAN;
}

static bool accept(Formula* f, char c) {
  while (*f->at == ' ') ++f->at;
  if (*f->at != c) return false;
  ++f->at;
  return true;
}

static double parenthesis(Formula* f) {
  double value = sum(f);
  return accept(f, ')') ? value : mistake(f, "')' is missing");
}

static double named(Formula* f) {
  char name[NAME_MAX_LENGTH + 1];
  int length = 0;
  const char* start = f->at;
  while ((isalnum((unsigned char)*f->at) || *f->at == '_') && length < NAME_MAX_LENGTH) name[length++] = *f->at++;
  name[length] = '\0';
  for (int k = 0; k < FUNCTIONS; ++k)
    if (strcmp(name, functions[k].name) == 0)
      return accept(f, '(') ? functions[k].value(parenthesis(f)) : mistake(f, "'(' is missing");
  if (strcmp(name, "pi") == 0) return 3.141592653589793;
  const json_t* value = json_object_get(f->parameters, name);
  if (json_is_number(value)) return json_number_value(value);
  if (f->why[0] != '\0') return NAN;
  const char *known[NAMES_MAX], *key;
  json_t* other;
  int count = 0;
  json_object_foreach((json_t*)f->parameters, key, other) if (count < NAMES_MAX) known[count++] = key;
  const char* near = ch_word_nearest(name, count, known);
  f->at = start;
  snprintf(f->why, f->size, "'%s' is no parameter%s%s%s", name, near ? "; did you mean '" : "", near ? near : "",
           near ? "'?" : "");
  return NAN;
}

static double primary(Formula* f) {
  if (accept(f, '(')) return parenthesis(f);
  if (isalpha((unsigned char)*f->at)) return named(f);
  if (!isdigit((unsigned char)*f->at) && *f->at != '.') return mistake(f, "a number or name is missing");
  char* end;
  double value = ch_number_parse(f->at, &end);
  if (end == f->at) return mistake(f, "a number or name is missing");
  f->at = end;
  return value;
}

static double unary(Formula* f) {
  if (++f->depth > NESTING_MAX) return mistake(f, "it is nested too deeply");
  double value = accept(f, '-') ? -unary(f) : primary(f);
  if (accept(f, '^')) value = pow(value, unary(f));
  --f->depth;
  return value;
}

static double product(Formula* f) {
  double value = unary(f);
  for (;;) {
    if (accept(f, '*'))
      value *= unary(f);
    else if (accept(f, '/'))
      value /= unary(f);
    else
      return value;
  }
}

static double sum(Formula* f) {
  double value = product(f);
  for (;;) {
    if (accept(f, '+'))
      value += product(f);
    else if (accept(f, '-'))
      value -= product(f);
    else
      return value;
  }
}

bool ch_formula_value(const char* text, const json_t* parameters, double* out, char* why, size_t size) {
  Formula f = {.at = text, .parameters = parameters, .why = why, .size = size};
  why[0] = '\0';
  *out = sum(&f);
  while (*f.at == ' ') ++f.at;
  if (*f.at != '\0') mistake(&f, "something is left over");
  if (why[0] == '\0' && !isfinite(*out)) snprintf(why, size, "its value is %g, must be finite", *out);
  return why[0] == '\0';
}

// ----------------------------------------------------------------------------------------------------------- documents

// Numbers that are whole stay whole, so that counts can be formulas too.
static json_t* number_of(double value) {
  return value == floor(value) && fabs(value) < 1e15 ? json_integer((json_int_t)value) : json_real(value);
}

static bool is_formula(const json_t* value) { return json_is_string(value) && json_string_value(value)[0] == '='; }

static json_t* resolve_one(ChReader* r, const ChPlace* place, const json_t* value, const json_t* parameters) {
  double number;
  char why[256];
  if (ch_formula_value(json_string_value(value) + 1, parameters, &number, why, sizeof why)) return number_of(number);
  ch_reader_wrong(r, place, "is the formula '%.80s', but %s", json_string_value(value), why);
  return NULL;
}

// The value of a formula, to stand in its place. After a wrong one a number that hardly anything else finds fault with.
static json_t* value_of(ChReader* r, const ChPlace* place, const json_t* formula, const json_t* parameters) {
  json_t* number = resolve_one(r, place, formula, parameters);
  return number || !ch_reader_goes_on(r) ? number : json_integer(1);
}

// Depth is bounded by the parser's own limit.
static bool resolve_in(ChReader* r, const ChPlace* place, json_t* value, const json_t* parameters) {
  const char* key;
  json_t *entry, *number;
  void* next;
  size_t k;
  json_object_foreach_safe(value, next, key, entry) {
    ChPlace at = {place, key, 0};
    if (!is_formula(entry)) {
      if (!resolve_in(r, &at, entry, parameters)) return false;
    } else if (!(number = value_of(r, &at, entry, parameters)) || json_object_set_new(value, key, number) != 0) {
      return false;
    }
  }
  if (!json_is_array(value)) return true;
  json_array_foreach(value, k, entry) {
    ChPlace at = {place, NULL, k};
    if (!is_formula(entry)) {
      if (!resolve_in(r, &at, entry, parameters)) return false;
    } else if (!(number = value_of(r, &at, entry, parameters)) || json_array_set_new(value, k, number) != 0) {
      return false;
    }
  }
  return true;
}

static bool resolve_parameters(ChReader* r, const ChPlace* place, const json_t* parameters, json_t* known) {
  const char* key;
  json_t* value;
  json_object_foreach((json_t*)parameters, key, value) {
    ChPlace at = {place, key, 0};
    bool name = isalpha((unsigned char)key[0]) && strlen(key) <= NAME_MAX_LENGTH;
    for (const char* c = key; *c; ++c) name = name && (isalnum((unsigned char)*c) || *c == '_');
    if (!name) return ch_reader_wrong(r, &at, "is not a name; names have letters, digits and '_'");
    json_t* number = is_formula(value) ? resolve_one(r, &at, value, known) : json_incref(value);
    if (number && !json_is_number(number)) ch_reader_wrong(r, &at, "is %s, must be a number", ch_json_kind(number));
    if (!number || r->status != CH_OK) {
      json_decref(number);
      return false;
    }
    json_object_set_new(known, key, number);
  }
  return true;
}

// What whoever opens the scene chose takes the place of the document's own values.
static bool replace_chosen(ChReader* r, const ChPlace* at, json_t* parameters) {
  const ChSceneChoice* choice = r->choice;
  for (int k = 0; choice && k < choice->parameter_count; ++k) {
    const char *name = choice->parameters[k][0], *known[NAMES_MAX], *key;
    json_t* other;
    if (!json_object_get(parameters, name)) {
      int count = 0;
      json_object_foreach(parameters, key, other) if (count < NAMES_MAX) known[count++] = key;
      const char* near = ch_word_nearest(name, count, known);
      if (count == 0) return ch_reader_wrong(r, at, "is missing, but a value for '%.60s' was given", name);
      return ch_reader_wrong(r, at, "has no '%.60s'%s%s%s", name, near ? "; did you mean '" : "", near ? near : "",
                             near ? "'?" : "");
    }
    if (json_object_set_new(parameters, name, json_sprintf("=%s", choice->parameters[k][1])) != 0) {
      r->status = ch_fail(r->context, CH_ERR_MEMORY, "out of memory for the parameters of a scene");
      return false;
    }
  }
  return true;
}

bool ch_formulas_resolve(ChReader* r, json_t* root) {
  ChPlace top = {0}, at = {&top, "parameters", 0};
  json_t *known = json_object(), *parameters = json_object_get(root, "parameters");
  bool good = replace_chosen(r, &at, parameters) && resolve_parameters(r, &at, parameters, known) &&
              resolve_in(r, &top, root, known);
  r->choice = NULL;  // it was for the first document
  json_decref(known);
  return good;
}
