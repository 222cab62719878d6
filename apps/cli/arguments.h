// Command-line words: a table of options, parsed, checked, explained by --help.
//
// A subcommand lists its options once, as rows X(KIND, field, default, value, lowest, highest, text); the struct of
// values, its defaults, the range checks and the help page all come from these rows. A field max_iterations is the
// option --max-iterations.
#ifndef CH_CLI_ARGUMENTS_H
#define CH_CLI_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "cardhouse/text.h"

enum { CH_LIST_MAX = 64 };
typedef struct ChTextList {
  int count;
  const char* item[CH_LIST_MAX];
} ChTextList;

#define CH_ARG_TYPE_FLAG bool
#define CH_ARG_TYPE_TEXT const char*
#define CH_ARG_TYPE_REAL double
#define CH_ARG_TYPE_COUNT long
#define CH_ARG_TYPE_LIST ChTextList  // may be given several times

typedef enum ChArgKind { CH_ARG_FLAG, CH_ARG_TEXT, CH_ARG_REAL, CH_ARG_COUNT, CH_ARG_LIST } ChArgKind;

typedef struct ChArgRow {
  ChArgKind kind;
  const char* field;
  size_t offset;
  const char* value;  // what the value is called in the help; NULL for a flag
  double lowest, highest;
  const char* text;
} ChArgRow;

// The struct member, its default and its row, from X(KIND, field, default, value, lowest, highest, text).
#define CH_ARG_MEMBER(KIND, field, start, value, lo, hi, text) CH_ARG_TYPE_##KIND field;
#define CH_ARG_DEFAULT(KIND, field, start, value, lo, hi, text) .field = start,
#define CH_ARG_ROW(KIND, field, start, value, lo, hi, text) \
  {CH_ARG_##KIND, #field, offsetof(Arguments, field), value, lo, hi, text},

// Exit statuses of the program.
typedef enum ChExit { CH_EXIT_DONE = 0, CH_EXIT_SHORT = 1, CH_EXIT_USAGE = 2, CH_EXIT_FAULT = 3 } ChExit;

typedef struct ChCommand {
  const char* name;
  const char* summary;   // one line
  const char* operand;   // the word it takes, e.g. "PROBLEM"; "[SCENE]" where it may be left out; or NULL
  const char* examples;  // lines of the help page
  int row_count;
  const ChArgRow* rows;
  ChExit (*run)(const struct ChCommand* self, int count, char** words);
} ChCommand;

typedef enum ChParsed { CH_PARSED_RUN, CH_PARSED_HELP, CH_PARSED_WRONG } ChParsed;

// Fills `values` (a struct with its defaults in place) and *operand. Prints the help page or the complaint itself.
ChParsed ch_arguments_parse(const ChCommand* command, int count, char** words, void* values, const char** operand);

// Options that a table does not have, as NAME and VALUE: parameters of a scene, perhaps (scene_choice.h).
typedef struct ChStrayOptions {
  int count;
  const char* word[CH_LIST_MAX];   // "--mu" or "--mu=0.3"
  const char* value[CH_LIST_MAX];  // NULL: nothing follows
} ChStrayOptions;

// The same; options that the table does not have are kept for the caller to judge, with the words that follow them.
ChParsed ch_arguments_parse_with_strays(const ChCommand* command, int count, char** words, void* values,
                                        const char** operand, ChStrayOptions* strays);

// The row of an option by its name without "--"; NULL: the command has none of that name.
const ChArgRow* ch_option_find(const ChCommand* command, const char* word, size_t length);

// That there is no such option, with the nearest of the command's own.
void ch_complain_unknown_option(const ChCommand* command, const char* word);

// The same for a command that takes any number of words.
ChParsed ch_arguments_parse_list(const ChCommand* command, int count, char** words, void* values, ChTextList* operands);
// And however many there are: `operands` has room for `count`.
ChParsed ch_arguments_parse_words(const ChCommand* command, int count, char** words, void* values, int* operand_count,
                                  const char** operands);

void ch_command_print_help(const ChCommand* command);

// True when word is one of the known; otherwise complains on standard error, with the nearest known word, and lists
// all.
bool ch_word_check(const ChCommand* command, const char* what, const char* word, int count, const char* const* known);

// "cardhouse solve: ..." on standard error.
void ch_complain(const ChCommand* command, const char* format, ...) __attribute__((format(printf, 2, 3)));

#endif
