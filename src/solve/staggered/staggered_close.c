// Closing a staggered run, so that Signorini's law holds wherever it was stopped and friction stays in its discs.
//
//   settle   with the ratios K = diag(f_i / r_N,i) of the best pair frozen instead of f itself,
//            0 <= r_N _|_ (W_NN + W_NT K) r_N + q_N >= 0, which near a solution changes little; where that has no
//            solution, as `close`
//   close    with f frozen, the last lines of Kaufman's algorithm 1; where friction then sticks out of its disc it is
//            clipped and the projection repeated, until it fits
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/work.h"
#include "cardhouse/clock.h"
#include "solve/methods/staggered.h"

enum { RATIO_STEPS = 100, MOST_CLIPS = 60 };
#define CLOSING_TIME 0.05  // share of the seconds that a closing may take on top, and of the work
#define CLOSING_SHARE 0.07
#define CLIP_TOLERANCE 0.01  // of the run's

// W_NN + W_NT K, K = diag(f_i / r_N,i): the contact problem when friction follows the normal reactions.
static ChHalfSystem contact_with_ratios(const ChStaggered* g, const double* r) {
  const ChSystem* s = g->s;
  ChHalfSystem half;
  ch_half_normal(g->run->arena, s, &half);
  ChBlockCsr* W = &half.system.W;  // every block has a place in this half: blocks and entries agree with those of s
  for (int i = 0; i < s->n; ++i)
    for (int e = W->start[i]; e < W->start[i + 1]; ++e) {
      int j = W->column[e];
      const double* normal = r + s->row[j];
      if (!s->block[j].law->cone || !(normal[0] > 0.0)) continue;
      for (int a = 0; a < W->dim[i]; ++a)
        for (int b = 1; b < s->dim[j]; ++b)
          W->value[W->offset[e] + a] += s->W.value[s->W.offset[e] + a * s->dim[j] + b] * normal[b] / normal[0];
    }
  for (int i = 0; i < s->n; ++i)
    for (int a = 0; a < W->dim[i] * W->dim[i]; ++a)
      half.system.diagonal[half.system.diagonal_at[i] + a] = W->value[W->offset[W->diagonal[i]] + a];
  half.system.symmetric = false;
  half.system.bodies = NULL;  // they stand for W_NN alone
  return half;
}

// r <- reactions that obey Signorini's law with the friction ratios of r; false when none were found.
static bool settle_ratios(ChStaggered* g, ChDeadline deadline) {
  const ChSystem* s = g->s;
  ChHalfSystem half = contact_with_ratios(g, g->run->r);
  const ChMethod* asked = g->run->inner_method;
  ChConvexView view;
  ch_half_gather(&half, s->q, half.system.q);
  g->run->inner_method = NULL;  // far from symmetric: not a problem for every inner solver
  ch_convex_view_init(&view, g->run, &half.system);
  g->run->inner_method = asked;
  view.relief = NULL;
  view.limit = RATIO_STEPS;  // without a solution it would go on for long
  ch_half_gather(&half, g->run->r, g->r_n);
  if (!(ch_convex_view_solve(&view, 0.1 * g->run->tolerance, deadline, g->r_n) <= g->run->tolerance)) return false;
  ch_half_scatter(&half, g->r_n, g->r);
  for (int i = 0; i < s->n; ++i) {
    const double* best = g->run->r + s->row[i];
    double* r = g->r + s->row[i];
    if (s->block[i].law->cone)
      for (int b = 1; b < s->dim[i]; ++b) r[b] = best[0] > 0.0 ? best[b] / best[0] * r[0] : 0.0;
  }
  return true;
}

// Friction outside its disc is pulled back to the rim, later well inside, at last to nothing; returns the largest
// change.
static double clip_friction(ChStaggered* g, int round) {
  const ChSystem* t = &g->tangential.system;
  double shrink = round < 10 ? 1.0 : round < 30 ? 0.9 : 0.0, largest = 0.0;
  for (int k = 0; k < t->n; ++k) {
    const double* x = g->x + t->row[k];
    double *f = g->f + t->row[k], change = 0.0;
    ch_system_project_block(t, k, x, f);
    for (int a = 0; a < t->dim[k]; ++a) change = ch_max(change, fabs(f[a] - x[a]));
    for (int a = 0; a < t->dim[k] && change > CLIP_TOLERANCE * g->run->tolerance; ++a) f[a] *= shrink;
    largest = ch_max(largest, change);
  }
  return largest;
}

// r <- P_C(x - f) and f, clipped as often as it takes; ends because friction only shrinks.
static void close_with_friction(ChStaggered* g, double tolerance, ChDeadline deadline) {
  size_t bytes = (size_t)g->tangential.system.rows * sizeof(double);
  for (int round = 0; round < MOST_CLIPS; ++round) {
    memcpy(g->x, g->f, bytes);
    ch_staggered_contact(g, g->x, tolerance, deadline);
    ch_staggered_radii(g, &g->tangential, g->r_n);
    if (!(clip_friction(g, round) > CLIP_TOLERANCE * g->run->tolerance) || ch_deadline_passed(deadline)) break;
  }
  ch_staggered_join(g, g->r_n, g->f);
}

// A run whose time is over still has some for its closing, a share of what it took: less than the tenth by which limits
// may be exceeded.
static ChDeadline closing_deadline(const ChRun* run) {
  double now = ch_clock_seconds(), spent = fmin(now, run->deadline.clock) - run->started;
  double clock = fmin(now, run->deadline.clock) + 1e-3 + CLOSING_TIME * spent;
  ChDeadline extra = ch_deadline_in(INFINITY, CLOSING_SHARE * (ch_work_done() - run->begun));
  return (ChDeadline){fmax(run->deadline.clock, clock), fmax(run->deadline.work, extra.work)};
}

// Whether another contact problem may end in time; what only the clock limits depends on the machine anyhow. Without
// time for it the best answer so far stays, and whoever asked closes it.
static bool has_time(const ChStaggered* g, ChDeadline deadline) {
  return !isfinite(g->run->deadline.clock) || ch_clock_seconds() + g->contact_seconds <= deadline.clock;
}

// The reactions r are the answer, whatever was better by its error; a method that calls this one keeps its best.
static void hand_over(ChStaggered* g) {
  ChRun* run = g->run;
  double error = ch_run_offer_reaction(run, g->r, g->u);
  if (run->depth > 0 || !isfinite(error)) return;
  memcpy(run->r, g->r, (size_t)g->s->rows * sizeof(double));
  run->error = error;
  run->answered = true;
}

void ch_staggered_settle(ChStaggered* g) {
  ChDeadline deadline = closing_deadline(g->run);
  if (!has_time(g, deadline)) return;
  ChLimits before = ch_limits_extend(deadline);
  if (!settle_ratios(g, deadline)) {
    ch_half_gather(&g->normal, g->run->r, g->r_n);
    ch_half_gather(&g->tangential, g->run->r, g->f);
    close_with_friction(g, 0.1 * g->run->tolerance, deadline);
  }
  ch_limits_leave(before);
  hand_over(g);
}

void ch_staggered_close(ChStaggered* g, double tolerance) {
  ChDeadline deadline = closing_deadline(g->run);
  if (!has_time(g, deadline)) return;
  ChLimits before = ch_limits_extend(deadline);
  close_with_friction(g, tolerance, deadline);
  ch_limits_leave(before);
  hand_over(g);
}
