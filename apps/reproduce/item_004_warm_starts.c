// 004, section 7.7 and Table 7.2 (left): how many iterations a step takes when it starts from the friction of the last
// one, and when it starts from nothing.
//
// A scene is stepped by `auto`; the contact problem of every step is taken out and given to each method twice, with the
// method's own answer to the step before as its start, and without. So all of them see the same problems.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/clock.h"
#include "reproduce/kept_impulse.h"
#include "reproduce/subject.h"

enum {
  ROWS_MAX = 6000,
  WAYS = 5,
  ALGORITHM = 2,
  ROOT = 3,
  IMPULSE = 4,
  STARTS = 2,
  CASES = 7,
  STEPS_MAX = 100,
  CAP = 1000
};
enum { WARM, COLD };

// The ways over smooth cones come first: a problem is given its polygons on the way.
typedef struct Way {
  const char* name;
  const char* method;
  int sides;
  double tolerance;  // 0: the case's
  int setting_count;
  ChSetting settings[3];
} Way;

static const Way ways[WAYS] = {
    {"auto", "auto", 0, 0.0, 0, {{0}}},
    {"staggered, accelerated", "staggered", 0, 0.0, 0, {{0}}},
    {"Algorithm 1", "staggered", 8, 1e-12, 2, {{"staggered.algorithm1", 1}, {"staggered.rel_err", 1e-4}}},
    {"Algorithm 1, root",
     "staggered",
     8,
     1e-12,
     3,
     {{"staggered.algorithm1", 1}, {"staggered.rel_err", 1e-4}, {"staggered.squared", 0}}},
    {"Algorithm 1, impulse kept", "staggered", 8, 1e-12, 2, {{"staggered.algorithm1", 1}, {"staggered.rel_err", 1e-4}}},
};

typedef struct Case {
  ChSubject subject;
  double from, full, quick;  // seconds at which taking problems begins, and for how long
  bool moves;                // a block hits it, or it slides and chatters
  double tolerance;          // of our own ways
  const char* printed;
  double printed_warm, printed_cold;
  double printed_contacts;
} Case;

static const Case cases[CASES] = {
    {{"catenary arch, standing", "arch", {{0}}, 1e-2},
     .full = 0.15,
     .quick = 0.03,
     .tolerance = 1e-8,
     .printed = "5.6 / 133.7",
     .printed_warm = 5.6,
     .printed_cold = 133.7,
     .printed_contacts = 2042},
    {{"card house, standing", "cards", {{0}}, 1e-3},
     .full = 0.03,
     .quick = 0.004,
     .tolerance = 1e-8,
     .printed = "3.2 / 57.1",
     .printed_warm = 3.2,
     .printed_cold = 57.1,
     .printed_contacts = 528},
    {{"card house, a block falls on it", "cards", {{"blocks", "32"}, {"restitution", "0.1"}}, 1e-3},
     .from = 1.515,
     .full = 0.025,
     .moves = true,
     .tolerance = 1e-8,
     .printed = "3.2 / 57.1",
     .printed_warm = 3.2,
     .printed_cold = 57.1,
     .printed_contacts = 528},
    {{"composites, hanging", "composite", {{0}}, 3e-3},
     .from = 0.9,
     .full = 0.018,
     .tolerance = 1e-6,
     .printed = "6.4 / 25.8",
     .printed_warm = 6.4,
     .printed_cold = 25.8,
     .printed_contacts = 921},
    {{"chairs, standing as the slope rises", "chairs", {{0}}, 1e-2},
     .from = 0.6,
     .full = 0.08,
     .tolerance = 1e-6,
     .printed = "2.9 / 30.9",
     .printed_warm = 2.9,
     .printed_cold = 30.9,
     .printed_contacts = 9025},
    {{"chairs, sliding", "chairs", {{0}}, 1e-2},
     .from = 1.3,
     .full = 0.1,
     .moves = true,
     .tolerance = 1e-6,
     .printed = "2.9 / 30.9",
     .printed_warm = 2.9,
     .printed_cold = 30.9,
     .printed_contacts = 9025},
    {{"dinosaurs in a pile", "dinosaurs", {{0}}, 1e-2},
     .from = 5.0,
     .full = 0.1,
     .tolerance = 1e-6,
     .printed = "2.7 / 18.3",
     .printed_warm = 2.7,
     .printed_cold = 18.3,
     .printed_contacts = 4690},
};

