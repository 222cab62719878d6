// `cardhouse render`: pictures and films of a recorded run, without a display. The replay file is opened in a Chromium
// without a window, which draws it moment by moment; ffmpeg makes films of its pictures.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/camera_words.h"
#include "cli/commands.h"
#include "cli/option_choices.h"
#include "cli/output.h"
#include "cli/scene_choice.h"
#ifdef CH_VIEWER
#include "cardhouse/disk.h"
#include "cli/recorded.h"
#include "cli/signals.h"
#include "serve/film.h"
#include "serve/picture.h"
#endif

enum { SIZE_LEAST = 64, SIZE_MOST = 8192 };

#define RENDER_OPTIONS(X)                                                                                          \
  X(TEXT, png, NULL, "FILE.png", 0, 0, "writes a picture")                                                         \
  X(REAL, time, HUGE_VAL, "T", 0.0, 1e12, "moment of the picture, seconds (the end)")                              \
  X(TEXT, mp4, NULL, "FILE.mp4", 0, 0, "writes a film")                                                            \
  X(REAL, fps, 30.0, "F", 1.0, 240.0, "pictures a second of film (30)")                                            \
  X(REAL, speed, 1.0, "X", 1e-6, 1e6, "seconds of the run per second of film (1)")                                 \
  X(REAL, from, 0.0, "T", 0.0, 1e12, "start of the film, seconds of the run (0)")                                  \
  X(REAL, to, HUGE_VAL, "T", 0.0, 1e12, "end of the film, seconds of the run (the end)")                           \
  X(TEXT, size, "1280x720", "WxH", 0, 0, "pixels (1280x720)")                                                      \
  X(TEXT, view, NULL, "iso|front|top", 0, 0, "direction of the camera (as the scene says, or iso)")                \
  CH_CAMERA_ROWS(X)                                                                                                \
  X(TEXT, colour, NULL, "QUANTITY", 0, 0,                                                                          \
    "colours bodies by body, material, island, speed, energy, force, age, displacement, strain or stress (as the " \
    "scene says, "                                                                                                 \
    "or "                                                                                                          \
    "body)")                                                                                                       \
  X(FLAG, contacts, false, NULL, 0, 0, "draws contact points and forces")                                          \
  X(FLAG, fine, false, NULL, 0, 0, "draws soft shadows and ambient occlusion; takes longer")                       \
  X(FLAG, chains, false, NULL, 0, 0, "draws chains of force and makes bodies transparent")                         \
  X(FLAG, dark, false, NULL, 0, 0, "draws on a dark background")                                                   \
  X(FLAG, plain, false, NULL, 0, 0, "draws the scene alone, without certificate, scales and legend")               \
  X(REAL, until, -1.0, "T", 0.0, 1e12, "for a scene: simulated time to run, seconds")                              \
  X(TEXT, contact, NULL, "LAW", 0, 0, "for a scene: rigid or compliant contact (as the scene says)")               \
  CH_PARAM_ROW(X)                                                                                                  \
  X(FLAG, quiet, false, NULL, 0, 0, "no text and no progress")

typedef struct Arguments {
  RENDER_OPTIONS(CH_ARG_MEMBER)
} Arguments;

static const ChArgRow rows[] = {RENDER_OPTIONS(CH_ARG_ROW)};

#ifdef CH_VIEWER

typedef struct Job {
  Arguments arguments;
  int width, height;
  ChContext context;
  ChRecorded recorded;
  char page[CH_PICTURE_PAGE];  // the replay file
  json_t* camera;              // of the command line, or NULL
  ChBrowser* browser;
  ChFilm* film;
} Job;

// --- words -----------------------------------------------------------------------------------------------------------

static bool read_size(const ChCommand* self, Job* job) {
  char more;
  const char* word = job->arguments.size;
  bool read = sscanf(word, "%dx%d%c", &job->width, &job->height, &more) == 2;
  if (read && job->width >= SIZE_LEAST && job->width <= SIZE_MOST && job->height >= SIZE_LEAST &&
      job->height <= SIZE_MOST)
    return true;
  ch_complain(self, "--size is '%s', must be two numbers of %d ... %d separated by an x: 1280x720", word, SIZE_LEAST,
              SIZE_MOST);
  return false;
}

