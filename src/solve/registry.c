// Every method, one row each.
#include <string.h>

#include "solve/method.h"

#define METHODS(X)   \
  X(auto)            \
  X(active_set)      \
  X(ansgs)           \
  X(admm)            \
  X(apgd)            \
  X(boxmin)          \
  X(indefinite_qp)   \
  X(interior_lcp)    \
  X(ipm)             \
  X(leap)            \
  X(lemke)           \
  X(newton)          \
  X(nsgs)            \
  X(penalty)         \
  X(pgs)             \
  X(regularized_lcp) \
  X(relaxed)         \
  X(seeded)          \
  X(shock)           \
  X(sqp)             \
  X(staggered)       \
  X(successive)      \
  X(trek)            \
  X(two_pass)        \
  X(walk)            \
  X(working_set)     \
  X(condense)

#define X(name) extern const ChMethod ch_method_##name;
METHODS(X)
#undef X

static const ChMethod* const methods[] = {
#define X(name) &ch_method_##name,
    METHODS(X)
#undef X
};

int ch_method_count(void) { return (int)(sizeof methods / sizeof methods[0]); }

const ChMethod* ch_method_at(int index) { return methods[index]; }

const ChMethod* ch_method_find(const char* name) {
  for (int k = 0; k < ch_method_count(); ++k)
    if (name && strcmp(methods[k]->name, name) == 0) return methods[k];
  return NULL;
}

const ChOption* ch_method_option(const ChMethod* method, const char* name) {
  for (int k = 0; name && k < method->option_count; ++k)
    if (strcmp(method->options[k].name, name) == 0) return &method->options[k];
  return NULL;
}

ChMethodInfo ch_method_info(int index) {
  if (index < 0 || index >= ch_method_count()) return (ChMethodInfo){0};
  const ChMethod* m = methods[index];
  return (ChMethodInfo){.name = m->name,
                        .summary = m->summary,
                        .document = m->document,
                        .equation = m->equation,
                        .literature = m->literature,
                        .exact = (m->takes & CH_IS_EXACT) != 0,
                        .outer = (m->takes & CH_IS_OUTER) != 0,
                        .inner = (m->takes & CH_IS_INNER) != 0,
                        .local = (m->takes & CH_IS_LOCAL) != 0,
                        .polygons = (m->takes & CH_NEEDS_POLYGON) != 0,
                        .baseline = (m->takes & CH_IS_BASELINE) != 0};
}

int ch_method_engine_sweeps(const char* name) {
  const ChMethod* method = ch_method_find(name);
  return method ? method->engine_sweeps : 0;
}

int ch_option_count(void) {
  int count = 0;
  for (int k = 0; k < ch_method_count(); ++k) count += methods[k]->option_count;
  return count;
}

ChOptionInfo ch_option_info(int index) {
  if (index < 0 || index >= ch_option_count()) return (ChOptionInfo){0};
  int k = 0;
  while (index >= methods[k]->option_count) index -= methods[k++]->option_count;
  const ChOption* o = &methods[k]->options[index];
  return (ChOptionInfo){
      .name = o->name, .text = o->text, .value = o->value, .lowest = o->lowest, .highest = o->highest};
}
