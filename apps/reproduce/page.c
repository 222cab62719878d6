// The page: see page.h. It opens with what was found, all of it in one table, then tells item by item.
#include "reproduce/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/disk.h"
#include "cardhouse/text.h"
#include "reproduce/findings.h"
#include "reproduce/page_style.h"
#include "reproduce/report_json.h"
#include "reproduce/result.h"
#include "reproduce/svg.h"

enum { PATH_SIZE = 4096, PICTURE_LIMIT = 64 << 20 };

const char* ch_document_title(const char* item) {
  static const char* const titles[][2] = {
      {"000",
       "Anitescu and Hart 2004: Solving nonconvex problems of multibody dynamics with joints, contact and small "
       "friction by successive convex relaxation"},
      {"001",
       "Negrut and Serban 2016: Posing multibody dynamics with friction and contact as a differential "
       "complementarity problem"},
      {"002", "Anitescu's slides on time stepping for nonsmooth rigid-body dynamics"},
      {"003",
       "Andreani, Friedlander, Mello and Santos: Multi-rigid-body contact problems with Coulomb friction: "
       "complementarity and equivalent formulations"},
      {"004", "Kaufman 2009: Coupled principles for computational frictional contact mechanics"},
      {"granular", "Laws of granular matter: compliant contact beside closed forms and empirical laws"}};
  for (size_t k = 0; k < sizeof titles / sizeof *titles; ++k)
    if (strncmp(item, titles[k][0], strlen(titles[k][0])) == 0) return titles[k][1];
  return NULL;
}

void ch_picture_path(const char* folder, const char* item, int figure, char* path, size_t size) {
  snprintf(path, size, "%s/items/%s/picture-%d.png", folder, item, figure);
}

// --- pieces ----------------------------------------------------------------------------------------------------------

static void put_tagged(FILE* f, const char* open, const char* text, const char* close) {
  fputs(open, f);
  ch_html_put(f, text);
  fputs(close, f);
}

// The class of "ours alone" is "ours", of "not run" "not".
static void put_verdict(FILE* f, const char* verdict) {
  fprintf(f, "<span class=\"verdict %.*s\">", (int)strcspn(verdict, " "), verdict);
  ch_html_put(f, verdict);
  fputs("</span>", f);
}

static void put_cell(FILE* f, const char* head, const char* class, const char* text) {
  fprintf(f, "<td class=\"%s\"", class);
  if (*head) fprintf(f, " data-is=\"%s\"", head);
  put_tagged(f, ">", text, "</td>");
}

// Why the verdict is what it is, and what it goes by.
static void put_grounds(FILE* f, const ChFinding* finding) {
  if (*finding->reason) put_tagged(f, "<span class=\"reason\">because: ", finding->reason, "</span>");
  if (*finding->basis) put_tagged(f, "<span class=\"basis\">", finding->basis, "</span>");
}

static void put_finding(FILE* f, const ChFinding* finding, bool brief) {
  bool hold_back = finding->claim && brief;
  fputs("<tr>", f);
  put_cell(f, "", "what", finding->what);
  put_cell(f, "printed", "printed", finding->printed);
  put_cell(f, "ours", "ours", hold_back ? "" : finding->ours);
  fputs("<td>", f);
  put_verdict(f, finding->verdict);
  put_grounds(f, finding);
  fputs("</td></tr>", f);
}

static void open_findings(FILE* f, const char* first) {
  fprintf(f,
          "<table class=\"findings\"><colgroup><col class=\"what\"><col class=\"printed\"><col class=\"ours\"><col>"
          "</colgroup><thead><tr><th>%s</th><th>printed</th><th>ours</th><th>verdict</th></tr></thead><tbody>",
          first);
}

static const char* const tally_words[CH_VERDICTS] = {"reproduced", "differ", "ours alone", "not run"};

static void put_tally(FILE* f, const ChTally* tally) {
  for (int v = 0; v < CH_VERDICTS; ++v) {
    const char* name = ch_verdict_name((ChVerdict)v);
    if (tally->count[v] > 0)
      fprintf(f, "<span class=\"verdict %.*s\">%d %s</span> ", (int)strcspn(name, " "), name, tally->count[v],
              tally_words[v]);
  }
}

