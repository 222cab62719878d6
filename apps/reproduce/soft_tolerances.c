// See soft_tolerances.h.
#include "reproduce/soft_tolerances.h"

#include <math.h>

#include "cardhouse/clock.h"
#include "cardhouse/geometry.h"
#include "reproduce/subject.h"

enum { SCENES = 6, TOLERANCES = 3, BODIES = 128, STAGGERED_STEPS = 20 };
static const double tolerances[TOLERANCES] = {1e-8, 1e-4, 1e-1};  // the finest first: others are compared with it
static const double SECONDS = 6.0;                                // of processor time that `staggered` is given
static const double CONVINCING = 0.1;                             // of the way that bodies go

typedef struct Scene {
  ChSubject subject;
  double full, quick;  // simulated seconds
} Scene;

static const Scene scenes[SCENES] = {
    {{"composite, hanging", "composite", {{"cells", "6"}}, 3e-3}, 0.45, 0.0},
    {{"chairs, till they slide", "chairs", {{0}}, 1e-2}, 1.6, 0.1},
    {{"bars that jam", "jamming", {{0}}, 2e-3}, 0.6, 0.0},
    {{"dinosaurs", "dinosaurs", {{"n", "6"}}, 1e-2}, 1.0, 0.0},
    {{"bunnies and arches", "bunnies-arches", {{0}}, 1e-2}, 1.0, 0.0},
    {{"haptic", "haptic", {{"speed", "2"}, {"margin", "2e-3"}}, 1e-2}, 1.5, 0.2},
};

typedef struct Trial {
  int bodies, touching_max;
  int touching;  // steps with contacts
  ChVec3 start[BODIES], end[BODIES];
  double began, limit;  // seconds of processor time
  ChSummary summary;
  double seconds;
} Trial;

static bool look(void* state, const ChSimulation* s, const ChStepInfo* info) {
  Trial* t = state;
  t->bodies = ch_world_body_count(ch_simulation_world(s));
  if (t->bodies > BODIES) t->bodies = BODIES;
  for (int b = 0; b < t->bodies; ++b) {
    t->end[b] = ch_simulation_body_at(s, b).position;
    if (info->step == 1) t->start[b] = t->end[b];
  }
  t->touching += info->contacts > 0;
  return t->touching < t->touching_max && ch_clock_processor_seconds() - t->began < t->limit;
}

static ChStatus run_trial(ChItemRun* run, const Scene* scene, const char* method, double tolerance,
                          const double progress[2], Trial* t) {
  ChScene* opened;
  ChStatus status = ch_subject_open(run, &scene->subject, &opened);
  if (status != CH_OK) return status;
  opened->options.solve.method = method;
  opened->options.solve.tolerance = tolerance;
  t->began = ch_clock_processor_seconds();
  ChPlay play = {.until = run->quick ? scene->quick : scene->full,
                 .progress = {progress[0], progress[1]},
                 .each = look,
                 .state = t};
  return ch_item_play_timed(run, opened, &play, &t->summary, &t->seconds);
}

// The largest distance at the end of a body from where it ends in the other run.
static double apart(const Trial* a, const Trial* b) {
  double most = 0.0;
  for (int k = 0; k < a->bodies && k < b->bodies; ++k) most = fmax(most, ch_norm(ch_sub(a->end[k], b->end[k])));
  return most;
}

static double way(const Trial* t) {
  double most = 0.0;
  for (int k = 0; k < t->bodies; ++k) most = fmax(most, ch_norm(ch_sub(t->end[k], t->start[k])));
  return most;
}

static const char SHORT[] = "scenes of seconds, stabilised, round cones";

static const char* printed_of(double tolerance) {
  if (tolerance == 1e-1) return "enough for convincing behaviour";
  return tolerance == 1e-4 ? "all scenes convergent" : "convergence tested";
}

static void report_trial(ChReport* report, const Scene* scene, const char* method, double tolerance, const Trial* t,
                         const char* end) {
  const ChSummary* s = &t->summary;
  ChOurRun run = ch_subject_run(s, tolerance);
  ch_report_row(report, ch_report_say(report, "%s, eps = %.0e, `%s`", scene->subject.name, tolerance, method),
                (ChFacts){.printed = printed_of(tolerance),
                          .ours = ch_report_say(
                              report, "%ld of %ld steps converged, %d have contacts; %s; %.3g ms a step",
                              s->steps - s->missed, s->steps, t->touching, end, 1e3 * t->seconds / (double)s->steps),
                          .run = run,
                          .rule = "none missed",
                          .met = s->missed == 0,
                          .reason = ch_report_say(report, "%ld of %ld steps end above it, the worst at %.1e", s->missed,
                                                  s->steps, s->worst.natural)});
}

