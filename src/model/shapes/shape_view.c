// A world looked at from outside: see cardhouse/shape.h.
#include "model/ids.h"
#include "model/mesh/mesh.h"
#include "model/shapes/mass_properties.h"
#include "model/world.h"

static bool has_body(const ChWorld* world, int body) { return body >= 0 && body < world->body_count; }
static bool has_shape(const ChWorld* world, int shape) { return shape >= 0 && shape < world->shape_count; }

int ch_world_shape_count(const ChWorld* world) { return world->shape_count; }

ChShapeView ch_world_shape(const ChWorld* world, int row) {
  if (!has_shape(world, row)) return (ChShapeView){0};
  const ChShape* shape = &world->shapes[row];
  ChShapeView view = {.type = shape->type,
                      .id = ch_shape_id_of(world, row),
                      .body = shape->body,
                      .material = shape->material,
                      .local = shape->local,
                      .radius = shape->radius,
                      .half_length = shape->half_length,
                      .half = shape->half,
                      .normal = shape->normal,
                      .offset = shape->offset,
                      .bound = shape->bound,
                      .reach = shape->reach};
  if (shape->polytope) {
    view.point_count = shape->polytope->vertex_count;
    view.points = shape->polytope->vertices;
  }
  if (shape->mesh) {
    view.point_count = shape->mesh->vertex_count;
    view.points = shape->mesh->vertices;
    view.cell_count = shape->mesh->cell_count;
    view.cell_size = shape->mesh->width;
    view.cells = shape->mesh->cells;
  }
  return view;
}

int ch_world_body_shapes(const ChWorld* world, int body, int* first) {
  const bool there = has_body(world, body);
  if (first) *first = there ? world->bodies[body].first_shape : 0;
  return there ? world->bodies[body].shape_count : 0;
}

double ch_world_shape_volume(const ChWorld* world, int row) {
  return has_shape(world, row) ? ch_mass_of_shape(&world->shapes[row], 1.0).mass : 0.0;
}

int ch_world_material_count(const ChWorld* world) { return world->material_count; }

ChMaterialDef ch_world_material(const ChWorld* world, int row) {
  if (row < 0 || row >= world->material_count) return (ChMaterialDef){0};
  const ChMaterial* m = &world->materials[row];
  return (ChMaterialDef){.name = m->name,
                         .density = m->density,
                         .friction = {m->friction[0], m->friction[1]},
                         .axis = m->axis,
                         .section = m->section[0],
                         .law = m->law,
                         .restitution = m->restitution,
                         .young = m->young,
                         .poisson = m->poisson,
                         .stiffness = m->stiffness,
                         .damping = m->damping,
                         .rolling = m->rolling,
                         .drilling = m->drilling,
                         .cohesion = m->cohesion,
                         .heals = m->heals,
                         .shear_stiffness = m->shear_stiffness,
                         .shear_damping = m->shear_damping,
                         .ellipsoidal = m->ellipsoidal,
                         .look = m->look,
                         .curve = m->curve ? *m->curve : (ChFrictionCurve){0}};
}

int ch_world_pair_count(const ChWorld* world) { return world->pair_count; }

ChPairDef ch_world_pair(const ChWorld* world, int row) {
  if (row < 0 || row >= world->pair_count) return (ChPairDef){0};
  const ChMaterialPair* pair = &world->pairs[row];
  return (ChPairDef){
      .material = {ch_material_id_of(world, pair->material[0]), ch_material_id_of(world, pair->material[1])},
      .friction = {pair->friction[0], pair->friction[1]},
      .restitution = pair->restitution,
      .stiffness = pair->stiffness,
      .damping = pair->damping,
      .rolling = pair->rolling,
      .drilling = pair->drilling,
      .cohesion = pair->cohesion,
      .shear_stiffness = pair->shear_stiffness,
      .shear_damping = pair->shear_damping,
      .curve = pair->curve ? *pair->curve : (ChFrictionCurve){0}};
}

ChFrame ch_world_body_start(const ChWorld* world, int body, ChVec3* velocity) {
  const bool there = has_body(world, body);
  if (velocity) *velocity = there ? world->states[body].velocity : (ChVec3){0};
  return there ? ch_state_frame(world->states, body) : (ChFrame){0};
}

ChVec3 ch_world_gravity_at(const ChWorld* world, double time) { return ch_world_gravity(world, time); }
