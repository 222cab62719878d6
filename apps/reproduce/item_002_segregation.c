// 002, "We used the QP approach for the simulation of size-based segregation of granular matter, 270 bodies with time
// steps of 100 ms, for 50 seconds": disks of two sizes in a box that is shaken, with friction and without.
#include <math.h>
#include <stdlib.h>

#include "cardhouse/clock.h"
#include "cardhouse/measure.h"
#include "cardhouse/random.h"
#include "cardhouse/shape.h"
#include "reproduce/play.h"

enum { CASES = 5, QUICK_CASES = 2, SAMPLES = 120, BLOCK_SMALL = 4 };
static const double SMALL = 0.5, LARGE = 1.5, STEP = 0.1, TOLERANCE = 1e-4, RISEN = 0.1;

// The box moves as (sideways, up) sin(2 pi t / 1 s).
typedef struct Case {
  const char* name;
  double mu, restitution, sideways, up;
  uint64_t seed;
  // what came out
  int count;
  double time[SAMPLES], index[SAMPLES];
  double seconds, penetration, natural;
  long steps, missed;
} Case;

typedef struct Size {
  int large, small;
  double width, until;
} Size;

// --- the scene -------------------------------------------------------------------------------------------------------

static void put_box(FILE* f, const Case* c, double width) {
  static const double walls[3][2] = {{0, 1}, {1, 0}, {-1, 0}};
  fputs("{\"name\": \"box\", \"position\": [0, 0], \"motion\": [", f);
  fprintf(f, "{\"amplitude\": %.17g, \"frequency\": 1}, {\"amplitude\": %.17g, \"frequency\": 1}], \"shapes\": [",
          c->sideways, c->up);
  for (int k = 0; k < 3; ++k)
    fprintf(f, "%s{\"type\": \"halfplane\", \"material\": \"grain\", \"normal\": [%g, %g], \"offset\": %.17g}",
            k > 0 ? ", " : "", walls[k][0], walls[k][1], k == 0 ? 0.0 : -0.5 * width);
  fputs("]}", f);
}

static void put_disk(FILE* f, const char* name, int number, double x, double y, double radius) {
  fprintf(f, ",\n{\"name\": \"%s %d\", \"position\": [%.17g, %.17g],", name, number, x, y);
  fprintf(f, " \"shapes\": [{\"type\": \"disk\", \"material\": \"grain\", \"radius\": %.17g}]}", radius);
}

// Square cells, in each a large disk or four small ones, in an order that the seed decides.
static void put_disks(FILE* f, const Case* c, const Size* size) {
  const double cell = 2.0 * LARGE + 0.03, shake = 0.01;
  int cells = size->large + size->small / BLOCK_SMALL, wide = (int)(size->width / cell), left = size->large;
  uint64_t seed = c->seed;
  for (int k = 0, small = 0; k < cells; ++k) {
    double x = (k % wide - 0.5 * (wide - 1)) * cell + shake * (ch_random_unit(&seed) - 0.5);
    double y = (k / wide + 0.5) * cell;
    bool large = ch_random_unit(&seed) * (cells - k) < left;  // each cell as likely as any other
    left -= large;
    if (large) put_disk(f, "large", size->large - left, x, y, LARGE);
    for (int q = 0; !large && q < BLOCK_SMALL; ++q)
      put_disk(f, "small", ++small, x + (q % 2 ? 0.25 : -0.25) * cell, y + (q / 2 ? 0.25 : -0.25) * cell, SMALL);
  }
}

typedef struct Filled {
  const Case* c;
  const Size* size;
} Filled;

static void put_scene(FILE* f, const void* state) {
  const Filled* filled = state;
  const Case* c = filled->c;
  const double margin = 1.0;  // what a wall pushes moves by nearly so much in a step
  fputs("{\"cardhouse\": 1, \"name\": \"segregation\",", f);
  fputs(
      " \"description\": \"Disks of two sizes in a box that is shaken.\", \"dimension\": 2,\n\"gravity\": [0, "
      "-9.81],\n",
      f);
  fprintf(f, "\"step\": {\"h\": %.17g, \"until\": %.17g, \"margin\": %g},\n", STEP, filled->size->until, margin);
  fprintf(f, "\"materials\": {\"grain\": {\"density\": 1000, \"friction\": %.17g, \"restitution\": %.17g}},\n", c->mu,
          c->restitution);
  fputs("\"bodies\": [", f);
  put_box(f, c, filled->size->width);
  put_disks(f, c, filled->size);
  fprintf(f, "],\n\"method\": {\"name\": \"ansgs\", \"tolerance\": %.17g, \"max_iterations\": 500,", TOLERANCE);
  fputs(" \"time_limit\": 1000}}\n", f);
}

static ChStatus make_scene(ChItemRun* run, const Case* c, const Size* size, ChScene** out) {
  return ch_item_written_scene(run, "segregation", put_scene, &(Filled){c, size}, out);
}

// --- a run -----------------------------------------------------------------------------------------------------------

typedef struct Watch {
  Case* c;
  ChContext* context;
  ChStatus status;
  ChMeasureRoom* room;
  ChGrains grains;
  double until;
} Watch;

