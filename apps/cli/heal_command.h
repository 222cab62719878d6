// `cardhouse scene heal`: a scene whose bodies overlap at the start, with its bodies moved apart.
#ifndef CH_CLI_HEAL_COMMAND_H
#define CH_CLI_HEAL_COMMAND_H

#include "cli/commands.h"

extern const ChCommand ch_command_scene_heal;

ChExit ch_scene_heal_run(int count, char** words);

#endif
