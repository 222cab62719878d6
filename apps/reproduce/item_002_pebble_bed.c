// 002, "Current Status": 2,000 pebbles of the pebble bed reactor, loaded; and what was hoped for, the statistics of a
// bed in steady motion, in which pebbles leave at the bottom and come back on top.
#include <math.h>

#include "reproduce/pebble_bed.h"

static const double PRINTED_SECONDS = 20.0 * 3600.0;
enum { VARIATIONS = 5 };

static ChBedDef bed_of(const ChItemRun* run) {
  return (ChBedDef){.pebbles = run->quick ? 150 : 2000,
                    .radius = 0.03,
                    .mu = 0.4,
                    .h = 2.5e-3,
                    .h_circulate = 5e-3,
                    .sweeps = 300,
                    .load = 0.9,
                    .circulate = run->quick ? 0.5 : 4.0,
                    .interval = run->quick ? 0.05 : 0.01,
                    .record = "bed.h5"};
}

static void introduce(ChItemRun* run, const ChBedDef* d) {
  ChReport* report = run->report;
  ch_report_text(
      report,
      "A pebble bed reactor holds some 400,000 balls of fuel as large as tennis balls, which move slowly "
      "through it and are recycled. The slides report a first simulation of its loading: 2,000 pebbles took about "
      "20 hours of processor time, with an interior point method and with an active set method alike, and they hope "
      "for the statistics of the steady state. Here %d pebbles are loaded, then kept in motion for %g s: every %g ms "
      "the lowest pebble is taken out and put back on top.",
      d->pebbles, d->circulate, 1e3 * d->interval);
  if (run->quick) ch_report_text(report, "Quick form: %d pebbles instead of 2,000.", d->pebbles);
  ch_report_choice(
      report, "vessel",
      "A cylinder of radius %.3g m (24 plane sides) above a cone of 30 degrees with a flat outlet; pebbles of "
      "diameter 60 mm, 1,700 kg/m^3. The slides give none of these.",
      ch_bed_width(d));
  ch_report_choice(report, "friction and restitution", "mu = %g, varied below; e = 0.", d->mu);
  ch_report_choice(report, "steps",
                   "h = 2.5 ms while pebbles fall, 5 ms in circulation. Contacts up to a tenth of a diameter ahead "
                   "take part: with a thirtieth, pebbles that are pushed aside by an impact overlapped by 40 mm.");
  ch_report_choice(report, "solver",
                   "Exact Coulomb friction by ansgs, at most %d sweeps a step. The tolerance is 1e-4; steps that end "
                   "above it are counted as missed, with the error that they have%s.",
                   d->sweeps, run->quick ? "" : "; what it depends on is told below");
  ch_report_choice(report, "discharge",
                   "One pebble every %g ms, %.3g per cent of the bed in all: far faster than a reactor, in which a "
                   "pebble stays for months.",
                   1e3 * d->interval, 100.0 * d->circulate / d->interval / d->pebbles);
}

// The slides solve the programme (1) in a vessel that they do not print.
static ChOurRun run_of(const ChBedPhase* p) {
  return (ChOurRun){
      .changed = "exact Coulomb friction by ansgs, where the slides have the programme (1) by OOQP and BQPD",
      .steps = p->steps,
      .missed = p->missed,
      .tolerance = 1e-4};
}

// --- loading ---------------------------------------------------------------------------------------------------------

static void report_loading(ChItemRun* run, const ChBedDef* d, const ChBedRun* bed) {
  ChReport* report = run->report;
  const ChBedPhase* p = &bed->loading;
  bool settled = bed->kinetic < 1e-4 * d->pebbles && p->penetration < 0.01 * d->radius;
  ch_report_row(
      report, "processor time of loading 2,000 pebbles",
      (ChFacts){.printed = "about 20 h, OOQP and BQPD",
                .ours = ch_report_say(
                    report, "%.3g s for %d pebbles: %ld steps of %.3g ms, %.0f contacts, mean error of a step %.1e%s",
                    p->seconds, d->pebbles, p->steps, 1e3 * p->seconds / (double)p->steps, p->contacts, p->natural,
                    p->missed > 0 ? "; with missed steps it says nothing of speed" : ""),
                .run = run_of(p),
                .rule = "not longer, for as many pebbles",
                .met = !run->quick && p->seconds <= PRINTED_SECONDS,
                .reason = "it took longer, or fewer pebbles were loaded"});
  ch_report_claim(
      report, "2,000 pebbles can be loaded by time stepping, in three dimensions.",
      (ChFacts){.run = run_of(p), .rule = "at rest but for creep, no overlap above 1 % of a radius", .met = settled},
      "After %g s the bed lies %.3g m deep in the cylinder; kinetic energy %.2g J (%.1g mm/s of a pebble), "
      "largest overlap ever %.1e m. %s",
      d->load, bed->top, bed->kinetic,
      1e3 * sqrt(2.0 * bed->kinetic / d->pebbles / (1700.0 * ch_ball_volume(3, d->radius))), p->penetration,
      settled ? "It is at rest but for creep."
              : "That is not yet at rest, or pebbles overlap by more than 1 % of a radius.");
}

