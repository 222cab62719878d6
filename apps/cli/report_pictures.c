// Pictures of a report: see report_pictures.h.
#include "cli/report_pictures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/signals.h"
#include "reproduce/findings.h"
#include "reproduce/page.h"
#ifdef CH_VIEWER
#include "cardhouse/disk.h"
#include "serve/picture.h"

enum { PATH_SIZE = 4096, WIDTH = 960, HEIGHT = 600 };

typedef struct Job {
  ChContext context;
  ChBrowser* browser;  // started for the first picture
  const char* folder;
} Job;

static ChStatus draw(Job* job, ChRecording* recording, double time, const char* path) {
  double last = ch_recording_time(recording, ch_recording_rows(recording) - 1);
  ChReplayOptions options = ch_replay_options_default();
  options.from = options.to = time < last ? time : last;
  bool plane = ch_world_dimension(ch_recording_world(recording)) == 2;
  ChPictureView view = {.view = plane ? "front" : "iso"};
  char page[CH_PICTURE_PAGE] = "";
  unsigned char* bytes = NULL;
  size_t size = 0;
  ChStatus status = job->browser ? CH_OK : ch_browser_start(&job->context, WIDTH, HEIGHT, ch_stop_asked, &job->browser);
  if (status == CH_OK) status = ch_picture_open(&job->context, job->browser, recording, &options, &view, page);
  if (status == CH_OK) status = ch_picture_draw(&job->context, job->browser, options.from, false, &bytes, &size);
  if (status == CH_OK) status = ch_whole_file_write(&job->context, path, bytes, size);
  if (page[0]) unlink(page);
  free(bytes);
  return status;
}

static ChStatus draw_figure(Job* job, const char* item, const json_t* figure, const char* path) {
  char trajectory[PATH_SIZE];
  snprintf(trajectory, sizeof trajectory, "%s/items/%s/%s", job->folder, item, ch_text_of(figure, "trajectory"));
  ChRecording* recording = NULL;
  ChStatus status = ch_recording_open(&job->context, trajectory, &recording);
  if (status == CH_OK) status = draw(job, recording, json_number_value(json_object_get(figure, "time")), path);
  ch_recording_close(recording);
  return status;
}

// False when no further picture can be drawn.
static bool draw_item(Job* job, const json_t* result, char* lack, size_t size) {
  const json_t* figures = json_object_get(json_object_get(result, "report"), "figures");
  const char* item = ch_text_of(result, "name");
  for (size_t k = 0; k < json_array_size(figures) && !ch_stop_asked(); ++k) {
    const json_t* figure = json_array_get(figures, k);
    char path[PATH_SIZE];
    ch_picture_path(job->folder, item, (int)k, path, sizeof path);
    if (strcmp(ch_text_of(figure, "type"), "picture") != 0 || access(path, R_OK) == 0) continue;
    ChStatus status = draw_figure(job, item, figure, path);
    if (status == CH_OK) continue;
    snprintf(lack, size, "%s", job->context.message[0] ? job->context.message : ch_status_text(status));
    if (!job->browser) return false;
  }
  return !ch_stop_asked();
}

void ch_report_pictures_draw(const char* folder, int count, json_t* const* results, bool progress, char* lack,
                             size_t size) {
  Job job = {.folder = folder};
  lack[0] = '\0';
  for (int k = 0; k < count; ++k) {
    if (progress) fprintf(stderr, "\r\033[Kpictures of %s", ch_text_of(results[k], "name"));
    if (!draw_item(&job, results[k], lack, size)) break;
  }
  if (progress) fputs("\r\033[K", stderr);
  ch_browser_stop(job.browser);
}

#else

void ch_report_pictures_draw(const char* folder, int count, json_t* const* results, bool progress, char* lack,
                             size_t size) {
  (void)folder, (void)count, (void)results, (void)progress;
  snprintf(lack, size, "this program was built without the viewer, which needs libwebsockets and zlib");
}

#endif
