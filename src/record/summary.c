// The summary of a run: sums and extremes over its steps.
#include <math.h>

#include "base/check.h"
#include "cardhouse/record.h"
#include "cardhouse/shape.h"
#include "cardhouse/soft.h"

static bool is_dynamic(const ChWorld* world, int body) {
  return ch_world_body_info(world, ch_world_body_at(world, body)).kind == CH_BODY_DYNAMIC;
}

ChSummary ch_summary_begin(const ChSimulation* s) {
  ChStepInfo info = ch_simulation_info(s);
  ChSummary summary = {.time = ch_simulation_time(s), .displaced = -1, .folded = -1, .looked_at = -INFINITY};
  const ChWorld* world = ch_simulation_world(s);
  for (int b = 0; b < ch_world_body_count(world); ++b) summary.bodies += is_dynamic(world, b);
  summary.energy_start = summary.energy_end = info.kinetic + info.potential;
  summary.momentum_start = summary.momentum_end = info.momentum;
  summary.angular_momentum_start = summary.angular_momentum_end = info.angular_momentum;
  return summary;
}

static void add_displacement(ChSummary* summary, const ChSimulation* s) {
  const ChWorld* world = ch_simulation_world(s);
  double most = summary->displacement * summary->displacement;
  int body = -1;
  for (int b = 0; b < ch_world_body_count(world); ++b) {
    if (!is_dynamic(world, b)) continue;
    ChVec3 way = ch_sub(ch_simulation_body_at(s, b).position, ch_world_body_start(world, b, NULL).at);
    double square = ch_dot(way, way);
    if (square <= most) continue;
    most = square;  // NaN stays: nothing exceeds it
    body = b;
    if (isnan(square)) break;
  }
  if (body < 0 || isnan(summary->displacement)) return;
  summary->displacement = sqrt(most);
  summary->displaced = body;
}

static const double LOOK = 0.01;  // seconds simulated between looks at deformable bodies, at least

static void look_for_folds(ChSummary* summary, const ChSimulation* s) {
  const ChWorld* world = ch_simulation_world(s);
  if (ch_world_mode_count(world) == 0 || summary->time - summary->looked_at < LOOK - 0.5 * ch_simulation_info(s).h)
    return;
  summary->looked_at = summary->time;
  ++summary->looks;
  for (int b = 0; b < ch_world_body_count(world); ++b) {
    int modes;
    const double* amplitudes = ch_simulation_modes(s, ch_world_body_at(world, b), &modes);
    if (!amplitudes || !ch_world_soft_is_folded(world, b, amplitudes)) continue;
    ++summary->looks_folded;
    if (summary->folded >= 0) return;
    summary->folded = b;
    summary->folded_at = summary->time;
    return;
  }
}

static void add_missed(ChSummary* summary, const ChStepInfo* info, double tolerance) {
  summary->missed_contacts += info->contacts;
  for (int k = 0; k < CH_DECADES; ++k) {
    tolerance *= 10.0;
    summary->missed_within[k] += ch_certificate_met(&info->certificate, tolerance);
  }
}

// Gains that are small in every step may add up: they are compared with what the whole run exchanged.
static void add_bounds(ChSummary* summary, const ChSimulation* s, const ChStepInfo* info) {
  summary->out_of_bounds += info->bounds != 0;
  summary->bounds |= info->bounds;
  summary->uncovered = ch_max(summary->uncovered, info->uncovered);
  summary->gain_sum += info->gain;
  summary->exchanged = ch_max(summary->exchanged, info->exchanged);
  if (!(summary->gain_sum <= ch_simulation_options(s)->energy_bound * (summary->exchanged + summary->work_sum)))
    summary->bounds |= CH_BOUND_ENERGY;
  if (info->locked > summary->locked) summary->locked = info->locked;
  summary->locked_overlap = ch_max(summary->locked_overlap, info->locked_overlap);
}

void ch_summary_add(ChSummary* summary, const ChSimulation* s) {
  ChStepInfo info = ch_simulation_info(s);
  ++summary->steps;
  summary->missed += info.missed;
  if (info.missed) add_missed(summary, &info, ch_simulation_options(s)->solve.tolerance);
  summary->substeps += info.substeps;
  summary->rejected += info.rejected;
  if (summary->steps == 1 || info.shortest < summary->shortest) summary->shortest = info.shortest;
  summary->time = info.time;
  summary->contacts_sum += info.contacts;
  if (info.contacts > summary->contacts_max) summary->contacts_max = info.contacts;
  summary->iterations_sum += info.iterations;
  if (info.iterations > summary->iterations_max) summary->iterations_max = info.iterations;
#define X(name, text)                                                       \
  summary->worst.name = ch_max(summary->worst.name, info.certificate.name); \
  summary->sum.name += info.certificate.name;
  CH_CERTIFICATE_FIELDS(X)
#undef X
  summary->penetration = ch_max(summary->penetration, info.penetration);
  summary->overlap = ch_max(summary->overlap, info.overlap);
  summary->stored = info.stored;
  summary->heat += info.heat;
  summary->deferred = ch_max(summary->deferred, info.deferred);
  summary->relaxed = ch_max(summary->relaxed, info.relaxed);
  summary->relaxed_steps += info.relaxed > 0.0;
  summary->joint_error = ch_max(summary->joint_error, info.joint_error);
  summary->energy_end = info.kinetic + info.potential;
  summary->momentum_end = info.momentum;
  summary->angular_momentum_end = info.angular_momentum;
  summary->largest_gain = ch_max(summary->largest_gain, info.gain);
  summary->work_sum += fabs(info.work);
  add_bounds(summary, s, &info);
  summary->seconds_collide += info.seconds_collide;
  summary->seconds_assemble += info.seconds_assemble;
  summary->seconds_solve += info.seconds_solve;
  add_displacement(summary, s);
  look_for_folds(summary, s);
}
