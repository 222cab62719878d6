// A chart: lines and points over two axes, with a legend that tells series apart by colour, dash and mark.
#include <math.h>
#include <string.h>

#include "reproduce/findings.h"
#include "reproduce/svg.h"

enum { COLOURS = 8, MARKS = 5, FEW_POINTS = 16 };
static const double WIDTH = 460.0, HEIGHT = 300.0;

typedef struct Range {
  double low, high;
} Range;

static double number_at(const json_t* list, size_t k) {
  const json_t* value = json_array_get(list, k);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

static Range range_of(const json_t* series, const char* key, bool log) {
  Range range = {INFINITY, -INFINITY};
  for (size_t s = 0; s < json_array_size(series); ++s) {
    const json_t* list = json_object_get(json_array_get(series, s), key);
    for (size_t k = 0; k < json_array_size(list); ++k) {
      double value = number_at(list, k);
      if (!isfinite(value) || (log && !(value > 0.0))) continue;
      range.low = fmin(range.low, value);
      range.high = fmax(range.high, value);
    }
  }
  return range;
}

// A little room, so that no line lies on the frame; zero stays zero.
static Range with_room(Range range, bool log) {
  double room = log ? pow(range.high / range.low, 0.03) : 0.03 * (range.high - range.low);
  if (!isfinite(room)) return range;
  if (log) return (Range){range.low / room, range.high * room};
  return (Range){range.low == 0.0 ? 0.0 : range.low - room, range.high == 0.0 ? 0.0 : range.high + room};
}

// One unit as long on both axes: the shorter range is widened around its middle.
static void make_equal(Range* x, Range* y, double width, double height) {
  double scale = fmax((x->high - x->low) / width, (y->high - y->low) / height);
  if (!(scale > 0.0) || !isfinite(scale)) return;
  double x_mid = 0.5 * (x->low + x->high), y_mid = 0.5 * (y->low + y->high);
  *x = (Range){x_mid - 0.5 * scale * width, x_mid + 0.5 * scale * width};
  *y = (Range){y_mid - 0.5 * scale * height, y_mid + 0.5 * scale * height};
}

static void put_mark(FILE* file, int shape, double x, double y) {
  switch (shape % MARKS) {
    case 0:
      fprintf(file, "M%.1f %.1fa3 3 0 1 0 6 0a3 3 0 1 0-6 0", x - 3.0, y);
      break;
    case 1:
      fprintf(file, "M%.1f %.1fh5.4v5.4h-5.4z", x - 2.7, y - 2.7);
      break;
    case 2:
      fprintf(file, "M%.1f %.1fl3.5 6h-7z", x, y - 3.6);
      break;
    case 3:
      fprintf(file, "M%.1f %.1fl3.8 3.8l-3.8 3.8l-3.8-3.8z", x, y - 3.8);
      break;
    default:
      fprintf(file, "M%.1f %.1fl3.5-6h-7z", x, y + 3.6);
  }
}

// Points nearer than a third of a pixel to the last one are not seen.
static void put_line(FILE* file, const json_t* xs, const json_t* ys, const ChAxis* x, const ChAxis* y, int index) {
  fprintf(file, "<path class=\"line s%d d%d\" d=\"", index % COLOURS, index % COLOURS);
  bool pen_down = false;
  double last_x = 0.0, last_y = 0.0;
  size_t count = json_array_size(xs);
  for (size_t k = 0; k < count; ++k) {
    double a = number_at(xs, k), b = number_at(ys, k);
    if (!ch_axis_takes(x, a) || !ch_axis_takes(y, b)) {
      pen_down = false;
      continue;
    }
    double px = ch_axis_place(x, a), py = ch_axis_place(y, b);
    if (pen_down && k + 1 < count && hypot(px - last_x, py - last_y) < 0.3) continue;
    fprintf(file, "%c%.1f %.1f", pen_down ? 'L' : 'M', px, py);
    pen_down = true;
    last_x = px, last_y = py;
  }
  fputs("\"/>", file);
}

static void put_points(FILE* file, const json_t* xs, const json_t* ys, const ChAxis* x, const ChAxis* y, int index) {
  fprintf(file, "<path class=\"mark s%d\" d=\"", index % COLOURS);
  for (size_t k = 0; k < json_array_size(xs); ++k) {
    double a = number_at(xs, k), b = number_at(ys, k);
    if (ch_axis_takes(x, a) && ch_axis_takes(y, b)) put_mark(file, index, ch_axis_place(x, a), ch_axis_place(y, b));
  }
  fputs("\"/>", file);
}

static bool is_line(const json_t* series) { return strcmp(ch_text_of(series, "kind"), "line") == 0; }

static bool has_marks(const json_t* series) {
  return !is_line(series) || json_array_size(json_object_get(series, "x")) <= FEW_POINTS;
}

// What stands for a series in the legend, in a box of 28 x 10.
static void put_sample(FILE* file, const json_t* one, int index) {
  if (is_line(one)) fprintf(file, "<path class=\"line s%d d%d\" d=\"M1 5H27\"/>", index % COLOURS, index % COLOURS);
  if (!has_marks(one)) return;
  fprintf(file, "<path class=\"mark s%d\" d=\"", index % COLOURS);
  put_mark(file, index, 14.0, 5.0);
  fputs("\"/>", file);
}

static void put_legend(FILE* file, const json_t* series) {
  fputs("<ul class=\"legend\">", file);
  for (size_t k = 0; k < json_array_size(series); ++k) {
    const json_t* one = json_array_get(series, k);
    fputs("<li><svg viewBox=\"0 0 28 10\">", file);
    put_sample(file, one, (int)k);
    fputs("</svg>", file);
    ch_html_put(file, ch_text_of(one, "name"));
    fputs("</li>", file);
  }
  fputs("</ul>", file);
}

// Wide enough for the longest label of the axis.
static double left_margin(const ChAxis* y) {
  size_t longest = 0;
  for (int k = 0; k < y->ticks; ++k) {
    size_t characters = 0;
    for (const char* c = y->label[k]; *c; ++c) characters += ((unsigned char)*c & 0xC0) != 0x80;
    if (characters > longest) longest = characters;
  }
  return 30.0 + 6.2 * (double)longest;
}

static void put_plot(FILE* file, const json_t* chart) {
  const json_t* series = json_object_get(chart, "series");
  bool log_x = json_is_true(json_object_get(chart, "log_x")), log_y = json_is_true(json_object_get(chart, "log_y"));
  bool equal = json_is_true(json_object_get(chart, "equal")) && !log_x && !log_y;
  ChPlotFrame frame = {WIDTH, HEIGHT, 0.0, WIDTH - 12.0, 8.0, HEIGHT - 36.0};
  Range xs = with_room(range_of(series, "x", log_x), log_x), ys = with_room(range_of(series, "y", log_y), log_y);
  if (equal) make_equal(&xs, &ys, frame.right - 50.0, frame.bottom - frame.top);
  ChAxis y = ch_axis_make(ys.low, ys.high, log_y, frame.bottom, frame.top, 5);
  frame.left = equal ? 50.0 : left_margin(&y);
  ChAxis x = ch_axis_make(xs.low, xs.high, log_x, frame.left, frame.right, 6);
  ch_svg_frame(file, &frame, &x, &y, ch_text_of(chart, "x"), ch_text_of(chart, "y"), true);
  for (size_t k = 0; k < json_array_size(series); ++k) {
    const json_t* one = json_array_get(series, k);
    const json_t *px = json_object_get(one, "x"), *py = json_object_get(one, "y");
    fputs("<g><title>", file);
    ch_html_put(file, ch_text_of(one, "name"));
    fputs("</title>", file);
    if (is_line(one)) put_line(file, px, py, &x, &y, (int)k);
    if (has_marks(one)) put_points(file, px, py, &x, &y, (int)k);
    fputs("</g>", file);
  }
  fputs("</svg>", file);
}

void ch_svg_chart(FILE* file, const json_t* chart) {
  const json_t* series = json_object_get(chart, "series");
  if (json_array_size(series) > 1) put_legend(file, series);
  put_plot(file, chart);
}

// --- a file of its own -----------------------------------------------------------------------------------------------

// What the page's style sheet says of charts, without variables, which drawing programs do not know.
static void put_style(FILE* file) {
  static const char* const colours[COLOURS] = {"#0072b2", "#d55e00", "#00805c", "#b6548c",
                                               "#8a6d00", "#3a9bd9", "#7a4b2a", "#4d4d4d"};
  static const char* const dashes[COLOURS] = {"none", "7 4", "2 4", "9 4 2 4", "4 3", "1 3", "12 4", "6 3 1 3 1 3"};
  fputs(
      "<style>text{font:11px system-ui,'DejaVu Sans',sans-serif;fill:#5d626b}.x{text-anchor:middle}"
      ".y{text-anchor:end}.label,.title{fill:#1b1d21}path{fill:none}.grid{stroke:#e9e5dc}.axis,.tick{stroke:#5d626b}"
      ".line{stroke-width:1.7;stroke-linejoin:round}.mark{stroke:#fff;stroke-width:.7}",
      file);
  for (int k = 0; k < COLOURS; ++k)
    fprintf(file, ".line.s%d{stroke:%s}.mark.s%d{fill:%s}.d%d{stroke-dasharray:%s}", k, colours[k], k, colours[k], k,
            dashes[k]);
  fputs("</style>", file);
}

void ch_svg_chart_file(FILE* file, const json_t* chart) {
  const json_t* series = json_object_get(chart, "series");
  const double line = 16.0, top = 22.0;
  size_t names = json_array_size(series) > 1 ? json_array_size(series) : 0;
  double above = top + line * (double)names, height = above + HEIGHT;
  fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\">",
          WIDTH, height, 1.5 * WIDTH, 1.5 * height);
  put_style(file);
  fprintf(file, "<rect width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/><text class=\"title\" x=\"8\" y=\"15\">", WIDTH,
          height);
  ch_html_put(file, ch_text_of(chart, "caption"));
  fputs("</text>", file);
  for (size_t k = 0; k < names; ++k) {
    double y = top + line * (double)k;
    fprintf(file, "<svg x=\"8\" y=\"%.1f\" width=\"28\" height=\"10\">", y);
    put_sample(file, json_array_get(series, k), (int)k);
    fprintf(file, "</svg><text x=\"42\" y=\"%.1f\">", y + 9.0);
    ch_html_put(file, ch_text_of(json_array_get(series, k), "name"));
    fputs("</text>", file);
  }
  fprintf(file, "<svg x=\"0\" y=\"%.1f\" width=\"%.0f\" height=\"%.0f\">", above, WIDTH, HEIGHT);
  put_plot(file, chart);
  fputs("</svg></svg>\n", file);
}
