// 004, section 7.3.1, Fig 7.1 and the row "composites" of Table 7.1: mats woven from strands of a stiff rubber hang on
// pegs; friction and stiffness together hold them, or do not.
//
// Moduli are printed nowhere. The mat is run over a grid of moduli and friction coefficients, and the two rows of the
// figure are those of the grid at which the printed outcome appears. Strands do not move alike: what a mat does is read
// off the strand that has moved farthest. When that is a pitch of the weave, the mat comes apart. Both rows are run on
// two meshes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cardhouse/geometry.h"
#include "reproduce/subject.h"

enum { YOUNGS = 4, FRICTIONS = 3, LOWER = 1, UPPER = 2, POINTS = 1024, BODIES = 16 };

static const char* const young_text[YOUNGS] = {"1.6e7", "3.25e7", "6.5e7", "1.3e8"};
static const char* const friction_text[FRICTIONS] = {"0.1", "0.3", "0.5"};
static const char CELLS[] = "8", FINER[] = "12";  // of a strand's mesh from crossing to crossing
static const double PITCH = 0.1;                  // m
static const double HUNG = 0.15;                  // s: gravity begins
static const double FALL = 0.143;                 // s of free fall over a pitch
static const double CREEP = 0.45;  // m/s, a third of what free fall ends with: what creeps is slower over the last 0.4
static const double PRINTED_SECONDS = 0.56, TOLERANCE = 1e-6;
static const char FITTED[] = "both moduli, the weft by which it hangs, and the meaning of quickly and slowly";

typedef enum Outcome { HOLDS, SLOWLY, LATE, QUICKLY } Outcome;
static const char* const outcome_name[] = {"stays together", "creeps apart slowly", "comes apart late, at once",
                                           "comes apart quickly"};
static const Outcome printed_outcome[2][FRICTIONS] = {{QUICKLY, QUICKLY, SLOWLY}, {QUICKLY, HOLDS, HOLDS}};

typedef struct Hang {
  bool done;
  int count;
  double time[POINTS], moved[POINTS];  // of the strand that has moved farthest, m
  ChVec3 start[BODIES];
  ChSummary summary;
  Outcome outcome;
} Hang;

typedef struct Grid {
  Hang hang[YOUNGS][FRICTIONS];
  Hang finer[2][FRICTIONS];  // lower and upper row
  ChSummary fine;            // the mesh whose number of contacts is nearest to the document's
  int freedoms;
  double until;
} Grid;

static bool is_strand(const ChWorld* world, int body) {
  return ch_world_body_name(world, ch_world_body_at(world, body))[0] == 'w';
}

static bool watch(void* state, const ChSimulation* simulation, const ChStepInfo* info) {
  Hang* hang = state;
  const ChWorld* world = ch_simulation_world(simulation);
  double most = 0.0;
  for (int b = 0; b < ch_world_body_count(world) && b < BODIES; ++b) {
    if (!is_strand(world, b)) continue;
    ChVec3 at = ch_simulation_body_at(simulation, b).position;
    if (info->step == 1) hang->start[b] = at;
    most = fmax(most, ch_norm(ch_sub(at, hang->start[b])));
  }
  if (hang->count < POINTS) hang->time[hang->count] = info->time, hang->moved[hang->count++] = most;
  return most < PITCH;
}

static Outcome outcome_of(const Hang* hang) {
  int last = hang->count - 1, k = last;
  if (hang->moved[last] < PITCH) return HOLDS;
  if (hang->time[last] - HUNG < 2.0 * FALL) return QUICKLY;
  while (k > 0 && hang->moved[k] > 0.6 * PITCH) --k;
  return hang->moved[last] - hang->moved[k] < CREEP * (hang->time[last] - hang->time[k]) ? SLOWLY : LATE;
}

static const char* record_name(ChReport* report, int y, int m) {
  return ch_report_say(report, "composite-%s-%s.h5", young_text[y], friction_text[m]);
}

static ChStatus hang_up(ChItemRun* item, int y, int m, const char* cells, const ChPlay* how, Hang* hang) {
  const char* const parameters[][2] = {{"young", young_text[y]}, {"mu", friction_text[m]}, {"cells", cells}};
  ChScene* scene;
  ChStatus status = ch_item_scene(item, "composite", 3, parameters, &scene);
  if (status != CH_OK) return status;
  ChPlay play = *how;
  play.each = watch, play.state = hang;
  scene->options.solve.time_limit = 60.0;  // on the wall, whatever else the machine does
  status = ch_item_play(item, scene, &play, &hang->summary);
  ch_scene_destroy(scene);
  if (status != CH_OK || hang->count == 0) return status;
  hang->done = true;
  hang->outcome = outcome_of(hang);
  return CH_OK;
}

