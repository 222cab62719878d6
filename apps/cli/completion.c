// `cardhouse completion`: scripts by which bash, zsh and fish complete its words, made from the tables that its
// commands are parsed by.
#include "cli/completion.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/scene.h"
#include "cardhouse/solve.h"
#include "cardhouse/tetrahedra.h"
#include "cli/check_command.h"
#include "cli/commands.h"
#include "cli/heal_command.h"
#include "cli/import_command.h"
#include "cli/option_choices.h"
#include "reproduce/item.h"

// --- words -----------------------------------------------------------------------------------------------------------

void ch_words_add(ChWords* words, const char* format, ...) {
  char** more = words->failed ? NULL : realloc(words->item, ((size_t)words->count + 1) * sizeof *more);
  va_list arguments;
  va_start(arguments, format);
  if (more) words->item = more;
  if (more && vasprintf(&more[words->count], format, arguments) >= 0)
    ++words->count;
  else
    words->failed = true;
  va_end(arguments);
}

void ch_words_reset(ChWords* words) {
  for (int k = 0; k < words->count; ++k) free(words->item[k]);
  free(words->item);
  *words = (ChWords){0};
}

static void add_methods(ChWords* words) {
  for (int k = 0; k < ch_method_count(); ++k) ch_words_add(words, "%s", ch_method_info(k).name);
}

static void add_inner_methods(ChWords* words) {
  for (int k = 0; k < ch_method_count(); ++k)
    if (ch_method_info(k).inner) ch_words_add(words, "%s", ch_method_info(k).name);
}

static void add_integrators(ChWords* words) {
  for (int k = 0; k < ch_integrator_count(); ++k) ch_words_add(words, "%s", ch_integrator_info(k).name);
}

static void add_settings(ChWords* words) {
  for (int k = 0; k < ch_option_count(); ++k) ch_words_add(words, "%s=", ch_option_info(k).name);
}

static void add_cones(ChWords* words) {
  static const char* const cones[] = {"circular", "elliptic", "polygon:8", "outer-polygon:8"};
  for (size_t k = 0; k < sizeof cones / sizeof *cones; ++k) ch_words_add(words, "%s", cones[k]);
}

static void add_poses(ChWords* words) {
  for (int k = 0; k < 3; ++k) ch_words_add(words, "%s", ch_pose_words[k]);
}

static void add_contact_laws(ChWords* words) {
  ch_words_add(words, "%s", ch_contact_law_name(CH_CONTACT_RIGID));
  ch_words_add(words, "%s", ch_contact_law_name(CH_CONTACT_COMPLIANT));
}

static void add_scenes(ChWords* words) {
  for (int k = 0; k < ch_scene_builtin_count(); ++k) ch_words_add(words, "%s", ch_scene_builtin_name(k));
}

static void add_items(ChWords* words) {
  ch_words_add(words, "list");
  ch_words_add(words, "all");
  for (int k = 0; k < ch_item_count(); ++k) ch_words_add(words, "%s", ch_item_at(k)->name);
}

static void add_mesh_shapes(ChWords* words) {
  ch_words_add(words, "list");
  for (int k = 0; k < ch_tet_shape_count(); ++k) ch_words_add(words, "%s", ch_tet_shape_at(k)->name);
}

static void add_shells(ChWords* words) {
  static const char* const shells[] = {"bash", "zsh", "fish"};
  for (size_t k = 0; k < sizeof shells / sizeof *shells; ++k) ch_words_add(words, "%s", shells[k]);
}

// "x|y|z" of a row of choices.
static void add_alternatives(ChWords* words, const char* text) {
  for (; *text; text += strcspn(text, "|"), text += *text == '|')
    ch_words_add(words, "%.*s", (int)strcspn(text, "|"), text);
}

// --- the tables
// --------------------------------------------------------------------------------------------------------

typedef void AddFn(ChWords* words);

// Options whose values are names that the program knows.
static const struct {
  const char* field;
  AddFn* add;
} values[] = {{"method", add_methods},      {"inner", add_inner_methods}, {"integrator", add_integrators},
              {"set", add_settings},        {"cone", add_cones},          {"pose", add_poses},
              {"contact", add_contact_laws}};

// What stands for words in a command's operand, and for files.
static const struct {
  const char* part;
  AddFn* add;
  bool files;
} operands[] = {{"SCENE", add_scenes, true}, {"ITEM", add_items, false}, {"SHAPE", add_mesh_shapes, true},
                {"FILE", NULL, true},        {"PROBLEM", NULL, true},    {"RUN.h5", NULL, true},
                {"SHELL", add_shells, false}};

static void fill_value(const ChArgRow* row, ChCompletionOption* out) {
  out->kind = row->value ? CH_COMPLETE_TEXT : CH_COMPLETE_NONE;
  if (!row->value) return;
  for (size_t k = 0; k < sizeof values / sizeof *values; ++k)
    if (strcmp(values[k].field, row->field) == 0) values[k].add(&out->words);
  if (out->words.count == 0 && strchr(row->value, '|')) add_alternatives(&out->words, row->value);
  if (out->words.count > 0)
    out->kind = CH_COMPLETE_WORDS;
  else if (strstr(row->value, "FILE") || strstr(row->value, "DIR"))
    out->kind = CH_COMPLETE_FILES;
}

static void name_option(const char* field, ChCompletionOption* out) {
  snprintf(out->name, sizeof out->name, "%s", field);
  for (char* c = out->name; *c; ++c)
    if (*c == '_') *c = '-';
}

