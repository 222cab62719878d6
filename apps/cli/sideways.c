// Weight turned sideways: see sideways.h.
#include "cli/sideways.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/output.h"
#include "cli/scene_problem.h"

static const struct {
  const char* name;
  ChVec3 direction;
} directions[CH_SIDEWAYS_MAX] = {
    {"x", {1.0, 0.0, 0.0}}, {"-x", {-1.0, 0.0, 0.0}}, {"y", {0.0, 1.0, 0.0}}, {"-y", {0.0, -1.0, 0.0}}};

static bool is_zero(const double* x, int n) {
  for (int k = 0; k < n; ++k)
    if (x[k] != 0.0) return false;
  return true;
}

ChStatus ch_sideways_ask(ChContext* context, const char* text, double touching, const ChProblem* problem,
                         const ChLimitOptions* options, ChSideways* out) {
  const ChProblemView p = ch_problem_view(problem);
  *out = (ChSideways){0};
  double* load = calloc((size_t)p.dof + 1, sizeof *load);
  if (!load) return ch_fail(context, CH_ERR_MEMORY, "out of memory for a load of %d numbers", p.dof);
  ChStatus status = CH_OK;
  for (int k = 0; k < (p.dimension == 2 ? 2 : CH_SIDEWAYS_MAX) && status == CH_OK; ++k) {
    status = ch_scene_weight(context, text, touching, directions[k].direction, p.dof, load);
    if (status != CH_OK || is_zero(load, p.dof)) continue;
    ChLimitAnswer* answer = &out->answer[out->count];
    out->name[out->count++] = directions[k].name;
    answer->status = ch_load_largest(context, problem, load, options, (ChLimitState){0}, &answer->limit);
    if (answer->status == CH_ERR_MEMORY) status = CH_ERR_MEMORY;
  }
  free(load);
  return status;
}

void ch_sideways_print(const ChSideways* s) {
  for (int k = 0; k < s->count; ++k) {
    const ChLimitAnswer* a = &s->answer[k];
    printf("%-11s ", k == 0 ? "sideways" : "");
    if (a->status != CH_OK)
      printf("along %s undecided: %s\n", s->name[k], ch_status_text(a->status));
    else if (!a->limit.exists)
      printf("along %s it does not stand, with or without\n", s->name[k]);
    else if (isinf(a->limit.value))
      printf("along %s it carries any multiple of its weight\n", s->name[k]);
    else
      printf("along %-2s it carries %.6g of its weight: a floor tilted by %.4g degrees\n", s->name[k], a->limit.value,
             atan(a->limit.value) * 180.0 / 3.14159265358979323846);
  }
}

json_t* ch_sideways_json(const ChSideways* s) {
  json_t* object = json_object();
  for (int k = 0; k < s->count; ++k) {
    const ChLimitAnswer* a = &s->answer[k];
    bool known = a->status == CH_OK;
    json_object_set_new(object, s->name[k],
                        json_pack("{s:s, s:o, s:o, s:b}", "status", ch_status_text(a->status), "exists",
                                  known ? json_boolean(a->limit.exists) : json_null(), "multiplier",
                                  ch_json_real(known && !isinf(a->limit.value) ? a->limit.value : NAN), "unbounded",
                                  known && isinf(a->limit.value)));
  }
  return object;
}
