// Triangle soups: surfaces that do not hang together, as ground that does not move.
#ifndef CH_MODEL_MESH_SOUP_H
#define CH_MODEL_MESH_SOUP_H

#include "model/mesh/mesh.h"

// A mesh of whatever triangles there are. Corners in one place become one, triangles without area and second copies are
// left out, and where more than two triangles share an edge, or two that face opposite sides, all but two that fit are
// cut loose: they keep their place and have rims there. ChMesh.soup is set, by which rims inside the surface are found
// out (collide/mesh/mesh_pairs.c). The arena has a landing.
ChStatus ch_soup_create(ChContext* context, ChArena* arena, int vertex_count, const ChVec3* vertices, int cell_count,
                        const int* cells, ChMesh** out);

#endif
