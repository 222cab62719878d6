// Performance profiles: see solve_profile.h.
//
//   rho_m(tau) = share of the files f with  cost(f, m) <= tau * min over the methods of cost(f, .)
//
// The height at tau = 1 says how often a method is the cheapest, the height at the right how often it solves at all.
#include "cli/solve_profile.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "common/json.h"
#include "reproduce/svg.h"

static const double PANEL_WIDTH = 690.0, PANEL_HEIGHT = 490.0, LINE = 24.0;  // as svg_chart.c draws a file
static const double LEAST_TAU = 2.0;                                         // to the right, where all are alike

static int ascending(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// Times the cheapest of the file: 1 for the cheapest itself, infinite where it is not solved; NaN where none was read.
static double ratio_of(const ChSolveProfile* p, const double* cost, int file, int method) {
  const double* row = cost + (size_t)file * p->method_count;
  double least = INFINITY;
  for (int m = 0; m < p->method_count; ++m) least = fmin(least, row[m]);
  if (isnan(row[method])) return NAN;
  if (!isfinite(row[method])) return INFINITY;
  return least > 0.0 ? row[method] / least : 1.0;  // a problem of nothing costs nobody anything
}

static int fill_ratios(const ChSolveProfile* p, const double* cost, int method, double* out) {
  int count = 0;
  for (int f = 0; f < p->file_count; ++f) {
    double ratio = ratio_of(p, cost, f, method);
    if (!isnan(ratio)) out[count++] = ratio;
  }
  qsort(out, (size_t)count, sizeof *out, ascending);
  return count;
}

static void add_point(json_t* x, json_t* y, double tau, double share) {
  json_array_append_new(x, ch_json_real(tau));
  json_array_append_new(y, ch_json_real(share));
}

// The steps of one curve, to `right`.
static json_t* curve_json(const char* name, const double* ratio, int count, double right) {
  json_t *x = json_array(), *y = json_array();
  int solved = 0;
  while (solved < count && ratio[solved] <= 1.0) ++solved;
  add_point(x, y, 1.0, (double)solved / count);
  for (; solved < count && isfinite(ratio[solved]); ++solved) {
    add_point(x, y, ratio[solved], (double)solved / count);
    add_point(x, y, ratio[solved], (solved + 1.0) / count);
  }
  add_point(x, y, right, (double)solved / count);
  char text[128];
  snprintf(text, sizeof text, "%s (%d of %d)", name, solved, count);
  return json_pack("{s:s, s:s, s:o, s:o}", "name", text, "kind", "line", "x", x, "y", y);
}

static json_t* chart_json(const ChSolveProfile* p, const double* cost, const char* what, double* ratio) {
  double right = LEAST_TAU;
  int count = 0;
  for (int m = 0; m < p->method_count; ++m) {
    count = fill_ratios(p, cost, m, ratio);
    for (int k = 0; k < count; ++k)
      if (isfinite(ratio[k])) right = fmax(right, 1.1 * ratio[k]);
  }
  json_t* series = json_array();
  for (int m = 0; count > 0 && m < p->method_count; ++m) {
    fill_ratios(p, cost, m, ratio);
    json_array_append_new(series, curve_json(p->method[m], ratio, count, right));
  }
  char caption[128], label[64];
  snprintf(caption, sizeof caption, "Share of %d problems solved to %g, by %s", count, p->tolerance, what);
  snprintf(label, sizeof label, "times the least %s", what);
  return json_pack("{s:s, s:s, s:s, s:b, s:b, s:b, s:o}", "caption", caption, "x", label, "y", "share of the problems",
                   "log_x", 1, "log_y", 0, "equal", 0, "series", series);
}

void ch_solve_profile_put(FILE* file, const void* state) {
  const ChSolveProfile* p = state;
  const struct {
    const char* what;
    const double* cost;
  } panels[] = {{"work", p->work}, {"time", p->seconds}};
  double* ratio = malloc(((size_t)p->file_count + 1) * sizeof *ratio);
  double height = PANEL_HEIGHT + LINE * p->method_count;
  fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\">",
          2.0 * PANEL_WIDTH, height, 2.0 * PANEL_WIDTH, height);
  fprintf(file, "<rect width=\"%g\" height=\"%g\" fill=\"#fff\"/>", 2.0 * PANEL_WIDTH, height);
  for (int k = 0; ratio && k < 2; ++k) {
    json_t* chart = chart_json(p, panels[k].cost, panels[k].what, ratio);
    fprintf(file, "<g transform=\"translate(%g 0)\">", k * PANEL_WIDTH);
    if (chart) ch_svg_chart_file(file, chart);
    fputs("</g>", file);
    json_decref(chart);
  }
  fputs("</svg>\n", file);
  free(ratio);
}
