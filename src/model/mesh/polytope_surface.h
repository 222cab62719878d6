// A polytope as a surface of triangles, for pairs of which the other is one.
#ifndef CH_MODEL_MESH_POLYTOPE_SURFACE_H
#define CH_MODEL_MESH_POLYTOPE_SURFACE_H

#include "model/mesh/mesh.h"
#include "model/shapes/polytope.h"

// NULL where a face cannot be cut into triangles.
const ChMesh* ch_polytope_surface(ChArena* arena, const ChPolytope* polytope);

#endif
