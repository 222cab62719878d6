// Where a closed surface can touch first: its corners, and points along its sharp edges, in a tree of balls.
//
// Two polyhedra touch with a corner of one on a face of the other or with an edge of each, so no point inside a face is
// needed: the other's corners and edges are sampled too. Corners that no convex edge meets and edges that are flat or
// hollow are left out. Corners nearer than `spacing` to a sharper one are left out too, so that a fine mesh has no more
// samples than its size asks for; an edge longer than `spacing` is followed in steps of it.
//
// On request, points inside of faces and along flat edges are samples as well, `spacing` apart at most: the samples of
// a whole surface that Kaufman (2009, section 7.2) takes. A patch then has as many contacts as it has room for, and
// they say no more than its corners do.
#ifndef CH_MODEL_MESH_SAMPLE_TREE_H
#define CH_MODEL_MESH_SAMPLE_TREE_H

#include "model/mesh/mesh.h"

enum { CH_MOST_SAMPLES = 50000 };

// A corner (steps = 0, both ends the same) or an edge, its ends being corners of their own.
typedef struct ChSample {
  ChVec3 end[2];
  int steps;
  int id;  // of the vertex; of the edge: 3 * triangle + corner where it begins; inside of faces they go on from
           // vertices
} ChSample;

typedef struct ChSampleNode {
  ChVec3 centre;
  double radius;
  int first, count;  // as in ChMeshNode
} ChSampleNode;

typedef struct ChSampleTree {
  int sample_count, point_count;
  double spacing;
  ChSample* samples;  // in the order of the leaves
  int node_count;
  ChSampleNode* nodes;
} ChSampleTree;

// `faces`: with points inside of them. Refuses a spacing that gives more than CH_MOST_SAMPLES points.
ChStatus ch_sample_tree_create(ChContext* context, ChArena* arena, const ChMesh* mesh, double spacing, bool faces,
                               ChSampleTree** out);

// How far edge k of a triangle turns: positive where the surface is convex there, about 0 where it is flat.
double ch_mesh_edge_turn(const ChMesh* mesh, int cell, int k);

#endif
