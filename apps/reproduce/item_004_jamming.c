// 004, section 7.3.3, Fig 7.4: deformable and rigid bodies dropped into tight gaps jam there, the less the smaller the
// coefficient of friction.
//
// Bars of rising tilt come down between two walls that lean by alpha; what is not held turns upright and passes. A
// rigid bar that touches them at (x1, z1) and (x2, z2) from its centre can be in balance when, mu = tan(phi),
//   -x1 tan(alpha + phi) >= x2 tan(alpha - phi) + z2 - z1
// (scene/builtin/builtin_jamming.c). Bars that are laid in place, not dropped, must stay exactly where this holds.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cardhouse/geometry.h"
#include "reproduce/play.h"

enum { FRICTIONS = 7, KINDS = 2, SOFT = 0, RIGID = 1, BARS = 10, BODIES = 2 * BARS + 3 };

static const char* const friction_text[FRICTIONS] = {"0.05", "0.1", "0.2", "0.3", "0.4", "0.6", "0.8"};
static const double LONG = 0.3, THICK = 0.03;  // m, of a bar
static const double PASSED = 0.3;              // m below the start, the length of a bar
static const double STAYED = 1e-3;             // m, of a bar that is laid in place
static const double FROM = 5.0, TO = 50.0, LEAN = 30.0, DEGREE = 3.141592653589793 / 180.0;
static const char* const kind_name[KINDS] = {"soft", "rigid"};

typedef struct Drop {
  ChVec3 start[BODIES];
  double depth[KINDS][BARS];
  ChSummary summary;
} Drop;

typedef struct Series {
  int count;
  double mu[FRICTIONS], jammed[KINDS][FRICTIONS], depth[KINDS][FRICTIONS], balance[FRICTIONS], stayed[FRICTIONS];
  int contrary, beyond;  // rigid bars laid in place that do not do what statics says; dropped ones that jam against it
  long steps, missed;
} Series;

static bool watch(void* state, const ChSimulation* simulation, const ChStepInfo* info) {
  Drop* drop = state;
  const ChWorld* world = ch_simulation_world(simulation);
  for (int b = 0; b < ch_world_body_count(world) && b < BODIES; ++b) {
    const char* name = ch_world_body_name(world, ch_world_body_at(world, b));
    ChVec3 at = ch_simulation_body_at(simulation, b).position;
    int number = 0, soft = sscanf(name, "soft %d", &number) == 1;
    if (!soft && sscanf(name, "rigid %d", &number) != 1) continue;
    if (info->step == 1) drop->start[b] = at;
    if (number >= 1 && number <= BARS) drop->depth[soft ? SOFT : RIGID][number - 1] = drop->start[b].z - at.z;
  }
  return true;
}

// Whether a rigid bar that touches both walls can rest there. Its lower right corner touches; on the left the lower
// one of a bar less steep than the wall, the upper one of a steeper bar, both of one that is as steep.
static bool balanced(double tilt, double mu) {
  double phi = atan(mu), lean = LEAN * DEGREE;
  double along[2] = {0.5 * LONG * cos(tilt), 0.5 * LONG * sin(tilt)};
  double up[2] = {-0.5 * THICK * sin(tilt), 0.5 * THICK * cos(tilt)};
  for (int upper = 0; upper < 2; ++upper) {
    double side = upper ? 1.0 : -1.0;
    if (!(side * (tilt - lean) >= -1e-9)) continue;
    double x1 = -along[0] + side * up[0], z1 = -along[1] + side * up[1];
    double x2 = along[0] - up[0], z2 = along[1] - up[1];
    if (-x1 * tan(lean + phi) >= x2 * tan(lean - phi) + z2 - z1) return true;
  }
  return false;
}

static double tilt_of(int bar) { return (FROM + (TO - FROM) * bar / (BARS - 1)) * DEGREE; }

// Dropped, or laid in place.
static ChStatus play_bars(ChItemRun* item, int f, bool laid, Drop* drop) {
  const char* const parameters[][2] = {{"mu", friction_text[f]}, {"bars", "10"}, {"above", "0"}, {"speed", "0"}};
  ChScene* scene;
  ChStatus status = ch_item_scene(item, "jamming", laid ? 4 : 2, parameters, &scene);
  if (status != CH_OK) return status;
  double from = laid ? 0.8 : 0.0, to = laid ? 1.0 : 0.8;
  ChPlay play = {.until = laid          ? 0.5
                          : item->quick ? 0.6
                                        : 2.0,
                 .record = laid ? NULL : ch_report_say(item->report, "jamming-%s.h5", friction_text[f]),
                 .every = 10,
                 .progress = {(f + from) / FRICTIONS, (f + to) / FRICTIONS},
                 .each = watch,
                 .state = drop};
  scene->options.solve.time_limit = 60.0;  // on the wall, whatever else the machine does
  status = ch_item_play(item, scene, &play, &drop->summary);
  ch_scene_destroy(scene);
  return status;
}

static ChStatus drop_all(ChItemRun* item, int f, Series* series) {
  Drop drop = {0}, lay = {0};
  ChStatus status = play_bars(item, f, false, &drop);
  if (status == CH_OK) status = play_bars(item, f, true, &lay);
  if (status != CH_OK) return status;
  int at = series->count++;
  double mu = series->mu[at] = strtod(friction_text[f], NULL);
  series->steps += drop.summary.steps + lay.summary.steps;
  series->missed += drop.summary.missed + lay.summary.missed;
  for (int k = 0; k < BARS; ++k) {
    bool balance = balanced(tilt_of(k), mu), stays = lay.depth[RIGID][k] < STAYED;
    series->balance[at] += balance;
    series->stayed[at] += stays;
    series->contrary += stays != balance;
    series->beyond += drop.depth[RIGID][k] < PASSED && !balance;
    for (int kind = 0; kind < KINDS; ++kind) {
      series->jammed[kind][at] += drop.depth[kind][k] < PASSED;
      series->depth[kind][at] += fmin(drop.depth[kind][k], PASSED) / BARS;
    }
  }
  return CH_OK;
}

