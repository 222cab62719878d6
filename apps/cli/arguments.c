// Option tables: see arguments.h.
#include "cli/arguments.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"

enum { WORD_MAX = 64 };

void ch_complain(const ChCommand* command, const char* format, ...) {
  char* text = NULL;
  va_list arguments;
  va_start(arguments, format);
  if (vasprintf(&text, format, arguments) < 0) text = NULL;
  va_end(arguments);
  fprintf(stderr, command ? "cardhouse %s: " : "cardhouse: ", command ? command->name : "");
  ch_printable_put(stderr, text ? text : "out of memory");
  fputc('\n', stderr);
  free(text);
}

bool ch_word_check(const ChCommand* command, const char* what, const char* word, int count, const char* const* known) {
  for (int k = 0; k < count; ++k)
    if (strcmp(word, known[k]) == 0) return true;
  const char* near = ch_word_nearest(word, count, known);
  char list[1024] = "";
  for (int k = 0; k < count; ++k) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", known[k]);
  }
  if (near)
    ch_complain(command, "unknown %s '%s'; did you mean '%s'? There are: %s", what, word, near, list);
  else
    ch_complain(command, "unknown %s '%s'; there are: %s", what, word, list);
  return false;
}

// max_iterations -> max-iterations
static void option_name(const ChArgRow* row, char name[WORD_MAX]) {
  snprintf(name, WORD_MAX, "%s", row->field);
  for (char* c = name; *c; ++c)
    if (*c == '_') *c = '-';
}

const ChArgRow* ch_option_find(const ChCommand* command, const char* word, size_t length) {
  char name[WORD_MAX];
  for (int k = 0; k < command->row_count; ++k) {
    option_name(&command->rows[k], name);
    if (strlen(name) == length && strncmp(name, word, length) == 0) return &command->rows[k];
  }
  return NULL;
}

void ch_complain_unknown_option(const ChCommand* command, const char* word) {
  char names[CH_LIST_MAX][WORD_MAX];
  const char* known[CH_LIST_MAX];
  int count = 0;
  for (; count < command->row_count && count < CH_LIST_MAX - 1; ++count) {
    option_name(&command->rows[count], names[count]);
    known[count] = names[count];
  }
  known[count++] = "help";
  const char* near = ch_word_nearest(word + (word[1] == '-' ? 2 : 1), count, known);
  if (near)
    ch_complain(command, "unknown option '%s'; did you mean '--%s'?", word, near);
  else
    ch_complain(command, "unknown option '%s'; `cardhouse %s --help` lists them all", word, command->name);
}

static bool number_read(const ChCommand* command, const char* name, const ChArgRow* row, const char* text,
                        double* out) {
  char* end;
  *out = strtod(text, &end);
  bool whole = row->kind != CH_ARG_COUNT || *out == floor(*out);
  if (end == text || *end != '\0' || !whole) {
    ch_complain(command, "--%s is '%s', must be a%s number", name, text, row->kind == CH_ARG_COUNT ? " whole" : "");
    return false;
  }
  if (!(*out >= row->lowest && *out <= row->highest)) {
    ch_complain(command, "--%s is %s, allowed %g to %g: %s", name, text, row->lowest, row->highest, row->text);
    return false;
  }
  return true;
}

static bool value_store(const ChCommand* command, const ChArgRow* row, const char* text, void* values) {
  char name[WORD_MAX];
  option_name(row, name);
  void* field = (char*)values + row->offset;
  double number = 0.0;
  switch (row->kind) {
    case CH_ARG_FLAG:
      *(bool*)field = true;
      return true;
    case CH_ARG_TEXT:
      *(const char**)field = text;
      if (*text == '\0') ch_complain(command, "--%s is empty: %s", name, row->text);
      return *text != '\0';
    case CH_ARG_REAL:
      if (!number_read(command, name, row, text, &number)) return false;
      *(double*)field = number;
      return true;
    case CH_ARG_COUNT:
      if (!number_read(command, name, row, text, &number)) return false;
      *(long*)field = (long)number;
      return true;
    case CH_ARG_LIST: {
      ChTextList* list = field;
      if (list->count == CH_LIST_MAX) {
        ch_complain(command, "--%s may be given %d times at most", name, CH_LIST_MAX);
        return false;
      }
      list->item[list->count++] = text;
      return true;
    }
  }
  return false;
}

static bool keep_stray(int count, char** words, int* at, const char* equals, ChStrayOptions* strays) {
  if (strays->count == CH_LIST_MAX) return false;
  strays->word[strays->count] = words[*at];
  strays->value[strays->count++] = equals ? equals + 1 : *at + 1 < count ? words[++*at] : NULL;
  return true;
}

