// A block slides on a floor and comes to rest, built and stepped through the library: the text is in docs/library.md.
//
// With friction MU it loses speed at the rate MU g, so that it stops after
//   t = v / (MU g)   having gone   s = v^2 / (2 MU g)
// The time step h shortens the way by h v / 2: the scheme is of first order, and exact in the speed.
#include <cardhouse/cardhouse.h>
#include <math.h>
#include <stdio.h>

static const double SPEED = 2.0, MU = 0.5, GRAVITY = 9.81, H = 1e-3;

// A half-space that is fixed, and a box of 40 x 20 x 20 cm upon it.
static ChStatus build_world(ChContext* context, ChWorld** world, ChBodyId* block) {
  ChStatus status = ch_world_create(context, 3, world);
  if (status != CH_OK) return status;

  const ChSignal gravity[3] = {{.base = 0.0}, {.base = 0.0}, {.base = -GRAVITY}};
  ch_world_set_gravity(context, *world, gravity);

  ChMaterialDef wood = ch_material_def_default();  // density 1000 kg / m^3
  wood.friction[0] = wood.friction[1] = MU;
  ChMaterialId material;
  status = ch_world_add_material(context, *world, &wood, &material);
  if (status != CH_OK) return status;

  ChBodyId floor;
  ChBodyDef floor_body = ch_body_def_default();
  floor_body.kind = CH_BODY_FIXED;
  ChShapeDef ground = ch_shape_def_default();  // its normal is z
  ground.type = CH_SHAPE_HALFSPACE;
  ground.material = material;
  status = ch_world_add_body(context, *world, &floor_body, &floor);
  if (status == CH_OK) status = ch_world_add_shape(context, *world, floor, &ground, NULL);
  if (status != CH_OK) return status;

  ChBodyDef block_body = ch_body_def_default();
  block_body.name = "block";
  block_body.position = (ChVec3){0.0, 0.0, 0.1};
  block_body.velocity = (ChVec3){SPEED, 0.0, 0.0};
  ChShapeDef box = ch_shape_def_default();
  box.type = CH_SHAPE_BOX;
  box.half = (ChVec3){0.2, 0.1, 0.1};
  box.material = material;
  status = ch_world_add_body(context, *world, &block_body, block);
  return status == CH_OK ? ch_world_add_shape(context, *world, *block, &box, NULL) : status;
}

static int complain(const ChContext* context) {
  fprintf(stderr, "%s\n", context->message);
  return 2;
}

int main(void) {
  ChContext context = {0};
  ChWorld* world = NULL;
  ChBodyId block;
  if (build_world(&context, &world, &block) != CH_OK) {
    ch_world_destroy(world);
    return complain(&context);
  }

  ChSimulationOptions options = ch_simulation_options_default();
  options.h = H;
  options.solve.tolerance = 1e-10;
  ChSimulation* simulation;
  if (ch_simulation_create(&context, world, &options, &simulation) != CH_OK) return complain(&context);

  ChSummary summary = ch_summary_begin(simulation);
  while (ch_simulation_time(simulation) < 1.0) {
    ChStepInfo info;
    if (ch_simulation_step(&context, simulation, &info) != CH_OK) {
      ch_simulation_destroy(simulation);
      return complain(&context);
    }
    ch_summary_add(&summary, simulation);
    if (info.step % 100 == 0) {
      ChBodyView view = ch_simulation_body(simulation, block);
      printf("t = %.1f s   x = %.4f m   v = %7.4f m/s   natural %.1e\n", info.time, view.position.x, view.velocity.x,
             info.certificate.natural);
    }
  }

  double way = ch_simulation_body(simulation, block).position.x, exact = SPEED * SPEED / (2.0 * MU * GRAVITY);
  printf("way %.6f m, exact %.6f m less h v / 2 = %.6f m\n", way, exact, H * SPEED / 2.0);
  printf("%ld steps, %ld of them not solved to %g, worst %.1e\n", summary.steps, summary.missed,
         options.solve.tolerance, summary.worst.natural);
  ch_simulation_destroy(simulation);  // and the world with it
  return summary.missed == 0 && fabs(way - (exact - H * SPEED / 2.0)) < 1e-5 ? 0 : 1;
}
