// Every convex law over generated problems, solved by `auto`: a table, and what was missed; exit status 1 where
// anything was. Limits count work, so that what is solved does not depend on how busy the machine is.
//
//   solve_laws [--problems 200] [--tol 1e-8] [--work 2e10] [--law NAME] [--only INDEX] [--method auto] [--write FOLDER]
//
// `--write` writes the problems that were missed, and those that `--only` names.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/clock.h"
#include "cardhouse/files.h"
#include "cardhouse/solve.h"
#include "support/generated.h"

typedef struct Asked {
  int problems, only;
  double tolerance, work;
  const char *law, *method, *folder;
} Asked;

typedef struct Tally {
  int problems, solved, least, most;  // contacts
  double worst, work, dearest, seconds;
} Tally;

static ChStatus write_problem(ChContext* context, const Asked* asked, int law, int index, const ChProblem* problem) {
  char path[1024], name[64];
  size_t k = 0;
  for (const char* c = ch_drawn_law_at(law)->name; *c && k + 1 < sizeof name; ++c) name[k++] = *c == ' ' ? '_' : *c;
  name[k] = '\0';
  snprintf(path, sizeof path, "%s/%s-%d.hdf5", asked->folder, name, index);
  return ch_problem_write(context, path, problem);
}

static ChStatus solve_one(ChContext* context, const Asked* asked, int law, int index, ChProblem* problem,
                          Tally* tally) {
  const ChProblemView view = ch_problem_view(problem);
  const int contacts = ch_drawn_contacts(problem);
  double* x = calloc((size_t)(2 * view.rows + view.dof) + 1, sizeof *x);
  ChSolveOptions options = ch_solve_options_default();
  ChSolveInfo info;
  options.tolerance = asked->tolerance;
  options.method = asked->method;
  options.work_limit = asked->work;
  options.time_limit = INFINITY;
  const double began = ch_clock_seconds();
  ChStatus status =
      x ? ch_solve(context, problem, &options, x, x + view.dof, x + view.dof + view.rows, &info) : CH_ERR_MEMORY;
  tally->seconds += ch_clock_seconds() - began;
  free(x);
  if (status == CH_ERR_MEMORY) return status;
  const bool met = status == CH_OK && ch_certificate_met(&info.certificate, asked->tolerance);
  if (!met || asked->only >= 0) {
    fprintf(stderr, "%s: %s, problem %d, %d contacts, natural %.2e, work %.2e, %s\n", met ? "solved" : "missed",
            ch_drawn_law_at(law)->name, index, contacts, info.certificate.natural, info.work, info.stage);
    if (asked->folder && (status = write_problem(context, asked, law, index, problem)) != CH_OK) return status;
  }
  if (tally->problems == 0 || contacts < tally->least) tally->least = contacts;
  if (contacts > tally->most) tally->most = contacts;
  if (met && info.certificate.natural > tally->worst) tally->worst = info.certificate.natural;
  if (met && info.work > tally->dearest) tally->dearest = info.work;
  tally->work += info.work;
  tally->solved += met;
  ++tally->problems;
  return CH_OK;
}

static ChStatus solve_law(ChContext* context, const Asked* asked, int law, Tally* tally) {
  ChRandom random = ch_drawn_seed(law);
  ChStatus status = CH_OK;
  for (int k = 0; k < asked->problems && status == CH_OK; ++k) {
    ChProblem* problem;
    status = ch_draw_problem(context, &random, law, k, &problem);
    if (status != CH_OK) return status;
    if (asked->only < 0 || asked->only == k) status = solve_one(context, asked, law, k, problem, tally);
    ch_problem_destroy(problem);
  }
  return status;
}

static bool read_words(int count, char** words, Asked* asked) {
  for (int k = 1; k < count; k += 2) {
    const char *word = words[k], *value = k + 1 < count ? words[k + 1] : "";
    if (strcmp(word, "--problems") == 0)
      asked->problems = atoi(value);
    else if (strcmp(word, "--only") == 0)
      asked->only = atoi(value);
    else if (strcmp(word, "--tol") == 0)
      asked->tolerance = atof(value);
    else if (strcmp(word, "--work") == 0)
      asked->work = atof(value);
    else if (strcmp(word, "--law") == 0)
      asked->law = value;
    else if (strcmp(word, "--method") == 0)
      asked->method = value;
    else if (strcmp(word, "--write") == 0)
      asked->folder = value;
    else
      return false;
  }
  return asked->problems > 0 && asked->tolerance > 0.0 && asked->work > 0.0;
}

int main(int count, char** words) {
  Asked asked = {.problems = 200, .only = -1, .tolerance = 1e-8, .work = 2e10, .method = "auto"};
  int missed = 0;
  if (!read_words(count, words, &asked))
    return fprintf(stderr,
                   "usage: solve_laws [--problems N] [--tol T] [--work W] [--law NAME] [--only INDEX] "
                   "[--method NAME] [--write FOLDER]\n"),
           2;
  printf("`%s` at %g, %d generated problems a law, up to %g of work each.\n\n", asked.method, asked.tolerance,
         asked.problems, asked.work);
  printf(
      "| law | contacts | solved | largest natural | work, all | dearest | seconds |\n|---|---|---|---|---|---|---|\n");
  for (int law = 0; law < ch_drawn_law_count(); ++law) {
    Tally tally = {0};
    ChContext context = {0};
    if (asked.law && strcmp(asked.law, ch_drawn_law_at(law)->name) != 0) continue;
    if (solve_law(&context, &asked, law, &tally) != CH_OK) return fprintf(stderr, "%s\n", context.message), 2;
    printf("| %s | %d to %d | %d of %d | %.1e | %.1e | %.1e | %.1f |\n", ch_drawn_law_at(law)->name, tally.least,
           tally.most, tally.solved, tally.problems, tally.worst, tally.work, tally.dearest, tally.seconds);
    fflush(stdout);
    missed += tally.problems - tally.solved;
  }
  return missed > 0;
}
