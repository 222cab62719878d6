// docs/validation.md: the findings as Markdown, item by item, on request with the charts as files of their own.
#include <stdio.h>
#include <string.h>

#include "cardhouse/disk.h"
#include "reproduce/findings.h"
#include "reproduce/page.h"
#include "reproduce/result.h"
#include "reproduce/svg.h"

enum { PATH_SIZE = 4096 };

// What Markdown would take for its own is escaped, so that text stays text, in tables as well.
static void put(FILE* f, const char* text) {
  for (; *text; ++text) {
    if (strchr("\\`*_[]<>|#~", *text)) fputc('\\', f);
    fputc(*text == '\n' ? ' ' : *text, f);
  }
}

static void put_all(FILE* f, const char* before, const char* text, const char* after) {
  fputs(before, f);
  put(f, text);
  fputs(after, f);
}

static void put_finding(FILE* f, const ChFinding* finding) {
  bool reproduced = ch_finding_is(finding, CH_REPRODUCED);
  put_all(f, "| ", finding->what, " | ");
  put_all(f, "", finding->printed, " | ");
  put_all(f, "", finding->ours, reproduced ? " | " : " | **");
  put_all(f, "", finding->verdict, reproduced ? "" : "**");
  if (strcmp(finding->reason, finding->ours) == 0)
    fputs(" as said", f);
  else if (*finding->reason)
    put_all(f, " because: ", finding->reason, "");
  if (*finding->basis) put_all(f, " (", finding->basis, ")");
  fputs(" |\n", f);
}

// Parameters that the document leaves open.
static void put_choices(FILE* f, const json_t* choices) {
  if (json_array_size(choices) > 0) fputs("\nLeft open by the document, and chosen:\n\n", f);
  for (size_t k = 0; k < json_array_size(choices); ++k) {
    const json_t* pair = json_array_get(choices, k);
    const char *what = json_string_value(json_array_get(pair, 0)), *text = json_string_value(json_array_get(pair, 1));
    put_all(f, "* ", what ? what : "", ": ");
    put_all(f, "", text ? text : "", "\n");
  }
}

static bool is_chart(const json_t* figure) { return strcmp(ch_text_of(figure, "type"), "chart") == 0; }

// The k-th figure of an item, seen from the Markdown's folder.
static void chart_path(const ChPage* page, const json_t* result, size_t k, char* path, size_t size) {
  snprintf(path, size, "%s/%s-%d.svg", page->charts, ch_text_of(result, "name"), (int)k + 1);
}

static void put_charts(FILE* f, const ChPage* page, const json_t* result) {
  const json_t* figures = json_object_get(json_object_get(result, "report"), "figures");
  for (size_t k = 0; k < json_array_size(figures); ++k) {
    const json_t* figure = json_array_get(figures, k);
    char path[PATH_SIZE];
    if (!is_chart(figure)) continue;
    chart_path(page, result, k, path, sizeof path);
    put_all(f, "\n![", ch_text_of(figure, "caption"), "]");
    fprintf(f, "(%s)\n", path);
  }
}

static void put_item(FILE* f, const ChPage* page, const json_t* result) {
  const json_t* report = json_object_get(result, "report");
  const char* first = json_string_value(json_array_get(json_object_get(report, "text"), 0));
  put_all(f, "\n### `", ch_text_of(result, "name"), "`: ");
  put_all(f, "", ch_text_of(result, "title"), "\n\n");
  put_all(f, "", ch_text_of(result, "source"), ". ");
  put_all(f, "", first ? first : "", "\n\n| | printed | ours | verdict |\n|---|---|---|---|\n");
  for (int n = 0; n < ch_finding_count(result); ++n) {
    ChFinding finding = ch_finding_at(result, n);
    put_finding(f, &finding);
  }
  if (page->charts) put_charts(f, page, result);
  put_choices(f, json_object_get(report, "choices"));
}

