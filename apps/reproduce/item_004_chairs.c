// 004, section 7.3.2 and Fig 7.3: legs of plastic chairs chatter as they slide down a slope.
//
// One chair in fine steps. Of every leg the friction force along the slope and whether it sticks or slips; the spectrum
// of the forces, |sum_k w_k f_k exp(-2 pi i f t_k)|^2 with Hann's window, beside the chair's own frequencies.
// The same chair in steps from the document's 1e-2 down: what of the chatter is the chair's stays as they shrink.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cardhouse/soft.h"
#include "reproduce/subject.h"

enum { LEGS = 4, SAMPLES = 12288, LINES = 240, MODES = 14, NAME = 32 };
#define STICKS 1e-3  // m/s: a foot slower than this sticks
#define SPELL 5e-3   // s: a stay that the coarser of the fine steps see too
#define TOLERANCE 1e-6
#define CHATTERS 3.0  // turns a second and leg, at the least, that are a chatter
#define SAME 0.15     // part by which two numbers of the finest steps may differ and count as one
#define FINE 5e-4     // s: steps from here on down are compared with each other

typedef struct Case {
  const char *mu, *young;
  double h;
  bool in_quick;
} Case;

// The first ones differ in h only.
static const Case cases[] = {
    {"0.5", "1.2e9", 1e-2, true},    {"0.5", "1.2e9", 1e-3, true},     {"0.5", "1.2e9", 5e-4, true},
    {"0.5", "1.2e9", 2.5e-4, false}, {"0.5", "1.2e9", 1.25e-4, false}, {"0.3", "1.2e9", 5e-4, false},
    {"0.7", "1.2e9", 5e-4, false},   {"0.5", "3e8", 5e-4, false},      {"0.5", "4.8e9", 5e-4, false}};
enum { CASES = sizeof cases / sizeof *cases, STEPS = 5, DRAWN = 2 };

typedef struct Chatter {
  double slope;  // radian
  int count, surface, chair;
  double time[SAMPLES], force[LEGS][SAMPLES];
  bool stuck[LEGS];
  double since[LEGS];  // when a leg began to stick, s
  long turns;          // from sticking to slipping
  long late;           // of them those of the second half
  long spells;         // of them those after a stay of SPELL at least
  double held;         // seconds, of all legs, at rest on the surface
  double h, until;
  double frequency[LINES], power[LINES], peak;  // Hz
  double own[MODES];                            // Hz
  ChSummary summary;
} Chatter;

static bool look(void* state, const ChSimulation* s, const ChStepInfo* info) {
  Chatter* c = state;
  const ChVec3 down = ch_vec(cos(c->slope), 0.0, -sin(c->slope));
  ChBodyView chair = ch_simulation_body_at(s, c->chair);
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
    if (stuck && !c->stuck[leg]) c->since[leg] = info->time - info->h;
    if (c->stuck[leg] && !stuck && load[leg] > 0.0) {
      ++c->turns;
      c->late += info->time > 0.5 * c->until;
      c->spells += info->time - info->h - c->since[leg] >= SPELL - 1e-9;
    }
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
    if (line >= 4 && 2.0 * f * c->h <= 1.0 && !(c->power[line] <= c->power[(int)c->peak - 1])) c->peak = f;
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
  c->h = scene->options.h = one->h;
  scene->options.rest = false;
  c->chair = ch_world_body_row(scene->world, ch_world_find_body(scene->world, "chair 1"));
  ChSoftView soft = {0};
  ch_world_soft(scene->world, c->chair, &soft);
  for (int a = 0; a < MODES && a < soft.modes; ++a) c->own[a] = soft.frequency[a] / (2.0 * acos(-1.0));
  c->peak = 5.0;
  c->until = run->quick ? 0.5 : 1.5;
  ChPlay play = {.until = c->until,
                 .progress = {progress[0], progress[1]},
                 .record = one == &cases[DRAWN] && !run->quick ? "chair.h5" : NULL,
                 .every = 20,
                 .each = look,
                 .state = c};
  double seconds;
  status = ch_item_play_timed(run, scene, &play, &c->summary, &seconds);
  if (status == CH_OK) find_spectrum(c);
  return status;
}

// A second and leg.
static double rate(long count, const Chatter* c) { return (double)count / (LEGS * c->count * c->h); }
static double sticking(const Chatter* c) { return c->held / (LEGS * c->count * c->h); }

