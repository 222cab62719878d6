// Runs one trial and judges it: the clock runs during steps only, and poses are looked at LOOKS times a run.
#include "engines_trial.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/vector.h"
#include "cardhouse/clock.h"
#include "collide/collide.h"
#include "measure.h"

enum { LOOKS = 50, GRACE = 5 };             // GRACE: seconds beyond twice the cap, for looking
static const double CREEP_FROM = 1.0;       // seconds: what the start shakes has come to rest
static const double SLIDE[2] = {0.5, 2.0};  // seconds between which acceleration is taken
static const double TINY = 1e-9;

// Our own collision finds the overlaps of everybody's poses.
typedef struct Judge {
  ChWorld* world;
  ChCollider* collider;
  ChBodyState* states;
} Judge;

typedef struct Trial {
  const ChTrialCase* what;
  const ChEngineRow* row;
  void* engine;
  Judge judge;
  double cap, late_cpu, wall, cpu, displaced;
  long late_steps;
  ChVec3 creep_start, slide_start;  // position, velocity
  ChTrialResult* result;            // shared with the parent: what a killed child had is not lost
} Trial;

static bool judge_open(Judge* judge, const ChSceneBodies* scene) {
  ChContext context = {0};
  judge->world = ch_engine_world(&context, scene);
  judge->states = calloc((size_t)scene->count, sizeof *judge->states);
  return judge->world && judge->states && ch_world_seal(&context, judge->world) == CH_OK &&
         ch_collider_create(&context, judge->world, &judge->collider) == CH_OK;
}

// The largest overlap of the poses in `states`; NaN where they are not numbers.
static double judge_penetration(Judge* judge, int count) {
  ChContext context = {0};
  ChCollideOptions options = {0};
  const ChGap* gaps;
  int gap_count;
  double deepest = 0.0;
  for (int i = 0; i < count; ++i)
    if (!ch_vec_finite(judge->states[i].position)) return NAN;
  if (ch_collide(&context, judge->collider, judge->states, &options, &gaps, &gap_count) != CH_OK) return NAN;
  for (int i = 0; i < gap_count; ++i) deepest = fmax(deepest, -gaps[i].gap);
  return deepest;
}

static double largest_displacement(const Trial* trial) {
  const ChSceneBodies* scene = &trial->what->bodies;
  double largest = 0.0;
  for (int i = 0; i < scene->count; ++i) {
    double moved = ch_norm(ch_sub(trial->judge.states[i].position, scene->list[i].position));
    if (!(moved <= largest)) largest = moved;  // keeps NaN
  }
  return largest;
}

// Of the block of S4, its last body, along its ground; counted from the last look within the first second.
static void look_at_creep(Trial* trial) {
  ChVec3 at = trial->judge.states[trial->what->bodies.count - 1].position;
  if (trial->result->time <= CREEP_FROM + TINY) trial->creep_start = at;
  trial->result->figure = hypot(at.x - trial->creep_start.x, at.y - trial->creep_start.y);
}

static void take_poses(Trial* trial) {
  for (int i = 0; i < trial->what->bodies.count; ++i) {
    ChBodyView view;
    trial->row->read(trial->engine, i, &view);
    trial->judge.states[i] = (ChBodyState){.position = view.position, .orientation = view.orientation};
  }
}

// False when there is nothing left to see: fallen by far, or no numbers any more. A tenth of the size is tolerated on
// the way, because soft contacts swing back.
static bool look(Trial* trial) {
  ChTrialResult* result = trial->result;
  const ChSceneBodies* scene = &trial->what->bodies;
  take_poses(trial);
  double moved = largest_displacement(trial);
  if (trial->what->kind == CH_TRIAL_REST) result->figure = moved;
  if (trial->what->kind == CH_TRIAL_CREEP) look_at_creep(trial);
  double deepest = judge_penetration(&trial->judge, scene->count);
  if (!(deepest <= result->penetration)) result->penetration = deepest;
  trial->row->report(trial->engine, &result->report);
  trial->displaced = moved;
  if (moved > scene->size) result->ending = CH_TRIAL_FELL;
  return moved <= scene->size;
}

