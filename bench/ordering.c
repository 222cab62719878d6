// The comparison of Kaufman 2009, section 6.7.3, on our own methods: a card house of four levels, mu = 0.8, h = 1 ms.
//
// There the average call took 0.8 s by staggered projections, 57 s by PATH on the complementarity problem and 123 s by
// NLPQLP on the non-convex programme (5.32), over 500 steps of a simulation, and only the first of them solved every
// step. Here one step is solved from nothing: of the house at rest, and of houses whose cards have random velocities.
// For each answer: the residual (5.22), sum |alpha u_n|; the value of (5.32), which is zero at solutions only; both in
// joule; and the certificate.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/cardhouse.h"
#include "machine.h"
#include "measure.h"
#include "problem/cones.h"
#include "support/families.h"

typedef struct Entry {
  const char* label;
  const char* method;
  const char* inner;  // or NULL
  ChSetting setting;  // or empty
  double printed;     // seconds in section 6.7.3, 0 where there are none
} Entry;

static const Entry entries[] = {
    {"staggered", "staggered", NULL, {NULL, 0}, 0.8},
    {"staggered, inner active-set", "staggered", "active-set", {NULL, 0}, 0.0},
    {"lemke (PATH's role)", "lemke", NULL, {NULL, 0}, 57.0},
    {"sqp (NLPQLP's role)", "sqp", NULL, {NULL, 0}, 123.0},
    {"sqp, exact convexified Hessian", "sqp", NULL, {"sqp.hessian", 1}, 0.0},
    {"indefinite-qp", "indefinite-qp", NULL, {NULL, 0}, 0.0},
    {"regularized-lcp", "regularized-lcp", NULL, {NULL, 0}, 0.0},
    {"pgs over boxes", "pgs", NULL, {"pgs.box", 1}, 0.0},
    {"boxmin", "boxmin", NULL, {NULL, 0}, 0.0},
    {"auto", "auto", NULL, {NULL, 0}, 0.0},
};
enum { ENTRIES = sizeof entries / sizeof entries[0] };

typedef struct Options {
  double cap, tolerance, levels, noise, seeds, core;
} Options;

typedef struct Work {
  const ChProblem* problem;
  const Entry* entry;
  const Options* options;
  double *u, *v;
} Work;

static ChCall call(void* user, double* r) {
  Work* work = user;
  ChContext context = {0};
  ChSolveInfo info = {0};
  ChSolveOptions options = ch_solve_options_default();
  options.method = work->entry->method;
  options.inner = work->entry->inner;
  options.tolerance = work->options->tolerance;
  options.time_limit = work->options->cap;
  options.settings = &work->entry->setting;
  options.setting_count = work->entry->setting.name != NULL;
  const double start = ch_measure_clock();
  const ChStatus status = ch_solve(&context, work->problem, &options, work->v, work->u, r, &info);
  return (ChCall){.seconds = ch_measure_clock() - start, .info = (int)status};
}

static bool inner_known(const char* name) {
  for (int k = 0; k < ch_method_count(); ++k)
    if (ch_method_info(k).inner && strcmp(ch_method_info(k).name, name) == 0) return true;
  return false;
}

// The residual (5.22) and the value of (5.32) with the least lambda: sum of r . (u + mu |u_T| n).
static void measure_answer(const ChProblem* problem, const double* r, const double* u, double* residual,
                           double* value) {
  const ChProblemView view = ch_problem_view(problem), *p = &view;
  *residual = *value = 0.0;
  for (int i = 0; i < p->block_count; ++i) {
    const ChBlock* block = &p->blocks[i];
    const double *ri = r + block->row, *ui = u + block->row;
    if (!ch_law_info(block->law)->friction) continue;
    *residual += fabs(ri[0] * ui[0]);
    *value += ri[0] * ch_block_support(block, CH_POSE_COULOMB, ui);
    for (int a = 0; a < block->dimension; ++a) *value += ri[a] * ui[a];
  }
}

// `staggered_seconds` is that of the first row, NaN where it missed.
static void print_row(Work* work, double* r, double* staggered_seconds) {
  ChContext context = {0};
  const ChProblem* p = work->problem;
  const Entry* e = work->entry;
  const ChMeasurement m = ch_measure(call, work, ch_problem_view(p).rows, work->options->cap + 5.0, 5, r);
  if (m.ending != CH_ENDING_OK) {
    printf("| %-30s | %9s | %7s | %-10s | %9s | %9s | %9s | %-9s |\n", e->label, "-", "-",
           m.ending == CH_ENDING_CAP ? "cap" : "crash", "-", "-", "-", "-");
    return;
  }
  ChCertificate certificate;
  double residual, value;
  if (ch_certify(&context, p, CH_POSE_COULOMB, r, NULL, &certificate) != CH_OK ||
      ch_problem_velocity(&context, p, r, work->v, work->u) != CH_OK)
    return;
  measure_answer(p, r, work->u, &residual, &value);
  const bool solved = ch_certificate_met(&certificate, work->options->tolerance);
  if (solved && e == entries) *staggered_seconds = m.seconds;
  const char* word = solved                         ? "solved"
                     : m.info == (int)CH_STATIONARY ? "stationary"
                     : m.info == (int)CH_MAX_TIME   ? "time"
                                                    : "missed";
  char printed[32] = "-", ratio[32] = "-";  // a ratio only between answers that hold
  if (solved && !isnan(*staggered_seconds)) snprintf(ratio, sizeof ratio, "%.3g", m.seconds / *staggered_seconds);
  if (e->printed > 0.0) snprintf(printed, sizeof printed, "%g (%.0f)", e->printed, e->printed / entries[0].printed);
  printf("| %-30s | %9.3g | %7s | %-10s | %9.1e | %9.1e | %9.1e | %-9s |\n", e->label, m.seconds, ratio, word, residual,
         value, certificate.natural, printed);
  fflush(stdout);
}

