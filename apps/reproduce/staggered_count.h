// How many iterations staggered projections take in the steps of a scene, each started from the step before: over a
// bounded number of steps and within a bounded time, for a step of a deformable scene may take them seconds.
#ifndef CH_REPRODUCE_STAGGERED_COUNT_H
#define CH_REPRODUCE_STAGGERED_COUNT_H

#include "reproduce/subject.h"

typedef struct ChStaggeredCount {
  int steps_max;                // with contacts
  double limit;                 // seconds of processor time
  double until;                 // simulated seconds at most
  double tolerance;             // of the certificate
  long steps, missed, longest;  // with contacts; of them short of the tolerance; iterations at most
  double mean, contacts;        // of a step with contacts
  double began;
  int most;  // iterations of this step: of the island that takes most
} ChStaggeredCount;

ChStatus ch_staggered_count(ChItemRun* run, const ChSubject* subject, const double progress[2],
                            ChStaggeredCount* count);

#endif
