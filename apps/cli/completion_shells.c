// The scripts of `cardhouse completion`. All three hold the same three tables, by command: options, operands, and the
// words behind an option. A scene's parameters stand under "@" and its name, once for all commands that open scenes.
// In lists of words "@" stands for files.
#include <string.h>

#include "cli/completion.h"

// In single quotes, for bash and zsh.
static void put_quoted(FILE* file, const char* text) {
  fputc('\'', file);
  for (; *text; ++text)
    if (*text == '\'')
      fputs("'\\''", file);
    else
      fputc(*text, file);
  fputc('\'', file);
}

// In single quotes, for fish.
static void put_fish_quoted(FILE* file, const char* text) {
  fputc('\'', file);
  for (; *text; ++text) {
    if (*text == '\'' || *text == '\\') fputc('\\', file);
    fputc(*text, file);
  }
  fputc('\'', file);
}

static void put_words(FILE* file, const ChWords* words) {
  for (int k = 0; k < words->count; ++k) fprintf(file, "%s%s", k ? " " : "", words->item[k]);
}

static bool is_command(const ChCompletionCommand* c) { return c->name[0] != '@' && !strchr(c->name, ' '); }

// Words of the commands; those that open scenes alone where `scenes`.
static void put_commands(FILE* file, const ChCompletion* all, bool scenes) {
  for (int k = 0; k < all->command_count; ++k)
    if (is_command(&all->commands[k]) && (!scenes || all->commands[k].opens_scenes))
      fprintf(file, "%s ", all->commands[k].name);
}

// --- bash and zsh: a function that knows the words of a key
// -----------------------------------------------------------

static void put_case(FILE* file, const char* key, const char* option) {
  char text[160];
  snprintf(text, sizeof text, "%s%s%s", key, option ? "/" : "", option ? option : "");
  fputs("    ", file);
  put_quoted(file, text);
  fputs(") echo '", file);
}

static void put_command_cases(FILE* file, const ChCompletionCommand* c) {
  char option[80];
  put_case(file, c->name, NULL);
  for (int k = 0; k < c->option_count; ++k) fprintf(file, "--%s ", c->options[k].name);
  fputs("--help' ;;\n", file);
  put_case(file, c->name, "");
  put_words(file, &c->operands);
  fputs(c->files ? " @' ;;\n" : "' ;;\n", file);
  for (int k = 0; k < c->option_count; ++k) {
    const ChCompletionOption* o = &c->options[k];
    if (o->kind == CH_COMPLETE_NONE) continue;
    snprintf(option, sizeof option, "--%s", o->name);
    put_case(file, c->name, option);
    put_words(file, &o->words);
    fputs(o->kind == CH_COMPLETE_FILES ? "@' ;;\n" : "' ;;\n", file);
  }
}

static void put_function(FILE* file, const ChCompletion* all) {
  fputs("_cardhouse_words() {\n  case $1 in\n", file);
  for (int k = 0; k < all->command_count; ++k) put_command_cases(file, &all->commands[k]);
  fputs("    *) return 1 ;;\n  esac\n}\n\n_cardhouse_commands='", file);
  put_commands(file, all, false);
  fputs("'\n_cardhouse_openers='", file);
  put_commands(file, all, true);
  fputs("'\n\n", file);
}

