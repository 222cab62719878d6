// A browser without a window: Chromium, driven over a pipe by its DevTools protocol. Pictures of pages are made with
// it.
#ifndef CH_SERVE_BROWSER_H
#define CH_SERVE_BROWSER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "cardhouse/status.h"

typedef struct ChBrowser ChBrowser;

// CH_ERR_UNSUPPORTED where there is no Chromium: the program named by CARDHOUSE_CHROMIUM is tried, then those of the
// PATH that distributions install. Whatever is asked of it fails as soon as `is_over`, which is asked several times a
// second, says so.
ChStatus ch_browser_start(ChContext* context, int width, int height, bool (*is_over)(void), ChBrowser** out);
// Ends it, by force where all is over, and removes its files.
void ch_browser_stop(ChBrowser* browser);

// Opens a file of this machine and waits until it is loaded.
ChStatus ch_browser_open(ChContext* context, ChBrowser* browser, const char* path);
// The value of a JavaScript expression, of a promise when it is kept; `value` may be NULL. An exception is a failure.
ChStatus ch_browser_evaluate(ChContext* context, ChBrowser* browser, const char* expression, json_t** value);
// What the page looks like, as a PNG file or a JPEG file; the caller frees the bytes.
ChStatus ch_browser_picture(ChContext* context, ChBrowser* browser, bool jpeg, unsigned char** bytes, size_t* size);

#endif