static void sample(Watch* w, const ChSimulation* s) {
  Case* c = w->c;
  if (c->count == SAMPLES || ch_simulation_time(s) < c->count * w->until / (SAMPLES - 1) - 1e-9) return;
  ch_grains_follow(&w->grains, s);
  c->time[c->count] = ch_simulation_time(s);
  w->status = ch_segregation_index(w->context, w->room, &w->grains, 1, &c->index[c->count++]);
}

static bool watch(void* state, const ChSimulation* s, const ChStepInfo* info) {
  Watch* w = state;
  Case* c = w->c;
  ++c->steps;
  c->missed += info->missed;
  c->penetration = fmax(c->penetration, info->penetration);
  c->natural += (info->certificate.natural - c->natural) / (double)c->steps;
  sample(w, s);
  return w->status == CH_OK;
}

static ChStatus run_case(ChItemRun* run, Case* c, const Size* size, const char* record, double from, double to) {
  ChScene* scene;
  Watch w = {.c = c, .context = run->context, .until = size->until};
  ChStatus status = ch_measure_room_create(run->context, &w.room);
  if (status == CH_OK) status = make_scene(run, c, size, &scene);
  if (status == CH_OK) {
    status = ch_world_seal(run->context, scene->world);
    if (status == CH_OK) status = ch_grains_of_world(run->context, w.room, scene->world, NULL, 0.0, &w.grains);
    if (status == CH_OK) status = ch_segregation_index(run->context, w.room, &w.grains, 1, &c->index[c->count++]);
    if (status == CH_OK) {
      ChPlay play = {.record = record, .every = 2, .progress = {from, to}, .each = watch, .state = &w};
      double before = ch_clock_processor_seconds();
      status = ch_item_play(run, scene, &play, NULL);
      c->seconds = ch_clock_processor_seconds() - before;
      if (status == CH_OK) status = w.status;
    }
    ch_scene_destroy(scene);
  }
  ch_measure_room_destroy(w.room);
  return status;
}

// Mean over the last fifth.
static double final_index(const Case* c) {
  double sum = 0.0;
  int from = c->count - c->count / 5 - 1, count = 0;
  for (int k = from > 0 ? from : 0; k < c->count; ++k, ++count) sum += c->index[k];
  return sum / count;
}

static double rise(const Case* c) { return final_index(c) - c->index[0]; }

// --- the report ------------------------------------------------------------------------------------------------------

static void introduce(ChItemRun* run, const Size* size) {
  ChReport* report = run->report;
  ch_report_text(
      report,
      "The slides name the experiment in one sentence: size-based segregation of granular matter, 270 bodies, "
      "time steps of 100 ms, 50 seconds, by the QP scheme with a restitution model of fixed step. Nothing else "
      "is told. Here %d disks of two sizes lie mixed in a box that is shaken; a segregation index says how far "
      "the large ones lie above the small ones, from -1 over 0 (mixed) to 1.",
      size->large + size->small);
  if (run->quick) ch_report_text(report, "Quick form: a smaller box, %g s, two cases.", size->until);
  ch_report_choice(
      report, "sizes",
      "%d disks of diameter 1 m and %d of 3 m, in a box %g m wide. With h = 100 ms a grain falls h^2 g = 0.1 m "
      "in a step: grains much smaller than a metre would move by more than their size.",
      size->small, size->large, size->width);
  ch_report_choice(
      report, "shaking",
      "The box moves sideways with an amplitude of 1.5 m and upwards with 0.3 m at 1 Hz, ten steps a "
      "period. Tried before: shaken upwards alone, with 0.8 to 1.2 m, the bed moves mostly as one block, and "
      "the index rose by 0.01 to 0.16 in 50 s; one such case is among the runs.");
  ch_report_choice(report, "friction and restitution",
                   "mu = 0.5 and e = 0.3 between all; varied: mu = 0, e = 0.6, another start.");
  ch_report_choice(
      report, "scheme",
      "Exact Coulomb friction and Newton's restitution, tolerance 1e-4, at most 500 sweeps a step; the QP of the "
      "slides leaves out the slip (002, its \"says nothing of the Coulomb law\").");
}

// The slides run the convex programme; the law of shaking is ours, and was changed until the index rose.
static ChOurRun run_of(const Case* c) {
  return (ChOurRun){.changed = "exact Coulomb friction, where the slides have the programme (1)",
                    .fitted = "the law of shaking: upwards alone the index rose by 0.01 to 0.16",
                    .steps = c->steps,
                    .missed = c->missed,
                    .tolerance = TOLERANCE};
}