// What one way needs over the steps, from one kind of start.
typedef struct Tally {
  long solves, solved, cut;  // cut: ended by the limit of work
  double seconds;
  double series[STEPS_MAX];  // iterations of each step
} Tally;

typedef struct Replay {
  ChItemRun* run;
  ChStatus status;
  const Case* about;
  int steps, steps_max;
  long contact_sum;
  int count;                         // contacts of the last step
  ChContactFeature *contacts, *now;  // of the last step and this one
  double *r[WAYS], *start, *answer, *u, *v;
  double* impulse;  // generalised, of the last step's friction, of Algorithm 1 that keeps it; answer of `impulse_dof`
  int impulse_dof;
  Tally tally[WAYS][STARTS];
} Replay;

typedef struct Counter {
  const char* stage;
  int most;
} Counter;

static void count_iterations(void* user, int part, const char* stage, int iteration, double seconds, double error) {
  Counter* counter = user;
  (void)part, (void)seconds, (void)error;
  if (strcmp(stage, counter->stage) == 0 && iteration > counter->most) counter->most = iteration;
}

static int compare(const ChContactFeature* a, const ChContactFeature* b) {
  for (int side = 0; side < 2; ++side)
    if (a->shape[side] != b->shape[side]) return a->shape[side] < b->shape[side] ? -1 : 1;
  return a->key < b->key ? -1 : a->key > b->key;
}

// Reactions of the last step for the contacts of this one, found by the features that touch, as the simulation itself
// finds them; both lists are sorted by these.
static void recall(const Replay* p, const ChContactFeature* contacts, int count, const double* r, double* start) {
  memset(start, 0, (size_t)(3 * count) * sizeof *start);
  for (int k = 0, at = 0; k < count; ++k) {
    const ChContactFeature *now = &contacts[k], *then = p->contacts;
    while (at < p->count && compare(&then[at], now) < 0) ++at;
    if (at == p->count || compare(&then[at], now) != 0) continue;
    ChVec3 impulse = {0.0, 0.0, 0.0};
    for (int a = 0; a < 3; ++a) impulse = ch_along(impulse, r[3 * at + a], then[at].axis[a]);
    for (int a = 0; a < 3; ++a) start[3 * k + a] = ch_dot(impulse, now->axis[a]);
  }
}

static ChStatus solve_once(Replay* p, const ChProblem* problem, int w, int kind) {
  const Way* way = &ways[w];
  ChSolveOptions options = ch_solve_options_default();
  Counter counter = {.stage = way->method};
  ChSolveInfo info;
  Tally* tally = &p->tally[w][kind];
  options.method = way->method;
  options.tolerance = way->tolerance > 0.0 ? way->tolerance : p->about->tolerance;
  options.warm = kind == WARM ? p->start : NULL;
  options.setting_count = way->setting_count;
  options.settings = way->settings;
  options.max_iterations = way->sides ? CAP : 0;
  options.time_limit = INFINITY;  // the count must not depend on how busy the machine is
  options.work_limit = ch_simulation_options_default().solve.work_limit;
  options.history = count_iterations;
  options.history_user = &counter;
  double began = ch_clock_processor_seconds();
  ChStatus status = ch_solve(p->run->context, problem, &options, p->v, p->u, p->answer, &info);
  tally->seconds += ch_clock_processor_seconds() - began;
  if (status > CH_STATIONARY && status != CH_ERR_NUMERIC) return status;
  long iterations = strcmp(way->method, "auto") == 0 ? info.outer + info.inner : counter.most;
  tally->series[tally->solves++] = (double)iterations;
  tally->solved += status == CH_OK;
  tally->cut += status == CH_MAX_TIME;
  return CH_OK;
}

// What Algorithm 1 keeps: f^t, on the bodies. Where bodies came or went there is nothing to keep.
static ChStatus recall_impulse(Replay* p, const ChProblem* problem) {
  const ChProblemView view = ch_problem_view(problem);
  memset(p->start, 0, (size_t)view.rows * sizeof *p->start);
  if (p->impulse_dof != view.dof) return CH_OK;
  return ch_spread_impulse(p->run->context, problem, p->impulse, p->start);
}

