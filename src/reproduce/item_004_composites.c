// 004, section 7.3.1, Fig 7.1 and the row "composites" of Table 7.1: mats woven from strands of a stiff rubber hang on
// pegs; friction and stiffness together hold them, or do not.
//
// Moduli are printed nowhere. The mat is run over a grid of moduli and friction coefficients, and the two rows of the
// figure are those of the grid at which the printed outcome appears. Strands do not move alike: what a mat does is read
// off the strand that has moved farthest. When that is a pitch of the weave, the mat comes apart.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vector.h"
#include "reproduce/play.h"

enum { YOUNGS = 4, FRICTIONS = 3, LOWER = 1, UPPER = 3, POINTS = 1024, BODIES = 16 };

static const char* const young_text[YOUNGS] = {"5e6", "1e7", "2e7", "4e7"};
static const char* const friction_text[FRICTIONS] = {"0.1", "0.3", "0.5"};
static const double PITCH = 0.1;  // m
static const double QUICK = 0.5;  // s; what takes longer to come apart, does so late
static const double CREEP = 0.3;  // s that the last 0.4 of a pitch take a mat that creeps
static const double PRINTED_SECONDS = 0.56;

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
  ChSummary fine;  // the mesh whose number of contacts is nearest to the document's
  Hang finer;      // the same mesh in the lower row, mu = 0.3
  int freedoms;
  double until;
} Grid;

static bool is_strand(const ChWorld* world, int body) { return ch_world_body_name(world, body)[0] == 'w'; }

static bool watch(void* state, const ChSimulation* simulation, const ChStepInfo* info) {
  Hang* hang = state;
  const ChWorld* world = ch_simulation_world(simulation);
  double most = 0.0;
  for (int b = 0; b < ch_world_body_count(world) && b < BODIES; ++b) {
    if (!is_strand(world, b)) continue;
    ChVec3 at = ch_simulation_body(simulation, b).position;
    if (info->step == 1) hang->start[b] = at;
    most = fmax(most, ch_norm(ch_sub(at, hang->start[b])));
  }
  if (hang->count < POINTS) hang->time[hang->count] = info->time, hang->moved[hang->count++] = most;
  return most < PITCH;
}

static Outcome outcome_of(const Hang* hang) {
  int last = hang->count - 1, k = last;
  if (hang->moved[last] < PITCH) return HOLDS;
  if (hang->time[last] < QUICK) return QUICKLY;
  while (k > 0 && hang->moved[k] > 0.6 * PITCH) --k;
  return hang->time[last] - hang->time[k] > CREEP ? SLOWLY : LATE;
}

static const char* record_name(ChReport* report, int y, int m) {
  return ch_report_say(report, "composite-%s-%s.h5", young_text[y], friction_text[m]);
}

static ChStatus hang_up(ChItemRun* item, int y, int m, const double progress[2], Grid* grid) {
  const char* const parameters[][2] = {{"young", young_text[y]}, {"mu", friction_text[m]}};
  Hang* hang = &grid->hang[y][m];
  ChScene* scene;
  ChStatus status = ch_item_scene(item, "composite", 2, parameters, &scene);
  if (status != CH_OK) return status;
  ChPlay play = {.until = grid->until,
                 .record = y == UPPER || y == LOWER ? record_name(item->report, y, m) : NULL,
                 .every = 4,
                 .progress = {progress[0], progress[1]},
                 .each = watch,
                 .state = hang};
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
  grid->freedoms = ch_item_freedoms(simulation);
  return info->step > 0;
}

// The first steps of the upper row at mu = 0.5, and the lower row at mu = 0.3, on the finer mesh.
static ChStatus play_fine(ChItemRun* item, Grid* grid) {
  const char* const upper[][2] = {{"cells", "9"}};
  const char* const lower[][2] = {{"cells", "9"}, {"young", young_text[LOWER]}, {"mu", friction_text[1]}};
  ChPlay first = {.until = item->quick ? 0.03 : 0.15, .each = count_freedoms, .state = grid};
  ChPlay second = {.until = 0.6, .each = watch, .state = &grid->finer};
  double seconds;
  ChScene* scene;
  ChStatus status = ch_item_scene(item, "composite", 1, upper, &scene);
  if (status == CH_OK) status = ch_item_play_timed(item, scene, &first, &grid->fine, &seconds);
  if (status != CH_OK || item->quick) return status;
  status = ch_item_scene(item, "composite", 3, lower, &scene);
  if (status == CH_OK) status = ch_item_play_timed(item, scene, &second, &grid->finer.summary, &seconds);
  if (status != CH_OK || grid->finer.count == 0) return status;
  grid->finer.done = true;
  grid->finer.outcome = outcome_of(&grid->finer);
  return CH_OK;
}