// --- steady motion ---------------------------------------------------------------------------------------------------

static double mean_packing(const ChSurvey* s, int from, int to) {
  double sum = 0.0;
  for (int k = from; k < to; ++k) sum += s->moments[k].packing;
  return to > from ? sum / (to - from) : NAN;
}

static void report_statistics(ChItemRun* run, const ChBedDef* d, const ChBedRun* bed) {
  ChReport* report = run->report;
  const ChSurvey* s = &bed->bulk_survey;
  const ChBedPhase* p = &bed->circulation;
  double early = mean_packing(s, s->count / 3, 2 * s->count / 3), late = mean_packing(s, 2 * s->count / 3, s->count);
  ch_report_row(
      report, "solid fraction of the bulk",
      (ChFacts){.ours = ch_report_say(report, "%.3f settled, %.3f in motion (equal spheres, poured: 0.55 to 0.64)",
                                      bed->settled.packing, late),
                .run = run_of(&bed->loading)});
  ch_report_row(
      report, "neighbours that touch a pebble, bulk",
      (ChFacts){.run = run_of(&bed->loading),
                .ours = ch_report_say(
                    report, "%.2f settled, %.2f in motion; %.1f %% rattle (isostatic: 4 with friction, 6 without)",
                    bed->settled.coordination, ch_coordination_mean(&s->coordination),
                    100.0 * ch_coordination_rattlers(&s->coordination))});
  ch_report_row(
      report, "steady state: solid fraction of the bulk, second and last third of the time",
      (ChFacts){.run = run_of(p),
                .ours = ch_report_say(report,
                                      "%.4f and %.4f%s; %ld pebbles went round (%.0f %% of the bed) in %.3g s of "
                                      "processor time, %.3g ms a step; mean error of a step %.1e, worst %.1e, largest "
                                      "overlap %.1e m",
                                      early, late, fabs(late - early) < 0.01 ? "" : ", not steady yet", bed->taken,
                                      100.0 * (double)bed->taken / d->pebbles, p->seconds,
                                      1e3 * p->seconds / (double)p->steps, p->natural, p->natural_max, p->penetration),
                .reason = "the slides hope for it and print nothing"});
}

static void chart_series(ChItemRun* run, const ChSurvey* s) {
  double time[512], packing[512], touching[512];
  int count = s->count < 512 ? s->count : 512;
  for (int k = 0; k < count; ++k) {
    const ChInstant* m = &s->moments[k];
    time[k] = m->time, packing[k] = m->packing, touching[k] = m->coordination;
  }
  ChChart* chart = ch_report_chart(run->report, "Solid fraction of the bulk while pebbles go round.", "time [s]",
                                   "solid fraction [1]", 0);
  ch_chart_line(chart, "bulk", count, time, packing);
  chart = ch_report_chart(run->report, "Neighbours that touch a pebble of the bulk.", "time [s]", "neighbours [1]", 0);
  ch_chart_line(chart, "touching", count, time, touching);
}

static void chart_profiles(ChItemRun* run, const ChBedDef* d, const ChBedRun* bed) {
  const ChProfile *r = &bed->wall_survey.profile[CH_PROFILE_R], *z = &bed->wall_survey.profile[CH_PROFILE_Z];
  double from_wall[64], solid[64], down[64], height[64], solid_z[64];
  int bins = r->bins < 64 ? r->bins : 64;
  for (int k = 0; k < bins; ++k) {
    from_wall[k] = (r->high - ch_profile_middle(r, k)) / (2.0 * d->radius);
    solid[k] = ch_profile_solid(r, k);
    down[k] = -1e3 * ch_profile_velocity(r, k).z;
    height[k] = ch_profile_middle(z, k);
    solid_z[k] = ch_profile_solid(z, k);
  }
  ChChart* chart =
      ch_report_chart(run->report, "Solid fraction with the distance from the wall: pebbles lie in layers along it.",
                      "distance from the wall [D]", "solid fraction [1]", 0);
  ch_chart_line(chart, "in motion", bins, from_wall, solid);
  chart = ch_report_chart(run->report, "Solid fraction with the height above the foot of the cylinder.", "z [m]",
                          "solid fraction [1]", 0);
  ch_chart_line(chart, "in motion", bins, height, solid_z);
  chart = ch_report_chart(run->report, "Mean velocity downwards: plug flow slows at the wall.",
                          "distance from the wall [D]", "velocity [mm/s]", 0);
  ch_chart_line(chart, "in motion", bins, from_wall, down);
}

