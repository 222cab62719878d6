// Pictures of a recording: its replay file, opened in a browser without a window, which draws it moment by moment.
#ifndef CH_SERVE_PICTURE_H
#define CH_SERVE_PICTURE_H

#include "serve/browser.h"
#include "serve/replay_file.h"

typedef struct ChPictureView {
  const char* view;    // "iso", "front" or "top"; NULL: as the scene says
  const char* colour;  // "body", "speed", ...; NULL: as the scene says
  bool fine;           // soft shadows and ambient occlusion
  bool contacts, chains, dark;
  bool caption;  // a line of text tells time and certificate
} ChPictureView;

enum { CH_PICTURE_PAGE = 300 };

// Puts the recording before the browser. `page` is the temporary file with it, "" where none could be made; the caller
// removes it when the last picture is drawn.
ChStatus ch_picture_open(ChContext* context, ChBrowser* browser, ChRecording* recording, const ChReplayOptions* options,
                         const ChPictureView* view, char page[CH_PICTURE_PAGE]);
// A PNG file (or JPEG file) of that moment; the caller frees the bytes.
ChStatus ch_picture_draw(ChContext* context, ChBrowser* browser, double time, bool jpeg, unsigned char** bytes,
                         size_t* size);

#endif
