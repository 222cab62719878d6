// auto
#include <math.h>
#include "solve/method.h"
static void solve(ChRun* run) {
  ch_run_nested(run, ch_method_find("nsgs"), run->tolerance, 20, INFINITY);
  if (ch_run_finished(run)) return;
  ch_run_nested(run, ch_method_find("newton"), run->tolerance, 0, INFINITY);
}
const ChMethod ch_method_auto = {.name = "auto", .summary = "portfolio", .source = "ours",
    .takes = CH_TAKES_COULOMB | CH_TAKES_RELAXED | CH_TAKES_UNFORMED | CH_TAKES_UNSYMMETRIC | CH_IS_EXACT, .solve = solve};
