// One contact problem of `cardhouse solve`: see solve_job.h.
#include "cli/solve_job.h"

#include <stdlib.h>
#include <string.h>

#include "cardhouse/clock.h"
#include "cardhouse/delassus.h"
#include "cardhouse/files.h"
#include "cli/option_choices.h"
#include "cli/output.h"

// The word for the cones that are solved over; `circular` also makes them so.
static const char* settle_cone(ChProblem* problem, const char* wanted) {
  const ChProblemView p = ch_problem_view(problem);
  bool elliptic = false;
  for (int i = 0; i < p.block_count; ++i) {
    ChBlock block = p.blocks[i];
    if (!ch_law_info(block.law)->friction || block.dimension != 3 || block.mu[0] == block.mu[1]) continue;
    elliptic = true;
    block.mu[1] = block.mu[0];
    if (wanted && strcmp(wanted, "circular") == 0) ch_problem_set_block(NULL, problem, i, &block);
  }
  return wanted ? wanted : elliptic ? "elliptic" : "circular";
}

// Solves over polygons where they are asked for; the smooth cones are kept for a second certificate and for --out.
static ChStatus settle_polygon(ChSolveJob* job) {
  bool outer;
  int sides;
  const ChProblemView p = ch_problem_view(job->problem);
  if (!job->cone_wanted || !ch_cone_polygon(job->cone_wanted, &outer, &sides)) return CH_OK;
  size_t bytes = (size_t)p.block_count * sizeof *job->smooth;
  if (!job->smooth) job->smooth = malloc(bytes > 0 ? bytes : 1);
  if (!job->smooth) return ch_fail(&job->context, CH_ERR_MEMORY, "out of memory for %d blocks", p.block_count);
  if (bytes > 0) memcpy(job->smooth, p.blocks, bytes);
  return ch_problem_set_polygon(&job->context, job->problem, sides, outer);
}

double* ch_solve_job_velocity(const ChSolveJob* job) {
  return ch_problem_view(job->problem).form == CH_FORM_GLOBAL ? job->v : NULL;
}

static ChStatus restore_smooth(ChSolveJob* job, ChContext* context) {
  ChStatus status = CH_OK;
  const int count = job->smooth ? ch_problem_view(job->problem).block_count : 0;
  for (int i = 0; i < count && status == CH_OK; ++i)
    status = ch_problem_set_block(context, job->problem, i, &job->smooth[i]);
  return status;
}

ChStatus ch_solve_job_grade(ChSolveJob* job) {
  ChStatus status = restore_smooth(job, &job->context);
  if (status != CH_OK || !job->smooth) return status;
  return ch_certify(&job->context, job->problem, job->options.pose, job->r, ch_solve_job_velocity(job), &job->circular);
}

static double* take_vector(int n) { return calloc(n > 0 ? (size_t)n : 1, sizeof(double)); }

ChStatus ch_solve_job_read(ChSolveJob* job) {
  double start = ch_clock_seconds();
  ChStatus status = ch_problem_read(&job->context, job->file, &job->problem);
  if (status != CH_OK) return status;
  ChProblem* problem = job->problem;
  const ChProblemView p = ch_problem_view(problem);
  job->cone = settle_cone(problem, job->cone_wanted);
  if (job->compliance > 0.0) status = ch_problem_set_compliance(&job->context, problem, job->compliance);
  if (status != CH_OK) return status;
  job->r = take_vector(p.rows);
  job->u = take_vector(p.rows);
  job->v = take_vector(p.dof);
  job->warm = take_vector(p.rows);
  if (!job->r || !job->u || !job->v || !job->warm)
    return ch_fail(&job->context, CH_ERR_MEMORY, "out of memory for a problem of %d rows", p.rows);
  if (job->warm_file) {
    status = ch_reaction_read(&job->context, job->warm_file, problem, job->warm);
    job->options.warm = job->warm;
  }
  job->seconds_read = ch_clock_seconds() - start;
  return status;
}

