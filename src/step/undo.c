// See undo.h.
#include "step/undo.h"

#include <stdlib.h>
#include <string.h>

ChUndo ch_undo_of(const ChSimulation* s) { return (ChUndo){.h = s->h, .level = s->level, .good = s->good}; }

ChStatus ch_undo_keep(ChContext* context, ChSimulation* s, ChUndo* undo) {
  if (undo->size > 0) return CH_OK;
  size_t size;
  ChStatus status = ch_simulation_save(context, s, NULL, &size);
  if (status == CH_OK && size > s->undo_room) {
    void* larger = realloc(s->undo, size + size / 4);
    if (!larger) return ch_fail(context, CH_ERR_MEMORY, "out of memory for a step that may be undone");
    s->undo = larger;
    s->undo_room = size + size / 4;
  }
  if (status == CH_OK) status = ch_simulation_save(context, s, s->undo, &size);
  if (status == CH_OK) undo->size = size;
  return status;
}

void ch_undo_take(ChSimulation* s, const ChUndo* undo) {
  ChContext unread = {0};
  if (!(undo->size > 0 && ch_simulation_load(&unread, s, s->undo, undo->size) == CH_OK)) {
    memcpy(s->states, s->before, ch_world_state_bytes(s->world));
    s->rest.filled = false;
  }
  s->h = undo->h;
  s->level = undo->level;
  s->good = undo->good;
}
