// Tables, summary and CSV of a run: see results.h.
#include "results.h"

#include <math.h>
#include <string.h>

ChCell* ch_results_cell(const ChResults* results, int problem, int solver, int tolerance) {
  return &results->cells[((size_t)problem * (size_t)results->solver_count + (size_t)solver) *
                             (size_t)results->tolerance_count +
                         (size_t)tolerance];
}

int ch_results_find(const ChResults* results, const char* name, bool ours) {
  for (int s = 0; s < results->solver_count; ++s)
    if (results->solvers[s].ours == ours && strcmp(results->solvers[s].name, name) == 0) return s;
  return -1;
}

double ch_results_seconds(const ChResults* results, int problem, int solver, int tolerance, bool charged) {
  const ChCell* cell = ch_results_cell(results, problem, solver, tolerance);
  if (cell->outcome != CH_OUTCOME_SOLVED) return INFINITY;
  bool pays = charged && results->solvers[solver].condensed;
  return cell->seconds + (pays ? results->problems[problem].condensing : 0.0);
}

int ch_results_best_peer(const ChResults* results, int problem, int tolerance, bool charged) {
  int best = -1;
  double least = INFINITY;
  for (int s = 0; s < results->solver_count; ++s) {
    double seconds = ch_results_seconds(results, problem, s, tolerance, charged);
    if (results->solvers[s].ours || !(seconds < least)) continue;
    best = s;
    least = seconds;
  }
  return best;
}

bool ch_results_counts(const ChResults* results, int problem) {
  return results->problems[problem].contacts >= results->min_contacts;
}

static const char* outcome_word(ChOutcome outcome) {
  switch (outcome) {
    case CH_OUTCOME_NOT_RUN:
      return "-";
    case CH_OUTCOME_SOLVED:
      return "solved";
    case CH_OUTCOME_MISSED:
      return "missed";
    case CH_OUTCOME_CAP:
      return "cap";
    case CH_OUTCOME_CRASH:
      return "crash";
  }
  return "?";
}

// Seconds when solved, otherwise the word for how it went.
static const char* cell_text(const ChCell* cell, char text[32]) {
  if (!cell || cell->outcome != CH_OUTCOME_SOLVED)
    snprintf(text, 32, "%s", cell ? outcome_word(cell->outcome) : "-");
  else
    snprintf(text, 32, "%.3g", cell->seconds);
  return text;
}

static const char* ratio_text(const ChCell* other, const ChCell* ours, char text[32]) {
  bool both = other && ours && other->outcome == CH_OUTCOME_SOLVED && ours->outcome == CH_OUTCOME_SOLVED;
  snprintf(text, 32, both ? "%.2f" : "-", both ? other->seconds / ours->seconds : 0.0);
  return text;
}

static const ChCell* cell_or_null(const ChResults* results, int problem, int solver, int tolerance) {
  return solver < 0 ? NULL : ch_results_cell(results, problem, solver, tolerance);
}

void ch_results_table(const ChResults* results, int tolerance, FILE* out) {
  int mine = ch_results_find(results, "auto", true), prox = ch_results_find(results, "PROX", false);
  fprintf(out, "\n### Seconds to %g (ratio = theirs / auto; more than 1: auto is faster)\n\n",
          results->tolerances[tolerance]);
  fprintf(out, "| %-42s | %8s | %9s | %-12s | %9s | %7s | %9s | %7s |\n", "problem", "contacts", "auto", "fastest peer",
          "seconds", "ratio", "PROX", "ratio");
  fprintf(out, "|%.44s|%.9s:|%.10s:|%.14s|%.10s:|%.8s:|%.10s:|%.8s:|\n", "--------------------------------------------",
          "----------", "----------", "---------------", "----------", "----------", "----------", "----------");
  for (int p = 0; p < results->problem_count; ++p) {
    int best = ch_results_best_peer(results, p, tolerance, false);
    const ChCell* ours = cell_or_null(results, p, mine, tolerance);
    const ChCell* peer = cell_or_null(results, p, best, tolerance);
    const ChCell* proximal = cell_or_null(results, p, prox, tolerance);
    char a[32], b[32], c[32], d[32], e[32];
    fprintf(out, "| %-42.42s | %8d | %9s | %-12s | %9s | %7s | %9s | %7s |\n", results->problems[p].name,
            results->problems[p].contacts, cell_text(ours, a), best < 0 ? "none" : results->solvers[best].name,
            cell_text(peer, b), ratio_text(peer, ours, c), cell_text(proximal, d), ratio_text(proximal, ours, e));
  }
}

// --- summary -------------------------------------------------------------------------------------------------------

// How often auto beats the fastest peer; a problem that no peer solves and auto does is a win.
static void summary_wins(const ChResults* results, int mine, int tolerance, bool charged, FILE* out) {
  int counted = 0, wins = 0, both = 0;
  double log_sum = 0.0;
  for (int p = 0; p < results->problem_count; ++p) {
    if (!ch_results_counts(results, p)) continue;
    int best = ch_results_best_peer(results, p, tolerance, charged);
    double ours = ch_results_seconds(results, p, mine, tolerance, charged);
    double theirs = best < 0 ? INFINITY : ch_results_seconds(results, p, best, tolerance, charged);
    ++counted;
    if (ours < theirs) ++wins;
    if (!isfinite(ours) || !isfinite(theirs)) continue;
    log_sum += log(theirs / ours);
    ++both;
  }
  fprintf(out, "- auto is faster than the fastest peer on %d of %d problems (%.0f %%)", wins, counted,
          counted ? 100.0 * wins / counted : 0.0);
  if (both) fprintf(out, "; geometric mean of fastest peer / auto: %.2f", exp(log_sum / both));
  fprintf(out, charged ? " (the Delassus matrix of a global problem charged)\n" : "\n");
}

