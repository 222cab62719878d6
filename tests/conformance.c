// Every method over every problem of a folder, or over the generated ones: one line a problem, one column a method.
//
//   conformance FOLDER|--generated|--sweep [--tol 1e-8] [--time-limit S] [--auto-limit S] [--methods a,b]
//   [--max-contacts N] [--sides M]
//
// --generated is the suite's list; --sweep varies size, friction, noise, form and law of the families far beyond it:
// hard cases are found there.
//
// A cell holds the natural error that the answer is worth and the seconds it took, and a mark where there is more to
// say:
//   (nothing)  solved           ~  missed and said so         -  cannot take this problem
//   LIE        said solved, and is not       CRASH, HANG      ended by a fault, or far beyond its limit
// A method that is not exact by its own account is run in pose `relaxed`, all others, baselines among them, in pose
// `coulomb`. One that takes
// contacts in space over polygons only is given polygons of eight sides there; --sides gives them to all methods.
// Exit status 1 for any LIE, CRASH or HANG, for a problem that `auto` missed and that is not marked hard, and for exact
// methods that disagree on a velocity that is unique.
#include <cblas.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cardhouse/files.h"
#include "problem/contact_problem.h"
#include "support/suite.h"
#include "support/trial.h"

enum { METHODS_MAX = 64 };
static const double COMPLIANCE = 1e-2;  // of a sweep's compliant variants, relative to trace(W_ii) / dimension

typedef struct Settings {
  const char* folder;  // NULL: generated
  bool sweep;
  double tolerance, time_limit, auto_limit, max_contacts;
  int sides;            // of all contacts in space; 0: polygons only for the methods that need them
  const char* methods;  // comma-separated, or NULL
  int count;
  ChMethodInfo method[METHODS_MAX];
} Settings;

typedef struct Tally {
  int problems, faults, auto_missed, hard_missed, disagreements;
  int solved[METHODS_MAX], taken[METHODS_MAX];
} Tally;

static int usage(void) {
  fprintf(
      stderr,
      "usage: conformance FOLDER|--generated|--sweep [--tol 1e-8] [--time-limit S] [--auto-limit S] [--methods a,b]\n"
      "                   [--max-contacts N] [--sides M]\n");
  return 2;
}

static bool listed(const char* list, const char* name) {
  if (!list) return true;
  const size_t length = strlen(name);
  for (const char* at = list; (at = strstr(at, name)); at += length)
    if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) return true;
  return false;
}

static bool parse(int argc, char** argv, Settings* s) {
  bool named = false;
  for (int i = 1; i < argc; ++i) {
    const bool more = i + 1 < argc;
    if (strcmp(argv[i], "--generated") == 0)
      named = true;
    else if (strcmp(argv[i], "--sweep") == 0)
      named = s->sweep = true;
    else if (more && strcmp(argv[i], "--tol") == 0)
      s->tolerance = atof(argv[++i]);
    else if (more && strcmp(argv[i], "--time-limit") == 0)
      s->time_limit = atof(argv[++i]);
    else if (more && strcmp(argv[i], "--auto-limit") == 0)
      s->auto_limit = atof(argv[++i]);
    else if (more && strcmp(argv[i], "--max-contacts") == 0)
      s->max_contacts = atof(argv[++i]);
    else if (more && strcmp(argv[i], "--sides") == 0)
      s->sides = atoi(argv[++i]);
    else if (more && strcmp(argv[i], "--methods") == 0)
      s->methods = argv[++i];
    else if (argv[i][0] == '-' || s->folder)
      return false;
    else
      s->folder = argv[i], named = true;
  }
  for (int k = 0; k < ch_method_count() && s->count < METHODS_MAX; ++k)
    if (listed(s->methods, ch_method_info(k).name)) s->method[s->count++] = ch_method_info(k);
  const bool polygon = s->sides == 0 || (s->sides >= 4 && s->sides <= 64 && s->sides % 2 == 0);
  return named && polygon && s->tolerance > 0.0 && s->time_limit > 0.0 && s->auto_limit > 0.0;
}

static bool is_auto(const ChMethodInfo* method) { return strcmp(method->name, "auto") == 0; }

static void print_cell(const ChTrial* trial) {
  switch (trial->verdict) {
    case CH_VERDICT_SOLVED:
      printf(" %7.1e %7.4f ", trial->certificate.natural, trial->seconds);
      break;
    case CH_VERDICT_MISSED:
      printf(" %7.1e %7.4f~", trial->certificate.natural, trial->seconds);
      break;
    default:
      printf(" %7s %8s", ch_verdict_word(trial->verdict), "");
      break;
  }
  fflush(stdout);
}

