// The limit analysis of `cardhouse analyze --limits`: asking, and telling in text and JSON.
#ifndef CH_CLI_LIMITS_H
#define CH_CLI_LIMITS_H

#include <jansson.h>

#include "cardhouse/analysis.h"

// One question: its answer, or why there is none.
typedef struct ChLimitAnswer {
  ChStatus status;
  ChLimit limit;
} ChLimitAnswer;

// How the blocks move in a mechanism.
typedef struct ChMechanismCounts {
  int resting, sliding, opening;
} ChMechanismCounts;

typedef struct ChLimitsReport {
  bool asked;
  bool all;  // to be set before asking; otherwise only self-stress and disassembly
  const ChProblem* problem;
  ChProblemView view;     // of it
  double mu_highest;      // of the problem
  double highest_factor;  // on friction that was tried
  ChLimitAnswer equilibrium, friction, self_stress, disassembly, load;
  bool loaded;        // a load was given
  double* mechanism;  // rows: the motion that limits the load, or else the friction, or the equilibrium; NULL: none
  const char* mechanism_of;
  double mechanism_factor;  // on friction
  ChMechanismCounts motion;
} ChLimitsReport;

// Fails only where the load cannot be read or memory runs out; a question that ran out of time is told as such.
ChStatus ch_limits_ask(ChContext* context, const ChProblem* problem, const char* load_path,
                       const ChLimitOptions* options, ChLimitsReport* out);
void ch_limits_print(const ChLimitsReport* report);
json_t* ch_limits_json(const ChLimitsReport* report);
void ch_limits_reset(ChLimitsReport* report);

#endif
