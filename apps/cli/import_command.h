// `cardhouse scene import`: a robot's file, or any scene with its includes and formulas, as one scene in JSON.
#ifndef CH_CLI_IMPORT_COMMAND_H
#define CH_CLI_IMPORT_COMMAND_H

#include "cli/commands.h"

extern const ChCommand ch_command_scene_import;

// The words after `scene import`.
ChExit ch_scene_import_run(int count, char** words);

#endif
