// A column of grains behind a gate that is drawn up: how far it runs, and the slope that it leaves.
//
// A channel with smooth side walls, so that the flow is plane. Lube and others (2005) and Lajeunesse and others (2005)
// give the runout of a column of length L0 and height H = a L0, whatever the grains are made of:
//
//   (L - L0) / L0 = 1.2 a            a < 1.8
//                 = 1.9 a^(2/3)      a > 2.8
//
// A wide, low heap behind the same gate ends as a slope: the angle of repose, of friction and of resistance to rolling.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce/grain_scene.h"

static const double D = 0.01, WIDE = 4.0;       // diameter, m; width of the channel in diameters
#define STEP(run) ((run)->quick ? 1e-3 : 5e-4)  // s
enum { BINS = 200, COLUMNS = 6, FRICTIONS = 4 };

typedef struct Column {
  double length, height, mu;        // of the loose column, in diameters
  double rolling;                   // over a grain's mean radius
  double h, settle, flow, part[2];  // step; seconds at rest and after the gate has opened; progress
} Column;

typedef struct Deposit {
  double aspect, runout;  // H / L0 as settled; (L - L0) / L0
  double angle;           // of the slope, degrees
  double wedge;           // of the line from top to foot, degrees
  int grains;
  double kinetic;    // a grain's mean speed at the end, m/s
  double top[BINS];  // height of the surface over each diameter along the channel, in diameters
  double overlap;
} Deposit;

static double published_runout(double a) { return a < 2.3 ? 1.2 * a : 1.9 * pow(a, 2.0 / 3.0); }

static ChGrainScene column_scene(const Column* c) {
  double wide = WIDE * D, length = c->length * D, tall = c->height * D;
  const double pitch = 1.15;
  int layer = (int)floor(c->length / pitch) * (int)floor(WIDE / pitch);
  ChGrainScene s = {
      .name = "column",
      .diameter = D,
      .mu = c->mu,
      .rolling = c->rolling * 0.5 * D,
      .h = c->h,
      .walls = 4,
      .wall = {{{0, 0, 1}, -0.35 * D, true}, {{1, 0, 0}, 0, false}, {{0, 1, 0}, 0, false}, {{0, -1, 0}, -wide, false}},
      .plates = 1,
      .grains = layer * (int)round(c->height / pitch),
      .beads = {(int)(c->length * (1.0 + 1.5 * published_runout(c->height / c->length)) + 10.0), (int)WIDE},
      .low = {0, 0, 0.2 * D},
      .high = {length, wide, tall}};
  s.plate[0] = (ChGrainPlate){.centre = {length + D, 0.5 * wide, 0.75 * tall},
                              .half = {D, wide, 0.75 * tall},
                              .start = c->settle,
                              .speed = 5.0,
                              .way = 2.0 * tall};
  return s;
}

// Twice the height of the centre of mass: the height of a column of even density.
static double settled_height(const ChGrainRun* run) {
  double mass = 0.0, moment = 0.0;
  for (int k = 0; k < run->count; ++k) {
    mass += ch_grain_mass(run, k);
    moment += ch_grain_mass(run, k) * ch_grain_at(run, k).z;
  }
  return 2.0 * moment / mass;
}

// Where the deposit, followed from the back wall, first is less than half a layer of grains deep.
static double front(const ChGrainRun* run) {
  double depth[BINS] = {0};
  for (int k = 0; k < run->count; ++k) {
    int bin = (int)(ch_grain_at(run, k).x / D);
    if (bin >= 0 && bin < BINS) depth[bin] += ch_grain_mass(run, k) / ch_grain_density / (WIDE * D * D);
  }
  const double half_layer = 0.25 * D;
  int bin = 0;
  while (bin < BINS && depth[bin] >= half_layer) ++bin;
  double before = bin > 0 ? depth[bin - 1] : 0.0, after = bin < BINS ? depth[bin] : 0.0;
  double share = before > after ? (before - half_layer) / (before - after) : 0.0;
  return D * (bin - 0.5 + fmin(share, 1.0));
}

