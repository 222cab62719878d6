// One trial: one engine, one scene, one step size, in a child process of its own. Some engines exit or crash.
#ifndef CH_BENCH_ENGINES_TRIAL_H
#define CH_BENCH_ENGINES_TRIAL_H

#include "engines.h"

typedef enum ChTrialKind {
  CH_TRIAL_REST,    // S1, S2, S3, S5: displacement at the end
  CH_TRIAL_CREEP,   // S4 below mu: tangential motion from the first second to the end
  CH_TRIAL_SLIDE,   // S4 above mu: relative error of the acceleration between 0.5 s and 2 s
  CH_TRIAL_SETTLE,  // S6: time of all steps, and once settled, in the second half
} ChTrialKind;

typedef struct ChTrialCase {
  const char* scene;  // "S4"
  char name[32];      // "S4 1.05 mu 22.5 deg"
  ChTrialKind kind;
  double exact;     // acceleration of CH_TRIAL_SLIDE
  bool falls;       // no equilibrium: the scene must come down
  double until;     // seconds
  double patience;  // times the cap that it may take; 0 = 1
  double h;
  double tolerance;  // of our certificate
  ChSceneBodies bodies;
} ChTrialCase;

typedef enum ChTrialEnding {
  CH_TRIAL_NOT_RUN,
  CH_TRIAL_DONE,
  CH_TRIAL_FELL,    // a body moved by its size, or ended further than a tenth of it from where it began
  CH_TRIAL_CAPPED,  // out of time; figures hold for the time reached
  CH_TRIAL_FAILED   // could not be set up, gave up, crashed or left the numbers
} ChTrialEnding;

typedef struct ChTrialResult {
  ChTrialEnding ending;
  double time;  // seconds simulated
  long steps;
  double figure;       // displacement or creep in metres, relative error of the acceleration; as the kind says
  double penetration;  // metres, the largest overlap that our collision finds in the poses looked at
  double cpu_us, late_us, wall_us, worst_us;  // a step: mean, mean of the second half, mean by the wall clock, largest
  ChEngineReport report;
} ChTrialResult;

// `cap`: processor seconds.
ChTrialResult ch_trial_run(const ChTrialCase* what, const ChEngineRow* row, double cap);

#endif
