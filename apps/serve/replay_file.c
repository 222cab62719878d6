// Replay files: see replay_file.h.
#include "serve/replay_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/disk.h"
#include "cardhouse/text.h"
#include "common/json.h"
#include "serve/messages.h"
#include "serve/replay_block.h"
#include "serve/scene_message.h"

enum { VERSION = 2, STATS_MOST = 2048, TRIES_MOST = 6 };
static const double RATE_GOOD = 15.0;  // below so many frames a second contacts are left out rather than more frames
static const char MARK[] = "<!-- RECORDING -->";

ChReplayOptions ch_replay_options_default(void) {
  return (ChReplayOptions){.to = HUGE_VAL, .rate = 60.0, .size_limit = 32e6, .contacts = true};
}

// Everything that the file holds beside the page.
typedef struct Contents {
  ChReplayBlock stats, *blocks;
  int block_count, block_room;
  long frames;
  size_t bytes;
} Contents;

static void clear(Contents* c) {
  free(c->stats.packed);
  for (int k = 0; k < c->block_count; ++k) free(c->blocks[k].packed);
  free(c->blocks);
  *c = (Contents){0};
}

// --- frames ----------------------------------------------------------------------------------------------------------

static ChStatus take_block(ChContext* context, ChReplayPacker* packer, Contents* c) {
  if (c->block_count == c->block_room) {
    int room = 2 * c->block_room + 16;
    ChReplayBlock* larger = realloc(c->blocks, (size_t)room * sizeof *larger);
    if (!larger) return ch_fail(context, CH_ERR_MEMORY, "out of memory for the recording");
    c->blocks = larger;
    c->block_room = room;
  }
  ChReplayBlock* block = &c->blocks[c->block_count];
  ChStatus status = ch_replay_packer_close_block(context, packer, block);
  if (status != CH_OK) return status;
  ++c->block_count;
  c->bytes += ch_base64_length(block->packed_size);
  return CH_OK;
}

// Packs rows first ... last, at most `rate` a second, the first and the last always. Stops where `limit` is passed.
static ChStatus pack(ChContext* context, ChRecording* recording, const long range[2], double rate, bool contacts,
                     double limit, Contents* c) {
  ChReplayPacker* packer = ch_replay_packer_create(recording, contacts);
  if (!packer) return ch_fail(context, CH_ERR_MEMORY, "out of memory for the recording");
  ChStatus status = CH_OK;
  double start = ch_recording_time(recording, range[0]);
  bool full = false, open = false;
  double due = 0.0;  // in frames
  for (long row = range[0]; row <= range[1] && status == CH_OK && (double)c->bytes <= limit; ++row) {
    double at = (ch_recording_time(recording, row) - start) * rate + 1e-6;
    if (at < due && row < range[1]) continue;
    due = floor(at) + 1.0;
    status = ch_replay_packer_add(context, packer, row, &full);
    open = true;
    ++c->frames;
    if (status == CH_OK && full) {
      status = take_block(context, packer, c);
      open = false;
    }
  }
  if (status == CH_OK && open) status = take_block(context, packer, c);
  ch_replay_packer_destroy(packer);
  return status;
}

// From the part that was packed before the limit was passed.
static double rate_that_fits(const ChRecording* recording, const long range[2], double rate, double limit,
                             const Contents* c) {
  double start = ch_recording_time(recording, range[0]), length = ch_recording_time(recording, range[1]) - start;
  double shown = c->blocks[c->block_count - 1].from - start, rows = (double)(range[1] - range[0]);
  if (!(length > 0.0)) return 0.0;
  double whole = (double)c->bytes * (shown > 0.0 ? length / shown : rows / (double)c->frames);
  return fmin(rate, rows / length) * limit / whole;
}

// Fewer frames until all fit; before the motion would jerk, the contacts go.
static ChStatus pack_within_limit(ChContext* context, ChRecording* recording, const ChReplayOptions* o,
                                  const long range[2], Contents* c, ChReplayInfo* info) {
  double rate = o->rate, reserve = 1.0;
  info->contacts = o->contacts;
  for (int k = 0; k < TRIES_MOST; ++k) {
    bool last = k + 1 == TRIES_MOST;
    ChStatus status = pack(context, recording, range, rate, info->contacts, last ? HUGE_VAL : o->size_limit, c);
    if (status != CH_OK || last || (double)c->bytes <= o->size_limit) return status;
    rate = rate_that_fits(recording, range, rate, o->size_limit / reserve, c);
    reserve = 1.2;
    info->thinned = !(rate < RATE_GOOD && info->contacts);
    if (!info->thinned) {
      info->contacts = false;
      rate = o->rate;
    }
    ChReplayBlock stats = c->stats;
    c->stats = (ChReplayBlock){0};
    clear(c);
    c->stats = stats;
  }
  return CH_OK;
}

// --- charts ----------------------------------------------------------------------------------------------------------