// The slope of the surface between a fifth and four fifths of its height.
static double slope(const ChGrainRun* run, double top[BINS]) {
  memset(top, 0, BINS * sizeof *top);
  double highest = 0.0, x[BINS], y[BINS];
  for (int k = 0; k < run->count; ++k) {
    ChVec3 at = ch_grain_at(run, k);
    int bin = (int)(at.x / D);
    if (bin >= 0 && bin < BINS) top[bin] = fmax(top[bin], (at.z + run->radius[k]) / D);
  }
  for (int k = 0; k < BINS; ++k) highest = fmax(highest, top[k]);
  int count = 0;
  for (int k = 0; k < BINS; ++k)
    if (top[k] > 0.2 * highest && top[k] < 0.8 * highest) x[count] = k, y[count++] = top[k];
  return count > 2 ? atan(-ch_line_fit(count, x, y).b) * 180.0 / M_PI : NAN;
}

// The slope of the line from the top of a heap to its foot: steep heaps have too few bins for a fit.
static double wedge(const ChGrainRun* run, const double top[BINS]) {
  double highest = 0.0;
  for (int k = 0; k < BINS; ++k) highest = fmax(highest, top[k]);
  return atan2(highest * D, front(run)) * 180.0 / M_PI;
}

static ChStatus release(ChItemRun* item, const Column* c, ChOurRun* how, Deposit* out) {
  ChGrainScene scene = column_scene(c);
  ChGrainRun run;
  double middle = c->part[0] + 0.3 * (c->part[1] - c->part[0]);
  ChStatus status = ch_grain_run_begin(item, &scene, &run);
  *out = (Deposit){.grains = scene.grains};
  if (status == CH_OK) status = ch_grain_run_until(&run, c->settle, (double[]){c->part[0], middle}, NULL, NULL);
  if (status == CH_OK) out->aspect = settled_height(&run) / (c->length * D);
  if (status == CH_OK)
    status = ch_grain_run_until(&run, c->settle + c->flow, (double[]){middle, c->part[1]}, NULL, NULL);
  if (status == CH_OK) {
    out->runout = front(&run) / (c->length * D) - 1.0;
    out->angle = slope(&run, out->top);
    out->wedge = wedge(&run, out->top);
    out->overlap = run.overlap;
    double mass = 0.0;
    for (int k = 0; k < run.count; ++k) mass += ch_grain_mass(&run, k);
    out->kinetic = sqrt(2.0 * ch_simulation_info(run.simulation).kinetic / mass);
    ch_grain_count(how, &run);
  }
  ch_grain_run_end(&run);
  return status;
}

// --- runout ----------------------------------------------------------------------------------------------------------

static void chart_runout(ChItemRun* run, int count, const Deposit* d) {
  double a[COLUMNS], runout[COLUMNS], low[2][2] = {{0.3, 2.3}, {0}}, high[2][2] = {{2.3, 8.0}, {0}};
  for (int k = 0; k < count; ++k) a[k] = d[k].aspect, runout[k] = d[k].runout;
  for (int k = 0; k < 2; ++k) {
    low[1][k] = 1.2 * low[0][k];
    high[1][k] = 1.9 * pow(high[0][k], 2.0 / 3.0);
  }
  ChChart* chart = ch_report_chart(run->report, "Runout of a plane column over its aspect ratio.", "a = H / L0 [1]",
                                   "(L - L0) / L0 [1]", CH_CHART_LOG_X | CH_CHART_LOG_Y);
  ch_chart_points(chart, "simulated", count, a, runout);
  ch_chart_line(chart, "1.2 a", 2, low[0], low[1]);
  ch_chart_line(chart, "1.9 a^(2/3)", 2, high[0], high[1]);
}

