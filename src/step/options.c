// Options of a simulation: defaults, and what is refused.
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/method.h"
#include "solve/solve_options.h"
#include "step/integrator.h"
#include "step/options.h"
#include "step/state.h"

enum { MOST_THREADS = 1024, MOST_SIDES = 1024, MOST_HALVINGS = 20 };

ChSimulationOptions ch_simulation_options_default(void) {
  ChSimulationOptions o = {.h = 1e-3,
                           .integrator = "euler",
                           .midpoint = 0.5,
                           .gamma = 1.0,
                           .deformation_weight = 0.5,
                           .overlap = 1e-3,
                           .margin = CH_MARGIN_BY_SIZE,
                           .look_ahead = true,
                           .adaptive = CH_ADAPTIVE_LARGE,
                           .gap_tolerance = 1e-4,
                           .overlap_tolerance = CH_OVERLAP_BY_SHAPES,
                           .penetration_bound = 0.01,
                           .energy_bound = 0.01,
                           .halvings = 10,
                           .good_steps = 2,
                           .trial_work = 0.5,
                           .warm = true,
                           .rest = true,
                           .islands = true,
                           .threads = 1,
                           .solve = ch_solve_options_default()};
  o.solve.time_limit = INFINITY;
  // An island that takes more than its size warrants is better off with the best answer so far, made safe and counted
  // as missed. Not a time: results would depend on how busy the machine is.
  o.solve.work_limit = 0.0;
  return o;
}

// One ball that falls on one floor: the driver says what it thinks of the options, and of this method with this cone.
static ChStatus check_solver(ChContext* context, const ChSimulationOptions* o, int dimension) {
  const int index[3] = {0, 1, 2}, body[3] = {0, 0, 0};
  const double ones[3] = {1.0, 1.0, 1.0}, f[3] = {0.0, 0.0, 0.0}, w[3] = {-0.1, 0.01, 0.0};
  ChBlock block = {.law = o->contact == CH_CONTACT_COMPLIANT ? CH_LAW_COMPLIANT : CH_LAW_CONTACT,
                   .dimension = dimension,
                   .mu = {0.5, 0.5},
                   .compliance = o->contact == CH_CONTACT_COMPLIANT ? 1e-3 : 0.0};
  ChTriplets identity = {
      .rows = dimension, .columns = dimension, .count = dimension, .row = index, .column = index, .value = ones};
  ChProblemDef def = {.form = CH_FORM_GLOBAL,
                      .dimension = dimension,
                      .block_count = 1,
                      .blocks = &block,
                      .M = identity,
                      .H = identity,
                      .f = f,
                      .w = w,
                      .body = body};
  ChProblem* problem;
  ChSolveOptions solve = o->solve;
  ChSolveInfo info;
  double u[3], v[3], r[3];
  solve.warm = NULL;
  solve.history = NULL;
  solve.stop = NULL;
  ChStatus status = ch_problem_build(context, &def, &problem);
  if (status != CH_OK) return status;
  if (o->cone_sides > 0) status = ch_problem_set_polygon(context, problem, o->cone_sides, o->cone_outer);
  if (status == CH_OK) status = ch_solve(context, problem, &solve, v, u, r, &info);
  ch_problem_destroy(problem);
  bool fell_short =
      status == CH_MAX_ITER || status == CH_MAX_TIME || status == CH_STATIONARY || status == CH_ERR_NUMERIC;
  return fell_short ? CH_OK : status;
}

static ChStatus check_step_limit(ChContext* context, double seconds) {
  if (seconds >= 0.0 && seconds < INFINITY) return CH_OK;
  return ch_fail(context, CH_ERR_RANGE, "step limit is %g s, must be 0 (none) or more", seconds);
}

static ChStatus check_adaptive(ChContext* context, const ChSimulationOptions* o) {
  if ((int)o->adaptive < 0 || o->adaptive > CH_ADAPTIVE_LARGE)
    return ch_fail(context, CH_ERR_RANGE, "adaptive is %d, must be 0 to %d", (int)o->adaptive, CH_ADAPTIVE_LARGE);
  if (o->adaptive == CH_ADAPTIVE_GAP && !(o->gap_tolerance > 0.0 && o->gap_tolerance < INFINITY))
    return ch_fail(context, CH_ERR_RANGE, "gap tolerance is %g m, must be above 0", o->gap_tolerance);
  if (!(o->overlap_tolerance >= 0.0) && o->overlap_tolerance != CH_OVERLAP_BY_SHAPES)
    return ch_fail(context, CH_ERR_RANGE, "overlap tolerance is %g m, must be 0 or more, or CH_OVERLAP_BY_SHAPES",
                   o->overlap_tolerance);
  if (o->halvings < 1 || o->halvings > MOST_HALVINGS)
    return ch_fail(context, CH_ERR_RANGE, "halvings is %d, must be 1 to %d", o->halvings, MOST_HALVINGS);
  if (o->good_steps < 1) return ch_fail(context, CH_ERR_RANGE, "good steps is %d, must be 1 or more", o->good_steps);
  if (!(o->trial_work > 0.0 && o->trial_work <= 1.0))
    return ch_fail(context, CH_ERR_RANGE, "trial work is %g, must be above 0 and at most 1", o->trial_work);
  return CH_OK;
}

