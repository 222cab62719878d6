// 004, section 4.8.1 and Fig 4.1: one particle that falls on a line, V = m g q, q >= 0, by three integrators.
#include <math.h>
#include <string.h>

#include "reproduce/particle.h"

enum { CLOSE = 3, STEPS = 3, HEIGHTS_MAX = 200 };
static const double NEAR[CLOSE] = {1.0, 1.001, 1.002};
static const double LENGTHS[STEPS] = {1e-1, 1e-2, 1e-3};
static const char* const BASELINES[2] = {"implicit-midpoint", "newmark"};

static ChParticle dropped(const char* integrator, double h, double height, double until) {
  return (ChParticle){
      .integrator = integrator, .h = h, .until = until, .mass = 1.0, .at = {0.0, height}, .floor = true};
}

// --- (a), (b), (c): three close starts

typedef struct Trial {
  const char* integrator;
  double h;
  double left[CLOSE];   // share of the energy at the end
  double first[CLOSE];  // restitution of the first bounce
  double least, most;   // restitution of all bounces that were kept
  int bounces;
} Trial;

static void judge_bounces(const ChParticleMotion* m, Trial* trial) {
  int kept = m->bounces < CH_BOUNCES_MAX ? m->bounces : CH_BOUNCES_MAX;
  for (int k = 0; k < kept; ++k) {
    trial->least = fmin(trial->least, m->restitution[k]);
    trial->most = fmax(trial->most, m->restitution[k]);
  }
  trial->bounces += m->bounces;
}

// The energy of the first start goes into a chart of its own.
static ChStatus three_starts(ChItemRun* run, const char* panel, ChChart* energies, Trial* trial) {
  static const char* const names[CLOSE] = {"q(0) = 1 m", "q(0) = 1.001 m", "q(0) = 1.002 m"};
  ChChart* chart = ch_report_chart(
      run->report,
      ch_report_say(run->report, "%s: height by %s, h = %g s, three close starts.", panel, trial->integrator, trial->h),
      "time [s]", "height q [m]", 0);
  ChStatus status = CH_OK;
  trial->least = INFINITY;
  for (int k = 0; k < CLOSE && status == CH_OK; ++k) {
    ChParticle particle = dropped(trial->integrator, trial->h, NEAR[k], 4.0);
    ChParticleMotion motion;
    status = ch_particle_run(run, &particle, &motion);
    if (status == CH_OK) {
      ch_chart_line(chart, names[k], motion.count, motion.time, motion.q2);
      if (k == 0)
        ch_chart_line(energies, ch_report_say(run->report, "%s, h = %g s", trial->integrator, trial->h), motion.count,
                      motion.time, motion.energy);
      trial->left[k] = motion.end / motion.start;
      trial->first[k] = motion.bounces > 0 ? motion.restitution[0] : 0.0;
      judge_bounces(&motion, trial);
    }
    ch_particle_clear(&motion);
  }
  return status;
}

static void add_trial(ChReport* report, const Trial* trial) {
  ch_report_row(report, ch_report_say(report, "%s, h = %g s: energy left after 4 s", trial->integrator, trial->h),
                (ChFacts){.printed = "not conserved (Fig 4.1 (a), (b); no number printed)",
                          .ours = ch_report_say(report, "%.3f, %.3f, %.3f of it, first restitution %.3f, %.3f, %.3f",
                                                trial->left[0], trial->left[1], trial->left[2], trial->first[0],
                                                trial->first[1], trial->first[2]),
                          .rule = "from some start more than 5 % of it goes",
                          .met = trial->left[0] < 0.95 || trial->left[1] < 0.95 || trial->left[2] < 0.95,
                          .reason = "with these starts every bounce happens to keep the energy"});
}

static double spread(const double x[CLOSE]) { return fmax(x[0], fmax(x[1], x[2])) - fmin(x[0], fmin(x[1], x[2])); }

static ChStatus baselines(ChItemRun* run, ChChart* energies) {
  static const char* const panels[2][2] = {{"(a)", "(a), the other step"}, {"(b), the other step", "(b)"}};
  Trial trials[2][2];
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 2; ++k) {
      trials[i][k] = (Trial){.integrator = BASELINES[i], .h = k == 0 ? 1e-2 : 1e-3};
      ChStatus status = three_starts(run, panels[i][k], energies, &trials[i][k]);
      if (status != CH_OK) return status;
      add_trial(run->report, &trials[i][k]);
    }
  double least = 1.0;
  for (int i = 0; i < 4; ++i) least = fmin(least, spread(trials[i / 2][i % 2].first));
  ch_report_claim(
      run->report, "The effective restitution of implicit midpoint and contact Newmark varies with the state.",
      (ChFacts){.rule = "starts 1 mm apart differ by more than 0.02, of each scheme and step", .met = least > 0.02},
      "Starts 1 mm apart bounce with restitutions that differ by %.2f (h = 1e-2) and %.2f (h = 1e-3); over all "
      "bounces they lie between %.3f and %.3f.",
      spread(trials[0][0].first), spread(trials[0][1].first), fmin(trials[0][0].least, trials[0][1].least),
      fmax(trials[0][0].most, trials[0][1].most));
  double apart = 0.0;
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < CLOSE; ++i) apart = fmax(apart, fabs(trials[0][k].left[i] - trials[1][k].left[i]));
  ch_report_text(
      run->report,
      "With a constant force the two are one map: q+ = q + h/2 (v + v+), 0 <= q+ orthogonal to the impulse. Their "
      "energies agree to %.1e here. Whether (a) or (b) has h = 1e-2 (caption and text say opposite things, "
      "erratum X18) therefore cannot be told from them, and both steps are shown for both.",
      apart);
  return CH_OK;
}

