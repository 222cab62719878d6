// Meshes of shapes, made once for all that have the same: what contacts move is made ready for it.
#ifndef CH_MODEL_MESH_SOLID_MESH_H
#define CH_MODEL_MESH_SOLID_MESH_H

#include "model/world.h"

typedef enum ChMeshUse {
  CH_MESH_STANDS,  // contacts do not move it
  CH_MESH_MOVES,   // they do, and its body says what it weighs
  CH_MESH_WEIGHS   // its volume says so: holes that can be healed are
} ChMeshUse;

// The mesh of a definition whose points are known: the world's own if it has the same already, else a new one.
ChStatus ch_world_mesh(ChContext* context, ChWorld* world, const ChShapeDef* def, ChMeshUse use,
                       const struct ChMesh** out);
// What was read from this file before; NULL when nothing was.
const struct ChMesh* ch_world_file_mesh(const ChWorld* world, const char* file, double scale);

#endif
