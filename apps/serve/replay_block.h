// Frames of a recording, packed into blocks: see replay_file.h.
#ifndef CH_SERVE_REPLAY_BLOCK_H
#define CH_SERVE_REPLAY_BLOCK_H

#include "serve/recording.h"

// Packs frames one after the other.
typedef struct ChReplayPacker ChReplayPacker;

// A block as it stands in the file.
typedef struct ChReplayBlock {
  unsigned char* packed;     // deflated
  size_t packed_size, size;  // bytes after and before
  int frames;
  double from;  // time of its first frame
} ChReplayBlock;

ChReplayPacker* ch_replay_packer_create(ChRecording* recording, bool contacts);  // NULL: out of memory
void ch_replay_packer_destroy(ChReplayPacker* packer);
// Takes one more row. *full: the block should be closed before the next.
ChStatus ch_replay_packer_add(ChContext* context, ChReplayPacker* packer, long row, bool* full);
// Ends a block, whose bytes the caller frees, and begins the next.
ChStatus ch_replay_packer_close_block(ChContext* context, ChReplayPacker* packer, ChReplayBlock* block);

// Any bytes deflated; the caller frees them.
ChStatus ch_replay_deflate(ChContext* context, const unsigned char* bytes, size_t size, ChReplayBlock* block);

#endif
