// `cardhouse analyze`: what can be said of a contact problem before solving it.
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/analysis.h"
#include "cardhouse/clock.h"
#include "cardhouse/files.h"
#include "cli/commands.h"
#include "cli/limits.h"
#include "cli/output.h"
#include "cli/scene_choice.h"
#include "cli/scene_open.h"
#include "cli/scene_problem.h"
#include "cli/sideways.h"
#include "common/printable.h"

#define ANALYZE_OPTIONS(X)                                                                                             \
  X(FLAG, json, false, NULL, 0, 0, "one JSON object instead of text")                                                  \
  X(FLAG, limits, false, NULL, 0, 0, "limit analysis: equilibrium, smallest friction, and the mechanism at the limit") \
  X(TEXT, load, NULL, "FILE", 0, 0,                                                                                    \
    "with --limits: the largest multiple of the load in FILE, one number per row of f")                                \
  X(FLAG, sideways, false, NULL, 0, 0,                                                                                 \
    "for a scene: the sideways load that it carries, as a share of its weight, as in an earthquake")                   \
  X(REAL, touching, 1e-6, "M", 0.0, 1.0, "for a scene: gap below which bodies count as touching, metres (1e-6)")       \
  CH_PARAM_ROW(X)                                                                                                      \
  X(REAL, time_limit, 60.0, "SECONDS", 0.001, 1e6, "time limit for each question of the limit analysis, seconds (60)")

typedef struct Arguments {
  ANALYZE_OPTIONS(CH_ARG_MEMBER)
} Arguments;

static const ChArgRow rows[] = {ANALYZE_OPTIONS(CH_ARG_ROW)};

enum { SMALL_ROWS = 1000, SIDES = 8 };  // up to here pointedness is told unasked; polygon of smooth cones

static const char rank_skipped[] = "connected parts with more than 3000 rows are too large for a dense factorisation";

static double coupling_degrees(const ChAnalysis* a) {
  return acos(a->coupling_cosine) * 180.0 / 3.14159265358979323846;
}

static json_t* range_json(double lowest, double highest) {
  return json_pack("{s:o, s:o}", "min", ch_json_real(lowest), "max", ch_json_real(highest));
}

// Arrays with one entry a contact; null where a contact cannot move or nothing couples.
static json_t* painleve_json(const ChProblemView* p, const ChAnalysis* a, const double* indicator,
                             const double* critical) {
  json_t *indicators = json_array(), *criticals = json_array();
  for (int i = 0; i < p->block_count; ++i) {
    if (!ch_law_info(p->blocks[i].law)->friction) continue;
    json_array_append_new(indicators, ch_json_real(indicator[i]));
    json_array_append_new(criticals, ch_json_real(critical[i]));
  }
  return json_pack("{s:o, s:o, s:i, s:o, s:o}", "lowest_share", ch_json_real(a->painleve_lowest), "critical_mu_lowest",
                   ch_json_real(a->critical_mu_lowest), "contacts", a->painleve_contacts, "indicator", indicators,
                   "critical_mu", criticals);
}

static json_t* painleve_of(const ChProblem* problem, const ChAnalysis* a) {
  const ChProblemView view = ch_problem_view(problem), *p = &view;
  double* arrays = calloc(2 * (size_t)p->block_count + 1, sizeof *arrays);
  ChContext context = {0};
  json_t* object = NULL;
  if (arrays && ch_problem_painleve(&context, problem, arrays, arrays + p->block_count) == CH_OK)
    object = painleve_json(p, a, arrays, arrays + p->block_count);
  free(arrays);
  return object;
}

static const char matrix_skipped[] = "too large for this check: a connected part has more than 1500 variables";

static json_t* answer_json(ChAnswer answer) {
  return answer == CH_ANSWER_UNKNOWN ? json_null() : json_boolean(answer == CH_ANSWER_YES);
}

