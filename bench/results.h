// What a run of the benchmark found: one cell a problem, solver and tolerance; tables, a summary and a CSV file of it.
#ifndef CH_BENCH_RESULTS_H
#define CH_BENCH_RESULTS_H

#include <stdbool.h>
#include <stdio.h>

#include "cardhouse/certificate.h"

typedef enum ChOutcome {
  CH_OUTCOME_NOT_RUN,  // the solver does not take this problem
  CH_OUTCOME_SOLVED,   // our certificate meets the tolerance
  CH_OUTCOME_MISSED,   // an answer, but not good enough
  CH_OUTCOME_CAP,      // ran out of time, here or already at a looser tolerance
  CH_OUTCOME_CRASH     // no answer: crashed or left the program
} ChOutcome;

typedef struct ChCell {
  ChOutcome outcome;
  double seconds;
  double asked;  // the tolerance that the solver was asked for in the call that counts
  int info, calls;
  ChCertificate certificate;
} ChCell;

typedef struct ChBenchProblem {
  char name[128];
  ChForm form;
  int dimension, contacts, rows, dof;
  double condensing;  // seconds that the Delassus matrix took, 0 for the local form: a gift to the peers that want it
} ChBenchProblem;

typedef struct ChBenchSolver {
  const char* name;
  bool ours;
  bool condensed;  // works on the Delassus form, which it is given
} ChBenchSolver;

enum { CH_TOLERANCES_MOST = 8, CH_SOLVERS_MOST = 64 };

typedef struct ChResults {
  int problem_count, solver_count, tolerance_count;
  ChBenchProblem* problems;
  ChBenchSolver solvers[CH_SOLVERS_MOST];
  double tolerances[CH_TOLERANCES_MOST];
  ChCell* cells;
  double cap;        // seconds a call
  int min_contacts;  // a problem with fewer is shown but not counted
} ChResults;

ChCell* ch_results_cell(const ChResults* results, int problem, int solver, int tolerance);

// The first solver of that name, -1 when it was not run.
int ch_results_find(const ChResults* results, const char* name, bool ours);

// Seconds of a solved cell, infinite for any other. With `charged` a peer pays for the Delassus matrix it was given.
double ch_results_seconds(const ChResults* results, int problem, int solver, int tolerance, bool charged);

// The peer that solved the problem fastest, -1 when none did.
int ch_results_best_peer(const ChResults* results, int problem, int tolerance, bool charged);

bool ch_results_counts(const ChResults* results, int problem);

void ch_results_table(const ChResults* results, int tolerance, FILE* out);
void ch_results_summary(const ChResults* results, int tolerance, FILE* out);
bool ch_results_csv(const ChResults* results, const char* path);

// Draws one performance profile as SVG: for each solver the share of problems that it solves within tau times the
// fastest solver's time (Dolan and More 2002).
bool ch_profile_svg(const ChResults* results, int tolerance, const char* path);

#endif
