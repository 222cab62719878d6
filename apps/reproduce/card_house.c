// The card house stepped by a method: see card_house.h.
#include "reproduce/card_house.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/clock.h"
#include "cardhouse/geometry.h"
#include "reproduce/play.h"

enum { PATH_SIZE = 4096, NAME_SIZE = 16 };
static const double FALLEN = 0.1, NO_LIMIT = 1e6;

static ChStatus open_house(ChItemRun* run, int levels, ChScene** scene) {
  char text[NAME_SIZE];
  snprintf(text, sizeof text, "%d", levels);
  const char* const parameters[][2] = {{"levels", text}};
  return ch_item_scene(run, "cards", 1, parameters, scene);
}

ChStatus ch_house_options(ChItemRun* run, const char* method, ChSimulationOptions* out) {
  ChScene* scene;
  ChStatus status = open_house(run, 1, &scene);
  if (status != CH_OK) return status;
  *out = scene->options;
  out->rest = false;
  out->stabilization = CH_STABILIZE_OFF;
  out->solve.method = method;
  out->solve.time_limit = NO_LIMIT;
  ch_scene_destroy(scene);
  return CH_OK;
}

void ch_house_tell_cards(ChReport* report) {
  ch_report_choice(
      report, "cards",
      "1 m x 1.4 m x 0.02 m, 28 kg, leaning at 67 degrees, all contacts closed at the start, 84 contact points; "
      "the document gives no sizes. Nothing is stabilised, as in the document: a scene's `step` says so by "
      "\"stabilization\": {\"mode\": \"off\"}, which the commands below leave out.");
}

// --- the start -------------------------------------------------------------------------------------------------------

typedef struct Trial {
  const ChHouse* house;
  ChSimulation* simulation;
  ChTrajectory* trajectory;
  int bodies;
  ChVec3* start;  // of each body's centre; NaN where it does not move
} Trial;

static double uniform(uint32_t* state) {  // in [-1, 1]
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 8388608.0 - 1.0;
}

static ChStatus shake(ChContext* context, Trial* t) {
  uint32_t state = 12345u;
  ChStatus status = CH_OK;
  for (int b = 0; b < t->bodies && status == CH_OK; ++b) {
    if (isnan(t->start[b].x)) continue;
    double w[6];
    for (int k = 0; k < 6; ++k) w[k] = t->house->shake * uniform(&state);
    status = ch_simulation_set_velocity(context, t->simulation, ch_world_body_at(ch_simulation_world(t->simulation), b),
                                        ch_vec(w[0], w[1], w[2]), ch_vec(w[3], w[4], w[5]));
  }
  return status;
}

static ChStatus begin(ChItemRun* run, ChScene* scene, Trial* t) {
  ChWorld* world = scene->world;
  scene->world = NULL;
  ChStatus status = ch_simulation_create(run->context, world, &t->house->options, &t->simulation);
  if (status != CH_OK) return status;
  t->bodies = ch_world_body_count(ch_simulation_world(t->simulation));
  t->start = malloc((size_t)t->bodies * sizeof *t->start);
  if (!t->start) return ch_fail(run->context, CH_ERR_MEMORY, "out of memory for a card house");
  for (int b = 0; b < t->bodies; ++b) {
    bool fixed = b == 0;  // the floor
    t->start[b] = fixed ? ch_vec(NAN, NAN, NAN) : ch_simulation_body_at(t->simulation, b).position;
  }
  if (t->house->shake > 0.0) status = shake(run->context, t);
  if (status != CH_OK || !t->house->record) return status;
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/%s", run->folder, t->house->record);
  return ch_trajectory_create(run->context, path, t->simulation, scene->text, t->house->every ? t->house->every : 1,
                              false, &t->trajectory);
}

// --- a step ----------------------------------------------------------------------------------------------------------

// (5.22) and (5.32) with the least lambda, from the step's problem and its answer.
static ChStatus measure_contacts(ChContext* context, const ChSimulation* s, ChHouseStep* step) {
  ChProblem* problem;
  ChStatus status = ch_simulation_problem(context, s, &problem);
  if (status != CH_OK) return status;
  const ChProblemView view = ch_problem_view(problem), *p = &view;
  double* r = malloc((2 * (size_t)p->rows + (size_t)p->dof + 1) * sizeof *r);
  double *u = r + p->rows, *v = u + p->rows;
  if (!r) status = ch_fail(context, CH_ERR_MEMORY, "out of memory for the answer of a step");
  if (status == CH_OK) {
    ch_simulation_reactions(s, p->rows, r);
    status = ch_problem_velocity(context, problem, r, v, u);
  }
  for (int i = 0; status == CH_OK && i < p->block_count; ++i) {
    const ChBlock* block = &p->blocks[i];
    const double *ri = r + block->row, *ui = u + block->row;
    if (!ch_law_info(block->law)->friction) continue;
    step->residual += fabs(ri[0] * ui[0]);
    step->objective += ri[0] * ch_contact_support(block, CH_POSE_COULOMB, ui);
    for (int a = 0; a < block->dimension; ++a) step->objective += ri[a] * ui[a];
  }
  free(r);
  ch_problem_destroy(problem);
  return status;
}