// A failure of anything else is one of the words, the file or the machine.
static bool has_answer(ChStatus status) {
  return status == CH_OK || status == CH_MAX_ITER || status == CH_MAX_TIME || status == CH_STATIONARY ||
         status == CH_STOPPED || status == CH_ERR_NUMERIC;
}

static void clear(double* vector, int n) {
  if (n > 0) memset(vector, 0, (size_t)n * sizeof *vector);
}

ChStatus ch_solve_job_solve(ChSolveJob* job, const ChStaggeredWatch* told) {
  const ChProblemView p = ch_problem_view(job->problem);
  clear(job->r, p.rows);
  clear(job->u, p.rows);
  clear(job->v, p.dof);
  job->info = (ChSolveInfo){0};
  job->status = settle_polygon(job);
  if (job->status == CH_OK)
    job->status = ch_solve_staggered(&job->context, job->problem, &job->options, told, ch_solve_job_velocity(job),
                                     job->u, job->r, &job->info);
  if (has_answer(job->status)) return CH_OK;
  restore_smooth(job, NULL);
  return job->status;
}

void ch_solve_job_reset(ChSolveJob* job) {
  ch_problem_destroy(job->problem);
  double** const vectors[] = {&job->r, &job->u, &job->v, &job->warm};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k) {
    free(*vectors[k]);
    *vectors[k] = NULL;
  }
  free(job->smooth);
  job->smooth = NULL;
  job->problem = NULL;
  job->options.warm = NULL;
}

const char* ch_solve_status_word(ChStatus status) {
  switch (status) {
    case CH_OK:
      return "solved";
    case CH_MAX_ITER:
      return "iteration_limit";
    case CH_MAX_TIME:
      return "time_limit";
    case CH_STOPPED:
      return "interrupted";
    case CH_STATIONARY:
      return "stationary";
    case CH_ERR_NUMERIC:
      return "failed";
    default:
      return "refused";
  }
}

json_t* ch_solve_job_json(const ChSolveJob* job) {
  const ChSolveInfo* info = &job->info;
  json_t* object = json_object();
  json_object_set_new(object, "problem", ch_json_problem(job->file, job->problem));
  json_object_set_new(object, "method", json_string(job->options.method));
  json_object_set_new(object, "inner", json_string(info->inner_name[0] ? info->inner_name : "-"));
  json_object_set_new(object, "cone", json_string(job->cone));
  json_object_set_new(object, "pose", json_string(ch_pose_words[job->options.pose]));
  json_object_set_new(object, "tolerance", ch_json_real(job->options.tolerance));
  json_object_set_new(object, "status", json_string(ch_solve_status_word(job->status)));
  json_object_set_new(object, "iterations",
                      json_pack("{s:I, s:I}", "outer", (json_int_t)info->outer, "inner", (json_int_t)info->inner));
  json_object_set_new(object, "seconds",
                      json_pack("{s:o, s:o, s:o}", "read", ch_json_real(job->seconds_read), "setup",
                                ch_json_real(info->seconds_setup), "solve", ch_json_real(info->seconds_solve)));
  json_object_set_new(object, "certificate", ch_json_certificate(&info->certificate, job->problem));
  if (job->smooth) json_object_set_new(object, "circular", ch_json_certificate(&job->circular, NULL));
  ChTakeOff take_off = ch_take_off(job->problem, job->r, job->u);
  json_object_set_new(object, "take_off",
                      json_pack("{s:o, s:o, s:i}", "mean", ch_json_real(take_off.mean), "max",
                                ch_json_real(take_off.largest), "contacts", take_off.contacts));
  json_object_set_new(object, "components", json_integer(info->components));
  json_object_set_new(object, "stages", json_string(info->stage));
  if (info->note[0]) json_object_set_new(object, "note", json_string(info->note));
  json_object_set_new(object, "factorizations", json_integer(info->factorizations));
  json_object_set_new(object, "work", ch_json_real(info->work));
  json_object_set_new(object, "threads", json_integer(job->options.threads));
  return object;
}