static void judge_runout(ChItemRun* run, int count, const Deposit* d, const ChOurRun* how) {
  double lx[COLUMNS], ly[COLUMNS], factor = 1.0, slow = 0.0, overlap = 0.0;
  int low = 0, high = 0;
  for (int k = 0; k < count; ++k) {
    double ratio = d[k].runout / published_runout(d[k].aspect);
    factor = fmax(factor, fmax(ratio, 1.0 / ratio));
    slow = fmax(slow, d[k].kinetic);
    overlap = fmax(overlap, d[k].overlap);
    if (d[k].aspect < 2.3) lx[low] = log(d[k].aspect), ly[low++] = log(d[k].runout);
  }
  ChLineFit fit[2];
  fit[0] = ch_line_fit(low, lx, ly);
  for (int k = 0; k < count; ++k)
    if (d[k].aspect >= 2.3) lx[high] = log(d[k].aspect), ly[high++] = log(d[k].runout);
  fit[1] = ch_line_fit(high, lx, ly);
  ChReport* report = run->report;
  ch_report_row(report, "runout of columns, each",
                (ChFacts){.printed = "1.2 a, and 1.9 a^(2/3) of tall ones",
                          .ours = ch_report_say(report,
                                                "within a factor of %.2f; grains creep at %.1g m/s at the end, "
                                                "largest overlap %.2g %% of a radius",
                                                factor, slow, 100.0 * overlap),
                          .run = *how,
                          .rule = "every column within a factor of 1.3",
                          .met = factor < 1.3,
                          .reason = "columns of few grains: the front is a grain thick where a layer begins"});
  if (low > 1)
    ch_report_row(report, "exponent of a, low columns",
                  (ChFacts){.printed = "1",
                            .ours = ch_report_say(report, "%.2f, fitted over %d columns; left over %.0f %%", fit[0].b,
                                                  low, 100.0 * fit[0].rms),
                            .run = *how,
                            .rule = "within 0.15",
                            .met = fabs(fit[0].b - 1.0) < 0.15,
                            .reason = "columns of few grains, few columns"});
  if (high > 1)
    ch_report_row(report, "exponent of a, tall columns",
                  (ChFacts){.printed = "2/3",
                            .ours = ch_report_say(report, "%.2f, fitted over %d columns; left over %.0f %%", fit[1].b,
                                                  high, 100.0 * fit[1].rms),
                            .run = *how,
                            .rule = "within 0.15",
                            .met = fabs(fit[1].b - 2.0 / 3.0) < 0.15,
                            .reason = "columns of few grains, few columns"});
}

static ChStatus run_collapse(ChItemRun* run) {
  const double height[COLUMNS] = {10.0, 14.0, 20.0, 27.0, 36.0, 46.0};
  int count = run->quick ? 2 : COLUMNS;
  Deposit deposit[COLUMNS];
  ChOurRun how = {.changed = run->quick ? "two columns of few grains" : NULL};
  ch_report_text(run->report,
                 "A column of grains, H high and L0 long, stands in a channel behind a gate that is drawn up. It "
                 "collapses and runs out to L. Experiments find (L - L0) / L0 = 1.2 a up to a = H / L0 = 1.8 and "
                 "1.9 a^(2/3) beyond 2.8, whatever the grains are made of.");
  ch_report_choice(
      run->report, "column",
      "L0 = 8 grains of %g mm (diameters spread by 10 %%), channel 4 grains wide with smooth sides and "
      "back on a floor of beads that never move, mu = 0.5. Columns are seven grains high at "
      "least (of 3 and 5 grains the runout was too short by factors of 3 and 2). Experiments have L0 of 30 "
      "grains and more. The gate rises at 5 m/s "
      "and has no friction. H is twice the height of the centre of mass, L where half a layer of grains "
      "ends.",
      1e3 * D);
  for (int k = 0; k < count; ++k) {
    Column c = {.length = 8.0,
                .height = run->quick ? 0.5 * height[k] : height[k],
                .mu = 0.5,
                .h = STEP(run),
                .settle = run->quick ? 0.1 : 0.25};
    c.flow = run->quick ? 0.3 : 0.8;
    c.part[0] = (double)k / count, c.part[1] = (k + 1.0) / count;
    ChStatus status = release(run, &c, &how, &deposit[k]);
    if (status != CH_OK || !ch_item_progress(run, c.part[1])) return status;
  }
  chart_runout(run, count, deposit);
  judge_runout(run, count, deposit, &how);
  return CH_OK;
}