static bool count_freedoms(void* state, const ChSimulation* simulation, const ChStepInfo* info) {
  Grid* grid = state;
  grid->freedoms = ch_simulation_freedoms(simulation);
  return info->step > 0;
}

// The first steps of the upper row at mu = 0.5 on the mesh that is nearest to the document's contacts.
static ChStatus play_fine(ChItemRun* item, Grid* grid) {
  const char* const upper[][2] = {{"cells", "10"}};
  ChPlay first = {.until = 0.24, .each = count_freedoms, .state = grid};
  double seconds;
  ChScene* scene;
  ChStatus status = ch_item_scene(item, "composite", 1, upper, &scene);
  return status == CH_OK ? ch_item_play_timed(item, scene, &first, &grid->fine, &seconds) : status;
}

// The quick form runs the cases that tell most within the first quarter of a second.
static bool wanted(const ChItemRun* item, int y, int m) {
  return !item->quick || (y == LOWER && m == 1) || (y == UPPER && m != 1);
}

static ChStatus play_grid(ChItemRun* item, Grid* grid) {
  ChStatus status = CH_OK;
  for (int k = 0; k < YOUNGS * FRICTIONS && status == CH_OK; ++k) {
    int y = k / FRICTIONS, m = k % FRICTIONS;
    ChPlay play = {.until = grid->until,
                   .record = y == UPPER || y == LOWER ? record_name(item->report, y, m) : NULL,
                   .every = 4,
                   .progress = {0.6 * k / (YOUNGS * FRICTIONS), 0.6 * (k + 1.0) / (YOUNGS * FRICTIONS)}};
    if (wanted(item, y, m)) status = hang_up(item, y, m, CELLS, &play, &grid->hang[y][m]);
    if (!ch_item_progress(item, play.progress[1])) break;
  }
  return status;
}

static ChStatus play_all(ChItemRun* item, Grid* grid) {
  ChStatus status = play_fine(item, grid);
  if (status == CH_OK) status = play_grid(item, grid);
  for (int k = 0; k < 2 * FRICTIONS && status == CH_OK && !item->quick; ++k) {
    int row = k / FRICTIONS, m = k % FRICTIONS;
    ChPlay play = {.until = grid->until,
                   .progress = {0.6 + 0.4 * k / (2 * FRICTIONS), 0.6 + 0.4 * (k + 1.0) / (2 * FRICTIONS)}};
    status = hang_up(item, row ? UPPER : LOWER, m, FINER, &play, &grid->finer[row][m]);
    if (!ch_item_progress(item, play.progress[1])) break;
  }
  return status;
}

// --- what it says ----------------------------------------------------------------------------------------------------

static void tell(ChItemRun* item, double until) {
  ChReport* report = item->report;
  ch_report_text(report,
                 "Flattened strands of rubber are woven into a mat, which hangs on two pegs by its second weft. "
                 "Friction holds the other strands. They press on each other because the weave bends them more than "
                 "they are bent at rest. So stiffness and friction decide together. The document varies both "
                 "and prints no modulus; here the mat is run over a grid of both, for %g s or until a strand has "
                 "moved by a pitch of the weave, %g m. Gravity begins after %g s, when the strands have settled.",
                 until, PITCH, HUNG);
  if (item->quick) ch_report_text(report, "The quick form has three runs of the grid, for %g s.", until);
  ch_report_choice(
      report, "192 degrees of freedom",
      "one mat of 8 strands with 6 + 18 each. Divided by the six mats of the figure they would be 32 a mat, "
      "which is five rigid strands or one that deforms: no weave");
  ch_report_choice(report, "weave",
                   "4 by 4 strands of 0.4 x 0.05 x 0.012 m, 1100 kg/m3, pitch 0.1 m, of a section like a lens; at rest "
                   "they are waved 0.8 times as much as the weave needs; Poisson's ratio 0.4, a tenth of critical "
                   "damping at 5 and 200 Hz; h = 3e-3 as printed");
  ch_report_choice(report, "where it hangs",
                   "by the second weft. A strand in balance presses at its outermost crossings with a third of the "
                   "force of the inner ones, so that the uppermost weft could carry next to nothing");
  ch_report_choice(
      report, "moduli",
      "lower row %s Pa, upper row %s Pa. The load that friction holds grows as mu E, so the printed outcome (0.3 "
      "holds above, 0.5 does not below) needs more than 5/3 of the modulus; by the cube of the "
      "thickness twice the stiffness is a quarter more of it",
      young_text[LOWER], young_text[UPPER]);
  ch_report_choice(report, "quickly, slowly",
                   "apart within twice the time of free fall over a pitch, %.2f s; later, and over the last 0.4 of the "
                   "pitch slower than %g m/s",
                   2.0 * FALL, CREEP);
  ch_report_choice(report, "mesh",
                   "%s cells from crossing to crossing, and %s for comparison. Strands with flat sections would touch "
                   "at corners, edge on edge, and what they hold would depend on where their vertices lie; lenses "
                   "touch in the middle",
                   CELLS, FINER);
  ch_report_command(report, "cardhouse scene composite --young 3.25e7 --mu 0.5 | cardhouse view -");
}