typedef struct Totals {
  int scenes, converged[TOLERANCES], staggered, alike[TOLERANCES];
} Totals;

static ChStatus sweep(ChItemRun* run, const Scene* scene, const double progress[2], Totals* totals) {
  ChReport* report = run->report;
  Trial trials[TOLERANCES];
  ChStatus status = CH_OK;
  for (int k = 0; k < TOLERANCES && status == CH_OK; ++k) {
    Trial* t = &trials[k];
    *t = (Trial){.touching_max = 1 << 30, .limit = INFINITY};
    status = run_trial(run, scene, "auto", tolerances[k], progress, t);
    if (status != CH_OK) return status;
    double gone = way(&trials[0]), off = apart(t, &trials[0]);
    const char* end = k == 0 ? ch_report_say(report, "bodies go up to %.2g m in %.3g s", gone, t->summary.time)
                             : ch_report_say(report, "ends %.1e m from the run at 1e-8", off);
    report_trial(report, scene, "auto", tolerances[k], t, end);
    totals->converged[k] += t->summary.missed == 0;
    totals->alike[k] += off <= CONVINCING * gone;
  }
  Trial staggered = {.touching_max = STAGGERED_STEPS, .limit = run->quick ? 1.0 : SECONDS};
  status = run_trial(run, scene, "staggered", 1e-4, progress, &staggered);
  if (status != CH_OK) return status;
  report_trial(report, scene, "staggered", 1e-4, &staggered,
               ch_report_say(report, "%.3g contacts a step",
                             (double)staggered.summary.contacts_sum / fmax(1.0, staggered.touching)));
  totals->staggered += staggered.summary.missed == 0;
  ++totals->scenes;
  return CH_OK;
}

static void judge(ChReport* report, const Totals* t) {
  ch_report_claim(report, "All scenes are convergent at 1e-4, and down to 1e-8: bodies that deform, by `auto`.",
                  (ChFacts){.run = {.changed = SHORT},
                            .rule = "no scene has a missed step",
                            .met = t->converged[1] == t->scenes && t->converged[0] == t->scenes},
                  "%d of %d scenes have every step at 1e-4, %d at 1e-8.", t->converged[1], t->scenes, t->converged[0]);
  ch_report_claim(
      report, "All scenes are convergent at 1e-4: bodies that deform, by staggered projections.",
      (ChFacts){.run = {.changed = SHORT}, .rule = "no scene has a missed step", .met = t->staggered == t->scenes},
      "%d of %d scenes have each of the steps looked at there; staggered projections here go on to a "
      "certificate, which the document's rule, a small change of friction, does not ask for.",
      t->staggered, t->scenes);
  ch_report_claim(
      report, "A tolerance of 1e-1 is generally sufficient for convincing behaviour: bodies that deform.",
      (ChFacts){.run = {.changed = SHORT, .fitted = "what is convincing: a tenth of the way"},
                .rule = "bodies of more than half of the scenes end within a tenth of their way",
                .met = 2 * t->alike[2] > t->scenes},
      "At 1e-1 the bodies of %d of %d scenes end within a tenth of their way from where they end at 1e-8, at "
      "1e-4 those of %d. The measure is ours: the document judges by eye, and its eps bounds the change of friction, "
      "not the error.",
      t->alike[2], t->scenes, t->alike[1]);
}

ChStatus ch_soft_tolerances(ChItemRun* run, double from) {
  Totals totals = {0};
  ChStatus status = CH_OK;
  ch_report_choice(run->report, "bodies that deform",
                   "They move, so that motion is no error: a run is compared with the one at 1e-8 by where its bodies "
                   "end. 0.45 to 1.6 s of simulated time. Staggered projections take up to seconds for a step of "
                   "these scenes: up to the %dth step with contacts, within %g s of processor time, at 1e-4.",
                   STAGGERED_STEPS, SECONDS);
  for (int k = 0; k < SCENES && status == CH_OK; ++k) {
    const double part = (1.0 - from) / SCENES, progress[2] = {from + k * part, from + (k + 1.0) * part};
    if (run->quick && scenes[k].quick == 0.0) continue;
    status = sweep(run, &scenes[k], progress, &totals);
  }
  if (status == CH_OK) judge(run->report, &totals);
  return status;
}
