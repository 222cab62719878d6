// The reading side of a feed: see cardhouse/feed.h and feed_layout.h. Nothing that the file says is used unchecked.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/feed_layout.h"

enum { TRIES = 16 };  // at a head or a block that is being written

typedef struct Copy {
  unsigned char* bytes;
  size_t room;
} Copy;

struct ChFeedReader {
  int fd;
  char* path;
  ChFeedHead seen;  // scene, state and steps that were handed out
  Copy scene_copy, state_copies[2];
  int shown;  // the copy that `state` looks into; the other one takes the next
  ChFeedScene scene;
  ChFeedState state;
  ChFeedStep steps[CH_FEED_STEPS];
};

static ChStatus wrong(ChContext* context, const ChFeedReader* r, const char* what) {
  return ch_fail(context, CH_ERR_FORMAT, "%s: %s", r->path, what);
}

// False where there is less, or reading fails.
static bool get(const ChFeedReader* r, void* bytes, uint64_t size, uint64_t offset) {
  char* at = bytes;
  while (size > 0) {
    ssize_t done = pread(r->fd, at, size, (off_t)offset);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    offset += (uint64_t)done;
    size -= (uint64_t)done;
  }
  return true;
}

// False where it was being written each time.
static bool get_head(const ChFeedReader* r, ChFeedHead* out) {
  for (int k = 0; k < TRIES; ++k)
    if (get(r, out, sizeof *out, 0) && out->magic == CH_FEED_MAGIC && out->sum == ch_feed_sum(out)) return true;
  return false;
}

// CH_STOPPED where the writer is at it: later, then.
static ChStatus get_block(ChContext* context, const ChFeedReader* r, ChFeedBlock block, size_t least, Copy* copy) {
  struct stat info;
  if (fstat(r->fd, &info) != 0) return wrong(context, r, strerror(errno));
  uint64_t file = (uint64_t)info.st_size;
  if (block.size < least + sizeof block.number || block.size > file || block.offset > file - block.size)
    return wrong(context, r, "a block lies beyond the end of the feed");
  if (block.size > copy->room) {
    free(copy->bytes);
    copy->bytes = malloc(block.size);
    copy->room = copy->bytes ? block.size : 0;
    if (!copy->bytes) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", r->path);
  }
  uint64_t first, last;
  if (!get(r, copy->bytes, block.size, block.offset)) return CH_STOPPED;
  memcpy(&first, copy->bytes, sizeof first);
  memcpy(&last, copy->bytes + block.size - sizeof last, sizeof last);
  return first == block.number && last == block.number ? CH_OK : CH_STOPPED;
}

// --- scenes ----------------------------------------------------------------------------------------------------------

// A text of `size` bytes with its zero; NULL where it is none.
static const char* text_at(const unsigned char** at, uint32_t size) {
  const char* text = (const char*)*at;
  *at += size;
  return size > 0 && memchr(text, 0, size) == text + size - 1 ? text : NULL;
}

static ChStatus take_scene(ChContext* context, ChFeedReader* r, ChFeedBlock block) {
  ChFeedSceneHead head;
  memcpy(&head, r->scene_copy.bytes, sizeof head);
  if (ch_feed_scene_size(&head) != block.size)
    return wrong(context, r, "the size of a scene is not the one that it states");
  const unsigned char* at = r->scene_copy.bytes + sizeof head;
  r->scene = (ChFeedScene){.number = (long)head.number,
                           .h = head.h,
                           .tolerance = head.tolerance,
                           .joint_count = (int)head.joints,
                           .joints = (const ChFeedJoint*)(const void*)at};
  at += head.joints * sizeof(ChFeedJoint);
  r->scene.text = text_at(&at, head.text);
  r->scene.file = text_at(&at, head.file);
  r->scene.method = text_at(&at, head.method);
  r->scene.contact = text_at(&at, head.contact);
  if (!r->scene.text || !r->scene.file || !r->scene.method || !r->scene.contact)
    return wrong(context, r, "a text does not end where it should");
  return CH_OK;
}

// --- states ----------------------------------------------------------------------------------------------------------

static bool are_rows(const ChFeedState* s) {
  for (int b = 0; b < s->body_count; ++b)
    if (s->islands[b] < -1 || s->islands[b] >= s->body_count) return false;
  for (int k = 0; k < s->contact_count; ++k)
    for (int side = 0; side < 2; ++side)
      if (s->contacts[k].body[side] < 0 || s->contacts[k].body[side] >= s->body_count) return false;
  return true;
}