static int sides_of(const ChProblem* p, const Settings* s, int k) {
  return s->sides > 0 ? s->sides : ch_trial_sides(p, &s->method[k]);
}

// Compares every solved exact method with the first one over the same cones.
static void check_agreement(const ChProblem* p, int sides, const Settings* s, const ChTrial* trials, Tally* tally) {
  int first = -1;
  for (int k = 0; k < s->count; ++k) {
    if (!s->method[k].exact || trials[k].verdict != CH_VERDICT_SOLVED || sides_of(p, s, k) != sides) continue;
    if (first < 0) {
      first = k;
      continue;
    }
    const ChAgreement a = ch_trial_compare(p, &trials[first], &trials[k]);
    if (a.distance <= a.allowed) continue;
    printf("    %s and %s differ in velocity by %.1e, allowed %.1e\n", s->method[first].name, s->method[k].name,
           a.distance, a.allowed);
    ++tally->disagreements;
  }
}

static void try_problem(const char* name, const ChProblem* p, int facts, const Settings* s, Tally* tally) {
  ChTrial trials[METHODS_MAX] = {0};
  ++tally->problems;
  printf("%-34.34s %6d", name, p->block_count);
  for (int k = 0; k < s->count; ++k) {
    const ChTrialDef def = {.method = s->method[k].name,
                            .pose = s->method[k].exact || s->method[k].baseline ? CH_POSE_COULOMB : CH_POSE_RELAXED,
                            .sides = sides_of(p, s, k),
                            .tolerance = s->tolerance,
                            .time_limit = is_auto(&s->method[k]) ? s->auto_limit : s->time_limit,
                            .isolated = true};
    trials[k] = ch_trial_run(p, &def);
    const ChVerdict verdict = trials[k].verdict;
    tally->solved[k] += verdict == CH_VERDICT_SOLVED;
    tally->taken[k] += verdict != CH_VERDICT_UNSUPPORTED;
    tally->faults += verdict == CH_VERDICT_LIE || verdict == CH_VERDICT_CRASH || verdict == CH_VERDICT_HANG;
    if (is_auto(&s->method[k]) && verdict != CH_VERDICT_SOLVED)
      ++*(facts & CH_FACT_HARD ? &tally->hard_missed : &tally->auto_missed);
    print_cell(&trials[k]);
  }
  printf("\n");
  for (int k = 0; k < s->count; ++k)
    if (trials[k].verdict == CH_VERDICT_CRASH && trials[k].message[0])
      printf("    %s: %s\n", s->method[k].name, trials[k].message);
  if (facts & CH_FACT_UNIQUE) {
    check_agreement(p, s->sides, s, trials, tally);
    if (s->sides == 0) check_agreement(p, CH_TRIAL_SIDES, s, trials, tally);
  }
  for (int k = 0; k < s->count; ++k) ch_trial_reset(&trials[k]);
}

static void print_head(const Settings* s) {
  printf("%-34s %6s", "problem", "blocks");
  for (int k = 0; k < s->count; ++k) printf(" %-16s", s->method[k].name);
  printf("\n");
}

static void run_generated(const Settings* s, Tally* tally) {
  for (int i = 0; i < ch_case_count(); ++i) {
    const ChCase* item = ch_case_at(i);
    ChContext context = {0};
    ChProblem* p;
    if (ch_case_generate(&context, item, &p) != CH_OK) {
      printf("%-34s %s\n", item->name, context.message);
      ++tally->faults;
      continue;
    }
    if (p->block_count <= s->max_contacts) try_problem(item->name, p, item->facts, s, tally);
    ch_problem_destroy(p);
  }
}

static void run_recipe(const ChFamily* family, const ChRecipe* recipe, ChForm form, const Settings* s, Tally* tally) {
  ChContext context = {0};
  ChProblem* p;
  char name[64];
  snprintf(name, sizeof name, "%s n=%g mu=%g v=%g %s%s", family->name, recipe->n, recipe->mu, recipe->noise,
           form == CH_FORM_LOCAL ? "local" : "global", recipe->compliance > 0.0 ? " compliant" : "");
  if (ch_family_generate(&context, family, recipe, form, &p) != CH_OK) {
    printf("%-34s %s\n", name, context.message);
    ++tally->faults;
    return;
  }
  if (p->block_count <= s->max_contacts) try_problem(name, p, CH_FACT_NONE, s, tally);
  ch_problem_destroy(p);
}

