// Building polytopes: what polytope.c and hull.c share.
#ifndef CH_MODEL_SHAPES_POLYTOPE_BUILD_H
#define CH_MODEL_SHAPES_POLYTOPE_BUILD_H

#include <stdbool.h>

#include "model/shapes/polytope.h"

// From vertices and the loops of faces (space): planes, edges, neighbours, radius. False when the loops do not close to
// a surface like a sphere's.
bool ch_polytope_finish(ChArena* arena, ChPolytope* polytope);

#endif
