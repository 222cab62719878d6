// JSON as text that people like to read: short things on one line, numbers with no more digits than they need.
#ifndef CH_SCENE_JSON_TEXT_H
#define CH_SCENE_JSON_TEXT_H

#include <jansson.h>

// Ends with a line feed; the caller frees it. NULL when out of memory.
char* ch_json_text(const json_t* value);

#endif