static ChStatus solve_step(Replay* p, const ChSimulation* simulation, ChProblem* problem) {
  int count = ch_simulation_contact_features(simulation, ROWS_MAX, p->now);
  const ChProblemView view = ch_problem_view(problem);
  ChStatus status = CH_OK;
  if (3 * count != view.rows || view.rows > ROWS_MAX || view.dof > ROWS_MAX)
    return ch_fail(p->run->context, CH_ERR_SIZE, "a step with %d rows and %d contacts is not what was expected",
                   view.rows, count);
  for (int w = 0; w < WAYS && status == CH_OK; ++w) {
    if (ways[w].sides) status = ch_problem_set_polygon(p->run->context, problem, ways[w].sides, false);
    if (status == CH_OK && w != IMPULSE) status = solve_once(p, problem, w, COLD);
    if (w != IMPULSE)
      recall(p, p->now, count, p->r[w], p->start);
    else if (status == CH_OK)
      status = recall_impulse(p, problem);
    if (status == CH_OK) status = solve_once(p, problem, w, WARM);
    memcpy(p->r[w], p->answer, (size_t)view.rows * sizeof(double));
    if (w == IMPULSE) ch_kept_impulse(problem, p->answer, p->u, p->impulse), p->impulse_dof = view.dof;
  }
  p->count = count;
  memcpy(p->contacts, p->now, (size_t)count * sizeof *p->now);
  p->contact_sum += count;
  ++p->steps;
  return status;
}

static bool replay_step(void* state, const ChSimulation* simulation, const ChStepInfo* info) {
  Replay* p = state;
  ChProblem* problem = NULL;
  if (info->time < p->about->from) return true;
  p->status = ch_simulation_problem(p->run->context, simulation, &problem);
  if (p->status == CH_OK) p->status = solve_step(p, simulation, problem);
  ch_problem_destroy(problem);
  return p->status == CH_OK && p->steps < p->steps_max;
}

// The first step of a scene has nothing to start from and does not count as warm.
static int first_counted(int kind) { return kind == WARM; }

static double mean(const Tally* tally, int kind) {
  double sum = 0.0;
  for (int k = first_counted(kind); k < tally->solves; ++k) sum += tally->series[k];
  return sum / (double)(tally->solves - first_counted(kind));
}

static double largest(const Tally* tally, int kind) {
  double most = 0.0;
  for (int k = first_counted(kind); k < tally->solves; ++k) most = fmax(most, tally->series[k]);
  return most;
}

static ChStatus play_case(Replay* p, const double progress[2]) {
  const ChSubject* subject = &p->about->subject;
  ChScene* scene;
  ChStatus status = ch_subject_open(p->run, subject, &scene);
  if (status != CH_OK) return status;
  ChPlay play = {.until = p->about->from + p->steps_max * subject->h,
                 .progress = {progress[0], progress[1]},
                 .each = replay_step,
                 .state = p};
  status = ch_item_play(p->run, scene, &play, NULL);
  ch_scene_destroy(scene);
  return status == CH_OK ? p->status : status;
}

static void chart_series(ChReport* report, const Replay* p) {
  double step[STEPS_MAX], shown[STEPS_MAX];
  ChChart* chart = ch_report_chart(
      report, ch_report_say(report, "%s: iterations of Algorithm 1 at eps = 1e-4.", p->about->subject.name), "step [1]",
      "iterations [1]", CH_CHART_LOG_Y);
  for (int kind = COLD; kind >= WARM; --kind) {
    const Tally* tally = &p->tally[ALGORITHM][kind];
    for (int k = 0; k < tally->solves; ++k) step[k] = k + 1, shown[k] = tally->series[k];
    ch_chart_line(chart, kind == WARM ? "warm" : "without warm start", (int)tally->solves, step, shown);
  }
}

static const char CHANGED[] = "some steps of scenes of our own, stepped by `auto`, stabilised";

static bool near(double ours, double printed) { return fabs(log(ours / printed)) <= log(1.5); }

static const char* cut_text(ChReport* report, const Replay* p) {
  long cut = 0;
  for (int w = ALGORITHM; w <= ROOT; ++w) cut += p->tally[w][WARM].cut + p->tally[w][COLD].cut;
  return cut > 0 ? ch_report_say(report, "; %ld solves ended at the limit of work", cut) : "";
}

