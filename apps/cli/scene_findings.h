// What is conspicuous about a scene at its start.
#ifndef CH_CLI_SCENE_FINDINGS_H
#define CH_CLI_SCENE_FINDINGS_H

#include "cardhouse/scene.h"
#include "cardhouse/shape.h"

enum { CH_FINDING_SIZE = 320, CH_FINDINGS_MAX = 64 };

typedef struct ChSceneFinding {
  const char* kind;  // "empty", "gravity", "step", "overlap", "mesh", "thin", "scale", "fall" or "robot"
  char text[CH_FINDING_SIZE];
} ChSceneFinding;

typedef struct ChSceneFindings {
  double margin, fall;  // metres: what takes part in contacts; what a body falls from rest in a step
  ChOverlap* overlaps;
  int overlap_count, deepest;  // deepest: index, -1: none
  ChClearance* clearances;     // nearer than the margin, or than a tenth of the largest body
  int clearance_count;
  int finding_count, more;  // more: findings for which there was no room
  ChSceneFinding findings[CH_FINDINGS_MAX];
} ChSceneFindings;

// Of a scene that was read; the caller calls ch_scene_findings_free whatever comes back.
ChStatus ch_scene_findings(ChContext* context, const ChScene* scene, ChSceneFindings* out);
// What shows at once, for a run of these steps that ends then: sizes, gravity, steps, and what falls out of sight. No
// overlaps, no clearances; nothing has to be freed.
void ch_scene_warnings(const ChScene* scene, double h, double until, ChSceneFindings* out);
void ch_scene_findings_free(ChSceneFindings* findings);

#endif
