// The contact problem of a step with the step's own answer, as an FCLIB file.
//
//   M v = H r + f      u = H^T v + w       with r as the step found it
#include <stdio.h>

#include "base/arena.h"
#include "cardhouse/disk.h"
#include "cardhouse/files.h"
#include "cardhouse/record.h"

static ChStatus write_solved(ChContext* context, ChArena* arena, const char* path, const ChSimulation* s,
                             const ChProblem* problem) {
  const ChProblemView p = ch_problem_view(problem);
  double* r = CH_TAKE(arena, p.rows, double);
  double* v = CH_TAKE(arena, p.dof, double);
  double* u = CH_TAKE(arena, p.rows, double);
  ch_simulation_reactions(s, p.rows, r);
  ChStatus status = ch_problem_velocity(context, problem, r, v, u);
  return status == CH_OK ? ch_solution_write(context, path, problem, v, u, r) : status;
}

static ChStatus write_problem(ChContext* context, const char* path, const ChSimulation* s, const ChProblem* problem) {
  ChArena* volatile arena = NULL;
  jmp_buf landing;
  if (setjmp(landing) || !(arena = ch_arena_create(NULL))) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  }
  ch_arena_set_landing(arena, &landing);
  ChStatus status = write_solved(context, arena, path, s, problem);
  ch_arena_destroy(arena);
  return status;
}

ChStatus ch_problem_record(ChContext* context, const char* folder, const ChSimulation* simulation) {
  char path[4096];
  int size = snprintf(path, sizeof path, "%s/step-%08ld.hdf5", folder, ch_simulation_step_count(simulation));
  if (size < 0 || size >= (int)sizeof path) return ch_fail(context, CH_ERR_FILE, "%s: the name is too long", folder);
  ChStatus status = ch_folder_make(context, folder);
  ChProblem* problem = NULL;
  if (status == CH_OK) status = ch_simulation_problem(context, simulation, &problem);
  if (status == CH_OK) status = write_problem(context, path, simulation, problem);
  ch_problem_destroy(problem);
  return status;
}
