// The cells of a mesh near a box, one after the other: for (int c; (c = ch_mesh_walk_next(&walk)) >= 0;).
#ifndef CH_COLLIDE_MESH_MESH_WALK_H
#define CH_COLLIDE_MESH_MESH_WALK_H

#include "collide/shape_box.h"

enum { CH_MESH_DEPTH = 64 };  // halved at every level: enough for any mesh

typedef struct ChMeshWalk {
  const ChMesh* mesh;
  ChBox3 box;  // in the mesh's frame
  int stack[CH_MESH_DEPTH], depth;
  int next, last;  // rest of the leaf at hand
} ChMeshWalk;

static inline ChMeshWalk ch_mesh_walk(const ChMesh* mesh, ChBox3 box) {
  ChMeshWalk walk = {.mesh = mesh, .box = box, .depth = mesh->node_count > 0};
  return walk;
}

static inline bool ch_cell_misses(const ChMesh* mesh, int cell, const ChBox3* box) {
  ChVec3 corners[3];
  for (int k = 0; k < mesh->width; ++k) corners[k] = mesh->vertices[mesh->cells[mesh->width * cell + k]];
  return ch_points_miss(mesh->width, corners, box);
}

// -1 at the end.
static inline int ch_mesh_walk_next(ChMeshWalk* walk) {
  for (;;) {
    while (walk->next < walk->last) {
      int cell = walk->mesh->order[walk->next++];
      if (!ch_cell_misses(walk->mesh, cell, &walk->box)) return cell;
    }
    if (walk->depth == 0) return -1;
    const ChMeshNode* node = &walk->mesh->nodes[walk->stack[--walk->depth]];
    if (!ch_boxes_meet(&node->box, &walk->box)) continue;
    if (node->count) {
      walk->next = node->first;
      walk->last = node->first + node->count;
    } else if (walk->depth + 2 <= CH_MESH_DEPTH) {
      walk->stack[walk->depth++] = node->first + 1;
      walk->stack[walk->depth++] = node->first;
    }
  }
}

#endif
