// `cardhouse scene check`: what may go wrong with a scene, before it is run.
#ifndef CH_CLI_CHECK_COMMAND_H
#define CH_CLI_CHECK_COMMAND_H

#include "cli/commands.h"

extern const ChCommand ch_command_scene_check;

// The words after `scene check`.
ChExit ch_scene_check_run(int count, char** words);

#endif
