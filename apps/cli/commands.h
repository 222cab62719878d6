// The subcommands: one file and one row each, docs/adding_a_command.md.
#ifndef CH_CLI_COMMANDS_H
#define CH_CLI_COMMANDS_H

#include "cli/arguments.h"

// In the order of the help. X(name): ch_command_name.
#define CH_COMMANDS(X) \
  X(run)               \
  X(sweep)             \
  X(solve)             \
  X(analyze)           \
  X(methods)           \
  X(mcp)               \
  X(scene)             \
  X(view)              \
  X(replay)            \
  X(render)            \
  X(export)            \
  X(measure)           \
  X(mesh)              \
  X(reproduce)         \
  X(completion)

#define CH_COMMAND_DECLARE(name) extern const ChCommand ch_command_##name;
CH_COMMANDS(CH_COMMAND_DECLARE)
#undef CH_COMMAND_DECLARE

#endif
