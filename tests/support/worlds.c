#include "support/worlds.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/vector.h"

static ChContext context;

// Support code knows no test runner: what cannot be is the end of the program, which the runner sees.
static void must(ChStatus status) {
  if (status == CH_OK) return;
  fprintf(stderr, "%s: %s\n", ch_status_text(status), context.message);
  abort();
}

ChWorld* ch_test_world(int dimension, double g, double mu, double restitution) {
  ChWorld* world;
  ChSignal gravity[3] = {{.base = 0.0}, {.base = 0.0}, {.base = 0.0}};
  gravity[dimension - 1].base = -g;
  ChMaterialDef material = ch_material_def_default();
  material.friction[0] = material.friction[1] = mu;
  material.restitution = restitution;
  must(ch_world_create(&context, dimension, &world));
  must(ch_world_set_gravity(&context, world, gravity));
  must(ch_world_add_material(&context, world, &material, NULL));
  return world;
}

int ch_test_body(ChWorld* world, const ChBodyDef* body, const ChShapeDef* shape) {
  must(ch_world_add_body(&context, world, body, NULL));
  int row = ch_world_body_count(world) - 1;
  if (shape) ch_test_shape(world, row, shape);
  return row;
}

void ch_test_shape(ChWorld* world, int body, const ChShapeDef* shape) {
  must(ch_world_add_shape(&context, world, ch_body_id(body), shape, NULL));
}

ChJointId ch_test_joint(ChWorld* world, const ChJointDef* joint) {
  ChJointId id;
  must(ch_world_add_joint(&context, world, joint, &id));
  return id;
}

ChJointDef ch_test_joint_def(ChJointType type, int a, int b, ChVec3 at) {
  ChJointDef joint = ch_joint_def_default();
  joint.type = type;
  joint.body[0] = a < 0 ? CH_GROUND : ch_body_id(a);
  joint.body[1] = ch_body_id(b);
  joint.at = at;
  joint.axis = ch_axis(1);
  joint.second_axis = ch_axis(2);
  joint.second_at = ch_along(at, 0.3, ch_vec(1.0, 0.2, 0.1));
  return joint;
}

ChForceId ch_test_force(ChWorld* world, const ChForceDef* force) {
  ChForceId id;
  must(ch_world_add_force(&context, world, force, &id));
  return id;
}

ChMaterialId ch_test_material(ChWorld* world, const ChMaterialDef* material) {
  ChMaterialId id;
  must(ch_world_add_material(&context, world, material, &id));
  return id;
}

int ch_test_floor(ChWorld* world) {
  bool plane = ch_world_dimension(world) == 2;
  ChBodyDef body = ch_body_def_default();
  ChShapeDef shape = ch_shape_def_default();
  body.kind = CH_BODY_FIXED;
  shape.type = plane ? CH_SHAPE_HALFPLANE : CH_SHAPE_HALFSPACE;
  if (plane) shape.normal = (ChVec3){0.0, 1.0, 0.0};
  return ch_test_body(world, &body, &shape);
}

int ch_test_ball(ChWorld* world, ChVec3 at, double radius, ChVec3 velocity) {
  ChBodyDef body = ch_body_def_default();
  ChShapeDef shape = ch_shape_def_default();
  body.position = at;
  body.velocity = velocity;
  shape.type = ch_world_dimension(world) == 2 ? CH_SHAPE_DISK : CH_SHAPE_SPHERE;
  shape.radius = radius;
  return ch_test_body(world, &body, &shape);
}

int ch_test_box(ChWorld* world, ChVec3 at, ChVec3 half) {
  ChBodyDef body = ch_body_def_default();
  ChShapeDef shape = ch_shape_def_default();
  body.position = at;
  shape.type = ch_world_dimension(world) == 2 ? CH_SHAPE_RECTANGLE : CH_SHAPE_BOX;
  shape.half = half;
  return ch_test_body(world, &body, &shape);
}

int ch_test_point(ChWorld* world, ChVec3 at, ChVec3 velocity, double mass) {
  ChBodyDef body = ch_body_def_default();
  body.position = at;
  body.velocity = velocity;
  body.mass = mass;
  body.inertia[0] = body.inertia[1] = body.inertia[2] = 1.0;
  return ch_test_body(world, &body, NULL);
}

ChSimulationOptions ch_test_exact_options(const char* integrator, double h) {
  ChSimulationOptions options = ch_simulation_options_default();
  options.integrator = integrator;
  options.h = h;
  options.solve.tolerance = 1e-12;
  return options;
}

ChSimulation* ch_test_start(ChWorld* world, const ChSimulationOptions* options) {
  ChSimulation* simulation;
  must(ch_simulation_create(&context, world, options, &simulation));
  return simulation;
}

void ch_test_set_options(ChSimulation* simulation, const ChSimulationOptions* options) {
  must(ch_simulation_set_options(&context, simulation, options));
}

ChStepInfo ch_test_step(ChSimulation* simulation) {
  ChStepInfo info;
  must(ch_simulation_step(&context, simulation, &info));
  return info;
}

ChStepInfo ch_test_run(ChSimulation* simulation, double until) {
  ChStepInfo info = ch_simulation_info(simulation);
  while (ch_simulation_time(simulation) < until - 1e-9) {
    info = ch_test_step(simulation);
    if (!info.missed) continue;
    fprintf(stderr, "step %ld missed its tolerance: natural %g\n", info.step, info.certificate.natural);
    abort();
  }
  return info;
}
