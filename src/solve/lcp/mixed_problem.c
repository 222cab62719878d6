// The mixed complementarity problem as callers of the library have it: see cardhouse/friction_matrix.h.
#include "cardhouse/friction_matrix.h"
#include "problem/contact_problem.h"
#include "problem/laws/law.h"
#include "solve/lcp/mixed_lcp.h"

static ChStatus check(ChContext* context, const ChProblem* p) {
  if (p->form != CH_FORM_GLOBAL)
    return ch_fail(context, CH_ERR_ARGUMENT, "the problem is local: it has no velocities to keep");
  for (int i = 0; i < p->block_count; ++i)
    if (!ch_law_row(&p->blocks[i])->polygon)
      return ch_fail(context, CH_ERR_UNSUPPORTED, "block %d obeys a law without polygons: %s", i,
                     ch_law_info(p->blocks[i].law)->name);
  for (int i = 0; i < p->block_count; ++i)
    if (ch_law_info(p->blocks[i].law)->friction && p->blocks[i].dimension == 3 && p->blocks[i].sides == 0)
      return ch_fail(context, CH_ERR_ARGUMENT, "contact %d has a smooth cone, must be a polygon", i);
  return CH_OK;
}

ChStatus ch_mixed_problem_build(ChContext* context, const ChProblem* problem, ChMixedProblem* out) {
  *out = (ChMixedProblem){0};
  ChStatus status = check(context, problem);
  if (status != CH_OK) return status;
  jmp_buf landing;
  ChArena* arena = ch_arena_create(&landing);
  if (!arena || setjmp(landing)) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory for a mixed complementarity problem");
  }
  ChMixedLcp mixed = ch_mixed_lcp(arena, problem);
  ch_arena_set_landing(arena, NULL);
  *out = (ChMixedProblem){mixed.lcp.n, mixed.dof, mixed.lcp.A, mixed.lcp.b, mixed.lcp.free, arena};
  return CH_OK;
}

void ch_mixed_problem_free(ChMixedProblem* mixed) {
  ch_arena_destroy(mixed->memory);
  *mixed = (ChMixedProblem){0};
}
