// A control loop: a rod stands on a hinge, upside down, and a motor's torque keeps it there. The text is in
// docs/library.md.
#include <cardhouse/cardhouse.h>
#include <math.h>
#include <stdio.h>

static const double MASS = 1.0, HALF = 0.5, GRAVITY = 9.81, H = 1e-3;

// A rod of 1 m that leans by 0.1 rad, on a hinge about y through its lower end; the hinge is driven by a torque.
static ChStatus build(ChContext* context, ChWorld** world, ChJointId* hinge) {
  ChStatus status = ch_world_create(context, 3, world);
  const ChSignal gravity[3] = {{.base = 0.0}, {.base = 0.0}, {.base = -GRAVITY}};
  if (status == CH_OK) status = ch_world_set_gravity(context, *world, gravity);
  ChBodyDef rod = ch_body_def_default();
  rod.position = (ChVec3){0.0, 0.0, HALF};  // upright: the hinge's angle counts from here
  rod.mass = MASS;
  rod.inertia[0] = rod.inertia[1] = MASS * HALF * HALF / 3.0;
  rod.inertia[2] = 1e-3;
  ChBodyId body = {0};
  if (status == CH_OK) status = ch_world_add_body(context, *world, &rod, &body);
  ChJointDef def = ch_joint_def_default();
  def.type = CH_JOINT_HINGE;
  def.body[0] = CH_GROUND;
  def.body[1] = body;
  def.axis = (ChVec3){0.0, 1.0, 0.0};
  def.axes[0].drive = CH_DRIVE_FORCE;
  return status == CH_OK ? ch_world_add_joint(context, *world, &def, hinge) : status;
}

int main(void) {
  ChContext context = {0};
  ChWorld* world = NULL;
  ChJointId hinge;
  if (build(&context, &world, &hinge) != CH_OK) return fprintf(stderr, "%s\n", context.message), 2;
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = H;
  ChSimulation* simulation;
  if (ch_simulation_create(&context, world, &options, &simulation) != CH_OK)
    return fprintf(stderr, "%s\n", context.message), 2;
  const double lean = 0.1;  // radian; about the hinge, so that the rod stays on it
  ChBodyView view = {.position = {HALF * sin(lean), 0.0, HALF * cos(lean)},
                     .orientation = {cos(0.5 * lean), 0.0, sin(0.5 * lean), 0.0}};
  ChStatus status = ch_simulation_set_body(&context, simulation, ch_world_body_at(world, 0), &view);
  double worst = 0.0;
  while (status == CH_OK && ch_simulation_time(simulation) < 60.0) {
    ChJointView joint = ch_simulation_joint(simulation, hinge);
    double torque = -20.0 * joint.position[0] - 4.0 * joint.speed[0];  // PD: stiffer than m g l = 4.9 N m
    status = ch_simulation_set_target(&context, simulation, hinge, 0, torque);
    if (status == CH_OK) status = ch_simulation_step(&context, simulation, NULL);
    worst = fmax(worst, ch_simulation_info(simulation).certificate.natural);
  }
  double angle = ch_simulation_joint(simulation, hinge).position[0];
  printf("after %.0f s the rod leans by %.1e rad; worst certificate %.1e\n", ch_simulation_time(simulation), angle,
         worst);
  ch_simulation_destroy(simulation);
  return status == CH_OK && fabs(angle) < 1e-6 && worst <= options.solve.tolerance ? 0 : 1;
}
