// Well-shaped tetrahedra that fill the set f(x) <= 0 (isosurface stuffing, Labelle and Shewchuk 2007).
//
// A body-centred cubic lattice of spacing `cell` is laid over the box. Lattice points that lie too near the surface for
// their edges to be cut are moved onto it; the lattice's tetrahedra are then cut where the surface crosses their
// edges. All vertices of the skin lie on f = 0. Parts and creases narrower than about one cell are lost.
#ifndef CH_MODEL_TET_TET_STUFFING_H
#define CH_MODEL_TET_TET_STUFFING_H

#include "model/tet/tet_mesh.h"

typedef struct ChTetSolid {
  double (*f)(const void* state, ChVec3 x);  // about the distance from the surface, negative inside
  const void* state;
  ChVec3 low, high;  // f > 0 outside of this box
} ChTetSolid;

// Refuses more tetrahedra than CH_TETS_MAX could hold; the result is not checked.
ChStatus ch_tet_stuffing(ChContext* context, ChArena* arena, const char* what, const ChTetSolid* solid, double cell,
                         ChTetMesh* out);

#endif
