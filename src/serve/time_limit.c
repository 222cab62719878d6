// The time limit of a live scene: see time_limit.h.
#include "serve/time_limit.h"

#include <math.h>
#include <stdbool.h>

static const double LEAST = 0.02, LEAST_PER_BODY = 1e-4;  // seconds: fewer would leave no time for a first answer
static const double FAST = 0.002, LEAST_FAST = 5e-4;      // seconds: steps as short as this are meant to be felt
enum { QUICK_STEPS = 20 };                                // in a row, after which the limit grows

ChTimeLimit ch_time_limit_begin(double highest, int bodies) {
  return (ChTimeLimit){.now = highest,
                       .lowest = fmin(LEAST + LEAST_PER_BODY * bodies, highest),
                       .lowest_fast = fmin(LEAST_FAST + LEAST_PER_BODY * bodies, highest),
                       .highest = highest};
}

void ch_time_limit_set(double seconds, bool whole, ChSimulationOptions* options) {
  options->solve.time_limit = seconds;
  options->step_limit = whole ? seconds : 0.0;
}

void ch_time_limit_step(ChTimeLimit* limit, double seconds, double allotted) {
  bool fast = allotted <= FAST && limit->lowest_fast <= allotted;
  double lowest = fast ? fmin(allotted, limit->lowest) : limit->lowest;
  if (seconds > fmax(lowest, allotted)) {
    limit->now = fmax(0.5 * limit->now, lowest);
    limit->quick = 0;
  } else if (++limit->quick >= QUICK_STEPS) {
    limit->now = fmin(2.0 * limit->now, limit->highest);
    limit->quick = 0;
  }
}
