// A type of shape as one row: what it is called, what its definition must be, how heavy it is, how far it reaches, how
// it looks. One file a type in this folder. The routines of pairs are in collide/; they ask for properties, not for
// types.
#ifndef CH_MODEL_SHAPES_SHAPE_KIND_H
#define CH_MODEL_SHAPES_SHAPE_KIND_H

#include "model/mesh/distance_field.h"
#include "model/mesh/mesh.h"
#include "model/shapes/mass_properties.h"
#include "model/shapes/shape_ray.h"
#include "model/shapes/surface.h"
#include "model/world_build.h"

// How far a shape reaches to both sides along a direction.
typedef struct ChReach {
  double low, high;
} ChReach;

// A convex shape of space where it is, as the pairs of collide/smooth and collide/skin see it.
typedef struct ChSmooth {
  const ChShape* shape;
  ChMat3 turn;
  ChVec3 at, axis;  // axis: its z
  double size;
} ChSmooth;

// What a convex shape of space is that is no polytope. `support` is NULL for all others.
typedef struct ChRoundKind {
  double (*size)(const ChShape* shape);
  ChVec3 (*support)(const ChSmooth* s, ChVec3 d);               // the point farthest along a unit direction
  ChVec3 (*bend)(const ChSmooth* s, ChVec3 d, ChVec3 v);        // Hessian of its support function at d, applied to v
  bool (*contains)(const ChSmooth* s, ChVec3 x, double slack);  // x in the shape's frame
  ChFieldPoint (*distance)(const ChShape* shape, ChVec3 x);     // signed, and the outward normal; shape's frame
  bool straight;  // its side is straight along z, from - half_length to half_length
  bool capped;    // and ends in flat disks
  bool swept;     // a ball of its radius along a segment, or in a point: `bend` is not asked for
} ChRoundKind;

typedef struct ChShapeKind {
  ChShapeInfo info;
  // Fills radius, half, polytope, mesh, ..., and the bound, from a definition whose fields have been checked. The shape
  // has its body, material and frame already.
  ChStatus (*make)(ChContext* context, ChWorld* world, const ChShapeDef* def, ChShape* shape);
  // In the shape's frame. NULL: it has no mass.
  ChMassProperties (*mass)(const ChShape* shape, double density);
  // Along a unit direction of the shape's frame. NULL: endless, or known only as it deforms.
  ChReach (*reach)(const ChShape* shape, ChVec3 direction);
  // Its surface as polygons, in the shape's frame.
  ChPatches (*surface)(ChArena* arena, const ChShape* shape, const ChSurfaceView* view);
  // Where a ray meets it. NULL: by the distance that `round` has, or not at all.
  ChShapeRayFn* ray;
  ChRoundKind round;
  bool ground;  // it has a height field
  bool net;     // it is made of edges or points
} ChShapeKind;

extern const ChShapeKind* const ch_shape_kinds[CH_SHAPE_TYPE_COUNT];

// The row of a shape.
static inline const ChShapeKind* ch_shape_kind(const ChShape* shape) { return ch_shape_kinds[shape->type]; }

// Its numbers as a definition, which the fields of its type find; `at` and `orientation` in the frame of the centre of
// mass, the normal a unit vector.
ChShapeDef ch_shape_def(const ChShape* shape);

// A polytope that is a box about its origin, given by `half`.
static inline bool ch_shape_is_box(const ChShape* shape) { return shape->polytope && shape->half.z > 0.0; }

// --- fields that several types have ----------------------------------------------------------------------------------

#define CH_SHAPE_FIELD(kind, flags, member, text) \
  { #member, kind, flags, offsetof(ChShapeDef, member), text }
#define CH_SHAPE_RADIUS CH_SHAPE_FIELD(CH_DEF_SIZE, CH_DEF_REQUIRED, radius, "m")
#define CH_SHAPE_HALF_LENGTH \
  CH_SHAPE_FIELD(CH_DEF_SIZE, CH_DEF_REQUIRED, half_length, "half the length of the axis (z), m")
#define CH_SHAPE_HALF CH_SHAPE_FIELD(CH_DEF_SIZES, CH_DEF_REQUIRED, half, "half extents, m")
#define CH_SHAPE_NORMAL CH_SHAPE_FIELD(CH_DEF_NORMAL, 0, normal, "outward direction")
#define CH_SHAPE_OFFSET CH_SHAPE_FIELD(CH_DEF_NUMBER, 0, offset, "solid where normal . x <= offset, m")
#define CH_SHAPE_POINTS(flags) CH_SHAPE_FIELD(CH_DEF_POINTS, flags, points, "corners in the shape's frame, m")
#define CH_SHAPE_TRIANGLES \
  CH_SHAPE_FIELD(CH_DEF_TRIANGLES, 0, triangles, "three indices into points each, counter-clockwise from outside")
#define CH_SHAPE_FILE CH_SHAPE_FIELD(CH_DEF_FILE, 0, file, "OBJ, STL, PLY or glTF, relative to the scene's folder")
#define CH_SHAPE_SCALE CH_SHAPE_FIELD(CH_DEF_SIZE, 0, scale, "factor on the points (1): 0.001 for millimetres")
#define CH_SHAPE_FIELDS(array) .field_count = (int)(sizeof(array) / sizeof *(array)), .fields = (array)

// --- parts that several types are made of: shape_parts.c -------------------------------------------------------------

ChStatus ch_shape_make_halfspace(ChContext* context, ChWorld* world, const ChShapeDef* def, ChShape* shape);

// A polytope or a mesh that was made, or the status of making it.
ChStatus ch_shape_take_polytope(ChStatus status, const ChPolytope* polytope, ChShape* shape);
ChStatus ch_shape_take_mesh(ChStatus status, const ChMesh* mesh, ChShape* shape);

ChReach ch_shape_reach_both(double reach);                        // the same to both sides
ChReach ch_shape_reach_half(const ChShape* shape, ChVec3 d);      // of a box or rectangle
ChReach ch_shape_reach_polytope(const ChShape* shape, ChVec3 d);  // of its vertices
ChReach ch_shape_reach_mesh(const ChShape* shape, ChVec3 d);      // of its box
ChReach ch_box_reach(const ChBox3* box, ChVec3 d);

#endif
