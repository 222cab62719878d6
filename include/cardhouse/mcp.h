// Mixed complementarity problems that are built in, or come from JSON files: docs/mcp.md. complementarity.h solves
// them.
#ifndef CARDHOUSE_MCP_H
#define CARDHOUSE_MCP_H

#include "cardhouse/api.h"
#include "cardhouse/complementarity.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CH_MCP_KEYS = 2 };

// A number that a built-in problem accepts.
typedef struct ChMcpKey {
  const char* name;  // NULL: end of the list
  int start, lowest, highest;
  const char* text;
} ChMcpKey;

typedef struct ChMcpModel {
  const char* name;
  const char* summary;
  ChMcpKey keys[CH_MCP_KEYS];
} ChMcpModel;

// Returns how many problems are built in.
CH_API int ch_mcp_model_count(void);

// Returns a built-in problem, which lives as long as the program. NULL if k is out of range.
CH_API const ChMcpModel* ch_mcp_model_at(int k);

// Makes the problem that `words` names: a name, or name:key=value,key=value, for example
// "control:dimension=700,family=2". CH_ERR_ARGUMENT if the name or a key is not known, CH_ERR_RANGE for a value. The
// caller owns *out.
CH_API ChStatus ch_mcp_model_create(ChContext* context, const char* words, ChMcp** out);

// Reads an affine problem in the JSON form of docs/mcp.md; errors name the file and the place. The caller owns *out.
CH_API ChStatus ch_mcp_read(ChContext* context, const char* path, ChMcp** out);

// --- grasps: Coulomb's law and the pyramid law compared --------------------------------------------------------------

enum { CH_GRASP_CONTACTS = 2 };
enum { CH_GRASP_SLIDING, CH_GRASP_COULOMB, CH_GRASP_PYRAMID, CH_GRASP_FORMS, CH_GRASP_CLASSES = 14 };

// The results of one form. Work is summed over the solved tests.
typedef struct ChGraspColumn {
  int solved, first;  // tests solved with restarts, and from the first starting point alone
  double it_box, fe, it_qua, mvp, seconds, fastest, slowest;
  int histogram[CH_GRASP_CLASSES];  // tests by floor(-log10 objective); the last class holds all smaller objectives
  int slides[CH_GRASP_CONTACTS], opposed[CH_GRASP_CONTACTS], opposed_sliding[CH_GRASP_CONTACTS],
      outside[CH_GRASP_CONTACTS];
} ChGraspColumn;

typedef struct ChGraspStudy {
  int seeds;
  ChGraspColumn column[CH_GRASP_FORMS];
  int both, agree[CH_GRASP_CONTACTS];  // tests solved in both rolling forms; those with the same transition
} ChGraspStudy;

// Solves the three problems of one more seed and adds the results to a study, which begins with all zeros. Fails only
// if memory runs out: a problem that is not solved is counted as such.
CH_API ChStatus ch_grasp_study_add(ChContext* context, int seed, const ChMcpOptions* options, ChGraspStudy* study);

#ifdef __cplusplus
}
#endif
#endif
