// From a mesh and a material to what deformable bodies share: see soft.h.
#ifndef CH_MODEL_SOFT_SOFT_BUILD_H
#define CH_MODEL_SOFT_SOFT_BUILD_H

#include "base/arena.h"
#include "model/soft/soft.h"
#include "model/soft/soft_mesh.h"
#include "model/tet/tet_mesh.h"

// `what` opens messages. The mesh has passed ch_tet_mesh_check. Of the definition, mesh and material are not read.
ChStatus ch_soft_create(ChContext* context, ChArena* arena, const char* what, const ChSoftDef* def, double density,
                        const ChTetMesh* mesh, const ChSoft** out);

// The same of what a recording holds, without a mesh: cardhouse/soft.h.
ChStatus ch_soft_from_recorded(ChContext* context, ChArena* arena, const char* what, const ChSoftDef* def,
                               double density, const ChRecordedSkin* recorded, const ChSoft** out);

// J1, J2, C2 and S of a basis of soft->modes fields.
void ch_soft_integrate(ChArena* arena, const ChSoftMesh* mesh, const double* U, ChSoft* soft);

// Triangles of the skin; rest is taken, not filled, shape is left. `vertices`: which of the mesh are on the skin.
void ch_soft_skin_create(ChArena* arena, const ChTetMesh* mesh, ChSoftSkin* skin, int** vertices);

#endif
