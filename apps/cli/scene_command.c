// `cardhouse scene`: built-in scenes as JSON, the list of them, and the schema of scene files.
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/joint.h"
#include "cardhouse/scene.h"
#include "cardhouse/shape.h"
#include "cardhouse/soft.h"
#include "cli/check_command.h"
#include "cli/commands.h"
#include "cli/heal_command.h"
#include "cli/import_command.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/soft_table.h"
#include "common/by_row.h"
#include "common/json.h"
#include "common/printable.h"

enum { PARAMETERS_MAX = 32, TEXT_SIZE = 320 };

#define SCENE_OPTIONS(X) X(FLAG, json, false, NULL, 0, 0, "with `list`: one JSON object instead of text")

typedef struct Arguments {
  SCENE_OPTIONS(CH_ARG_MEMBER)
} Arguments;

static const ChArgRow rows[] = {SCENE_OPTIONS(CH_ARG_ROW)};

// ---------------------------------------------------------------------------------------------------------------- list

static void print_list(void) {
  for (int k = 0; k < ch_scene_builtin_count(); ++k) {
    printf("%-16s %s\n", ch_scene_builtin_name(k), ch_scene_builtin_summary(k));
    for (const ChSceneParameter* p = ch_scene_builtin_parameters(k); p->name; ++p)
      printf("  %-14s %s (%s)\n", p->name, p->text, p->value);
  }
}

static ChExit print_json(const ChCommand* self) {
  json_t* scenes = json_array();
  for (int k = 0; k < ch_scene_builtin_count(); ++k) {
    json_t* parameters = json_array();
    for (const ChSceneParameter* p = ch_scene_builtin_parameters(k); p->name; ++p) {
      json_t* row = json_pack("{s:s, s:s, s:s}", "name", p->name, "default", p->value, "text", p->text);
      if (p->words)
        json_object_set_new(row, "words", json_string(p->words));
      else
        json_object_update_missing(
            row, json_pack("{s:f, s:f, s:b}", "lowest", p->lowest, "highest", p->highest, "whole", p->whole));
      json_array_append_new(parameters, row);
    }
    json_array_append_new(scenes, json_pack("{s:s, s:s, s:o}", "name", ch_scene_builtin_name(k), "summary",
                                            ch_scene_builtin_summary(k), "parameters", parameters));
  }
  return ch_json_print(self, json_pack("{s:o}", "scenes", scenes));
}

static ChExit print_schema(const ChCommand* self) {
  char* text = ch_scene_schema_text();
  if (!text) {
    ch_complain(self, "out of memory while printing the schema");
    return CH_EXIT_FAULT;
  }
  fputs(text, stdout);
  free(text);
  return CH_EXIT_DONE;
}

// ----------------------------------------------------------------------------------------------------------- one scene

// A built-in's parameters as a table of options, so that it is parsed and explained like any command.
typedef struct Table {
  ChArgRow rows[PARAMETERS_MAX];
  char text[PARAMETERS_MAX][TEXT_SIZE];
  const char* value[PARAMETERS_MAX];
  char name[64];
  ChCommand command;
} Table;

static void fill_table(int index, Table* table) {
  int count = 0;
  for (const ChSceneParameter* p = ch_scene_builtin_parameters(index); p->name && count < PARAMETERS_MAX; ++p) {
    snprintf(table->text[count], TEXT_SIZE, "%s (%s)", p->text, p->value);
    table->rows[count] = (ChArgRow){.kind = CH_ARG_TEXT,
                                    .field = p->name,
                                    .offset = (size_t)count * sizeof *table->value,
                                    .value = p->words   ? p->words
                                             : p->whole ? "N"
                                                        : "X",
                                    .text = table->text[count]};
    ++count;
  }
  snprintf(table->name, sizeof table->name, "scene %s", ch_scene_builtin_name(index));
  table->command = (ChCommand){
      .name = table->name, .summary = ch_scene_builtin_summary(index), .row_count = count, .rows = table->rows};
}

static ChExit write_scene(const ChCommand* self, int index, int count, char** words) {
  Table table = {0};
  fill_table(index, &table);
  ChParsed parsed = ch_arguments_parse(&table.command, count, words, table.value, NULL);
  if (parsed != CH_PARSED_RUN) return parsed == CH_PARSED_HELP ? CH_EXIT_DONE : CH_EXIT_USAGE;
  const char* given[PARAMETERS_MAX][2];
  int given_count = 0;
  for (int k = 0; k < table.command.row_count; ++k) {
    if (!table.value[k]) continue;
    given[given_count][0] = table.rows[k].field;
    given[given_count++][1] = table.value[k];
  }
  ChContext context = {0};
  char* text;
  ChStatus status =
      ch_scene_builtin(&context, ch_scene_builtin_name(index), given_count, (const char* const(*)[2])given, &text);
  if (status != CH_OK) return ch_failure_exit(&table.command, &context, status);
  (void)self;
  fputs(text, stdout);
  free(text);
  return CH_EXIT_DONE;
}

static ChExit scene_run(const ChCommand* self, int count, char** words) {
  if (count > 0 && strcmp(words[0], "check") == 0) return ch_scene_check_run(count - 1, words + 1);
  if (count > 0 && strcmp(words[0], "heal") == 0) return ch_scene_heal_run(count - 1, words + 1);
  if (count > 0 && strcmp(words[0], "import") == 0) return ch_scene_import_run(count - 1, words + 1);
  const char* names[128];
  int known = 0;
  for (; known < ch_scene_builtin_count(); ++known) names[known] = ch_scene_builtin_name(known);
  for (int k = 0; count > 0 && k < known; ++k)
    if (strcmp(words[0], names[k]) == 0) return write_scene(self, k, count - 1, words + 1);
  Arguments arguments = {SCENE_OPTIONS(CH_ARG_DEFAULT)};
  const char* operand = NULL;
  ChParsed parsed = ch_arguments_parse(self, count, words, &arguments, &operand);
  if (parsed != CH_PARSED_RUN) return parsed == CH_PARSED_HELP ? CH_EXIT_DONE : CH_EXIT_USAGE;
  names[known++] = "list";
  names[known++] = "schema";
  names[known++] = "check";
  names[known++] = "heal";
  names[known++] = "import";
  if (!ch_word_check(self, "scene", operand, known, names)) return CH_EXIT_USAGE;
  if (strcmp(operand, "schema") == 0) return print_schema(self);
  if (arguments.json) return print_json(self);
  print_list();
  return CH_EXIT_DONE;
}

const ChCommand ch_command_scene = {
    .name = "scene",
    .summary =
        "writes a built-in scene as JSON; `list` lists them, `check FILE` reads a file, `heal FILE` parts bodies that "
        "overlap, `import FILE` writes a robot's file as JSON, `schema` prints its form",
    .operand = "NAME [--PARAMETER VALUE ...]",
    .examples =
        "  cardhouse scene list\n  cardhouse scene cards --help\n  cardhouse scene cards --levels 5 > house.json\n"
        "  cardhouse scene check house.json\n  cardhouse scene heal house.json -o healed.json\n"
        "  cardhouse scene import robot.urdf -o robot.json\n  cardhouse scene schema\n",
    .row_count = sizeof rows / sizeof *rows,
    .rows = rows,
    .run = scene_run,
};
