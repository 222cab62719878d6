// docs/validation.md: the findings as Markdown, first those where we part from a document.
#include <stdio.h>
#include <string.h>

#include "base/whole_file.h"
#include "reproduce/findings.h"
#include "reproduce/page.h"
#include "reproduce/result.h"

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

static bool agrees(const ChFinding* finding) { return strcmp(finding->verdict, "reproduced") == 0; }

static void put_differences(FILE* f, const ChPage* page) {
  fputs("\n## Where we differ, and why\n\n", f);
  bool any = false;
  for (int k = 0; k < page->count; ++k)
    for (int n = 0; n < ch_finding_count(page->results[k]); ++n) {
      ChFinding finding = ch_finding_at(page->results[k], n);
      if (agrees(&finding)) continue;
      any = true;
      put_all(f, "* `", ch_text_of(page->results[k], "name"), "`: ");
      put_all(f, "", finding.what, finding.claim ? " " : ": ");
      if (*finding.printed) put_all(f, "printed ", finding.printed, ", ");
      if (*finding.ours && !finding.claim) put_all(f, "ours ", finding.ours, ". ");
      put_all(f, "**", finding.verdict, "** because: ");
      put_all(f, "", finding.reason, "\n");
    }
  if (!any) fputs("Nowhere.\n", f);
}

static void put_item(FILE* f, const json_t* result) {
  put_all(f, "\n### `", ch_text_of(result, "name"), "`: ");
  put_all(f, "", ch_text_of(result, "title"), "\n\n");
  put_all(f, "", ch_text_of(result, "source"), ". ");
  const char* first = json_string_value(json_array_get(json_object_get(json_object_get(result, "report"), "text"), 0));
  put_all(f, "", first ? first : "", "\n\n| | printed | ours | verdict |\n|---|---|---|---|\n");
  for (int n = 0; n < ch_finding_count(result); ++n) {
    ChFinding finding = ch_finding_at(result, n);
    put_all(f, "| ", finding.what, " | ");
    put_all(f, "", finding.claim ? "a claim" : finding.printed, " | ");
    put_all(f, "", finding.ours, " | ");
    put_all(f, agrees(&finding) ? "" : "**", finding.verdict, agrees(&finding) ? " |\n" : "** |\n");
  }
}

static void put_validation(FILE* f, const void* state) {
  const ChPage* page = state;
  ChTally tally = {0};
  for (int k = 0; k < page->count; ++k) ch_tally_add(&tally, page->results[k]);
  fputs("# Validation: printed beside ours\n\n", f);
  put_all(f, "Written by `", page->command, "`, see [reproduce.md](reproduce.md), ");
  put_all(f, "with version ", page->version, "");
  fprintf(f, " in the %s form", page->quick ? "quick" : "full");
  put_all(f, "; times are of one core of: ", ch_machine_name(), ".\n\n");
  fprintf(f,
          "%d findings are reproduced, %d differ, %d cannot be. Each of the latter has its reason, here and in its "
          "item.\n",
          tally.reproduced, tally.differs, tally.cannot);
  put_differences(f, page);
  const char* document = NULL;
  for (int k = 0; k < page->count; ++k) {
    const char* title = ch_document_title(ch_text_of(page->results[k], "name"));
    if (k == 0 || title != document) put_all(f, "\n## ", title ? title : "Others", "\n");
    document = title;
    put_item(f, page->results[k]);
  }
}

ChStatus ch_validation_write(ChContext* context, const ChPage* page, const char* path) {
  return ch_whole_file_print(context, path, put_validation, page);
}
