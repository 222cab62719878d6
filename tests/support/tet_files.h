// Files of tetrahedral meshes in every format that is read, printed to memory: for tests and as seeds of fuzzing.
#ifndef CH_TESTS_TET_FILES_H
#define CH_TESTS_TET_FILES_H

#include "model/tet/tet_mesh.h"

// Gmsh 2.2, Gmsh 4.1, VTK 3.0, VTK 5.1: text, then bytes, then for Gmsh bytes of the other order.
enum { CH_TET_FORMATS = 10 };

// To be freed; NULL when memory ran out.
char* ch_tet_file_print(const ChTetMesh* mesh, int format, size_t* size);

#endif
