// The built-in problems from inside: a row each, and what builds it.
#ifndef CH_MCP_MCP_KIND_H
#define CH_MCP_MCP_KIND_H

#include "base/arena.h"
#include "cardhouse/mcp.h"

typedef struct ChMcpKind {
  ChMcpModel model;
  void (*build)(ChArena* arena, const int* values, ChMcp* out);  // values in the order of the keys, in range
} ChMcpKind;

extern const ChMcpKind ch_model_control, ch_model_spatial_price, ch_model_scarf_sum, ch_model_scarf_numeraire,
    ch_model_grasp_sliding, ch_model_grasp_coulomb, ch_model_grasp_pyramid;

// ch_mcp_model_create and ch_mcp_read for a problem that lives as long as the arena.
ChStatus ch_mcp_model_build(ChContext* context, ChArena* arena, const char* words, ChMcp* out);
ChStatus ch_mcp_file_build(ChContext* context, ChArena* arena, const char* path, ChMcp* out);

// Either of them, given a problem that owns its arena.
typedef ChStatus (*ChMcpBuildFn)(ChContext* context, ChArena* arena, const char* words, ChMcp* out);
ChStatus ch_mcp_own(ChContext* context, ChMcpBuildFn build, const char* words, ChMcp** out);

#endif
