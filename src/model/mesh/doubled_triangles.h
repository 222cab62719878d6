// Triangles that a mesh holds twice: the same corners in the same sense, under whatever numbers.
#ifndef CH_MODEL_MESH_DOUBLED_TRIANGLES_H
#define CH_MODEL_MESH_DOUBLED_TRIANGLES_H

#include <stdbool.h>

#include "base/arena.h"
#include "cardhouse/geometry.h"

// True where there is one; `pair` gets the two triangles. A surface that is there twice closes around its volume twice:
// its mass would be double.
bool ch_doubled_triangle(ChArena* arena, const ChVec3* vertices, int triangle_count, const int* triangles, int pair[2]);

#endif
