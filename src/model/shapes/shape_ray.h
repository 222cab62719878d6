// Where a ray first meets a shape.
#ifndef CH_MODEL_SHAPES_SHAPE_RAY_H
#define CH_MODEL_SHAPES_SHAPE_RAY_H

#include "model/world.h"

typedef struct ChRay {
  ChVec3 from, along;  // along: unit
  double reach;        // metres; may be infinite
} ChRay;

// In the frame of the ray.
typedef struct ChRayTouch {
  double distance;  // 0 where the ray starts inside
  ChVec3 normal;    // unit, against the ray
} ChRayTouch;

// Where a ray meets a shape, both in the shape's frame: the `ray` of a shape's row. false: it misses it.
typedef bool ChShapeRayFn(const ChRay* ray, const ChShape* shape, ChRayTouch* out);
ChShapeRayFn ch_shape_ray_ball, ch_shape_ray_capsule, ch_shape_ray_cylinder, ch_shape_ray_ellipsoid,
    ch_shape_ray_ellipse, ch_shape_ray_polytope, ch_shape_ray_halfspace, ch_shape_ray_mesh;

// A rigid shape in its place; false where the ray misses it. Surfaces (meshes, chains) are met from either side.
bool ch_ray_meet(const ChRay* ray, const ChShape* shape, ChFrame place, ChRayTouch* out);

// A surface of triangles, corners in the frame of the ray; `vertex` gives corner `v`.
typedef ChVec3 ChRayVertexFn(const void* surface, int v);
bool ch_ray_meet_triangles(const ChRay* ray, int count, const int* triangles, ChRayVertexFn* vertex,
                           const void* surface, ChRayTouch* out);

#endif
