// Pictures of a recording: see picture.h.
#include "serve/picture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/viewer_page.h"

static ChStatus write_page(ChContext* context, ChRecording* recording, const ChReplayOptions* options,
                           char page[CH_PICTURE_PAGE]) {
  const char* base = getenv("TMPDIR");
  snprintf(page, CH_PICTURE_PAGE, "%s/cardhouse-render-XXXXXX.html", base && *base ? base : "/tmp");
  int descriptor = mkstemps(page, 5);
  FILE* file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
  if (!file) {
    page[0] = '\0';
    return ch_fail(context, CH_ERR_FILE, "no temporary file can be made: %s", strerror(errno));
  }
  ChReplayInfo info;
  ChStatus status = ch_replay_write(context, recording, options, (const char*)ch_page_begin,
                                    (size_t)(ch_page_end - ch_page_begin), file, &info);
  if (fclose(file) != 0 && status == CH_OK) status = ch_fail(context, CH_ERR_FILE, "%s: %s", page, strerror(errno));
  return status;
}

static const char* word(bool on) { return on ? "true" : "false"; }

ChStatus ch_picture_open(ChContext* context, ChBrowser* browser, ChRecording* recording, const ChReplayOptions* options,
                         const ChPictureView* view, char page[CH_PICTURE_PAGE]) {
  ChStatus status = write_page(context, recording, options, page);
  if (status == CH_OK) status = ch_browser_open(context, browser, page);
  if (status != CH_OK) return status;
  char expression[256];
  snprintf(expression, sizeof expression,
           "cardhousePicture.begin({view: '%s', colouring: '%s', contacts: %s, chains: %s, dark: %s, caption: %s, "
           "fine: %s})",
           view->view ? view->view : "", view->colour ? view->colour : "", word(view->contacts), word(view->chains),
           word(view->dark), word(view->caption), word(view->fine));
  return ch_browser_evaluate(context, browser, expression, NULL);
}

ChStatus ch_picture_draw(ChContext* context, ChBrowser* browser, double time, bool jpeg, unsigned char** bytes,
                         size_t* size) {
  char expression[64];
  snprintf(expression, sizeof expression, "cardhousePicture.show(%.9g, %s)", time, jpeg ? "true" : "false");
  ChStatus status = ch_browser_evaluate(context, browser, expression, NULL);
  return status == CH_OK ? ch_browser_picture(context, browser, jpeg, bytes, size) : status;
}
