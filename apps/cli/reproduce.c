// `cardhouse reproduce`: the documents' experiments, run anew, their numbers beside the printed ones.
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cardhouse/cardhouse.h"
#include "cardhouse/clock.h"
#include "cli/commands.h"
#include "cli/option_choices.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/report_pictures.h"
#include "cli/signals.h"
#include "cli/verdict_table.h"
#include "common/printable.h"
#include "reproduce/findings.h"
#include "reproduce/page.h"
#include "reproduce/runner.h"

enum { NAMES_MAX = 256, COMMAND_SIZE = 1024 };
static const double BAR_SECONDS = 0.2;

#define REPRODUCE_OPTIONS(X)                                                                                         \
  X(TEXT, out, "report", "DIR", 0, 0, "folder of the report (report)")                                               \
  X(FLAG, quick, false, NULL, 0, 0,                                                                                  \
    "runs smaller versions that end within seconds; few have the settings of the documents")                         \
  X(COUNT, jobs, 2, "N", 1, 64, "items at once (2)")                                                                 \
  X(TEXT, pictures, "auto", "on|off|auto", 0, 0, "whether scenes are drawn (auto: not with --quick)")                \
  X(FLAG, fresh, false, NULL, 0, 0, "runs everything again, even finished items of an earlier run")                  \
  X(REAL, time_limit, 3600.0, "S", 0.001, 1e9, "time limit of one item, seconds (3600)")                             \
  X(TEXT, markdown, NULL, "FILE.md", 0, 0, "writes the findings as Markdown too, as in docs/validation.md")          \
  X(TEXT, charts, NULL, "DIR", 0, 0,                                                                                 \
    "writes the charts of the Markdown as SVG files; DIR is relative to the Markdown file")                          \
  X(TEXT, revision, NULL, "TEXT", 0, 0, "commit of the sources, named at the top of the Markdown")                   \
  X(TEXT, engines_csv, NULL, "FILE", 0, 0, "figures that `make bench-engines` measured, for the items that compare") \
  X(FLAG, json, false, NULL, 0, 0, "one JSON object instead of text")                                                \
  X(FLAG, quiet, false, NULL, 0, 0, "no text and no progress")

typedef struct Arguments {
  REPRODUCE_OPTIONS(CH_ARG_MEMBER)
} Arguments;

static const ChArgRow rows[] = {REPRODUCE_OPTIONS(CH_ARG_ROW)};

static void print_list(void) {
  for (int k = 0; k < ch_item_count(); ++k) {
    const ChItem* item = ch_item_at(k);
    printf("%-20s %s\n%-20s %s\n", item->name, item->title, "", item->source);
  }
}

// Marks the items that a word names: one by its name, several by a pattern ("004-*"), all.
static bool choose(const ChCommand* self, const char* word, bool* chosen) {
  bool any = false;
  const char* known[NAMES_MAX];
  int count = ch_item_count();
  for (int k = 0; k < count; ++k) {
    known[k] = ch_item_at(k)->name;
    bool named = strcmp(word, "all") == 0 || fnmatch(word, known[k], 0) == 0;
    chosen[k] = chosen[k] || named;
    any = any || named;
  }
  return any || ch_word_check(self, "item", word, count, known);
}

// --- progress --------------------------------------------------------------------------------------------------------

typedef struct Bar {
  double shown_at;
  bool shown;
} Bar;

// "12 of 30 done | 000-table1 45 %, 12 s left | 004-fig6.10 80 %, 3 s left"
static void show_progress(const ChRunner* runner, void* state) {
  Bar* bar = state;
  double now = ch_clock_seconds();
  if (now - bar->shown_at < BAR_SECONDS) return;
  bar->shown_at = now;
  bar->shown = true;
  int done = 0;
  for (int k = 0; k < runner->count; ++k) done += runner->states[k].phase == CH_ITEM_ENDED;
  fprintf(stderr, "\r\033[K%d of %d done", done, runner->count);
  for (int k = 0; k < runner->count; ++k) {
    const ChItemState* item = &runner->states[k];
    if (item->phase != CH_ITEM_RUNS) continue;
    fprintf(stderr, " | %s %.0f %%", item->item->name, 100.0 * item->fraction);
    char left[CH_LEFT_SIZE];
    ch_left_text((now - item->began) * (1.0 - item->fraction) / item->fraction, left);
    if (item->fraction > 0.02) fprintf(stderr, ", %s left", left);
  }
  fflush(stderr);
}