static json_t* matrix_json(const ChFrictionMatrix* m) {
  json_t* object = json_pack("{s:i, s:i}", "polygon", SIDES, "variables", m->variables);
  if (!m->known) {
    json_object_set_new(object, "skipped",
                        m->variables ? json_string(matrix_skipped) : json_string("nothing can move"));
    return object;
  }
  json_object_set_new(object, "asymmetry", ch_json_real(m->asymmetry));
  json_object_set_new(object, "lowest_eigenvalue", ch_json_real(m->eigenvalue_lowest));
  json_object_set_new(object, "copositive", answer_json(m->copositive));
  json_object_set_new(object, "row_sufficient", answer_json(m->row_sufficient));
  return object;
}

// What was found out about one problem.
typedef struct Findings {
  ChAnalysis analysis;
  ChFrictionMatrix matrix;
  ChLimitsReport limits;
  ChSideways sideways;
} Findings;

static ChExit print_json(const ChCommand* self, const char* file, const ChProblem* p, const Findings* found) {
  const ChAnalysis* a = &found->analysis;
  json_t* object = json_object();
  json_object_set_new(object, "problem", ch_json_problem(file, p));
  json_object_set_new(object, "asymmetry", ch_json_real(a->asymmetry));
  json_object_set_new(object, "mass_asymmetry", ch_json_real(a->mass_asymmetry));
  json_object_set_new(object, "components", json_integer(a->components));
  json_object_set_new(object, "largest_component", json_integer(a->largest_rows));
  json_object_set_new(object, "idle", json_integer(a->idle));
  json_object_set_new(object, "rank", a->rank_known ? json_integer(a->rank) : json_null());
  json_object_set_new(object, "hyperstaticity", a->rank_known ? json_integer(a->redundant) : json_null());
  if (!a->rank_known) json_object_set_new(object, "rank_skipped", json_string(rank_skipped));
  json_object_set_new(object, "singular_values", range_json(a->sigma_lowest, a->sigma_highest));
  json_object_set_new(object, "trace", range_json(a->trace_lowest, a->trace_highest));
  json_object_set_new(object, "rho", range_json(a->rho_lowest, a->rho_highest));
  json_object_set_new(object, "q",
                      json_pack("{s:o, s:o}", "norm", ch_json_real(a->q_norm), "max", ch_json_real(a->q_highest)));
  json_object_set_new(object, "mu", range_json(a->mu_lowest, a->mu_highest));
  json_object_set_new(object, "elliptic", json_integer(a->elliptic));
  json_object_set_new(object, "compliant", json_integer(a->compliant));
  json_object_set_new(object, "coupling",
                      json_pack("{s:o, s:o}", "cosine", ch_json_real(a->coupling_cosine), "degrees",
                                ch_json_real(coupling_degrees(a))));
  json_object_set_new(object, "painleve", painleve_of(p, a));
  json_object_set_new(object, "friction_matrix", matrix_json(&found->matrix));
  if (found->limits.asked) json_object_set_new(object, "limits", ch_limits_json(&found->limits));
  if (found->sideways.count > 0) json_object_set_new(object, "sideways", ch_sideways_json(&found->sideways));
  json_object_set_new(object, "certificate_at_zero", ch_json_certificate(&a->at_zero, NULL));
  return ch_json_print(self, object);
}

static void print_rank(const ChProblemView* p, const ChAnalysis* a) {
  if (!a->rank_known) {
    printf("rank        not computed: %s\n", rank_skipped);
    if (p->form == CH_FORM_GLOBAL && p->dof < p->rows)
      printf("redundant   at least %d (rows - degrees of freedom)\n", p->rows - p->dof);
    return;
  }
  printf("rank        %d of %d rows (singular values of W above 1e-9 of the largest, %.3g to %.3g)\n", a->rank, p->rows,
         a->sigma_lowest, a->sigma_highest);
  if (a->redundant)
    printf("redundant   %d (rows - rank): reactions are not unique, compare velocities instead\n", a->redundant);
  else
    printf("redundant   none: the reactions are determined by the velocities\n");
}

static void print_units(const ChAnalysis* a) {
  if (isnan(a->rho_lowest)) {
    printf("units       no block that a reaction could move, so there is no scale; |q| = %.3g\n", a->q_norm);
    return;
  }
  printf("units       trace(W_ii) %.3g to %.3g, so rho = d / trace %.3g to %.3g\n", a->trace_lowest, a->trace_highest,
         a->rho_lowest, a->rho_highest);
  if (a->rho_highest > 100.0 || a->rho_lowest < 0.01)
    printf(
        "            with rho = 1, as in Siconos, the weight of velocity against reaction differs by a factor of up to "
        "%.1g\n",
        fmax(a->rho_highest, 1.0 / a->rho_lowest));
  printf("            |q| = %.3g, largest entry %.3g\n", a->q_norm, a->q_highest);
}

