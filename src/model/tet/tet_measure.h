// Sizes and shapes of tetrahedra.
//
// Quality is 6 sqrt(2) V / l^3 with l the root mean square of the six edges: 1 for the regular tetrahedron, 0 for a
// flat one, negative for an inverted one.
#ifndef CH_MODEL_TET_TET_MEASURE_H
#define CH_MODEL_TET_TET_MEASURE_H

#include "model/tet/tet_mesh.h"

double ch_tet_volume(const ChTetMesh* mesh, int tet);
double ch_tet_longest(const ChTetMesh* mesh, int tet);  // edge
double ch_tet_quality(const ChTetMesh* mesh, int tet);
ChVec3 ch_tet_middle(const ChTetMesh* mesh, int tet);  // the mean of its corners

// Of a mesh that ch_tet_mesh_check has passed.
ChTetMeasures ch_tet_measure(ChArena* arena, const ChTetMesh* mesh);

#endif