static ChStatus check_numbers(ChContext* context, const ChSimulationOptions* o) {
  if (!(o->h > 0.0 && o->h <= 1e3))
    return ch_fail(context, CH_ERR_RANGE, "step h is %g s, must be above 0 and at most 1000", o->h);
  if (!(o->gamma > 0.0 && o->gamma <= 1.0))
    return ch_fail(context, CH_ERR_RANGE, "stabilization is %g, must be above 0 and at most 1", o->gamma);
  if (!(o->push_out >= 0.0))
    return ch_fail(context, CH_ERR_RANGE, "push-out speed is %g m/s, must be 0 (by depth and size) or more",
                   o->push_out);
  if (!(o->deformation_weight >= 0.5 && o->deformation_weight <= 1.0))
    return ch_fail(context, CH_ERR_RANGE, "deformation weight is %g, must be 0.5 to 1", o->deformation_weight);
  if (!(o->overlap >= 0.0 && o->overlap <= 1.0))
    return ch_fail(context, CH_ERR_RANGE, "overlap is %g of a radius, must be 0 to 1", o->overlap);
  if (!(o->margin >= 0.0 && o->margin < INFINITY) && o->margin != CH_MARGIN_BY_SIZE)
    return ch_fail(context, CH_ERR_RANGE, "margin is %g m, must be 0 or more, or CH_MARGIN_BY_SIZE", o->margin);
  if (!(o->penetration_bound > 0.0 && o->energy_bound > 0.0))
    return ch_fail(context, CH_ERR_RANGE, "bounds of penetration and energy are %g and %g, must be above 0",
                   o->penetration_bound, o->energy_bound);
  ChStatus status = check_adaptive(context, o);
  if (status == CH_OK) status = check_step_limit(context, o->step_limit);
  if (status != CH_OK) return status;
  if (o->threads < 1 || o->threads > MOST_THREADS)
    return ch_fail(context, CH_ERR_RANGE, "threads is %d, must be 1 to %d", o->threads, MOST_THREADS);
  if (o->cone_sides < 0 || o->cone_sides > MOST_SIDES)
    return ch_fail(context, CH_ERR_RANGE, "the friction cone has %d sides, must be 0 (smooth) to %d", o->cone_sides,
                   MOST_SIDES);
  return CH_OK;
}

const char* ch_contact_law_name(ChContactLaw law) {
  return law == CH_CONTACT_RIGID ? "rigid" : law == CH_CONTACT_COMPLIANT ? "compliant" : NULL;
}

bool ch_contact_law_find(const char* name, ChContactLaw* out) {
  for (int law = 0; ch_contact_law_name((ChContactLaw)law); ++law) {
    if (!name || strcmp(name, ch_contact_law_name((ChContactLaw)law)) != 0) continue;
    *out = (ChContactLaw)law;
    return true;
  }
  return false;
}

static ChStatus check_choices(ChContext* context, const ChSimulationOptions* o, const ChWorld* world) {
  ChStatus status = ch_integrator_check(context, o, world);
  if (status != CH_OK) return status;
  if ((int)o->stabilization < 0 || o->stabilization > CH_STABILIZE_OFF)
    return ch_fail(context, CH_ERR_RANGE, "stabilization mode is %d, must be 0 to %d", (int)o->stabilization,
                   CH_STABILIZE_OFF);
  if (!ch_contact_law_name(o->contact))
    return ch_fail(context, CH_ERR_RANGE, "the law of contact is %d, must be %d (rigid) or %d (compliant)",
                   (int)o->contact, CH_CONTACT_RIGID, CH_CONTACT_COMPLIANT);
  if ((int)o->restitution < 0 || o->restitution > CH_RESTITUTION_POISSON)
    return ch_fail(context, CH_ERR_RANGE, "restitution law is %d, must be %d (newton) or %d (poisson)",
                   (int)o->restitution, CH_RESTITUTION_NEWTON, CH_RESTITUTION_POISSON);
  return CH_OK;
}

