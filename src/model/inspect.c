// What a caller may ask of a world's bodies and joints.
#include <string.h>

#include "cardhouse/body.h"
#include "cardhouse/joint.h"
#include "model/ids.h"

int ch_world_dimension(const ChWorld* world) { return world->dimension; }
int ch_world_body_count(const ChWorld* world) { return world->body_count; }
int ch_world_joint_count(const ChWorld* world) { return world->joint_count; }
int ch_world_force_count(const ChWorld* world) { return world->force_count; }

const char* ch_world_body_name(const ChWorld* world, ChBodyId body) {
  int row = ch_world_body_row(world, body);
  return row >= 0 ? world->bodies[row].name : NULL;
}

ChBodyInfo ch_world_body_info(const ChWorld* world, ChBodyId body) {
  ChBodyInfo info = {0};
  int row = ch_world_body_row(world, body);
  if (row < 0) return info;
  const ChBody* b = &world->bodies[row];
  info.name = b->name;
  info.kind = b->kind;
  info.locks = b->locks;
  info.soft = b->soft != NULL;
  if (b->kind != CH_BODY_DYNAMIC) return info;
  info.mass = b->mass;
  info.centre = ch_neg(b->origin);
  const double(*j)[3] = b->inertia.m;
  const double inertia[6] = {j[0][0], j[1][1], j[2][2], j[0][1], j[0][2], j[1][2]};
  memcpy(info.inertia, inertia, sizeof inertia);
  return info;
}

const char* ch_world_joint_name(const ChWorld* world, ChJointId joint) {
  int row = ch_world_joint_row(world, joint);
  return row >= 0 ? world->joints[row].name : NULL;
}

ChJointId ch_world_find_joint(const ChWorld* world, const char* name) {
  for (int j = 0; name && j < world->joint_count; ++j)
    if (strcmp(world->joints[j].name, name) == 0) return ch_joint_id_of(world, j);
  return (ChJointId){0};
}

ChForceId ch_world_find_force(const ChWorld* world, const char* name) {
  for (int f = 0; name && f < world->force_count; ++f)
    if (strcmp(world->forces[f].def.name, name) == 0) return ch_force_id_of(world, f);
  return (ChForceId){0};
}

ChFrame ch_world_joint_frame(const ChWorld* world, ChJointId id, int side) {
  int row = ch_world_joint_row(world, id);
  return row < 0 || side < 0 || side > 1 ? (ChFrame){.orientation = ch_quat_identity()}
                                         : world->joints[row].frame[side];
}

ChStatus ch_world_joint_def(ChContext* context, const ChWorld* world, ChJointId id, ChJointDef* out) {
  int row;
  ChStatus status = ch_joint_find(context, world, id, "definition", &row);
  if (status != CH_OK) return status;
  const ChJoint* joint = &world->joints[row];
  *out = ch_joint_def_default();
  out->name = joint->name;
  out->type = joint->type;
  ChFrame frame[2];
  for (int k = 0; k < 2; ++k) {
    out->body[k] = ch_body_id_of(world, joint->body[k]);
    frame[k] = ch_frame_compose(ch_state_frame(world->states, joint->body[k]), joint->frame[k]);
  }
  out->at = frame[0].at;
  out->second_at = frame[1].at;
  out->axis = ch_rotate(frame[0].orientation, ch_axis(2));
  out->second_axis = ch_rotate(frame[1].orientation, ch_axis(0));
  out->length = joint->length;
  out->collide = joint->collide;
  memcpy(out->axes, joint->axes, sizeof out->axes);
  return CH_OK;
}
