// The comparison of Coulomb's law with the pyramid law over many grasps (003, section 4.2).
#ifndef CH_CLI_GRASP_TABLE_H
#define CH_CLI_GRASP_TABLE_H

#include "cardhouse/mcp.h"
#include "cli/arguments.h"

// Solves the three problems of seeds 1 .. seeds and prints what 003 reports of its own 200.
ChExit ch_grasp_table(const ChCommand* command, const ChMcpOptions* options, int seeds, bool json);

#endif
