// The subcommands: one file each.
#ifndef CH_CLI_COMMANDS_H
#define CH_CLI_COMMANDS_H

#include "cli/arguments.h"

extern const ChCommand ch_command_run;
extern const ChCommand ch_command_solve;
extern const ChCommand ch_command_analyze;
extern const ChCommand ch_command_methods;
extern const ChCommand ch_command_mcp;
extern const ChCommand ch_command_reproduce;
extern const ChCommand ch_command_scene;
extern const ChCommand ch_command_view;
extern const ChCommand ch_command_replay;
extern const ChCommand ch_command_render;
extern const ChCommand ch_command_measure;
extern const ChCommand ch_command_mesh;

#endif
