// Triangles on their way from a file to a mesh, and what the readers of the formats share.
#ifndef CH_MODEL_MESH_MESH_FACETS_H
#define CH_MODEL_MESH_MESH_FACETS_H

#include <stdint.h>
#include <string.h>

#include "base/text_scan.h"
#include "base/vector.h"

typedef struct ChFacets {
  int vertex_count, triangle_count;
  int vertex_room, triangle_room;
  ChVec3* vertices;
  int* triangles;
  double* uv;     // of each corner of each triangle: its place on a texture, v upwards; NULL: no triangle has any,
  bool unplaced;  // or one of them has none
} ChFacets;

void ch_facets_add_vertex(ChArena* arena, ChFacets* surface, ChVec3 vertex);
void ch_facets_add_triangle(ChArena* arena, ChFacets* surface, int a, int b, int c);
// The same with places of its corners on a texture, two numbers each.
void ch_facets_add_placed(ChArena* arena, ChFacets* surface, const int corner[3], const double uv[6]);
// Equal corners become one vertex, numbered as they first appear; triangles that lose a corner by it are dropped.
void ch_facets_merge(ChArena* arena, ChFacets* surface);

static inline uint32_t ch_little_endian(const unsigned char* b) {
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}
static inline double ch_single(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

// PLY, text or binary, beginning at bytes[0] = 'p'. mesh_ply.c
ChStatus ch_facets_read_ply(ChContext* context, ChArena* arena, const char* path, const char* text, size_t size,
                            ChFacets* out);
// glTF 2.0, text (.gltf) or binary (.glb). Buffers in files of their own are read from beside `path` where `beside`,
// and refused otherwise. mesh_gltf.c
ChStatus ch_facets_read_gltf(ChContext* context, ChArena* arena, const char* path, bool beside, const char* text,
                             size_t size, ChFacets* out);

#endif
