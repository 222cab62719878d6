// See adaptive.h.
#include "step/adaptive.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "solve/method.h"
#include "step/in_step.h"

enum { LARGE = 500 };  // contacts, from which on the default halves

bool ch_adaptive_halves(const ChSimulation* s) {
  const ChSimulationOptions* o = &s->options;
  bool clock = s->deadline > 0.0 || isfinite(o->solve.time_limit);
  bool misses = ch_method_find(o->solve.method)->engine_sweeps > 0;
  return !clock && !misses && (o->adaptive == CH_ADAPTIVE_MISS || o->adaptive == CH_ADAPTIVE_LARGE);
}

void ch_trial_settle(ChSimulation* s, int contacts) {
  if (s->options.adaptive == CH_ADAPTIVE_LARGE && contacts < LARGE) s->trial = (ChTrial){0};
}

// What a substep adds to the step that it is part of.
static void add_substep(ChStepInfo* sum, const ChStepInfo* part) {
  ChStepInfo whole = *part;  // counts, energies and momenta are those at the end
  whole.h = sum->h;
  whole.substeps = sum->substeps + 1;
  whole.rejected = sum->rejected;
  whole.shortest = fmin(sum->shortest, part->h);
  whole.impacts += sum->impacts;
  whole.iterations += sum->iterations;
  whole.certificate = ch_certificate_worse(sum->certificate, part->certificate);
  whole.missed |= sum->missed;
  whole.penetration = fmax(sum->penetration, part->penetration);
  whole.deferred = fmax(sum->deferred, part->deferred);
  whole.joint_error = fmax(sum->joint_error, part->joint_error);
  whole.work += sum->work;
  whole.gain += sum->gain;
  whole.seconds_collide += sum->seconds_collide;
  whole.seconds_assemble += sum->seconds_assemble;
  whole.seconds_solve += sum->seconds_solve;
  *sum = whole;
}

// What a try that was undone leaves behind: what it cost.
static void add_rejected(ChStepInfo* sum, const ChStepInfo* part) {
  ++sum->rejected;
  sum->iterations += part->iterations;
  sum->seconds_collide += part->seconds_collide;
  sum->seconds_assemble += part->seconds_assemble;
  sum->seconds_solve += part->seconds_solve;
}

// Longer substeps, where enough were good and one would fit behind `done` units of `whole`.
static void grow(ChSimulation* s, long done, long whole) {
  if (s->level == 0 || ++s->good < s->options.good_steps || done % (whole >> (s->level - 1)) != 0) return;
  --s->level;
  s->good = 0;
}

// The first substep at the floor has all of the work that a step has, others a share.
static ChTrial trial_of(const ChSimulation* s, bool* floored) {
  bool rejects = s->level < s->options.halvings, all = !rejects && !*floored;
  *floored |= !rejects;
  return (ChTrial){.share = all ? 0.0 : s->options.trial_work, .rejects = rejects};
}

static ChStatus make_substeps(ChContext* context, ChSimulation* s, double end, ChUndo* undo, ChStepInfo* info) {
  const double h = info->h, start = s->time;
  const long whole = 1L << s->options.halvings;
  bool floored = false;
  for (long done = 0; done < whole;) {
    long length = whole >> s->level;
    double share = (double)length / (double)whole, next = (double)(done + length) / (double)whole;
    ChStepInfo part;
    ChStatus status = s->level > 0 ? ch_undo_keep(context, s, undo) : CH_OK;
    if (status != CH_OK) return status;
    memcpy(s->before, s->states, ch_world_state_bytes(s->world));
    s->left = h * (double)(whole - done) / (double)whole;
    s->trial = trial_of(s, &floored);
    status = ch_step_try(context, s, h * share, done + length < whole ? start + h * next : end, &part);
    if (status == CH_MAX_ITER) {
      add_rejected(info, &part);
      ++s->level;
      s->good = 0;
      continue;
    }
    if (status != CH_OK) return status;
    add_substep(info, &part);
    s->time = part.time;
    done += length;
    grow(s, done, whole);
  }
  return CH_OK;
}

ChStatus ch_adaptive_step(ChContext* context, ChSimulation* s, double end, ChUndo* undo, ChStepInfo* info) {
  CH_ASSERT(s->options.halvings >= 1 && s->options.good_steps >= 1);
  *info = (ChStepInfo){.h = s->options.h, .shortest = s->options.h};
  if (s->level > s->options.halvings) s->level = s->options.halvings;
  ChStatus status = make_substeps(context, s, end, undo, info);
  s->trial = (ChTrial){0};
  return status;
}
