// See adaptive.h.
#include "step/adaptive.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "solve/method.h"
#include "step/in_step.h"
#include "step/peers.h"

enum {
  LARGE = 500,      // contacts, from which on the default halves
  PAUSE = 16,       // steps that it leaves alone after one that shorter substeps did not help
  GAP_HALVINGS = 6  // for overlaps, of second order in h; with 9, rabbits that fall take four times the substeps and
                    // overlap as much
};
// Times the work limit that the tries of a step may take in all; less where nobody asked for them.
#define MOST_WORK 64.0
#define MOST_WORK_UNASKED 12.0  // and as much more as the share of the step that they have made
#define FLOOR_WORK 0.25         // share of these that the shortest substep may take, which cannot be halved any more

bool ch_adaptive_halves(const ChSimulation* s) {
  const ChSimulationOptions* o = &s->options;
  bool clock = s->deadline > 0.0 || isfinite(o->solve.time_limit);
  bool misses = ch_method_find(o->solve.method)->engine_sweeps > 0;
  return !clock && !misses && (o->adaptive == CH_ADAPTIVE_MISS || o->adaptive == CH_ADAPTIVE_LARGE);
}

void ch_trial_settle(ChSimulation* s, int contacts, bool cares) {
  if (s->options.adaptive != CH_ADAPTIVE_LARGE || contacts >= LARGE || cares) return;
  s->trial.share = 0.0;
  s->trial.rejects = false;
}

