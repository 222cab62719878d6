// Meshes that contacts move: closed, with a distance field and samples, made once for all bodies of one shape.
#ifndef CH_MODEL_MESH_SOLID_MESH_H
#define CH_MODEL_MESH_SOLID_MESH_H

#include "model/world.h"

// The mesh of a definition whose points are known: the world's own if it has the same already, else a new one. With
// `solid` it is made ready to move. `file` may be NULL.
ChStatus ch_world_mesh(ChContext* context, ChWorld* world, const ChShapeDef* def, bool solid,
                       const struct ChMesh** out);
// What was read from this file before; NULL when nothing was.
const struct ChMesh* ch_world_file_mesh(const ChWorld* world, const char* file);

#endif
