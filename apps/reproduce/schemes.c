// LCP and QP on one scene: see schemes.h.
#include "reproduce/schemes.h"

#include <math.h>
#include <stdlib.h>

typedef struct Watch {
  ChMotion* motion;
  int body, room;
} Watch;

static bool follow(void* state, const ChSimulation* simulation, const ChStepInfo* info) {
  Watch* watch = state;
  ChMotion* m = watch->motion;
  if (m->count == watch->room) return false;
  ChBodyView view = ch_simulation_body_at(simulation, watch->body);
  m->time[m->count] = info->time;
  m->x[m->count] = view.position.x;
  m->y[m->count] = view.position.y;
  m->angle[m->count] = view.angle;
  m->missed += info->missed;
  m->gain = fmax(m->gain, info->gain);
  ++m->count;
  return true;
}

static ChStatus take_room(ChContext* context, ChMotion* m, int room) {
  double** arrays[] = {&m->time, &m->x, &m->y, &m->angle};
  *m = (ChMotion){0};
  for (int k = 0; k < 4; ++k) *arrays[k] = calloc((size_t)room, sizeof(double));
  if (m->time && m->x && m->y && m->angle) return CH_OK;
  ch_motion_free(m);
  return ch_fail(context, CH_ERR_MEMORY, "out of memory for a motion of %d steps", room);
}

void ch_motion_free(ChMotion* m) {
  free(m->time);
  free(m->x);
  free(m->y);
  free(m->angle);
  *m = (ChMotion){0};
}

ChStatus ch_scheme_run(ChItemRun* run, const char* text, const char* body, const ChScheme* scheme, ChMotion* out) {
  int room = (int)lround(scheme->until / scheme->h) + 2;
  Watch watch = {.motion = out, .room = room};
  ChScene* scene;
  ChStatus status = take_room(run->context, out, room);
  if (status != CH_OK) return status;
  status = ch_scene_parse(run->context, text, "scene", &scene);
  if (status != CH_OK) {
    ch_motion_free(out);
    return status;
  }
  scene->options.h = scheme->h;
  scene->options.solve.pose = scheme->pose;
  scene->options.solve.tolerance = 1e-10;
  scene->options.rest = false;
  watch.body = ch_world_body_row(scene->world, ch_world_find_body(scene->world, body));
  if (watch.body < 0) status = ch_fail(run->context, CH_ERR_ARGUMENT, "there is no body '%s' in the scene", body);
  ChPlay play = {.until = scheme->until, .record = scheme->record, .each = follow, .state = &watch};
  if (status == CH_OK) status = ch_item_play(run, scene, &play, NULL);
  ch_scene_destroy(scene);
  if (status != CH_OK) ch_motion_free(out);
  return status;
}

static int shorter(const ChMotion* a, const ChMotion* b) { return a->count < b->count ? a->count : b->count; }

double ch_motion_lift(const ChMotion* a, const ChMotion* b) {
  double most = 0.0;
  for (int k = 0; k < shorter(a, b); ++k) most = fmax(most, fabs(a->y[k] - b->y[k]));
  return most;
}

double ch_motion_distance(const ChMotion* a, const ChMotion* b) {
  double most = 0.0;
  for (int k = 0; k < shorter(a, b); ++k) most = fmax(most, hypot(a->x[k] - b->x[k], a->y[k] - b->y[k]));
  return most;
}
