// Limit analysis on the command line: see limits.h and docs/limit_analysis.md.
#include "cli/limits.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"

static const double MOVING = 1e-6;  // of the mechanism's largest velocity, which is 1

// --- reading the load ------------------------------------------------------------------------------------------------

static ChStatus read_numbers(ChContext* context, const char* path, FILE* file, int size, double* out) {
  char word[64];
  int count = 0;
  while (fscanf(file, "%63s", word) == 1) {
    char* end;
    const double value = strtod(word, &end);
    if (*end != '\0' || !isfinite(value))
      return ch_fail(context, CH_ERR_FORMAT, "%s: number %d is '%s', must be a finite number", path, count + 1, word);
    if (count < size) out[count] = value;
    ++count;
  }
  if (ferror(file)) return ch_fail(context, CH_ERR_FILE, "%s: %s", path, strerror(errno));
  if (count != size)
    return ch_fail(context, CH_ERR_SIZE, "%s: holds %d numbers, the problem's load has %d", path, count, size);
  return CH_OK;
}

static ChStatus read_load(ChContext* context, const char* path, int size, double* out) {
  FILE* file = fopen(path, "r");
  if (!file) return ch_fail(context, CH_ERR_FILE, "%s: %s", path, strerror(errno));
  ChStatus status = read_numbers(context, path, file, size, out);
  fclose(file);
  return status;
}

// --- asking ----------------------------------------------------------------------------------------------------------

static bool rubs(const ChBlock* block) {
  const ChLawInfo* law = ch_law_info(block->law);
  return law->friction || law->rolls || law->drills || law->section;
}

static bool memory_failed(const ChLimitAnswer* answer) { return answer->status == CH_ERR_MEMORY; }

// A sliding contact dilates by the slope of its cone, u_n = mu |u_T|; one with more normal velocity than that opens.
static void count_motion(const ChProblemView* p, double factor, const double* u, ChMechanismCounts* out) {
  for (int i = 0; i < p->block_count; ++i) {
    const ChBlock* block = &p->blocks[i];
    if (!ch_law_info(block->law)->opens) continue;
    const double* x = u + block->row;
    const double slip[2] = {block->dimension > 1 ? x[1] : 0.0, block->dimension > 2 ? x[2] : 0.0};
    const double slope = factor * ch_contact_support(block, CH_POSE_COULOMB, x);
    double moving = hypot(slip[0], slip[1]);
    for (int a = 3; a < block->dimension; ++a) moving = fmax(moving, fabs(x[a]));
    if (!(moving > MOVING) && !(x[0] > MOVING))
      ++out->resting;
    else if (x[0] > slope + MOVING)
      ++out->opening;
    else
      ++out->sliding;
  }
}

static void keep_mechanism(ChLimitsReport* out, double* u, const char* of, double factor) {
  memcpy(out->mechanism, u, (size_t)out->view.rows * sizeof *u);
  out->mechanism_of = of;
  out->mechanism_factor = factor;
}

static ChStatus ask_all(ChContext* context, const double* load, const ChLimitOptions* options, double* u,
                        ChLimitsReport* out) {
  const ChProblem* p = out->problem;
  ChLimitState state = {.u = u};
  const ChLimitState none = {0};
  out->self_stress.status = ch_self_stress_find(context, p, 1.0, options, none, &out->self_stress.limit);
  out->disassembly.status = ch_self_stress_find(context, p, 0.0, options, none, &out->disassembly.limit);
  if (!out->all) return memory_failed(&out->self_stress) || memory_failed(&out->disassembly) ? CH_ERR_MEMORY : CH_OK;
  out->equilibrium.status = ch_equilibrium_find(context, p, options, state, &out->equilibrium.limit);
  if (out->equilibrium.status == CH_OK && !out->equilibrium.limit.exists) keep_mechanism(out, u, "equilibrium", 1.0);
  out->friction.status = ch_friction_smallest(context, p, options, state, &out->friction.limit);
  if (out->friction.status == CH_OK && out->friction.limit.value > 0.0)
    keep_mechanism(out, u, "friction", out->friction.limit.value);
  if (out->loaded) {
    out->load.status = ch_load_largest(context, p, load, options, state, &out->load.limit);
    if (out->load.status == CH_OK && isfinite(out->load.limit.value)) keep_mechanism(out, u, "load", 1.0);
  }
  if (out->mechanism_of) count_motion(&out->view, out->mechanism_factor, out->mechanism, &out->motion);
  const bool failed = memory_failed(&out->equilibrium) || memory_failed(&out->friction) || memory_failed(&out->load) ||
                      memory_failed(&out->self_stress) || memory_failed(&out->disassembly);
  return failed ? CH_ERR_MEMORY : CH_OK;
}

ChStatus ch_limits_ask(ChContext* context, const ChProblem* problem, const char* load_path,
                       const ChLimitOptions* options, ChLimitsReport* out) {
  const ChProblemView view = ch_problem_view(problem), *p = &view;
  const int size = p->form == CH_FORM_LOCAL ? p->rows : p->dof;
  *out = (ChLimitsReport){.asked = true,
                          .all = out->all,
                          .problem = problem,
                          .view = view,
                          .highest_factor = options->highest_factor,
                          .loaded = load_path != NULL};
  for (int i = 0; i < p->block_count; ++i)
    for (int a = 0; rubs(&p->blocks[i]) && a < 2 && a + 1 < p->blocks[i].dimension; ++a)
      out->mu_highest = fmax(out->mu_highest, p->blocks[i].mu[a]);
  double* u = calloc((size_t)p->rows + 1, sizeof *u);
  double* load = calloc((size_t)size + 1, sizeof *load);
  out->mechanism = calloc((size_t)p->rows + 1, sizeof *out->mechanism);
  ChStatus status = CH_OK;
  if (!u || !load || !out->mechanism)
    status = ch_fail(context, CH_ERR_MEMORY, "out of memory for the limit analysis of %d rows", p->rows);
  if (status == CH_OK && load_path) status = read_load(context, load_path, size, load);
  if (status == CH_OK) status = ask_all(context, load, options, u, out);
  free(u);
  free(load);
  return status;
}

