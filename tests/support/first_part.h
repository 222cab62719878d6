// The first connected part of a problem as a method sees it, and a run on it: for tests that look inside a method.
#ifndef CH_TESTS_FIRST_PART_H
#define CH_TESTS_FIRST_PART_H

#include "cardhouse/clock.h"
#include "solve/method.h"
#include "support/near.h"

typedef struct ChFirstPart {
  jmp_buf landing;
  ChArena *arena, *kept;
  ChPrepared parts;
  ChSolveOptions options;
  ChShared shared;
  ChRun run;
} ChFirstPart;

// In place: the run keeps addresses inside. Options may be changed until a method is called.
static inline void ch_first_part_open(ChFirstPart* p, const ChProblem* problem) {
  ChContext context = {0};
  if (setjmp(p->landing)) fail_msg("out of memory");
  p->arena = ch_arena_create(&p->landing);
  p->kept = ch_arena_create(&p->landing);
  CHECK_OK(context, ch_prepare(&context, p->arena, problem, CH_POSE_COULOMB, NULL, &p->parts));
  assert_true(p->parts.count > 0);
  ChSystem* s = &p->parts.component[0].system;
  p->options = ch_solve_options_default();
  p->shared = (ChShared){.arena = p->kept, .system = s};
  p->run = (ChRun){.system = s,
                   .arena = p->arena,
                   .options = &p->options,
                   .shared = &p->shared,
                   .tolerance = 1e-9,
                   .started = ch_clock_seconds(),
                   .deadline = ch_deadline_in(30.0, INFINITY),
                   .stage = "test",
                   .scale = 1.0,
                   .error = INFINITY,
                   .r = CH_TAKE(p->arena, s->rows, double)};
}

static inline void ch_first_part_set(ChFirstPart* p, const char* name, double value) {
  ch_settings_append(p->arena, &p->options, 1, &(ChSetting){name, value});
}

static inline void ch_first_part_close(ChFirstPart* p) {
  ch_arena_destroy(p->kept);
  ch_arena_destroy(p->arena);
}

#endif
