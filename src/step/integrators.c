// The list of integrators, and what each of them does not take.
#include "step/integrator.h"

#include <stdio.h>
#include <string.h>

#include "assemble/material_laws.h"
#include "model/soft/soft.h"
#include "model/world.h"
#include "step/composed.h"

extern const ChIntegrator ch_euler, ch_half_step, ch_two_step, ch_midpoint, ch_trapezoidal, ch_implicit_midpoint,
    ch_newmark, ch_fourth_order, ch_configuration;

static const ChIntegrator* const integrators[] = {&ch_euler,    &ch_half_step,    &ch_two_step,
                                                  &ch_midpoint, &ch_trapezoidal,  &ch_implicit_midpoint,
                                                  &ch_newmark,  &ch_fourth_order, &ch_configuration};

int ch_integrator_count(void) { return (int)(sizeof integrators / sizeof *integrators); }

ChIntegratorInfo ch_integrator_info(int index) {
  if (index < 0 || index >= ch_integrator_count()) return (ChIntegratorInfo){.name = NULL};
  return (ChIntegratorInfo){.name = integrators[index]->name, .summary = integrators[index]->summary};
}

const ChIntegrator* ch_integrator_find(const char* name) {
  for (int k = 0; name && k < ch_integrator_count(); ++k)
    if (strcmp(name, integrators[k]->name) == 0) return integrators[k];
  return NULL;
}

double ch_integrator_weight(const ChIntegrator* integrator, const ChSimulationOptions* options) {
  return integrator->weight < 0.0 ? options->midpoint : integrator->weight;
}

double ch_integrator_soft_weight(const ChSimulationOptions* options) {
  const ChIntegrator* it = ch_integrator_find(options->integrator);
  return it->contacts == CH_CONTACTS_STABILIZED ? options->deformation_weight : 1.0 - ch_integrator_weight(it, options);
}

static ChStatus refuse_unknown(ChContext* context, const char* name) {
  char list[256] = "";
  for (int k = 0; k < ch_integrator_count(); ++k) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", integrators[k]->name);
  }
  return ch_fail(context, CH_ERR_ARGUMENT, "integrator '%s' is not known; there are: %s", name ? name : "", list);
}

static ChStatus check_soft(ChContext* context, const ChSimulationOptions* o, const ChIntegrator* it,
                           const ChBody* body) {
  unsigned turns = body->locks >> 3;
  if (ch_integrator_soft_weight(o) < 0.5)
    return ch_fail(context, CH_ERR_ARGUMENT,
                   "integrator '%s' with midpoint = %g does not take deformable bodies, and '%.80s' is one: its "
                   "vibrations would grow; 0 to 0.5 is possible",
                   it->name, o->midpoint, body->name);
  if (o->project)
    return ch_fail(context, CH_ERR_ARGUMENT,
                   "positions of deformable bodies are not projected, and '%.80s' is one; leave \"project\" off",
                   body->name);
  if (turns != 0 && turns != 7)
    return ch_fail(context, CH_ERR_ARGUMENT,
                   "deformable body '%.80s': its rotations are locked about some axes; lock all of them or none",
                   body->name);
  return CH_OK;
}

ChStatus ch_integrator_check(ChContext* context, const ChSimulationOptions* o, const ChWorld* world) {
  const ChIntegrator* it = ch_integrator_find(o->integrator);
  if (!it) return refuse_unknown(context, o->integrator);
  if (!(o->midpoint >= 0.0 && o->midpoint <= 1.0))
    return ch_fail(context, CH_ERR_RANGE, "midpoint is %g, must be 0 to 1", o->midpoint);
  bool touches = world->shape_count > 0;
  for (int b = 0; b < world->body_count; ++b) {
    ChStatus status = world->bodies[b].soft ? check_soft(context, o, it, &world->bodies[b]) : CH_OK;
    if (status != CH_OK) return status;
  }
  if (it->joints == CH_JOINTS_HELD && ch_integrator_weight(it, o) > 0.5 && world->joint_count > 0)
    return ch_fail(context, CH_ERR_ARGUMENT,
                   "integrator '%s' with midpoint = %g does not take joints: the part of a velocity that violates them "
                   "would grow %.3g times in each step; 0 to 0.5 is possible",
                   it->name, o->midpoint, o->midpoint / (1.0 - o->midpoint));
  if (it->contacts == CH_CONTACTS_REFLECT && ch_integrator_weight(it, o) > 0.5 && touches)
    return ch_fail(context, CH_ERR_ARGUMENT,
                   "integrator '%s' with midpoint = %g does not take contacts: bodies would bounce at %.3g times their "
                   "speed of approach; 0 to 0.5 is possible if bodies have shapes",
                   it->name, o->midpoint, o->midpoint / (1.0 - o->midpoint));
  bool springs = it->contacts == CH_CONTACTS_STABILIZED && ch_integrator_weight(it, o) == 0.0;
  if (o->contact == CH_CONTACT_COMPLIANT && !springs)
    return ch_fail(context, CH_ERR_ARGUMENT,
                   "integrator '%s' does not take compliant contact: it must close gaps with the velocity at the end "
                   "of a step, as euler does",
                   it->name);
  if (o->contact == CH_CONTACT_COMPLIANT && o->project)
    return ch_fail(
        context, CH_ERR_ARGUMENT,
        "\"project\" and compliant contact exclude each other: projection would undo the overlaps of springs");
  if (ch_world_is_sheared(world) && !springs)
    return ch_fail(context, CH_ERR_ARGUMENT,
                   "integrator '%s' does not take springs along tangents (shear_stiffness); euler does", it->name);
  if (o->contact == CH_CONTACT_COMPLIANT && ch_world_has_own_laws(world))
    return ch_fail(context, CH_ERR_ARGUMENT,
                   "a material has a law that the program registered, and such a law has no compliance");
  if (it->composed) return ch_composed_check(context, o, world);
  if (it->needs_adaptive && o->adaptive != CH_ADAPTIVE_GAP && touches)
    return ch_fail(context, CH_ERR_ARGUMENT,
                   "integrator '%s' cannot keep a fixed step if bodies have shapes: contacts close only at the end "
                   "of a step; it needs \"adaptive\" with a gap_tolerance",
                   it->name);
  return CH_OK;
}
