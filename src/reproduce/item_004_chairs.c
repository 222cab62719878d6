// 004, section 7.3.2 and Fig 7.3: legs of plastic chairs chatter as they slide down a slope.
//
// One chair in fine steps. Of every leg the friction force along the slope and whether it sticks or slips; the spectrum
// of the forces, |sum_k w_k f_k exp(-2 pi i f t_k)|^2 with Hann's window, beside the chair's own frequencies.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/soft.h"
#include "model/world.h"
#include "reproduce/play.h"

enum { LEGS = 4, SAMPLES = 4096, LINES = 240, MODES = 14, NAME = 32 };
#define STICKS 1e-3  // m/s: a foot slower than this sticks

typedef struct Case {
  const char *mu, *young;
  bool in_quick;
} Case;

static const Case cases[] = {{"0.5", "1.2e9", true},
                             {"0.3", "1.2e9", false},
                             {"0.7", "1.2e9", false},
                             {"0.5", "3e8", false},
                             {"0.5", "4.8e9", false}};
enum { CASES = sizeof cases / sizeof *cases };

typedef struct Chatter {
  double slope;  // radian
  int count, surface, chair;
  double time[SAMPLES], force[LEGS][SAMPLES];
  bool stuck[LEGS];
  long turns;   // from sticking to slipping
  double held;  // seconds, of all legs, at rest on the surface
  double h;
  double frequency[LINES], power[LINES], peak;  // Hz
  double own[MODES];                            // Hz
  ChSummary summary;
} Chatter;

static bool look(void* state, const ChSimulation* s, const ChStepInfo* info) {
  Chatter* c = state;
  const ChVec3 down = ch_vec(cos(c->slope), 0.0, -sin(c->slope));
  ChBodyView chair = ch_simulation_body(s, c->chair);
  int count;
  const ChContactView* contacts = ch_simulation_contacts(s, &count);
  double force[LEGS] = {0.0}, load[LEGS] = {0.0}, slip[LEGS] = {0.0};
  for (int k = 0; k < count; ++k) {
    ChVec3 d = ch_sub(contacts[k].point, chair.position);
    int leg = (ch_dot(d, down) > 0.0) + 2 * (d.y > 0.0);
    double normal = ch_dot(contacts[k].force, contacts[k].normal);
    load[leg] += normal;
    slip[leg] += normal * ch_norm(contacts[k].slip);
    force[leg] -= ch_dot(contacts[k].force, down);
  }
  for (int leg = 0; leg < LEGS; ++leg) {
    bool stuck = load[leg] > 0.0 && slip[leg] < STICKS * load[leg];
    if (c->stuck[leg] && !stuck && load[leg] > 0.0) ++c->turns;
    if (load[leg] > 0.0) c->stuck[leg] = stuck;
    if (stuck) c->held += info->h;
    if (c->count < SAMPLES) c->force[leg][c->count] = force[leg];
  }
  if (c->count < SAMPLES) c->time[c->count++] = info->time;
  return true;
}

// The mean of the legs' spectra, from 1 Hz on.
static void find_spectrum(Chatter* c) {
  const double turn = 2.0 * acos(-1.0);
  for (int line = 0; line < LINES; ++line) {
    double f = c->frequency[line] = line + 1.0;
    c->power[line] = 0.0;
    for (int leg = 0; leg < LEGS; ++leg) {
      double mean = 0.0, re = 0.0, im = 0.0;
      for (int k = 0; k < c->count; ++k) mean += c->force[leg][k] / c->count;
      for (int k = 0; k < c->count; ++k) {
        double w = 0.5 - 0.5 * cos(turn * k / c->count), x = w * (c->force[leg][k] - mean) * c->h;
        re += x * cos(turn * f * c->time[k]);
        im += x * sin(turn * f * c->time[k]);
      }
      c->power[line] += (re * re + im * im) / LEGS;
    }
    if (line >= 4 && !(c->power[line] <= c->power[(int)c->peak - 1])) c->peak = f;
  }
}

static ChStatus slide(ChItemRun* run, const Case* one, const double progress[2], Chatter* c) {
  ChScene* scene;
  char slope[NAME];
  c->slope = atan(1.15 * atof(one->mu));  // steep enough to slide
  snprintf(slope, sizeof slope, "%.4f", c->slope * 180.0 / acos(-1.0));
  const char* const parameters[][2] = {{"n", "1"},    {"cells", "1"}, {"mu", one->mu}, {"young", one->young},
                                       {"to", slope}, {"from", slope}};
  ChStatus status = ch_item_scene(run, "chairs", 6, parameters, &scene);
  if (status != CH_OK) return status;
  c->h = scene->options.h = run->quick ? 1e-3 : 5e-4;
  scene->options.rest = false;
  c->chair = ch_world_find_body(scene->world, "chair 1");
  const ChSoft* soft = scene->world->bodies[c->chair].soft;
  for (int a = 0; a < MODES && a < soft->modes; ++a) c->own[a] = soft->frequency[a] / (2.0 * acos(-1.0));
  c->peak = 5.0;
  ChPlay play = {.until = run->quick ? 0.5 : 1.5,
                 .progress = {progress[0], progress[1]},
                 .record = one->in_quick && !run->quick ? "chair.h5" : NULL,
                 .every = 20,
                 .each = look,
                 .state = c};
  double seconds;
  status = ch_item_play_timed(run, scene, &play, &c->summary, &seconds);
  if (status == CH_OK) find_spectrum(c);
  return status;
}

