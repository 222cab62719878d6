// 004, section 7.3.6: dinosaurs dropped together (Fig 7.7), and rabbits of two frictions against arches (Fig 7.8). All
// of them bend far (St. Venant-Kirchhoff).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/geometry.h"
#include "reproduce/rabbit_friction.h"
#include "reproduce/subject.h"

#define STILL 0.01  // m/s: what is slower lies
#define TOLERANCE 1e-6

typedef struct Watch {
  double kinetic_max;  // joule
  double speed;        // of the fastest centre of mass, at the last step
  double red, blue;    // mean way of a kind by AT, m
  double stone;        // the largest way of a stone, m
  int freedoms;
  bool began, judged;
  ChVec3 start[128];
  ChRabbitFriction* friction;  // of rabbits, or NULL
} Watch;

#define AT 1.0  // seconds: rabbits on the ramp have parted by then

static bool begins(const char* name, const char* with) { return strncmp(name, with, strlen(with)) == 0; }

static void judge_ways(Watch* w, const ChSimulation* s) {
  const ChWorld* world = ch_simulation_world(s);
  double sum[2] = {0.0, 0.0};
  int count[2] = {0, 0};
  for (int b = 0; b < ch_world_body_count(world) && b < 128; ++b) {
    const char* name = ch_world_body_name(world, ch_world_body_at(world, b));
    int kind = begins(name, "red") ? 0 : begins(name, "blue") ? 1 : -1;
    if (kind < 0) continue;
    sum[kind] += ch_norm(ch_sub(ch_simulation_body_at(s, b).position, w->start[b]));
    ++count[kind];
  }
  w->red = sum[0] / fmax(1, count[0]), w->blue = sum[1] / fmax(1, count[1]);
  w->judged = true;
}

static bool look(void* state, const ChSimulation* s, const ChStepInfo* info) {
  Watch* w = state;
  const ChWorld* world = ch_simulation_world(s);
  w->kinetic_max = fmax(w->kinetic_max, info->kinetic);
  w->freedoms = ch_simulation_freedoms(s);
  w->speed = w->stone = 0.0;
  for (int b = 0; b < ch_world_body_count(world) && b < 128; ++b) {
    ChBodyView view = ch_simulation_body_at(s, b);
    if (!w->began) w->start[b] = view.position;
    w->speed = fmax(w->speed, ch_norm(view.velocity));
    if (begins(ch_world_body_name(world, ch_world_body_at(world, b)), "voussoir"))
      w->stone = fmax(w->stone, ch_norm(ch_sub(view.position, w->start[b])));
  }
  w->began = true;
  if (w->friction) ch_rabbit_friction_add(w->friction, s, info);
  if (!w->judged && info->time >= AT - 1e-9) judge_ways(w, s);
  return true;
}

static ChStatus play(ChItemRun* run, const ChSubject* subject, double until, const char* record, Watch* w,
                     ChSummary* summary, double* seconds) {
  ChScene* scene;
  ChStatus status = ch_subject_open(run, subject, &scene);
  if (status != CH_OK) return status;
  ChPlay how = {.until = until, .record = record, .every = 2, .progress = {0.0, 1.0}, .each = look, .state = w};
  return ch_item_play_timed(run, scene, &how, summary, seconds);
}

static void report_steps(ChReport* report, const ChSummary* s, double seconds) {
  ch_report_row(
      report, "steps certified at 1e-6",
      (ChFacts){.printed = "all converge (s7.6)",
                .ours = ch_report_say(report, "%ld of %ld", s->steps - s->missed, s->steps),
                .run = ch_subject_run(s, TOLERANCE),
                .rule = "none missed",
                .met = s->missed == 0,
                .reason = ch_report_say(report, "%ld missed; the worst is at %.1e", s->missed, s->worst.natural)});
  ch_report_claim(
      report, "No blow-up; small penetrations at most, of sharp parts in fast impacts (s7.4).",
      (ChFacts){.run = ch_subject_run(s, TOLERANCE),
                .rule = "overlap below 3 cm, a thirtieth of an animal, and no step gains a hundredth of the energy",
                .met = s->penetration < 0.03 && s->largest_gain <= 1e-2 * fabs(s->energy_start)},
      "Overlap %.2g m at most; energy never rose by more than %.2g J in a step (%.3g J at the start); a step "
      "took %.3g ms of processor time.",
      s->penetration, s->largest_gain, s->energy_start, 1e3 * seconds / (double)s->steps);
}

static void report_rest(ChItemRun* run, const Watch* w, const ChSummary* s) {
  if (run->quick) return;
  ch_report_claim(run->report, "The models end in stable piles.",
                  (ChFacts){.run = ch_subject_run(s, TOLERANCE),
                            .rule = "in the end no centre of mass is faster than 1 cm/s",
                            .met = w->speed < STILL},
                  "At %.3g s the fastest centre of mass moves at %.2g m/s; kinetic energy was %.3g J at most.", s->time,
                  w->speed, w->kinetic_max);
}

// ----------------------------------------------------------------------------------------------------------- dinosaurs

