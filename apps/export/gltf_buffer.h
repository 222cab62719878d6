// The bytes of a glTF file and the accessors that say what they are.
#ifndef CH_EXPORT_GLTF_BUFFER_H
#define CH_EXPORT_GLTF_BUFFER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct ChGltfBuffer {
  unsigned char* bytes;
  size_t size, room;
  json_t *views, *accessors;
  bool failed;  // out of memory
} ChGltfBuffer;

ChGltfBuffer ch_gltf_buffer_begin(void);
void ch_gltf_buffer_free(ChGltfBuffer* buffer);

typedef enum ChGltfUse { CH_GLTF_VERTICES = 34962, CH_GLTF_INDICES = 34963, CH_GLTF_SAMPLES = 0 } ChGltfUse;

// `count` values of `width` numbers each; "type" follows from the width. With the smallest and largest of each number
// where `bounds` is set. Returns the accessor.
int ch_gltf_floats(ChGltfBuffer* buffer, ChGltfUse use, long count, int width, const float* values, bool bounds);
// A view of bytes as they are: the content of a file.
int ch_gltf_bytes(ChGltfBuffer* buffer, size_t size, const void* bytes);
int ch_gltf_indices(ChGltfBuffer* buffer, long count, const unsigned* values);

#endif
