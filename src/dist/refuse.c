// What of a simulation cannot be distributed yet. Whoever asks for it is told by name, and nothing is left out
// silently.
#include <math.h>
#include <string.h>

#include "cardhouse/periodic.h"
#include "dist/dist.h"

static ChStatus refuse(ChContext* context, const char* what) {
  return ch_fail(context, CH_ERR_UNSUPPORTED,
                 "%s cannot be distributed yet (docs/scale.md); run it without --distributed", what);
}

static const char* unsupported_option(const ChSimulationOptions* o) {
  if (strcmp(o->integrator, "euler") != 0) return "an integrator other than euler";
  if (o->project) return "a step with \"project\"";
  if (o->adaptive == CH_ADAPTIVE_GAP) return "a step whose length follows the overlap (\"adaptive\": \"gap\")";
  if (o->step_limit > 0.0 || isfinite(o->solve.time_limit)) return "a step with a limit on the clock";
  if (!o->islands) return "a run without islands";
  return NULL;
}

static bool bounces(const ChWorld* world) {
  for (int m = 0; m < world->material_count; ++m)
    if (world->materials[m].restitution > 0.0) return true;
  for (int k = 0; k < world->pair_count; ++k)
    if (world->pairs[k].restitution > 0.0) return true;
  return false;
}

static bool shears(const ChWorld* world) {
  for (int m = 0; m < world->material_count; ++m)
    if (world->materials[m].shear_stiffness > 0.0) return true;
  for (int k = 0; k < world->pair_count; ++k)
    if (world->pairs[k].shear_stiffness > 0.0) return true;
  return false;
}

static const char* unsupported_joint(const ChWorld* world) {
  for (int j = 0; j < world->joint_count; ++j)
    for (int a = 0; a < 3; ++a)
      if (world->joints[j].axes[a].stiffness > 0.0 || world->joints[j].axes[a].damping > 0.0)
        return "a spring in a joint";
  return NULL;
}

static const char* unsupported_world(const ChWorld* world, const ChSimulationOptions* options) {
  if (world->mode_count > 0) return "a deformable body";
  if (ch_periodic_any(&world->periodic)) return "a periodic world";
  if (world->recirculation.radius > 0.0) return "recirculation";
  if (world->recirculation.radius > 0.0) return "recirculated bodies";
  if (world->force_count > 0) return "a spring, wrench, drag or other force of the scene";
  if (shears(world)) return "a spring along the tangents of a contact";
  if (options->contact == CH_CONTACT_RIGID && bounces(world)) return "restitution in rigid contact";
  for (int k = 0; k < world->shape_count; ++k)
    if (!isfinite(world->shapes[k].reach) && world->bodies[world->shapes[k].body].kind == CH_BODY_DYNAMIC)
      return "a half-space on a body that moves freely";
  return unsupported_joint(world);
}

ChStatus ch_dist_refuse(ChContext* context, const ChSimulation* s) {
  const char* what = unsupported_option(&s->options);
  if (!what) what = unsupported_world(s->world, &s->options);
  return what ? refuse(context, what) : CH_OK;
}