// One chair of 14 modes stands for the printed 1,766 degrees of freedom.
static ChOurRun run_of(const Case* one, const Chatter* c) {
  ChOurRun run = ch_subject_run(&c->summary, TOLERANCE);
  run.changed =
      one->h == 1e-2 ? "one chair, stabilised, with round cones" : "one chair, stabilised, round cones, another h";
  run.fitted = "what counts as sticking, and how many turns as chatter";
  return run;
}

static void report_case(ChReport* report, const Case* one, const Chatter* c) {
  const char* name = ch_report_say(report, "mu = %s, E = %s Pa, h = %g s", one->mu, one->young, one->h);
  ch_report_row(report, ch_report_say(report, "%s: a leg goes from sticking to slipping", name),
                (ChFacts){.printed = "chatters",
                          .ours = ch_report_say(
                              report,
                              "%.1f times a second, %.1f of them after %g ms of sticking or more, %.1f in the second "
                              "half of the run; sticks %.1f %% of the time; peak of the spectrum at %.0f Hz",
                              rate(c->turns, c), rate(c->spells, c), 1e3 * SPELL, 2.0 * rate(c->late, c),
                              100.0 * sticking(c), c->peak),
                          .run = run_of(one, c),
                          .rule = ch_report_say(report, "%g turns a second and leg, or more", CHATTERS),
                          .met = rate(c->turns, c) >= CHATTERS,
                          .reason = ch_report_say(report, "fewer than %g turns a second and leg", CHATTERS)});
  ch_report_row(
      report, ch_report_say(report, "%s: steps certified at 1e-6", name),
      (ChFacts){.printed = "all converge (s7.6)",
                .ours = ch_report_say(report, "%ld of %ld", c->summary.steps - c->summary.missed, c->summary.steps),
                .run = run_of(one, c),
                .rule = "none missed",
                .met = c->summary.missed == 0,
                .reason = ch_report_say(report, "the worst is at %.1e", c->summary.worst.natural)});
}

// --- what stays as h shrinks -----------------------------------------------------------------------------------------

static double turns_of(const Chatter* c) { return rate(c->turns, c); }
static double spells_of(const Chatter* c) { return rate(c->spells, c); }
static double percent_of(const Chatter* c) { return 100.0 * sticking(c); }
static double peak_of(const Chatter* c) { return c->peak; }

typedef struct Measure {
  const char *name, *unit;
  double (*of)(const Chatter* c);
} Measure;

static const Measure measures[] = {{"turns of a leg", "1/s", turns_of},
                                   {"turns after 5 ms of sticking or more", "1/s", spells_of},
                                   {"part of the time that a leg sticks", "%", percent_of},
                                   {"peak of the spectrum", "Hz", peak_of}};
enum { MEASURES = sizeof measures / sizeof *measures };

// Converged: the fine steps agree within SAME.
static void report_measure(ChReport* report, const Measure* m, const Chatter* all) {
  const char *steps = "", *values = "";
  double least = INFINITY, most = 0.0;
  int fine = 0;
  for (int k = 0; k < STEPS; ++k) {
    if (all[k].count == 0) continue;
    double value = m->of(&all[k]);
    const char* comma = *steps ? ", " : "";
    steps = ch_report_say(report, "%s%s%g", steps, comma, all[k].h);
    values = ch_report_say(report, "%s%s%.3g", values, comma, value);
    if (all[k].h <= FINE) ++fine, least = fmin(least, value), most = fmax(most, value);
  }
  bool same = most - least <= SAME * most;
  ch_report_row(report, ch_report_say(report, "%s, h = %s s", m->name, steps),
                (ChFacts){.ours = ch_report_say(report, "%s %s: %s", values, m->unit,
                                                fine < 3 ? "too few steps to tell whether it converges"
                                                : same   ? "converged in h"
                                                         : "not converged in h"),
                          .reason = "the document prints one step, 1e-2, and no number of the chatter"});
}

