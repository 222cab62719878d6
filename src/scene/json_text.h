// JSON as text that people like to read: short things on one line, numbers with no more digits than they need.
#ifndef CH_SCENE_JSON_TEXT_H
#define CH_SCENE_JSON_TEXT_H

#include <jansson.h>

// Ends with a line feed; the caller frees it. NULL when out of memory.
char* ch_json_text(const json_t* value);

// In one line of plain ASCII, as json_dumps writes it with these flags; neither a terminal nor html finds anything to
// obey in it: control characters, < > & and all beyond ASCII stand as \u003c does. The caller frees it.
char* ch_json_harmless(const json_t* value, size_t flags);

// A JSON number, or null for NaN and infinities, which JSON has no word for.
json_t* ch_json_real(double value);
// A file name need not be UTF-8, JSON text must be: such a name is given with question marks.
json_t* ch_json_path(const char* path);

#endif
