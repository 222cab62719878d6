// From a JSON path to line and column. The parser keeps no positions; after a failure one walk over the text, which is
// known to be valid JSON, finds the place.
#include <string.h>

#include "scene/reader.h"

enum { DEPTH_MAX = 64 };

typedef struct Walk {
  const char *at, *end;
} Walk;

static void skip_space(Walk* w) {
  while (w->at < w->end && strchr(" \t\r\n", *w->at)) ++w->at;
}

static void skip_string(Walk* w) {
  for (++w->at; w->at < w->end && *w->at != '"'; ++w->at)
    if (*w->at == '\\') ++w->at;
  if (w->at < w->end) ++w->at;
}

static void skip_value(Walk* w) {
  long depth = 0;
  do {
    skip_space(w);
    if (w->at >= w->end) return;
    char c = *w->at;
    if (c == '"') {
      skip_string(w);
      continue;
    }
    if (c == '{' || c == '[')
      ++depth;
    else if (c == '}' || c == ']')
      --depth;
    else if (c != ',' && c != ':')
      while (w->at + 1 < w->end && !strchr(" \t\r\n,:{}[]\"", w->at[1])) ++w->at;
    ++w->at;
  } while (depth > 0 && w->at < w->end);
}

// Goes to the value of `key`; false where there is none (or it is written with escapes).
static bool enter_key(Walk* w, const char* key, const char** key_at) {
  size_t length = strlen(key);
  for (++w->at;;) {
    skip_space(w);
    if (w->at >= w->end || *w->at != '"') return false;
    const char* start = w->at + 1;
    skip_string(w);
    bool same = (size_t)(w->at - 1 - start) == length && memcmp(start, key, length) == 0;
    skip_space(w);
    if (w->at < w->end) ++w->at;  // the colon
    skip_space(w);
    *key_at = start - 1;
    if (same) return true;
    skip_value(w);
    skip_space(w);
    if (w->at >= w->end || *w->at != ',') return false;
    ++w->at;
  }
}

static bool enter_index(Walk* w, size_t index) {
  ++w->at;
  skip_space(w);
  for (size_t k = 0; k < index; ++k) {
    skip_value(w);
    skip_space(w);
    if (w->at >= w->end || *w->at != ',') return false;
    ++w->at;
    skip_space(w);
  }
  return w->at < w->end && *w->at != ']';
}

void ch_text_locate(const char* text, size_t size, const ChPlace* place, bool at_key, long* line, long* column) {
  const ChPlace* chain[DEPTH_MAX];
  int depth = 0;
  for (; place && place->above && depth < DEPTH_MAX; place = place->above) chain[depth++] = place;
  Walk w = {text, text + size};
  skip_space(&w);
  const char* found = w.at;
  while (depth-- > 0) {
    const ChPlace* step = chain[depth];
    const char* key_at = w.at;
    bool fits = w.at < w.end && *w.at == (step->key ? '{' : '[');
    if (!fits || !(step->key ? enter_key(&w, step->key, &key_at) : enter_index(&w, step->index))) break;
    found = depth == 0 && at_key && step->key ? key_at : w.at;
  }
  *line = *column = 1;
  for (const char* c = text; c < found; ++c) {
    *column = *c == '\n' ? 1 : *column + 1;
    *line += *c == '\n';
  }
}
