// Broken triangle surfaces, put right where there is one way to do it.
//
//   merged     vertices in one place become one
//   thin       triangles without area go; the neighbour across the longest side is cut at the corner opposite, so that
//              no slit stays
//   doubled    of triangles with the same corners in the same sense one stays
//   facing     of triangles with the same corners in opposite senses none does: a wall without thickness
//   turned     neighbours that face opposite sides are turned: a closed part outward, an open one as most of it is; and
//   a
//              closed surface that is inside out, altogether
//   filled     on a body that moves: holes of three or four sides
//
// Whoever asks has found the surface refused as it is: what is in order is not touched.
#ifndef CH_MODEL_MESH_MESH_HEAL_H
#define CH_MODEL_MESH_MESH_HEAL_H

#include <stdbool.h>

#include "base/arena.h"
#include "cardhouse/geometry.h"

enum { CH_HEAL_MERGED, CH_HEAL_THIN, CH_HEAL_DOUBLED, CH_HEAL_FACING, CH_HEAL_TURNED, CH_HEAL_FILLED, CH_HEALS };

typedef struct ChMeshHeal {
  int vertex_count, triangle_count;
  ChVec3* vertices;
  int* triangles;
  int count[CH_HEALS];     // of each kind
  ChVec3 first[CH_HEALS];  // where the first one was
} ChMeshHeal;

// False where nothing was to be done; else a surface that may be in order. Vertices are finite, indices fit.
bool ch_mesh_heal(ChArena* arena, int vertex_count, const ChVec3* vertices, int triangle_count, const int* triangles,
                  bool closed, ChMeshHeal* out);

// What was done, as one line; `size` bytes of `text`.
void ch_mesh_heal_tell(const ChMeshHeal* heal, int size, char* text);

#endif
