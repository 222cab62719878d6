// Blocks of frames: see replay_block.h, and replay_file.h for their layout.
#include "serve/replay_block.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "cardhouse/soft.h"
#include "serve/scene_message.h"

enum { FRAMES_MOST = 64, WORDS_MOST = 1 << 18, BODY_WORDS = 7, CONTACT_WORDS = 17 };
static const double POSITION_SHARE = 0x1p-21;  // of the scene's size

// Words of a block so far; those of the last frame, as they were before the exclusive or, lie in `last`.
typedef struct Words {
  uint32_t *all, *last;
  size_t count, room, last_count, last_room;
} Words;

struct ChReplayPacker {
  ChRecording* recording;
  bool contacts;
  float grid;        // metres
  float* mode_grid;  // of every amplitude: the one that moves no point by more than about `grid`
  int frames;
  double times[FRAMES_MOST];
  uint32_t steps[FRAMES_MOST], counts[FRAMES_MOST];
  Words body, contact;
};

// --- rounding --------------------------------------------------------------------------------------------------------

static uint32_t rounded_to_grid(uint32_t word, float grid) {
  float value;
  memcpy(&value, &word, sizeof value);
  value = roundf(value / grid) * grid + 0.0f;  // no negative zero
  memcpy(&word, &value, sizeof value);
  return word;
}

// Twelve significant bits; the carry into the exponent is what rounding up to a power of two takes.
static uint32_t rounded_to_bits(uint32_t word) { return (word + 0x800u) & ~0xfffu; }

static void round_bodies(uint32_t* words, const ChFrameHead* head, const ChReplayPacker* packer) {
  unsigned poses = BODY_WORDS * head->bodies;
  for (unsigned k = 0; k < poses; ++k)
    words[k] = rounded_to_grid(words[k], k % BODY_WORDS < 3 ? packer->grid : 0x1p-21f);
  for (unsigned a = 0; a < head->modes; ++a) words[poses + a] = rounded_to_grid(words[poses + a], packer->mode_grid[a]);
}

static void round_contacts(uint32_t* words, int contacts, float grid) {
  for (int k = 0; k < CONTACT_WORDS * contacts; ++k) {
    int place = k % CONTACT_WORDS;
    if (place < 3)
      words[k] = rounded_to_grid(words[k], grid);
    else if (place < 14)
      words[k] = rounded_to_bits(words[k]);
  }
}

// --- packing ---------------------------------------------------------------------------------------------------------

static float grid_of(const ChRecording* recording) {
  ChViewBounds bounds = ch_world_bounds(ch_recording_world(recording));
  double size = ch_norm(ch_sub(bounds.high, bounds.low));
  return (float)(exp2(ceil(log2(size > 0.0 && isfinite(size) ? size : 1.0))) * POSITION_SHARE);
}

static double largest_entry(const ChSoftView* soft, int mode) {
  double largest = 0.0;
  for (long k = 0; k < 3L * soft->skin->vertex_count; ++k)
    largest = fmax(largest, fabs(soft->skin->shape[k * soft->modes + mode]));
  return largest;
}

static bool take_mode_grids(ChReplayPacker* packer) {
  const ChWorld* world = ch_recording_world(packer->recording);
  packer->mode_grid = malloc(((size_t)ch_world_mode_count(world) + 1) * sizeof *packer->mode_grid);
  for (int b = 0; b < ch_world_body_count(world) && packer->mode_grid; ++b) {
    ChSoftView soft;
    bool bends = ch_world_soft(world, b, &soft);
    for (int a = 0; bends && a < soft.modes; ++a) {
      double most = largest_entry(&soft, a);
      packer->mode_grid[soft.first_mode + a] =
          (float)exp2(floor(log2(packer->grid / (most > 0.0 && isfinite(most) ? most : 1.0))));
    }
  }
  return packer->mode_grid != NULL;
}

ChReplayPacker* ch_replay_packer_create(ChRecording* recording, bool contacts) {
  ChReplayPacker* packer = calloc(1, sizeof *packer);
  if (!packer) return NULL;
  packer->recording = recording;
  packer->contacts = contacts;
  packer->grid = grid_of(recording);
  if (take_mode_grids(packer)) return packer;
  ch_replay_packer_destroy(packer);
  return NULL;
}

static void clear(Words* words) {
  free(words->all);
  free(words->last);
  *words = (Words){0};
}

void ch_replay_packer_destroy(ChReplayPacker* packer) {
  if (!packer) return;
  clear(&packer->body);
  clear(&packer->contact);
  free(packer->mode_grid);
  free(packer);
}

