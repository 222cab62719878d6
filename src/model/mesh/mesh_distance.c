// See mesh_distance.h.
#include "model/mesh/mesh_distance.h"

#include "model/mesh/triangle_foot.h"

enum { STACK = 64 };  // the tree is halved at every level

typedef struct Search {
  const ChMesh* mesh;
  ChVec3 point;
  double best2;
  int cell;
  ChTriangleFoot foot;
} Search;

static void try_leaf(Search* s, const ChMeshNode* node) {
  const ChMesh* mesh = s->mesh;
  for (int k = node->first; k < node->first + node->count; ++k) {
    const int* c = &mesh->cells[3 * mesh->order[k]];
    ChTriangleFoot foot = ch_triangle_foot(mesh->vertices[c[0]], mesh->vertices[c[1]], mesh->vertices[c[2]], s->point);
    ChVec3 apart = ch_sub(s->point, foot.point);
    double d2 = ch_dot(apart, apart);
    if (!(d2 < s->best2 || (d2 == s->best2 && s->cell < 0))) continue;
    s->best2 = d2;
    s->cell = mesh->order[k];
    s->foot = foot;
  }
}

static void search(Search* s) {
  struct {
    int node;
    double d2;
  } stack[STACK];
  const ChMeshNode* nodes = s->mesh->nodes;
  int depth = 1;
  stack[0].node = 0;
  stack[0].d2 = ch_box_distance2(&nodes[0].box, s->point);
  while (depth > 0) {
    --depth;
    if (!(stack[depth].d2 <= s->best2)) continue;
    const ChMeshNode* node = &nodes[stack[depth].node];
    if (node->count > 0) {
      try_leaf(s, node);
      continue;
    }
    double d2[2] = {ch_box_distance2(&nodes[node->first].box, s->point),
                    ch_box_distance2(&nodes[node->first + 1].box, s->point)};
    int far = d2[0] > d2[1] ? 0 : 1;  // the nearer one lies on top
    for (int k = 0; k < 2 && depth < STACK; ++k, ++depth) {
      int child = k == 0 ? far : 1 - far;
      stack[depth].node = node->first + child;
      stack[depth].d2 = d2[child];
    }
  }
}

static ChVec3 feature_normal(const ChMesh* mesh, int cell, int feature) {
  if (feature >= 4) return mesh->vertex_normals[mesh->cells[3 * cell + feature - 4]];
  int other = feature > 0 ? mesh->across[3 * cell + feature - 1] : -1;
  return other < 0 ? mesh->normals[cell] : ch_add(mesh->normals[cell], mesh->normals[other]);
}

bool ch_mesh_foot(const ChMesh* mesh, ChVec3 point, double within, ChMeshFoot* out) {
  Search s = {.mesh = mesh, .point = point, .best2 = within * within, .cell = -1};
  search(&s);
  if (s.cell < 0) return false;
  ChVec3 apart = ch_sub(point, s.foot.point), normal = feature_normal(mesh, s.cell, s.foot.feature);
  double distance = sqrt(s.best2), side = ch_dot(apart, normal) < 0.0 ? -1.0 : 1.0;
  ChVec3 size = ch_sub(mesh->nodes[0].box.high, mesh->nodes[0].box.low);
  out->distance = side * distance;
  out->cell = s.cell;
  // On the surface the direction is lost to rounding; over a face it is the face's wherever one is.
  bool known = s.foot.feature > 0 && distance > 1e-9 * ch_norm(size);
  out->normal = known ? ch_scale(side / distance, apart) : ch_unit(normal);
  return true;
}
