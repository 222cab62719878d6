// See relax.h.
#include "step/relax.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/work.h"
#include "cardhouse/clock.h"
#include "problem/contact_problem.h"
#include "solve/method.h"
#include "solve/solve_options.h"
#include "step/tight_fit.h"

#define SOME 1e-3        // share of what is asked for above which s is a relaxation: below, it is what delta leaves
#define A_STEP 0.1       // share of the way to the least squares that a step goes; a projection goes all of it
#define WORK_SHARE 0.1   // of an island's work that may go into it
#define TIME_SHARE 0.25  // of what a step has left
enum { MOST_ROUNDS = 4 };

// What gaps and driven bodies ask of the island's rows. The largest speed at which an overlap shall part; 0 where that
// is too small for the certificate to see.
static double list_asked(const ChIslandRun* island, double* w) {
  const ChStage* s = island->stage;
  const ChProblem* p = island->problem;
  double most = 0.0, seen = 0.0;
  int row = 0;
  for (int k = s->islands->block_start[island->index]; k < s->islands->block_start[island->index + 1]; ++k) {
    const ChRowBlock* block = &s->rows->blocks[s->islands->blocks[k]];
    int first = block->law.row;
    if (block->gap >= 0 && ch_block_is_hard(&block->law))
      most = fmax(most, s->rows->prescribed[first] - s->rows->w[first]);
    for (int a = 0; a < block->law.dimension; ++a) w[row++] = s->rows->w[first + a];
  }
  CH_ASSERT(row == p->rows);
  for (int k = 0; k < p->rows; ++k) seen = fmax(seen, fabs(p->w[k]));
  return most > s->options->solve.tolerance * seen ? most : 0.0;
}

static ChDeadline ends_of(const ChIslandRun* island, double work) {
  const ChStage* s = island->stage;
  double seconds = s->deadline > 0.0 ? TIME_SHARE * fmax(s->deadline - ch_clock_seconds(), 0.0) : INFINITY;
  return ch_deadline_in(seconds, work);
}

// Whether w must be relaxed, and by how much; no where nobody knows.
static bool is_tight(const ChIslandRun* island, ChPose pose, const double* w, double asked, double* s) {
  double most = 0.0;
  if (!ch_tight_fit(island->arena, island->problem, pose, w, s)) return false;
  for (int i = 0; i < island->problem->block_count; ++i) most = fmax(most, s[i]);
  return most > SOME * asked;
}

static void add(ChIslandRun* island, int i, double more, double* w) {
  int row = island->problem->blocks[i].row;
  w[row] += more;
  island->problem->w[row] += more;
  island->slack[i] += more;
}

// A gap stays open.
static bool share_out(ChIslandRun* island, double asked, double* w, double* s) {
  const ChProblem* p = island->problem;
  double share = island->stage->moment->end > island->stage->moment->time ? A_STEP : 1.0;
  if (!is_tight(island, CH_POSE_FRICTIONLESS, w, asked, s)) return false;
  for (int i = 0; i < p->block_count; ++i) {
    double old = w[p->blocks[i].row], can_be = share * (old + s[i]);
    if (!ch_block_is_hard(&p->blocks[i])) continue;
    island->relaxed = fmax(island->relaxed, s[i]);
    add(island, i, (old > 0.0 ? fmax(old, can_be) : can_be) - old, w);
  }
  return true;
}

static bool hold(ChIslandRun* island, double asked, double* w, double* s) {
  const ChProblem* p = island->problem;
  ChPose pose = island->stage->options->solve.pose;
  bool held = false;
  for (int k = 0; k <= MOST_ROUNDS && is_tight(island, pose, w, asked, s); ++k)
    for (int i = 0; i < p->block_count; ++i) {
      double old = w[p->blocks[i].row];
      if (!ch_block_is_hard(&p->blocks[i]) || !(old < 0.0) || !(s[i] > SOME * asked || k == MOST_ROUNDS)) continue;
      held = true;
      island->relaxed = fmax(island->relaxed, -old);
      add(island, i, -old, w);
    }
  island->held |= held;
  return held;
}

// `held_too`: what was shared out is held as well.
static bool relax(ChIslandRun* island, double work, bool held_too) {
  ChProblem* p = island->problem;
  const ChSolveOptions* options = &island->stage->options->solve;
  double *w = CH_TAKE(island->arena, p->rows, double), *s = CH_TAKE(island->arena, p->block_count, double);
  double asked = list_asked(island, w);
  if (!(asked > 0.0)) return false;
  ChLimits before = ch_limits_enter(ends_of(island, work), (ChStop){options->stop, options->stop_user});
  bool again = island->slack;
  if (!again) island->slack = CH_TAKE(island->arena, p->block_count, double);
  for (int i = 0; i < p->block_count && again; ++i) w[p->blocks[i].row] += island->slack[i];
  bool changed = !again && share_out(island, asked, w, s);
  if ((!changed || held_too) && options->pose != CH_POSE_FRICTIONLESS) changed |= hold(island, asked, w, s);
  ch_limits_leave(before);
  return changed;
}

void ch_relax_at_first(ChIslandRun* island) {
  const ChStage* s = island->stage;
  unsigned char look = 0;
  for (int k = s->islands->body_start[island->index]; s->unsure && k < s->islands->body_start[island->index + 1]; ++k)
    look |= s->unsure[s->islands->bodies[k]] & CH_LOOK;
  if (look) relax(island, WORK_SHARE * ch_work_limit(&s->options->solve, island->problem), look & CH_LOOK_HELD);
}

bool ch_relax_missed(ChIslandRun* island, double work) { return relax(island, work, true); }
