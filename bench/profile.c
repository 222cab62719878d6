// Performance profiles (Dolan and More 2002) as SVG.
//
//   rho_s(tau) = share of problems p with  seconds(p, s) <= tau * min over the drawn solvers of seconds(p, .)
//
// The height at tau = 1 says how often a solver is the fastest, the height at the right how often it solves at all.
// Only solvers that take every problem are drawn, and "fastest peer": the best of all Siconos solvers problem by
// problem, a solver that nobody has.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results.h"

enum { CURVES_MOST = 12, PEERS_MOST = 8, FASTEST_PEER = -1 };

static const double WIDTH = 900.0, HEIGHT = 520.0;
static const double LEFT = 70.0, RIGHT = 650.0, TOP = 50.0, BOTTOM = 460.0;
static const double DECADES = 4.0;  // tau from 1 to 10^4

static const char* const COLOURS_OURS[] = {"#b30000", "#e8590c", "#f2a600", "#8d5524"};
static const char* const COLOURS_PEERS[] = {"#08519c", "#238b45", "#6a51a3", "#41ab9d",
                                            "#7a7a7a", "#4292c6", "#a1c349", "#b07aa1"};

typedef struct Curve {
  int solver;  // FASTEST_PEER for the best of the peers
  const char* name;
  const char* colour;
  bool ours;
  double area;
  double* ratios;  // sorted; INFINITY where it fails
} Curve;

static double seconds_of(const ChResults* results, int p, int solver, int t) {
  if (solver == FASTEST_PEER) solver = ch_results_best_peer(results, p, t, false);
  return solver < 0 ? INFINITY : ch_results_seconds(results, p, solver, t, false);
}

// The fastest of all solvers that the run had.
static double seconds_least(const ChResults* results, int p, int t) {
  double least = INFINITY;
  for (int s = 0; s < results->solver_count; ++s) least = fmin(least, seconds_of(results, p, s, t));
  return least;
}

