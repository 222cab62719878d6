// How much of its own weight, turned sideways, a scene carries: the question of an earthquake, and of a tilted floor.
#ifndef CH_CLI_SIDEWAYS_H
#define CH_CLI_SIDEWAYS_H

#include <jansson.h>

#include "cli/limits.h"

enum { CH_SIDEWAYS_MAX = 4 };

typedef struct ChSideways {
  int count;  // directions in which the weight moves anything: x, -x and, in space, y, -y
  const char* name[CH_SIDEWAYS_MAX];
  ChLimitAnswer answer[CH_SIDEWAYS_MAX];
} ChSideways;

// `problem` is that of the scene, see scene_problem.h. A question that ran out of time is told as such.
ChStatus ch_sideways_ask(ChContext* context, const char* text, double touching, const ChProblem* problem,
                         const ChLimitOptions* options, ChSideways* out);
void ch_sideways_print(const ChSideways* sideways);
json_t* ch_sideways_json(const ChSideways* sideways);

#endif
