// A surface as glTF has it: triangles of vertices with normals, modes of deformation as morph targets.
#ifndef CH_EXPORT_GLTF_MESH_H
#define CH_EXPORT_GLTF_MESH_H

#include "export/gltf_buffer.h"
#include "export/motion.h"

// The mesh of a patch, with the material of this number; NULL when out of memory. Faces that meet at less than 40
// degrees look round. `soft` is the deformable body that has it, or NULL.
json_t* ch_gltf_mesh(ChGltfBuffer* buffer, const ChPatches* patches, const ChSoftView* soft, int material);

#endif