static void tell(ChReport* report) {
  ch_report_text(report,
                 "Plastic chairs slide down a slope; friction bends their legs back, they spring forward, and chatter. "
                 "Nothing in the law of friction makes them: mu is one number, whatever the speed. Here one chair, "
                 "stepped with the document's h = 1e-2 and with ever finer h. The legs chatter at any step. How often, "
                 "and at which frequency most, may depend on the step. The rows below say which figures converge as h "
                 "shrinks; a figure that does not converge describes the step and not the chair.");
  ch_report_choice(report, "chair",
                   "0.45 x 0.45 x 0.9 m, solid legs, 14 modes; polypropylene, E = 1.2 GPa, 900 kg/m^3, Rayleigh "
                   "damping beta = 5e-5 s (0.6 %% of critical at 36 Hz). None of it is printed; E is varied.");
  ch_report_choice(report, "slope", "tan(slope) = 1.15 mu: it slides, and not fast. mu is varied.");
  ch_report_choice(report, "measures",
                   "A leg sticks when its feet, weighted by their loads, are slower than %g m/s. It chatters when it "
                   "goes from sticking to slipping %g times a second or more. Converged: the numbers of h <= %g agree "
                   "within %.0f %%. The spectrum is looked at from 5 Hz on.",
                   STICKS, CHATTERS, FINE, 100.0 * SAME);
}

static void draw(ChItemRun* run, const Chatter* all) {
  ChChart* chart = ch_report_chart(run->report, "Spectrum of the friction force of a leg (mean of the four).",
                                   "frequency [Hz]", "power [N^2 s^2]", CH_CHART_LOG_Y);
  for (int k = 1; k < CASES; ++k)
    if (all[k].count > 0)
      ch_chart_line(chart,
                    ch_report_say(run->report, "mu = %s, E = %s, h = %g", cases[k].mu, cases[k].young, cases[k].h),
                    LINES, all[k].frequency, all[k].power);
  ChChart* forces = ch_report_chart(run->report, "Friction on one leg, mu = 0.5, E = 1.2e9 Pa, h = 5e-4 s.", "time [s]",
                                    "force up the slope [N]", 0);
  ch_chart_line(forces, "front leg", all[DRAWN].count, all[DRAWN].time, all[DRAWN].force[1]);
  if (!run->quick) ch_report_picture(run->report, "chair.h5", 1.0, "A chair that chatters down a slope.");
}

static void judge(ChItemRun* run, const Chatter* all) {
  ChReport* report = run->report;
  double least = INFINITY, most = 0.0, late = INFINITY;
  for (int k = 0; k < CASES; ++k) {
    if (all[k].count == 0) continue;
    double turns = rate(all[k].turns, &all[k]);
    least = fmin(least, turns), most = fmax(most, turns);
    late = fmin(late, 2.0 * rate(all[k].late, &all[k]));
  }
  for (int m = 0; m < MEASURES; ++m) report_measure(report, &measures[m], all);
  ch_report_row(report, "frequencies of the free chair",
                (ChFacts){.ours = ch_report_say(report, "%.3g, %.3g, %.3g, ... %.3g Hz", all[DRAWN].own[0],
                                                all[DRAWN].own[1], all[DRAWN].own[2], all[DRAWN].own[MODES - 1]),
                          .reason = "the document prints no frequency"});
  ch_report_claim(report, "Legs of plastic chairs chatter as they slide on a slope: stick-slip.",
                  (ChFacts){.run = run_of(&cases[0], &all[0]),
                            .rule = ch_report_say(report, "in every run %g turns a second and leg, or more", CHATTERS),
                            .met = least >= CHATTERS},
                  "In every run, whatever mu, E and h, a leg goes from sticking to slipping between %.1f and %.1f "
                  "times a second; asked for were %g. It does so most while it is slow: in the second half, when the "
                  "chair has gathered speed, at least %.1f times.",
                  least, most, CHATTERS, late);
}

static ChStatus run_item(ChItemRun* run) {
  Chatter* all = calloc(CASES, sizeof *all);
  if (!all) return ch_fail(run->context, CH_ERR_MEMORY, "out of memory");
  ChStatus status = CH_OK;
  tell(run->report);
  for (int k = 0; k < CASES && status == CH_OK; ++k) {
    const double progress[2] = {(double)k / CASES, (k + 1.0) / CASES};
    if (run->quick && !cases[k].in_quick) continue;
    status = slide(run, &cases[k], progress, &all[k]);
    if (status == CH_OK) report_case(run->report, &cases[k], &all[k]);
  }
  if (status == CH_OK) {
    judge(run, all);
    draw(run, all);
    ch_report_command(run->report, "cardhouse view chairs");
    if (run->quick)
      ch_report_text(run->report, "Quick form: one mu and one stiffness, half a second in three steps h.");
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
