// What a shell may complete: commands, their options, the words that an option or an operand takes.
#ifndef CH_CLI_COMPLETION_H
#define CH_CLI_COMPLETION_H

#include <stdio.h>

#include "cli/arguments.h"

// A list of words that grows; one that ran out of memory says so and takes no more.
typedef struct ChWords {
  int count;
  bool failed;
  char** item;
} ChWords;

void ch_words_add(ChWords* words, const char* format, ...) __attribute__((format(printf, 2, 3)));
void ch_words_reset(ChWords* words);

// What stands behind an option.
typedef enum ChCompletionKind {
  CH_COMPLETE_NONE,
  CH_COMPLETE_TEXT,
  CH_COMPLETE_WORDS,
  CH_COMPLETE_FILES
} ChCompletionKind;

typedef struct ChCompletionOption {
  char name[64];     // without "--"
  const char* text;  // what it means; NULL: the help of another option
  ChCompletionKind kind;
  ChWords words;
} ChCompletionOption;

// A command; one with its first operand fixed, "scene check"; or the parameters of a scene, "@cards".
typedef struct ChCompletionCommand {
  char name[64];
  const char* summary;
  int option_count;
  ChCompletionOption* options;
  ChWords operands;
  bool files;         // an operand may be a file, too
  bool opens_scenes;  // takes the parameters of the scene that is its first operand
} ChCompletionCommand;

typedef struct ChCompletion {
  int command_count;
  bool failed;
  ChCompletionCommand* commands;  // those of one word first, in the order of the help
} ChCompletion;

// The scripts.
void ch_completion_bash(FILE* file, const ChCompletion* completion);
void ch_completion_zsh(FILE* file, const ChCompletion* completion);
void ch_completion_fish(FILE* file, const ChCompletion* completion);

#endif