// --- variations ------------------------------------------------------------------------------------------------------

static const struct {
  const char* name;
  double mu, h;
  int sweeps;
} variations[VARIATIONS] = {{"as above", 0.4, 2.5e-3, 300},
                            {"h = 1 ms", 0.4, 1e-3, 300},
                            {"2,000 sweeps a step", 0.4, 2.5e-3, 2000},
                            {"mu = 0.1", 0.1, 2.5e-3, 300},
                            {"mu = 0.8", 0.8, 2.5e-3, 300}};

static ChStatus vary(ChItemRun* run, ChMeasureRoom* room) {
  ChReport* report = run->report;
  double error[VARIATIONS];
  for (int k = 0; k < VARIATIONS; ++k) {
    ChBedDef d = bed_of(run);
    ChBedRun bed;
    d.pebbles = 400;
    d.mu = variations[k].mu;
    d.h = variations[k].h;
    d.sweeps = variations[k].sweeps;
    d.circulate = 0.0;
    d.record = NULL;
    d.progress[0] = 0.6 + 0.08 * k;
    d.progress[1] = 0.68 + 0.08 * k;
    ChStatus status = ch_bed_run(run, room, &d, &bed);
    if (status != CH_OK || !ch_item_progress(run, d.progress[1])) return status;
    error[k] = bed.loading.natural;
    ch_report_row(
        report, ch_report_say(report, "settled bed of %d pebbles, %s", d.pebbles, variations[k].name),
        (ChFacts){.run = run_of(&bed.loading),
                  .ours = ch_report_say(
                      report, "solid fraction %.3f, %.2f neighbours; %.3g s, mean error of a step %.1e",
                      bed.settled.packing, bed.settled.coordination, bed.loading.seconds, bed.loading.natural),
                  .reason = "the slides print no number of the bed: a variation of what was chosen"});
  }
  ch_report_text(
      report,
      "What the error of a step depends on, in a bed of 400 pebbles: %.1e on average as above, %.1e in steps of 1 ms, "
      "%.1e with 2,000 sweeps a step, %.1e at mu = 0.1 and %.1e at mu = 0.8.%s",
      error[0], error[1], error[2], error[3], error[4],
      error[1] > 0.7 * error[0] && error[2] < 0.5 * error[0]
          ? " Shorter steps do not help, but more sweeps do: how many steps miss depends on how much work a step may "
            "take."
          : "");
  return CH_OK;
}

static ChStatus run_item(ChItemRun* run) {
  ChMeasureRoom* room;
  ChStatus status = ch_measure_room_create(run->context, &room);
  if (status != CH_OK) return status;
  ChBedDef d = bed_of(run);
  ChBedRun bed;
  d.progress[1] = run->quick ? 1.0 : 0.6;
  introduce(run, &d);
  status = ch_bed_run(run, room, &d, &bed);
  if (status == CH_OK && bed.circulation.steps > 0) {
    report_loading(run, &d, &bed);
    report_statistics(run, &d, &bed);
    ch_report_picture(run->report, "bed.h5", d.load, "The bed as it was loaded.");
    chart_series(run, &bed.bulk_survey);
    chart_profiles(run, &d, &bed);
    ch_report_command(run->report,
                      "cardhouse measure bed.h5 --packing --coordination --pair-correlation "
                      "--region 0,0,%.3g,0,%.3g --profile r --profile z --from %g --out statistics",
                      bed.bulk.radius, bed.bulk.high.z, d.load);
    if (!run->quick) status = vary(run, room);
  }
  ch_measure_room_destroy(room);
  return status;
}

const ChItem ch_item_002_pebble_bed = {
    .name = "002-pebble-bed",
    .title = "A pebble bed, loaded and kept in motion",
    .source = "002, \"Current Status\", \"What are we hoping to accomplish\" [H11, J3, L5]",
    .run = run_item,
};
