// A surface as glTF has it: triangles of vertices with normals, modes of deformation as morph targets.
#ifndef CH_EXPORT_GLTF_MESH_H
#define CH_EXPORT_GLTF_MESH_H

#include "export/gltf_buffer.h"
#include "export/motion.h"

// How a surface is painted: the number of its material, and whether that has a texture of this size (box_map.h).
typedef struct ChGltfPaint {
  int material;
  bool textured;
  double size;
} ChGltfPaint;

// The mesh of a patch; NULL when out of memory. Faces that meet at less than 40
// degrees look round. `soft` is the deformable body that has it, or NULL.
json_t* ch_gltf_mesh(ChGltfBuffer* buffer, const ChPatches* patches, const ChSoftView* soft, const ChGltfPaint* paint);

#endif