// Judged by (5.21) as printed and the impulse kept, as Algorithm 1 has them; the root, and reactions kept by contact,
// stand beside them.
static void report_printed(ChReport* report, const Replay* p) {
  const Case* c = p->about;
  double warm = mean(&p->tally[ALGORITHM][WARM], WARM), cold = mean(&p->tally[ALGORITHM][COLD], COLD);
  double warm_root = mean(&p->tally[ROOT][WARM], WARM), cold_root = mean(&p->tally[ROOT][COLD], COLD);
  double kept = mean(&p->tally[IMPULSE][WARM], WARM);
  bool warm_met = near(kept, c->printed_warm), cold_met = near(cold, c->printed_cold);
  ch_report_row(
      report, ch_report_say(report, "%s: iterations of Algorithm 1, warm / without", c->subject.name),
      (ChFacts){
          .printed = c->printed,
          .ours = ch_report_say(
              report,
              "%.1f / %.1f with (5.21) as printed and the impulse kept (at most %.0f / %.0f); %.1f warm with "
              "reactions kept by contact; %.1f / %.1f with the root of (5.21)%s",
              kept, cold, largest(&p->tally[IMPULSE][WARM], WARM), largest(&p->tally[ALGORITHM][COLD], COLD), warm,
              warm_root, cold_root, cut_text(report, p)),
          .run = {.contacts = {c->printed_contacts, (double)p->contact_sum / p->steps}, .changed = CHANGED},
          .rule = "both within a factor of 1.5",
          .met = warm_met && cold_met,
          .reason = ch_report_say(
              report,
              "%s outside the factor; which part of a run is motion and which is rest is not printed, and decides",
              warm_met   ? "the cold count is"
              : cold_met ? "the warm count is"
                         : "both counts are")});
}

static void report_ours(ChReport* report, const Replay* p) {
  for (int w = 0; w < ALGORITHM; ++w) {
    const Tally *warm = &p->tally[w][WARM], *cold = &p->tally[w][COLD];
    ch_report_row(
        report,
        ch_report_say(report, "%s: iterations of `%s` to a certificate of 1e%.0f, warm / without",
                      p->about->subject.name, ways[w].name, log10(p->about->tolerance)),
        (ChFacts){.ours = ch_report_say(report, "%.2f / %.1f; %.3g / %.3g ms of processor time", mean(warm, WARM),
                                        mean(cold, COLD), 1e3 * warm->seconds / (double)warm->solves,
                                        1e3 * cold->seconds / (double)cold->solves),
                  .run = {.steps = warm->solves + cold->solves,
                          .missed = warm->solves - warm->solved + cold->solves - cold->solved,
                          .tolerance = p->about->tolerance},
                  .reason = "the document prints its own method alone"});
  }
}

static void tell(ChReport* report) {
  ch_report_text(
      report,
      "A step that starts from the friction of the last one needs far fewer iterations than one that starts "
      "from nothing: Table 7.2 (left). Here a scene is stepped by `auto`, with certified rest off; the "
      "contact problem of every step is taken out and given to each method twice, with the method's own "
      "answer to the last step as its start, and without. Algorithm 1 is the document's, to the letter, and keeps what "
      "the document's keeps, the generalised impulse of friction on the bodies; beside it stands what Cardhouse keeps, "
      "a reaction for each contact: eight tangent directions, both projections solved to the end, stopped when the "
      "change of friction (5.21) is at most 1e-4: squared, as it is printed, and by its root, for the document does "
      "not say whether its figures have the square (erratum X29). The accelerated variant and `auto` go on until the "
      "certificate is at 1e-8 (deformable bodies: 1e-6), which Algorithm 1 is far from at its eps; a start that passes "
      "it takes no iteration at all.");
  ch_report_choice(
      report, "scenes",
      "The catenary arch of 27 stones and the card house of four levels (26 cards, with 32 blocks that "
      "makes the printed 348 degrees of freedom); sizes, starts and drop heights are not printed. "
      "Standing, and around the impact of the first block, which falls 1 m. A mat that hangs, 6 chairs of 14 "
      "modes before and while they slide, 15 dinosaurs that lie in a pile: the built-in scenes as they "
      "are, with fewer contacts than the document's. Its means are over whole runs; it does not say which part of a "
      "run is motion and which is rest.");
  ch_report_choice(report, "iterations of auto", "All of its stages together: sweeps, splitting and Newton steps.");
  ch_report_choice(report, "iteration limit",
                   "%d for Algorithm 1; none is printed. Where the largest count is at the limit, or solves ended at "
                   "the limit of work of a step (about two seconds), means are lower bounds.",
                   CAP);
}

