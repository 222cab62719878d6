// A report in the making: see report.h and report_json.h.
#include "reproduce/report.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "reproduce/report_json.h"

enum { LINE_POINTS = 4000 };  // a longer line is thinned: more than the pixels of any chart

// What lives as long as the report: what ch_report_say said, and the charts.
typedef struct Kept {
  struct Kept* next;
  max_align_t bytes[];
} Kept;

struct ChReport {
  json_t* root;
  Kept* kept;
  const char* fault;
  bool smaller;
};

struct ChChart {
  ChReport* report;
  json_t* series;
};

ChReport* ch_report_create(bool smaller) {
  ChReport* report = calloc(1, sizeof *report);
  if (!report) return NULL;
  report->smaller = smaller;
  report->root =
      json_pack("{s:[], s:[], s:[], s:[], s:[], s:[]}", "text", "choices", "commands", "rows", "claims", "figures");
  if (report->root) return report;
  ch_report_destroy(report);
  return NULL;
}

void ch_report_destroy(ChReport* report) {
  if (!report) return;
  for (Kept* next; report->kept; report->kept = next) {
    next = report->kept->next;
    free(report->kept);
  }
  json_decref(report->root);
  free(report);
}

json_t* ch_report_json(ChReport* report) { return report->root; }
const char* ch_report_fault(const ChReport* report) { return report->fault; }

static void add(ChReport* report, const char* list, json_t* value) {
  if (json_array_append_new(json_object_get(report->root, list), value) != 0)
    report->fault = "out of memory for the report";
}

// NULL, and a fault of the report, when out of memory.
static void* keep(ChReport* report, size_t size) {
  Kept* kept = malloc(sizeof *kept + size);
  if (!kept) {
    report->fault = "out of memory for the report";
    return NULL;
  }
  kept->next = report->kept;
  report->kept = kept;
  return kept->bytes;
}

static const char* say(ChReport* report, const char* format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  char* text = length >= 0 ? keep(report, (size_t)length + 1) : NULL;
  if (text) vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  return text ? text : "";
}

#define SAY(text)                                    \
  va_list arguments;                                 \
  va_start(arguments, format);                       \
  const char* text = say(report, format, arguments); \
  va_end(arguments)

const char* ch_report_say(ChReport* report, const char* format, ...) {
  SAY(text);
  return text;
}

void ch_report_text(ChReport* report, const char* format, ...) {
  SAY(text);
  bool early = json_array_size(json_object_get(report->root, "figures")) == 0;
  if (early)
    add(report, "text", ch_json_path(text));
  else
    add(report, "figures", json_pack("{s:s, s:o}", "type", "text", "text", ch_json_path(text)));
}

void ch_report_choice(ChReport* report, const char* what, const char* format, ...) {
  SAY(text);
  add(report, "choices", json_pack("[o,o]", ch_json_path(what), ch_json_path(text)));
}

void ch_report_command(ChReport* report, const char* format, ...) {
  SAY(text);
  add(report, "commands", ch_json_path(text));
}

// What a writer of texts puts, as a JSON string.
static json_t* text_by(void (*put)(FILE*, const ChFacts*), const ChFacts* facts) {
  char* text = NULL;
  size_t length = 0;
  FILE* file = open_memstream(&text, &length);
  if (!file) return NULL;
  put(file, facts);
  json_t* value = fclose(file) == 0 ? ch_json_path(text) : NULL;
  free(text);
  return value;
}

static void add_finding(ChReport* report, const char* list, const char* what, ChFacts* facts) {
  if (report->smaller && !facts->run.whole_in_quick && !facts->run.changed)
    facts->run.changed = "the quick form is smaller";
  if (!facts->ours) facts->ours = "";
  const char* lack = ch_verdict_lack(facts);
  if (lack) report->fault = ch_report_say(report, "'%s' %s", what, lack);
  add(report, list,
      json_pack("{s:o, s:o, s:o, s:s, s:o, s:o}", "what", ch_json_path(what), "printed",
                facts->printed ? ch_json_path(facts->printed) : json_null(), "ours", ch_json_path(facts->ours),
                "verdict", ch_verdict_name(ch_verdict_of(facts)), "basis", text_by(ch_verdict_put_basis, facts),
                "reason", text_by(ch_verdict_put_reason, facts)));
}

void ch_report_row(ChReport* report, const char* quantity, ChFacts facts) {
  add_finding(report, "rows", quantity, &facts);
}

