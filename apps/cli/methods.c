// `cardhouse methods`: what can solve a contact problem, and with which options.
#include <jansson.h>
#include <stdio.h>

#include "cardhouse/simulation.h"
#include "cardhouse/solve.h"
#include "cli/commands.h"
#include "cli/output.h"

#define METHODS_OPTIONS(X)                                                                    \
  X(FLAG, options, false, NULL, 0, 0, "also the options that --set takes, with defaults")     \
  X(FLAG, integrators, false, NULL, 0, 0, "lists the time-stepping schemes of `run` instead") \
  X(FLAG, json, false, NULL, 0, 0, "one JSON object instead of text")

typedef struct Arguments {
  METHODS_OPTIONS(CH_ARG_MEMBER)
} Arguments;

static const ChArgRow rows[] = {METHODS_OPTIONS(CH_ARG_ROW)};

static void print_method(const ChMethodInfo* method) {
  char kind[128];
  const char* inner = method->outer ? ", takes --inner" : method->inner ? ", serves as --inner" : "";
  snprintf(kind, sizeof kind, "%s%s%s%s",
           method->exact      ? "exact Coulomb"
           : method->baseline ? "nothing: a baseline"
                              : "pose relaxed",
           method->local ? " or stationary" : "", method->polygons ? ", polygons" : "", inner);
  printf("%-16s %-42s %s [%s, %s%s%s]\n", method->name, kind, method->summary, method->document, method->equation,
         method->literature ? "; " : "", method->literature ? method->literature : "");
}

static void print_text(bool with_options) {
  printf("%-16s %-42s %s\n", "method", "solves", "what it does [from: document, equation; literature]");
  for (int k = 0; k < ch_method_count(); ++k) {
    const ChMethodInfo method = ch_method_info(k);
    print_method(&method);
  }
  if (!with_options) return;
  printf("\n%-28s %10s  %-24s %s\n", "option (--set NAME=VALUE)", "default", "allowed", "meaning");
  for (int k = 0; k < ch_option_count(); ++k) {
    ChOptionInfo option = ch_option_info(k);
    char range[64];
    snprintf(range, sizeof range, "%g to %g", option.lowest, option.highest);
    printf("%-28s %10g  %-24s %s\n", option.name, option.value, range, option.text);
  }
}

static void print_integrators(void) {
  printf("%-20s %s\n", "integrator", "what it does");
  for (int k = 0; k < ch_integrator_count(); ++k)
    printf("%-20s %s\n", ch_integrator_info(k).name, ch_integrator_info(k).summary);
}

static ChExit print_json(const ChCommand* self) {
  json_t* methods = json_array();
  for (int k = 0; k < ch_method_count(); ++k) {
    ChMethodInfo m = ch_method_info(k);
    json_array_append_new(
        methods, json_pack("{s:s, s:s, s:s, s:s, s:s?, s:b, s:b, s:b, s:b, s:b, s:b}", "name", m.name, "summary",
                           m.summary, "document", m.document, "equation", m.equation, "literature", m.literature,
                           "exact", m.exact, "local", m.local, "polygons", m.polygons, "takes_inner", m.outer,
                           "is_inner", m.inner, "baseline", m.baseline));
  }
  json_t* options = json_array();
  for (int k = 0; k < ch_option_count(); ++k) {
    ChOptionInfo o = ch_option_info(k);
    json_array_append_new(options, json_pack("{s:s, s:s, s:o, s:o, s:o}", "name", o.name, "text", o.text, "default",
                                             ch_json_real(o.value), "lowest", ch_json_real(o.lowest), "highest",
                                             ch_json_real(o.highest)));
  }
  json_t* integrators = json_array();
  for (int k = 0; k < ch_integrator_count(); ++k)
    json_array_append_new(integrators, json_pack("{s:s, s:s}", "name", ch_integrator_info(k).name, "summary",
                                                 ch_integrator_info(k).summary));
  return ch_json_print(
      self, json_pack("{s:o, s:o, s:o}", "methods", methods, "options", options, "integrators", integrators));
}

static ChExit methods_run(const ChCommand* self, int count, char** words) {
  Arguments arguments = {METHODS_OPTIONS(CH_ARG_DEFAULT)};
  ChParsed parsed = ch_arguments_parse(self, count, words, &arguments, NULL);
  if (parsed != CH_PARSED_RUN) return parsed == CH_PARSED_HELP ? CH_EXIT_DONE : CH_EXIT_USAGE;
  if (arguments.json) return print_json(self);
  if (arguments.integrators)
    print_integrators();
  else
    print_text(arguments.options);
  return CH_EXIT_DONE;
}

const ChCommand ch_command_methods = {
    .name = "methods",
    .summary = "lists every method, inner solver and integrator: what it solves and where it comes from",
    .examples =
        "  cardhouse methods\n  cardhouse methods --options\n  cardhouse methods --integrators\n  cardhouse methods "
        "--json\n",
    .row_count = sizeof rows / sizeof *rows,
    .rows = rows,
    .run = methods_run,
};