// --- an item ---------------------------------------------------------------------------------------------------------

static void put_picture(FILE* f, const ChPage* page, const char* item, int index, const json_t* figure) {
  char path[PATH_SIZE];
  ch_picture_path(page->folder, item, index, path, sizeof path);
  ChContext context = {0};
  char* bytes = NULL;
  size_t size = 0;
  if (ch_file_load(&context, path, PICTURE_LIMIT, &bytes, &size) == CH_OK) {
    put_tagged(f, "<img alt=\"", ch_text_of(figure, "caption"), "\" src=\"data:image/png;base64,");
    ch_base64_write(f, (const unsigned char*)bytes, size);
    fputs("\">", f);
  } else {
    put_tagged(f, "<p class=\"lack\">The picture of ", ch_text_of(figure, "trajectory"), "");
    fprintf(f, " at %g s was not drawn: ", json_number_value(json_object_get(figure, "time")));
    put_tagged(f, "", page->picture_lack && *page->picture_lack ? page->picture_lack : "its file is missing", ".</p>");
  }
  free(bytes);
}

static void put_figure(FILE* f, const ChPage* page, const char* item, int index, int number, const json_t* figure) {
  const char* type = ch_text_of(figure, "type");
  fputs("<figure>", f);
  if (strcmp(type, "chart") == 0)
    ch_svg_chart(f, figure);
  else if (strcmp(type, "map") == 0)
    ch_svg_map(f, figure);
  else
    put_picture(f, page, item, index, figure);
  fprintf(f, "<figcaption><b>Figure %d.</b> ", number);
  put_tagged(f, "", ch_text_of(figure, "caption"), "</figcaption></figure>");
}

static void put_figures(FILE* f, const ChPage* page, const char* item, const json_t* figures) {
  int number = 0;
  if (json_array_size(figures) == 0) return;
  fputs("<h3>Figures</h3><div class=\"figures\">", f);
  for (size_t k = 0; k < json_array_size(figures); ++k) {
    const json_t* figure = json_array_get(figures, k);
    if (strcmp(ch_text_of(figure, "type"), "text") == 0)
      put_tagged(f, "<p>", ch_text_of(figure, "text"), "</p>");
    else
      put_figure(f, page, item, (int)k, ++number, figure);
  }
  fputs("</div>", f);
}

static void put_numbers(FILE* f, const json_t* result) {
  bool open = false;
  for (int k = 0; k < ch_finding_count(result); ++k) {
    ChFinding finding = ch_finding_at(result, k);
    if (finding.claim) continue;
    if (!open) {
      fputs("<h3>Printed beside ours</h3>", f);
      open_findings(f, "quantity");
    }
    open = true;
    put_finding(f, &finding, false);
  }
  if (open) fputs("</tbody></table>", f);
}

static void put_claims(FILE* f, const json_t* result) {
  bool open = false;
  for (int k = 0; k < ch_finding_count(result); ++k) {
    ChFinding finding = ch_finding_at(result, k);
    if (!finding.claim) continue;
    if (!open) fputs("<h3>Claims</h3><ul class=\"claims\">", f);
    open = true;
    fputs("<li><div>", f);
    put_verdict(f, finding.verdict);
    put_tagged(f, "</div><div><p>", finding.what, "</p>");
    put_tagged(f, "<p class=\"evidence\">", finding.ours, "</p>");
    if (strcmp(finding.reason, finding.ours) == 0) finding.reason = "";  // the evidence says it
    put_grounds(f, &finding);
    fputs("</div></li>", f);
  }
  if (open) fputs("</ul>", f);
}