static void look_at_slide(Trial* trial, double before) {
  double now = trial->result->time;
  ChBodyView view;
  if (trial->what->kind != CH_TRIAL_SLIDE) return;
  trial->row->read(trial->engine, trial->what->bodies.count - 1, &view);
  if (before < SLIDE[0] - TINY && now >= SLIDE[0] - TINY) trial->slide_start = view.velocity;
  if (before < SLIDE[1] - TINY && now >= SLIDE[1] - TINY) {
    double a = ch_norm(ch_sub(view.velocity, trial->slide_start)) / (SLIDE[1] - SLIDE[0]);
    trial->result->figure = fabs(a / trial->what->exact - 1.0);
  }
}

static bool timed_step(Trial* trial, bool late) {
  ChTrialResult* result = trial->result;
  double wall = ch_clock_seconds(), cpu = ch_measure_clock();
  bool made = trial->row->step(trial->engine);
  double took = ch_measure_clock() - cpu;
  trial->cpu += took;
  trial->wall += ch_clock_seconds() - wall;
  trial->late_cpu += late ? took : 0.0;
  trial->late_steps += late;
  ++result->steps;
  result->cpu_us = 1e6 * trial->cpu / (double)result->steps;
  result->wall_us = 1e6 * trial->wall / (double)result->steps;
  result->late_us = trial->late_steps ? 1e6 * trial->late_cpu / (double)trial->late_steps : result->cpu_us;
  result->worst_us = fmax(result->worst_us, 1e6 * took);
  return made;
}

static void run(Trial* trial) {
  const ChTrialCase* what = trial->what;
  ChTrialResult* result = trial->result;
  long steps = lround(what->until / what->h), every = steps / LOOKS > 1 ? steps / LOOKS : 1;
  for (long k = 1; k <= steps; ++k) {
    double before = result->time;
    if (!timed_step(trial, k > steps / 2)) return;
    result->time = (double)k * what->h;
    look_at_slide(trial, before);
    bool capped = trial->cpu > trial->cap;
    if ((k % every == 0 || k == steps || capped) && !look(trial)) return;
    if (capped && k < steps) break;
  }
  bool fell = trial->displaced > 0.1 * what->bodies.size;
  result->ending = fell ? CH_TRIAL_FELL : result->steps < steps ? CH_TRIAL_CAPPED : CH_TRIAL_DONE;
}

// What an engine prints is not part of the table. A step that never ends is ended by the kernel.
static void child(Trial* trial) {
  struct rlimit limit = {.rlim_cur = (rlim_t)(2.0 * trial->cap) + GRACE, .rlim_max = RLIM_INFINITY};
  setrlimit(RLIMIT_CPU, &limit);
  ch_measure_silence();
  trial->result->ending = CH_TRIAL_FAILED;
  ChEngineInput input = {trial->row, &trial->what->bodies, trial->what->h, trial->what->tolerance};
  trial->engine = trial->row->create(&input);
  if (trial->engine && judge_open(&trial->judge, &trial->what->bodies)) run(trial);
  _exit(0);
}

ChTrialResult ch_trial_run(const ChTrialCase* what, const ChEngineRow* row, double cap) {
  ChTrialResult* shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return (ChTrialResult){.ending = CH_TRIAL_FAILED};
  *shared = (ChTrialResult){.ending = CH_TRIAL_FAILED, .figure = NAN, .report = {.certificate = NAN}};
  Trial trial = {.what = what, .row = row, .cap = what->patience > 0.0 ? cap * what->patience : cap, .result = shared};
  pid_t pid = fork();
  if (pid == 0) child(&trial);
  if (pid > 0) waitpid(pid, NULL, 0);
  ChTrialResult result = *shared;
  munmap(shared, sizeof *shared);
  return result;
}