static void run_sweep(const Settings* s, Tally* tally) {
  static const struct {
    const char* family;
    int sizes[6];
  } plan[] = {{"cards", {2, 3, 4, 6, 9}},   {"arch", {7, 15, 31, 60}},
              {"pile", {3, 6, 10, 15, 22}}, {"pyramid", {3, 4, 5, 7, 9}},
              {"wall", {2, 4, 6, 9}},       {"tower", {3, 8, 15, 30}},
              {"disks", {4, 8, 14, 22}},    {"planar-wall", {3, 6, 10, 15}},
              {"chain", {3, 10, 40}},       {"door", {2, 6}},
              {"wheels", {1, 3, 8}},        {"skates", {3, 12}}};
  static const double frictions[] = {0.1, 0.3, 0.6, 1.0}, noises[] = {0.0, 0.001, 0.05, 1.0};
  for (size_t f = 0; f < sizeof plan / sizeof plan[0]; ++f)
    for (int k = 0; k < 6 && plan[f].sizes[k] > 0; ++k)
      for (int c = 0; c < 16; ++c) {
        const ChFamily* family = ch_family_find(plan[f].family);
        ChRecipe recipe = ch_recipe_default(family);
        recipe.n = plan[f].sizes[k], recipe.mu = frictions[c / 4], recipe.noise = noises[c % 4], recipe.seed = 7;
        run_recipe(family, &recipe, (c / 4 + c) % 2 ? CH_FORM_LOCAL : CH_FORM_GLOBAL, s, tally);
        recipe.compliance = COMPLIANCE;
        if (c % 4 == 2) run_recipe(family, &recipe, c / 4 % 2 ? CH_FORM_LOCAL : CH_FORM_GLOBAL, s, tally);
      }
}

static int visible(const struct dirent* entry) { return entry->d_name[0] != '.'; }

// False when the folder cannot be listed.
static bool run_folder(const Settings* s, Tally* tally) {
  struct dirent** list;
  const int count = scandir(s->folder, &list, visible, alphasort);
  if (count < 0) return false;
  for (int i = 0; i < count; ++i) {
    char path[4096];
    struct stat about;
    snprintf(path, sizeof path, "%s/%s", s->folder, list[i]->d_name);
    ChContext context = {0};
    ChProblem* p;
    if (stat(path, &about) == 0 && S_ISREG(about.st_mode)) {
      if (ch_problem_read(&context, path, &p) == CH_OK) {
        if (p->block_count <= s->max_contacts) try_problem(list[i]->d_name, p, CH_FACT_NONE, s, tally);
        ch_problem_destroy(p);
      } else {
        printf("%-34s not a problem: %s\n", list[i]->d_name, context.message);
      }
    }
    free(list[i]);
  }
  free(list);
  return true;
}

// Whose columns are not those of the problem's own cones.
static void print_cones(const Settings* s) {
  int count = 0;
  for (int k = 0; k < s->count && s->sides == 0; ++k)
    if (s->method[k].polygons) printf("%s%s", count++ ? ", " : "", s->method[k].name);
  if (count) printf(": contacts in space over polygon:%d\n", CH_TRIAL_SIDES);
  if (s->sides) printf("contacts in space over polygon:%d\n", s->sides);
}

static int close_tally(const Settings* s, const Tally* tally) {
  printf("%-34s %6d", "solved of taken", tally->problems);
  for (int k = 0; k < s->count; ++k) printf(" %7d of %-6d", tally->solved[k], tally->taken[k]);
  printf("\n%d problems at %g: %d faults (LIE, CRASH, HANG), %d missed by auto, %d disagreements\n", tally->problems,
         s->tolerance, tally->faults, tally->auto_missed, tally->disagreements);
  print_cones(s);
  if (tally->hard_missed)
    printf("auto also missed %d that are marked hard: large structures that collapse (docs/theory/auto.md)\n",
           tally->hard_missed);
  return tally->problems == 0 || tally->faults || tally->auto_missed || tally->disagreements ? 1 : 0;
}

int main(int argc, char** argv) {
  Settings s = {.tolerance = 1e-8, .time_limit = 1.0, .auto_limit = 10.0, .max_contacts = 2500};
  if (!parse(argc, argv, &s)) return usage();
  openblas_set_num_threads(1);
  Tally tally = {0};
  print_head(&s);
  if (s.sweep)
    run_sweep(&s, &tally);
  else if (!s.folder)
    run_generated(&s, &tally);
  else if (!run_folder(&s, &tally)) {
    fprintf(stderr, "conformance: folder %s cannot be listed\n", s.folder);
    return 2;
  }
  return close_tally(&s, &tally);
}
