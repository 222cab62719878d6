// Figures of the page, as SVG inside of html. Colours are the page's: classes s0 ... s7 for series, so that light and
// dark follow the reader.
#ifndef CH_REPRODUCE_SVG_H
#define CH_REPRODUCE_SVG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "reproduce/axis.h"

// Text with & < > " ' escaped; NULL is nothing.
void ch_html_put(FILE* file, const char* text);

void ch_svg_chart(FILE* file, const json_t* chart);
// The same as a file of its own, with caption and legend inside: what any viewer of pictures opens.
void ch_svg_chart_file(FILE* file, const json_t* chart);
void ch_svg_map(FILE* file, const json_t* map);

// --- shared by both

typedef struct ChPlotFrame {
  double width, height;             // of the figure
  double left, right, top, bottom;  // of the plot inside
} ChPlotFrame;

// Opens the svg; grid, ticks, labels.
void ch_svg_frame(FILE* file, const ChPlotFrame* frame, const ChAxis* x, const ChAxis* y, const char* x_label,
                  const char* y_label, bool grid);

#endif