static bool grow(uint32_t** array, size_t* room, size_t needed) {
  if (needed <= *room) return true;
  uint32_t* larger = realloc(*array, 2 * needed * sizeof **array);
  if (!larger) return false;
  *array = larger;
  *room = 2 * needed;
  return true;
}

// Where the words of the next frame go; NULL when out of memory.
static uint32_t* append(Words* words, size_t count) {
  if (!grow(&words->all, &words->room, words->count + count + 1) || !grow(&words->last, &words->last_room, count + 1))
    return NULL;
  return words->all + words->count;
}

static void combine(Words* words, size_t count) {
  uint32_t* now = words->all + words->count;
  for (size_t k = 0; k < count; ++k) {
    uint32_t own = now[k];
    if (k < words->last_count) now[k] ^= words->last[k];
    words->last[k] = own;
  }
  words->count += count;
  words->last_count = count;
}

ChStatus ch_replay_packer_add(ChContext* context, ChReplayPacker* packer, long row, bool* full) {
  ChFrameHead head = {0};
  const unsigned char* bytes;
  size_t size;
  ChStatus status = ch_recording_frame(context, packer->recording, row, &head, &bytes, &size);
  if (status != CH_OK) return status;
  if (!packer->contacts) head.contacts = 0;
  size_t bodies = (size_t)head.bodies * (BODY_WORDS + 1) + head.modes, contacts = (size_t)head.contacts * CONTACT_WORDS;
  uint32_t *body = append(&packer->body, bodies), *contact = append(&packer->contact, contacts);
  if (!body || !contact) return ch_fail(context, CH_ERR_MEMORY, "out of memory for a block of frames");
  memcpy(body, bytes, bodies * sizeof *body);
  memcpy(contact, bytes + bodies * sizeof *body, contacts * sizeof *contact);
  round_bodies(body, &head, packer);
  round_contacts(contact, (int)head.contacts, packer->grid);
  combine(&packer->body, bodies);
  combine(&packer->contact, contacts);
  packer->times[packer->frames] = head.time;
  packer->steps[packer->frames] = (uint32_t)head.step;
  packer->counts[packer->frames] = head.contacts;
  ++packer->frames;
  *full = packer->frames == FRAMES_MOST || packer->body.count + packer->contact.count >= WORDS_MOST;
  return CH_OK;
}

ChStatus ch_replay_deflate(ChContext* context, const unsigned char* bytes, size_t size, ChReplayBlock* block) {
  *block = (ChReplayBlock){.size = size};
  uLongf packed = compressBound(size);
  block->packed = malloc(packed);
  if (block->packed && compress2(block->packed, &packed, bytes, size, Z_BEST_COMPRESSION) == Z_OK) {
    block->packed_size = packed;
    return CH_OK;
  }
  free(block->packed);
  block->packed = NULL;
  return ch_fail(context, CH_ERR_MEMORY, "out of memory for a block of frames");
}

// Four planes, `stride` bytes apart.
static void put_planes(unsigned char* planes, size_t stride, size_t first, const uint32_t* words, size_t count) {
  for (size_t plane = 0; plane < 4; ++plane)
    for (size_t k = 0; k < count; ++k) planes[plane * stride + first + k] = (unsigned char)(words[k] >> (8 * plane));
}

ChStatus ch_replay_packer_close_block(ChContext* context, ChReplayPacker* packer, ChReplayBlock* block) {
  size_t n = (size_t)packer->frames, words = packer->body.count + packer->contact.count;
  size_t head = n * (sizeof *packer->times + sizeof *packer->steps + sizeof *packer->counts);
  *block = (ChReplayBlock){0};
  unsigned char* bytes = malloc(head + 4 * words + 1);
  if (!bytes) return ch_fail(context, CH_ERR_MEMORY, "out of memory for a block of frames");
  memcpy(bytes, packer->times, n * sizeof *packer->times);
  memcpy(bytes + n * 8, packer->steps, n * sizeof *packer->steps);
  memcpy(bytes + n * 12, packer->counts, n * sizeof *packer->counts);
  put_planes(bytes + head, words, 0, packer->body.all, packer->body.count);
  put_planes(bytes + head, words, packer->body.count, packer->contact.all, packer->contact.count);
  ChStatus status = ch_replay_deflate(context, bytes, head + 4 * words, block);
  free(bytes);
  block->frames = packer->frames;
  block->from = packer->times[0];
  packer->frames = 0;
  packer->body.count = packer->contact.count = packer->body.last_count = packer->contact.last_count = 0;
  return status;
}