void ch_report_claim(ChReport* report, const char* claim, ChFacts facts, const char* format, ...) {
  SAY(text);
  if (!*text) report->fault = ch_report_say(report, "the claim '%s' has no evidence", claim);
  facts.printed = claim;
  facts.ours = text;
  if (!facts.reason) facts.reason = text;
  add_finding(report, "claims", claim, &facts);
}

// --- charts ----------------------------------------------------------------------------------------------------------

ChChart* ch_report_chart(ChReport* report, const char* caption, const char* x_label, const char* y_label, int flags) {
  json_t* series = json_array();
  add(report, "figures",
      json_pack("{s:s, s:o, s:o, s:o, s:b, s:b, s:b, s:O}", "type", "chart", "caption", ch_json_path(caption), "x",
                ch_json_path(x_label), "y", ch_json_path(y_label), "log_x", flags & CH_CHART_LOG_X, "log_y",
                flags & CH_CHART_LOG_Y, "equal", flags & CH_CHART_EQUAL, "series", series));
  json_decref(series);  // the report holds it
  static ChChart nowhere;
  ChChart* chart = keep(report, sizeof *chart);
  if (!chart) return &nowhere;
  *chart = (ChChart){report, series};
  return chart;
}

static void put_point(json_t* xs, json_t* ys, double x, double y) {
  json_array_append_new(xs, ch_json_real(x));
  json_array_append_new(ys, ch_json_real(y));
}

// Of every stretch of a long line the lowest and the highest point, in their order: what an eye could see of it.
static void put_thinned(json_t* xs, json_t* ys, int count, const double* x, const double* y) {
  const int stretches = LINE_POINTS / 2;
  for (int s = 0; s < stretches; ++s) {
    int from = (int)((long)count * s / stretches), to = (int)((long)count * (s + 1) / stretches), low = from,
        high = from;
    for (int k = from; k < to; ++k) {
      if (!(y[k] >= y[low])) low = k;
      if (!(y[k] <= y[high])) high = k;
    }
    int first = low < high ? low : high, second = low < high ? high : low;
    put_point(xs, ys, x[first], y[first]);
    if (second != first) put_point(xs, ys, x[second], y[second]);
  }
}

static void add_series(ChChart* chart, const char* name, const char* kind, int count, const double* x,
                       const double* y) {
  if (!chart->report) return;
  json_t *xs = json_array(), *ys = json_array();
  if (count > LINE_POINTS)
    put_thinned(xs, ys, count, x, y);
  else
    for (int k = 0; k < count; ++k) put_point(xs, ys, x[k], y[k]);
  json_t* entry = json_pack("{s:o, s:s, s:o, s:o}", "name", ch_json_path(name), "kind", kind, "x", xs, "y", ys);
  if (json_array_append_new(chart->series, entry) != 0) chart->report->fault = "out of memory for the report";
}

void ch_chart_line(ChChart* chart, const char* name, int count, const double* x, const double* y) {
  add_series(chart, name, "line", count, x, y);
}

void ch_chart_points(ChChart* chart, const char* name, int count, const double* x, const double* y) {
  add_series(chart, name, "points", count, x, y);
}

// --- maps and pictures -----------------------------------------------------------------------------------------------

void ch_report_map(ChReport* report, const char* caption, int columns, int rows, const double* values,
                   const double x[2], const double y[2], const char* x_label, const char* y_label,
                   const char* value_label, bool log_values) {
  json_t* cells = json_array();
  for (long k = 0; k < (long)columns * rows; ++k) {
    char digits[32];  // the colours need no more
    snprintf(digits, sizeof digits, "%.5g", values[k]);
    json_array_append_new(cells, ch_json_real(isfinite(values[k]) ? strtod(digits, NULL) : values[k]));
  }
  add(report, "figures",
      json_pack("{s:s, s:o, s:i, s:i, s:o, s:[f,f], s:[f,f], s:o, s:o, s:o, s:b}", "type", "map", "caption",
                ch_json_path(caption), "columns", columns, "rows", rows, "values", cells, "x_range", x[0], x[1],
                "y_range", y[0], y[1], "x", ch_json_path(x_label), "y", ch_json_path(y_label), "label",
                ch_json_path(value_label), "log", (int)log_values));
}

void ch_report_picture(ChReport* report, const char* trajectory, double time, const char* caption) {
  add(report, "figures",
      json_pack("{s:s, s:o, s:f, s:o}", "type", "picture", "trajectory", ch_json_path(trajectory), "time", time,
                "caption", ch_json_path(caption)));
}