static void judge_run(ChItemRun* run, const Case* c, const Size* size) {
  ChReport* report = run->report;
  const ChOurRun how = run_of(c);
  bool whole = c->steps >= (long)(size->until / STEP - 0.5);
  bool sound = whole && c->penetration < SMALL;
  ch_report_row(
      report, "bodies, step and time of the run",
      (ChFacts){
          .printed = "270 bodies, h = 100 ms, 50 s",
          .ours =
              ch_report_say(report, "%d bodies, h = 100 ms, %g s; %.3g s of processor, %ld of %ld steps missed 1e-4",
                            size->large + size->small, (double)c->steps * STEP, c->seconds, c->missed, c->steps),
          .run = how,
          .rule = "the same counts, no overlap above a small disk's radius",
          .met = sound && !run->quick,
          .reason = run->quick ? "the quick form is smaller"
                    : !whole   ? "the run was stopped"
                               : ch_report_say(report, "disks overlap by up to %.2g m: they passed through each other",
                                               c->penetration)});
  ch_report_claim(
      report, "Large and small grains segregate when they are shaken.",
      (ChFacts){.run = how, .rule = "the index rises by more than 0.1", .met = rise(c) > RISEN},
      "With friction (mu = %g) the index goes from %.2f to %.2f (mean of the last fifth of %g s). %s Largest "
      "overlap of two disks %.2g m, where shocks close faster than a step sees; mean natural residual %.1e.",
      c->mu, c->index[0], final_index(c), size->until,
      rise(c) > RISEN ? "Large disks rise." : "That is less than the 0.1 asked for.", c->penetration, c->natural);
}

static void compare(ChItemRun* run, const Case* cases, int count) {
  ChReport* report = run->report;
  const Case *rough = &cases[0], *smooth = &cases[1];
  double scatter = count > 2 ? fabs(rise(rough) - rise(&cases[2])) : 0.05, apart = fabs(rise(rough) - rise(smooth));
  ChOurRun how = run_of(rough);
  how.steps += smooth->steps, how.missed += smooth->missed;
  ch_report_claim(report,
                  "Size segregation is a friction dependent phenomenon (004, section 1.1, the Brazil nut effect).",
                  (ChFacts){.run = how,
                            .rule = "with and without friction differ by more than two starts with friction do",
                            .met = apart > scatter},
                  "Same start, same shaking: the index rises by %.2f with mu = 0.5 and by %.2f without friction; "
                  "another start alone changes it by %.2f.",
                  rise(rough), rise(smooth), scatter);
  ChChart* chart = ch_report_chart(report, "Segregation index while the box is shaken: 1 = all large disks on top.",
                                   "time [s]", "segregation index [1]", 0);
  for (int k = 0; k < count; ++k) ch_chart_line(chart, cases[k].name, cases[k].count, cases[k].time, cases[k].index);
  for (int k = 2; k < count; ++k)
    ch_report_row(
        report, ch_report_say(report, "rise of the index, %s", cases[k].name),
        (ChFacts){
            .run = run_of(&cases[k]),
            .ours = ch_report_say(report, "%.2f (beside %.2f of the first run)", rise(&cases[k]), rise(rough)),
            .reason = "the slides print neither the law of shaking nor a result: a variation of what was chosen"});
}

static ChStatus run_item(ChItemRun* run) {
  static const Case chosen[CASES] = {
      {.name = "mu = 0.5", .mu = 0.5, .restitution = 0.3, .sideways = 1.5, .up = 0.3, .seed = 1},
      {.name = "frictionless", .mu = 0.0, .restitution = 0.3, .sideways = 1.5, .up = 0.3, .seed = 1},
      {.name = "mu = 0.5, another start", .mu = 0.5, .restitution = 0.3, .sideways = 1.5, .up = 0.3, .seed = 2},
      {.name = "mu = 0.5, e = 0.6", .mu = 0.5, .restitution = 0.6, .sideways = 1.5, .up = 0.3, .seed = 1},
      {.name = "mu = 0.5, shaken upwards only", .mu = 0.5, .restitution = 0.3, .sideways = 0.0, .up = 0.8, .seed = 1},
  };
  Case* cases = malloc(sizeof chosen);
  if (!cases) return ch_fail(run->context, CH_ERR_MEMORY, "out of memory");
  for (int k = 0; k < CASES; ++k) cases[k] = chosen[k];
  const Size size = run->quick ? (Size){4, 64, 12.2, 20.0} : (Size){14, 256, 24.4, 50.0};
  int count = run->quick ? QUICK_CASES : CASES;
  ChStatus status = CH_OK;
  introduce(run, &size);
  for (int k = 0; k < count && status == CH_OK; ++k)
    status = run_case(run, &cases[k], &size, k == 0 ? "shaken.h5" : NULL, (double)k / count, (k + 1.0) / count);
  if (status == CH_OK) {
    judge_run(run, &cases[0], &size);
    compare(run, cases, count);
    ch_report_command(run->report, "cardhouse measure shaken.h5 --segregation y --from 0 --profile y --out statistics");
    ch_report_picture(run->report, "shaken.h5", 0.0, "The start: mixed.");
    ch_report_picture(run->report, "shaken.h5", size.until, "The end, with friction.");
  }
  free(cases);
  return status;
}

const ChItem ch_item_002_segregation = {
    .name = "002-segregation",
    .title = "Size segregation of 270 shaken bodies",
    .source = "002, slide 26: size-based segregation [H10]; 004 s1.1",
    .run = run_item,
};