// Of a scene it is known before it is run.
static bool check_until(const ChCommand* self, const Arguments* a) {
  if (!(a->png && a->time < HUGE_VAL && a->until >= 0.0 && a->time > a->until)) return true;
  ch_complain(self, "--time %g: the run ends at --until, %g s", a->time, a->until);
  return false;
}

static bool check_words(const ChCommand* self, Job* job) {
  static const char* const views[] = {"iso", "front", "top"};
  static const char* const colours[] = {"body",  "material", "island",       "speed",  "energy",
                                        "force", "age",      "displacement", "strain", "stress"};
  const int colour_count = sizeof colours / sizeof *colours;
  const Arguments* a = &job->arguments;
  if (!a->png == !a->mp4) {
    ch_complain(self, "needs either --png FILE or --mp4 FILE");
    return false;
  }
  return check_until(self, a) && read_size(self, job) && (!a->view || ch_word_check(self, "view", a->view, 3, views)) &&
         (!a->colour || ch_word_check(self, "colour", a->colour, colour_count, colours)) &&
         ch_camera_read(self, &(ChCameraWords)CH_CAMERA_WORDS(a), &job->camera) &&
         ch_place_check(self, "png", a->png) && ch_place_check(self, "mp4", a->mp4);
}

// A moment that was recorded; the last row stands for all until the next one would have come.
static bool check_moment(const ChCommand* self, const Job* job) {
  const Arguments* a = &job->arguments;
  const ChRecording* r = job->recorded.recording;
  long count = ch_recording_rows(r);
  double first = ch_recording_time(r, 0), last = ch_recording_time(r, count - 1);
  double apart = count > 1 ? last - ch_recording_time(r, count - 2) : 0.0, asked = a->png ? a->time : a->from;
  bool run_here = job->recorded.folder[0] != '\0';  // as far as was asked
  if (run_here || asked == HUGE_VAL || asked <= last + apart) return true;
  ch_complain(self, "--%s %g: the recording goes from %g s to %g s", a->png ? "time" : "from", asked, first, last);
  return false;
}

// --- the page --------------------------------------------------------------------------------------------------------

static ChStatus open_page(Job* job) {
  const Arguments* a = &job->arguments;
  ChReplayOptions options = ch_replay_options_default();
  double last = ch_recording_time(job->recorded.recording, ch_recording_rows(job->recorded.recording) - 1);
  options.from = a->png ? fmin(a->time, last) : a->from;
  options.to = a->png ? options.from : a->to;
  options.rate = 2.0 * a->fps / a->speed;
  bool loads = a->colour && (strcmp(a->colour, "force") == 0 || strcmp(a->colour, "age") == 0);
  options.contacts = a->contacts || a->chains || loads || ch_recording_shows_contacts(job->recorded.recording);
  options.size_limit = 256e6;
  ChPictureView view = {.view = a->view,
                        .colour = a->colour,
                        .contacts = a->contacts,
                        .chains = a->chains,
                        .fine = a->fine,
                        .dark = a->dark,
                        .caption = !a->plain};
  ChStatus status =
      job->camera ? ch_recording_point_camera(&job->context, job->recorded.recording, job->camera) : CH_OK;
  if (status != CH_OK) return status;
  status = ch_browser_start(&job->context, job->width, job->height, ch_stop_asked, &job->browser);
  if (status != CH_OK) return status;
  return ch_picture_open(&job->context, job->browser, job->recorded.recording, &options, &view, job->page);
}

// --- picture and film ------------------------------------------------------------------------------------------------

static ChStatus make_picture(Job* job) {
  unsigned char* bytes;
  size_t size;
  ChStatus status = ch_picture_draw(&job->context, job->browser, fmin(job->arguments.time, 1e12), false, &bytes, &size);
  if (status != CH_OK) return status;
  status = ch_whole_file_write(&job->context, job->arguments.png, bytes, size);
  free(bytes);
  return status;
}

static void tell_progress(const Job* job, long done, long all) {
  if (job->arguments.quiet || !isatty(STDERR_FILENO)) return;
  if (done < all)
    fprintf(stderr, "\rpicture %ld of %ld", done, all);
  else
    fputs("\r\033[K", stderr);
}

