// Parameters of a scene on the command line: `run cards --levels 3`, `run my.json --param mu=0.3`.
#ifndef CH_CLI_SCENE_CHOICE_H
#define CH_CLI_SCENE_CHOICE_H

#include "cardhouse/scene.h"
#include "cli/arguments.h"

// The row of a command that opens a scene.
#define CH_PARAM_ROW(X) \
  X(LIST, param, {0}, "NAME=VALUE", 0, 0, "a parameter of the scene; for a built-in scene --NAME VALUE does the same")

enum { CH_PARAMETER_NAME = 64 };

typedef struct ChSceneParameters {
  ChSceneChoice choice;
  const char* pair[2 * CH_LIST_MAX][2];
  char name[2 * CH_LIST_MAX][CH_PARAMETER_NAME];
} ChSceneParameters;

// What --param and the command's stray options say of this scene, with the law of contact, or NULL. Complains by itself
// and returns false where a word is no parameter. The result points into `out` and the words.
bool ch_scene_choice_read(const ChCommand* command, const char* scene, const char* contact, const ChTextList* param,
                          const ChStrayOptions* strays, ChSceneParameters* out);

#endif