static ChStatus run_dinosaurs(ChItemRun* run) {
  static const ChSubject full = {"dinosaurs", "dinosaurs", {{0}}, 1e-2};
  static const ChSubject quick = {"dinosaurs", "dinosaurs", {{"n", "3"}, {"cells", "16"}, {"modes", "9"}}, 1e-2};
  ChReport* report = run->report;
  Watch watch = {0};
  ChSummary s;
  double seconds;
  ch_report_text(report, "Soft dinosaurs fall together at 4 m/s: fast impacts, large deformations, then a pile.");
  ch_report_choice(report, "animals",
                   "15 of 6 + 15 degrees of freedom make the printed 315. 1.06 m long, 1000 kg/m^3, E = 1 MPa, made by "
                   "Cardhouse from a formula; the document's models and moduli are not printed.");
  ChStatus status = play(run, run->quick ? &quick : &full, run->quick ? 0.6 : 6.0, run->quick ? NULL : "dinosaurs.h5",
                         &watch, &s, &seconds);
  if (status != CH_OK) return status;
  if (!run->quick)
    ch_report_row(report, "degrees of freedom",
                  (ChFacts){.printed = "315",
                            .ours = ch_report_say(report, "%d", watch.freedoms),
                            .rule = "the same",
                            .met = watch.freedoms == 315,
                            .reason = "other animals or modes"});
  report_steps(report, &s, seconds);
  report_rest(run, &watch, &s);
  ch_report_command(report, "cardhouse view dinosaurs");
  if (run->quick)
    ch_report_text(report,
                   "Quick form: three animals of 9 modes for 0.6 s; whether the pile comes to rest is not judged.");
  else
    ch_report_picture(report, "dinosaurs.h5", 6.0, "The pile at the end.");
  return CH_OK;
}

const ChItem ch_item_004_dinosaurs = {
    .name = "004-fig7.7",
    .title = "Soft animals in a pile",
    .source = "004 s7.3.6, Fig 7.7 [H34]",
    .run = run_dinosaurs,
};

// ------------------------------------------------------------------------------------------------------ bunnies,
// arches

// Eight rabbits make few impacts: once more with 16.
static ChStatus judge_crowd(ChItemRun* run) {
  static const ChSubject crowd = {"bunnies", "bunnies-arches", {{"n", "16"}}, 1e-2};
  Watch watch = {.friction = ch_rabbit_friction_create()};
  ChSummary s;
  double seconds;
  if (!watch.friction) return ch_fail(run->context, CH_ERR_MEMORY, "out of memory for the impacts");
  ChStatus status = play(run, &crowd, 6.0, NULL, &watch, &s, &seconds);
  if (status == CH_OK) ch_rabbit_friction_report(run->report, "16 rabbits", watch.friction);
  free(watch.friction);
  return status;
}

static ChStatus run_bunnies(ChItemRun* run) {
  static const ChSubject full = {"bunnies", "bunnies-arches", {{0}}, 1e-2};
  ChReport* report = run->report;
  Watch watch = {.friction = ch_rabbit_friction_create()};
  ChSummary s;
  double seconds;
  if (!watch.friction) return ch_fail(run->context, CH_ERR_MEMORY, "out of memory for the impacts");
  ch_report_text(
      report,
      "Soft rabbits of two frictions, red 0.4 and blue 0.1, slide down a ramp against semicircular arches of "
      "rigid blocks (0.5), which stand by friction alone.");
  ch_report_choice(report, "scene",
                   "8 rabbits of 6 + 12 degrees of freedom, 0.4 m high, E = 0.2 MPa; two arches of 11 stones, radius "
                   "0.6 m; a ramp of 30 degrees, on which both kinds slide. Of the sizes none is printed. On ramp and "
                   "floor a rabbit has its own friction, between others the geometric mean. Impacts of eight are few, "
                   "so that friction is judged once more with "
                   "16; 24 cannot be followed in steps of 1e-2, in which one of them turns too fast.");
  ChStatus status = play(run, &full, run->quick ? 3.0 : 6.0, run->quick ? NULL : "bunnies.h5", &watch, &s, &seconds);
  if (status == CH_OK) ch_rabbit_friction_report(report, "8 rabbits", watch.friction);
  free(watch.friction);
  if (status == CH_OK && !run->quick) status = judge_crowd(run);
  if (status != CH_OK) return status;
  ch_report_claim(report, "Rabbits slide differently, depending on mu.",
                  (ChFacts){.run = ch_subject_run(&s, TOLERANCE),
                            .rule = "blue ones go 1.2 times as far as red ones or farther",
                            .met = watch.blue > 1.2 * watch.red},
                  "After %g s a blue rabbit has gone %.3g m, a red one %.3g m.", AT, watch.blue, watch.red);
  report_steps(report, &s, seconds);
  report_rest(run, &watch, &s);
  if (!run->quick)
    ch_report_row(report, "way of the stone that moved farthest",
                  (ChFacts){.ours = ch_report_say(report, "%.2g m", watch.stone),
                            .reason = "the document tells nothing of how far its stones move"});
  ch_report_command(report, "cardhouse view bunnies-arches");
  if (run->quick)
    ch_report_text(report,
                   "Quick form: three seconds, no second run with 16 rabbits; whether "
                   "they come to rest is not judged.");
  else
    ch_report_picture(report, "bunnies.h5", 6.0, "At the end.");
  return CH_OK;
}

const ChItem ch_item_004_bunnies_arches = {
    .name = "004-fig7.8",
    .title = "Soft rabbits against arches",
    .source = "004 s7.3.6, Fig 7.8 [H35]",
    .run = run_bunnies,
};
