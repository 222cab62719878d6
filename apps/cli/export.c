// `cardhouse export`: a recorded run for other programs: glTF, USD, sequences of OBJ and PLY, a table of states.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/option_choices.h"
#include "cli/output.h"
#include "cli/signals.h"
#include "export/formats.h"

#define EXPORT_OPTIONS(X)                                                                                       \
  X(TEXT, gltf, NULL, "FILE", 0, 0, "glTF 2.0, text (.gltf) or binary (.glb): Blender, browsers, game engines") \
  X(TEXT, usd, NULL, "FILE.usda", 0, 0, "USD as text")                                                          \
  X(TEXT, obj, NULL, "DIR", 0, 0, "a Wavefront OBJ file each frame")                                            \
  X(TEXT, ply, NULL, "DIR", 0, 0, "a binary PLY file for each frame; each face names its body")                 \
  X(TEXT, csv, NULL, "FILE.csv", 0, 0, "a table: time, body, position, orientation, velocity, spin")            \
  X(REAL, from, 0.0, "T", 0.0, 1e12, "start of the exported part, seconds (0)")                                 \
  X(REAL, to, HUGE_VAL, "T", 0.0, 1e12, "end of the exported part, seconds (the end of the run)")               \
  X(REAL, fps, 0.0, "F", 1e-6, 1e9, "largest number of frames per simulated second (60; every row for --csv)")  \
  X(FLAG, quiet, false, NULL, 0, 0, "no text")

typedef struct Arguments {
  EXPORT_OPTIONS(CH_ARG_MEMBER)
} Arguments;

static const ChArgRow rows[] = {EXPORT_OPTIONS(CH_ARG_ROW)};

static const double FRAMES_A_SECOND = 60.0;

typedef struct Target {
  const char* path;
  double rate;
  ChStatus (*write)(ChContext* context, const ChExport* motion, const char* path);
} Target;

static ChStatus write_target(ChContext* context, const char* run, const Arguments* a, const Target* target,
                             long* frames) {
  const ChExportChoice choice = {.from = a->from, .to = a->to, .rate = a->fps > 0.0 ? a->fps : target->rate};
  ChExport motion;
  ChStatus status = ch_export_open(context, run, &choice, &motion);
  if (status != CH_OK) return status;
  *frames = motion.frame_count;
  status = target->write(context, &motion, target->path);
  ch_export_close(&motion);
  return status;
}

static ChExit export_run(const ChCommand* self, int count, char** words) {
  Arguments a = {EXPORT_OPTIONS(CH_ARG_DEFAULT)};
  const char* run = NULL;
  ChParsed parsed = ch_arguments_parse(self, count, words, &a, &run);
  if (parsed != CH_PARSED_RUN) return parsed == CH_PARSED_HELP ? CH_EXIT_DONE : CH_EXIT_USAGE;
  const Target targets[] = {{a.gltf, FRAMES_A_SECOND, ch_export_gltf},
                            {a.usd, FRAMES_A_SECOND, ch_export_usd},
                            {a.obj, FRAMES_A_SECOND, ch_export_obj},
                            {a.ply, FRAMES_A_SECOND, ch_export_ply},
                            {a.csv, 0.0, ch_export_csv}};
  ChContext context = {0};
  int written = 0;
  ch_signals_end();
  for (size_t k = 0; k < sizeof targets / sizeof *targets; ++k) {
    if (!targets[k].path) continue;
    long frames = 0;
    ChStatus status = write_target(&context, run, &a, &targets[k], &frames);
    if (status != CH_OK) return ch_failure_exit(self, &context, status);
    if (!a.quiet) ch_complain(self, "%s: %ld frame%s", targets[k].path, frames, frames == 1 ? "" : "s");
    ++written;
  }
  if (written > 0) return CH_EXIT_DONE;
  ch_complain(self, "needs a format: --gltf FILE, --usd FILE, --obj DIR, --ply DIR or --csv FILE");
  return CH_EXIT_USAGE;
}

const ChCommand ch_command_export = {
    .name = "export",
    .summary = "writes a recorded run for other programs: glTF, USD, OBJ, PLY, CSV",
    .operand = "RUN.h5",
    .examples =
        "  cardhouse run cards --mu 0.2 --until 2 --every 10 --out run.h5\n"
        "  cardhouse export run.h5 --gltf cards.glb\n"
        "  cardhouse export run.h5 --usd cards.usda --from 0.5 --to 1 --fps 24\n"
        "  cardhouse export run.h5 --ply frames --csv states.csv\n",
    .row_count = sizeof rows / sizeof *rows,
    .rows = rows,
    .run = export_run,
};