// --- restitution over the state

static ChStatus first_bounce(ChItemRun* run, const char* integrator, double height, double* restitution) {
  ChParticle particle = dropped(integrator, 1e-2, height, 1.0);
  ChParticleMotion motion;
  ChStatus status = ch_particle_run(run, &particle, &motion);
  *restitution = motion.bounces > 0 ? motion.restitution[0] : 0.0;
  ch_particle_clear(&motion);
  return status;
}

// |1 - 2 Phi / (h |v|)| with Phi the height and v the velocity of the last free step.
static double closed_form(double h, double height) {
  const double g = 9.81;
  double q = height, v = 0.0;
  while (q + h * (v - 0.5 * h * g) >= 0.0) q += h * (v - 0.5 * h * g), v -= h * g;
  double after = -v - 2.0 * q / h;
  if (fabs(after) <= 0.5 * h * g) return 0.0;  // gravity takes it back within the step: it stays
  return sqrt(0.5 * after * after / (0.5 * v * v + g * q));
}

static ChStatus sweep(ChItemRun* run) {
  int count = run->quick ? 40 : HEIGHTS_MAX;
  double height[HEIGHTS_MAX], e[2][HEIGHTS_MAX], off = 0.0, least = INFINITY, most = 0.0, mean = 0.0, worst = 0.0;
  for (int k = 0; k < count; ++k) {
    height[k] = 1.0 + 0.1 * k / count;
    ChStatus status = first_bounce(run, "implicit-midpoint", height[k], &e[0][k]);
    if (status == CH_OK) status = first_bounce(run, "half-step", height[k], &e[1][k]);
    if (status != CH_OK) return status;
    off = fmax(off, fabs(e[0][k] - closed_form(1e-2, height[k])));
    least = fmin(least, e[0][k]);
    most = fmax(most, e[0][k]);
    mean += e[0][k] / count;
    worst = fmax(worst, fabs(e[1][k] - 1.0));
  }
  ChChart* chart =
      ch_report_chart(run->report, "Restitution of the first bounce over the height of the start, h = 0.01 s.",
                      "height of the start [m]", "restitution [1]", 0);
  ch_chart_points(chart, "implicit-midpoint", count, height, e[0]);
  ch_chart_points(chart, "half-step", count, height, e[1]);
  ch_report_row(run->report, "restitution of the implicit midpoint over starts from 1 to 1.1 m",
                (ChFacts){.ours = ch_report_say(
                              run->report, "%.3f to %.3f, mean %.3f; off the closed form |1 - 2 q / (h |v|)| by %.1e",
                              least, most, mean, off),
                          .reason = "the closed form is derived, not printed"});
  ch_report_claim(run->report,
                  "The restitution of the proposed integrator stays the same for close initial conditions.",
                  (ChFacts){.rule = "1 to within 1e-10", .met = worst < 1e-10},
                  "Over %d starts from 1 to 1.1 m it is 1 to within %.1e.", count, worst);
  return CH_OK;
}

// --- (d): three steps

static ChStatus three_lengths(ChItemRun* run) {
  static const char* const names[STEPS] = {"h = 0.1 s", "h = 0.01 s", "h = 0.001 s"};
  ChReport* report = run->report;
  ChChart* chart = ch_report_chart(report, "(d): height by the half-step, three steps.", "time [s]", "height q [m]", 0);
  for (int k = 0; k < STEPS; ++k) {
    ChParticle particle = dropped("half-step", LENGTHS[k], 1.0, 4.0);
    particle.record = k == 1 ? "particle.h5" : NULL;
    ChParticleMotion motion;
    ChStatus status = ch_particle_run(run, &particle, &motion);
    if (status == CH_OK && k < 2)
      ch_chart_points(chart, names[k], motion.count, motion.time, motion.q2);
    else if (status == CH_OK)
      ch_chart_line(chart, names[k], motion.count, motion.time, motion.q2);
    ch_particle_clear(&motion);
    if (status != CH_OK) return status;
  }
  return CH_OK;
}