// --- what it ends with -----------------------------------------------------------------------------------------------

static ChExit print_json(const ChCommand* self, const ChRunner* runner) {
  json_t* items = json_array();
  for (int k = 0; k < runner->count; ++k) {
    const json_t* result = runner->states[k].result;
    json_t* findings = json_array();
    for (int f = 0; f < ch_finding_count(result); ++f) {
      ChFinding finding = ch_finding_at(result, f);
      json_array_append_new(findings, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "what", finding.what, "printed",
                                                finding.printed, "ours", finding.ours, "verdict", finding.verdict,
                                                "basis", finding.basis, "reason", finding.reason));
    }
    json_array_append_new(
        items, json_pack("{s:s, s:s, s:s, s:b, s:o, s:O?, s:o}", "name", ch_text_of(result, "name"), "title",
                         ch_text_of(result, "title"), "source", ch_text_of(result, "source"), "kept",
                         (int)runner->states[k].kept, "seconds", ch_json_real(runner->states[k].seconds), "failure",
                         json_object_get(result, "failure"), "findings", findings));
  }
  return ch_json_print(
      self, json_pack("{s:s, s:b, s:o}", "folder", runner->folder, "quick", (int)runner->key.quick, "items", items));
}

static ChExit conclude(const ChCommand* self, const Arguments* a, const ChRunner* runner) {
  bool short_of = false;
  json_t* results[NAMES_MAX];
  for (int k = 0; k < runner->count; ++k) {
    results[k] = runner->states[k].result;
    short_of = short_of || !results[k] || ch_result_failed(results[k]);
  }
  if (a->json) {
    ChExit printed = print_json(self, runner);
    if (printed != CH_EXIT_DONE) return printed;
  } else if (!a->quiet) {
    ch_verdict_table_print(runner->count, results);
    printf("the report: %s/index.html\n", CH_SHOWN(a->out));
  }
  if (ch_stop_asked()) return (ChExit)ch_stop_status();
  return short_of ? CH_EXIT_SHORT : CH_EXIT_DONE;
}

// Why there are no pictures, or "".
static void draw_pictures(const Arguments* a, int count, json_t* const* results, char* lack, size_t size) {
  bool wanted = strcmp(a->pictures, "on") == 0 || (strcmp(a->pictures, "auto") == 0 && !a->quick);
  if (wanted)
    ch_report_pictures_draw(a->out, count, results, !a->quiet && isatty(STDERR_FILENO), lack, size);
  else
    snprintf(lack, size, "pictures were left out; --pictures on draws them");
}

// The results of this run and, in their places, those that earlier runs of the same program and form left in the
// folder: the page grows with every item that is run. The caller gives each of them up.
static int gather(const ChRunner* runner, json_t* results[NAMES_MAX]) {
  int count = 0, next = 0;
  for (int k = 0; k < ch_item_count(); ++k) {
    const ChItem* item = ch_item_at(k);
    bool chosen = next < runner->count && runner->states[next].item == item;
    json_t* result = chosen ? json_incref(runner->states[next++].result) : ch_result_read(runner->folder, item);
    if (result && (chosen || ch_result_fresh(result, item, &runner->key)))
      results[count++] = result;
    else
      json_decref(result);
  }
  return count;
}

