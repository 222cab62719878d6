// See json_tokens.h.
#include "base/json_tokens.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct Walk {
  const char *at, *end;
  ChArena* arena;
  int count, room;
  ChToken* token;
  bool full;  // more values than can be counted
} Walk;

static bool value(Walk* w, int depth);

static void skip_space(Walk* w) {
  while (w->at < w->end && (*w->at == ' ' || *w->at == '\t' || *w->at == '\n' || *w->at == '\r')) ++w->at;
}

static bool accept(Walk* w, char c) {
  skip_space(w);
  bool there = w->at < w->end && *w->at == c;
  w->at += there;
  return there;
}

static int add(Walk* w, ChTokenKind kind, const char* text) {
  if (w->count == w->room) {
    if (w->room > INT_MAX / 4) {
      w->full = true;
      return 0;
    }
    w->room = w->room ? 2 * w->room : 256;
    ChToken* larger = CH_TAKE(w->arena, w->room, ChToken);
    if (w->count > 0) memcpy(larger, w->token, (size_t)w->count * sizeof *larger);
    w->token = larger;
  }
  w->token[w->count] = (ChToken){.kind = kind, .text = text};
  return w->count++;
}

static bool close(Walk* w, int token) {
  w->token[token].end = w->count;
  w->token[token].length = (size_t)(w->at - w->token[token].text);
  return !w->full;
}

// Behind the opening quote.
static bool string(Walk* w) {
  int token = add(w, CH_TOKEN_STRING, w->at);
  for (; w->at < w->end && *w->at != '"'; ++w->at) {
    if ((unsigned char)*w->at < ' ') return false;
    if (*w->at == '\\' && ++w->at == w->end) return false;
  }
  if (w->at >= w->end) return false;
  bool good = close(w, token);
  ++w->at;
  return good;
}

// A number or a word, up to what ends it.
static bool plain(Walk* w) {
  bool number = *w->at == '-' || (*w->at >= '0' && *w->at <= '9');
  int token = add(w, number ? CH_TOKEN_NUMBER : CH_TOKEN_WORD, w->at);
  const char* start = w->at;
  while (w->at < w->end && !strchr(" \t\r\n,:{}[]\"", *w->at)) ++w->at;
  size_t length = (size_t)(w->at - start);
  bool word = (length == 4 && memcmp(start, "true", 4) == 0) || (length == 4 && memcmp(start, "null", 4) == 0) ||
              (length == 5 && memcmp(start, "false", 5) == 0);
  bool digits = number && strspn(start, "+-.eE0123456789") >= length;
  return (word || digits) && close(w, token);
}

static bool member(Walk* w, int depth) { return accept(w, '"') && string(w) && accept(w, ':') && value(w, depth); }

// Behind the opening brace or bracket.
static bool container(Walk* w, bool object, int depth) {
  int token = add(w, object ? CH_TOKEN_OBJECT : CH_TOKEN_ARRAY, w->at);
  const char last = object ? '}' : ']';
  if (accept(w, last)) return close(w, token);
  do
    if (!(object ? member(w, depth + 1) : value(w, depth + 1))) return false;
  while (accept(w, ','));
  return accept(w, last) && close(w, token);
}

static bool value(Walk* w, int depth) {
  if (depth > CH_TOKEN_DEPTH || w->full) return false;
  if (accept(w, '{')) return container(w, true, depth);
  if (accept(w, '[')) return container(w, false, depth);
  if (accept(w, '"')) return string(w);
  return w->at < w->end && plain(w);
}

ChStatus ch_tokens_read(ChContext* context, ChArena* arena, const char* path, const char* text, size_t size,
                        ChTokens* out) {
  Walk w = {.at = text, .end = text + size, .arena = arena};
  bool good = value(&w, 0);
  skip_space(&w);
  while (good && w.at < w.end && *w.at == '\0') ++w.at;  // padding of a chunk
  if (!good || w.at != w.end) {
    long line = 1;
    for (const char* c = text; c < w.at && c < w.end; ++c) line += *c == '\n';
    return ch_fail(context, CH_ERR_FORMAT, "%s:%ld: is not valid JSON", path, line);
  }
  locale_t c_locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  if (!c_locale) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  ch_arena_defer(arena, (void (*)(void*))freelocale, c_locale);
  *out = (ChTokens){w.count, w.token, c_locale};
  return CH_OK;
}

int ch_tokens_member(const ChTokens* json, int object, const char* key) {
  if (object < 0 || json->token[object].kind != CH_TOKEN_OBJECT) return -1;
  const size_t length = strlen(key);
  for (int k = object + 1; k < json->token[object].end; k = json->token[k + 1].end)
    if (json->token[k].length == length && memcmp(json->token[k].text, key, length) == 0) return k + 1;
  return -1;
}

int ch_tokens_entries(const ChTokens* json, ChArena* arena, int array, int** out) {
  int count = 0;
  *out = NULL;
  if (array < 0 || json->token[array].kind != CH_TOKEN_ARRAY) return 0;
  for (int k = array + 1; k < json->token[array].end; k = json->token[k].end) ++count;
  *out = CH_TAKE(arena, count + 1, int);
  count = 0;
  for (int k = array + 1; k < json->token[array].end; k = json->token[k].end) (*out)[count++] = k;
  return count;
}

double ch_tokens_real(const ChTokens* json, int token, double otherwise) {
  if (token < 0 || json->token[token].kind != CH_TOKEN_NUMBER) return otherwise;
  char* end;
  double number = strtod_l(json->token[token].text, &end, json->locale);
  return end == json->token[token].text + json->token[token].length ? number : otherwise;
}

int ch_tokens_index(const ChTokens* json, int token) {
  double number = ch_tokens_real(json, token, -1.0);
  return number >= 0.0 && number <= INT_MAX && number == (double)(int)number ? (int)number : -1;
}