static ChStatus pack_stats(ChContext* context, const ChRecording* recording, const long range[2], Contents* c,
                           long* count) {
  long rows = range[1] - range[0] + 1, every = (rows + STATS_MOST - 1) / STATS_MOST;
  *count = (rows + every - 1) / every;
  unsigned char* bytes = malloc((size_t)*count * CH_FRAME_STAT_SIZE);
  if (!bytes) return ch_fail(context, CH_ERR_MEMORY, "out of memory for the recording");
  unsigned char* at = bytes;
  for (long row = range[0]; row <= range[1]; row += every) {
    ChFrameStat stat = ch_recording_stat(recording, row);
    for (long k = row + 1; k < row + every && k <= range[1]; ++k) {
      ChFrameStat next = ch_recording_stat(recording, k);
      stat = ch_frame_stat_worse(stat, next);
    }
    at = ch_frame_put_stat(at, &stat);
  }
  ChStatus status = ch_replay_deflate(context, bytes, (size_t)*count * CH_FRAME_STAT_SIZE, &c->stats);
  free(bytes);
  return status;
}

// --- the file --------------------------------------------------------------------------------------------------------

static json_t* describe(const ChRecording* recording, const Contents* c, const ChReplayInfo* info, long stats) {
  json_t* blocks = json_array();
  for (int k = 0; k < c->block_count; ++k)
    json_array_append_new(blocks, json_pack("{s:o, s:i, s:I}", "from", ch_json_real(c->blocks[k].from), "frames",
                                            c->blocks[k].frames, "size", (json_int_t)c->blocks[k].size));
  return json_pack("{s:i, s:o, s:o, s:I, s:I, s:b, s:I, s:o}", "version", VERSION, "hello", ch_message_hello("replay"),
                   "scene", ch_recording_scene(recording, 1), "rows", (json_int_t)info->rows, "frames",
                   (json_int_t)info->frames, "contacts", info->contacts, "stats", (json_int_t)stats, "blocks", blocks);
}

static void put_block(FILE* out, const char* name, const ChReplayBlock* block) {
  fprintf(out, "<script type=\"text/plain\" data-recording=\"%s\">", name);
  ch_base64_write(out, block->packed, block->packed_size);
  fputs("</script>\n", out);
}

static ChStatus put_all(ChContext* context, const char* page, size_t page_size, const char* head, const Contents* c,
                        FILE* out) {
  const char* mark = memmem(page, page_size, MARK, sizeof MARK - 1);
  if (!mark) return ch_fail(context, CH_ERR_FORMAT, "the viewer's page has no place for a recording");
  const char* rest = mark + sizeof MARK - 1;
  errno = 0;
  fwrite(page, 1, (size_t)(mark - page), out);
  fprintf(out, "<script type=\"application/json\" data-recording=\"head\">%s</script>\n", head);
  put_block(out, "stats", &c->stats);
  char name[32];
  for (int k = 0; k < c->block_count; ++k) {
    snprintf(name, sizeof name, "%d", k);
    put_block(out, name, &c->blocks[k]);
  }
  fwrite(rest, 1, page_size - (size_t)(rest - page), out);
  if (fflush(out) == 0 && !ferror(out)) return CH_OK;
  return ch_fail(context, ch_file_status(errno ? errno : EIO), "the replay could not be written: %s",
                 strerror(errno ? errno : EIO));
}

static ChStatus choose_range(ChContext* context, const ChRecording* recording, const ChReplayOptions* o,
                             long range[2]) {
  long last = ch_recording_rows(recording) - 1;
  double first = ch_recording_time(recording, 0), end = ch_recording_time(recording, last);
  if (!(o->from <= o->to && o->from <= end && o->to >= first))
    return ch_fail(context, CH_ERR_RANGE, "from %g s to %g s: the recording goes from %g s to %g s", o->from, o->to,
                   first, end);
  range[0] = ch_recording_row_at(recording, o->from);
  range[1] = ch_recording_row_at(recording, o->to);
  return CH_OK;
}

ChStatus ch_replay_write(ChContext* context, ChRecording* recording, const ChReplayOptions* o, const char* page,
                         size_t page_size, FILE* out, ChReplayInfo* info) {
  *info = (ChReplayInfo){0};
  long range[2] = {0, 0}, stats;
  ChStatus status = choose_range(context, recording, o, range);
  if (status != CH_OK) return status;
  Contents c = {0};
  status = pack_stats(context, recording, range, &c, &stats);
  if (status == CH_OK) status = pack_within_limit(context, recording, o, range, &c, info);
  info->rows = range[1] - range[0] + 1;
  info->frames = c.frames;
  info->bytes = c.bytes;
  if (status == CH_OK) {
    json_t* head = describe(recording, &c, info, stats);
    char* text = head ? ch_json_harmless(head, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(head);
    status = text ? put_all(context, page, page_size, text, &c, out)
                  : ch_fail(context, CH_ERR_MEMORY, "out of memory for the recording");
    free(text);
  }
  clear(&c);
  return status;
}
