// Parameters of a scene: see scene_choice.h.
#include "cli/scene_choice.h"

#include <stdio.h>
#include <string.h>

// mass-ratio is mass_ratio
static bool same_name(const char* word, size_t length, const char* name) {
  if (strlen(name) != length) return false;
  for (size_t k = 0; k < length; ++k)
    if (word[k] != name[k] && !(word[k] == '-' && name[k] == '_')) return false;
  return true;
}

static const char* parameter_of(int builtin, const char* word, size_t length) {
  for (const ChSceneParameter* p = ch_scene_builtin_parameters(builtin); p->name; ++p)
    if (same_name(word, length, p->name)) return p->name;
  return NULL;
}

static void add(ChSceneParameters* out, const char* name, const char* value) {
  int k = out->choice.parameter_count++;
  out->pair[k][0] = name;
  out->pair[k][1] = value;
}

// NAME=VALUE
static bool read_param(const ChCommand* command, int builtin, const char* item, ChSceneParameters* out) {
  const char* equals = strchr(item, '=');
  size_t length = equals ? (size_t)(equals - item) : 0;
  if (length == 0 || length >= CH_PARAMETER_NAME || !equals[1]) {
    ch_complain(command, "--param is '%.80s', must be a name and a value: mu=0.3", item);
    return false;
  }
  const char* known = builtin >= 0 ? parameter_of(builtin, item, length) : NULL;
  char* name = out->name[out->choice.parameter_count];
  snprintf(name, CH_PARAMETER_NAME, "%.*s", (int)length, item);
  add(out, known ? known : name, equals + 1);
  return true;
}

static void complain_unknown(const ChCommand* command, int builtin, const char* word) {
  const char* known[2 * CH_LIST_MAX];
  int count = 0;
  for (const ChSceneParameter* p = ch_scene_builtin_parameters(builtin); p->name && count < CH_LIST_MAX; ++p)
    known[count++] = p->name;
  for (int k = 0; k < command->row_count && count < 2 * CH_LIST_MAX; ++k) known[count++] = command->rows[k].field;
  char name[CH_PARAMETER_NAME];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
  const char *near = ch_word_nearest(name, count, known), *scene = ch_scene_builtin_name(builtin);
  ch_complain(command,
              "'--%s' is neither an option of `%s` nor a parameter of %s%s%s%s; `cardhouse scene %s --help` lists the "
              "parameters",
              name, command->name, scene, near ? "; did you mean '--" : "", near ? near : "", near ? "'?" : "", scene);
}

// Only a built-in's parameters are options by themselves: a file's names may be those of options to come.
static bool read_stray(const ChCommand* command, int builtin, const char* word, const char* value,
                       ChSceneParameters* out) {
  if (builtin < 0) {
    ch_complain_unknown_option(command, word);
    return false;
  }
  const char* name = parameter_of(builtin, word + 2, strcspn(word + 2, "="));
  if (!name) complain_unknown(command, builtin, word);
  if (name && (!value || !*value)) ch_complain(command, "%s needs a value", word);
  if (!name || !value || !*value) return false;
  add(out, name, value);
  return true;
}

bool ch_scene_choice_read(const ChCommand* command, const char* scene, const char* contact, const ChTextList* param,
                          const ChStrayOptions* strays, ChSceneParameters* out) {
  *out = (ChSceneParameters){.choice = {.contact = contact}};
  int builtin = scene ? ch_scene_builtin_find(scene) : -1;
  for (int k = 0; k < strays->count; ++k)
    if (!read_stray(command, builtin, strays->word[k], strays->value[k], out)) return false;
  for (int k = 0; k < param->count; ++k)
    if (!read_param(command, builtin, param->item[k], out)) return false;
  out->choice.parameters = (const char* const(*)[2])out->pair;
  return true;
}