const ChItem ch_item_granular_collapse = {
    .name = "granular-collapse",
    .title = "Runout of a collapsing column",
    .source = "Lube and others 2005, Phys. Rev. E 72, 041301; Lajeunesse and others 2005, Phys. Fluids 17, 103302",
    .run = run_collapse,
};

// --- repose ----------------------------------------------------------------------------------------------------------

static ChStatus run_repose(ChItemRun* run) {
  double mu[FRICTIONS] = {0.1, 0.3, 0.5, 0.8}, angle[FRICTIONS], x[FRICTIONS][BINS], y[FRICTIONS][BINS];
  int first = run->quick ? 2 : 0, last = run->quick ? 3 : FRICTIONS;
  ChOurRun how = {.changed = run->quick ? "a smaller heap, one friction" : NULL};
  ch_report_text(run->report,
                 "A heap behind a gate that is drawn up slides until it rests: the angle of repose. Spheres that roll "
                 "freely rest at 20 to 26 degrees (glass beads), which grows with friction and levels off.");
  ch_report_choice(run->report, "heap", "%d grains long, %d high, in the channel of granular-collapse.",
                   run->quick ? 10 : 16, run->quick ? 6 : 11);
  ChChart* chart = NULL;
  for (int k = first; k < last; ++k) {
    Column c = {.length = run->quick ? 10.0 : 16.0, .height = run->quick ? 6.0 : 11.0, .mu = mu[k]};
    Deposit d;
    c.h = STEP(run), c.settle = 0.15, c.flow = run->quick ? 0.3 : 0.8;
    c.part[0] = (double)(k - first) / (last - first), c.part[1] = (k + 1.0 - first) / (last - first);
    ChStatus status = release(run, &c, &how, &d);
    if (status != CH_OK || !ch_item_progress(run, c.part[1])) return status;
    angle[k] = d.angle;
    int bins = 0;
    for (; bins < BINS && d.top[bins] > 0.0; ++bins) x[k][bins] = bins + 0.5, y[k][bins] = d.top[bins];
    if (!chart)
      chart = ch_report_chart(run->report, "The surface that is left behind.", "x [grains]", "height [grains]",
                              CH_CHART_EQUAL);
    ch_chart_line(chart, ch_report_say(run->report, "mu = %g: %.1f degrees", mu[k], angle[k]), bins, x[k], y[k]);
  }
  ch_report_row(run->report, "angle of repose, mu = 0.5",
                (ChFacts){.printed = "20 to 26 degrees, glass beads",
                          .ours = ch_report_say(run->report, "%.1f degrees", angle[2]),
                          .run = how,
                          .rule = "in that range",
                          .met = angle[2] >= 20.0 && angle[2] <= 26.0,
                          .reason = "the heap is small; beads are rough, too, and rolling costs them something"});
  if (!run->quick)
    ch_report_row(
        run->report, "angle of repose over mu",
        (ChFacts){.printed = "grows with mu and levels off",
                  .ours = ch_report_say(run->report, "%.1f, %.1f, %.1f, %.1f degrees at mu = 0.1, 0.3, 0.5, 0.8",
                                        angle[0], angle[1], angle[2], angle[3]),
                  .run = how,
                  .rule = "grows up to 0.5, and from there by less than half of its growth from 0.1 to 0.5",
                  .met = angle[0] < angle[1] && angle[1] < angle[2] &&
                         fabs(angle[3] - angle[2]) < 0.5 * (angle[2] - angle[0]),
                  .reason = "one small heap each: the angle scatters by a degree or two"});
  return CH_OK;
}