static int ascending(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// Fills in the ratios of a curve and returns how many problems there are.
static int curve_fill(const ChResults* results, int t, Curve* curve) {
  int n = 0;
  curve->area = 0.0;
  for (int p = 0; p < results->problem_count; ++p) {
    if (!ch_results_counts(results, p)) continue;
    double ratio = seconds_of(results, p, curve->solver, t) / seconds_least(results, p, t);
    curve->ratios[n] = isfinite(ratio) ? ratio : INFINITY;
    if (isfinite(ratio)) curve->area += fmax(0.0, DECADES - log10(ratio));
    ++n;
  }
  qsort(curve->ratios, (size_t)n, sizeof(double), ascending);
  return n;
}

// A solver that some problems were not given to has no curve: its share would say nothing.
static bool ran_everywhere(const ChResults* results, int s, int t) {
  for (int p = 0; p < results->problem_count; ++p)
    if (ch_results_counts(results, p) && ch_results_cell(results, p, s, t)->outcome == CH_OUTCOME_NOT_RUN) return false;
  return true;
}

// Ours before theirs, auto before all, then by area.
static int larger_area_first(const void* a, const void* b) {
  const Curve *x = a, *y = b;
  if (x->ours != y->ours) return x->ours ? -1 : 1;
  bool first = !strcmp(x->name, "auto"), second = !strcmp(y->name, "auto");
  if (first != second) return first ? -1 : 1;
  return (x->area < y->area) - (x->area > y->area);
}

// Our solvers, the fastest peer, and the peers with the most area under their curve.
static int curves_choose(const ChResults* results, int t, Curve* curves, int* n) {
  int count = 0, kept = 0, ours = 0, peers = 0;
  Curve all[CH_SOLVERS_MOST + 1];
  for (int s = FASTEST_PEER; s < results->solver_count; ++s) {
    bool fastest = s == FASTEST_PEER;
    if (!fastest && !ran_everywhere(results, s, t)) continue;
    all[count] = (Curve){.solver = s,
                         .name = fastest ? "fastest peer" : results->solvers[s].name,
                         .ours = !fastest && results->solvers[s].ours,
                         .ratios = malloc(((size_t)results->problem_count + 1) * sizeof(double))};
    if (!all[count].ratios) break;
    *n = curve_fill(results, t, &all[count]);
    ++count;
  }
  qsort(all, (size_t)count, sizeof(Curve), larger_area_first);
  for (int i = 0; i < count; ++i) {
    bool wanted = kept < CURVES_MOST && (all[i].ours ? ours < 4 : peers < PEERS_MOST);
    if (!wanted) {
      free(all[i].ratios);
      continue;
    }
    all[i].colour = all[i].solver == FASTEST_PEER ? "#000000"
                    : all[i].ours                 ? COLOURS_OURS[ours++]
                                                  : COLOURS_PEERS[peers++];
    curves[kept++] = all[i];
  }
  return kept;
}

static double place_x(double ratio) { return LEFT + (RIGHT - LEFT) * fmin(log10(ratio) / DECADES, 1.0); }
static double place_y(double share) { return BOTTOM - (BOTTOM - TOP) * share; }

static void draw_frame(FILE* out, double tolerance, int n) {
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\" "
          "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
          WIDTH, HEIGHT, WIDTH, HEIGHT);
  fprintf(out,
          "<text x=\"%g\" y=\"28\" font-size=\"16\">Share of %d problems solved to %g within tau times the "
          "fastest</text>\n",
          LEFT, n, tolerance);
  for (int i = 0; i <= 5; ++i) {
    double y = place_y(i / 5.0);
    fprintf(out, "<path d=\"M%g %gH%g\" stroke=\"#dddddd\"/><text x=\"%g\" y=\"%g\" text-anchor=\"end\">%d %%</text>\n",
            LEFT, y, RIGHT, LEFT - 8.0, y + 4.0, 20 * i);
  }
  for (int i = 0; i <= (int)DECADES; ++i) {
    double x = place_x(pow(10.0, i));
    fprintf(out, "<path d=\"M%g %gV%g\" stroke=\"#dddddd\"/><text x=\"%g\" y=\"%g\" text-anchor=\"middle\">%g</text>\n",
            x, TOP, BOTTOM, x, BOTTOM + 18.0, pow(10.0, i));
  }
  fprintf(out, "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">tau: times the seconds of the fastest solver</text>\n",
          0.5 * (LEFT + RIGHT), BOTTOM + 42.0);
}

static void draw_curve(FILE* out, const Curve* curve, int n, int rank) {
  const char* dash = curve->ours                     ? ""
                     : curve->solver == FASTEST_PEER ? " stroke-dasharray=\"2 3\""
                                                     : " stroke-dasharray=\"7 3\"";
  double width = curve->ours && rank == 0 ? 3.5 : 2.0;
  int solved = 0;
  fprintf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%g\"%s d=\"M%.1f %.1f", curve->colour, width, dash,
          place_x(1.0), place_y(0.0));
  for (int i = 0; i < n && isfinite(curve->ratios[i]); ++i) {
    ++solved;
    if (log10(curve->ratios[i]) > DECADES) continue;
    fprintf(out, "H%.1fV%.1f", place_x(fmax(1.0, curve->ratios[i])), place_y((i + 1.0) / n));
  }
  fprintf(out, "H%.1f\"/>\n", RIGHT);
  double y = TOP + 14.0 + 26.0 * rank;
  fprintf(out,
          "<path d=\"M%g %gh34\" stroke=\"%s\" stroke-width=\"%g\"%s/><text x=\"%g\" y=\"%g\">%s (%d of %d)</text>\n",
          RIGHT + 22.0, y, curve->colour, width, dash, RIGHT + 64.0, y + 4.5, curve->name, solved, n);
}

bool ch_profile_svg(const ChResults* results, int tolerance, const char* path) {
  FILE* out = fopen(path, "w");
  if (!out) return false;
  Curve curves[CURVES_MOST];
  int n = 0, count = curves_choose(results, tolerance, curves, &n);
  draw_frame(out, results->tolerances[tolerance], n);
  for (int i = count - 1; i >= 0; --i) draw_curve(out, &curves[i], n, i);
  for (int i = 0; i < count; ++i) free(curves[i].ratios);
  fprintf(out, "</svg>\n");
  return fclose(out) == 0;
}