static bool rises(int count, const double* values) {
  for (int k = 1; k < count; ++k)
    if (values[k] < values[k - 1]) return false;
  return count > 1 && values[count - 1] > values[0];
}

static const char* list(ChReport* report, int count, const double* values) {
  const char* text = "";
  for (int k = 0; k < count; ++k) text = ch_report_say(report, "%s%s%.3g", text, k ? ", " : "", values[k]);
  return text;
}

static void tell(ChReport* report) {
  ch_report_text(
      report,
      "Bars come down between two walls that lean by %g degrees and leave a gap of a fifth of a bar's length: "
      "ten of rubber and ten rigid ones, tilted by %g to %g degrees. A bar that friction does not hold turns "
      "upright and passes.",
      LEAN, FROM, TO);
  ch_report_choice(report, "bodies, walls, frictions",
                   "none is printed: bars of 0.3 x 0.05 x 0.03 m, 1e6 Pa and 1000 kg/m3, dropped 1 mm at 0.2 m/s; "
                   "mu from 0.05 to 0.8; h = 2e-3. Other bars are laid in place, at rest, to be compared with statics: "
                   "a dropped bar slips in the impact and may pass although it could rest");
  ch_report_choice(report, "jammed", "at the end less than a bar's length, %g m, below where it was dropped", PASSED);
  ch_report_command(report, "cardhouse scene jamming --mu 0.3 --bars 10 | cardhouse view -");
}

static void tell_results(ChReport* report, const Series* s) {
  bool weaker[KINDS];
  ChOurRun run = {.steps = s->steps,
                  .missed = s->missed,
                  .tolerance = 1e-6,
                  .changed = "gaps are stabilised and cones are round; bodies, walls and frictions are our own"};
  for (int kind = 0; kind < KINDS; ++kind) {
    weaker[kind] = rises(s->count, s->jammed[kind]);
    ch_report_claim(
        report, ch_report_say(report, "jamming weakens as mu falls: %s bodies", kind_name[kind]),

        (ChFacts){.run = run, .rule = "the number never falls as mu grows, and grows in the end", .met = weaker[kind]},
        "of %d bars %s jam at mu = %s%s", BARS, list(report, s->count, s->jammed[kind]), list(report, s->count, s->mu),
        weaker[kind] ? "" : ", which does not rise throughout");
  }
  ch_report_row(report, "rigid bars that stay where they are laid, beside those that can be in balance by statics",
                (ChFacts){.ours = ch_report_say(report, "%s; statics: %s", list(report, s->count, s->stayed),
                                                list(report, s->count, s->balance)),
                          .reason = ch_report_say(report,
                                                  "the document prints no number; %d bars do not do what statics "
                                                  "says",
                                                  s->contrary)});
  ch_report_row(
      report, "rigid bars that are dropped and jam although they could not rest there",
      (ChFacts){.ours = ch_report_say(report, "%d of %d", s->beyond, BARS * s->count),
                .reason =
                    "the document prints no number. A bar that turns may come to rest where it is steeper, with its "
                    "end flat on the wall"});
  ch_report_row(report, "steps certified to 1e-6",
                (ChFacts){.ours = ch_report_say(report, "%ld of %ld", s->steps - s->missed, s->steps),
                          .run = run,
                          .reason = "the document certifies nothing"});
}

static void draw(ChReport* report, const Series* s) {
  ChChart* chart = ch_report_chart(report, "Bars that jam.", "mu [1]", "bars [1]", 0);
  for (int kind = 0; kind < KINDS; ++kind) ch_chart_line(chart, kind_name[kind], s->count, s->mu, s->jammed[kind]);
  ch_chart_line(chart, "statics of rigid bars", s->count, s->mu, s->balance);
  chart = ch_report_chart(report, "Mean depth reached; bars that passed count with their length.", "mu [1]",
                          "depth [m]", 0);
  for (int kind = 0; kind < KINDS; ++kind) ch_chart_line(chart, kind_name[kind], s->count, s->mu, s->depth[kind]);
  ch_report_picture(report, "jamming-0.8.h5", 0.5,
                    "mu = 0.8, after half a second: soft bars on the one side, rigid ones on the other.");
  ch_report_picture(report, "jamming-0.1.h5", 0.5, "mu = 0.1.");
}

static ChStatus run_item(ChItemRun* item) {
  Series series = {0};
  ChStatus status = CH_OK;
  tell(item->report);
  for (int f = 0; f < FRICTIONS && status == CH_OK; ++f) {
    if (!item->quick || f % 2 == 1 || f == FRICTIONS - 1) status = drop_all(item, f, &series);
    if (!ch_item_progress(item, (f + 1.0) / FRICTIONS)) break;
  }
  if (status == CH_OK && series.count > 0) {
    tell_results(item->report, &series);
    draw(item->report, &series);
  }
  return status;
}

const ChItem ch_item_004_jamming = {.name = "004-fig7.4",
                                    .title = "Jamming in a tight gap, soft and rigid",
                                    .source = "004 s7.3.3, Fig 7.4 [H32]",
                                    .run = run_item};
