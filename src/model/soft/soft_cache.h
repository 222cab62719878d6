// Bases on disk: what was computed from a mesh, a material and choices, kept under a checksum of them.
//
// A file holds a head, the numbers, and a checksum of both. It is taken only if it is of this format and version, of
// this very key and size, whole, and every number is finite; else it is as if it were not there, and is replaced. What
// is no plain file, such as a pipe, is let alone.
#ifndef CH_MODEL_SOFT_SOFT_CACHE_H
#define CH_MODEL_SOFT_SOFT_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "cardhouse/world.h"
#include "model/tet/tet_mesh.h"

typedef struct ChSoftKey {
  uint64_t part[2];
} ChSoftKey;

// Of all that a basis depends on; damping does not enter it.
ChSoftKey ch_soft_key(const ChSoftDef* def, double density, const ChTetMesh* mesh);

enum { CH_SOFT_CACHE_NAME = 48 };
// Name of the file in its folder.
void ch_soft_cache_name(ChSoftKey key, char name[CH_SOFT_CACHE_NAME]);

bool ch_soft_cache_read(ChArena* arena, const char* folder, ChSoftKey key, long count, double* numbers);
// Makes the folder, and those above it, where they are missing. That it cannot be written is no failure: the basis is
// there.
void ch_soft_cache_write(ChArena* arena, const char* folder, ChSoftKey key, long count, const double* numbers);

#endif