void ch_completion_bash(FILE* file, const ChCompletion* completion) {
  fputs("# Completion of cardhouse for bash, made by `cardhouse completion bash`.\n\n", file);
  put_function(file, completion);
  fputs(
      "_cardhouse_offer() {\n"
      "  local IFS=$' \\t\\n' word\n"
      "  COMPREPLY=($(compgen -W \"${1//@/}\" -- \"$2\"))\n"
      "  if [[ $1 == *@* ]]; then\n"
      "    compopt -o filenames 2>/dev/null\n"
      "    while IFS= read -r word; do COMPREPLY+=(\"$word\"); done < <(compgen -f -- \"$2\")\n"
      "  fi\n"
      "  [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null\n"
      "  return 0\n"
      "}\n\n"
      "_cardhouse() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} operand= key "
      "list=\n"
      "  local -a keys\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    _cardhouse_offer \"$_cardhouse_commands help --help --version\" \"$cur\"\n"
      "    return\n"
      "  fi\n"
      "  if [[ $command == help ]]; then\n"
      "    _cardhouse_offer \"$_cardhouse_commands\" \"$cur\"\n"
      "    return\n"
      "  fi\n"
      "  if [[ $cur == '=' ]]; then\n"
      "    cur=\n"
      "  elif [[ $prev == '=' ]]; then\n"
      "    prev=${COMP_WORDS[COMP_CWORD-2]}\n"
      "  fi\n"
      "  keys=(\"$command\")\n"
      "  if ((COMP_CWORD > 2)) && [[ ${COMP_WORDS[2]} != -* ]]; then\n"
      "    operand=${COMP_WORDS[2]}\n"
      "    _cardhouse_words \"$command $operand\" >/dev/null && keys=(\"$command $operand\")\n"
      "    [[ \" $_cardhouse_openers\" == *\" $command \"* ]] && keys+=(\"@$operand\")\n"
      "  fi\n"
      "  if [[ $prev == --* ]]; then\n"
      "    for key in \"${keys[@]}\"; do\n"
      "      if list=$(_cardhouse_words \"$key/$prev\"); then\n"
      "        _cardhouse_offer \"$list\" \"$cur\"\n"
      "        return\n"
      "      fi\n"
      "    done\n"
      "  fi\n"
      "  list=\n"
      "  if [[ $cur == -* ]]; then\n"
      "    for key in \"${keys[@]}\"; do list+=\" $(_cardhouse_words \"$key\")\"; done\n"
      "  else\n"
      "    list=$(_cardhouse_words \"${keys[0]}/\")\n"
      "  fi\n"
      "  _cardhouse_offer \"$list\" \"$cur\"\n"
      "}\n\n"
      "complete -F _cardhouse cardhouse\n",
      file);
}

// "name:what it is" of all commands, and of the options by command.
static void put_zsh_texts(FILE* file, const ChCompletion* all) {
  char text[512];
  fputs("_cardhouse_texts() {\n  case $1 in\n    '') list=(", file);
  for (int k = 0; k < all->command_count; ++k) {
    if (!is_command(&all->commands[k])) continue;
    snprintf(text, sizeof text, "%s:%s", all->commands[k].name, all->commands[k].summary);
    put_quoted(file, text);
    fputc(' ', file);
  }
  fputs(") ;;\n", file);
  for (int k = 0; k < all->command_count; ++k) {
    const ChCompletionCommand* c = &all->commands[k];
    fputs("    ", file);
    put_quoted(file, c->name);
    fputs(") list+=(", file);
    for (int j = 0; j < c->option_count; ++j) {
      snprintf(text, sizeof text, "--%s:%s", c->options[j].name, c->options[j].text);
      put_quoted(file, text);
      fputc(' ', file);
    }
    fputs(") ;;\n", file);
  }
  fputs("  esac\n}\n\n", file);
}