// How many findings of each verdict an item has.
static void put_counts(FILE* f, const ChPage* page, const ChTally* all) {
  fputs("\n## Counts\n\n| item | reproduced | differs | ours alone | not run |\n|---|---|---|---|---|\n", f);
  for (int k = 0; k <= page->count; ++k) {
    ChTally tally = *all;
    if (k < page->count) {
      tally = (ChTally){0};
      ch_tally_add(&tally, page->results[k]);
      put_all(f, "| `", ch_text_of(page->results[k], "name"), "`");
    } else {
      fputs("| all", f);
    }
    for (int v = 0; v < CH_VERDICTS; ++v) fprintf(f, " | %d", tally.count[v]);
    fputs(" |\n", f);
  }
}

// The document that all items are of, or NULL.
static const char* only_document(const ChPage* page) {
  const char* first = page->count > 0 ? ch_document_title(ch_text_of(page->results[0], "name")) : NULL;
  for (int k = 1; k < page->count; ++k)
    if (ch_document_title(ch_text_of(page->results[k], "name")) != first) return NULL;
  return first;
}

static void put_head(FILE* f, const ChPage* page, const ChTally* tally) {
  const char* document = only_document(page);
  put_all(f, "# ", document ? document : "Validation: printed beside ours", "\n\n");
  fprintf(f, "%s\n\n", ch_verdict_rule);
  put_all(f, "Written by `", page->command, "`, see [reproduce.md](reproduce.md), ");
  put_all(f, "with version ", page->version, "");
  fprintf(f, " in the %s form", page->quick ? "quick" : "full");
  put_all(f, "; times are of one core.\n\n* machine: ", ch_machine_name(), "\n");
  put_all(f, "* date: ", ch_today(), "\n");
  put_all(f, "* commit: ", page->revision && *page->revision ? page->revision : "not told", "\n");
  if (page->load >= 0.0)
    fprintf(f, "* load before it began: %.2f\n", page->load);
  else
    fputs("* load before it began: not known\n", f);
  if (page->kept > 0)
    fprintf(f, "* items: %d, of which %d were kept from an earlier run of the same program\n\n", page->count,
            page->kept);
  else
    fprintf(f, "* items: %d, all run by this command\n\n", page->count);
  fputs("Findings: ", f);
  ch_tally_put(f, tally);
  fputs(".\n", f);
}

static void put_validation(FILE* f, const void* state) {
  const ChPage* page = state;
  ChTally tally = {0};
  for (int k = 0; k < page->count; ++k) ch_tally_add(&tally, page->results[k]);
  put_head(f, page, &tally);
  put_counts(f, page, &tally);
  const char* document = NULL;
  for (int k = 0; k < page->count; ++k) {
    const char* title = ch_document_title(ch_text_of(page->results[k], "name"));
    if ((k == 0 || title != document) && !only_document(page)) put_all(f, "\n## ", title ? title : "Others", "\n");
    document = title;
    put_item(f, page, page->results[k]);
  }
}

static void put_chart_file(FILE* f, const void* state) { ch_svg_chart_file(f, state); }

// In the folder beside the Markdown, which must be there.
static ChStatus write_charts(ChContext* context, const ChPage* page, const char* markdown) {
  const char* slash = strrchr(markdown, '/');
  int folder = slash ? (int)(slash - markdown) + 1 : 0;
  ChStatus status = CH_OK;
  for (int n = 0; n < page->count; ++n) {
    const json_t* figures = json_object_get(json_object_get(page->results[n], "report"), "figures");
    for (size_t k = 0; k < json_array_size(figures) && status == CH_OK; ++k) {
      char name[PATH_SIZE], path[2 * PATH_SIZE];
      if (!is_chart(json_array_get(figures, k))) continue;
      chart_path(page, page->results[n], k, name, sizeof name);
      snprintf(path, sizeof path, "%.*s%s", folder, markdown, name);
      status = ch_whole_file_print(context, path, put_chart_file, json_array_get(figures, k));
    }
  }
  return status;
}

ChStatus ch_validation_write(ChContext* context, const ChPage* page, const char* path) {
  ChStatus status = page->charts ? write_charts(context, page, path) : CH_OK;
  return status == CH_OK ? ch_whole_file_print(context, path, put_validation, page) : status;
}