// The faster of a peer's two storages; `dense` may be -1.
static const ChCell* faster_storage(const ChResults* results, int p, int sparse, int dense, int tolerance) {
  const ChCell* a = ch_results_cell(results, p, sparse, tolerance);
  const ChCell* b = cell_or_null(results, p, dense, tolerance);
  bool better = b && b->outcome == CH_OUTCOME_SOLVED && (a->outcome != CH_OUTCOME_SOLVED || b->seconds < a->seconds);
  return better ? b : a;
}

// Times are compared where both answers hold; how often only one does is told beside it.
static void summary_against(const ChResults* results, int mine, const char* label, int peer, int dense, int tolerance,
                            FILE* out) {
  if (peer < 0) return;
  double log_both = 0.0;
  int both = 0, run = 0, alone[2] = {0, 0};
  for (int p = 0; p < results->problem_count; ++p) {
    const ChCell* ours = ch_results_cell(results, p, mine, tolerance);
    const ChCell* theirs = faster_storage(results, p, peer, dense, tolerance);
    if (!ch_results_counts(results, p) || theirs->outcome == CH_OUTCOME_NOT_RUN) continue;
    const bool mine_holds = ours->outcome == CH_OUTCOME_SOLVED, theirs_holds = theirs->outcome == CH_OUTCOME_SOLVED;
    ++run;
    alone[0] += mine_holds && !theirs_holds;
    alone[1] += theirs_holds && !mine_holds;
    if (!mine_holds || !theirs_holds) continue;
    log_both += log(theirs->seconds / ours->seconds);
    ++both;
  }
  if (!run) return;
  fprintf(out, "- %s: ", label);
  if (both)
    fprintf(out, "geometric mean of its time / auto's %.2f over the %d problems that both solve; ",
            exp(log_both / both), both);
  fprintf(out, "auto alone solves %d, it alone %d, of %d\n", alone[0], alone[1], run);
}

static void summary_solved(const ChResults* results, int tolerance, FILE* out) {
  fprintf(out, "- solved (of the problems that the solver takes):");
  for (int s = 0; s < results->solver_count; ++s) {
    int solved = 0, run = 0;
    for (int p = 0; p < results->problem_count; ++p) {
      const ChCell* cell = ch_results_cell(results, p, s, tolerance);
      if (cell->outcome == CH_OUTCOME_NOT_RUN) continue;
      ++run;
      if (cell->outcome == CH_OUTCOME_SOLVED) ++solved;
    }
    if (run) fprintf(out, "%s %s %d/%d", s ? "," : "", results->solvers[s].name, solved, run);
  }
  fprintf(out, "\n");
}

void ch_results_summary(const ChResults* results, int tolerance, FILE* out) {
  int mine = ch_results_find(results, "auto", true);
  fprintf(out, "\n#### Summary at %g (speed: problems with %d contacts or more)\n\n", results->tolerances[tolerance],
          results->min_contacts);
  if (mine >= 0) {
    summary_wins(results, mine, tolerance, false, out);
    summary_wins(results, mine, tolerance, true, out);
    int prox = ch_results_find(results, "PROX", false), dense = ch_results_find(results, "PROX_DENSE", false);
    summary_against(results, mine, "PROX", prox, -1, tolerance, out);
    if (dense >= 0) summary_against(results, mine, "PROX in its faster storage", prox, dense, tolerance, out);
  }
  summary_solved(results, tolerance, out);
}

// --- CSV -----------------------------------------------------------------------------------------------------------

static void csv_row(const ChResults* results, int p, int s, int t, FILE* out) {
  const ChBenchProblem* problem = &results->problems[p];
  const ChCell* cell = ch_results_cell(results, p, s, t);
  if (cell->outcome == CH_OUTCOME_NOT_RUN) return;
  fprintf(out, "%s,%s,%d,%d,%d,%d,%.3g,%s,%s,%g,%g,%s,%.6g,%d,%d", problem->name,
          problem->form == CH_FORM_LOCAL ? "local" : "global", problem->dimension, problem->contacts, problem->rows,
          problem->dof, problem->condensing, results->solvers[s].ours ? "cardhouse" : "siconos",
          results->solvers[s].name, results->tolerances[t], cell->asked, outcome_word(cell->outcome), cell->seconds,
          cell->calls, cell->info);
  bool answered = cell->outcome == CH_OUTCOME_SOLVED || cell->outcome == CH_OUTCOME_MISSED;
#define X(name, text) answered ? fprintf(out, ",%.3e", cell->certificate.name) : fprintf(out, ",");
  CH_CERTIFICATE_FIELDS(X)
#undef X
  fprintf(out, "\n");
}

bool ch_results_csv(const ChResults* results, const char* path) {
  FILE* out = fopen(path, "w");
  if (!out) return false;
  fprintf(
      out,
      "problem,form,dimension,contacts,rows,dof,condensing,library,solver,tolerance,asked,outcome,seconds,calls,info");
#define X(name, text) fprintf(out, "," #name);
  CH_CERTIFICATE_FIELDS(X)
#undef X
  fprintf(out, "\n");
  for (int p = 0; p < results->problem_count; ++p)
    for (int s = 0; s < results->solver_count; ++s)
      for (int t = 0; t < results->tolerance_count; ++t) csv_row(results, p, s, t, out);
  return fclose(out) == 0;
}
