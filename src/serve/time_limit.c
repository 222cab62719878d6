// The time limit of a live scene's solves: see time_limit.h.
#include "serve/time_limit.h"

#include <math.h>

static const double LEAST = 0.02, LEAST_PER_BODY = 1e-4;  // seconds: fewer would leave no time for a first answer
enum { QUICK_STEPS = 20 };                                // in a row, after which the limit grows

ChTimeLimit ch_time_limit_begin(double highest, int bodies) {
  return (ChTimeLimit){.now = highest, .lowest = fmin(LEAST + LEAST_PER_BODY * bodies, highest), .highest = highest};
}

void ch_time_limit_step(ChTimeLimit* limit, double seconds, double allotted) {
  if (seconds > fmax(limit->lowest, allotted)) {
    limit->now = fmax(0.5 * limit->now, limit->lowest);
    limit->quick = 0;
  } else if (++limit->quick >= QUICK_STEPS) {
    limit->now = fmin(2.0 * limit->now, limit->highest);
    limit->quick = 0;
  }
}
