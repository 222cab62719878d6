// See haste.h.
#include "step/haste.h"

#include <math.h>

#include "base/check.h"
#include "cardhouse/clock.h"
#include "problem/cones.h"
#include "problem/grader.h"
#include "solve/method.h"

// Where a step has a deadline, a solve leaves time for braking, but no more than this share of what there is.
#define BRAKE_SHARE 0.5
#define SOLVE_SHARE 0.8  // of the work that an island may take
#define TRIAL_ROW 1e5    // work a row that a trial has its share of at least, where limits are cut short for their size
#define LEAST 2e-5       // seconds: time for the start to be graded
#define SMALL 100        // rows: islands with fewer take as long, for there is more to a solve than its rows
#define LEARNT 0.1       // share of a new observation in what is known of that
#define LEARNT_SOON 0.4  // and of one that is worse, where too little time would make the step late
#define FORGOTTEN 0.98   // and what is left of it after an island that it kept from being solved

static bool is_left_alone(const ChStage* s, int i) { return (s->idle && s->idle[i]) || (s->kept && s->kept[i]); }

// Seconds that an island may take: all that is left but what those behind it need to brake. A step is certified where
// all islands are, so that none of them gains by saving time for others that it needs itself.
static double time_left(const ChIslandRun* island) {
  const ChStage* s = island->stage;
  double behind = 0.0;
  for (int i = island->index + 1; i < s->islands->count; ++i)
    if (!is_left_alone(s, i)) behind += s->islands->block_start[i + 1] - s->islands->block_start[i];
  behind *= s->moment->world->dimension * s->haste->brake / s->options->threads;
  return fmax(s->deadline - ch_clock_seconds() - behind, LEAST);
}

static double size_of(const ChIslandRun* island) { return fmax(island->problem->rows, SMALL); }

// Whether a solve would come to anything.
static bool has_time(const ChIslandRun* island, double limit) {
  const ChStage* s = island->stage;
  return !(s->deadline > 0.0) || s->haste->solve * size_of(island) <= limit;
}

// What a solve begins with, as if its time had run out at once.
static ChStatus take_start(ChContext* context, ChIslandRun* island, const ChSolveOptions* options) {
  const ChProblem* p = island->problem;
  for (int i = 0; i < p->block_count; ++i)
    ch_block_project(&p->blocks[i], options->pose, island->r + p->blocks[i].row, island->r + p->blocks[i].row);
  island->info.certificate = ch_certificate_unknown();
  ChStatus status = ch_problem_velocity(context, p, island->r, island->v, island->u);
  return status == CH_OK ? CH_MAX_TIME : status;
}

static void learn(double seen, double soon, double* known) {
  double share = !(*known > 0.0) ? 1.0 : seen > *known ? soon : LEARNT;
  if (seen > 0.0) *known += share * (seen - *known);
}

void ch_haste_learn(ChStage* s, const ChIslandRun* island) {
  if (!(s->deadline > 0.0)) return;
  learn(island->haste.brake, LEARNT_SOON, &s->haste->brake);
  learn(island->haste.solve, LEARNT, &s->haste->solve);
  learn(island->haste.over, LEARNT_SOON, &s->haste->over);
  if (island->unsolved) s->haste->solve *= FORGOTTEN;
}

// The solve itself, in the island's share of what the step has left of its time; and of its work, of which the rest is
// for a safe end.
ChStatus ch_haste_solve(ChContext* context, ChIslandRun* island, ChSolveOptions* options) {
  CH_ASSERT(island->problem && island->r && island->u && island->v);
  const ChStage* s = island->stage;
  const ChProblem* p = island->problem;
  double limit = options->time_limit;
  island->ends = INFINITY;
  if (s->deadline > 0.0) {
    double left = time_left(island), brake = s->haste->brake * p->rows + s->haste->over;
    island->ends = ch_clock_seconds() + left;
    options->time_limit = fmin(limit, left - fmin(brake, BRAKE_SHARE * left));
  }
  double work = isfinite(options->time_limit) ? INFINITY : ch_work_limit(options, p);  // who sets a time wants that
  double all = work;
  if (s->trial.share > 0.0) work = fmin(work, s->trial.share * fmax(work, TRIAL_ROW * p->rows));
  options->work_limit = SOLVE_SHARE * work;
  island->unsolved = !has_time(island, options->time_limit);
  if (island->unsolved) return take_start(context, island, options);
  const bool timed = isfinite(options->time_limit);
  const double began = timed ? ch_clock_processor_seconds() : 0.0;
  ChStatus status = ch_solve(context, p, options, island->v, island->u, island->r, &island->info);
  const double took = timed ? ch_clock_processor_seconds() - began : 0.0;
  island->spent = island->info.work / all;
  bool set_up_only = island->info.outer + island->info.inner == 0;
  if (status == CH_MAX_TIME && timed) island->haste.over = took - options->time_limit;
  if (status == CH_MAX_TIME && set_up_only && timed) island->haste.solve = took / size_of(island);
  options->time_limit = fmin(limit, fmax(island->ends - ch_clock_seconds(), LEAST));
  double least = s->trial.share > 1.0 ? (1.0 - SOLVE_SHARE) * all : 1.0;  // several limits are for the solve alone
  options->work_limit = fmax(fmin(work, all) - island->info.work, least);
  return status;
}
