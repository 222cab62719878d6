// The Delassus form for the peers: see condense.h. Nobody's clock runs here.
#include "condense.h"

#include <setjmp.h>

#include "system/delassus.h"

ChStatus ch_condense(ChContext* context, const ChProblem* problem, ChCondensed* out) {
  jmp_buf landing;
  *out = (ChCondensed){.arena = ch_arena_create(NULL)};
  if (!out->arena || setjmp(landing) != 0) {
    ch_condensed_destroy(out);
    return ch_fail(context, CH_ERR_MEMORY, "no memory for the condensed form of the problem");
  }
  ch_arena_set_landing(out->arena, &landing);
  out->q = CH_TAKE(out->arena, problem->rows, double);
  ch_delassus_q(out->arena, problem, out->q);
  out->W = ch_delassus_form(out->arena, problem);
  ch_arena_set_landing(out->arena, NULL);
  return CH_OK;
}

void ch_condensed_destroy(ChCondensed* condensed) {
  if (condensed->arena) ch_arena_destroy(condensed->arena);
  *condensed = (ChCondensed){0};
}
