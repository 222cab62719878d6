// How a feed lies in its file: what its writer and its readers share. docs/feed.md tells it in words.
//
//   0      head: which block is the latest scene, which the latest state, how many steps were told
//   4096   ring: the last CH_FEED_STEPS steps, step k at place k modulo that
//   behind blocks, a scene in one of two places and a state in one of three, so that the latest is never written to
//
// A block has its number at both ends and the head a sum: a reader that meets the writer sees it and looks again.
#ifndef CH_RECORD_FEED_LAYOUT_H
#define CH_RECORD_FEED_LAYOUT_H

#include <stdint.h>

#include "cardhouse/feed.h"

#define CH_FEED_MAGIC 0x3130444545464843u  // "CHFEED01"

enum { CH_FEED_RING = 4096, CH_FEED_SCENES = 2, CH_FEED_STATES = 3 };

typedef struct ChFeedBlock {
  uint64_t number, offset, size;
} ChFeedBlock;

typedef struct ChFeedHead {
  uint64_t magic, over, steps;
  ChFeedBlock scene, state;
  uint64_t sum;
} ChFeedHead;

// Then joints, four texts with their zeros, the number once more.
typedef struct ChFeedSceneHead {
  uint64_t number;
  double h, tolerance;
  uint32_t joints, text, file, method, contact, nothing;
} ChFeedSceneHead;

// Then bodies, amplitudes, contacts, islands, the number once more.
typedef struct ChFeedStateHead {
  uint64_t number, scene;
  double time, h;
  int64_t step;
  uint32_t bodies, modes, contacts, nothing;
} ChFeedStateHead;

// Of all that stands before it; no torn head keeps it.
static inline uint64_t ch_feed_sum(const ChFeedHead* head) {
  const uint64_t words[] = {head->magic,        head->over,         head->steps,
                            head->scene.number, head->scene.offset, head->scene.size,
                            head->state.number, head->state.offset, head->state.size};
  uint64_t sum = 14695981039346656037u;
  for (unsigned k = 0; k < sizeof words / sizeof *words; ++k) sum = (sum ^ words[k]) * 1099511628211u;
  return sum;
}

// Sizes of whole blocks, by what their heads say.
static inline uint64_t ch_feed_scene_size(const ChFeedSceneHead* h) {
  return sizeof *h + (uint64_t)h->joints * sizeof(ChFeedJoint) + h->text + (uint64_t)h->file + h->method + h->contact +
         sizeof h->number;
}

static inline uint64_t ch_feed_state_size(const ChFeedStateHead* h) {
  return sizeof *h + (uint64_t)h->bodies * (sizeof(ChFrame) + sizeof(int32_t)) + (uint64_t)h->modes * sizeof(double) +
         (uint64_t)h->contacts * sizeof(ChFeedContact) + sizeof h->number;
}

#endif