static void put_choices(FILE* f, const json_t* choices) {
  if (json_array_size(choices) == 0) return;
  fputs(
      "<h3>What the document leaves open</h3><table><thead><tr><th style=\"width:27%\">parameter</th><th>chosen</th>"
      "</tr></thead><tbody>",
      f);
  for (size_t k = 0; k < json_array_size(choices); ++k) {
    const json_t* pair = json_array_get(choices, k);
    const char *what = json_string_value(json_array_get(pair, 0)), *text = json_string_value(json_array_get(pair, 1));
    fputs("<tr>", f);
    put_cell(f, "", "what", what ? what : "");
    put_cell(f, "", "chosen", text ? text : "");
    fputs("</tr>", f);
  }
  fputs("</tbody></table>", f);
}

static void put_commands(FILE* f, const ChPage* page, const char* item, const json_t* commands) {
  fputs("<h3>Run it yourself</h3><pre>", f);
  put_tagged(f, "cardhouse reproduce ", item, page->quick ? " --quick\n" : "\n");
  for (size_t k = 0; k < json_array_size(commands); ++k) {
    const char* command = json_string_value(json_array_get(commands, k));
    put_tagged(f, "", command ? command : "", "\n");
  }
  fputs("</pre>", f);
}

static void put_took(FILE* f, const json_t* result) {
  double seconds = json_number_value(json_object_get(result, "seconds")),
         processor = json_number_value(json_object_get(result, "processor_seconds"));
  fprintf(f, "<p class=\"took\">Took %.3g s, %.3g s of them on a processor; ", seconds, processor);
  put_tagged(f, "", ch_text_of(result, "date"), ", ");
  put_tagged(f, "", ch_text_of(result, "machine"), ".</p>");
}

static void put_item(FILE* f, const ChPage* page, const json_t* result) {
  const json_t *report = json_object_get(result, "report"), *text = json_object_get(report, "text");
  const char* name = ch_text_of(result, "name");
  ChTally tally = {0};
  ch_tally_add(&tally, result);
  put_tagged(f, "<article class=\"item\" id=\"", name, "\"><header>");
  put_tagged(f, "<p class=\"name\"><code>", name, "</code></p>");
  put_tagged(f, "<h2>", ch_text_of(result, "title"), "</h2>");
  put_tagged(f, "<p class=\"source\">", ch_text_of(result, "source"), "</p><p>");
  put_tally(f, &tally);
  fputs("</p></header>", f);
  for (size_t k = 0; k < json_array_size(text); ++k) {
    const char* paragraph = json_string_value(json_array_get(text, k));
    put_tagged(f, "<p>", paragraph ? paragraph : "", "</p>");
  }
  put_numbers(f, result);
  put_claims(f, result);
  put_figures(f, page, name, json_object_get(report, "figures"));
  put_choices(f, json_object_get(report, "choices"));
  put_commands(f, page, name, json_object_get(report, "commands"));
  put_took(f, result);
  fputs("</article>\n", f);
}

// --- the whole -------------------------------------------------------------------------------------------------------

static void put_head(FILE* f, const ChPage* page, const ChTally* tally) {
  fputs(
      "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\"><meta name=\"color-scheme\" content=\"light dark\">"
      "<title>Cardhouse beside the documents</title><style>\n",
      f);
  fputs(ch_page_style, f);
  fputs(
      "</style></head><body><div class=\"page\"><header><h1>Cardhouse beside the documents</h1><p class=\"lead\">The "
      "experiments of five documents on contact and friction, run anew. Every printed number stands beside ours, every "
      "claim is judged by what was computed, and where the two part the reason is given.</p><ul class=\"meta\">",
      f);
  put_tagged(f, "<li>Cardhouse ", page->version, "</li>");
  fprintf(f, "<li>%d item%s, %s form</li>", page->count, page->count == 1 ? "" : "s", page->quick ? "quick" : "full");
  put_tagged(f, "<li>", ch_machine_name(), "</li>");
  put_tagged(f, "<li><code>", page->command, "</code></li></ul>");
  if (page->quick)
    fputs(
        "<p class=\"note\">This is the quick form: smaller experiments, so that little has the documents' setting. "
        "Each "
        "says what is smaller; <code>cardhouse reproduce all</code> runs them in full.</p>",
        f);
  fputs("<p class=\"note\">", f);
  for (const char* c = ch_verdict_rule; *c; ++c)
    if (*c != '*') fputc(*c, f);
  fputs("</p><div class=\"tiles\">", f);
  for (int v = 0; v < CH_VERDICTS; ++v) {
    const char* name = ch_verdict_name((ChVerdict)v);
    fprintf(f, "<div class=\"tile %.*s\"><b>%d</b><span>%s</span></div>", (int)strcspn(name, " "), name,
            tally->count[v], tally_words[v]);
  }
  fputs("</div></header>\n", f);
}

