// Tetrahedral meshes (cardhouse/tetrahedra.h) in an arena: checked, read, and their skin.
#ifndef CH_MODEL_TET_TET_MESH_H
#define CH_MODEL_TET_TET_MESH_H

#include "base/arena.h"
#include "base/vector.h"
#include "cardhouse/tetrahedra.h"

#define CH_TET_FLAT 1e-8  // a volume below this part of the longest edge's cube is flat
// Coordinates are at most so large and edges at least so long, m: volumes, and moments of them, neither overflow nor
// vanish. A scene's lengths have the same limits.
#define CH_TET_COORDINATE_MOST 1e50
#define CH_TET_EDGE_LEAST 1e-50
#define CH_TET_FAR 1e-9  // a mesh below this part of its largest coordinate has lost its shape to rounding

// Whether it is one body: indices in range, every number within the limits above, not too far from the origin for its
// size, volumes positive and not flat, all joined by faces, every face of at most two tetrahedra, its skin closed.
// Vertices that no tetrahedron uses are dropped, a mesh that is inverted throughout is turned: the mesh's arrays are
// then new ones, those given stay as they were. `what` opens messages, which say which tetrahedron is wrong and where
// it lies.
ChStatus ch_tet_mesh_check(ChContext* context, ChArena* arena, const char* what, ChTetMesh* mesh);

// Reads Gmsh (.msh 2.2 and 4.1, text and binary) or VTK (legacy .vtk text and binary). Points,
// lines and surfaces are left out, other solid cells refused; of curved tetrahedra the corners are taken. Checked as
// above.
ChStatus ch_tet_mesh_read(ChContext* context, ChArena* arena, const char* file, ChTetMesh* out);
// The same from memory; text[size] is zero. `path` is for messages.
ChStatus ch_tet_mesh_parse(ChContext* context, ChArena* arena, const char* path, const char* text, size_t size,
                           ChTetMesh* out);

// Triangles that belong to one tetrahedron only, outward: 3 indices each.
int ch_tet_mesh_skin(ChArena* arena, const ChTetMesh* mesh, int** triangles);

#endif