static const char* what_happened(ChReport* report, const Hang* hang) {
  double last = hang->time[hang->count - 1] - HUNG;
  if (hang->outcome == HOLDS)
    return ch_report_say(report, "stays together for %.2f s; no strand moved by more than %.3f m", last,
                         hang->moved[hang->count - 1]);
  return ch_report_say(report, "%s: %.2f s after it was hung up", outcome_name[hang->outcome], last);
}

static void tell_row(ChReport* report, int row, const Hang* hang, const char* where) {
  for (int m = FRICTIONS - 1; m >= 0; --m) {
    if (!hang[m].done) continue;
    ChOurRun run = ch_subject_run(&hang[m].summary, TOLERANCE);
    run.fitted = FITTED;
    ch_report_row(
        report, ch_report_say(report, "%s row, mu = %s%s", row ? "upper" : "lower", friction_text[m], where),
        (ChFacts){.printed = outcome_name[printed_outcome[row][m]],
                  .ours = what_happened(report, &hang[m]),
                  .run = run,
                  .rule = "the same of four outcomes",
                  .met = hang[m].outcome == printed_outcome[row][m],
                  .reason = "the row's modulus is too near to the one at which this mat does the other thing"});
  }
}

static void tell_outcomes(ChReport* report, const Grid* grid) {
  for (int row = 1; row >= 0; --row) tell_row(report, row, grid->hang[row ? UPPER : LOWER], "");
  for (int row = 1; row >= 0; --row)
    tell_row(report, row, grid->finer[row], ch_report_say(report, ", %s cells", FINER));
}

static void tell_costs(ChReport* report, const Grid* grid) {
  const ChSummary* fine = &grid->fine;
  double steps = fmax(1.0, (double)fine->steps), solve = fine->seconds_solve / steps;
  long all = fine->steps, missed = fine->missed;
  for (int k = 0; k < YOUNGS * FRICTIONS; ++k) {
    const ChSummary* s = &grid->hang[k / FRICTIONS][k % FRICTIONS].summary;
    all += s->steps, missed += s->missed;
  }
  for (int k = 0; k < 2 * FRICTIONS; ++k) {
    const ChSummary* s = &grid->finer[k / FRICTIONS][k % FRICTIONS].summary;
    all += s->steps, missed += s->missed;
  }
  double contacts = (double)fine->contacts_sum / steps;
  ChOurRun speed = ch_subject_run(fine, TOLERANCE);
  speed.contacts[0] = 921.0, speed.contacts[1] = contacts;
  ch_report_row(report, "degrees of freedom",
                (ChFacts){.printed = "192",
                          .ours = ch_report_say(report, "%d", grid->freedoms),
                          .rule = "the same",
                          .met = grid->freedoms == 192,
                          .reason = "other strands or modes"});
  ch_report_row(
      report, "contacts",
      (ChFacts){.printed = "921",
                .ours = ch_report_say(report, "%.0f a step; 10 cells from crossing to crossing are chosen to come near",
                                      contacts),
                .run = {.fitted = "cells of the mesh, so that there are as many"},
                .value = {921.0, contacts},
                .factor = 1.1,
                .reason = "what counts as a contact depends on mesh and margin, of which none is printed"});
  ch_report_row(report, "solve of a step with that mesh",
                (ChFacts){.printed = ch_report_say(report, "%g s", PRINTED_SECONDS),
                          .ours = ch_report_say(report, "%.3g s, %.3g times as fast, mean of the first %ld steps",
                                                solve, PRINTED_SECONDS / solve, fine->steps),
                          .run = speed,
                          .rule = "ours is not longer",
                          .met = solve < PRINTED_SECONDS,
                          .reason = "the machine was busy, or is slow"});
  ch_report_row(report, "steps certified to 1e-6",
                (ChFacts){.ours = ch_report_say(report, "%ld of %ld (%.2f %%)", all - missed, all,
                                                100.0 * (double)(all - missed) / (double)all),
                          .run = {.steps = all, .missed = missed, .tolerance = TOLERANCE},
                          .reason = "the document certifies nothing"});
}

