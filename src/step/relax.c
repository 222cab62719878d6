// See relax.h.
#include "step/relax.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "cardhouse/clock.h"
#include "base/work.h"
#include "problem/contact_problem.h"
#include "solve/method.h"
#include "solve/solve_options.h"
#include "step/tight_fit.h"

#define SOME 1e-3        // share of what is asked for above which s is a relaxation: below, it is what kappa leaves
#define WORK_SHARE 0.1   // of an island's work that may go into it
#define TIME_SHARE 0.25  // of what a step has left
#define NEGLIGIBLE 0.01  // share of a step

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
    if (block->gap >= 0 && ch_block_is_hard(&block->law)) most = fmax(most, s->rows->prescribed[first] - s->rows->w[first]);
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

// What falls gets this fast in a hundredth of a step. An overlap that parts as slowly is left where others oppose it.
static double negligible_speed(const ChMoment* moment) {
  return NEGLIGIBLE * ch_norm(ch_world_gravity(moment->world, moment->time)) * (moment->end - moment->time);
}

// The largest s by which w must be relaxed; 0 where it need not be, or nobody knows.
static double fit(const ChIslandRun* island, double work, const double* w, double asked, double* s) {
  const ChSolveOptions* options = &island->stage->options->solve;
  ChLimits before = ch_limits_enter(ends_of(island, work), (ChStop){options->stop, options->stop_user});
  bool known = asked > 0.0 && ch_tight_fit(island->arena, island->problem, options->pose, w, s);
  double most = 0.0;
  ch_limits_leave(before);
  for (int i = 0; i < island->problem->block_count && known; ++i) most = fmax(most, s[i]);
  return most > SOME * asked ? most : 0.0;
}

// Overlaps that need not part yet; the largest speed of those that do.
static double leave_little_ones(const ChProblem* p, double little, double* w) {
  double most = 0.0;
  for (int i = 0; i < p->block_count; ++i) {
    double* asked = &w[p->blocks[i].row];
    if (!ch_block_is_hard(&p->blocks[i]) || *asked > 0.0) continue;
    if (-*asked <= little) *asked = 0.0;
    most = fmax(most, -*asked);
  }
  return most;
}

void ch_relax_island(ChIslandRun* island, double work) {
  ChProblem* p = island->problem;
  double *w = CH_TAKE(island->arena, p->rows, double), *s = CH_TAKE(island->arena, p->block_count, double);
  double *lasting = CH_TAKE(island->arena, p->rows, double), asked = list_asked(island, w);
  if (island->relaxed > 0.0 || !(fit(island, 0.5 * work, w, asked, s) > 0.0)) return;
  memcpy(lasting, w, (size_t)p->rows * sizeof *w);
  memset(s, 0, (size_t)p->block_count * sizeof *s);
  asked = leave_little_ones(p, negligible_speed(island->stage->moment), lasting);
  bool shared = fit(island, 0.5 * work, lasting, asked, s) > 0.0;
  for (int i = 0; i < p->block_count; ++i) {
    int row = p->blocks[i].row;
    if (!shared) s[i] = 0.0;
    s[i] += lasting[row] - w[row];
    p->w[row] += s[i];
    island->relaxed = fmax(island->relaxed, s[i]);
  }
  island->slack = s;
}

void ch_relax_at_first(ChIslandRun* island) {
  const ChStage* s = island->stage;
  unsigned char look = 0;
  for (int k = s->islands->body_start[island->index]; s->unsure && k < s->islands->body_start[island->index + 1]; ++k)
    look |= s->unsure[s->islands->bodies[k]] & CH_LOOK_FIRST;
  if (!look) return;
  ch_relax_island(island, WORK_SHARE * ch_work_limit(&s->options->solve, island->problem));
}
