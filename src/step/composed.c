// See composed.h.
#include "step/composed.h"

#include <math.h>
#include <string.h>

#include "assemble/soft_body.h"
#include "base/check.h"
#include "step/adaptive.h"
#include "step/in_step.h"

enum { PARTS = 5 };
#define PART 0.41449077179437573714  // 1 / (4 - 4^(1/3))
static const double shares[PARTS] = {PART, PART, 1.0 - 4.0 * PART, PART, PART};

static const char* joint_trouble(const ChJoint* joint) {
  for (int k = 0; k < 3; ++k) {
    const ChJointAxis* a = &joint->axes[k];
    if (a->limited) return "limits";
    if (a->friction > 0.0) return "friction";
    if (a->damping > 0.0) return "damping";
    if (a->drive != CH_DRIVE_NONE) return "a drive";
  }
  return NULL;
}

ChStatus ch_composed_check(ChContext* context, const ChSimulationOptions* o, const ChWorld* world) {
  const char *name = o->integrator, *trouble = NULL, *of = "the world";
  if (world->shape_count > 1) trouble = "shapes that may touch";
  if (!ch_world_is_autonomous(world)) trouble = "motions or forces that depend on time";
  if (o->adaptive == CH_ADAPTIVE_GAP || o->project) trouble = "adaptive steps by gaps, or projected positions";
  for (int j = 0; j < world->joint_count && !trouble; ++j)
    if ((trouble = joint_trouble(&world->joints[j]))) of = world->joints[j].name;
  for (int f = 0; f < world->force_count && !trouble; ++f)
    if (world->forces[f].def.type == CH_FORCE_DRAG || world->forces[f].def.damping > 0.0)
      trouble = "damping", of = world->forces[f].def.name;
  for (int b = 0; b < world->body_count && !trouble; ++b) {
    const ChSoft* soft = world->bodies[b].soft;
    if (soft && (soft->alpha > 0.0 || soft->beta > 0.0 || soft->arms > 0))
      trouble = "internal damping", of = world->bodies[b].name;
  }
  if (!trouble) return CH_OK;
  return ch_fail(context, CH_ERR_ARGUMENT,
                 "integrator '%s' takes steps backwards and is for smooth motion without losses, but %.80s has %s; "
                 "half-step allows this",
                 name, of && of[0] ? of : "a force", trouble);
}

static void turn_round(ChSimulation* s) {
  const ChWorld* world = s->world;
  for (int b = 0; b < world->body_count; ++b) {
    s->states[b].velocity = ch_neg(s->states[b].velocity);
    s->states[b].omega = ch_neg(s->states[b].omega);
    double* rates = ch_state_rates(world, s->states, b);
    for (int a = 0; a < ch_body_modes(world, b); ++a) rates[a] = -rates[a];
  }
}

ChStatus ch_composed_step(ChContext* context, ChSimulation* s, double end, ChStepInfo* info) {
  const double h = s->options.h, start = s->time;
  CH_ASSERT(h > 0.0);
  *info = (ChStepInfo){.h = h, .shortest = h};
  s->trial = (ChTrial){0};
  ChStatus status = CH_OK;
  double at = 0.0;
  for (int k = 0; k < PARTS && status == CH_OK; ++k) {
    ChStepInfo part;
    at += shares[k];
    if (shares[k] < 0.0) turn_round(s);
    memcpy(s->before, s->states, ch_world_state_bytes(s->world));
    status = ch_step_try(context, s, fabs(shares[k]) * h, k < PARTS - 1 ? start + at * h : end, &part);
    if (shares[k] < 0.0) turn_round(s);
    if (status != CH_OK) break;
    ch_step_add(info, &part);
    s->time = part.time;
  }
  info->substeps = 1;
  return status;
}
