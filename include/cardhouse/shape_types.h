// Every type of shape, one row each. The row makes the enumerator and names the file of src/model/shapes that defines
// everything else about the type: docs/adding_a_shape.md.
#ifndef CARDHOUSE_SHAPE_TYPES_H
#define CARDHOUSE_SHAPE_TYPES_H

#include <stdbool.h>

#include "cardhouse/api.h"
#include "cardhouse/def_field.h"

#ifdef __cplusplus
extern "C" {
#endif

// clang-format off
#define CH_SHAPE_TYPES(X)                                                                                       \
  X(SPHERE, sphere)          /* radius */                                                                       \
  X(BOX, box)                /* half */                                                                         \
  X(CAPSULE, capsule)        /* radius, half_length, along z */                                                 \
  X(CYLINDER, cylinder)      /* radius, half_length, along z */                                                 \
  X(ELLIPSOID, ellipsoid)    /* half */                                                                         \
  X(HALFSPACE, halfspace)    /* solid where normal . x <= offset; on fixed or kinematic bodies */               \
  X(HULL, hull)              /* convex hull of points */                                                        \
  X(MESH, mesh)              /* triangles; outside is where normals point. On a dynamic body it must be closed */ \
  X(DISK, disk)              /* plane: radius */                                                                \
  X(ELLIPSE, ellipse)        /* plane: half.x, half.y */                                                        \
  X(RECTANGLE, rectangle)    /* plane: half.x, half.y ("box" in a plane scene) */                               \
  X(POLYGON, polygon)        /* plane: convex, points counter-clockwise */                                      \
  X(HALFPLANE, halfplane)    /* plane: normal, offset */                                                        \
  X(CHAIN, chain)            /* plane: open polyline, on fixed or kinematic bodies; solid on the right of its   \
                                direction */                                                                    \
  X(SOFT, soft)              /* the skin of a deformable body: only ch_world_add_soft makes it */                \
  X(HEIGHTFIELD, heightfield) /* columns, rows, heights, cell, scale: ground, on fixed or kinematic bodies */   \
  X(SEGMENTS, segments)      /* points, segments, radius, line_density */                                       \
  X(POINTS, points)          /* points, radius, point_mass */                                                   \
  /* add the next type here, so that the others keep their numbers */
// clang-format on

#define CH_SHAPE_ENUMERATOR(NAME, name) CH_SHAPE_##NAME,
typedef enum ChShapeType {
  CH_SHAPE_TYPES(CH_SHAPE_ENUMERATOR)  // CH_SHAPE_SPHERE, CH_SHAPE_BOX, ...
  CH_SHAPE_TYPE_COUNT
} ChShapeType;
#undef CH_SHAPE_ENUMERATOR

// The public properties of a type.
typedef struct ChShapeInfo {
  const char* name;     // name in scenes and the viewer; unique among the types of one dimension
  const char* label;    // name in messages, for example "half-space"
  const char* summary;  // one line
  int dimension;        // dimension of the worlds that have the type: 2 or 3
  bool skin;            // made by ch_world_add_soft, not from a definition
  bool still;           // not on dynamic bodies
  bool endless;         // fills half of the world
  bool ball;            // the shape is a ball, or a disk in the plane, about its origin
  bool drawn_by_name;   // the viewer's page knows the form and needs only numbers; otherwise the page gets the surface
  int field_count;
  const ChDefField*
      fields;  // members of ChShapeDef that the type reads, besides type, material, at, orientation and angle
} ChShapeInfo;

// Returns a type of the table above; it lives as long as the program. NULL if there is no such type.
CH_API const ChShapeInfo* ch_shape_info(ChShapeType type);

// Says whether the type has a field of this kind. False if info is NULL.
CH_API bool ch_shape_reads(const ChShapeInfo* info, ChDefKind kind);

#ifdef __cplusplus
}
#endif
#endif
