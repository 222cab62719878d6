// Comments in scenes: // to the end of the line, and /* ... */.
#ifndef CH_SCENE_COMMENTS_H
#define CH_SCENE_COMMENTS_H

#include <stdbool.h>
#include <stddef.h>

// Blanks take the place of comments, so that every line and column stays where it is. False where a comment does not
// end: *at is where it begins.
bool ch_comments_blank(char* text, size_t size, size_t* at);
// Whether there may be any; a text without one need not be copied.
bool ch_comments_likely(const char* text, size_t size);

#endif
