// Masses of robots: what the engine finds for a shape, moved and put together (Steiner's rule).
#include "cardhouse/body.h"
#include "cardhouse/shape.h"
#include "scene/robot/robot.h"

static ChMat3 tensor(const double j[6]) {
  return (ChMat3){{{j[0], j[3], j[4]}, {j[3], j[1], j[5]}, {j[4], j[5], j[2]}}};
}

// One body with one shape in a world of its own.
static ChStatus weigh(ChContext* context, ChWorld* world, const ChShapeDef* def, ChRobotMass* out) {
  ChMaterialDef material = ch_material_def_default();
  ChBodyDef body = ch_body_def_default();
  ChBodyId id;
  material.density = 1.0;
  ChStatus status = ch_world_add_material(context, world, &material, NULL);
  if (status == CH_OK) status = ch_world_add_body(context, world, &body, &id);
  if (status == CH_OK) status = ch_world_add_shape(context, world, id, def, NULL);
  if (status == CH_OK) status = ch_world_seal(context, world);
  if (status != CH_OK) return status;
  ChBodyInfo info = ch_world_body_info(world, id);
  *out = (ChRobotMass){info.mass, info.centre, tensor(info.inertia)};
  return CH_OK;
}

static ChStatus weigh_alone(ChContext* context, ChRobot* robot, const ChShapeDef* def, ChRobotMass* out) {
  ChShapeDef found = *def;
  if (found.file) found.file = ch_path_beside(robot->reader->arena, robot->reader->document->file, found.file);
  ChWorld* world;
  ChStatus status = ch_world_create(context, 3, &world);
  if (status != CH_OK) return status;
  status = weigh(context, world, &found, out);
  ch_world_destroy(world);
  return status;
}

bool ch_robot_try_weigh(ChRobot* robot, const ChShapeDef* def, ChRobotMass* out) {
  return weigh_alone(NULL, robot, def, out) == CH_OK;
}

bool ch_robot_weigh(ChRobot* robot, const ChXmlNode* node, const ChShapeDef* def, ChRobotMass* out) {
  ChReader* r = robot->reader;
  ChContext context = {0};
  ChStatus status = weigh_alone(&context, robot, def, out);
  if (status == CH_OK) return true;
  if (status != CH_ERR_MEMORY && status != CH_ERR_DEVICE) return ch_xml_wrong(r, node, "%s", context.message);
  r->status = ch_fail(r->context, status, "%s", context.message);
  return false;
}

ChRobotMass ch_robot_mass_placed(ChFrame frame, ChRobotMass m) {
  return (ChRobotMass){m.mass, ch_frame_point(frame, m.centre), ch_mat_turned(frame.orientation, &m.inertia)};
}

// J += m (d.d I - d d')
static void add_steiner(ChMat3* j, double mass, ChVec3 d) {
  for (int k = 0; k < 3; ++k) j->m[k][k] += mass * ch_dot(d, d);
  ch_mat_add_outer(j, -mass, d, d);
}

ChRobotMass ch_robot_mass_sum(ChRobotMass a, ChRobotMass b) {
  double mass = a.mass + b.mass;
  if (!(mass > 0.0)) return a;
  ChRobotMass sum = {.mass = mass,
                     .centre = ch_scale(1.0 / mass, ch_along(ch_scale(a.mass, a.centre), b.mass, b.centre)),
                     .inertia = ch_mat_along(&a.inertia, 1.0, &b.inertia)};
  add_steiner(&sum.inertia, a.mass, ch_sub(a.centre, sum.centre));
  add_steiner(&sum.inertia, b.mass, ch_sub(b.centre, sum.centre));
  return sum;
}

ChRobotMass ch_robot_mass_scaled(double factor, ChRobotMass m) {
  const ChMat3 none = {0};
  return (ChRobotMass){factor * m.mass, m.centre, ch_mat_along(&none, factor, &m.inertia)};
}
