// Cardhouse, by its public headers alone: certified rest off, as peers have their sleeping off, and on.
#include <math.h>
#include <stdlib.h>

#include "cardhouse/cardhouse.h"
#include "engines.h"

enum { REST_OFF, REST_ON };

typedef struct Ours {
  ChSimulation* simulation;
  double certificate;
  long missed, resting;
} Ours;

static ChStatus add_body(ChContext* context, ChWorld* world, const ChSceneBody* from, ChMaterialId material) {
  ChBodyDef body = ch_body_def_default();
  body.kind = from->fixed ? CH_BODY_FIXED : CH_BODY_DYNAMIC;
  body.position = from->position;
  body.orientation = from->orientation;
  if (from->in_plane) body.locks = CH_LOCK_Y | CH_LOCK_RX | CH_LOCK_RZ;
  if (!from->fixed) {
    body.mass = from->mass;
    body.inertia[0] = from->inertia.x;
    body.inertia[1] = from->inertia.y;
    body.inertia[2] = from->inertia.z;
  }
  static const ChShapeType types[] = {
      [CH_SCENE_BOX] = CH_SHAPE_BOX, [CH_SCENE_SPHERE] = CH_SHAPE_SPHERE, [CH_SCENE_BLOCK] = CH_SHAPE_HULL};
  ChShapeDef shape = ch_shape_def_default();
  shape.type = types[from->shape];
  shape.material = material;
  if (from->shape == CH_SCENE_BOX) shape.half = from->half;
  if (from->shape == CH_SCENE_SPHERE) shape.radius = from->radius;
  if (from->shape == CH_SCENE_BLOCK) {
    shape.points = from->corners;
    shape.point_count = CH_BLOCK_CORNERS;
  }
  ChBodyId id;
  ChStatus status = ch_world_add_body(context, world, &body, &id);
  return status == CH_OK ? ch_world_add_shape(context, world, id, &shape, NULL) : status;
}

ChWorld* ch_engine_world(ChContext* context, const ChSceneBodies* scene) {
  ChWorld* world = NULL;
  ChSignal gravity[3] = {{.base = scene->gravity.x}, {.base = scene->gravity.y}, {.base = scene->gravity.z}};
  ChMaterialDef material = ch_material_def_default();
  material.friction[0] = material.friction[1] = scene->mu;
  ChMaterialId id;
  ChStatus status = ch_world_create(context, 3, &world);
  if (status == CH_OK) status = ch_world_set_gravity(context, world, gravity);
  if (status == CH_OK) status = ch_world_add_material(context, world, &material, &id);
  for (int i = 0; status == CH_OK && i < scene->count; ++i) status = add_body(context, world, &scene->list[i], id);
  if (status == CH_OK) return world;
  ch_world_destroy(world);
  return NULL;
}

static void destroy(void* engine) {
  Ours* ours = engine;
  ch_simulation_destroy(ours->simulation);
  free(ours);
}

static void* create(const ChEngineInput* input) {
  ChContext context = {0};
  Ours* ours = calloc(1, sizeof *ours);
  ChWorld* world = ours ? ch_engine_world(&context, input->scene) : NULL;
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = input->h;
  options.rest = input->row->variant == REST_ON;
  options.solve.tolerance = input->tolerance;
  if (input->scene->grains) options.contact = CH_CONTACT_COMPLIANT;
  if (world && ch_simulation_create(&context, world, &options, &ours->simulation) == CH_OK) return ours;
  free(ours);
  return NULL;
}

static bool step(void* engine) {
  Ours* ours = engine;
  ChContext context = {0};
  ChStepInfo info;
  if (ch_simulation_step(&context, ours->simulation, &info) != CH_OK) return false;
  if (!(info.certificate.natural <= ours->certificate)) ours->certificate = info.certificate.natural;
  ours->missed += info.missed;
  ours->resting += info.islands > 0 && info.resting == info.islands;
  return true;
}

static void read(void* engine, int body, ChBodyView* view) {
  *view = ch_simulation_body_at(((Ours*)engine)->simulation, body);
}

static void report(void* engine, ChEngineReport* out) {
  const Ours* ours = engine;
  out->contacts = ch_simulation_info(ours->simulation).contacts;
  out->graded = true;
  out->certificate = ours->certificate;
  out->missed = ours->missed;
  out->resting_steps = ours->resting;
}

const ChEngineRow* ch_engine_rows_ours(int* count) {
  static const ChEngineRow rows[] = {
      CH_ENGINE_ROW("Cardhouse", REST_OFF, "defaults, --rest off: every step is solved anew"),
      CH_ENGINE_ROW("Cardhouse rest", REST_ON, "defaults: an island at certified rest keeps its reactions"),
  };
  *count = sizeof rows / sizeof *rows;
  return rows;
}
