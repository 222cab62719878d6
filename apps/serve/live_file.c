// The scene's file, loaded again when it has changed: whoever edits it sees what comes of it.
#include <string.h>
#include <sys/stat.h>

#include "cardhouse/clock.h"
#include "cardhouse/scene.h"
#include "serve/live_state.h"

static const double LOOK_SECONDS = 0.5;  // from look to look

static ChFileMark mark_of(const struct stat* info) {
  return (ChFileMark){info->st_mtim.tv_sec, info->st_mtim.tv_nsec, info->st_size, info->st_ino};
}

static bool same(const ChFileMark* a, const ChFileMark* b) {
  return a->seconds == b->seconds && a->nanoseconds == b->nanoseconds && a->size == b->size && a->node == b->node;
}

// A built-in has no file, and a pipe can be read once. Files that the scene includes are not looked at.
static bool has_file(const ChLive* live) {
  return strcmp(live->scene.word, live->first) == 0 && !live->first_text && ch_scene_builtin_find(live->first) < 0;
}

static void load_again(ChLive* live) {
  ChContext context = {0};
  ChLiveScene scene;
  ChStatus status = ch_live_scene_open(&context, live, live->first, 0, NULL, &scene);
  if (status == CH_OK) {
    status = ch_live_start(&context, live, &scene, live->pane_count > 1 ? live->pane_count : 0, live->methods);
    if (status != CH_OK) ch_live_scene_clear(&scene);
  }
  if (status != CH_OK) ch_live_tell_error(live, 0, context.message);
}

// It is read once it stays as it is from one look to the next: an editor may be in the middle of writing.
void ch_live_look_at_file(ChLive* live) {
  double now = ch_clock_seconds();
  if (now - live->looked_at < LOOK_SECONDS || !has_file(live)) return;
  live->looked_at = now;
  struct stat info;
  if (stat(live->first, &info) != 0 || !S_ISREG(info.st_mode)) return;
  ChFileMark mark = mark_of(&info);
  bool first = live->file_read.node == 0, steady = same(&mark, &live->file_seen);
  live->file_seen = mark;
  if (first) live->file_read = mark;
  if (first || !steady || same(&mark, &live->file_read)) return;
  live->file_read = mark;
  load_again(live);
}