// --- options in force ------------------------------------------------------------------------------------------------

static bool same_text(const char* a, const char* b) { return a == b || (a && b && strcmp(a, b) == 0); }

static bool same_settings(const ChSolveOptions* a, const ChSolveOptions* b) {
  if (a->setting_count != b->setting_count) return false;
  for (int k = 0; k < a->setting_count; ++k)
    if (!same_text(a->settings[k].name, b->settings[k].name) || a->settings[k].value != b->settings[k].value)
      return false;
  return true;
}

static void forget_names(ChSimulationOptions* o) {
  o->integrator = o->solve.method = o->solve.inner = NULL;
  o->solve.settings = NULL;
}

// Names by their text, everything else by its bytes.
static bool same_options(const ChSimulationOptions* a, const ChSimulationOptions* b) {
  if (!same_text(a->integrator, b->integrator) || !same_text(a->solve.method, b->solve.method) ||
      !same_text(a->solve.inner, b->solve.inner) || !same_settings(&a->solve, &b->solve))
    return false;
  ChSimulationOptions x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  forget_names(&x);
  forget_names(&y);
  return memcmp(&x, &y, sizeof x) == 0;
}

static const char* known_integrator(const char* name) {
  for (int k = 0; k < ch_integrator_count(); ++k)
    if (strcmp(ch_integrator_info(k).name, name) == 0) return ch_integrator_info(k).name;
  return NULL;
}

static const char* known_method(const char* name) {
  const ChMethod* method = name ? ch_method_find(name) : NULL;
  return method ? method->name : NULL;
}

// Names that were checked become the library's own, which live for ever; settings become the simulation's. Settings
// that are the same stay where they are: options that were read from the simulation may be changed and set again and
// again.
static ChStatus adopt_names(ChContext* context, ChSimulation* s, ChSimulationOptions* o) {
  o->integrator = known_integrator(o->integrator);
  o->solve.method = known_method(o->solve.method);
  o->solve.inner = known_method(o->solve.inner);
  if (s->names && same_settings(&o->solve, &s->options.solve)) {
    o->solve.settings = s->options.solve.settings;
    return CH_OK;
  }
  ChSolveOptions copy;
  void* owned;
  if (!ch_solve_options_copy(&o->solve, &copy, &owned))
    return ch_fail(context, CH_ERR_MEMORY, "out of memory for a simulation's options");
  o->solve.settings = copy.settings;
  free(s->names);
  s->names = owned;
  return CH_OK;
}

// What a solver sees of the options.
static ChSimulationOptions solver_part(const ChSimulationOptions* o, const ChSimulationOptions* rest) {
  ChSimulationOptions part;
  memcpy(&part, rest, sizeof part);
  memcpy(&part.solve, &o->solve, sizeof part.solve);
  part.contact = o->contact;
  part.cone_sides = o->cone_sides;
  part.cone_outer = o->cone_outer;
  return part;
}

// `tried`: whether a solver had to be tried.
static ChStatus check(ChContext* context, const ChSimulation* s, const ChSimulationOptions* options, bool* tried) {
  *tried = false;
  ChStatus status = check_numbers(context, options);
  if (status == CH_OK) status = check_choices(context, options, s->world);
  if (status != CH_OK) return status;
  ChSimulationOptions part = solver_part(options, &s->options);
  *tried = !s->options.integrator || !same_options(&part, &s->options);
  return *tried ? check_solver(context, options, s->world->dimension) : CH_OK;
}

ChStatus ch_simulation_check_options(ChContext* context, const ChSimulation* s, const ChSimulationOptions* options) {
  bool tried;
  return check(context, s, options, &tried);
}

ChStatus ch_options_take(ChContext* context, ChSimulation* s, const ChSimulationOptions* options, bool* changed) {
  bool tried, first = !s->options.integrator;
  ChStatus status = check(context, s, options, &tried);
  s->solver_checks += tried;
  if (status != CH_OK) return status;
  ChSimulationOptions taken;
  memcpy(&taken, options, sizeof taken);
  taken.step_limit = s->options.step_limit;
  *changed = first || !same_options(&taken, &s->options);
  taken.step_limit = options->step_limit;
  status = adopt_names(context, s, &taken);
  if (status == CH_OK) memcpy(&s->options, &taken, sizeof taken);
  return status;
}

ChStatus ch_simulation_set_step_limit(ChContext* context, ChSimulation* s, double seconds) {
  ChStatus status = check_step_limit(context, seconds);
  if (status == CH_OK) s->options.step_limit = seconds;
  return status;
}