static void print_symmetry(const char* matrix, double asymmetry) {
  printf("symmetry    %s is %ssymmetric (relative difference %.1e)\n", matrix, asymmetry <= 1e-12 ? "" : "NOT ",
         asymmetry);
}

static void print_coupling(const ChAnalysis* a) {
  if (!isnan(a->coupling_cosine))
    printf("coupling    smallest angle between contact and friction %.4g degrees (cosine %.6g)\n", coupling_degrees(a),
           a->coupling_cosine);
  if (a->painleve_block < 0) return;
  if (isinf(a->critical_mu_lowest))
    printf("painleve    no contact couples its normal with its tangents\n");
  else
    printf("painleve    %s: smallest W_nn - mu |W_nT| is %.3g W_nn (block %d), smallest critical mu %.4g\n",
           a->painleve_contacts ? "possible" : "excluded", a->painleve_lowest, a->painleve_block,
           a->critical_mu_lowest);
}

static const char* answer_word(ChAnswer answer) {
  return answer == CH_ANSWER_YES ? "yes" : answer == CH_ANSWER_NO ? "no" : "not decided";
}

static void print_matrix(const ChProblemView* p, const ChFrictionMatrix* m) {
  if (m->variables == 0) return;
  if (!m->known) {
    printf("matrix      of the polygonal complementarity problem: %s\n", matrix_skipped);
    return;
  }
  printf("matrix      of the polygonal complementarity problem%s, %d variables: %ssymmetric, lowest eigenvalue %.3g\n",
         p->dimension == 3 ? " with 8 sides" : "", m->variables, m->asymmetry <= 1e-12 ? "" : "not ",
         m->eigenvalue_lowest);
  printf("            copositive: %s", answer_word(m->copositive));
  if (m->copositive == CH_ANSWER_NO) printf(" (some y >= 0 has y'Ay = %.3g)", m->copositive_lowest);
  if (m->copositive == CH_ANSWER_YES && m->copositive_by_sum) printf(" (semidefinite + nonnegative)");
  printf("; row sufficient: %s", answer_word(m->row_sufficient));
  if (m->row_sufficient == CH_ANSWER_NO) printf(", so local minima may fail to be solutions");
  printf("\n");
}

static void print_text(const char* file, const ChProblem* problem, const Findings* found) {
  const ChAnalysis* a = &found->analysis;
  char text[256];
  const ChProblemView view = ch_problem_view(problem), *p = &view;
  ch_problem_describe(problem, text, sizeof text);
  printf("problem     %s: %s\n", CH_SHOWN(file), text);
  if (!isnan(a->asymmetry)) print_symmetry("W", a->asymmetry);
  if (p->form == CH_FORM_GLOBAL) print_symmetry("M", a->mass_asymmetry);
  printf("parts       %d, the largest with %d rows\n", a->components, a->largest_rows);
  print_rank(p, a);
  print_units(a);
  if (a->idle) printf("idle        %d blocks that no reaction can move; they are left out\n", a->idle);
  if (isnan(a->mu_lowest))
    printf("friction    no contacts\n");
  else
    printf("friction    mu %g to %g%s\n", a->mu_lowest, a->mu_highest, a->elliptic ? ", elliptic cones" : "");
  if (a->compliant)
    printf("compliance  %d contacts yield; parts, rank, units, coupling and limits are those of rigid ones\n",
           a->compliant);
  print_coupling(a);
  print_matrix(p, &found->matrix);
  if (found->limits.asked) ch_limits_print(&found->limits);
  ch_sideways_print(&found->sideways);
  printf("\ncertificate of r = 0, the answer without reactions\n");
#define X(name, text) printf("  %-12s %9.2e\n", #name, ch_plain_nan(a->at_zero.name));
  CH_CERTIFICATE_FIELDS(X)
#undef X
}