const ChItem ch_item_granular_repose = {
    .name = "granular-repose",
    .title = "Angle of repose",
    .source = "Albert and others 1997, Phys. Rev. E 56, R6271; Zhou and others 2002, Powder Technology 125, 45",
    .run = run_repose,
};

// --- repose of grains that do not roll freely ------------------------------------------------------------------------

enum { ROLLINGS = 6 };

static void judge_rolling(ChItemRun* run, int count, const double* rolling, const double* angle, double slow,
                          const ChOurRun* how) {
  int falls = 0;
  for (int k = 1; k < count; ++k) falls += angle[k] < angle[k - 1] - 1.0;
  ChReport* report = run->report;
  ch_report_row(
      report, "angle of repose over mu_r",
      (ChFacts){.printed = "grows with mu_r",
                .ours = ch_report_say(report,
                                      "%.1f degrees where grains roll freely, %.1f at mu_r = %g R; grains creep at "
                                      "%.1g m/s at the end",
                                      angle[0], angle[count - 1], rolling[count - 1], slow),
                .run = *how,
                .rule = "more at the end than at the start, and nowhere less than a degree below the one before",
                .met = angle[count - 1] > angle[0] && falls == 0,
                .reason = "one small heap each: the angle scatters by a degree or two"});
}

static ChStatus run_rolling(ChItemRun* run) {
  const double rolling[ROLLINGS] = {0.0, 0.02, 0.05, 0.1, 0.2, 0.4}, brief[2] = {0.0, 0.2};
  const double* used = run->quick ? brief : rolling;
  const int count = run->quick ? 2 : ROLLINGS;
  double angle[ROLLINGS], slow = 0.0, range[2][2] = {{20.0, 20.0}, {26.0, 26.0}};
  ChOurRun how = {.changed = run->quick ? "a smaller heap, two coefficients" : NULL};
  ch_report_text(
      run->report,
      "A heap as in granular-repose, but its grains resist rolling with a moment of at most mu_r times their normal "
      "force. Zhou and others find by simulation that the angle grows with the coefficients of sliding and of "
      "rolling friction, and falls with the size of the grains and the width of the channel. Glass beads, which roll "
      "nearly freely, rest at 20 to 26 degrees (Albert and others).");
  ch_report_choice(run->report, "heap",
                   "%d grains long, %d high, in the channel of granular-collapse, mu = 0.5; R is the mean radius, h = "
                   "1 ms. The angle "
                   "is that of the line from the top of the heap to its foot.",
                   run->quick ? 6 : 12, run->quick ? 4 : 8);
  for (int k = 0; k < count; ++k) {
    Column c = {.length = run->quick ? 6.0 : 12.0, .height = run->quick ? 4.0 : 8.0, .mu = 0.5, .rolling = used[k]};
    Deposit d;
    c.h = 1e-3, c.settle = run->quick ? 0.05 : 0.12, c.flow = run->quick ? 0.15 : 0.6;
    c.part[0] = (double)k / count, c.part[1] = (k + 1.0) / count;
    ChStatus status = release(run, &c, &how, &d);
    if (status != CH_OK || !ch_item_progress(run, c.part[1])) return status;
    angle[k] = d.wedge;
    slow = fmax(slow, d.kinetic);
  }
  ChChart* chart = ch_report_chart(run->report, "Angle of repose over the resistance to rolling.", "mu_r / R [1]",
                                   "angle [degrees]", 0);
  const double ends[2] = {used[0], used[count - 1]};
  ch_chart_points(chart, "simulated", count, used, angle);
  ch_chart_line(chart, "glass beads, least", 2, ends, range[0]);
  ch_chart_line(chart, "glass beads, most", 2, ends, range[1]);
  judge_rolling(run, count, used, angle, slow, &how);
  return CH_OK;
}

const ChItem ch_item_granular_rolling = {
    .name = "granular-rolling",
    .title = "Angle of repose over the resistance to rolling",
    .source = "Zhou and others 2001, Phys. Rev. E 64, 021301; Albert and others 1997, Phys. Rev. E 56, R6271",
    .run = run_rolling,
};
