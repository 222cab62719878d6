// A triangle surface (space) or a polyline (plane) with a tree of boxes to find what is near. Where contacts of a
// moving body are sampled it has a distance field and samples besides (solid_mesh.h).
#ifndef CH_MODEL_MESH_MESH_H
#define CH_MODEL_MESH_MESH_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/vector.h"
#include "cardhouse/status.h"

typedef struct ChBox3 {
  ChVec3 low, high;
} ChBox3;

// Square of a point's distance; 0 inside.
static inline double ch_box_distance2(const ChBox3* box, ChVec3 x) {
  double dx = x.x < box->low.x ? box->low.x - x.x : x.x > box->high.x ? x.x - box->high.x : 0.0;
  double dy = x.y < box->low.y ? box->low.y - x.y : x.y > box->high.y ? x.y - box->high.y : 0.0;
  double dz = x.z < box->low.z ? box->low.z - x.z : x.z > box->high.z ? x.z - box->high.z : 0.0;
  return dx * dx + dy * dy + dz * dz;
}

typedef struct ChMeshNode {
  ChBox3 box;
  int first, count;  // leaf: cells order[first] .. ; inner: count = 0, children at `first` and first + 1
} ChMeshNode;

// Of cells that a mesh has for the sake of their neighbours: they touch nothing, and an edge that they share with the
// others is one of those, or somebody else's.
typedef enum ChForeign { CH_FOREIGN_NOT, CH_FOREIGN_LATER, CH_FOREIGN_FIRST } ChForeign;

typedef struct ChMesh {
  int vertex_count, cell_count, width;  // width: 3 triangles, 2 segments
  ChVec3* vertices;
  int* cells;
  const double* uv;  // triangles: 2 a corner, their places on a texture, v upwards; NULL: none
  // Neighbour across the edge from corner k to k + 1 (segments: the one before at k = 0, after at k = 1); -1 = border.
  int* across;
  ChVec3* normals;
  ChVec3* inward;          // triangles, 3 a cell: in its plane, normal to edge k, into it; unit
  ChVec3* vertex_normals;  // triangles: sums weighted by angles, not unit; their sign tells inside from outside
  bool closed;
  bool lines;                    // edges and points alone: its triangles have no area and are no faces
  bool moves;                    // contacts move its bodies
  bool soup;                     // its rims may lie inside of the surface
  bool front;                    // ground with one side: all that is behind a triangle is inside
  bool below;                    // and all that is below one, however deep: cells of a height field
  const unsigned char* foreign;  // of cells: ChForeign; NULL: none is
  int node_count;
  ChMeshNode* nodes;
  int* order;
  struct ChMeshFeatures* features;  // triangles: what can touch first
  struct ChDistanceField* field;    // NULL unless contacts are sampled
  struct ChSampleTree* samples;
} ChMesh;

// Refuses cells without area, edges of more than two triangles and neighbours that face opposite sides.
ChStatus ch_mesh_create(ChContext* context, ChArena* arena, int vertex_count, const ChVec3* vertices, int cell_count,
                        const int* cells, int width, ChMesh** out);

// Segments between points, or points alone (segments NULL), as a mesh whose cells are these: what touches them are
// edges and corners without any face, which touch in every direction.
ChMesh* ch_mesh_of_lines(ChArena* arena, int point_count, const ChVec3* points, int segment_count, const int* segments);

// Reads OBJ (v, vt, f), STL (equal corners merged), PLY or glTF (.glb, .gltf). Errors name the file and what is wrong.
// `uv` are places of the triangles' corners on a texture, two numbers each; NULL where the file has none.
ChStatus ch_mesh_read(ChContext* context, ChArena* arena, const char* file, int* vertex_count, ChVec3** vertices,
                      int* triangle_count, int** triangles, double** uv);
// The same from memory; text[size] is zero. `path` is for messages: no other file is read.
ChStatus ch_mesh_parse(ChContext* context, ChArena* arena, const char* path, const char* text, size_t size,
                       int* vertex_count, ChVec3** vertices, int* triangle_count, int** triangles, double** uv);

#endif
