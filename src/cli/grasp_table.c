// See grasp_table.h.
#include "cli/grasp_table.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "cli/output.h"
#include "mcp/grasp.h"
#include "mcp/models.h"

enum { SLIDING, COULOMB, PYRAMID, FORMS, CLASSES = 14 };
static const char* const forms[FORMS] = {"sliding", "rolling, Coulomb", "rolling, pyramid"};
static const char* const models[FORMS] = {"grasp-sliding", "grasp-coulomb", "grasp-pyramid"};
static const int authors_solved[FORMS] = {200, 183, 194};

typedef struct Column {
  int solved, first;  // within the restarts, from the first start alone
  double it_box, fe, it_qua, mvp, seconds, slowest;
  int histogram[CLASSES];  // of floor(-log10 objective), the last class holds all smaller ones
  int slides[CH_GRASP_CONTACTS], opposed[CH_GRASP_CONTACTS], opposed_sliding[CH_GRASP_CONTACTS],
      outside[CH_GRASP_CONTACTS];
} Column;

typedef struct Table {
  Column column[FORMS];
  int both, agree[CH_GRASP_CONTACTS];  // tests solved in both rolling forms; same transition
} Table;

static void count_work(Column* column, const ChMcpInfo* info) {
  column->it_box += (double)info->box.it_box;
  column->fe += (double)info->box.fe;
  column->it_qua += (double)info->box.it_qua;
  column->mvp += (double)info->box.mvp;
  column->seconds += info->seconds;
  column->slowest = fmax(column->slowest, info->seconds);
  double digits = info->box.value > 0.0 ? floor(-log10(info->box.value)) : CLASSES;
  column->histogram[digits < 0.0 ? 0 : digits < CLASSES - 1 ? (int)digits : CLASSES - 1] += 1;
}

static void count_quality(Column* column, const ChGraspContact* contacts) {
  for (int i = 0; i < CH_GRASP_CONTACTS; ++i) {
    bool slides = contacts[i].transition == CH_SLIDES;
    column->slides[i] += slides;
    column->opposed[i] += contacts[i].opposed;
    column->opposed_sliding[i] += slides && contacts[i].opposed;
    column->outside[i] += contacts[i].outside;
  }
}

static ChStatus solve_form(ChArena* arena, int form, int seed, const ChMcpOptions* options, Column* column, double* x) {
  char words[64];
  ChContext context = {0};
  ChMcp mcp;
  ChMcpInfo info;
  snprintf(words, sizeof words, "%s:seed=%d", models[form], seed);
  ChStatus status = ch_mcp_model_build(&context, arena, words, &mcp);
  if (status == CH_OK) status = ch_mcp_boxmin(arena, &mcp, options, x, &info);
  if (status != CH_OK) return status;
  ++column->solved;
  column->first += info.runs == 1;
  count_work(column, &info);
  return status;
}

static void run_seed(ChArena* arena, int seed, const ChMcpOptions* options, Table* table) {
  ChArenaMark mark = ch_arena_mark(arena);
  ChGrasp grasp = ch_grasp_make(seed);
  double x[32], c[CH_GRASP_ROWS];
  ChGraspContact judged[FORMS][CH_GRASP_CONTACTS];
  bool solved[FORMS];
  for (int form = 0; form < FORMS; ++form) {
    solved[form] = solve_form(arena, form, seed, options, &table->column[form], x) == CH_OK;
    if (!solved[form] || form == SLIDING) continue;
    if (form == COULOMB)
      ch_grasp_coulomb_forces(x, c);
    else
      ch_grasp_pyramid_forces(&grasp, x, c);
    ch_grasp_judge(&grasp, c, judged[form]);
    count_quality(&table->column[form], judged[form]);
  }
  if (solved[COULOMB] && solved[PYRAMID]) {
    ++table->both;
    for (int i = 0; i < CH_GRASP_CONTACTS; ++i)
      table->agree[i] += judged[COULOMB][i].transition == judged[PYRAMID][i].transition;
  }
  ch_arena_release(arena, mark);
}

static double percent(int part, int whole) { return whole ? 100.0 * part / whole : 0.0; }

