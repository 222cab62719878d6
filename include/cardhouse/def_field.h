// A table of the fields that a type of joint or shape reads from its definition.
//
// The engine checks definitions by these rows. The reader of scenes and the writer of their schema use the same rows.
#ifndef CARDHOUSE_DEF_FIELD_H
#define CARDHOUSE_DEF_FIELD_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ChDefKind {
  CH_DEF_NUMBER,        // double, finite
  CH_DEF_SIZE,          // double, > 0; if it is not required, 0 means that it was left out
  CH_DEF_CELLS,         // int, 4 to 256; 0 means that it was left out
  CH_DEF_FLAG,          // bool
  CH_DEF_FILE,          // const char*: a path; in a scene it is relative to the scene's folder
  CH_DEF_VECTOR,        // ChVec3, finite; two coordinates in the plane
  CH_DEF_SIZES,         // ChVec3, every coordinate > 0; two coordinates in the plane
  CH_DEF_DIRECTION,     // ChVec3, not zero; its length is not read
  CH_DEF_NORMAL,        // ChVec3, not zero; `offset` is measured in its length
  CH_DEF_POINTS,        // ChShapeDef: point_count and points
  CH_DEF_TRIANGLES,     // ChShapeDef: triangle_count and triangles
  CH_DEF_MESH,          // scenes only: the name of a mesh that shapes share, instead of points and triangles
  CH_DEF_MESH_CONTACT,  // ChMeshContact: "exact" or "sampled"
  CH_DEF_HEIGHTS,       // ChShapeDef: columns, rows and heights
  CH_DEF_SEGMENTS,      // ChShapeDef: segment_count and segments
  CH_DEF_FREEDOMS,      // ChJointAxis[3]: limits, friction and drive of each freedom
} ChDefKind;

enum { CH_DEF_REQUIRED = 1, CH_DEF_PLANE = 2, CH_DEF_SPACE = 4 };  // the last two: only in the plane, only in space

typedef struct ChDefField {
  const char* key;  // in a scene
  ChDefKind kind;
  unsigned flags;    // CH_DEF_REQUIRED, CH_DEF_PLANE, CH_DEF_SPACE
  size_t offset;     // offset of the member in ChJointDef or ChShapeDef
  const char* text;  // meaning, with its unit
} ChDefField;

#ifdef __cplusplus
}
#endif
#endif
