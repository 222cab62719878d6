// Writes generated contact problems as FCLIB files.
//
//   make_problems list
//   make_problems cards --n 4 --mu 0.8 [--noise 0.01 --seed 3 --local] --out FILE
//   make_problems all --out-dir DIR [--max-contacts N]
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cardhouse/files.h"
#include "problem/contact_problem.h"
#include "support/suite.h"

static int usage(FILE* to) {
  fprintf(to,
          "usage: make_problems list\n"
          "       make_problems FAMILY [--PARAMETER VALUE ...] [--local] --out FILE\n"
          "       make_problems all --out-dir DIR [--max-contacts N]\n");
  return to == stdout ? 0 : 2;
}

static int list(void) {
  printf("families:\n");
  for (int i = 0; i < ch_family_count(); ++i) printf("  %-12s %s\n", ch_family_at(i)->name, ch_family_at(i)->summary);
  printf("parameters:\n");
#define X(name, value, text) printf("  --%-12s %s\n", #name, text);
  CH_RECIPE_FIELDS(X)
#undef X
  printf("cases of `all`:\n");
  for (int i = 0; i < ch_case_count(); ++i) {
    const ChCase* item = ch_case_at(i);
    printf("  %-20s %-12s %s%s\n", item->name, item->family, item->settings,
           item->form == CH_FORM_LOCAL ? " (local)" : "");
  }
  return 0;
}

static int count_contacts(const ChProblem* problem) {
  return ch_problem_count(problem, CH_LAW_CONTACT) + ch_problem_count(problem, CH_LAW_COMPLIANT);
}

static int write_out(ChContext* context, const char* path, const ChProblem* problem) {
  if (ch_problem_write(context, path, problem) != CH_OK) {
    fprintf(stderr, "make_problems: %s\n", context->message);
    return 2;
  }
  printf("%s: %s form, dimension %d, %d contacts, %d rows\n", path, problem->form == CH_FORM_LOCAL ? "local" : "global",
         problem->dimension, count_contacts(problem), problem->rows);
  return 0;
}

static bool parse_number(const char* text, double* value) {
  char* end;
  *value = strtod(text, &end);
  return end != text && *end == '\0';
}

// Parameters on the command line are spelled with a hyphen where the recipe has an underscore; --levels is --n.
static bool set_parameter(ChRecipe* recipe, const char* word, double value) {
  char name[32];
  snprintf(name, sizeof name, "%s", strcmp(word, "levels") == 0 ? "n" : word);
  for (char* c = name; *c; ++c)
    if (*c == '-') *c = '_';
  return ch_recipe_set(recipe, name, value);
}

static int make_one(const ChFamily* family, int argc, char** argv) {
  ChRecipe recipe = ch_recipe_default(family);
  ChForm form = family->assemble ? CH_FORM_GLOBAL : CH_FORM_LOCAL;
  const char* path = NULL;
  for (int i = 2; i < argc; ++i) {
    double value;
    if (strcmp(argv[i], "--local") == 0) {
      form = CH_FORM_LOCAL;
    } else if (strcmp(argv[i], "--out") == 0 && i + 1 < argc) {
      path = argv[++i];
    } else if (strncmp(argv[i], "--", 2) == 0 && i + 1 < argc && parse_number(argv[i + 1], &value) &&
               set_parameter(&recipe, argv[i] + 2, value)) {
      ++i;
    } else {
      fprintf(stderr, "make_problems: '%s' is not understood\n", argv[i]);
      return usage(stderr);
    }
  }
  if (!path) return usage(stderr);
  ChContext context = {0};
  ChProblem* problem = NULL;
  if (ch_family_generate(&context, family, &recipe, form, &problem) != CH_OK) {
    fprintf(stderr, "make_problems: %s\n", context.message);
    return 2;
  }
  const int said = write_out(&context, path, problem);
  ch_problem_destroy(problem);
  return said;
}

static int make_case(const ChCase* item, const char* folder, double most) {
  ChContext context = {0};
  ChProblem* problem = NULL;
  if (ch_case_generate(&context, item, &problem) != CH_OK) {
    fprintf(stderr, "make_problems: %s\n", context.message);
    return 2;
  }
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.hdf5", folder, item->name);
  const int contacts = count_contacts(problem) + ch_problem_count(problem, CH_LAW_UNILATERAL);
  const int said = contacts <= most ? write_out(&context, path, problem) : 0;
  ch_problem_destroy(problem);
  return said;
}

static int make_all(int argc, char** argv) {
  const char* folder = NULL;
  double most = 1e9;
  for (int i = 2; i < argc; ++i) {
    if (strcmp(argv[i], "--out-dir") == 0 && i + 1 < argc)
      folder = argv[++i];
    else if (strcmp(argv[i], "--max-contacts") == 0 && i + 1 < argc && parse_number(argv[i + 1], &most))
      ++i;
    else
      return usage(stderr);
  }
  if (!folder) return usage(stderr);
  if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
    fprintf(stderr, "make_problems: folder %s: %s\n", folder, strerror(errno));
    return 2;
  }
  for (int i = 0; i < ch_case_count(); ++i) {
    const int said = make_case(ch_case_at(i), folder, most);
    if (said != 0) return said;
  }
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 2) return usage(stderr);
  if (strcmp(argv[1], "--help") == 0) return usage(stdout);
  if (strcmp(argv[1], "list") == 0) return list();
  if (strcmp(argv[1], "all") == 0) return make_all(argc, argv);
  const ChFamily* family = ch_family_find(argv[1]);
  if (family) return make_one(family, argc, argv);
  fprintf(stderr, "make_problems: no family '%s'; `make_problems list` names them\n", argv[1]);
  return 2;
}
