// Trials: see trial.h. An isolated trial runs in a forked child that writes its answer into shared memory.
#include "support/trial.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/check.h"
#include "cardhouse/clock.h"
#include "problem/compliance.h"
#include "problem/contact_problem.h"

static void* must(void* pointer) {
  if (!pointer) abort();
  return pointer;
}

const char* ch_verdict_word(ChVerdict verdict) {
  static const char* const words[] = {"solved", "missed", "-", "LIE", "CRASH", "HANG"};
  return words[verdict];
}

// --- running ---------------------------------------------------------------------------------------------------------

// What a child hands back; r, u and v follow it in memory.
typedef struct Answer {
  ChStatus status;
  double seconds;
  char message[CH_MESSAGE_SIZE];
} Answer;

static size_t answer_size(const ChProblem* p) {
  return sizeof(Answer) + (2 * (size_t)p->rows + (size_t)p->dof) * sizeof(double);
}

static double* answer_values(Answer* answer) { return (double*)(answer + 1); }

static void solve_into(const ChProblem* p, const ChTrialDef* def, Answer* answer) {
  ChContext context = {0};
  ChSolveOptions options = ch_solve_options_default();
  options.method = def->method;
  options.inner = def->inner;
  options.pose = def->pose;
  options.tolerance = def->tolerance;
  options.time_limit = def->time_limit;
  double *r = answer_values(answer), *u = r + p->rows, *v = u + p->rows;
  ChSolveInfo info;
  answer->status = ch_solve(&context, p, &options, v, u, r, &info);
  answer->seconds = info.seconds_setup + info.seconds_solve;
  snprintf(answer->message, sizeof answer->message, "%s", context.message);
}

// Waits for the child; kills it when it is far beyond the limit that it was given.
static ChVerdict await(pid_t child, double patience) {
  const double end = ch_clock_seconds() + patience;
  for (;;) {
    int status;
    const pid_t done = waitpid(child, &status, WNOHANG);
    if (done == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? CH_VERDICT_SOLVED : CH_VERDICT_CRASH;
    if (ch_clock_seconds() > end) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return CH_VERDICT_HANG;
    }
    nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
  }
}

static ChVerdict run_isolated(const ChProblem* p, const ChTrialDef* def, Answer* answer) {
  fflush(NULL);
  const pid_t child = fork();
  if (child < 0) abort();
  if (child == 0) {
    solve_into(p, def, answer);
    _exit(0);
  }
  return await(child, 10.0 + 5.0 * def->time_limit);  // a busy machine is not a hang
}

// The returned u must be the one that follows from the returned r.
static bool velocities_belong(const ChProblem* p, const double* r, const double* u) {
  ChContext context = {0};
  double* own = must(calloc((size_t)p->rows + 1, sizeof *own));
  double* v = must(calloc((size_t)p->dof + 1, sizeof *v));
  double error = 0.0, size = 0.0;
  const ChStatus status = ch_problem_velocity(&context, p, r, v, own);
  for (int i = 0; i < p->rows; ++i) {
    error = ch_max(error, fabs(own[i] - u[i]));
    size = ch_max(size, fabs(own[i]) + fabs(p->w[i]));
  }
  free(own);
  free(v);
  return status == CH_OK && error <= 1e-9 * size;
}

static bool fell_short(ChStatus status) {
  return status == CH_MAX_ITER || status == CH_MAX_TIME || status == CH_STATIONARY || status == CH_ERR_NUMERIC;
}

static ChVerdict judge(const ChProblem* p, const ChTrialDef* def, ChTrial* trial, const double* v) {
  if (trial->status == CH_ERR_UNSUPPORTED) return CH_VERDICT_UNSUPPORTED;
  if (trial->status != CH_OK && !fell_short(trial->status)) return CH_VERDICT_CRASH;
  ChContext context = {0};
  const ChStatus status =
      ch_certify(&context, p, def->pose, trial->r, p->form == CH_FORM_GLOBAL ? v : NULL, &trial->certificate);
  if (status != CH_OK) snprintf(trial->message, sizeof trial->message, "%s", context.message);
  if (trial->status != CH_OK) return CH_VERDICT_MISSED;
  const bool met = status == CH_OK && ch_certificate_met(&trial->certificate, def->tolerance);
  return met && velocities_belong(p, trial->r, trial->u) ? CH_VERDICT_SOLVED : CH_VERDICT_LIE;
}

