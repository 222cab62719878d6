// Every convex law over generated problems, solved by `auto`: solve_laws [PROBLEMS [TOLERANCE]], 200 and 1e-8 unless
// said. A table, and what was missed; exit status 1 where anything was.
#include <stdio.h>
#include <stdlib.h>

#include "cardhouse/clock.h"
#include "cardhouse/solve.h"
#include "support/generated.h"

typedef struct Tally {
  int problems, solved, least, most;  // contacts
  double worst, seconds, slowest;
} Tally;

static ChStatus solve_one(ChContext* context, int law, int index, double tolerance, ChRandom* random, Tally* tally) {
  ChProblem* problem;
  ChStatus status = ch_draw_problem(context, random, law, index, &problem);
  if (status != CH_OK) return status;
  const ChProblemView view = ch_problem_view(problem);
  const int contacts = ch_drawn_contacts(problem);
  double* x = calloc((size_t)(2 * view.rows + view.dof) + 1, sizeof *x);
  ChSolveOptions options = ch_solve_options_default();
  ChSolveInfo info;
  options.tolerance = tolerance;
  const double began = ch_clock_seconds();
  status = x ? ch_solve(context, problem, &options, x, x + view.dof, x + view.dof + view.rows, &info) : CH_ERR_MEMORY;
  const double seconds = ch_clock_seconds() - began;
  free(x);
  ch_problem_destroy(problem);
  if (status == CH_ERR_MEMORY) return status;
  const bool met = status == CH_OK && ch_certificate_met(&info.certificate, tolerance);
  if (!met)
    fprintf(stderr, "missed: %s, problem %d, natural %.2e\n", ch_drawn_law_at(law)->name, index,
            info.certificate.natural);
  if (tally->problems == 0 || contacts < tally->least) tally->least = contacts;
  if (contacts > tally->most) tally->most = contacts;
  if (seconds > tally->slowest) tally->slowest = seconds;
  if (met && info.certificate.natural > tally->worst) tally->worst = info.certificate.natural;
  tally->seconds += seconds;
  tally->solved += met;
  ++tally->problems;
  return CH_OK;
}

int main(int count, char** words) {
  const int problems = count > 1 ? atoi(words[1]) : 200;
  const double tolerance = count > 2 ? atof(words[2]) : 1e-8;
  int missed = 0;
  if (problems < 1 || !(tolerance > 0.0)) return fprintf(stderr, "usage: solve_laws [PROBLEMS [TOLERANCE]]\n"), 2;
  printf("`auto` at %g, %d generated problems a law.\n\n", tolerance, problems);
  printf("| law | contacts | solved | largest natural | seconds, all | slowest |\n|---|---|---|---|---|---|\n");
  for (int law = 0; law < ch_drawn_law_count(); ++law) {
    Tally tally = {0};
    ChContext context = {0};
    ChRandom random = ch_drawn_seed(law);
    for (int k = 0; k < problems; ++k)
      if (solve_one(&context, law, k, tolerance, &random, &tally) != CH_OK)
        return fprintf(stderr, "%s\n", context.message), 2;
    printf("| %s | %d to %d | %d of %d | %.1e | %.1f | %.2f |\n", ch_drawn_law_at(law)->name, tally.least, tally.most,
           tally.solved, tally.problems, tally.worst, tally.seconds, tally.slowest);
    fflush(stdout);
    missed += tally.problems - tally.solved;
  }
  return missed > 0;
}
