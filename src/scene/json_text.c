// JSON as text: see json_text.h.
#include "scene/json_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 120, NUMBER_SIZE = 32 };

typedef struct Text {
  char* data;
  size_t used, room;
  bool failed;
} Text;

static void put(Text* t, const char* data, size_t size) {
  if (t->failed) return;
  if (t->used + size + 1 > t->room) {
    size_t room = 2 * (t->used + size + 1) + 1024;
    char* larger = realloc(t->data, room);
    if (!larger) {
      t->failed = true;
      return;
    }
    t->data = larger;
    t->room = room;
  }
  memcpy(t->data + t->used, data, size);
  t->used += size;
  t->data[t->used] = '\0';
}

static void put_text(Text* t, const char* text) { put(t, text, strlen(text)); }

// The fewest digits that read back as the same number.
static void put_real(Text* t, double value) {
  char digits[NUMBER_SIZE];
  for (int precision = 15; precision <= 17; ++precision) {
    snprintf(digits, sizeof digits, "%.*g", precision, value);
    if (strtod(digits, NULL) == value) break;
  }
  for (char* c = digits; *c; ++c)
    if (*c == ',') *c = '.';  // other locales
  put_text(t, value == 0.0 ? "0" : digits);
}

// Texts, true, false, null, whole numbers: as the library writes them.
static void put_plain(Text* t, const json_t* value) {
  char* plain = json_dumps(value, JSON_ENCODE_ANY);
  if (plain)
    put_text(t, plain);
  else
    t->failed = true;
  free(plain);
}

static void put_key(Text* t, const char* key) {
  json_t* text = json_string(key);
  put_plain(t, text);
  json_decref(text);
  put_text(t, ": ");
}

static void put_value(Text* t, const json_t* value, int indent, bool broken);

static bool fits(const Text* t) {
  size_t line = t->used;
  while (line > 0 && t->data && t->data[line - 1] != '\n') --line;
  return t->failed || t->used - line <= LINE;
}

static void put_member(Text* t, const char* key, const json_t* value, int indent, bool broken) {
  if (key) put_key(t, key);
  put_value(t, value, indent, broken);
}

static void put_line(Text* t, int indent) {
  put_text(t, "\n");
  for (int k = 0; k < indent; ++k) put_text(t, " ");
}

// In a broken list every entry has a line, in a broken object as many members as fit (at the top, one); what does not
// fit into a line is broken again. Returns whether the entry took several lines.
static bool put_entry(Text* t, const char* key, const json_t* value, int indent, bool broken, bool first, bool fresh) {
  if (!first) put_text(t, broken ? "," : ", ");
  if (broken && !(key && first)) {
    size_t start = t->used;
    if (key && !fresh && indent > 1) {
      put_text(t, " ");
      put_member(t, key, value, indent, false);
      if (fits(t)) return false;
      t->used = start;
    }
    put_line(t, indent);
  }
  size_t start = t->used;
  put_member(t, key, value, indent, false);
  if (!broken || fits(t)) return false;
  t->used = start;
  put_member(t, key, value, indent, true);
  return true;
}

static void put_value(Text* t, const json_t* value, int indent, bool broken) {
  bool first = true, fresh = false;
  if (json_is_object(value)) {
    const char* key;
    json_t* entry;
    put_text(t, "{");
    json_object_foreach((json_t*)value, key, entry) {
      fresh = put_entry(t, key, entry, indent + 1, broken, first, fresh);
      first = false;
    }
    put_text(t, "}");
  } else if (json_is_array(value)) {
    put_text(t, "[");
    for (size_t k = 0; k < json_array_size(value); ++k, first = false)
      put_entry(t, NULL, json_array_get(value, k), indent + 1, broken, first, false);
    put_text(t, "]");
  } else if (json_is_real(value)) {
    put_real(t, json_real_value(value));
  } else {
    put_plain(t, value);
  }
}

char* ch_json_text(const json_t* value) {
  Text t = {0};
  put_value(&t, value, 0, true);
  put_text(&t, "\n");
  if (!t.failed) return t.data;
  free(t.data);
  return NULL;
}
