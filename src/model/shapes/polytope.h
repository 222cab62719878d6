// A convex polyhedron (or, in the plane, polygon) as the narrow phase wants it.
//
// Vertices; faces as counter-clockwise loops seen from outside, with outward unit normals; edges with their two faces.
// In the plane a "face" is a side (a loop of two vertices), vertices are counter-clockwise and there are no edges.
#ifndef CH_MODEL_SHAPES_POLYTOPE_H
#define CH_MODEL_SHAPES_POLYTOPE_H

#include "base/arena.h"
#include "base/vector.h"
#include "cardhouse/status.h"

typedef struct ChEdge {
  int vertex[2];
  int face[2];
} ChEdge;

typedef struct ChPolytope {
  int vertex_count, face_count, edge_count;
  ChVec3* vertices;  // in the shape's frame
  ChVec3* normals;   // of faces
  double* offsets;   // normal . x = offset
  int* face_start;   // face_count + 1
  int* face_vertex;
  ChEdge* edges;
  // neighbours of each vertex, for climbing to a support point: neighbour[neighbour_start[v]] ..
  int *neighbour_start, *neighbour;
  double radius;  // about the origin of the shape's frame
} ChPolytope;

ChPolytope* ch_polytope_box(ChArena* arena, ChVec3 half);
ChPolytope* ch_polytope_rectangle(ChArena* arena, double half_x, double half_y);
// Convex hull by qhull, coplanar triangles merged into faces; refuses fewer than four points or a flat set.
ChStatus ch_polytope_hull(ChContext* context, ChArena* arena, int count, const ChVec3* points, ChPolytope** out);
// Convex polygon, counter-clockwise; refuses others.
ChStatus ch_polytope_polygon(ChContext* context, ChArena* arena, int count, const ChVec3* points, ChPolytope** out);

// Index of the vertex farthest along `direction` (shape's frame), climbing from `hint`.
int ch_polytope_support(const ChPolytope* p, ChVec3 direction, int hint);

#endif
