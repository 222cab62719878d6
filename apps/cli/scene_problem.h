// A scene as the static question that limit analysis asks: its bodies where they start, at rest, under their weight.
#ifndef CH_CLI_SCENE_PROBLEM_H
#define CH_CLI_SCENE_PROBLEM_H

#include <stdbool.h>

#include "cardhouse/problem.h"
#include "cardhouse/scene.h"

// Whether `name` is a scene for `cardhouse run` (a built-in, or a file that begins like JSON) and no contact problem.
bool ch_names_scene(const char* name);

// The contact problem of the first step of a scene (its text, as ChScene has it) from rest, with rigid contacts nearer
// than `touching`, metres, and none besides. The caller destroys it.
ChStatus ch_scene_problem(ChContext* context, const char* text, double touching, ChProblem** out);

// What the same weight adds to f when it acts along `direction` (of length 1) instead of downwards: `load` has room for
// `dof` numbers.
ChStatus ch_scene_weight(ChContext* context, const char* text, double touching, ChVec3 direction, int dof,
                         double* load);

#endif