// The quick form runs the cases that tell most within the first quarter of a second.
static bool wanted(const ChItemRun* item, int y, int m) {
  return !item->quick || (y == LOWER && m == 1) || (y == UPPER && m != 1);
}

static ChStatus play_all(ChItemRun* item, Grid* grid) {
  ChStatus status = play_fine(item, grid);
  for (int k = 0; k < YOUNGS * FRICTIONS && status == CH_OK; ++k) {
    const double progress[2] = {(double)k / (YOUNGS * FRICTIONS), (k + 1.0) / (YOUNGS * FRICTIONS)};
    if (wanted(item, k / FRICTIONS, k % FRICTIONS))
      status = hang_up(item, k / FRICTIONS, k % FRICTIONS, progress, grid);
    if (!ch_item_progress(item, progress[1])) break;
  }
  return status;
}

// --- what it says ----------------------------------------------------------------------------------------------------

static void tell(ChItemRun* item, double until) {
  ChReport* report = item->report;
  ch_report_text(
      report,
      "Flattened strands of rubber are woven into a mat, which hangs on two pegs by its uppermost weft: what "
      "holds the other strands is friction, and what presses them together is that the weave bends them "
      "more than they are bent at rest. So stiffness and friction decide together. The document varies both "
      "and prints no modulus; here the mat is run over a grid of both, for %g s or until a strand has "
      "moved by a pitch of the weave, %g m.",
      until, PITCH);
  if (item->quick) ch_report_text(report, "The quick form has three runs of the grid, for %g s.", until);
  ch_report_choice(
      report, "192 degrees of freedom",
      "one mat of 8 strands with 6 + 18 each. Divided by the six mats of the figure they would be 32 a mat, "
      "which is five rigid strands or one that deforms: no weave");
  ch_report_choice(report, "weave",
                   "4 by 4 strands of 0.4 x 0.05 x 0.008 m, 1100 kg/m3, pitch 0.1 m; at rest they are "
                   "waved 0.8 times as much as the weave needs; Poisson's ratio 0.4, a tenth of "
                   "critical damping at 5 and 200 Hz; h = 3e-3 as printed");
  ch_report_choice(
      report, "moduli",
      "lower row %s Pa, upper row %s Pa, fitted: those of the grid at which most of the printed outcomes appear",
      young_text[LOWER], young_text[UPPER]);
  ch_report_choice(report, "quickly, late, slowly",
                   "apart within %g s; later; later, and with %g s or more for the last 0.4 of the pitch", QUICK,
                   CREEP);
  ch_report_choice(report, "mesh",
                   "6 cells from crossing to crossing, two across a strand. The outcome depends on it: strands of a "
                   "finer mesh touch "
                   "at more points and hold better, so that moduli at which mats come apart are lower there. The row "
                   "on 9 cells says what the lower row's modulus does then");
  ch_report_command(report, "cardhouse scene composite --young 1e7 --mu 0.5 | cardhouse view -");
}

static const char* what_happened(ChReport* report, const Hang* hang) {
  double last = hang->time[hang->count - 1];
  if (hang->outcome == HOLDS)
    return ch_report_say(report, "stays together for %.2f s; no strand moved by more than %.3f m", last,
                         hang->moved[hang->count - 1]);
  return ch_report_say(report, "%s: after %.2f s", outcome_name[hang->outcome], last);
}