void ch_completion_zsh(FILE* file, const ChCompletion* completion) {
  fputs("#compdef cardhouse\n# Completion of cardhouse for zsh, made by `cardhouse completion zsh`.\n\n", file);
  put_function(file, completion);
  put_zsh_texts(file, completion);
  fputs(
      "_cardhouse_offer() {\n"
      "  compadd -- ${=1//@/}\n"
      "  [[ $1 == *@* ]] && _files\n"
      "}\n\n"
      "_cardhouse() {\n"
      "  local command=$words[2] previous=$words[CURRENT-1] operand= key values\n"
      "  local -a keys list\n"
      "  if ((CURRENT == 2)) || [[ $command == help ]]; then\n"
      "    _cardhouse_texts ''\n"
      "    _describe command list\n"
      "    return\n"
      "  fi\n"
      "  keys=(\"$command\")\n"
      "  if ((CURRENT > 3)) && [[ $words[3] != -* ]]; then\n"
      "    operand=$words[3]\n"
      "    _cardhouse_words \"$command $operand\" >/dev/null && keys=(\"$command $operand\")\n"
      "    [[ \" $_cardhouse_openers\" == *\" $command \"* ]] && keys+=(\"@$operand\")\n"
      "  fi\n"
      "  if [[ $previous == --* ]]; then\n"
      "    for key in $keys; do\n"
      "      if values=$(_cardhouse_words \"$key/$previous\"); then\n"
      "        _cardhouse_offer \"$values\"\n"
      "        return\n"
      "      fi\n"
      "    done\n"
      "  fi\n"
      "  if [[ $words[CURRENT] == -* ]]; then\n"
      "    for key in $keys; do _cardhouse_texts \"$key\"; done\n"
      "    _describe option list\n"
      "  else\n"
      "    _cardhouse_offer \"$(_cardhouse_words \"$keys[1]/\")\"\n"
      "  fi\n"
      "}\n\n"
      "compdef _cardhouse cardhouse 2>/dev/null\n"
      "[[ $zsh_eval_context[-1] == loadautofunc ]] && _cardhouse \"$@\"\n"
      "true\n",
      file);
}

// --- fish: a line for each option
// -------------------------------------------------------------------------------------

// -n '__cardhouse_at COMMANDS OPERAND', for a command, an action of one, or a scene.
static void put_fish_condition(FILE* file, const ChCompletion* all, const ChCompletionCommand* c) {
  const char* space = strchr(c->name, ' ');
  fputs("complete -c cardhouse -n \"__cardhouse_at '", file);
  if (c->name[0] == '@')
    put_commands(file, all, true);
  else
    fprintf(file, "%.*s", (int)strcspn(c->name, " "), c->name);
  fprintf(file, "' '%s'\"", c->name[0] == '@' ? c->name + 1 : space ? space + 1 : "");
}

static void put_fish_command(FILE* file, const ChCompletion* all, const ChCompletionCommand* c) {
  if (c->operands.count > 0 || c->files) {
    put_fish_condition(file, all, c);
    fputs(c->files ? " -F -a '" : " -f -a '", file);
    put_words(file, &c->operands);
    fputs("'\n", file);
  }
  for (int k = 0; k < c->option_count; ++k) {
    const ChCompletionOption* o = &c->options[k];
    put_fish_condition(file, all, c);
    fprintf(file, " -l %s", o->name);
    fputs(o->kind == CH_COMPLETE_NONE ? " -f" : o->kind == CH_COMPLETE_FILES ? " -r -F" : " -x", file);
    if (o->words.count > 0) {
      fputs(" -a '", file);
      put_words(file, &o->words);
      fputs("'", file);
    }
    fputs(" -d ", file);
    put_fish_quoted(file, o->text);
    fputc('\n', file);
  }
}

void ch_completion_fish(FILE* file, const ChCompletion* completion) {
  fputs(
      "# Completion of cardhouse for fish, made by `cardhouse completion fish`.\n\n"
      "# Whether the command is among the first words, and the operand behind it is the second, where one is named.\n"
      "function __cardhouse_at\n"
      "    set -l words (commandline -opc)\n"
      "    test (count $words) -gt 1; or return 1\n"
      "    contains -- $words[2] (string split -n ' ' -- $argv[1]); or return 1\n"
      "    test -z \"$argv[2]\"; and return 0\n"
      "    test (count $words) -gt 2; and test \"$words[3]\" = \"$argv[2]\"\n"
      "end\n\n"
      "complete -c cardhouse -f\n"
      "complete -c cardhouse -l help -d 'explains it'\n",
      file);
  for (int k = 0; k < completion->command_count; ++k) {
    const ChCompletionCommand* c = &completion->commands[k];
    if (!is_command(c)) continue;
    fprintf(file, "complete -c cardhouse -n '__fish_use_subcommand' -a %s -d ", c->name);
    put_fish_quoted(file, c->summary);
    fputc('\n', file);
  }
  for (int k = 0; k < completion->command_count; ++k) put_fish_command(file, completion, &completion->commands[k]);
}
