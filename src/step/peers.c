// See peers.h.
#include "step/peers.h"

#include <math.h>

#include "step/in_step.h"

ChStatus ch_peers_see(ChContext* context, ChSimulation* s, ChBodyState* end, double h) {
  double margin = ch_step_margin(s) + s->widen, ahead = s->options.look_ahead ? h : 0.0;
  return s->peers ? s->peers->see(s->peers->self, context, end, margin, ahead) : CH_OK;
}

ChStatus ch_peers_agree(ChContext* context, ChSimulation* s, ChStatus own) {
  return s->peers ? s->peers->agree(s->peers->self, context, own) : own;
}

ChStatus ch_peers_reduce(ChContext* context, ChSimulation* s, double* sums, int sum_count, double* most,
                         int most_count) {
  return s->peers ? s->peers->reduce(s->peers->self, context, sums, sum_count, most, most_count) : CH_OK;
}

ChStatus ch_peers_any(ChContext* context, ChSimulation* s, bool* flag) {
  double most = *flag;
  ChStatus status = ch_peers_reduce(context, s, NULL, 0, &most, 1);
  *flag = most > 0.0;
  return status;
}

// Extremes and sums among a step's figures; certificates stand behind them. NaN counts as the largest of all.
#define EXTREMES(X) X(joint_error) X(penetration) X(overlap) X(deferred) X(relaxed) X(locked_overlap)
#define SUMS(X) X(locked, int) X(contacts, int) X(islands, int) X(resting, int) X(iterations, long)
#define ONE(name) +1
#define ONE_SUM(name, type) +1
#define ONE_OF(name, text) +1
enum { EXTREME_COUNT = EXTREMES(ONE) CH_CERTIFICATE_FIELDS(ONE_OF) + 2, SUM_COUNT = SUMS(ONE_SUM) };

static double ordered(double x) { return isnan(x) ? INFINITY : x; }

ChStatus ch_peers_measure(ChContext* context, ChSimulation* s, double* spent, ChStepInfo* info) {
  if (!s->peers) return CH_OK;
  double most[EXTREME_COUNT], sums[SUM_COUNT], *to = most;
#define X(name) *to++ = ordered(info->name);
  EXTREMES(X)
#undef X
#define X(name, text) *to++ = ordered(info->certificate.name);
  CH_CERTIFICATE_FIELDS(X)
#undef X
  *to++ = info->missed;
  *to++ = *spent;
  to = sums;
#define X(name, type) *to++ = (double)info->name;
  SUMS(X)
#undef X
  ChStatus status = ch_peers_reduce(context, s, sums, SUM_COUNT, most, EXTREME_COUNT);
  if (status != CH_OK) return status;
  const double* from = most;
#define X(name) info->name = *from++;
  EXTREMES(X)
#undef X
#define X(name, text) info->certificate.name = *from++;
  CH_CERTIFICATE_FIELDS(X)
#undef X
  info->missed = *from++ > 0.0;
  *spent = *from++;
  from = sums;
#define X(name, type) info->name = (type)*from++;
  SUMS(X)
#undef X
  return CH_OK;
}
