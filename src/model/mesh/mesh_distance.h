// Signed distance of a point to a triangle surface, exactly.
//
//   |d| = the distance of the nearest point of all triangles, found through the tree of boxes;
//   d > 0 where (x - p) . n > 0, n the normal of the face, edge or corner on which that point p lies: a face's own, the
//   sum of both faces' at an edge, the sum weighted by angles at a corner (Baerentzen, Aanaes 2005).
//
// For a closed surface that does not cross itself the sign is exact. An open one has an outside near itself only.
#ifndef CH_MODEL_MESH_MESH_DISTANCE_H
#define CH_MODEL_MESH_MESH_DISTANCE_H

#include "model/mesh/mesh.h"

typedef struct ChMeshFoot {
  double distance;  // signed
  ChVec3 normal;    // unit, outward: the gradient of the distance
  int cell;         // a triangle that holds the foot
} ChMeshFoot;

// False when no point of the surface is within `within`.
bool ch_mesh_foot(const ChMesh* mesh, ChVec3 point, double within, ChMeshFoot* out);

#endif