static void print_work(const Table* table, int seeds) {
  printf("%-18s %8s %9s %8s   %6s %6s %7s %7s %10s %10s\n", "form", "solved", "at first", "authors", "ItBox", "FE",
         "ItQua", "MVP", "mean s", "largest s");
  for (int f = 0; f < FORMS; ++f) {
    const Column* c = &table->column[f];
    double n = c->solved ? c->solved : 1;
    printf("%-18s %4d/%-4d%8d %8d   %6.1f %6.1f %7.1f %7.1f %10.2e %10.2e\n", forms[f], c->solved, seeds, c->first,
           authors_solved[f], c->it_box / n, c->fe / n, c->it_qua / n, c->mvp / n, c->seconds / n, c->slowest);
  }
}

static void print_quality(const Table* table) {
  static const char* const authors[2][CH_GRASP_CONTACTS] = {{"122/183 (67 %)", "128/183 (70 %)"},
                                                            {"97/194 (50 %)", "153/194 (79 %)"}};
  static const char* const outside[CH_GRASP_CONTACTS] = {"106/200 (53 %)", "53/200 (27 %)"};
  printf("\n%-18s %-8s %-18s %-16s %-18s %-16s %s\n", "rolling form", "contact", "opposed, all", "authors",
         "opposed, sliding", "outside cone", "authors");
  for (int f = COULOMB; f < FORMS; ++f)
    for (int i = 0; i < CH_GRASP_CONTACTS; ++i) {
      const Column* c = &table->column[f];
      printf("%-18s %-8d %4d/%-4d(%3.0f %%)   %-16s %4d/%-4d(%3.0f %%)   %4d/%-4d(%3.0f %%) %s\n", forms[f] + 9, i + 1,
             c->opposed[i], c->solved, percent(c->opposed[i], c->solved), authors[f - 1][i], c->opposed_sliding[i],
             c->slides[i], percent(c->opposed_sliding[i], c->slides[i]), c->outside[i], c->solved,
             percent(c->outside[i], c->solved), f == PYRAMID ? outside[i] : "-");
    }
  printf("\nsame transition (rolls, slides, breaks) in both forms, of %d solved in both:\n", table->both);
  printf("  contact 1 %.0f %% (authors 98), contact 2 %.0f %% (authors 96)\n", percent(table->agree[0], table->both),
         percent(table->agree[1], table->both));
}

static void print_histogram(const Table* table) {
  printf("\nfloor(-log10 objective)");
  for (int k = 0; k < CLASSES; ++k) printf(" %4d%s", k, k == CLASSES - 1 ? "+" : "");
  for (int f = 0; f < FORMS; ++f) {
    printf("\n%-23s", forms[f]);
    for (int k = 0; k < CLASSES; ++k) printf(" %4d", table->column[f].histogram[k]);
  }
  printf("\n");
}

static json_t* column_json(const Column* c) {
  double n = c->solved ? c->solved : 1;
  return json_pack("{s:i, s:i, s:f, s:f, s:f, s:f, s:[ii], s:[ii], s:[ii], s:[ii]}", "solved", c->solved,
                   "solved_at_first", c->first, "ItBox", c->it_box / n, "FE", c->fe / n, "ItQua", c->it_qua / n, "MVP",
                   c->mvp / n, "slides", c->slides[0], c->slides[1], "opposed", c->opposed[0], c->opposed[1],
                   "opposed_sliding", c->opposed_sliding[0], c->opposed_sliding[1], "outside_cone", c->outside[0],
                   c->outside[1]);
}

ChExit ch_grasp_table(const ChCommand* command, ChArena* arena, const ChMcpOptions* options, int seeds, bool json) {
  Table table = {0};
  for (int seed = 1; seed <= seeds; ++seed) run_seed(arena, seed, options, &table);
  if (json)
    return ch_json_print(
        command,
        json_pack("{s:i, s:o, s:o, s:o, s:i, s:[ii]}", "seeds", seeds, "sliding", column_json(&table.column[SLIDING]),
                  "coulomb", column_json(&table.column[COULOMB]), "pyramid", column_json(&table.column[PYRAMID]),
                  "solved_in_both", table.both, "same_transition", table.agree[0], table.agree[1]));
  print_work(&table, seeds);
  print_quality(&table);
  print_histogram(&table);
  return CH_EXIT_DONE;
}