void ch_limits_reset(ChLimitsReport* report) {
  free(report->mechanism);
  report->mechanism = NULL;
}

// --- telling ---------------------------------------------------------------------------------------------------------

static bool undecided(const char* name, const ChLimitAnswer* answer) {
  if (answer->status != CH_OK) printf("%-11s undecided: %s\n", name, ch_status_text(answer->status));
  return answer->status != CH_OK;
}

static void print_friction(const ChLimitsReport* report) {
  const ChLimit* limit = &report->friction.limit;
  if (undecided("", &report->friction)) return;
  if (!limit->exists)
    printf("            no friction up to %g times as large admits one\n", report->highest_factor);
  else
    printf("            smallest friction %.6g times the given one, that is mu up to %.6g\n", limit->value,
           limit->value * report->mu_highest);
}

static void print_load(const ChLimitsReport* report) {
  const ChLimit* limit = &report->load.limit;
  if (!report->loaded || undecided("", &report->load)) return;
  if (!limit->exists)
    printf("            no multiple of the load admits an equilibrium\n");
  else if (isinf(limit->value))
    printf("            every multiple of the load is carried\n");
  else
    printf("            largest multiple of the load %.6g\n", limit->value);
}

static void print_mechanism(const ChLimitsReport* report) {
  const ChMechanismCounts* m = &report->motion;
  if (!report->mechanism_of) return;
  printf("mechanism   that limits the %s: %d contacts open, %d slide, %d stay shut\n", report->mechanism_of, m->opening,
         m->sliding, m->resting);
}

static void print_equilibrium(const ChLimitsReport* report) {
  if (!undecided("limits", &report->equilibrium))
    printf("limits      %s (imbalance %.1e)\n",
           report->equilibrium.limit.exists ? "a static equilibrium exists" : "there is NO static equilibrium",
           report->equilibrium.limit.imbalance);
  print_friction(report);
  print_load(report);
  print_mechanism(report);
}

void ch_limits_print(const ChLimitsReport* report) {
  if (report->all) print_equilibrium(report);
  if (!undecided("pointed", &report->self_stress))
    printf("pointed     %s\n", report->self_stress.limit.exists
                                   ? "no: with friction the contacts can jam, and reactions have no bound"
                                   : "yes: no self-stress, reactions are bounded");
  if (!undecided("disassembly", &report->disassembly))
    printf("disassembly %s\n", report->disassembly.limit.exists ? "no motion opens all contacts at once"
                                                                : "a motion exists that opens all contacts at once");
}

static json_t* answer_json(const ChLimitAnswer* answer, const char* value_name) {
  const bool known = answer->status == CH_OK;
  json_t* object = json_pack("{s:s, s:o, s:i, s:f}", "status", ch_status_text(answer->status), "exists",
                             known ? json_boolean(answer->limit.exists) : json_null(), "programmes",
                             answer->limit.programmes, "seconds", answer->limit.seconds);
  if (value_name) json_object_set_new(object, value_name, ch_json_real(answer->limit.value));
  return object;
}

static json_t* mechanism_json(const ChLimitsReport* report) {
  if (!report->mechanism_of) return json_null();
  json_t* u = json_array();
  for (int i = 0; i < report->view.rows; ++i) json_array_append_new(u, ch_json_real(report->mechanism[i]));
  return json_pack("{s:s, s:i, s:i, s:i, s:o}", "limits", report->mechanism_of, "opening", report->motion.opening,
                   "sliding", report->motion.sliding, "resting", report->motion.resting, "u", u);
}

static void add_equilibrium_json(const ChLimitsReport* report, json_t* object) {
  json_t* friction = answer_json(&report->friction, "factor");
  json_object_set_new(friction, "mu", ch_json_real(report->friction.limit.value * report->mu_highest));
  json_t* equilibrium = answer_json(&report->equilibrium, NULL);
  json_object_set_new(equilibrium, "imbalance", ch_json_real(report->equilibrium.limit.imbalance));
  json_object_set_new(object, "equilibrium", equilibrium);
  json_object_set_new(object, "smallest_friction", friction);
  if (report->loaded) {
    json_t* load = answer_json(&report->load, "multiplier");
    json_object_set_new(load, "unbounded", json_boolean(isinf(report->load.limit.value)));
    json_object_set_new(object, "largest_load", load);
  }
  json_object_set_new(object, "mechanism", mechanism_json(report));
}

json_t* ch_limits_json(const ChLimitsReport* report) {
  json_t* object = json_object();
  if (report->all) add_equilibrium_json(report, object);
  json_object_set_new(object, "self_stress", answer_json(&report->self_stress, NULL));
  json_object_set_new(object, "self_stress_without_friction", answer_json(&report->disassembly, NULL));
  return object;
}
