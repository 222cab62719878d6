// See grasp_table.h.
#include "cli/grasp_table.h"

#include <jansson.h>
#include <stdio.h>

#include "cli/output.h"

static const char* const forms[CH_GRASP_FORMS] = {"sliding", "rolling, Coulomb", "rolling, pyramid"};
static const int authors_solved[CH_GRASP_FORMS] = {200, 183, 194};

static double percent(int part, int whole) { return whole ? 100.0 * part / whole : 0.0; }

static void print_work(const ChGraspStudy* table) {
  printf("%-18s %8s %9s %8s   %6s %6s %7s %7s %10s %10s\n", "form", "solved", "at first", "authors", "ItBox", "FE",
         "ItQua", "MVP", "mean s", "largest s");
  for (int f = 0; f < CH_GRASP_FORMS; ++f) {
    const ChGraspColumn* c = &table->column[f];
    double n = c->solved ? c->solved : 1;
    printf("%-18s %4d/%-4d%8d %8d   %6.1f %6.1f %7.1f %7.1f %10.2e %10.2e\n", forms[f], c->solved, table->seeds,
           c->first, authors_solved[f], c->it_box / n, c->fe / n, c->it_qua / n, c->mvp / n, c->seconds / n,
           c->slowest);
  }
}

static void print_quality(const ChGraspStudy* table) {
  static const char* const authors[2][CH_GRASP_CONTACTS] = {{"122/183 (67 %)", "128/183 (70 %)"},
                                                            {"97/194 (50 %)", "153/194 (79 %)"}};
  static const char* const outside[CH_GRASP_CONTACTS] = {"106/200 (53 %)", "53/200 (27 %)"};
  printf("\n%-18s %-8s %-18s %-16s %-18s %-16s %s\n", "rolling form", "contact", "opposed, all", "authors",
         "opposed, sliding", "outside cone", "authors");
  for (int f = CH_GRASP_COULOMB; f < CH_GRASP_FORMS; ++f)
    for (int i = 0; i < CH_GRASP_CONTACTS; ++i) {
      const ChGraspColumn* c = &table->column[f];
      printf("%-18s %-8d %4d/%-4d(%3.0f %%)   %-16s %4d/%-4d(%3.0f %%)   %4d/%-4d(%3.0f %%) %s\n", forms[f] + 9, i + 1,
             c->opposed[i], c->solved, percent(c->opposed[i], c->solved), authors[f - 1][i], c->opposed_sliding[i],
             c->slides[i], percent(c->opposed_sliding[i], c->slides[i]), c->outside[i], c->solved,
             percent(c->outside[i], c->solved), f == CH_GRASP_PYRAMID ? outside[i] : "-");
    }
  printf("\nsame transition (rolls, slides, breaks) in both forms, of %d solved in both:\n", table->both);
  printf("  contact 1 %.0f %% (authors 98), contact 2 %.0f %% (authors 96)\n", percent(table->agree[0], table->both),
         percent(table->agree[1], table->both));
}

static void print_histogram(const ChGraspStudy* table) {
  printf("\nfloor(-log10 objective)");
  for (int k = 0; k < CH_GRASP_CLASSES; ++k) printf(" %4d%s", k, k == CH_GRASP_CLASSES - 1 ? "+" : "");
  for (int f = 0; f < CH_GRASP_FORMS; ++f) {
    printf("\n%-23s", forms[f]);
    for (int k = 0; k < CH_GRASP_CLASSES; ++k) printf(" %4d", table->column[f].histogram[k]);
  }
  printf("\n");
}

static json_t* column_json(const ChGraspColumn* c) {
  double n = c->solved ? c->solved : 1;
  return json_pack("{s:i, s:i, s:f, s:f, s:f, s:f, s:[ii], s:[ii], s:[ii], s:[ii]}", "solved", c->solved,
                   "solved_at_first", c->first, "ItBox", c->it_box / n, "FE", c->fe / n, "ItQua", c->it_qua / n, "MVP",
                   c->mvp / n, "slides", c->slides[0], c->slides[1], "opposed", c->opposed[0], c->opposed[1],
                   "opposed_sliding", c->opposed_sliding[0], c->opposed_sliding[1], "outside_cone", c->outside[0],
                   c->outside[1]);
}

ChExit ch_grasp_table(const ChCommand* command, const ChMcpOptions* options, int seeds, bool json) {
  ChGraspStudy table = {0};
  ChContext context = {0};
  for (int seed = 1; seed <= seeds; ++seed) {
    ChStatus status = ch_grasp_study_add(&context, seed, options, &table);
    if (status != CH_OK) return ch_failure_exit(command, &context, status);
  }
  if (json)
    return ch_json_print(command, json_pack("{s:i, s:o, s:o, s:o, s:i, s:[ii]}", "seeds", seeds, "sliding",
                                            column_json(&table.column[CH_GRASP_SLIDING]), "coulomb",
                                            column_json(&table.column[CH_GRASP_COULOMB]), "pyramid",
                                            column_json(&table.column[CH_GRASP_PYRAMID]), "solved_in_both", table.both,
                                            "same_transition", table.agree[0], table.agree[1]));
  print_work(&table);
  print_quality(&table);
  print_histogram(&table);
  return CH_EXIT_DONE;
}
