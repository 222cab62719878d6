// A solid ring of round section.
#ifndef CH_MODEL_TET_TET_TORUS_H
#define CH_MODEL_TET_TET_TORUS_H

#include "model/tet/tet_mesh.h"

// About the z axis: `radius` of the tube's middle line, `tube` of the tube; `around` pieces of it, with `rings` rings
// of triangles in its section. Refuses tube >= radius and pieces below 3; the result is not checked.
ChStatus ch_tet_torus(ChContext* context, ChArena* arena, double radius, double tube, int around, int rings,
                      ChTetMesh* out);

#endif
