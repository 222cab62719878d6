// 004, section 7.3.3, Fig 7.4: deformable and rigid bodies dropped into tight gaps jam there, the less the smaller the
// coefficient of friction.
//
// Bars of rising tilt come down between two walls that lean by alpha; what is not held turns upright and passes. A thin
// rigid bar of tilt theta can be in balance when tan(alpha + phi) - tan(alpha - phi) >= 2 tan(theta), mu = tan(phi).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vector.h"
#include "reproduce/play.h"

enum { FRICTIONS = 7, KINDS = 2, SOFT = 0, BARS = 10, BODIES = 2 * BARS + 3 };

static const char* const friction_text[FRICTIONS] = {"0.05", "0.1", "0.2", "0.3", "0.4", "0.6", "0.8"};
static const double PASSED = 0.3;  // m below the start, the length of a bar
static const double FROM = 5.0, TO = 50.0, LEAN = 30.0, DEGREE = 3.141592653589793 / 180.0;
static const char* const kind_name[KINDS] = {"soft", "rigid"};

typedef struct Drop {
  ChVec3 start[BODIES];
  double depth[KINDS][BARS];
  ChSummary summary;
} Drop;

typedef struct Series {
  int count;
  double mu[FRICTIONS], jammed[KINDS][FRICTIONS], depth[KINDS][FRICTIONS], balance[FRICTIONS];
  long steps, missed;
} Series;

static bool watch(void* state, const ChSimulation* simulation, const ChStepInfo* info) {
  Drop* drop = state;
  const ChWorld* world = ch_simulation_world(simulation);
  for (int b = 0; b < ch_world_body_count(world) && b < BODIES; ++b) {
    const char* name = ch_world_body_name(world, b);
    ChVec3 at = ch_simulation_body(simulation, b).position;
    int number = 0, soft = sscanf(name, "soft %d", &number) == 1;
    if (!soft && sscanf(name, "rigid %d", &number) != 1) continue;
    if (info->step == 1) drop->start[b] = at;
    if (number >= 1 && number <= BARS) drop->depth[soft ? SOFT : 1][number - 1] = drop->start[b].z - at.z;
  }
  return true;
}

// How many of the bars could rest where they were put, were they thin and rigid.
static int balanced(double mu) {
  int count = 0;
  double phi = atan(mu), lean = LEAN * DEGREE;
  for (int k = 0; k < BARS; ++k) {
    double tilt = (FROM + (TO - FROM) * k / (BARS - 1)) * DEGREE;
    count += tan(lean + phi) - tan(lean - phi) >= 2.0 * tan(tilt);
  }
  return count;
}

static ChStatus drop_all(ChItemRun* item, int f, Series* series) {
  const char* const parameters[][2] = {{"mu", friction_text[f]}, {"bars", "10"}};
  Drop drop = {0};
  ChScene* scene;
  ChStatus status = ch_item_scene(item, "jamming", 2, parameters, &scene);
  if (status != CH_OK) return status;
  ChPlay play = {.until = item->quick ? 0.6 : 2.0,
                 .record = ch_report_say(item->report, "jamming-%s.h5", friction_text[f]),
                 .every = 10,
                 .progress = {(double)f / FRICTIONS, (f + 1.0) / FRICTIONS},
                 .each = watch,
                 .state = &drop};
  scene->options.solve.time_limit = 60.0;  // on the wall, whatever else the machine does
  status = ch_item_play(item, scene, &play, &drop.summary);
  ch_scene_destroy(scene);
  if (status != CH_OK) return status;
  int at = series->count++;
  series->mu[at] = strtod(friction_text[f], NULL);
  series->balance[at] = balanced(series->mu[at]);
  series->steps += drop.summary.steps;
  series->missed += drop.summary.missed;
  for (int kind = 0; kind < KINDS; ++kind)
    for (int k = 0; k < BARS; ++k) {
      series->jammed[kind][at] += drop.depth[kind][k] < PASSED;
      series->depth[kind][at] += fmin(drop.depth[kind][k], PASSED) / BARS;
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
      "Bars come down between two walls that lean by %g degrees and leave a gap of a third of a bar's length: "
      "ten of rubber and ten rigid ones, tilted by %g to %g degrees. A bar that friction does not hold turns "
      "upright and passes.",
      LEAN, FROM, TO);
  ch_report_choice(report, "bodies, walls, frictions",
                   "none is printed: bars of 0.3 x 0.05 x 0.03 m, 1e6 Pa and 1000 kg/m3, dropped 1 mm at 0.2 m/s; "
                   "mu from 0.05 to 0.8; h = 2e-3");
  ch_report_choice(report, "jammed", "at the end less than a bar's length, %g m, below where it was dropped", PASSED);
  ch_report_command(report, "cardhouse scene jamming --mu 0.3 --bars 10 | cardhouse view -");
}

static void tell_results(ChReport* report, const Series* s) {
  bool weaker[KINDS];
  for (int kind = 0; kind < KINDS; ++kind) {
    weaker[kind] = rises(s->count, s->jammed[kind]);
    ch_report_claim(report, ch_report_say(report, "jamming weakens as mu falls: %s bodies", kind_name[kind]),
                    weaker[kind], "of %d bars %s jam at mu = %s%s", BARS, list(report, s->count, s->jammed[kind]),
                    list(report, s->count, s->mu), weaker[kind] ? "" : ", which does not rise throughout");
  }
  double apart = 0.0;
  for (int k = 0; k < s->count; ++k) apart = fmax(apart, fabs(s->jammed[1][k] - s->balance[k]));
  ch_report_row(
      report, "rigid bars that jam, beside those whose balance is possible by statics", "not printed",
      ch_report_say(report, "%s; statics of thin bars: %s", list(report, s->count, s->jammed[1]),
                    list(report, s->count, s->balance)),
      apart <= 2.0 ? CH_REPRODUCED : CH_DIFFERS,
      "statics says where balance is possible, not that it is reached; its bars have no thickness and no speed, "
      "and which of the three makes the difference was not looked into");
  ch_report_row(report, "steps certified to 1e-6", "not printed",
                ch_report_say(report, "%ld of %ld", s->steps - s->missed, s->steps),
                s->missed == 0 ? CH_REPRODUCED : CH_DIFFERS, "some fell short within the solver's limit of work");
}

static void draw(ChReport* report, const Series* s) {
  ChChart* chart = ch_report_chart(report, "Bars that jam.", "mu [1]", "bars [1]", 0);
  for (int kind = 0; kind < KINDS; ++kind) ch_chart_line(chart, kind_name[kind], s->count, s->mu, s->jammed[kind]);
  ch_chart_line(chart, "statics of thin rigid bars", s->count, s->mu, s->balance);
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