static void tell_outcomes(ChReport* report, const Grid* grid) {
  for (int row = 1; row >= 0; --row)
    for (int m = FRICTIONS - 1; m >= 0; --m) {
      const Hang* hang = &grid->hang[row ? UPPER : LOWER][m];
      if (!hang->done) continue;
      ch_report_row(report, ch_report_say(report, "%s row, mu = %s", row ? "upper" : "lower", friction_text[m]),
                    outcome_name[printed_outcome[row][m]], what_happened(report, hang),
                    hang->outcome == printed_outcome[row][m] ? CH_REPRODUCED : CH_DIFFERS,
                    hang->outcome == LATE
                        ? "it stands nearly still, then a strand slips and the rest follows within a few tenths of a "
                          "second: no creep. Coulomb's friction has none of its own"
                        : "no modulus of the grid gives the whole row");
    }
  const Hang* finer = &grid->finer;
  if (!finer->done) return;
  ch_report_row(
      report, "lower row, mu = 0.3, on the finer mesh of 9 cells", outcome_name[QUICKLY], what_happened(report, finer),
      finer->outcome == QUICKLY ? CH_REPRODUCED : CH_DIFFERS,
      "the outcome depends on the mesh: with more points of contact the same modulus holds; the fitted moduli "
      "belong to the mesh of 6 cells");
}

static void tell_costs(ChReport* report, const Grid* grid) {
  const ChSummary* fine = &grid->fine;
  double steps = fmax(1.0, (double)fine->steps), solve = fine->seconds_solve / steps;
  long all = fine->steps, missed = fine->missed;
  for (int k = 0; k < YOUNGS * FRICTIONS; ++k) {
    const ChSummary* s = &grid->hang[k / FRICTIONS][k % FRICTIONS].summary;
    all += s->steps, missed += s->missed;
  }
  double contacts = (double)fine->contacts_sum / steps;
  ch_report_row(report, "degrees of freedom", "192", ch_report_say(report, "%d", grid->freedoms),
                grid->freedoms == 192 ? CH_REPRODUCED : CH_DIFFERS, "other strands or modes");
  ch_report_row(
      report, "contacts", "921",
      ch_report_say(report, "%.0f a step; 9 cells from crossing to crossing are chosen to come near", contacts),
      fabs(contacts - 921.0) < 50.0 ? CH_REPRODUCED : CH_DIFFERS,
      "what counts as a contact depends on mesh and margin, of which none is printed");
  ch_report_row(report, "solve of a step with that mesh", ch_report_say(report, "%g s", PRINTED_SECONDS),
                ch_report_say(report, "%.3g s, %.3g times as fast, mean of the first %ld steps", solve,
                              PRINTED_SECONDS / solve, fine->steps),
                solve < PRINTED_SECONDS ? CH_REPRODUCED : CH_DIFFERS, "the machine at hand was busy, or is slow");
  ch_report_row(report, "steps certified to 1e-6", "not printed",
                ch_report_say(report, "%ld of %ld (%.2f %%)", all - missed, all, 100.0 * (all - missed) / all),
                (all - missed) >= 0.99 * all ? CH_REPRODUCED : CH_DIFFERS,
                "more than a hundredth of the steps fell short within the solver's limit of work");
}

static void judge(ChReport* report, const Grid* grid) {
  const Hang *strong = &grid->hang[UPPER][2], *slippery = &grid->hang[UPPER][0], *weak = &grid->hang[LOWER][1];
  bool all = strong->done && slippery->done && weak->done;
  bool holds = all && strong->outcome == HOLDS && slippery->outcome == QUICKLY && weak->outcome == QUICKLY;
  if (!all) return;
  ch_report_claim(report,
                  "the composites come apart where friction and stiffness together are insufficient to resist gravity",
                  holds, "at %s Pa: mu = 0.5 %s, mu = 0.1 %s; at %s Pa: mu = 0.3 %s%s", young_text[UPPER],
                  outcome_name[strong->outcome], outcome_name[slippery->outcome], young_text[LOWER],
                  outcome_name[weak->outcome], holds ? "" : ", which is not what these moduli were chosen for");
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
  ch_report_map(report,
                ch_report_say(report,
                              "How long a mat stays together, at most the %g s of a run; moduli from below 5e6, 1e7, "
                              "2e7 and 4e7 Pa, friction 0.1, 0.3 and 0.5.",
                              grid->until),
                FRICTIONS, YOUNGS, until, (const double[2]){0.0, 0.6}, (const double[2]){6.55, 7.75}, "mu [1]",
                "log10 of Young's modulus [Pa]", "time [s]", false);
}

static ChStatus run_item(ChItemRun* item) {
  Grid* grid = calloc(1, sizeof *grid);
  if (!grid) return ch_fail(item->context, CH_ERR_MEMORY, "out of memory for the mats");
  grid->until = item->quick ? 0.27 : 1.5;
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