static void measure(const Trial* t, const ChStepInfo* info, ChHouseStep* step) {
  step->natural = info->certificate.natural;
  step->contacts = info->contacts;
  step->iterations = info->iterations;
  step->missed = info->missed;
  for (int b = 0; b < t->bodies; ++b) {
    if (isnan(t->start[b].x)) continue;
    ChBodyView body = ch_simulation_body_at(t->simulation, b);
    step->displacement = fmax(step->displacement, ch_norm(ch_sub(body.position, t->start[b])));
    step->speed = fmax(step->speed, ch_norm(body.velocity));
  }
}

static void add(ChHouseSum* sum, const ChHouseStep* step) {
  ++sum->steps;
  sum->missed += step->missed;
  sum->seconds += step->seconds;
  sum->objective[0] = fmin(sum->objective[0], step->objective);
  sum->objective[1] = fmax(sum->objective[1], step->objective);
  sum->residual = fmax(sum->residual, step->residual);
  sum->natural = fmax(sum->natural, step->natural);
  sum->displacement = fmax(sum->displacement, step->displacement);
  sum->speed = fmax(sum->speed, step->speed);
  sum->iterations += (double)step->iterations;
  sum->contacts += step->contacts;
}

static ChStatus step_through(ChItemRun* run, Trial* t, ChHouseStep* steps, ChHouseSum* sum) {
  const ChHouse* house = t->house;
  ChStatus status = CH_OK;
  bool on = true;
  for (int k = 0; k < house->steps && status == CH_OK && on; ++k) {
    ChHouseStep step = {0};
    ChStepInfo info;
    double before = ch_clock_processor_seconds();
    status = ch_simulation_step(run->context, t->simulation, &info);
    step.seconds = ch_clock_processor_seconds() - before;
    if (status == CH_OK && t->trajectory) status = ch_trajectory_add(run->context, t->trajectory, t->simulation);
    if (status != CH_OK) break;
    measure(t, &info, &step);
    status = measure_contacts(run->context, t->simulation, &step);
    if (status != CH_OK) break;
    add(sum, &step);
    if (steps) steps[k] = step;
    if (house->progress[1] > house->progress[0])
      on = ch_item_progress(run,
                            house->progress[0] + (k + 1.0) / house->steps * (house->progress[1] - house->progress[0]));
    if (house->seconds > 0.0 && sum->seconds > house->seconds) on = false;
  }
  return status;
}

static void finish(const Trial* t, ChHouseSum* sum) {
  double steps = sum->steps > 0 ? (double)sum->steps : NAN;
  sum->seconds /= steps;
  sum->iterations /= steps;
  sum->contacts /= steps;
  for (int b = 0; b < t->bodies; ++b) {
    if (isnan(t->start[b].x)) continue;
    ++sum->cards;
    sum->fallen += t->start[b].z - ch_simulation_body_at(t->simulation, b).position.z > FALLEN;
  }
}

ChStatus ch_house_simulation(ChItemRun* run, const ChHouse* house, ChSimulation** out) {
  Trial t = {.house = house};
  ChScene* scene;
  ChStatus status = open_house(run, house->levels, &scene);
  if (status == CH_OK) status = begin(run, scene, &t);
  ch_scene_destroy(scene);
  free(t.start);
  *out = t.simulation;
  return status;
}

ChStatus ch_house_run(ChItemRun* run, const ChHouse* house, ChHouseStep* steps, ChHouseSum* sum) {
  Trial t = {.house = house};
  ChScene* scene;
  *sum = (ChHouseSum){.objective = {INFINITY, -INFINITY}};
  ChStatus status = open_house(run, house->levels, &scene);
  if (status != CH_OK) return status;
  status = begin(run, scene, &t);
  if (status == CH_OK) status = step_through(run, &t, steps, sum);
  if (status == CH_OK) finish(&t, sum);
  ChContext closing = {0};
  ChStatus closed = ch_trajectory_close(&closing, t.trajectory);
  if (status == CH_OK && closed != CH_OK) *run->context = closing, status = closed;
  ch_simulation_destroy(t.simulation);
  ch_scene_destroy(scene);
  free(t.start);
  return status;
}