static void report_case(ChReport* report, const Case* one, const Chatter* c) {
  double seconds = c->count * c->h;
  const char* name = ch_report_say(report, "mu = %s, E = %s Pa", one->mu, one->young);
  ch_report_row(report, ch_report_say(report, "%s: a leg goes from sticking to slipping", name), "chatters",
                ch_report_say(report, "%.0f times a second; it sticks %.0f %% of the time", c->turns / (LEGS * seconds),
                              100.0 * c->held / (LEGS * seconds)),
                c->turns > 0 ? CH_REPRODUCED : CH_DIFFERS, "the legs slide without sticking");
  ch_report_row(report, ch_report_say(report, "%s: peak of the friction's spectrum", name), "not printed",
                ch_report_say(report, "%.0f Hz; the free chair's own: %.3g, %.3g, %.3g, ... %.3g Hz", c->peak,
                              c->own[0], c->own[1], c->own[2], c->own[MODES - 1]),
                CH_CANNOT_BE, "the document prints no frequency");
  ch_report_row(report, ch_report_say(report, "%s: steps certified at 1e-6", name), "all converge (s7.6)",
                ch_report_say(report, "%ld of %ld", c->summary.steps - c->summary.missed, c->summary.steps),
                c->summary.missed == 0 ? CH_REPRODUCED : CH_DIFFERS,
                ch_report_say(report, "the worst is at %.1e", c->summary.worst.natural));
}

static void tell(ChReport* report) {
  ch_report_text(report,
                 "Plastic chairs slide down a slope; friction bends their legs back, they spring forward, and chatter. "
                 "Nothing in the law of friction makes them: mu is one number, whatever the speed. Here one chair in "
                 "steps far below the periods of its modes, so that the chatter is the chair's and not the step's.");
  ch_report_choice(report, "chair",
                   "0.45 x 0.45 x 0.9 m, solid legs, 14 modes; polypropylene, E = 1.2 GPa, 900 kg/m^3, Rayleigh "
                   "damping beta = 5e-5 s (0.6 %% of critical at 36 Hz). None of it is printed; E is varied.");
  ch_report_choice(report, "slope", "tan(slope) = 1.15 mu: it slides, and not fast. mu is varied.");
}

static ChStatus run_item(ChItemRun* run) {
  Chatter* all = calloc(CASES, sizeof *all);
  if (!all) return ch_fail(run->context, CH_ERR_MEMORY, "out of memory");
  ChStatus status = CH_OK;
  long turns = 0;
  tell(run->report);
  for (int k = 0; k < CASES && status == CH_OK; ++k) {
    const double progress[2] = {(double)k / CASES, (k + 1.0) / CASES};
    if (run->quick && !cases[k].in_quick) continue;
    status = slide(run, &cases[k], progress, &all[k]);
    if (status == CH_OK) report_case(run->report, &cases[k], &all[k]);
    turns += all[k].turns;
  }
  if (status == CH_OK) {
    ChChart* chart = ch_report_chart(run->report, "Spectrum of the friction force of a leg (mean of the four).",
                                     "frequency [Hz]", "power [N^2 s^2]", CH_CHART_LOG_Y);
    for (int k = 0; k < CASES; ++k)
      if (all[k].count > 0)
        ch_chart_line(chart, ch_report_say(run->report, "mu = %s, E = %s", cases[k].mu, cases[k].young), LINES,
                      all[k].frequency, all[k].power);
    ChChart* forces = ch_report_chart(run->report, "Friction on one leg, mu = 0.5, E = 1.2e9 Pa.", "time [s]",
                                      "force up the slope [N]", 0);
    ch_chart_line(forces, "front leg", all[0].count, all[0].time, all[0].force[1]);
    ch_report_claim(run->report, "Legs of plastic chairs chatter as they slide on a slope: stick-slip.", turns > 0,
                    "Legs went from sticking to slipping %ld times.", turns);
    if (!run->quick) ch_report_picture(run->report, "chair.h5", 1.0, "A chair that chatters down a slope.");
    ch_report_command(run->report, "cardhouse view chairs");
    if (run->quick)
      ch_report_text(run->report, "Quick form: one mu and one stiffness, half a second in steps of 1 ms.");
  }
  free(all);
  return status;
}

const ChItem ch_item_004_chairs = {
    .name = "004-fig7.3",
    .title = "Chairs that chatter",
    .source = "004 s7.3.2, Fig 7.3 [H31]",
    .run = run_item,
};
