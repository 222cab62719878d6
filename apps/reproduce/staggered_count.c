// See staggered_count.h.
#include "reproduce/staggered_count.h"

#include <string.h>

#include "cardhouse/clock.h"

static void count_iterations(void* user, int part, const char* stage, int iteration, double seconds, double error) {
  ChStaggeredCount* c = user;
  (void)part, (void)seconds, (void)error;
  if (strcmp(stage, "staggered") == 0 && iteration > c->most) c->most = iteration;
}

static bool look(void* state, const ChSimulation* simulation, const ChStepInfo* info) {
  ChStaggeredCount* c = state;
  (void)simulation;
  if (info->contacts > 0) {
    ++c->steps;
    c->missed += info->missed;
    c->mean += c->most;
    c->contacts += info->contacts;
    if (c->most > c->longest) c->longest = c->most;
  }
  c->most = 0;
  return c->steps < c->steps_max && ch_clock_processor_seconds() - c->began < c->limit;
}

ChStatus ch_staggered_count(ChItemRun* run, const ChSubject* subject, const double progress[2], ChStaggeredCount* c) {
  ChScene* scene;
  double seconds;
  ChStatus status = ch_subject_open(run, subject, &scene);
  if (status != CH_OK) return status;
  scene->options.solve.method = "staggered";
  scene->options.solve.tolerance = c->tolerance;
  scene->options.solve.history = count_iterations;
  scene->options.solve.history_user = c;
  c->began = ch_clock_processor_seconds();
  ChPlay play = {.until = c->until, .progress = {progress[0], progress[1]}, .each = look, .state = c};
  status = ch_item_play_timed(run, scene, &play, NULL, &seconds);
  if (c->steps > 0) c->mean /= (double)c->steps, c->contacts /= (double)c->steps;
  return status;
}
