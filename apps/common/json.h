// JSON for who reads what the program says: a terminal, a page, another program.
#ifndef CH_COMMON_JSON_H
#define CH_COMMON_JSON_H

#include <jansson.h>

// In one line of plain ASCII, as json_dumps writes it with these flags; neither a terminal nor html finds anything to
// obey in it: control characters, < > & and all beyond ASCII stand as \u003c does. The caller frees it. NULL when out
// of memory.
char* ch_json_harmless(const json_t* value, size_t flags);

// A JSON number, or null for NaN and infinities, which JSON has no word for.
json_t* ch_json_real(double value);
// A file name need not be UTF-8, JSON text must be: such a name is given with question marks.
json_t* ch_json_path(const char* path);

#endif
