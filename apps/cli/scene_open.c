// See scene_open.h.
#include "cli/scene_open.h"

#include <stdlib.h>

ChStatus ch_scene_open_telling(const ChCommand* command, ChContext* context, const char* name,
                               const ChSceneChoice* choice, ChScene** out) {
  ChSceneChoice telling = choice ? *choice : (ChSceneChoice){0};
  telling.faults = calloc(1, sizeof *telling.faults);  // NULL: the first fault will do
  ChStatus status = ch_scene_open_with(context, name, &telling, out);
  ChSceneFaults* faults = telling.faults;
  if (status != CH_OK && faults && faults->count > 1) {
    for (int k = 0; k + 1 < faults->count; ++k) ch_complain(command, "%s", faults->text[k]);
    const char* last = faults->text[faults->count - 1];
    if (faults->more > 0)
      ch_fail(context, status, "%.380s (the %dth fault; %d more are not shown)", last, faults->count, faults->more);
    else
      ch_fail(context, status, "%s", last);
  }
  free(faults);
  return status;
}
