// JSON as a list of tokens in the order of the text: enough to read a few values of a file whose form is known. The
// text must outlive the tokens. (Scenes are read with a library; the engine does without one.)
#ifndef CH_BASE_JSON_TOKENS_H
#define CH_BASE_JSON_TOKENS_H

#include <locale.h>

#include "base/arena.h"
#include "cardhouse/status.h"

typedef enum ChTokenKind {
  CH_TOKEN_OBJECT,
  CH_TOKEN_ARRAY,
  CH_TOKEN_STRING,
  CH_TOKEN_NUMBER,
  CH_TOKEN_WORD
} ChTokenKind;

typedef struct ChToken {
  ChTokenKind kind;
  int end;           // the token behind this value and all that is in it
  const char* text;  // of a string what stands between the quotes, escapes as they are
  size_t length;
} ChToken;

typedef struct ChTokens {
  int count;
  const ChToken* token;  // number 0 is the root
  locale_t locale;       // "C"
} ChTokens;

enum { CH_TOKEN_DEPTH = 64 };
// text[size] must be zero. Refuses what is no JSON, and what is nested deeper than CH_TOKEN_DEPTH.
ChStatus ch_tokens_read(ChContext* context, ChArena* arena, const char* path, const char* text, size_t size,
                        ChTokens* out);

// The value of a key of an object, or -1: also where `object` is -1 or no object.
int ch_tokens_member(const ChTokens* json, int object, const char* key);
// Entries of an array: token numbers in the arena. None where `array` is -1 or no array.
int ch_tokens_entries(const ChTokens* json, ChArena* arena, int array, int** out);
// The number of a token; `otherwise` where it is -1 or no number.
double ch_tokens_real(const ChTokens* json, int token, double otherwise);
// A whole number from 0 to 2^31 - 1; -1 where the token is something else.
int ch_tokens_index(const ChTokens* json, int token);

#endif
