// See rest.h.
#include "step/rest.h"

#include <string.h>

#include "assemble/soft_body.h"
#include "base/check.h"
#include "cardhouse/clock.h"
#include "problem/open_problem.h"
#include "step/haste.h"

#define SEEMING 1e3   // how far above the tolerance a motion may still be the solver's
#define ENTERING 0.3  // share of the tolerance that a deformable body may move by where its rest begins

static double diagonal(const ChProblem* p, int j) {
  for (int k = p->M.start[j]; k < p->M.start[j + 1]; ++k)
    if (p->M.index[k] == j) return p->M.value[k];
  return 0.0;
}

static double given_to(const ChIslandRun* island, int j) {
  const ChProblem* p = island->problem;
  double mass = diagonal(p, j);
  return mass > 0.0 ? p->f[j] * p->f[j] / mass + mass * island->reference[j] * island->reference[j] : 0.0;
}

// |M v| against what the step's forces would make of it, rows over the root of the diagonal: what the certificate will
// say of v = 0, up to a factor. Spares the certificate where bodies plainly move.
static bool barely_moves(const ChIslandRun* island, double tolerance) {
  const ChProblem* p = island->problem;
  double motion = 0.0, given = 0.0;
  for (int j = 0; j < p->dof; ++j) {
    double v = island->v[j] + island->reference[j];
    motion += diagonal(p, j) * v * v;
    given += given_to(island, j);
  }
  return motion <= 100.0 * tolerance * tolerance * given;
}

// Rest is taken where (r, v = 0) passes the certificate itself, balance included.
bool ch_rest_take(ChContext* context, ChIslandRun* island) {
  CH_ASSERT(island->reference && island->stage->rests);
  ChStage* s = island->stage;
  const ChProblem* p = island->problem;
  double* rest = CH_TAKE(island->arena, p->dof, double);
  for (int j = 0; j < p->dof; ++j) rest[j] = -island->reference[j];
  ChCertificate grade;
  if (ch_certify(context, p, s->options->solve.pose, island->r, rest, &grade) != CH_OK) return false;
  if (!ch_certificate_met(&grade, s->options->solve.tolerance)) return false;
  island->info.certificate = grade;
  s->rests[island->index] = 1;
  return true;
}

// Whether every body of the island stood still before this step: then the last reactions may serve once more.
bool ch_rest_stood_still(const ChIslandRun* island) {
  const ChStage* s = island->stage;
  for (int k = s->islands->body_start[island->index]; k < s->islands->body_start[island->index + 1]; ++k) {
    int body = s->islands->bodies[k], modes = ch_body_modes(s->moment->world, body);
    const ChBodyState* state = &s->moment->states[body];
    if (ch_dot(state->velocity, state->velocity) + ch_dot(state->omega, state->omega) > 0.0) return false;
    const double* rates = ch_state_rates(s->moment->world, s->moment->states, body);
    for (int a = 0; a < modes; ++a)
      if (rates[a] != 0.0) return false;
  }
  return true;
}

// Reactions cannot take back what is out of balance inside a deformable body. Where its rest begins what is left of its
// motion must be no part of the balance, or rest would end with the next step, in which there is none.
static bool may_stop(const ChIslandRun* island, double tolerance) {
  const ChStage* s = island->stage;
  const ChWorld* world = s->moment->world;
  double motion = 0.0, given = 0.0;
  bool soft = false;
  for (int k = s->islands->body_start[island->index]; k < s->islands->body_start[island->index + 1]; ++k) {
    int body = s->islands->bodies[k], first = s->islands->first[body] + ch_frame_freedoms(world, body);
    const double* rates = ch_state_rates(world, s->moment->states, body);
    soft |= world->bodies[body].soft != NULL;
    for (int a = 0; a < ch_body_modes(world, body); ++a)
      motion += diagonal(island->problem, first + a) * rates[a] * rates[a];
  }
  for (int j = 0; soft && j < island->problem->dof; ++j) given += given_to(island, j);
  return motion <= tolerance * tolerance * given;
}

// Rest where it passes. What moves by little more than the tolerance leaves room for may only seem to move: reactions
// with more digits tell.
void ch_rest_settle(ChContext* context, ChIslandRun* island, const ChSolveOptions* options) {
  const ChProblem* p = island->problem;
  if (!barely_moves(island, options->tolerance)) {
    if (p->rows > CH_CHEAP_ROWS || !barely_moves(island, SEEMING * options->tolerance)) return;
    if (!(ch_clock_seconds() + island->info.seconds_setup + island->info.seconds_solve < island->ends)) return;
    ChSolveOptions finer = *options;
    ChSolveInfo info;
    double *r = CH_TAKE(island->arena, p->rows, double), *u = CH_TAKE(island->arena, p->rows, double);
    double* v = CH_TAKE(island->arena, p->dof, double);
    finer.tolerance = options->tolerance / SEEMING;
    finer.warm = island->r;
    if (ch_solve(context, p, &finer, v, u, r, &info) != CH_OK) return;
    memcpy(island->r, r, (size_t)p->rows * sizeof *r);
    memcpy(island->u, u, (size_t)p->rows * sizeof *u);
    memcpy(island->v, v, (size_t)p->dof * sizeof *v);
    island->info.certificate = info.certificate;
    island->info.outer += info.outer;
    island->info.inner += info.inner;
  }
  if (island->stage->moment->world->mode_count == 0 || may_stop(island, ENTERING * options->tolerance))
    ch_rest_take(context, island);
}