// Takes the option at words[*at], and its value from behind '=' or from the next word.
static bool option_take(const ChCommand* command, int count, char** words, int* at, void* values,
                        ChStrayOptions* strays) {
  const char* word = words[*at];
  const char* equals = strchr(word, '=');
  bool dashed = strncmp(word, "--", 2) == 0;
  size_t length = equals ? (size_t)(equals - word) : strlen(word);
  const ChArgRow* row = dashed ? ch_option_find(command, word + 2, length - 2) : NULL;
  if (!row && dashed && strays && keep_stray(count, words, at, equals, strays)) return true;
  if (!row) {
    ch_complain_unknown_option(command, word);
    return false;
  }
  if (row->kind == CH_ARG_FLAG) {
    if (equals) ch_complain(command, "%.*s takes no value", (int)length, word);
    return !equals && value_store(command, row, "", values);
  }
  const char* text = equals ? equals + 1 : *at + 1 < count ? words[++*at] : NULL;
  if (!text) {
    ch_complain(command, "%s needs a value, %s: %s", word, row->value, row->text);
    return false;
  }
  return value_store(command, row, text, values);
}

// Words that are no options; `item` has room for `most`.
typedef struct Operands {
  int count, most;
  const char** item;
} Operands;

static bool operand_take(const ChCommand* command, const char* word, Operands* operands) {
  if (!command->operand || operands->count == operands->most) {
    ch_complain(command, "'%s' is one word too many; `cardhouse %s --help` shows the usage", word, command->name);
    return false;
  }
  operands->item[operands->count++] = word;
  return true;
}

static ChParsed parse(const ChCommand* command, int count, char** words, void* values, Operands* operands,
                      ChStrayOptions* strays) {
  bool options_end = false;
  for (int at = 0; at < count; ++at) {
    const char* word = words[at];
    bool option = !options_end && word[0] == '-' && word[1] != '\0';
    if (option && strcmp(word, "--") == 0) {
      options_end = true;
    } else if (option && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
      ch_command_print_help(command);
      return CH_PARSED_HELP;
    } else if (option ? !option_take(command, count, words, &at, values, strays)
                      : !operand_take(command, word, operands)) {
      return CH_PARSED_WRONG;
    }
  }
  if (command->operand && command->operand[0] != '[' && operands->count == 0) {
    if (strays && strays->count > 0) ch_complain_unknown_option(command, strays->word[0]);
    ch_complain(command, "%.*s is missing; `cardhouse %s --help` shows the usage", (int)strcspn(command->operand, " "),
                command->operand, command->name);
    return CH_PARSED_WRONG;
  }
  return CH_PARSED_RUN;
}

ChParsed ch_arguments_parse_with_strays(const ChCommand* command, int count, char** words, void* values,
                                        const char** operand, ChStrayOptions* strays) {
  const char* word = NULL;
  Operands found = {.most = 1, .item = &word};
  ChParsed parsed = parse(command, count, words, values, &found, strays);
  if (operand && parsed == CH_PARSED_RUN) *operand = word;
  return parsed;
}

ChParsed ch_arguments_parse(const ChCommand* command, int count, char** words, void* values, const char** operand) {
  return ch_arguments_parse_with_strays(command, count, words, values, operand, NULL);
}

ChParsed ch_arguments_parse_list(const ChCommand* command, int count, char** words, void* values,
                                 ChTextList* operands) {
  Operands found = {.most = CH_LIST_MAX, .item = operands->item};
  ChParsed parsed = parse(command, count, words, values, &found, NULL);
  operands->count = found.count;
  return parsed;
}

ChParsed ch_arguments_parse_words(const ChCommand* command, int count, char** words, void* values, int* operand_count,
                                  const char** operands) {
  Operands found = {.most = count, .item = operands};
  ChParsed parsed = parse(command, count, words, values, &found, NULL);
  *operand_count = found.count;
  return parsed;
}

void ch_command_print_help(const ChCommand* command) {
  printf("usage: cardhouse %s%s%s%s\n\n%s\n", command->name, command->operand ? " " : "",
         command->operand ? command->operand : "", command->row_count ? " [options]" : "", command->summary);
  if (command->row_count) printf("\noptions:\n");
  for (int k = 0; k < command->row_count; ++k) {
    const ChArgRow* row = &command->rows[k];
    char name[WORD_MAX], left[2 * WORD_MAX];
    option_name(row, name);
    snprintf(left, sizeof left, "--%s%s%s", name, row->value ? " " : "", row->value ? row->value : "");
    printf("  %-24s %s\n", left, row->text);
  }
  printf("  %-24s %s\n", "--help", "this page");
  if (command->examples) printf("\nexamples:\n%s", command->examples);
}
