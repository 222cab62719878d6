// See distance_probe.h.
#include "collide/distance_probe.h"

#include "collide/closest.h"
#include "model/mesh_distance.h"

static bool field_at(const ChProbe* probe, ChVec3 x, double within, ChFieldPoint* out) {
  return ch_distance_field_at(probe->posed->shape->mesh->field, x, within, out);
}

static double field_least(const ChProbe* probe, ChVec3 x, double radius) {
  return ch_distance_field_least(probe->posed->shape->mesh->field, x) - radius;
}

static double polytope_least(const ChProbe* probe, ChVec3 x, double radius) {
  const ChPolytope* p = probe->posed->shape->polytope;
  double height = -INFINITY;
  for (int f = 0; f < p->face_count; ++f) height = fmax(height, ch_dot(p->normals[f], x) - p->offsets[f]);
  return height - radius;
}

static bool polytope_at(const ChProbe* probe, ChVec3 x, double within, ChFieldPoint* out) {
  if (!(polytope_least(probe, x, 0.0) <= within)) return false;
  ChPolytopeFoot foot = ch_polytope_foot(probe->posed->shape->polytope, x);
  *out = (ChFieldPoint){foot.distance, foot.normal};
  return foot.distance <= within;
}

static double halfspace_least(const ChProbe* probe, ChVec3 x, double radius) {
  const ChShape* s = probe->posed->shape;
  return ch_dot(s->normal, x) - s->offset - radius;
}

static bool halfspace_at(const ChProbe* probe, ChVec3 x, double within, ChFieldPoint* out) {
  *out = (ChFieldPoint){halfspace_least(probe, x, 0.0), probe->posed->shape->normal};
  return out->distance <= within;
}

// Triangles of a surface that the asking body's centre sees from behind are its other side, not its inside.
static bool surface_at(const ChProbe* probe, ChVec3 x, double within, ChFieldPoint* out) {
  const ChMesh* mesh = probe->posed->shape->mesh;
  ChMeshFoot foot;
  if (!ch_mesh_foot(mesh, x, fmax(within, probe->deepest), &foot)) return false;
  ChVec3 on = mesh->vertices[mesh->cells[3 * foot.cell]];
  if (foot.distance < 0.0 && ch_dot(mesh->normals[foot.cell], ch_sub(probe->centre, on)) < 0.0) return false;
  *out = (ChFieldPoint){foot.distance, foot.normal};
  return foot.distance <= within;
}

static double surface_least(const ChProbe* probe, ChVec3 x, double radius) {
  ChMeshFoot foot;
  if (!ch_mesh_foot(probe->posed->shape->mesh, x, radius + probe->deepest, &foot)) return INFINITY;
  return foot.distance - radius;
}

static ChBox3 polytope_box(const ChPolytope* p) {
  ChBox3 box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (int v = 0; v < p->vertex_count; ++v) {
    ChVec3 x = p->vertices[v];
    box.low = ch_vec(fmin(box.low.x, x.x), fmin(box.low.y, x.y), fmin(box.low.z, x.z));
    box.high = ch_vec(fmax(box.high.x, x.x), fmax(box.high.y, x.y), fmax(box.high.z, x.z));
  }
  return box;
}

ChProbe ch_probe(const ChPosed* target, ChVec3 centre, double size) {
  const ChShape* s = target->shape;
  ChProbe probe = {.posed = target, .deepest = size};
  probe.centre = ch_mat_apply_transposed(&target->turn, ch_sub(centre, target->frame.at));
  if (s->type == CH_SHAPE_HALFSPACE) {
    probe.at = halfspace_at, probe.least = halfspace_least, probe.flat = true;
  } else if (s->polytope) {
    probe.at = polytope_at, probe.least = polytope_least, probe.box = polytope_box(s->polytope);
  } else {
    bool solid = s->mesh->field != NULL;
    probe.at = solid ? field_at : surface_at, probe.least = solid ? field_least : surface_least;
    probe.box = s->mesh->nodes[0].box;
  }
  return probe;
}
