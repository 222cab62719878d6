// Bodies and joints by their rows, as trajectories, contacts and pages count them.
#ifndef CH_COMMON_BY_ROW_H
#define CH_COMMON_BY_ROW_H

#include "cardhouse/body.h"
#include "cardhouse/joint.h"

// Whether forces move it; the ground (-1) and rows that are not there do not.
static inline bool ch_row_moves(const ChWorld* world, int row) {
  ChBodyInfo info = ch_world_body_info(world, ch_world_body_at(world, row));
  return info.name && info.kind == CH_BODY_DYNAMIC;
}

static inline const char* ch_row_name(const ChWorld* world, int row) {
  return ch_world_body_name(world, ch_world_body_at(world, row));
}

// Its definition: bodies, and where it was at the start.
static inline ChJointDef ch_row_joint(const ChWorld* world, int row) {
  ChContext context = {0};
  ChJointDef def = {0};
  ch_world_joint_def(&context, world, ch_world_joint_at(world, row), &def);
  return def;
}

#endif