// One step of a house with these random velocities.
static bool compare(const Options* options, double noise, double seed) {
  ChContext context = {0};
  const ChFamily* family = ch_family_find("cards");
  ChRecipe recipe = ch_recipe_default(family);
  recipe.n = options->levels;
  recipe.noise = noise;
  recipe.seed = seed;
  ChProblem* p = NULL;
  if (ch_family_generate(&context, family, &recipe, CH_FORM_GLOBAL, &p) != CH_OK ||
      ch_problem_set_polygon(&context, p, 8, false) != CH_OK) {
    fprintf(stderr, "ordering: %s\n", context.message);
    ch_problem_destroy(p);
    return false;
  }
  if (noise > 0.0)
    printf("\n### Shaken: random velocities of %g m/s, seed %g\n\n", noise, seed);
  else
    printf("\n### At rest\n\n");
  printf("| %-30s | %9s | %7s | %-10s | %9s | %9s | %9s | %-9s |\n", "method", "seconds", "ratio", "status", "(5.22) J",
         "(5.32) J", "natural", "printed");
  printf(
      "|--------------------------------|----------:|--------:|------------|----------:|----------:|----------:|"
      "----------:|\n");
  const ChProblemView view = ch_problem_view(p);
  double *space = calloc(2 * (size_t)view.rows + (size_t)view.dof + 1, sizeof *space), first = NAN;
  for (int k = 0; space && k < ENTRIES; ++k) {
    if (entries[k].inner && !inner_known(entries[k].inner)) continue;
    Work work = {.problem = p,
                 .entry = &entries[k],
                 .options = options,
                 .u = space + view.rows,
                 .v = space + 2 * (size_t)view.rows};
    memset(space, 0, (size_t)view.rows * sizeof *space);
    print_row(&work, space, &first);
  }
  free(space);
  ch_problem_destroy(p);
  return true;
}

static const char USAGE[] =
    "usage: ordering [--cap SECONDS] [--tol 1e-8] [--levels 4] [--noise 0.01] [--seeds 2] [--core N]\n"
    "Compares methods on one step of a card house, as section 6.7.3 of Kaufman 2009 does. Prints Markdown.\n";

static bool read_options(Options* o, int argc, char** argv) {
  const struct {
    const char* name;
    double *value, lowest, highest;
  } rows[] = {{"--cap", &o->cap, 1e-3, 1e6},     {"--tol", &o->tolerance, 1e-15, 0.1}, {"--levels", &o->levels, 1, 100},
              {"--noise", &o->noise, 0.0, 10.0}, {"--seeds", &o->seeds, 0, 100},       {"--core", &o->core, 0, 1e4}};
  for (int i = 1; i < argc; i += 2) {
    bool known = false;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0] && i + 1 < argc; ++k) {
      if (strcmp(argv[i], rows[k].name) != 0) continue;
      char* end;
      const double value = strtod(argv[i + 1], &end);
      known = *end == '\0' && value >= rows[k].lowest && value <= rows[k].highest;
      if (known) *rows[k].value = value;
    }
    if (!known) return false;
  }
  return true;
}

int main(int argc, char** argv) {
  Options options = {.cap = 60.0, .tolerance = 1e-8, .levels = 4, .noise = 0.01, .seeds = 2, .core = -1};
  ch_machine_single_thread(argv);
  if (!read_options(&options, argc, argv)) {
    fprintf(stderr, "%s", USAGE);
    return 2;
  }
  ch_machine_pin((int)options.core);
  printf(
      "A card house of %g levels, mu 0.8, h 1 ms, polygon:8, to %g, at most %g s a call. `ratio`: to staggered, where "
      "both\n"
      "solved.\n",
      options.levels, options.tolerance, options.cap);
  printf("`printed`: seconds of an average call there, and their ratio.\n");
  bool fine = compare(&options, 0.0, 1.0);
  for (int seed = 1; fine && seed <= (int)options.seeds; ++seed) fine = compare(&options, options.noise, seed);
  return fine ? 0 : 3;
}