static ChStatus make_film(Job* job) {
  const Arguments* a = &job->arguments;
  double end = fmin(a->to, ch_recording_time(job->recorded.recording, ch_recording_rows(job->recorded.recording) - 1));
  long count = (long)floor((end - a->from) / a->speed * a->fps + 1e-6) + 1;
  ChStatus status = CH_OK;
  for (long k = 0; k < count && status == CH_OK && !ch_stop_asked(); ++k) {
    unsigned char* bytes = NULL;
    size_t size = 0;
    status = ch_picture_draw(&job->context, job->browser, a->from + (double)k * a->speed / a->fps, true, &bytes, &size);
    if (status == CH_OK) status = ch_film_add(&job->context, job->film, bytes, size);
    free(bytes);
    tell_progress(job, k + 1, count);
  }
  if (status == CH_OK && ch_stop_asked()) status = ch_fail(&job->context, CH_ERR_FILE, "interrupted: no film was made");
  return status;
}

static ChStatus render(Job* job) {
  const Arguments* a = &job->arguments;
  ChStatus status = a->mp4 ? ch_film_start(&job->context, a->mp4, a->fps, &job->film) : CH_OK;
  if (status == CH_OK) status = open_page(job);
  if (status == CH_OK) status = a->png ? make_picture(job) : make_film(job);
  ChContext closing = {0};
  ChStatus closed = ch_film_close(&closing, job->film, status == CH_OK);
  if (status == CH_OK && closed != CH_OK) job->context = closing, status = closed;
  return status;
}

static ChExit render_named(const ChCommand* self, Job* job, const char* name, const ChSceneChoice* choice) {
  const Arguments* a = &job->arguments;
  double until = a->until >= 0.0 ? a->until : a->png && a->time < HUGE_VAL ? a->time : a->to < HUGE_VAL ? a->to : -1.0;
  ChRecordedRun run = {.until = until, .rate = a->png ? 100.0 : a->fps / a->speed, .choice = choice};
  ChExit result = ch_recorded_open(self, name, &run, &job->recorded);
  if (result == CH_EXIT_DONE && !check_moment(self, job)) result = CH_EXIT_USAGE;
  if (result == CH_EXIT_DONE) {
    ChStatus status = render(job);
    ch_browser_stop(job->browser);
    if (job->page[0]) unlink(job->page);
    if (status != CH_OK) result = ch_failure_exit(self, &job->context, status);
    if (status == CH_ERR_UNSUPPORTED || status == CH_ERR_FILE || status == CH_ERR_DEVICE) result = CH_EXIT_FAULT;
  }
  ch_recorded_close(&job->recorded);
  json_decref(job->camera);
  return result;
}

#endif

static ChExit render_run(const ChCommand* self, int count, char** words) {
  Arguments arguments = {RENDER_OPTIONS(CH_ARG_DEFAULT)};
  const char* name = NULL;
  ChStrayOptions strays = {0};
  ChSceneParameters parameters;
  ChParsed parsed = ch_arguments_parse_with_strays(self, count, words, &arguments, &name, &strays);
  if (parsed != CH_PARSED_RUN) return parsed == CH_PARSED_HELP ? CH_EXIT_DONE : CH_EXIT_USAGE;
  if (!ch_scene_choice_read(self, name, arguments.contact, &arguments.param, &strays, &parameters))
    return CH_EXIT_USAGE;
#ifdef CH_VIEWER
  Job job = {.arguments = arguments};
  return check_words(self, &job) ? render_named(self, &job, name, &parameters.choice) : CH_EXIT_USAGE;
#else
  return ch_viewer_missing(self);
#endif
}

const ChCommand ch_command_render = {
    .name = "render",
    .summary = "makes pictures (PNG) and films (MP4) of a recorded run, or of a scene, which it runs first",
    .operand = "RUN.h5|SCENE",
    .examples =
        "  cardhouse render run.h5 --png house.png --time 2.5\n"
        "  cardhouse render run.h5 --mp4 house.mp4 --fps 30 --size 1920x1080 --contacts\n"
        "  cardhouse render cards --levels 3 --until 1 --png cards.png --view front\n",
    .row_count = sizeof rows / sizeof *rows,
    .rows = rows,
    .run = render_run,
};