static ChStatus write_page(ChContext* context, const Arguments* a, const char* command, double load,
                           const ChRunner* runner) {
  json_t* results[NAMES_MAX];
  char lack[CH_MESSAGE_SIZE];
  int count = gather(runner, results);
  draw_pictures(a, count, results, lack, sizeof lack);
  ChPage page = {.folder = a->out,
                 .version = CH_VERSION,
                 .quick = a->quick,
                 .count = count,
                 .results = results,
                 .kept = count,
                 .command = command,
                 .revision = a->revision,
                 .load = load,
                 .picture_lack = lack,
                 .charts = a->charts};
  for (int k = 0; k < runner->count; ++k) page.kept -= runner->states[k].result && !runner->states[k].kept;
  ChStatus status = ch_page_write(context, &page);
  if (status == CH_OK && a->markdown) status = ch_validation_write(context, &page, a->markdown);
  for (int k = 0; k < count; ++k) json_decref(results[k]);
  return status;
}

static ChExit run_chosen(const ChCommand* self, const Arguments* a, const char* command, const bool* chosen) {
  ChItemState states[NAMES_MAX] = {0};
  ChRunner runner = {.folder = a->out,
                     .fresh = a->fresh,
                     .jobs = (int)a->jobs,
                     .time_limit = a->time_limit,
                     .engines_csv = a->engines_csv,
                     .states = states,
                     .stop = ch_stop_asked};
  ChContext context = {0};
  ChStatus status = ch_result_key(&context, CH_VERSION, a->quick, a->engines_csv, &runner.key);
  if (status != CH_OK) return ch_failure_exit(self, &context, status);
  for (int k = 0; k < ch_item_count(); ++k)
    if (chosen[k]) states[runner.count++].item = ch_item_at(k);
  Bar bar = {0};
  if (!a->quiet && isatty(STDERR_FILENO)) runner.show = show_progress, runner.show_state = &bar;
  double load;
  if (getloadavg(&load, 1) != 1) load = -1.0;
  ch_signals_heed(NULL, NULL);
  status = ch_runner_run(&context, &runner);
  if (bar.shown) fputs("\r\033[K", stderr);
  if (status == CH_OK) status = write_page(&context, a, command, load, &runner);
  ChExit result = conclude(self, a, &runner);
  if (status != CH_OK) {
    ch_failure_exit(self, &context, status);
    result = CH_EXIT_FAULT;
  }
  ch_runner_free(&runner);
  return result;
}

static ChExit reproduce_run(const ChCommand* self, int count, char** words) {
  Arguments arguments = {REPRODUCE_OPTIONS(CH_ARG_DEFAULT)};
  ChTextList names = {0};
  ChParsed parsed = ch_arguments_parse_list(self, count, words, &arguments, &names);
  if (parsed != CH_PARSED_RUN) return parsed == CH_PARSED_HELP ? CH_EXIT_DONE : CH_EXIT_USAGE;
  static const char* const picture_words[] = {"on", "off", "auto"};
  if (!ch_word_check(self, "choice of pictures", arguments.pictures, 3, picture_words) ||
      !ch_place_check(self, "markdown", arguments.markdown))
    return CH_EXIT_USAGE;
  if (names.count == 0 || (names.count == 1 && strcmp(names.item[0], "list") == 0)) {
    print_list();
    return CH_EXIT_DONE;
  }
  bool chosen[NAMES_MAX] = {0};
  for (int k = 0; k < names.count; ++k)
    if (!choose(self, names.item[k], chosen)) return CH_EXIT_USAGE;
  char command[COMMAND_SIZE] = "cardhouse reproduce";
  for (int k = 0; k < count; ++k) {
    size_t used = strlen(command);
    snprintf(command + used, sizeof command - used, " %s", words[k]);
  }
  return run_chosen(self, &arguments, command, chosen);
}

const ChCommand ch_command_reproduce = {
    .name = "reproduce",
    .summary = "runs the experiments of the source documents and compares the printed numbers with ours",
    .operand = "[list|all|ITEM ...]",
    .examples =
        "  cardhouse reproduce list\n  cardhouse reproduce all --out report\n  cardhouse reproduce 004-fig2.8\n"
        "  cardhouse reproduce '004-*' --quick --jobs 4\n"
        "  cardhouse reproduce all --markdown docs/validation.md\n",
    .row_count = sizeof rows / sizeof *rows,
    .rows = rows,
    .run = reproduce_run,
};
