// The replay file: the viewer's page with a recording inside, one html file that any browser opens from disk.
//
// Frames go in blocks, so that a page unpacks only what it shows. A block is, little-endian:
//   n times (f64) | n steps (u32) | n contact counts (u32) | words, as four planes of bytes, lowest byte first
// where the words are those of the frames' bodies (7 floats each, then one a mode of all deformable bodies, then an
// island each) and then those of the frames' contacts (17 each), every frame's word combined by exclusive or with the
// same word of the frame before in the block; then deflated (zlib) and written in base64. Positions, also those that
// amplitudes make, are rounded to about a millionth of the scene's size, other numbers of contacts to 12 significant
// bits: what the eye sees. docs/replay.md says it for people.
#ifndef CH_SERVE_REPLAY_FILE_H
#define CH_SERVE_REPLAY_FILE_H

#include <stdio.h>

#include "serve/recording.h"

typedef struct ChReplayOptions {
  double from, to;    // seconds of the recording
  double rate;        // frames per simulated second, at most
  double size_limit;  // bytes that the recording may take in the file; frames, then contacts, are left out to keep it
  bool contacts;
} ChReplayOptions;

ChReplayOptions ch_replay_options_default(void);

// What was written of it.
typedef struct ChReplayInfo {
  long rows, frames;  // of the recording between `from` and `to`; in the file
  bool contacts;
  bool thinned;  // frames were left out to keep the limit
  size_t bytes;
} ChReplayInfo;

// `page`: the viewer's html, which holds a mark where a recording goes.
ChStatus ch_replay_write(ChContext* context, ChRecording* recording, const ChReplayOptions* options, const char* page,
                         size_t page_size, FILE* out, ChReplayInfo* info);

#endif
