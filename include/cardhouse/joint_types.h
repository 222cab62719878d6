// Every type of joint, one row each. The row makes the enumerator and names the file of src/model/joints that defines
// everything else about the type: docs/adding_a_joint.md.
#ifndef CARDHOUSE_JOINT_TYPES_H
#define CARDHOUSE_JOINT_TYPES_H

#include <stdbool.h>

#include "cardhouse/api.h"
#include "cardhouse/def_field.h"

#ifdef __cplusplus
extern "C" {
#endif

// clang-format off
#define CH_JOINT_TYPES(X)            /* freedoms left, in this order */                                             \
  X(FIXED, fixed)                    /* none */                                                                     \
  X(BALL, ball)                      /* three rotations */                                                          \
  X(HINGE, hinge)                    /* angle about axis */                                                         \
  X(SLIDER, slider)                  /* displacement along axis */                                                  \
  X(CYLINDRICAL, cylindrical)        /* displacement along, angle about axis */                                     \
  X(UNIVERSAL, universal)            /* angle about axis (on a), angle about second_axis (on b) */                  \
  X(PLANAR, planar)                  /* two displacements normal to axis, angle about axis */                       \
  X(DISTANCE, distance)              /* keeps |at - second_at| = length; its coordinate is that distance */         \
  X(POINT_ON_LINE, point_on_line)    /* the point of b at `at` stays on the line of a through `at` along axis:      \
                                        displacement, rotations */                                                  \
  /* add the next type here, so that the others keep their numbers */
// clang-format on

#define CH_JOINT_ENUMERATOR(NAME, name) CH_JOINT_##NAME,
typedef enum ChJointType {
  CH_JOINT_TYPES(CH_JOINT_ENUMERATOR)  // CH_JOINT_FIXED, CH_JOINT_BALL, ...
  CH_JOINT_TYPE_COUNT
} ChJointType;
#undef CH_JOINT_ENUMERATOR

typedef enum ChFreedomUnit {
  CH_FREEDOM_METRE,
  CH_FREEDOM_RADIAN,
} ChFreedomUnit;

// The public properties of a type.
typedef struct ChJointInfo {
  const char* name;          // name in scenes, messages and the viewer
  const char* summary;       // the motion that the type leaves free
  bool plane;                // whether worlds in the plane have it; all types exist in space
  int freedoms;              // number of freedoms with a coordinate; these may have limits, drives and friction
  ChFreedomUnit freedom[3];  // the unit of each
  int field_count;
  const ChDefField* fields;  // members of ChJointDef that the type reads, besides name, type, body and collide
} ChJointInfo;

// Returns a type of the table above; it lives as long as the program. NULL if there is no such type.
CH_API const ChJointInfo* ch_joint_info(ChJointType type);

// Says whether the type reads the member at this offset of ChJointDef: ch_joint_reads(info, offsetof(ChJointDef,
// axis)). False if info is NULL.
CH_API bool ch_joint_reads(const ChJointInfo* info, size_t offset);

#ifdef __cplusplus
}
#endif
#endif
