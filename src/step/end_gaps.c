// See end_gaps.h.
#include "step/end_gaps.h"

#include <math.h>

#include "base/check.h"
#include "step/in_step.h"
#include "step/peers.h"

#define SHARE 0.01          // of the margin
#define FINE 1e-5           // metres; nothing is asked to end less deep than this,
#define SIZE_SHARE 1e-4     // or than this share of the smaller body's radius
#define BENDS 0.02          // of what is too deep: from here on a second try pays
#define GROWS (1.0 + 1e-6)  // an overlap that is held stays the same but for round-off

static bool asks_for_care(const ChShape* shape, int dimension, double margin) {
  return shape->mesh ? dimension == 3 : 2.0 * shape->half_width < margin;
}

double ch_end_gap_tolerance(const ChSimulation* s, double margin) {
  const ChWorld* world = s->world;
  if (s->options.contact == CH_CONTACT_COMPLIANT || world->mode_count > 0) return INFINITY;
  if (s->options.overlap_tolerance >= 0.0) return s->options.overlap_tolerance;
  for (int i = 0; i < world->shape_count; ++i)
    if (asks_for_care(&world->shapes[i], world->dimension, margin)) return SHARE * margin;
  return INFINITY;
}

// The deepest overlap of the shapes among gaps from `*at` on, which are sorted; `*at` goes on to behind them.
static double depth_of(const ChGap* gaps, int count, int* at, const int shape[2]) {
  double deepest = 0.0;
  for (; *at < count; ++*at) {
    const int* other = gaps[*at].shape;
    if (other[0] > shape[0] || (other[0] == shape[0] && other[1] > shape[1])) break;
    if (other[0] == shape[0] && other[1] == shape[1]) deepest = fmax(deepest, -gaps[*at].gap);
  }
  return deepest;
}

// Sides are those that the step went with.
static bool was_listed(const void* past, int shape_a, int shape_b, uint64_t key) {
  const ChMoment* moment = past;
  int low = 0, high = moment->gap_count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    const ChGap* gap = &moment->gaps[middle];
    int order = (gap->shape[0] > shape_a) - (gap->shape[0] < shape_a);
    if (order == 0) order = (gap->shape[1] > shape_b) - (gap->shape[1] < shape_b);
    if (order == 0) order = (gap->key > key) - (gap->key < key);
    if (order == 0) return true;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

ChStatus ch_end_gaps_look(ChContext* context, ChSimulation* s, const ChMoment* moment, const ChBodyState* end, double h,
                          double tolerance, double* deepest, bool* deeper, bool* bends) {
  CH_ASSERT(tolerance >= 0.0 && end);
  const ChCollideOptions options = {.threads = s->options.threads,
                                    .touched = was_listed,
                                    .past = moment,
                                    .near = s->peers ? s->peers->near : NULL,
                                    .mine = s->peers ? s->peers->mine : NULL};
  const ChGap* gaps;
  int count, before = 0;
  *deepest = 0.0;
  *deeper = *bends = false;
  ChStatus status = ch_peers_agree(context, s, ch_collide(context, s->collider, end, &options, &gaps, &count));
  if (status != CH_OK) return status;
  for (int g = 0; g < count;) {
    const ChGap* first = &gaps[g];
    double most = fmin(tolerance, fmax(FINE, SIZE_SHARE * ch_smaller_radius(moment, first)));
    if (s->options.overlap_tolerance >= 0.0) most = tolerance;
    double now = depth_of(gaps, count, &g, first->shape),
           then = depth_of(moment->gaps, moment->gap_count, &before, first->shape);
    *deepest = fmax(*deepest, now);
    *deeper = *deeper || now > fmax(most + s->rounding, GROWS * then);
    *bends = *bends || now > fmax(BENDS * most + s->rounding, GROWS * then);
  }
  double found[2] = {*deeper, *bends};
  status = ch_peers_reduce(context, s, NULL, 0, found, 2);
  *deeper = found[0] > 0.0;
  *bends = found[1] > 0.0 && s->trial.gaps && !s->bends.applied;
  if (*bends) ch_bends_find(&s->bends, moment, end, gaps, count, h);
  if (*bends && status == CH_OK) status = ch_peers_any(context, s, &s->bends.waits);
  *bends = *bends && s->bends.waits;
  return status;
}