void ch_step_add(ChStepInfo* sum, const ChStepInfo* part) {
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
  whole.overlap = fmax(sum->overlap, part->overlap);
  whole.deferred = fmax(sum->deferred, part->deferred);
  whole.relaxed = fmax(sum->relaxed, part->relaxed);
  whole.locked = part->locked > sum->locked ? part->locked : sum->locked;
  whole.locked_overlap = fmax(sum->locked_overlap, part->locked_overlap);
  whole.bounds |= sum->bounds;
  whole.exchanged = fmax(sum->exchanged, part->exchanged);
  whole.uncovered = fmax(sum->uncovered, part->uncovered);
  whole.joint_error = fmax(sum->joint_error, part->joint_error);
  whole.work += sum->work;
  whole.heat += sum->heat;
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

typedef struct Substeps {
  ChSimulation* s;
  double h, start, end;  // of the step, seconds
  long done, whole;      // units
  int begun;             // level with which the step began
  bool parts;  // a try was undone for what passed or overlapped, not for a miss: shorter ones are no matter of help
} Substeps;

// Who did not ask for halves has them as long as they get on: at the rate at which they do all is done within
// MOST_WORK.
static double most_work(const Substeps* p) {
  if (p->s->options.adaptive == CH_ADAPTIVE_MISS) return MOST_WORK;
  return MOST_WORK_UNASKED + (MOST_WORK - MOST_WORK_UNASKED) * (double)p->done / (double)p->whole;
}

// Longer substeps, where enough were good and one would fit behind `done` units of `whole`.
static void grow(ChSimulation* s, long done, long whole) {
  if (s->level == 0 || ++s->good < s->options.good_steps || done % (whole >> (s->level - 1)) != 0) return;
  --s->level;
  s->good = 0;
}

// At the floor a substep is kept whatever comes out, and may take several limits while the step has some left.
// So may the very first, which has no reactions to start from: a structure that stands is solved once and then rests.
static ChTrial trial_of(const Substeps* p) {
  const ChSimulation* s = p->s;
  double share = s->step == 0 && s->level == 0 ? 1.0 : s->options.trial_work;
  ChTrial trial = {.share = share, .rejects = true, .nears = true, .parts = true, .gaps = s->level < GAP_HALVINGS};
  if (s->level < s->options.halvings) return trial;
  return (ChTrial){.share = fmin(fmax(most_work(p) - s->spent, share), FLOOR_WORK * most_work(p)),
                   .parts = s->widen == 0.0};
}

// What follows a try that was undone: halves. The shortest substep is tried again with contacts as far as bodies
// moved; bodies that pass each other even then, pass.
static int retry_level(ChSimulation* s, int level, const ChStepInfo* part) {
  s->good = 0;
  if (level < s->options.halvings) return level + 1;
  s->widen = part->uncovered;
  return level;
}

// A step that has spent all that it may is brought to its end in as few substeps as fit behind `done` units.
static void hurry(ChSimulation* s, long done, long whole) {
  s->level = 0;
  while (done % (whole >> s->level) != 0) ++s->level;
  s->trial = (ChTrial){.share = s->options.trial_work};
}

static ChStatus try_substep(ChContext* context, Substeps* p, ChStepInfo* part) {
  ChSimulation* s = p->s;
  double unit = p->h / (double)p->whole;
  long length = p->whole >> s->level, next = p->done + length;
  memcpy(s->before, s->states, ch_world_state_bytes(s->world));
  s->left = unit * (double)(p->whole - p->done);
  ChStatus status =
      ch_step_try(context, s, unit * (double)length, next < p->whole ? p->start + unit * (double)next : p->end, part);
  if (status != CH_OK) return status;
  s->time = part->time;
  s->info.stored = part->stored;  // what the next substep begins with
  s->restock = false;
  p->done = next;
  return CH_OK;
}

// Whether this was no help: a substep missed that is kept, or all work is spent. Who asked for halves gets them anyhow.
static bool is_no_help(const Substeps* p, const ChStepInfo* info) {
  const ChSimulation* s = p->s;
  bool halved = s->level > 0 || info->rejected > 0;
  return s->options.adaptive == CH_ADAPTIVE_LARGE && halved && !p->parts &&
         (info->missed || (p->done < p->whole && s->spent >= most_work(p)));
}

static ChStatus make_substeps(ChContext* context, Substeps* p, ChUndo* undo, ChStepInfo* info) {
  ChSimulation* s = p->s;
  ChStepInfo part;
  ChStatus status = CH_OK;
  for (int level = s->level; p->done < p->whole; s->level = level) {
    status = level > 0 ? ch_peers_agree(context, s, ch_undo_keep(context, s, undo)) : CH_OK;
    if (status != CH_OK) return status;
    s->level = level;
    if (is_no_help(p, info)) return CH_OK;
    bool hurried = s->spent >= most_work(p);
    s->trial = trial_of(p);
    if (hurried) hurry(s, p->done, p->whole);
    status = try_substep(context, p, &part);
    if (status == CH_MAX_ITER) {
      add_rejected(info, &part);
      p->parts = p->parts || !part.missed;
      if (!s->bends.waits) level = retry_level(s, level, &part);
      continue;
    }
    if (status != CH_OK) return status;
    ch_step_add(info, &part);
    if (s->widen > 0.0 && part.uncovered > 0.0) s->spent = fmax(s->spent, most_work(p));
    s->widen = 0.0;
    if (hurried) continue;
    grow(s, p->done, p->whole);
    level = s->level;
  }
  return CH_OK;
}

// The step in one, whether or not it misses. CH_MAX_ITER: something would pass or end too deep, which halves must part.
static ChStatus take_whole(ChContext* context, Substeps* p, ChStepInfo* info) {
  ChStepInfo whole;
  p->s->level = 0;
  p->s->trial = (ChTrial){.nears = true, .parts = true, .gaps = true};
  ChStatus status = try_substep(context, p, &whole);
  if (status == CH_OK) ch_step_add(info, &whole);
  if (status == CH_MAX_ITER) {
    add_rejected(info, &whole);
    p->parts = true;
    p->s->level = 1;
    p->s->good = 0;
  }
  return status;
}

// What became of the substeps is undone. So the default never makes less of a step than `off` does. Where the step
// before ended in substeps that met, halves are of help here, and the next step has them again.
static ChStatus start_again(ChContext* context, Substeps* p, ChUndo* undo, ChStepInfo* info) {
  ChStepInfo tried = *info;
  *info = (ChStepInfo){.h = p->h, .shortest = p->h, .rejected = tried.substeps - 1};
  add_rejected(info, &tried);
  info->rejected += tried.rejected;
  ch_undo_take(p->s, undo);
  p->done = 0;
  p->s->good = p->begun > 0 ? 0 : -PAUSE;
  p->s->spent = 0.0;
  ChStatus status = take_whole(context, p, info);
  return status == CH_MAX_ITER ? make_substeps(context, p, undo, info) : status;
}

ChStatus ch_adaptive_step(ChContext* context, ChSimulation* s, double end, ChUndo* undo, ChStepInfo* info) {
  CH_ASSERT(s->options.halvings >= 1 && s->options.good_steps >= 1);
  *info = (ChStepInfo){.h = s->options.h, .shortest = s->options.h};
  if (s->level > s->options.halvings) s->level = s->options.halvings;
  Substeps p = {
      .s = s, .h = info->h, .start = s->time, .end = end, .whole = 1L << s->options.halvings, .begun = s->level};
  s->spent = 0.0;
  s->widen = 0.0;
  s->bends.waits = false;  // what a step that was stopped or failed left is of other places
  ChStatus status = CH_MAX_ITER;
  if (s->good < 0 && s->options.adaptive == CH_ADAPTIVE_LARGE) {
    ++s->good;
    status = take_whole(context, &p, info);
  }
  if (status == CH_MAX_ITER) status = make_substeps(context, &p, undo, info);
  if (status == CH_OK && is_no_help(&p, info)) status = start_again(context, &p, undo, info);
  s->trial = (ChTrial){0};
  s->widen = 0.0;
  return status;
}