static ChStatus many_steps(ChItemRun* run) {
  long steps = run->quick ? 10000 : 100000;
  double worst = 0.0, deepest[STEPS];
  long bounces = 0, missed = 0;
  for (int k = 0; k < STEPS; ++k) {
    ChParticle particle = dropped("half-step", LENGTHS[k], 1.0, LENGTHS[k] * (double)steps);
    ChParticleMotion motion;
    ChStatus status = ch_particle_run(run, &particle, &motion);
    double off = fmax(motion.most - motion.start, motion.start - motion.least) / motion.start;
    worst = fmax(worst, off);
    deepest[k] = motion.deepest;
    bounces += motion.bounces;
    missed += motion.missed;
    if (status == CH_OK)
      ch_report_row(
          run->report, ch_report_say(run->report, "energy of the half-step over %ld steps of %g s", steps, LENGTHS[k]),
          (ChFacts){.printed = "closely conserved (Fig 4.1 (d))",
                    .ours = ch_report_say(run->report, "within %.1e of the start over %d bounces", off, motion.bounces),
                    .rule = "within 1e-9 of the start",
                    .met = off < 1e-9,
                    .reason = "the departure is more than round-off explains"});
    ch_particle_clear(&motion);
    if (status != CH_OK) return status;
    if (!ch_item_progress(run, 0.4 + 0.2 * (k + 1))) return CH_OK;
  }
  ch_report_claim(
      run->report, "For all three steps energy is closely conserved.",
      (ChFacts){.run = {.steps = 3 * steps, .missed = missed, .tolerance = 1e-12},
                .rule = "within 1e-9 of the start",
                .met = worst < 1e-9},
      "The departure is %.1e of the energy at most, over %ld bounces and %ld steps a run. Contacts do no work, "
      "alpha (v + v+) = 0, and the midpoint rule keeps a linear potential's energy, so that only round-off is "
      "left. The price is overlap: the particle is turned round where a step finds it below the line, up to "
      "%.3g m (h = 0.1 s), %.3g m (0.01 s) and %.3g m (0.001 s) deep.",
      worst, bounces, steps, deepest[0], deepest[1], deepest[2]);
  return CH_OK;
}

// --- the report

static void tell(ChReport* report) {
  ch_report_text(
      report,
      "A particle falls on the line q = 0 under gravity. Stewart (2000) used it to show that symplectic methods "
      "lose their energy at contacts: the implicit midpoint rule and the contact Newmark scheme of Kane et al. "
      "(1999) put the particle onto the line at the end of the step in which it would pass it, and what speed is "
      "left then depends on where the step began. The integrator of (4.51), `half-step`, asks only that a contact "
      "that is closed does not close further, n'(v + v+) >= 0, and turns the velocity round exactly.");
  ch_report_text(report, "V(q) = g q is taken as m g q with m = 1 (erratum X18).");
  ch_report_choice(report, "start",
                   "q = 1, 1.001 and 1.002 m at rest, g = 9.81 m/s^2: not stated. Varied from 1 to 1.1 m.");
  ch_report_choice(report, "contact Newmark",
                   "gamma = 1/2, beta = 1/4, contact forces fully implicit; with a constant force "
                   "beta makes no difference to the contact step.");
  ch_report_choice(report, "implicit midpoint",
                   "The complementarity holds at the end of the step, as in Newmark; the "
                   "document does not say where.");
  ch_report_command(
      report, "cardhouse run report/items/004-fig4.1/particle.json --integrator implicit-midpoint --csv heights.csv");
}

static ChStatus run_item(ChItemRun* run) {
  tell(run->report);
  ChChart* energies =
      ch_report_chart(run->report, "Energy of the first start, by integrator and step.", "time [s]", "energy [J]", 0);
  ChStatus status = baselines(run, energies);
  Trial own = {.integrator = "half-step", .h = 1e-2};
  if (status == CH_OK) status = three_starts(run, "(c)", energies, &own);
  if (status == CH_OK)
    ch_report_row(run->report, "half-step, h = 0.01 s, the same three starts: restitution of all bounces",
                  (ChFacts){.printed = "remains stable (Fig 4.1 (c))",
                            .ours = ch_report_say(run->report, "1 - %.1e to 1 + %.1e", 1.0 - own.least, own.most - 1.0),
                            .rule = "1 to within 1e-9",
                            .met = fabs(own.least - 1.0) < 1e-9 && fabs(own.most - 1.0) < 1e-9,
                            .reason = "restitution is not 1 throughout"});
  if (status == CH_OK && ch_item_progress(run, 0.2)) status = sweep(run);
  if (status == CH_OK && ch_item_progress(run, 0.4)) status = three_lengths(run);
  if (status == CH_OK) status = many_steps(run);
  if (status == CH_OK && run->quick)
    ch_report_text(run->report, "Quick form: 10,000 steps a run instead of 100,000, and 40 starts instead of 200.");
  return status;
}

const ChItem ch_item_004_fig41 = {
    .name = "004-fig4.1",
    .title = "A particle that bounces: energy by three integrators",
    .source = "004 s4.8.1, Fig 4.1 [H17, I46, B23, X18]",
    .run = run_item,
};
