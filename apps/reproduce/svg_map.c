// A map: cells of colour over two axes, with a colour bar. The colours run from dark blue over green to yellow with an
// even rise of lightness, so that equal steps of value look equal, also in grey and to the colour-blind.
#include <math.h>
#include <stdlib.h>

#include "reproduce/findings.h"
#include "reproduce/png.h"
#include "reproduce/svg.h"

enum { ANCHORS = 10, SHADES = CH_PNG_COLOURS - 1 };
static const double WIDTH = 460.0, HEIGHT = 360.0, BAR = 14.0;

static const unsigned char anchors[ANCHORS][3] = {{68, 1, 84},    {72, 40, 120},  {62, 74, 137},  {49, 104, 142},
                                                  {38, 130, 142}, {31, 158, 137}, {53, 183, 121}, {110, 206, 88},
                                                  {181, 222, 43}, {253, 231, 37}};

static void fill_palette(unsigned char colours[CH_PNG_COLOURS][3]) {
  for (int k = 0; k < SHADES; ++k) {
    double at = (double)k / (SHADES - 1) * (ANCHORS - 1);
    int below = (int)fmin(floor(at), ANCHORS - 2);
    for (int c = 0; c < 3; ++c)
      colours[k][c] =
          (unsigned char)lround(anchors[below][c] + (at - below) * (anchors[below + 1][c] - anchors[below][c]));
  }
}

static unsigned char shade_of(const ChAxis* bar, double value) {
  if (!ch_axis_takes(bar, value)) return CH_PNG_CLEAR;
  double part = (ch_axis_place(bar, value) - bar->from) / (bar->to - bar->from);
  return (unsigned char)lround(fmin(fmax(part, 0.0), 1.0) * (SHADES - 1));
}

static void put_image(FILE* file, double x, double y, double width, double height, int columns, int rows,
                      const unsigned char* cells) {
  unsigned char colours[CH_PNG_COLOURS][3] = {0};
  fill_palette(colours);
  fprintf(file,
          "<image x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" preserveAspectRatio=\"none\" "
          "style=\"image-rendering:pixelated\" href=\"data:image/png;base64,",
          x, y, width, height);
  ch_png_write(file, columns, rows, cells, colours);
  fputs("\"/>", file);
}

static void put_bar(FILE* file, const ChPlotFrame* f, const ChAxis* bar, const char* label) {
  unsigned char cells[SHADES];
  for (int k = 0; k < SHADES; ++k) cells[k] = (unsigned char)(SHADES - 1 - k);
  double left = f->right + 14.0;
  put_image(file, left, f->top, BAR, f->bottom - f->top, 1, SHADES, cells);
  for (int k = 0; k < bar->ticks; ++k) {
    double at = ch_axis_place(bar, bar->tick[k]);
    fprintf(file, "<path class=\"tick\" d=\"M%.1f %.1fh4\"/><text x=\"%.1f\" y=\"%.1f\">%s</text>", left + BAR, at,
            left + BAR + 6.0, at + 3.5, bar->label[k]);
  }
  fprintf(file, "<text class=\"x label\" transform=\"translate(%.1f %.1f) rotate(-90)\">", f->width - 4.0,
          0.5 * (f->top + f->bottom));
  ch_html_put(file, label);
  fputs("</text>", file);
}

static double entry(const json_t* list, size_t k) {
  const json_t* value = json_array_get(list, k);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

static ChAxis bar_axis(const json_t* values, bool log, const ChPlotFrame* f) {
  double low = INFINITY, high = -INFINITY;
  for (size_t k = 0; k < json_array_size(values); ++k) {
    double value = entry(values, k);
    if (!isfinite(value) || (log && !(value > 0.0))) continue;
    low = fmin(low, value);
    high = fmax(high, value);
  }
  return ch_axis_make(low, high, log, f->bottom, f->top, 6);
}

void ch_svg_map(FILE* file, const json_t* map) {
  const json_t *values = json_object_get(map, "values"), *xs = json_object_get(map, "x_range"),
               *ys = json_object_get(map, "y_range");
  long columns = (long)json_integer_value(json_object_get(map, "columns")),
       rows = (long)json_integer_value(json_object_get(map, "rows"));
  size_t count = json_array_size(values);
  if (columns < 1 || rows < 1 || columns > 4096 || rows > 4096 || (size_t)(columns * rows) != count) return;
  unsigned char* cells = malloc(count);
  if (!cells) return;
  const ChPlotFrame frame = {WIDTH, HEIGHT, 56.0, WIDTH - 84.0, 8.0, HEIGHT - 36.0};
  ChAxis x = ch_axis_make(entry(xs, 0), entry(xs, 1), false, frame.left, frame.right, 5),
         y = ch_axis_make(entry(ys, 0), entry(ys, 1), false, frame.bottom, frame.top, 5),
         bar = bar_axis(values, json_is_true(json_object_get(map, "log")), &frame);
  for (size_t k = 0; k < count; ++k) {
    size_t row = (size_t)rows - 1 - k / (size_t)columns;  // a picture begins at the top
    cells[row * (size_t)columns + k % (size_t)columns] = shade_of(&bar, entry(values, k));
  }
  ch_svg_frame(file, &frame, &x, &y, ch_text_of(map, "x"), ch_text_of(map, "y"), false);
  put_image(file, frame.left, frame.top, frame.right - frame.left, frame.bottom - frame.top, (int)columns, (int)rows,
            cells);
  put_bar(file, &frame, &bar, ch_text_of(map, "label"));
  fputs("</svg>", file);
  free(cells);
}