static void judge(ChReport* report, const Replay* all) {
  double quiet = INFINITY, moving = INFINITY, most = 0.0;
  for (int c = 0; c < CASES; ++c) {
    if (all[c].steps == 0) continue;
    double gain = mean(&all[c].tally[ALGORITHM][COLD], COLD) / mean(&all[c].tally[IMPULSE][WARM], WARM);
    most = fmax(most, gain);
    if (cases[c].moves)
      moving = fmin(moving, gain);
    else
      quiet = fmin(quiet, gain);
  }
  ch_report_claim(
      report, "Warm starts appreciably accelerate convergence.",
      (ChFacts){.run = {.changed = CHANGED},
                .rule = "in every scene 1.5 times fewer iterations or better, the impulse kept",
                .met = fmin(quiet, moving) > 1.5},
      "Where things stand, hang or lie, Algorithm 1 takes at least %.1f times fewer iterations with them%s.", quiet,
      isfinite(moving) ? ch_report_say(report,
                                       "; where a block lands, or legs slide and chatter, as little as %.2g times: the "
                                       "friction of the step before is no good start there, whether it is kept as an "
                                       "impulse on the bodies or by contact",
                                       moving)
                       : "");
  ch_report_claim(report, "In many cases the speed-up is up to two orders of magnitude.",
                  (ChFacts){.run = {.changed = CHANGED}, .rule = "30 times or more", .met = most > 30.0},
                  "The largest here is %.1f, of the mean over a scene's steps; the printed means themselves give 4 "
                  "(composites) to 24 (arch).",
                  most);
}

static ChStatus take_arrays(ChItemRun* run, Replay* p) {
  double* room = calloc((WAYS + 5) * ROWS_MAX, sizeof *room);
  p->contacts = calloc(2 * ROWS_MAX, sizeof *p->contacts);
  p->start = room;
  if (!room || !p->contacts) return ch_fail(run->context, CH_ERR_MEMORY, "out of memory");
  p->now = p->contacts + ROWS_MAX;
  p->answer = room + ROWS_MAX;
  p->u = room + 2 * ROWS_MAX;
  p->v = room + 3 * ROWS_MAX;
  p->impulse = room + 4 * ROWS_MAX;
  for (int w = 0; w < WAYS; ++w) p->r[w] = room + (5 + w) * ROWS_MAX;
  return CH_OK;
}

static ChStatus run_case(ChItemRun* run, int c, Replay* p) {
  const double progress[2] = {(double)c / CASES, (c + 1.0) / CASES};
  p->run = run;
  p->about = &cases[c];
  p->steps_max = (int)lround((run->quick ? p->about->quick : p->about->full) / p->about->subject.h);
  if (p->steps_max == 0) return CH_OK;
  ChStatus status = take_arrays(run, p);
  if (status == CH_OK) status = play_case(p, progress);
  free(p->start);
  free(p->contacts);
  if (status != CH_OK || p->steps == 0) return status;
  report_printed(run->report, p);
  report_ours(run->report, p);
  chart_series(run->report, p);
  ch_report_command(run->report, "%s",
                    ch_subject_command(run, &p->about->subject, "--method staggered --rest off --warm off --until 1"));
  return CH_OK;
}

static ChStatus run_item(ChItemRun* run) {
  Replay* all = calloc(CASES, sizeof *all);
  if (!all) return ch_fail(run->context, CH_ERR_MEMORY, "out of memory");
  ChStatus status = CH_OK;
  tell(run->report);
  for (int c = 0; c < CASES && status == CH_OK; ++c) status = run_case(run, c, &all[c]);
  if (status == CH_OK) {
    judge(run->report, all);
    if (run->quick) ch_report_text(run->report, "Quick form: three or four steps of the rigid scenes that stand.");
  }
  free(all);
  return status;
}

const ChItem ch_item_004_warm_starts = {
    .name = "004-table7.2",
    .title = "Warm and cold starts",
    .source = "004 s7.7, Table 7.2 (left) [H41, J5, I52]",
    .run = run_item,
};