static void judge(ChReport* report, const Grid* grid) {
  const Hang *strong = &grid->hang[UPPER][2], *slippery = &grid->hang[UPPER][0], *weak = &grid->hang[LOWER][1];
  bool all = strong->done && slippery->done && weak->done;
  bool holds = all && strong->outcome == HOLDS && slippery->outcome == QUICKLY && weak->outcome == QUICKLY;
  if (!all) return;
  ChOurRun run = ch_subject_run(&strong->summary, TOLERANCE);
  run.missed += slippery->summary.missed + weak->summary.missed;
  run.steps += slippery->summary.steps + weak->summary.steps;
  run.fitted = FITTED;
  ch_report_claim(
      report, "the composites come apart where friction and stiffness together are insufficient to resist gravity",
      (ChFacts){.run = run, .rule = "what the figure's captions say of three of its six mats", .met = holds},
      "at %s Pa: mu = 0.5 %s, mu = 0.1 %s; at %s Pa: mu = 0.3 %s%s", young_text[UPPER], outcome_name[strong->outcome],
      outcome_name[slippery->outcome], young_text[LOWER], outcome_name[weak->outcome],
      holds ? "" : ", which is not what these moduli were chosen for");
}

static void draw(ChItemRun* item, const Grid* grid) {
  ChReport* report = item->report;
  for (int row = 1; row >= 0; --row) {
    int y = row ? UPPER : LOWER;
    ChChart* chart =
        ch_report_chart(report,
                        ch_report_say(report, "%s row, %s Pa: how far the strand that moves most has come.",
                                      row ? "Upper" : "Lower", young_text[y]),
                        "time [s]", "distance [m]", 0);
    for (int m = 0; m < FRICTIONS; ++m) {
      const Hang* hang = &grid->hang[y][m];
      if (!hang->done) continue;
      ch_chart_line(chart, ch_report_say(report, "mu = %s", friction_text[m]), hang->count, hang->time, hang->moved);
      ch_report_picture(report, record_name(report, y, m), hang->time[hang->count - 1],
                        ch_report_say(report, "%s row, mu = %s, after %.2f s.", row ? "Upper" : "Lower",
                                      friction_text[m], hang->time[hang->count - 1]));
    }
  }
  if (item->quick) return;
  double until[YOUNGS * FRICTIONS];
  for (int k = 0; k < YOUNGS * FRICTIONS; ++k) {
    const Hang* hang = &grid->hang[k / FRICTIONS][k % FRICTIONS];
    until[k] = hang->done ? hang->time[hang->count - 1] : NAN;
  }
  ch_report_map(
      report,
      ch_report_say(report,
                    "How long a mat stays together, at most the %g s of a run; moduli from below 1.6e7, 3.25e7, "
                    "6.5e7 and 1.3e8 Pa, friction 0.1, 0.3 and 0.5.",
                    grid->until),
      FRICTIONS, YOUNGS, until, (const double[2]){0.0, 0.6}, (const double[2]){7.05, 8.26}, "mu [1]",
      "log10 of Young's modulus [Pa]", "time [s]", false);
}

static ChStatus run_item(ChItemRun* item) {
  Grid* grid = calloc(1, sizeof *grid);
  if (!grid) return ch_fail(item->context, CH_ERR_MEMORY, "out of memory for the mats");
  grid->until = HUNG + (item->quick ? 0.25 : 1.5);
  tell(item, grid->until);
  ChStatus status = play_all(item, grid);
  if (status == CH_OK) {
    tell_outcomes(item->report, grid);
    tell_costs(item->report, grid);
    judge(item->report, grid);
    draw(item, grid);
  }
  free(grid);
  return status;
}

const ChItem ch_item_004_composites = {.name = "004-fig7.1",
                                       .title = "Hanging woven composites: stiffness and friction together",
                                       .source = "004 s7.3.1, Fig 7.1, Table 7.1 [H29]",
                                       .run = run_item};