static ChTrial run_as_it_is(const ChProblem* p, const ChTrialDef* def) {
  Answer* answer = mmap(NULL, answer_size(p), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (answer == MAP_FAILED) abort();
  ChTrial trial = {.verdict = CH_VERDICT_SOLVED};
#define X(name, text) trial.certificate.name = NAN;
  CH_CERTIFICATE_FIELDS(X)
#undef X
  if (def->isolated)
    trial.verdict = run_isolated(p, def, answer);
  else
    solve_into(p, def, answer);
  if (trial.verdict == CH_VERDICT_SOLVED) {
    const size_t bytes = (size_t)p->rows * sizeof(double);
    const double* r = answer_values(answer);
    trial.r = memcpy(must(malloc(bytes + 1)), r, bytes);
    trial.u = memcpy(must(malloc(bytes + 1)), r + p->rows, bytes);
    trial.status = answer->status;
    trial.seconds = answer->seconds;
    memcpy(trial.message, answer->message, sizeof trial.message);
    trial.verdict = judge(p, def, &trial, r + 2 * (size_t)p->rows);
  }
  munmap(answer, answer_size(p));
  return trial;
}

ChTrial ch_trial_run(const ChProblem* p, const ChTrialDef* def) {
  if (def->sides == 0) return run_as_it_is(p, def);
  ChContext context = {0};
  ChProblem over = *p;  // the same matrices, blocks of its own
  const size_t bytes = (size_t)p->block_count * sizeof *p->blocks;
  over.blocks = memcpy(must(malloc(bytes + 1)), p->blocks, bytes);
  if (ch_problem_set_polygon(&context, &over, def->sides, false) != CH_OK) abort();
  const ChTrial trial = run_as_it_is(&over, def);
  free(over.blocks);
  return trial;
}

int ch_trial_sides(const ChProblem* p, const ChMethodInfo* method) {
  for (int i = 0; i < p->block_count && method->polygons; ++i)
    if (ch_law_info(p->blocks[i].law)->friction && p->blocks[i].dimension == 3 && p->blocks[i].sides == 0)
      return CH_TRIAL_SIDES;
  return 0;
}

void ch_trial_reset(ChTrial* trial) {
  free(trial->r);
  free(trial->u);
  *trial = (ChTrial){0};
}

// --- comparing -------------------------------------------------------------------------------------------------------

typedef struct Weights {
  double* rho;   // per row, by blocks; 0 where nothing moves
  double drive;  // |sqrt(rho) q|
} Weights;

static void weights_diagonal(const ChProblem* p, ChArena* arena, double* diagonal, double* q) {
  ChContext context = {0};
  double* zero = CH_TAKE(arena, p->rows, double);
  double* v = CH_TAKE(arena, p->dof, double);
  ChCompliance* mass;
  if (ch_problem_velocity(&context, p, zero, v, q) != CH_OK) abort();
  if (p->form == CH_FORM_GLOBAL) {
    if (ch_compliance_factor(&context, arena, &p->M, &mass) != CH_OK) abort();
    if (ch_compliance_diagonal(&context, mass, &p->H, diagonal) != CH_OK) abort();
    return;
  }
  for (int j = 0; j < p->rows; ++j)
    for (int k = p->W.start[j]; k < p->W.start[j + 1]; ++k)
      if (p->W.index[k] == j) diagonal[j] = p->W.value[k];
}

static Weights weigh(const ChProblem* p) {
  jmp_buf landing;
  if (setjmp(landing)) abort();
  ChArena* arena = must(ch_arena_create(&landing));
  Weights weights = {.rho = must(calloc((size_t)p->rows + 1, sizeof(double)))};
  double* diagonal = CH_TAKE(arena, p->rows, double);
  double* q = CH_TAKE(arena, p->rows, double);
  weights_diagonal(p, arena, diagonal, q);
  for (int i = 0; i < p->block_count; ++i) {
    const ChBlock* block = &p->blocks[i];
    double trace = 0.0;
    for (int k = 0; k < block->dimension; ++k) trace += diagonal[block->row + k];
    for (int k = 0; k < block->dimension; ++k) {
      const bool own = block->law == CH_LAW_BILATERAL;
      const double scale = own ? diagonal[block->row + k] : trace / block->dimension;
      weights.rho[block->row + k] = scale > 0.0 ? 1.0 / scale : 0.0;
    }
  }
  for (int i = 0; i < p->rows; ++i) weights.drive += weights.rho[i] * q[i] * q[i];
  weights.drive = sqrt(weights.drive);
  ch_arena_destroy(arena);
  return weights;
}

ChAgreement ch_trial_compare(const ChProblem* p, const ChTrial* a, const ChTrial* b) {
  Weights weights = weigh(p);
  double du = 0.0, dr = 0.0;
  for (int i = 0; i < p->rows; ++i) {
    if (weights.rho[i] == 0.0) continue;
    const double u = a->u[i] - b->u[i], r = a->r[i] - b->r[i];
    du += weights.rho[i] * u * u;
    dr += r * r / weights.rho[i];
  }
  du = sqrt(du), dr = sqrt(dr);
  // natural is e / max(e(0), ..) and e(0) is at most |sqrt(rho) q| times sqrt(1 + mu^2): this bounds e from above.
  double mu = 0.0;
  for (int i = 0; i < p->block_count; ++i) mu = fmax(mu, fmax(p->blocks[i].mu[0], p->blocks[i].mu[1]));
  const double e = (a->certificate.natural + b->certificate.natural) * (1.0 + mu) * weights.drive;
  const double scale = weights.drive > 0.0 ? weights.drive : 1.0;
  free(weights.rho);
  const double rounding = 1e-12;
  return (ChAgreement){du / scale, rounding + sqrt(p->rows * e * (dr + du)) / scale};
}

double ch_trial_motion(const ChProblem* p, const ChTrial* trial) {
  Weights weights = weigh(p);
  double sum = 0.0;
  for (int i = 0; i < p->rows; ++i) sum += weights.rho[i] * trial->u[i] * trial->u[i];
  free(weights.rho);
  return weights.drive > 0.0 ? sqrt(sum) / weights.drive : sqrt(sum);
}
