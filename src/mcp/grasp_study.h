// The comparison of Coulomb's law with the pyramid law over many grasps (003, section 4.2): work, quality, agreement.
#ifndef CH_MCP_GRASP_STUDY_H
#define CH_MCP_GRASP_STUDY_H

#include "mcp/grasp.h"

enum { CH_GRASP_SLIDING, CH_GRASP_COULOMB, CH_GRASP_PYRAMID, CH_GRASP_FORMS, CH_GRASP_CLASSES = 14 };

// Of one form. Work is summed over the solved tests.
typedef struct ChGraspColumn {
  int solved, first;  // within the restarts, from the first start alone
  double it_box, fe, it_qua, mvp, seconds, fastest, slowest;
  int histogram[CH_GRASP_CLASSES];  // of floor(-log10 objective), the last class holds all smaller ones
  int slides[CH_GRASP_CONTACTS], opposed[CH_GRASP_CONTACTS], opposed_sliding[CH_GRASP_CONTACTS],
      outside[CH_GRASP_CONTACTS];
} ChGraspColumn;

typedef struct ChGraspStudy {
  int seeds;
  ChGraspColumn column[CH_GRASP_FORMS];
  int both, agree[CH_GRASP_CONTACTS];  // tests solved in both rolling forms; same transition
} ChGraspStudy;

// Solves the three problems of one more seed. The study begins with all zeros.
void ch_grasp_study_add(ChArena* arena, int seed, const ChMcpOptions* options, ChGraspStudy* study);

#endif
