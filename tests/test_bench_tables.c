// Facts about the benchmarks' tables: an answer that missed its tolerance has no part in a ratio or a mean.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engines_table.h"
#include "results.h"
#include "support/near.h"

enum { TEXT = 1 << 14 };

static char text[TEXT];

// What the printing of a table leaves in `text`.
static FILE* open_text(void) {
  FILE* out = fmemopen(text, sizeof text, "w");
  assert_non_null(out);
  return out;
}

static void line_of(const char* beginning, char line[512]) {
  const char* at = strstr(text, beginning);
  if (!at) fail_msg("'%s' is not in\n%s", beginning, text);
  snprintf(line, 512, "%.*s", (int)strcspn(at, "\n"), at);
}

static void check_line(const char* beginning, const char* has) {
  char line[512];
  line_of(beginning, line);
  if (!strstr(line, has)) fail_msg("'%s' is not in '%s'", has, line);
}

// --- engines ---------------------------------------------------------------------------------------------------------

static const ChEngineRow OURS = {.name = "Ours"}, RESTING = {.name = "Resting"}, PEER = {.name = "Peer"};

// Ours takes 100 us a step, ours at rest 10, the other engine 300. `later`: steps that ours missed in a second case,
// which is not timed; none where it is negative.
static void table_with(ChTrialResult ours, ChTrialResult resting, ChTrialResult peer, ChTrialKind kind, long later) {
  static ChTrialCase what[2];
  ChTrialResult results[] = {ours, resting, peer, ours, resting, peer};
  const double us[] = {100.0, 10.0, 300.0};
  what[0] = (ChTrialCase){.scene = "S1", .name = "moved", .kind = kind, .until = 1.0, .h = 0.01, .tolerance = 1e-8};
  what[1] = what[0];
  for (int k = 0; k < 6; ++k) results[k].late_us = us[k % 3], results[k].steps = 100;
  results[3].report.missed = later;
  ChEngineResults all = {.case_count = later < 0 ? 1 : 2, .row_count = 3, .cases = what};
  all.rows[0] = &OURS, all.rows[1] = &RESTING, all.rows[2] = &PEER;
  all.results = results;
  FILE* out = open_text();
  ch_engine_table(&all, 0, out);
  fclose(out);
}

static void table_of(ChTrialResult ours, ChTrialResult resting, ChTrialResult peer, ChTrialKind kind) {
  table_with(ours, resting, peer, kind, -1);
}

static ChTrialResult graded(long missed) {
  return (ChTrialResult){.ending = CH_TRIAL_DONE, .report = {.graded = true, .certificate = 1e-9, .missed = missed}};
}

static ChTrialResult ungraded(ChTrialEnding ending) {
  return (ChTrialResult){.ending = ending, .report = {.certificate = NAN}};
}

static void ratios_are_given_where_every_step_holds(void** state) {
  (void)state;
  table_of(graded(0), graded(0), ungraded(CH_TRIAL_DONE), CH_TRIAL_REST);
  check_line("| Ours", "|     100 |     1 |     1.0e-09 |      0 |");
  check_line("| Resting", "|      10 |   0.1 |     1.0e-09 |      0 |");
  check_line("| Peer", "|     300 |     3 |           - |      - |");
}

static void a_missed_step_of_ours_takes_every_ratio_away(void** state) {
  (void)state;
  table_of(graded(1), graded(0), ungraded(CH_TRIAL_DONE), CH_TRIAL_REST);
  check_line("| Ours", "|     100 |     - |     1.0e-09 |      1 |");
  check_line("| Resting", "|      10 |     - |");
  check_line("| Peer", "|     300 |     - |");
}

static void a_miss_in_a_case_that_is_not_timed_counts_as_well(void** state) {
  (void)state;
  table_with(graded(0), graded(0), ungraded(CH_TRIAL_DONE), CH_TRIAL_REST, 0);
  check_line("| Peer", "|     300 |     3 |");
  table_with(graded(0), graded(0), ungraded(CH_TRIAL_DONE), CH_TRIAL_REST, 3);
  check_line("| Ours", "|     100 |     - |     1.0e-09 |      3 |");
  check_line("| Peer", "|     300 |     - |");
}

