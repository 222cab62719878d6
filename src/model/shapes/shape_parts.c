// What the types of shapes are made of. See shape_kind.h.
#include "model/shapes/shape_kind.h"

ChStatus ch_shape_make_halfspace(ChContext* context, ChWorld* world, const ChShapeDef* def, ChShape* shape) {
  (void)context, (void)world;
  shape->normal = ch_unit(def->normal);
  shape->offset = def->offset / ch_norm(def->normal);
  shape->bound = INFINITY;
  return CH_OK;
}

ChStatus ch_shape_take_polytope(ChStatus status, const ChPolytope* polytope, ChShape* shape) {
  if (status != CH_OK) return status;
  shape->polytope = polytope;
  shape->bound = polytope->radius;
  return CH_OK;
}

ChStatus ch_shape_take_mesh(ChStatus status, const ChMesh* mesh, ChShape* shape) {
  if (status != CH_OK) return status;
  shape->mesh = mesh;
  for (int v = 0; v < mesh->vertex_count; ++v) shape->bound = fmax(shape->bound, ch_norm(mesh->vertices[v]));
  return CH_OK;
}

// --------------------------------------------------------------------------------------------------------------- reach

ChReach ch_shape_reach_both(double reach) { return (ChReach){-reach, reach}; }

ChReach ch_shape_reach_half(const ChShape* s, ChVec3 d) {
  return ch_shape_reach_both(fabs(d.x) * s->half.x + fabs(d.y) * s->half.y + fabs(d.z) * s->half.z);
}

ChReach ch_shape_reach_polytope(const ChShape* s, ChVec3 d) {
  ChReach reach = {INFINITY, -INFINITY};
  for (int i = 0; i < s->polytope->vertex_count; ++i) {
    double x = ch_dot(d, s->polytope->vertices[i]);
    reach.low = fmin(reach.low, x);
    reach.high = fmax(reach.high, x);
  }
  return reach;
}

ChReach ch_box_reach(const ChBox3* box, ChVec3 d) {
  ChVec3 middle = ch_scale(0.5, ch_add(box->low, box->high)), half = ch_scale(0.5, ch_sub(box->high, box->low));
  double centre = ch_dot(d, middle), r = fabs(d.x) * half.x + fabs(d.y) * half.y + fabs(d.z) * half.z;
  return (ChReach){centre - r, centre + r};
}

ChReach ch_shape_reach_mesh(const ChShape* s, ChVec3 d) { return ch_box_reach(&s->mesh->nodes[0].box, d); }