static ChCompletionCommand* add_command(ChCompletion* all, const char* first, const char* second, const char* summary,
                                        int options) {
  ChCompletionCommand* more = realloc(all->commands, ((size_t)all->command_count + 1) * sizeof *more);
  if (more) all->commands = more;
  ChCompletionOption* rows = calloc((size_t)options + 1, sizeof *rows);
  if (!more || !rows) {
    free(rows);
    all->failed = true;
    return NULL;
  }
  ChCompletionCommand* command = &more[all->command_count++];
  *command = (ChCompletionCommand){.summary = summary, .option_count = options, .options = rows};
  snprintf(command->name, sizeof command->name, "%s%s%s", first, second ? " " : "", second ? second : "");
  return command;
}

static void add_table(ChCompletion* all, const ChCommand* from, const char* first, const char* second) {
  ChCompletionCommand* command = add_command(all, first, second, from->summary, from->row_count);
  for (int k = 0; command && k < from->row_count; ++k) {
    name_option(from->rows[k].field, &command->options[k]);
    command->options[k].text = from->rows[k].text;
    fill_value(&from->rows[k], &command->options[k]);
  }
  for (size_t k = 0; command && from->operand && k < sizeof operands / sizeof *operands; ++k) {
    if (!strstr(from->operand, operands[k].part)) continue;
    if (operands[k].add) operands[k].add(&command->operands);
    command->files = command->files || operands[k].files;
  }
}

// "@cards": the parameters of that scene.
static void add_scene(ChCompletion* all, int scene) {
  char name[64];
  int count = 0;
  const ChSceneParameter* p = ch_scene_builtin_parameters(scene);
  while (p[count].name) ++count;
  snprintf(name, sizeof name, "@%s", ch_scene_builtin_name(scene));
  ChCompletionCommand* command = add_command(all, name, NULL, NULL, count);
  for (int k = 0; command && k < count; ++k) {
    ChCompletionOption* option = &command->options[k];
    name_option(p[k].name, option);
    option->text = p[k].text;
    if (p[k].words) add_alternatives(&option->words, p[k].words);
    option->kind = p[k].words ? CH_COMPLETE_WORDS : CH_COMPLETE_TEXT;
  }
}

static const ChCommand* const commands[] = {
#define ROW(name) &ch_command_##name,
    CH_COMMANDS(ROW)
#undef ROW
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static bool takes_scenes(const ChCommand* command) {
  return strcmp(command->name, "scene") == 0 || (command->operand && strstr(command->operand, "SCENE"));
}

static void fill(ChCompletion* all) {
  for (int k = 0; k < COMMANDS; ++k) {
    add_table(all, commands[k], commands[k]->name, NULL);
    if (all->failed) return;
    all->commands[all->command_count - 1].opens_scenes = takes_scenes(commands[k]);
    if (strcmp(commands[k]->name, "scene") != 0) continue;
    ChWords* words = &all->commands[all->command_count - 1].operands;
    static const char* const actions[] = {"list", "check", "heal", "import", "schema"};
    for (size_t j = 0; j < sizeof actions / sizeof *actions; ++j) ch_words_add(words, "%s", actions[j]);
    add_scenes(words);
  }
  add_table(all, &ch_command_scene_check, "scene", "check");
  add_table(all, &ch_command_scene_heal, "scene", "heal");
  add_table(all, &ch_command_scene_import, "scene", "import");
  for (int s = 0; s < ch_scene_builtin_count(); ++s) add_scene(all, s);
}

static bool is_whole(const ChCompletion* all) {
  bool whole = !all->failed;
  for (int k = 0; k < all->command_count; ++k) {
    whole = whole && !all->commands[k].operands.failed;
    for (int j = 0; j < all->commands[k].option_count; ++j) whole = whole && !all->commands[k].options[j].words.failed;
  }
  return whole;
}

static void reset(ChCompletion* all) {
  for (int k = 0; k < all->command_count; ++k) {
    ch_words_reset(&all->commands[k].operands);
    for (int j = 0; j < all->commands[k].option_count; ++j) ch_words_reset(&all->commands[k].options[j].words);
    free(all->commands[k].options);
  }
  free(all->commands);
}

// --- the command
// -------------------------------------------------------------------------------------------------------

static const struct {
  const char* shell;
  void (*put)(FILE* file, const ChCompletion* completion);
} shells[] = {{"bash", ch_completion_bash}, {"zsh", ch_completion_zsh}, {"fish", ch_completion_fish}};
enum { SHELLS = sizeof shells / sizeof *shells };

static ChExit completion_run(const ChCommand* self, int count, char** words) {
  const char* shell = NULL;
  ChParsed parsed = ch_arguments_parse(self, count, words, NULL, &shell);
  if (parsed != CH_PARSED_RUN) return parsed == CH_PARSED_HELP ? CH_EXIT_DONE : CH_EXIT_USAGE;
  const char* known[SHELLS];
  for (int k = 0; k < SHELLS; ++k) known[k] = shells[k].shell;
  if (!ch_word_check(self, "shell", shell, SHELLS, known)) return CH_EXIT_USAGE;
  ChCompletion all = {0};
  fill(&all);
  bool whole = is_whole(&all);
  for (int k = 0; whole && k < SHELLS; ++k)
    if (strcmp(shell, known[k]) == 0) shells[k].put(stdout, &all);
  reset(&all);
  if (!whole) ch_complain(self, "out of memory for the words to complete");
  return whole ? CH_EXIT_DONE : CH_EXIT_FAULT;
}

const ChCommand ch_command_completion = {
    .name = "completion",
    .summary = "prints a script that lets bash, zsh or fish complete commands, options and names of scenes",
    .operand = "SHELL",
    .examples =
        "  source <(cardhouse completion bash)\n"
        "  cardhouse completion fish > ~/.config/fish/completions/cardhouse.fish\n"
        "`make install` puts all three scripts where the shells look for them.\n",
    .run = completion_run,
};
