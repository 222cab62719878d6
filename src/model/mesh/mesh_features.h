// What of a triangle surface can touch first: faces, convex edges, corners with a convex edge; made once a mesh.
//
// Two polyhedra touch with a corner of one on a face of the other, or with an edge of each. Flat and hollow edges touch
// nothing that a face does not touch before. Triangles that lie in one plane and hang together are one *patch*, convex
// edges that lie on one line and hang together one *chain*: their numbers name contacts, which therefore keep their
// names as bodies slide from triangle to triangle.
//
// An open surface is a sheet without thickness. It has both sides of every triangle, of every edge the convex one, and
// a rim where both sides meet, which is a convex edge of no angle: so it is treated as a closed surface would be.
#ifndef CH_MODEL_MESH_MESH_FEATURES_H
#define CH_MODEL_MESH_MESH_FEATURES_H

#include "model/mesh/mesh.h"

#define CH_MESH_SMOOTH 1e-6  // sine of angles that count as none

// How an edge looks from where normals point.
typedef enum ChBend { CH_BEND_FLAT, CH_BEND_CONVEX, CH_BEND_HOLLOW, CH_BEND_RIM } ChBend;

typedef struct ChMeshEdge {
  int place;  // 3 * triangle + corner where it begins
  int other;  // its place in the triangle across; -1 at a rim
  int chain;
  ChVec3 along;  // unit
  double length;
  bool back;        // convex as seen from behind an open surface
  bool goes_on[2];  // whether its line goes on in a face, or just below, where it begins and where it ends
} ChMeshEdge;

typedef enum ChMeshSide { CH_SIDE_FRONT, CH_SIDE_BACK, CH_SIDE_RIM } ChMeshSide;

typedef struct ChMeshCorner {
  int vertex;
  int first, count;  // neighbours: fan[first] ..
  ChMeshSide side;
} ChMeshCorner;

typedef struct ChMeshFeatures {
  int* patch;            // of triangles
  unsigned char* bends;  // ChBend of every 3 * triangle + corner
  int edge_count, corner_count;
  ChMeshEdge* edges;      // those that triangle c owns: edge_start[c] .. edge_start[c + 1]
  ChMeshCorner* corners;  // in the same way
  int *edge_start, *corner_start;
  int* corner_of;  // a corner of every vertex; -1 where there is none
  int* fan;        // vertices
} ChMeshFeatures;

// Of a mesh of triangles with neighbours, normals and `inward`.
ChMeshFeatures* ch_mesh_features(ChArena* arena, const ChMesh* mesh);
// Of a mesh of segments, or of points alone: an edge a cell, a corner a point.
ChMeshFeatures* ch_line_features(ChArena* arena, const ChMesh* mesh, bool segments);
// Takes the features of foreign cells away (ChForeign, one a cell).
void ch_mesh_disown(ChMesh* mesh, const unsigned char* foreign);

#endif