typedef struct Job {
  Arguments arguments;
  const char* file;
  char* scene;  // its text; NULL: the file holds a problem
  ChProblem* problem;
} Job;

static ChStatus open_problem(ChContext* context, const ChSceneChoice* choice, Job* job) {
  if (!ch_names_scene(job->file)) return ch_problem_read(context, job->file, &job->problem);
  ChScene* scene = NULL;
  ChStatus status = ch_scene_open_telling(&ch_command_analyze, context, job->file, choice, &scene);
  if (status == CH_OK) job->scene = strdup(scene->text);
  ch_scene_destroy(scene);
  if (status == CH_OK && !job->scene) status = ch_fail(context, CH_ERR_MEMORY, "out of memory for a scene");
  return status == CH_OK ? ch_scene_problem(context, job->scene, job->arguments.touching, &job->problem) : status;
}

static ChStatus find_out(ChContext* context, const Job* job, Findings* out) {
  const Arguments* a = &job->arguments;
  ChLimitOptions options = ch_limit_options_default();
  options.time_limit = a->time_limit;
  *out = (Findings){.limits = {.all = a->limits || a->load || a->sideways}};
  ChStatus status = ch_problem_analyze(context, job->problem, &out->analysis);
  if (status == CH_OK) status = ch_friction_matrix_classify(context, job->problem, SIDES, &out->matrix);
  if (status == CH_OK && (out->limits.all || ch_problem_view(job->problem).rows <= SMALL_ROWS))
    status = ch_limits_ask(context, job->problem, a->load, &options, &out->limits);
  if (status == CH_OK && a->sideways)
    status = ch_sideways_ask(context, job->scene, a->touching, job->problem, &options, &out->sideways);
  return status;
}

// A scene's words on a contact problem's file would go unheard.
static bool check_words(const ChCommand* self, const Arguments* a, const char* file) {
  bool scene = ch_names_scene(file);
  if (scene || !(a->sideways || a->param.count > 0 || a->touching != 1e-6)) return true;
  ch_complain(self, "%s holds a contact problem; --sideways, --touching and parameters belong to a scene", file);
  return false;
}

static ChExit analyze_run(const ChCommand* self, int count, char** words) {
  Job job = {.arguments = {ANALYZE_OPTIONS(CH_ARG_DEFAULT)}};
  ChStrayOptions strays = {0};
  ChSceneParameters parameters;
  ChParsed parsed = ch_arguments_parse_with_strays(self, count, words, &job.arguments, &job.file, &strays);
  if (parsed != CH_PARSED_RUN) return parsed == CH_PARSED_HELP ? CH_EXIT_DONE : CH_EXIT_USAGE;
  if (!ch_scene_choice_read(self, job.file, NULL, &job.arguments.param, &strays, &parameters) ||
      !check_words(self, &job.arguments, job.file))
    return CH_EXIT_USAGE;
  ChContext context = {0};
  Findings found = {0};
  ChStatus status = open_problem(&context, &parameters.choice, &job);
  if (status == CH_OK) status = find_out(&context, &job, &found);
  ChExit exit_status = CH_EXIT_DONE;
  if (status != CH_OK)
    exit_status = ch_failure_exit(self, &context, status);
  else if (job.arguments.json)
    exit_status = print_json(self, job.file, job.problem, &found);
  else
    print_text(job.file, job.problem, &found);
  ch_limits_reset(&found.limits);
  ch_problem_destroy(job.problem);
  free(job.scene);
  return exit_status;
}

const ChCommand ch_command_analyze = {
    .name = "analyze",
    .summary =
        "analyses a problem, or a scene's first step: rank, hyperstaticity, symmetry, parts, units, coupling and "
        "limits",
    .operand = "PROBLEM|SCENE",
    .examples =
        "  cardhouse analyze problem.hdf5\n  cardhouse analyze problem.dat --json\n"
        "  cardhouse analyze arch.hdf5 --limits --load wind.txt\n"
        "  cardhouse analyze arch --form semicircle --thickness 0.15 --limits --sideways\n"
        "  cardhouse analyze scene.json --limits\n",
    .row_count = sizeof rows / sizeof *rows,
    .rows = rows,
    .run = analyze_run,
};
