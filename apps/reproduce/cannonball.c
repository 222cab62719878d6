// Cannonball piles and LCP0, LCP1, LCP2: see cannonball.h.
#include "reproduce/cannonball.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/clock.h"

enum { MOST = 10000 };              // 000, s4.B: where LCP0 and LCP1 are said to have failed
#define STOP 1e-5                   // 000, s4.B: change of Lambda at which LCP1 stops
static const double LOADED = 1e-6;  // of the largest normal reaction, as ch_take_off has it

int ch_cannonball_disks(int base) { return base * (base + 1) / 2; }
int ch_cannonball_contacts(int base) { return base + 3 * base * (base - 1) / 2; }

ChStatus ch_cannonball_problem(ChItemRun* run, int base, double mu, ChProblem** out) {
  char base_text[16], mu_text[32];
  snprintf(base_text, sizeof base_text, "%d", base);
  snprintf(mu_text, sizeof mu_text, "%.17g", mu);
  const char* const parameters[][2] = {{"base", base_text}, {"mu", mu_text}};
  ChScene* scene;
  ChSimulation* simulation = NULL;
  ChStatus status = ch_item_scene(run, "cannonball", 2, parameters, &scene);
  if (status != CH_OK) return status;
  scene->options.rest = false;
  scene->options.solve.pose = CH_POSE_FRICTIONLESS;  // what the step does is of no interest, only what it asked for
  ChWorld* world = scene->world;
  scene->world = NULL;
  status = ch_simulation_create(run->context, world, &scene->options, &simulation);
  ChStepInfo info;
  if (status == CH_OK) status = ch_simulation_step(run->context, simulation, &info);
  if (status == CH_OK) status = ch_simulation_problem(run->context, simulation, out);
  ch_simulation_destroy(simulation);
  ch_scene_destroy(scene);
  return status;
}

// A contact with the plank moves one body only: all entries of its normal, a column of H, are in the three rows of a
// disk.
void ch_cannonball_set_plank(ChProblem* problem, double mu) {
  const ChProblemView p = ch_problem_view(problem);
  for (int i = 0; i < p.block_count; ++i) {
    int first = p.dof, last = -1, column = p.blocks[i].row;
    for (int k = p.H->start[column]; k < p.H->start[column + 1]; ++k) {
      int disk = p.H->index[k] / 3;
      if (p.H->value[k] == 0.0) continue;
      if (disk < first) first = disk;
      if (disk > last) last = disk;
    }
    ChBlock rough = p.blocks[i];
    rough.mu[0] = rough.mu[1] = mu;
    if (first == last) ch_problem_set_block(NULL, problem, i, &rough);
  }
}

static ChSolveOptions options_of(ChLcp012 method, long most) {
  static const char* const names[] = {[CH_LCP0] = "lemke",
                                      [CH_LCP1] = "successive",
                                      [CH_LCP2] = "relaxed",
                                      [CH_LCP2_PIVOTED] = "lemke",
                                      [CH_EXACT] = "auto"};
  ChSolveOptions o = ch_solve_options_default();
  o.method = names[method];
  o.time_limit = 300.0;
  if (method == CH_LCP2 || method == CH_LCP2_PIVOTED) o.pose = CH_POSE_RELAXED;
  if (method == CH_LCP2 || method == CH_EXACT) return o;
  o.max_iterations = most > 0 ? most : MOST;
  static const ChSetting settings[] = {{"successive.paper_rule", STOP}, {"lemke.crash", 0}};
  o.settings = &settings[method == CH_LCP1 ? 0 : 1];
  o.setting_count = 1;
  return o;
}

static double rms_error(const ChProblemView* p, const double* r, const double* u) {
  double largest = 0.0, sum = 0.0;
  int count = 0;
  for (int i = 0; i < p->block_count; ++i) largest = fmax(largest, r[p->blocks[i].row]);
  for (int i = 0; i < p->block_count; ++i) {
    int row = p->blocks[i].row;
    if (!(r[row] > LOADED * largest)) continue;
    sum += u[row] * u[row];
    ++count;
  }
  return count ? sqrt(sum / count) : 0.0;
}

ChStatus ch_cannonball_solve(ChContext* context, const ChProblem* problem, ChLcp012 method, long most,
                             ChPileAnswer* out) {
  *out = (ChPileAnswer){0};
  ChSolveOptions options = options_of(method, most);
  ChSolveInfo info = {0};
  const ChProblemView p = ch_problem_view(problem);
  double* room = calloc((size_t)(p.dof + 2 * p.rows) + 1, sizeof *room);
  if (!room) return ch_fail(context, CH_ERR_MEMORY, "out of memory for the answer of a pile");
  double *v = room, *u = v + p.dof, *r = u + p.rows;
  double before = ch_clock_processor_seconds();
  out->status = ch_solve(context, problem, &options, v, u, r, &info);
  out->seconds = ch_clock_processor_seconds() - before;
  out->pivots = method == CH_LCP0 || method == CH_LCP2_PIVOTED ? info.inner : 0;
  out->passes = method == CH_LCP1 ? info.outer : 0;
  if (method == CH_LCP1 && info.outer < options.max_iterations) out->status = CH_OK;
  out->natural = info.certificate.natural;
  out->error = ch_take_off(problem, r, u);
  out->rms = rms_error(&p, r, u);
  memcpy(out->stage, info.stage, sizeof out->stage);
  free(room);
  bool ended =
      out->status == CH_OK || out->status == CH_MAX_ITER || out->status == CH_MAX_TIME || out->status == CH_STATIONARY;
  return ended ? CH_OK : out->status;
}

const char* ch_cannonball_say(ChReport* report, const ChPileAnswer* answer) {
  if (answer->status == CH_OK) return ch_report_say(report, "%.2g s", answer->seconds);
  long spent = answer->pivots > 0 ? answer->pivots : answer->passes;
  return ch_report_say(report, "MAX ITER (%ld %s, %.2g s)", spent, answer->pivots > 0 ? "pivots" : "passes",
                       answer->seconds);
}
