// The built-in problems, by name and parameters: "control:dimension=700,family=2". See docs/mcp.md.
#ifndef CH_MCP_MODELS_H
#define CH_MCP_MODELS_H

#include "mcp/mcp.h"

enum { CH_MCP_KEYS = 2 };

typedef struct ChMcpKey {
  const char* name;  // NULL: no more
  int start, lowest, highest;
  const char* text;
} ChMcpKey;

typedef struct ChMcpModel {
  const char* name;
  const char* summary;
  ChMcpKey keys[CH_MCP_KEYS];
  void (*build)(ChArena* arena, const int* values, ChMcp* out);  // values in the order of the keys, in range
} ChMcpModel;

int ch_mcp_model_count(void);
const ChMcpModel* ch_mcp_model_at(int k);

// Builds what `words` says. CH_ERR_ARGUMENT when the name or a key is not known, CH_ERR_RANGE for a value.
ChStatus ch_mcp_model_build(ChContext* context, ChArena* arena, const char* words, ChMcp* out);

// Reads an affine problem in the JSON form of docs/mcp.md.
ChStatus ch_mcp_read(ChContext* context, ChArena* arena, const char* path, ChMcp* out);

extern const ChMcpModel ch_model_control, ch_model_spatial_price, ch_model_scarf_sum, ch_model_scarf_numeraire,
    ch_model_grasp_sliding, ch_model_grasp_coulomb, ch_model_grasp_pyramid;

#endif
