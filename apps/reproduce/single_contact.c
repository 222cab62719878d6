// One contact in closed form: see single_contact.h.
#include "reproduce/single_contact.h"

#include <math.h>

static const double STANDS_STILL = 1e-26;  // square of a change of friction that is only round-off

static double along_normal(const ChSingle* s) { return s->y; }
static double along_friction(const ChSingle* s) { return sin(s->theta) * s->x + cos(s->theta) * s->y; }

double ch_single_contact(const ChSingle* s, double f) { return fmax(0.0, along_normal(s) - cos(s->theta) * f); }

ChSinglePair ch_single_friction(const ChSingle* s, double alpha) {
  double free = along_friction(s) - cos(s->theta) * alpha, most = s->mu * alpha;
  double f = fmax(-most, fmin(most, free));
  return (ChSinglePair){alpha, f, fabs(f - free)};
}

double ch_single_objective(const ChSingle* s, ChSinglePair p) {
  double c = cos(s->theta), u_n = p.alpha + c * p.f - along_normal(s), u_t = p.f + c * p.alpha - along_friction(s);
  return p.alpha * u_n + p.f * u_t + p.lambda * s->mu * p.alpha;
}

double ch_single_closed_objective(const ChSingle* s, double f) {
  double alpha = ch_single_contact(s, f);
  return ch_single_objective(s, (ChSinglePair){alpha, f, fabs(f + cos(s->theta) * alpha - along_friction(s))});
}

bool ch_single_sticks(const ChSingle* s) {
  double c = cos(s->theta), n = along_normal(s), t = along_friction(s);  // alpha + c f = n, f + c alpha = t
  return n - c * t >= 0.0 && fabs(t - c * n) <= s->mu * (n - c * t);
}

ChSingleRun ch_single_run(const ChSingle* s, double eps, bool squared, int cap, double* rel_err, double* objective) {
  ChSingleRun run = {.rate = NAN};
  double f = 0.0;
  while (run.iterations < cap && !run.converged) {
    run.last = ch_single_friction(s, ch_single_contact(s, f));
    double change = fabs(run.last.f - f), moved = change * change;
    double relative = moved <= STANDS_STILL ? 0.0 : moved / (f * f);
    if (rel_err) rel_err[run.iterations] = relative;
    if (objective) objective[run.iterations] = ch_single_objective(s, run.last);
    run.rate = run.iterations > 0 ? change / run.change : NAN;
    run.change = change;
    ++run.iterations;
    run.converged = (squared ? relative : sqrt(relative)) <= eps;
    f = run.last.f;
  }
  return run;
}

ChStatus ch_single_problem(ChContext* context, const ChSingle* s, ChProblem** out) {
  const double c = cos(s->theta), W[4] = {1.0, c, c, 1.0}, q[2] = {-along_normal(s), -along_friction(s)};
  const int rows[4] = {0, 0, 1, 1}, columns[4] = {0, 1, 0, 1};
  const ChBlock block = {.law = CH_LAW_CONTACT, .dimension = 2, .mu = {s->mu, s->mu}};
  const ChProblemDef def = {.form = CH_FORM_LOCAL,
                            .dimension = 2,
                            .block_count = 1,
                            .blocks = &block,
                            .W = {2, 2, 4, rows, columns, W},
                            .w = q};
  return ch_problem_build(context, &def, out);
}