static ChStatus take_state(ChContext* context, ChFeedReader* r, ChFeedBlock block) {
  ChFeedStateHead head;
  const Copy* copy = &r->state_copies[!r->shown];
  memcpy(&head, copy->bytes, sizeof head);
  if (ch_feed_state_size(&head) != block.size)
    return wrong(context, r, "the size of a state is not the one that it states");
  const unsigned char* at = copy->bytes + sizeof head;
  const unsigned char* amplitudes = at + head.bodies * sizeof(ChFrame);
  const unsigned char* contacts = amplitudes + head.modes * sizeof(double);
  const ChFeedState state = {.number = (long)head.number,
                             .scene = (long)head.scene,
                             .time = head.time,
                             .h = head.h,
                             .step = (long)head.step,
                             .body_count = (int)head.bodies,
                             .mode_count = (int)head.modes,
                             .contact_count = (int)head.contacts,
                             .bodies = (const ChFrame*)(const void*)at,
                             .amplitudes = (const double*)(const void*)amplitudes,
                             .contacts = (const ChFeedContact*)(const void*)contacts,
                             .islands = (const int*)(const void*)(contacts + head.contacts * sizeof(ChFeedContact))};
  if (!are_rows(&state)) return wrong(context, r, "a state names a body that does not exist");
  r->state = state;
  r->shown = !r->shown;
  return CH_OK;
}

// --- steps -----------------------------------------------------------------------------------------------------------

// Those since the last look that are still there; how many.
static int get_steps(ChFeedReader* r, const ChFeedHead* head) {
  uint64_t from = r->seen.steps, until = head->steps;
  if (from > until) from = until;
  if (until - from > CH_FEED_STEPS) from = until - CH_FEED_STEPS;
  int count = 0;
  for (uint64_t k = from; k < until;) {
    uint64_t first = k % CH_FEED_STEPS, some = until - k;
    if (first + some > CH_FEED_STEPS) some = CH_FEED_STEPS - first;
    if (!get(r, r->steps + count, some * sizeof *r->steps, CH_FEED_RING + first * sizeof *r->steps)) return 0;
    count += (int)some;
    k += some;
  }
  ChFeedHead after;  // what was overwritten meanwhile is left out
  if (!get_head(r, &after) || after.steps < until) return 0;
  uint64_t kept = after.steps > CH_FEED_STEPS ? after.steps - CH_FEED_STEPS : 0;
  int lost = kept > from ? (int)(kept - from < (uint64_t)count ? kept - from : (uint64_t)count) : 0;
  memmove(r->steps, r->steps + lost, (size_t)(count - lost) * sizeof *r->steps);
  return count - lost;
}

// --- looking ---------------------------------------------------------------------------------------------------------

static ChStatus look(ChContext* context, ChFeedReader* r, const ChFeedHead* head, ChFeedNews* out) {
  ChStatus status = CH_OK;
  if (head->scene.number != r->seen.scene.number) {
    status = get_block(context, r, head->scene, sizeof(ChFeedSceneHead), &r->scene_copy);
    if (status == CH_OK) status = take_scene(context, r, head->scene);
    if (status != CH_OK) return status;
    r->seen.scene = head->scene;
    out->scene = &r->scene;
  }
  if (head->state.number != r->seen.state.number) {
    status = get_block(context, r, head->state, sizeof(ChFeedStateHead), &r->state_copies[!r->shown]);
    if (status == CH_OK) status = take_state(context, r, head->state);
    if (status != CH_OK) return status;
    r->seen.state = head->state;
    out->state = &r->state;
  }
  if (head->steps != r->seen.steps) {
    out->step_count = get_steps(r, head);
    out->steps = out->step_count > 0 ? r->steps : NULL;
    r->seen.steps = head->steps;
  }
  return CH_OK;
}

ChStatus ch_feed_reader_look(ChContext* context, ChFeedReader* r, ChFeedNews* out) {
  *out = (ChFeedNews){0};
  ChFeedHead head;
  ChStatus status = CH_STOPPED;
  for (int k = 0; k < TRIES && status == CH_STOPPED; ++k) {
    if (!get_head(r, &head)) return CH_OK;
    status = look(context, r, &head, out);
  }
  if (status == CH_STOPPED) return CH_OK;  // nothing more this time
  out->over = status == CH_OK && head.over != 0;
  return status;
}

ChStatus ch_feed_reader_open(ChContext* context, const char* path, ChFeedReader** out) {
  *out = NULL;
  ChFeedReader* r = calloc(1, sizeof *r);
  if (!r) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  r->path = strdup(path);
  r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  ChFeedHead head;
  ChStatus status = CH_OK;
  if (!r->path)
    status = ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  else if (r->fd < 0)
    status = ch_fail(context, CH_ERR_FILE, "%s: %s", path, strerror(errno));
  else if (!get_head(r, &head))
    status = wrong(context, r, "not a feed of a simulation");
  if (status == CH_OK)
    *out = r;
  else
    ch_feed_reader_close(r);
  return status;
}

void ch_feed_reader_close(ChFeedReader* r) {
  if (!r) return;
  if (r->fd >= 0) close(r->fd);
  free(r->path);
  free(r->scene_copy.bytes);
  for (int k = 0; k < 2; ++k) free(r->state_copies[k].bytes);
  free(r);
}
