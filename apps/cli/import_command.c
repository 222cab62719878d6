// See import_command.h. What the reader took over in another way, or not at all, goes to standard error.
#include "cli/import_command.h"

#include <stdio.h>
#include <string.h>

#include "cli/output.h"
#include "cli/progress.h"
#include "cli/scene_choice.h"
#include "cli/scene_open.h"
#include "cli/signals.h"
#include "common/printable.h"

#define IMPORT_OPTIONS(X)                                                                       \
  X(TEXT, out, NULL, "FILE.json", 0, 0, "file for the scene instead of standard output; or -o") \
  X(LIST, param, {0}, "NAME=VALUE", 0, 0, "for a robot: base=free, mesh=exact, self=pass, coupled=free, floor=HEIGHT")

typedef struct Arguments {
  IMPORT_OPTIONS(CH_ARG_MEMBER)
} Arguments;

static const ChArgRow rows[] = {IMPORT_OPTIONS(CH_ARG_ROW)};

const ChCommand ch_command_scene_import = {
    .name = "scene import",
    .summary = "writes a robot's file (URDF, MJCF) as a scene in JSON, and names the parts of it that are not read",
    .operand = "FILE",
    .examples =
        "  cardhouse scene import robot.urdf -o robot.json\n"
        "  cardhouse scene import robot.urdf --param base=free --param floor=0 > robot.json\n",
    .row_count = sizeof rows / sizeof *rows,
    .rows = rows,
};

static ChExit write_scene(const char* out, const ChScene* scene) {
  FILE* file = out ? fopen(out, "wb") : stdout;
  bool good = file && fputs(scene->text, file) >= 0;
  if (file && out) good = fclose(file) == 0 && good;
  if (!good) ch_complain(&ch_command_scene_import, "%s cannot be written", out ? CH_SHOWN(out) : "the scene");
  return good ? CH_EXIT_DONE : CH_EXIT_FAULT;
}

static void tell(const ChScene* scene) {
  for (const char* line = scene->notes; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
    ch_complain(&ch_command_scene_import, "%.*s", (int)strcspn(line, "\n"), line);
}

ChExit ch_scene_import_run(int count, char** words) {
  Arguments arguments = {IMPORT_OPTIONS(CH_ARG_DEFAULT)};
  const char* name = NULL;
  static char out[] = "--out";
  for (int k = 0; k < count; ++k)
    if (strcmp(words[k], "-o") == 0) words[k] = out;
  ChParsed parsed = ch_arguments_parse(&ch_command_scene_import, count, words, &arguments, &name);
  if (parsed != CH_PARSED_RUN) return parsed == CH_PARSED_HELP ? CH_EXIT_DONE : CH_EXIT_USAGE;
  ChContext context = {0};
  ChSceneParameters parameters;
  const ChStrayOptions none = {0};
  ch_notices_show(&ch_command_scene_import, &context, true);
  ch_signals_end();
  if (!ch_scene_choice_read(&ch_command_scene_import, name, NULL, &arguments.param, &none, &parameters))
    return CH_EXIT_USAGE;
  ChScene* scene;
  ChStatus status = ch_scene_open_telling(&ch_command_scene_import, &context, name, &parameters.choice, &scene);
  if (status != CH_OK) return ch_failure_exit(&ch_command_scene_import, &context, status);
  tell(scene);
  ChExit exit = write_scene(arguments.out, scene);
  ch_scene_destroy(scene);
  return exit;
}
