// A closed triangle mesh of the set f(x) <= 0, for built-in scenes whose bodies are no polyhedra.
//
// One corner a cell through which the surface passes, at the middle of its crossings with the cell's edges and then
// moved onto f = 0 along the slope; one square, cut in two, for every edge of the grid that it crosses (surface nets,
// Gibson 1998). Closed where f > 0 on the border of the box; a surface wherever neither a part nor a crease of it is
// narrower than two cells.
#ifndef CH_SCENE_IMPLICIT_SURFACE_H
#define CH_SCENE_IMPLICIT_SURFACE_H

#include <stdbool.h>

#include "base/vector.h"

typedef struct ChSurfaceMesh {
  int point_count, triangle_count;
  ChVec3* points;
  int* triangles;
} ChSurfaceMesh;

typedef double (*ChImplicitFn)(ChVec3 x);

// False when memory ran out; free with ch_surface_mesh_free either way.
bool ch_implicit_surface(ChImplicitFn f, ChVec3 low, ChVec3 high, double cell, ChSurfaceMesh* out);
void ch_surface_mesh_free(ChSurfaceMesh* mesh);

#endif
