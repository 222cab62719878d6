// Tetrahedral meshes, from which deformable bodies are made: read, made from a named shape, measured and written.
#ifndef CARDHOUSE_TETRAHEDRA_H
#define CARDHOUSE_TETRAHEDRA_H

#include <stdbool.h>

#include "cardhouse/api.h"
#include "cardhouse/geometry.h"
#include "cardhouse/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CH_TETS_MAX = 2000000 };  // in one mesh

// Corners of a tetrahedron are ordered so that its volume, (b - a) x (c - a) . (d - a) / 6, is positive. Metres.
typedef struct ChTetMesh {
  int vertex_count, tet_count;
  ChVec3* vertices;
  int* tets;  // 4 indices each
} ChTetMesh;

// Reads Gmsh (.msh 2.2 and 4.1, text and binary) or VTK (legacy .vtk text and binary). Points, lines and surfaces are
// skipped. Solid cells other than tetrahedra are refused. Only the corners of curved tetrahedra are used. A mesh that
// is not one closed body is refused with a message that says which tetrahedron is wrong and where it is; unused
// vertices are dropped. The caller frees *out with ch_tets_free; it is empty on failure.
CH_API ChStatus ch_tets_read(ChContext* context, const char* file, ChTetMesh* out);

typedef struct ChTetShapeDef {
  const char* shape;  // one of the names below
  ChVec3 size;        // metres along x, y, z; 0: the shape's own size, or in proportion to what is given
  int cells[3];       // fineness; 0: the shape's own
  // strand: its middle line is z = amplitude sin(2 pi x / period + phase). An amplitude of 0 stands for its thickness,
  // a period of 0 for half its length. Its edges are thinner than its middle by the share `round`, 0 to 0.9, as a
  // parabola; 0: equally thick.
  double amplitude, period, phase, round;
} ChTetShapeDef;

// Makes a mesh of a named shape, centred at the origin. The caller frees *out; it is empty on failure.
CH_API ChStatus ch_tets_make(ChContext* context, const ChTetShapeDef* def, ChTetMesh* out);

// Frees the arrays and empties the mesh; an empty one is legal.
CH_API void ch_tets_free(ChTetMesh* mesh);

// Writes the mesh to `file` as Gmsh 2.2 text, which every mesh reader knows. All digits are written, so that reading
// the file gives the same mesh.
CH_API ChStatus ch_tet_mesh_write(ChContext* context, const char* file, const ChTetMesh* mesh);

// The name of a shape, and its defaults.
typedef struct ChTetShape {
  const char* name;
  const char* summary;
  ChVec3 size;
  int cells[3];
  const char* size_text;   // what the measures mean
  const char* cells_text;  // and the numbers of cells
  bool proportional;       // missing measures follow the first one given
} ChTetShape;

// Returns how many shapes there are.
CH_API int ch_tet_shape_count(void);
// Returns a shape, which lives as long as the program: by index, 0 to ch_tet_shape_count() - 1, or by name; NULL if
// there is none.
CH_API const ChTetShape* ch_tet_shape_at(int index);
CH_API const ChTetShape* ch_tet_shape_find(const char* name);

// Quality is 6 sqrt(2) V / l^3 with l the root mean square of the six edges: 1 for the regular tetrahedron, 0 for a
// flat one.
typedef struct ChTetMeasures {
  double volume, area;  // m^3, m^2; area: of the skin
  ChVec3 centre;        // of the volume
  ChVec3 low, high;     // the box around it
  int skin_triangles, skin_vertices;
  double worst_quality, mean_quality;
  double least_dihedral, largest_dihedral;  // radian
} ChTetMeasures;

// Measures a mesh that was read or made. Fails if memory runs out.
CH_API ChStatus ch_tets_measure(ChContext* context, const ChTetMesh* mesh, ChTetMeasures* out);

#ifdef __cplusplus
}
#endif
#endif
