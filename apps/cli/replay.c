// `cardhouse replay`: a recorded run as one html file that any browser opens from disk.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cardhouse/disk.h"
#include "cli/camera_words.h"
#include "cli/commands.h"
#include "cli/option_choices.h"
#include "cli/output.h"
#include "cli/scene_choice.h"
#ifdef CH_VIEWER
#include "cli/recorded.h"
#include "serve/replay_file.h"
#include "serve/viewer_page.h"
#endif

#define REPLAY_OPTIONS(X)                                                                            \
  X(TEXT, out, NULL, "FILE.html", 0, 0, "file instead of standard output")                           \
  X(REAL, from, 0.0, "T", 0.0, 1e12, "start of the part to keep, seconds (0)")                       \
  X(REAL, to, HUGE_VAL, "T", 0.0, 1e12, "end of the part to keep, seconds (the end of the run)")     \
  X(REAL, fps, 60.0, "F", 1e-3, 1e6, "largest number of frames per simulated second (60)")           \
  X(REAL, size_limit, 32.0, "MB", 0.1, 1e4,                                                          \
    "largest size of the recording; frames, then contacts, are left out to keep to it (32)")         \
  X(FLAG, no_contacts, false, NULL, 0, 0, "leaves the contacts out")                                 \
  CH_CAMERA_ROWS(X)                                                                                  \
  X(REAL, until, -1.0, "T", 0.0, 1e12, "for a scene: simulated time to run, seconds")                \
  X(TEXT, contact, NULL, "LAW", 0, 0, "for a scene: rigid or compliant contact (as the scene says)") \
  CH_PARAM_ROW(X)                                                                                    \
  X(FLAG, quiet, false, NULL, 0, 0, "no text on standard error")

typedef struct Arguments {
  REPLAY_OPTIONS(CH_ARG_MEMBER)
} Arguments;

static const ChArgRow rows[] = {REPLAY_OPTIONS(CH_ARG_ROW)};

#ifdef CH_VIEWER

static void report(const ChCommand* self, const Arguments* a, const ChReplayInfo* info) {
  if (a->quiet) return;
  ch_complain(self, "%ld of %ld recorded rows, %.2f MB%s", info->frames, info->rows, 1e-6 * (double)info->bytes,
              info->contacts ? "" : ", without contacts");
  bool bare = !info->contacts && !a->no_contacts;
  if (info->thinned || bare)
    ch_complain(self, "to stay within %g MB, %s left out: --size-limit allows more; --from and --to choose a part",
                a->size_limit,
                !info->thinned ? "the contacts were"
                : bare         ? "contacts and some frames were"
                               : "some frames were");
}

static ChExit write_replay(const ChCommand* self, const Arguments* a, ChRecording* recording) {
  ChReplayOptions options = {
      .from = a->from, .to = a->to, .rate = a->fps, .size_limit = 1e6 * a->size_limit, .contacts = !a->no_contacts};
  FILE* out = a->out ? fopen(a->out, "wb") : stdout;
  if (!out) {
    ch_complain(self, "%s: %s", a->out, strerror(errno));
    return CH_EXIT_USAGE;
  }
  ChContext context = {0};
  ChReplayInfo info;
  ChStatus status = ch_replay_write(&context, recording, &options, (const char*)ch_page_begin,
                                    (size_t)(ch_page_end - ch_page_begin), out, &info);
  if (a->out && fclose(out) != 0 && status == CH_OK)
    status = ch_fail(&context, ch_file_status(errno), "%s: cannot be written: %s", a->out, strerror(errno));
  if (status == CH_ERR_FILE) {
    ch_complain(self, "%s", context.message);
    return CH_EXIT_FAULT;
  }
  if (status != CH_OK) return ch_failure_exit(self, &context, status);
  report(self, a, &info);
  return CH_EXIT_DONE;
}

static ChExit replay_named(const ChCommand* self, const Arguments* a, const char* name, const ChSceneChoice* choice) {
  json_t* camera;
  if (!ch_place_check(self, "out", a->out)) return CH_EXIT_USAGE;
  if (!a->out && isatty(STDOUT_FILENO)) {
    ch_complain(self, "standard output is a terminal: add `> replay.html` or --out replay.html");
    return CH_EXIT_USAGE;
  }
  if (!ch_camera_read(self, &(ChCameraWords)CH_CAMERA_WORDS(a), &camera)) return CH_EXIT_USAGE;
  ChRecorded recorded;
  ChRecordedRun run = {.until = a->until, .rate = a->fps, .choice = choice};
  ChExit status = ch_recorded_open(self, name, &run, &recorded);
  ChContext context = {0};
  if (status == CH_EXIT_DONE && camera && ch_recording_point_camera(&context, recorded.recording, camera) != CH_OK) {
    ch_complain(self, "%s", context.message);
    status = CH_EXIT_USAGE;
  }
  json_decref(camera);
  if (status == CH_EXIT_DONE) status = write_replay(self, a, recorded.recording);
  ch_recorded_close(&recorded);
  return status;
}

#endif

static ChExit replay_run(const ChCommand* self, int count, char** words) {
  Arguments arguments = {REPLAY_OPTIONS(CH_ARG_DEFAULT)};
  const char* name = NULL;
  ChStrayOptions strays = {0};
  ChSceneParameters parameters;
  ChParsed parsed = ch_arguments_parse_with_strays(self, count, words, &arguments, &name, &strays);
  if (parsed != CH_PARSED_RUN) return parsed == CH_PARSED_HELP ? CH_EXIT_DONE : CH_EXIT_USAGE;
  if (!ch_scene_choice_read(self, name, arguments.contact, &arguments.param, &strays, &parameters))
    return CH_EXIT_USAGE;
#ifdef CH_VIEWER
  return replay_named(self, &arguments, name, &parameters.choice);
#else
  return ch_viewer_missing(self);
#endif
}

const ChCommand ch_command_replay = {
    .name = "replay",
    .summary =
        "writes a recorded run, or a scene, which it runs first, as one html file that any browser opens from disk",
    .operand = "RUN.h5|SCENE",
    .examples =
        "  cardhouse run cards --until 5 --every 10 --out run.h5 && cardhouse replay run.h5 > replay.html\n"
        "  cardhouse replay run.h5 --from 2 --to 3 --fps 500 --out slow.html\n"
        "  cardhouse replay cards --levels 3 --until 2 > cards.html\n",
    .row_count = sizeof rows / sizeof *rows,
    .rows = rows,
    .run = replay_run,
};
