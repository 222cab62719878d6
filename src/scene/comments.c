// Comments: see comments.h. A slash outside of strings is nothing else in JSON.
#include "scene/comments.h"

#include <string.h>

bool ch_comments_likely(const char* text, size_t size) { return memchr(text, '/', size) != NULL; }

// Behind the string that begins at k.
static size_t skip_string(const char* text, size_t size, size_t k) {
  for (++k; k < size && text[k] != '"'; ++k) k += text[k] == '\\';
  return k < size ? k + 1 : size;
}

static void blank(char* text, size_t from, size_t to) {
  for (size_t k = from; k < to; ++k)
    if (text[k] != '\n') text[k] = ' ';
}

// Behind the comment that begins at k; `size` + 1 where it does not end.
static size_t end_of(const char* text, size_t size, size_t k) {
  if (text[k + 1] == '/') {
    const char* line = memchr(text + k, '\n', size - k);
    return line ? (size_t)(line - text) : size;
  }
  for (k += 2; k + 1 < size; ++k)
    if (text[k] == '*' && text[k + 1] == '/') return k + 2;
  return size + 1;
}

bool ch_comments_blank(char* text, size_t size, size_t* at) {
  for (size_t k = 0; k < size;) {
    bool begins = text[k] == '/' && k + 1 < size && (text[k + 1] == '/' || text[k + 1] == '*');
    if (text[k] == '"') {
      k = skip_string(text, size, k);
    } else if (begins) {
      size_t end = end_of(text, size, *at = k);
      if (end > size) return false;
      blank(text, k, end);
      k = end;
    } else {
      ++k;
    }
  }
  return true;
}
