// Scenes as static questions: see scene_problem.h.
#include "cli/scene_problem.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardhouse/shape.h"
#include "common/by_row.h"

bool ch_names_scene(const char* name) {
  if (ch_scene_builtin_find(name) >= 0 || strcmp(name, "-") == 0) return true;
  FILE* file = fopen(name, "rb");
  int c = file ? fgetc(file) : EOF;
  while (c != EOF && (isspace(c) || c == 0xef || c == 0xbb || c == 0xbf)) c = fgetc(file);  // a byte order mark, too
  if (file) fclose(file);
  return c == '{';
}

// Whatever the scene says of its run, one step of Euler's is made of what touches.
static ChSimulationOptions static_options(const ChSimulationOptions* of, double touching) {
  ChSimulationOptions o = ch_simulation_options_default();
  o.h = of->h;
  o.contact = CH_CONTACT_RIGID;
  o.margin = touching;
  o.look_ahead = false;
  o.adaptive = CH_ADAPTIVE_OFF;
  o.rest = false;
  o.solve.method = "nsgs";  // its answer is not looked at
  o.solve.max_iterations = 1;
  return o;
}

static ChStatus stop_bodies(ChContext* context, ChSimulation* simulation) {
  const ChWorld* world = ch_simulation_world(simulation);
  const ChVec3 zero = {0};
  ChStatus status = CH_OK;
  for (int k = 0; k < ch_world_body_count(world) && status == CH_OK; ++k)
    if (ch_row_moves(world, k))
      status = ch_simulation_set_velocity(context, simulation, ch_world_body_at(world, k), zero, zero);
  return status;
}

// `direction` NULL: gravity is the scene's own; else it is `share` of its strength along there.
static ChStatus first_step(ChContext* context, const char* text, double touching, const ChVec3* direction, double share,
                           ChProblem** out) {
  *out = NULL;
  ChScene* scene;
  ChStatus status = ch_scene_parse(context, text, NULL, &scene);
  if (status != CH_OK) return status;
  const ChSimulationOptions options = static_options(&scene->options, touching);
  const ChVec3 g = ch_world_gravity_at(scene->world, 0.0);
  const double weight = share * sqrt(g.x * g.x + g.y * g.y + g.z * g.z);
  ChWorld* world = scene->world;
  ChSimulation* simulation = NULL;
  scene->world = NULL;
  status = ch_simulation_create(context, world, &options, &simulation);
  if (status == CH_OK && direction)
    status = ch_simulation_set_gravity(context, simulation,
                                       (ChVec3){weight * direction->x, weight * direction->y, weight * direction->z});
  if (status == CH_OK) status = stop_bodies(context, simulation);
  if (status == CH_OK) status = ch_simulation_step(context, simulation, NULL);
  if (status == CH_OK) status = ch_simulation_problem(context, simulation, out);
  ch_simulation_destroy(simulation);
  ch_scene_destroy(scene);
  return status;
}

ChStatus ch_scene_problem(ChContext* context, const char* text, double touching, ChProblem** out) {
  return first_step(context, text, touching, NULL, 1.0, out);
}

ChStatus ch_scene_weight(ChContext* context, const char* text, double touching, ChVec3 direction, int dof,
                         double* load) {
  ChProblem *with = NULL, *without = NULL;  // weight; springs and the like are in both
  ChStatus status = first_step(context, text, touching, &direction, 1.0, &with);
  if (status == CH_OK) status = first_step(context, text, touching, &direction, 0.0, &without);
  if (status == CH_OK && (ch_problem_view(with).dof != dof || ch_problem_view(without).dof != dof))
    status = ch_fail(context, CH_ERR_UNSUPPORTED,
                     "other bodies touch, but there is no gravity, so no load can be made from weight");
  for (int k = 0; k < dof && status == CH_OK; ++k) load[k] = ch_problem_view(with).f[k] - ch_problem_view(without).f[k];
  ch_problem_destroy(with);
  ch_problem_destroy(without);
  return status;
}