// "6 of 8": how many findings of an item are reproduced; green when all are.
static void put_score(FILE* f, const json_t* result) {
  ChTally tally = {0};
  ch_tally_add(&tally, result);
  const char* class = tally.count[CH_REPRODUCED] == tally.all ? "reproduced" : "differs";
  fprintf(f, " <b class=\"score %s\">%d of %d</b>", class, tally.count[CH_REPRODUCED], tally.all);
}

static void put_contents(FILE* f, const ChPage* page) {
  const char* document = NULL;
  fputs("<nav aria-label=\"contents\"><h3>Contents</h3>", f);
  for (int k = 0; k < page->count; ++k) {
    const char *name = ch_text_of(page->results[k], "name"), *title = ch_document_title(name);
    if (k == 0 || title != document) {
      if (k > 0) fputs("</ol>", f);
      put_tagged(f, "<p class=\"doc\">", title ? title : "others", "</p><ol>");
    }
    document = title;
    put_tagged(f, "<li><a href=\"#", name, "\"><code>");
    put_tagged(f, "", name, "</code></a><span>");
    put_tagged(f, "", ch_text_of(page->results[k], "title"), "");
    put_score(f, page->results[k]);
    fputs("</span></li>", f);
  }
  fputs(page->count > 0 ? "</ol>" : "", f);
  fputs(
      "<p class=\"doc\">The numbers count reproduced findings. <a href=\"#all-findings\">All of them in one table</a> "
      "stand at the end.</p></nav>\n",
      f);
}

static bool shown(const ChFinding* finding, bool differing) {
  return !differing || !ch_finding_is(finding, CH_REPRODUCED);
}

static void put_group(FILE* f, const json_t* result, bool differing) {
  bool open = false;
  for (int n = 0; n < ch_finding_count(result); ++n) {
    ChFinding finding = ch_finding_at(result, n);
    if (!shown(&finding, differing)) continue;
    if (!open) {
      put_tagged(f, "<tr class=\"group\"><td colspan=\"4\"><a href=\"#", ch_text_of(result, "name"), "\"><code>");
      put_tagged(f, "", ch_text_of(result, "name"), "</code></a> ");
      put_tagged(f, "<span>", ch_text_of(result, "title"), "</span></td></tr>");
    }
    open = true;
    put_finding(f, &finding, true);
  }
}

// All findings, or those where we part from a document.
static void put_summary(FILE* f, const ChPage* page, const char* id, const char* head, bool differing) {
  fprintf(f, "<section id=\"%s\"><h3>%s</h3>", id, head);
  open_findings(f, "item");
  for (int k = 0; k < page->count; ++k) put_group(f, page->results[k], differing);
  fputs("</tbody></table></section>\n", f);
}

static void put_page(FILE* f, const void* state) {
  const ChPage* page = state;
  ChTally tally = {0};
  for (int k = 0; k < page->count; ++k) ch_tally_add(&tally, page->results[k]);
  put_head(f, page, &tally);
  put_contents(f, page);
  if (tally.count[CH_REPRODUCED] < tally.all)
    put_summary(f, page, "differences", "Where we part from a document, and why", true);
  for (int k = 0; k < page->count; ++k) put_item(f, page, page->results[k]);
  put_summary(f, page, "all-findings", "Everything in one table", false);
  fputs("</div></body></html>\n", f);
}

ChStatus ch_page_write(ChContext* context, const ChPage* page) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/index.html", page->folder);
  return ch_whole_file_print(context, path, put_page, page);
}