static void a_row_that_missed_or_fell_has_no_ratio(void** state) {
  (void)state;
  table_of(graded(0), graded(2), ungraded(CH_TRIAL_FELL), CH_TRIAL_REST);
  check_line("| Ours", "|     100 |     1 |");
  check_line("| Resting", "|      10 |     - |     1.0e-09 |      2 |");
  check_line("| Peer", "|     300 |     - |");
}

// The mean of all steps, and what the second half takes beside it; every miss counts.
static void spheres_are_timed_from_the_first_step(void** state) {
  (void)state;
  ChTrialResult falls = graded(0), jams = graded(7), peer = ungraded(CH_TRIAL_DONE);
  falls.cpu_us = 250.0, jams.cpu_us = 40.0, peer.cpu_us = 125.0;
  table_of(falls, jams, peer, CH_TRIAL_SETTLE);
  check_line("| Ours", "100 us");
  check_line("| Ours", "|     250 |     1 |     1.0e-09 |      0 |");
  check_line("| Resting", "|      40 |     - |     1.0e-09 |      7 |");
  check_line("| Peer", "|     125 |   0.5 |");
}

static void a_certificate_that_is_no_number_shows(void** state) {
  (void)state;
  ChTrialResult broken = graded(0);
  broken.report.certificate = NAN;
  table_of(broken, graded(0), ungraded(CH_TRIAL_DONE), CH_TRIAL_REST);
  check_line("| Ours", "|     100 |     - |         nan |");
  check_line("| Peer", "|     300 |     - |");
}

// --- solvers ---------------------------------------------------------------------------------------------------------

// Two problems: auto solves the second one only where `both`; the peer solves both in twice the time.
static void summary_of(bool both) {
  static ChBenchProblem problems[] = {{.name = "one", .contacts = 50}, {.name = "two", .contacts = 50}};
  ChCell cells[4] = {{.outcome = CH_OUTCOME_SOLVED, .seconds = 1.0},
                     {.outcome = CH_OUTCOME_SOLVED, .seconds = 2.0},
                     {.outcome = both ? CH_OUTCOME_SOLVED : CH_OUTCOME_MISSED, .seconds = 0.001},
                     {.outcome = CH_OUTCOME_SOLVED, .seconds = 0.002}};
  ChResults results = {
      .problem_count = 2, .solver_count = 2, .tolerance_count = 1, .problems = problems, .cells = cells};
  results.solvers[0] = (ChBenchSolver){.name = "auto", .ours = true};
  results.solvers[1] = (ChBenchSolver){.name = "PROX"};
  results.tolerances[0] = 1e-8;
  results.cap = 10.0;
  FILE* out = open_text();
  ch_results_table(&results, 0, out);
  ch_results_summary(&results, 0, out);
  fclose(out);
}

static void means_are_over_problems_that_both_solve(void** state) {
  (void)state;
  summary_of(true);
  check_line("- auto is faster", "2 of 2 problems (100 %); geometric mean of fastest peer / auto: 2.00");
  check_line("- PROX", "2.00 over the 2 problems that both solve; auto alone solves 0, it alone 0, of 2");
  summary_of(false);
  check_line("- auto is faster", "1 of 2 problems (50 %); geometric mean of fastest peer / auto: 2.00");
  check_line("- PROX", "2.00 over the 1 problems that both solve; auto alone solves 0, it alone 1, of 2");
  check_line("| two", "|    missed | PROX         |     0.002 |       - |");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ratios_are_given_where_every_step_holds),
      cmocka_unit_test(a_missed_step_of_ours_takes_every_ratio_away),
      cmocka_unit_test(a_miss_in_a_case_that_is_not_timed_counts_as_well),
      cmocka_unit_test(a_row_that_missed_or_fell_has_no_ratio),
      cmocka_unit_test(spheres_are_timed_from_the_first_step),
      cmocka_unit_test(a_certificate_that_is_no_number_shows),
      cmocka_unit_test(means_are_over_problems_that_both_solve),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
