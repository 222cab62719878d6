// Bytes and accessors: see gltf_buffer.h. Memory is little-endian, as the format wants it.
#include "export/gltf_buffer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FLOAT = 5126, UNSIGNED_INT = 5125 };

ChGltfBuffer ch_gltf_buffer_begin(void) { return (ChGltfBuffer){.views = json_array(), .accessors = json_array()}; }

void ch_gltf_buffer_free(ChGltfBuffer* b) {
  free(b->bytes);
  json_decref(b->views);
  json_decref(b->accessors);
  *b = (ChGltfBuffer){0};
}

// All numbers have four bytes, and every view begins at a multiple of that.
static int add_view(ChGltfBuffer* b, ChGltfUse use, size_t size, const void* bytes) {
  const size_t padding = (4 - size % 4) % 4;
  if (b->size + size + padding > b->room) {
    size_t room = 2 * (b->size + size) + 4096;
    unsigned char* larger = realloc(b->bytes, room);
    b->failed = b->failed || !larger;
    if (!larger) return 0;
    b->bytes = larger;
    b->room = room;
  }
  memcpy(b->bytes + b->size, bytes, size);
  memset(b->bytes + b->size + size, 0, padding);
  json_t* view =
      json_pack("{s:i, s:I, s:I}", "buffer", 0, "byteOffset", (json_int_t)b->size, "byteLength", (json_int_t)size);
  if (use != CH_GLTF_SAMPLES) json_object_set_new(view, "target", json_integer(use));
  b->size += size + padding;
  b->failed = json_array_append_new(b->views, view) != 0 || b->failed;
  return (int)json_array_size(b->views) - 1;
}

static int add_accessor(ChGltfBuffer* b, int view, int component, long count, const char* type, json_t* low,
                        json_t* high) {
  json_t* accessor = json_pack("{s:i, s:i, s:I, s:s}", "bufferView", view, "componentType", component, "count",
                               (json_int_t)count, "type", type);
  if (low) json_object_set_new(accessor, "min", low);
  if (high) json_object_set_new(accessor, "max", high);
  b->failed = json_array_append_new(b->accessors, accessor) != 0 || b->failed;
  return (int)json_array_size(b->accessors) - 1;
}

int ch_gltf_floats(ChGltfBuffer* b, ChGltfUse use, long count, int width, const float* values, bool bounds) {
  static const char* const types[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
  json_t *low = bounds ? json_array() : NULL, *high = bounds ? json_array() : NULL;
  for (int j = 0; bounds && j < width; ++j) {
    float least = values[j], most = values[j];
    for (long k = 1; k < count; ++k) {
      least = fminf(least, values[k * width + j]);
      most = fmaxf(most, values[k * width + j]);
    }
    json_array_append_new(low, json_real(least));
    json_array_append_new(high, json_real(most));
  }
  int view = add_view(b, use, (size_t)(count * width) * sizeof *values, values);
  return add_accessor(b, view, FLOAT, count, types[width], low, high);
}

int ch_gltf_bytes(ChGltfBuffer* b, size_t size, const void* bytes) { return add_view(b, CH_GLTF_SAMPLES, size, bytes); }

int ch_gltf_indices(ChGltfBuffer* b, long count, const unsigned* values) {
  int view = add_view(b, CH_GLTF_INDICES, (size_t)count * sizeof *values, values);
  return add_accessor(b, view, UNSIGNED_INT, count, "SCALAR", NULL, NULL);
}
