// What an experiment says of itself: paragraphs, printed numbers beside ours, claims judged, charts, maps, pictures. It
// is kept as JSON (the cache), from which the page, the table at the end and docs/validation.md are written.
#ifndef CH_REPRODUCE_REPORT_H
#define CH_REPRODUCE_REPORT_H

#include <stdbool.h>

#include "reproduce/verdict.h"

#define CH_LIKE_PRINTF(text, first) __attribute__((format(printf, text, first)))

typedef struct ChReport ChReport;
typedef struct ChChart ChChart;

// A paragraph; the first one says what the experiment is about.
void ch_report_text(ChReport* report, const char* format, ...) CH_LIKE_PRINTF(2, 3);
// A parameter that the document leaves open: what was chosen, and why.
void ch_report_choice(ChReport* report, const char* what, const char* format, ...) CH_LIKE_PRINTF(3, 4);
// A command that a reader can type to see the same.
void ch_report_command(ChReport* report, const char* format, ...) CH_LIKE_PRINTF(2, 3);

// A row of the table "quantity, printed, ours, verdict". The verdict follows from the facts: verdict.h.
void ch_report_row(ChReport* report, const char* quantity, ChFacts facts);
// A sentence of the document, judged by what was computed just now: facts.rule says by which condition. What follows is
// the evidence; it stands for facts.ours, the sentence for facts.printed.
void ch_report_claim(ChReport* report, const char* claim, ChFacts facts, const char* format, ...) CH_LIKE_PRINTF(4, 5);

enum { CH_CHART_LOG_X = 1, CH_CHART_LOG_Y = 2, CH_CHART_EQUAL = 4 };  // EQUAL: one unit is as long on both axes
// Axis labels carry units: "time [s]". Points that are not finite (or not positive on a log axis) break the line.
ChChart* ch_report_chart(ChReport* report, const char* caption, const char* x_label, const char* y_label, int flags);
void ch_chart_line(ChChart* chart, const char* name, int count, const double* x, const double* y);
void ch_chart_points(ChChart* chart, const char* name, int count, const double* x, const double* y);

// A map of rows x columns values, row by row from the bottom, over [x0, x1] x [y0, y1].
void ch_report_map(ChReport* report, const char* caption, int columns, int rows, const double* values,
                   const double x[2], const double y[2], const char* x_label, const char* y_label,
                   const char* value_label, bool log_values);

// A picture of a recorded trajectory (a file in the item's folder) at a time, made by the renderer after the item has
// ended.
void ch_report_picture(ChReport* report, const char* trajectory, double time, const char* caption);

// snprintf into storage that lives as long as the report: for `printed`, `ours` and reasons.
const char* ch_report_say(ChReport* report, const char* format, ...) CH_LIKE_PRINTF(2, 3);

#endif
