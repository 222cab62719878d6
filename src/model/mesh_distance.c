// See mesh_distance.h.
#include "model/mesh_distance.h"

enum { STACK = 64 };  // the tree is halved at every level

// Nearest point of a triangle, and what it lies on: 0 the face, 1 + k edge k, 4 + k corner k.
typedef struct Foot {
  ChVec3 point;
  int feature;
} Foot;

static Foot on_edge(ChVec3 a, ChVec3 b, double t, int feature) { return (Foot){ch_along(a, t, ch_sub(b, a)), feature}; }

// By the signs of the barycentric coordinates of the foot on the plane (Ericson 2005, 5.1.5).
static Foot triangle_foot(ChVec3 a, ChVec3 b, ChVec3 c, ChVec3 x) {
  ChVec3 ab = ch_sub(b, a), ac = ch_sub(c, a), ax = ch_sub(x, a), bx = ch_sub(x, b), cx = ch_sub(x, c);
  double d1 = ch_dot(ab, ax), d2 = ch_dot(ac, ax);
  if (d1 <= 0.0 && d2 <= 0.0) return (Foot){a, 4};
  double d3 = ch_dot(ab, bx), d4 = ch_dot(ac, bx);
  if (d3 >= 0.0 && d4 <= d3) return (Foot){b, 5};
  double vc = d1 * d4 - d3 * d2;
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return on_edge(a, b, d1 / (d1 - d3), 1);
  double d5 = ch_dot(ab, cx), d6 = ch_dot(ac, cx);
  if (d6 >= 0.0 && d5 <= d6) return (Foot){c, 6};
  double vb = d5 * d2 - d1 * d6;
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return on_edge(a, c, d2 / (d2 - d6), 3);
  double va = d3 * d6 - d5 * d4;
  if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) return on_edge(b, c, (d4 - d3) / ((d4 - d3) + (d5 - d6)), 2);
  double scale = 1.0 / (va + vb + vc);
  return (Foot){ch_along(ch_along(a, vb * scale, ab), vc * scale, ac), 0};
}

static double outside(double x, double low, double high) { return x < low ? low - x : x > high ? x - high : 0.0; }

static double box_distance2(const ChBox3* box, ChVec3 x) {
  double dx = outside(x.x, box->low.x, box->high.x), dy = outside(x.y, box->low.y, box->high.y);
  double dz = outside(x.z, box->low.z, box->high.z);
  return dx * dx + dy * dy + dz * dz;
}

typedef struct Search {
  const ChMesh* mesh;
  ChVec3 point;
  double best2;
  int cell;
  Foot foot;
} Search;

static void try_leaf(Search* s, const ChMeshNode* node) {
  const ChMesh* mesh = s->mesh;
  for (int k = node->first; k < node->first + node->count; ++k) {
    const int* c = &mesh->cells[3 * mesh->order[k]];
    Foot foot = triangle_foot(mesh->vertices[c[0]], mesh->vertices[c[1]], mesh->vertices[c[2]], s->point);
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
  stack[0].d2 = box_distance2(&nodes[0].box, s->point);
  while (depth > 0) {
    --depth;
    if (!(stack[depth].d2 <= s->best2)) continue;
    const ChMeshNode* node = &nodes[stack[depth].node];
    if (node->count > 0) {
      try_leaf(s, node);
      continue;
    }
    double d2[2] = {box_distance2(&nodes[node->first].box, s->point),
                    box_distance2(&nodes[node->first + 1].box, s->point)};
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
