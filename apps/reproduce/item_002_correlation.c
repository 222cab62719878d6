// 002, "What are we hoping to accomplish": the two-point correlation function of a granular medium, 2D equilibrium,
// "Metropolis" beside "reconstructed"; and those of beds that were simulated.
#include <math.h>
#include <stdlib.h>

#include "cardhouse/random.h"
#include "cardhouse/shape.h"
#include "reproduce/hard_disks.h"
#include "reproduce/pebble_bed.h"
#include "reproduce/play.h"

enum { BINS_MAX = 400, CURVES = 6, FITTED = 6 };
static const double FRACTION = 0.5, REACH = 7.0, WIDTH = 0.025, STRIDE = 0.12;

typedef struct Curve {
  int count;
  double r[BINS_MAX], g[BINS_MAX];  // r in diameters
  double contact;                   // g at r = D+, from the next six bins
} Curve;

// How the quick form and the full one differ.
typedef struct Effort {
  int side, box_side;
  long sweeps, moves;
  double gas_time;
  int settled, bed;
} Effort;

static const Effort full = {24, 14, 6000, 600000, 12.0, 400, 2000}, quick = {18, 12, 2500, 60000, 10.0, 60, 0};

// Bins from contact on. The bin at r = D is half inside of the disks, where nothing can be: what is known of contact is
// the line through the logarithms of the next six, taken at r = D.
static void take_curve(const ChPairCorrelation* c, double diameter, bool gas, Curve* out) {
  int first = (int)lround(diameter / c->width), half = gas ? first + 1 : first;
  *out = (Curve){0};
  for (int k = half; k < c->bins && out->count < BINS_MAX; ++k) {
    out->r[out->count] = ch_pair_correlation_distance(c, k) / diameter;
    out->g[out->count++] = ch_pair_correlation_value(c, k);
  }
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int k = 0; gas && k < FITTED; ++k) {
    double x = out->r[k] - 1.0, y = log(out->g[k]);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  double slope = (FITTED * sxy - sx * sy) / (FITTED * sxx - sx * sx);
  out->contact = gas ? exp((sy - slope * sx) / FITTED) : out->count > 0 ? out->g[0] : NAN;
}

static double extreme(const Curve* c, double sign) {
  double most = -INFINITY;
  for (int k = 0; k < c->count; ++k) most = fmax(most, sign * c->g[k]);
  return sign * most;
}

static double root_mean_square(const Curve* a, const Curve* b) {
  double sum = 0.0;
  int count = a->count < b->count ? a->count : b->count;
  for (int k = 0; k < count; ++k) sum += (a->g[k] - b->g[k]) * (a->g[k] - b->g[k]);
  return sqrt(sum / count);
}

// --- equilibrium -----------------------------------------------------------------------------------------------------

// The correlation of Metropolis' states, in a periodic square or in one with walls; there, of the disks whose centres
// lie at least `inset` from a wall.
static ChStatus metropolis(ChItemRun* run, ChMeasureRoom* room, int side, bool periodic, double inset, long sweeps,
                           double reach, ChPairCorrelation* c) {
  ChRegion region = ch_hard_disks_region(side, FRACTION, periodic), window = ch_region_inset(&region, inset);
  int count = side * side;
  uint64_t seed = 1;
  ChGrains grains;
  ChVec3* at = ch_measure_room_take(room, (size_t)count, sizeof *at);
  if (!at) return ch_fail(run->context, CH_ERR_MEMORY, "out of memory");
  ch_hard_disks_lattice(side, &region, at);
  ChStatus status = ch_grains_of_points(run->context, room, 2, count, at, 0.5, &grains);
  if (status == CH_OK) status = ch_pair_correlation_begin(run->context, room, 2, WIDTH, reach, c);
  for (long k = 0; k < sweeps && status == CH_OK; ++k) {
    ch_hard_disks_sweep(count, grains.at, &region, STRIDE, &seed);
    if (k >= sweeps / 4 && k % 20 == 0) status = ch_pair_correlation_add(run->context, room, c, &grains, &window);
  }
  return status;
}

static ChStatus reconstruct(ChItemRun* run, ChMeasureRoom* room, const ChPairCorrelation* target, const Effort* e,
                            Curve* out, double* miss) {
  ChRegion region = ch_hard_disks_region(e->side, FRACTION, true);
  int count = e->side * e->side;
  double* g = ch_measure_room_take(room, (size_t)target->bins, sizeof *g);
  ChVec3* at = ch_measure_room_take(room, (size_t)count, sizeof *at);
  if (!g || !at) return ch_fail(run->context, CH_ERR_MEMORY, "out of memory");
  for (int b = 0; b < target->bins; ++b) g[b] = ch_pair_correlation_value(target, b);
  *miss = ch_points_reconstruct(room, count, at, &region, target->bins, target->width, g, e->moves, 5);
  ChGrains grains;
  ChPairCorrelation c;
  ChStatus status = ch_grains_of_points(run->context, room, 2, count, at, 0.5, &grains);
  if (status == CH_OK) status = ch_pair_correlation_begin(run->context, room, 2, target->width, REACH, &c);
  if (status == CH_OK) status = ch_pair_correlation_add(run->context, room, &c, &grains, &region);
  if (status == CH_OK) take_curve(&c, 1.0, true, out);
  return status;
}

// --- what is simulated -----------------------------------------------------------------------------------------------

typedef struct Motion {
  ChContext* context;
  ChStatus status;
  ChMeasureRoom* room;
  ChGrains grains;
  ChRegion window;
  ChPairCorrelation correlation;
  double from, next;
  double energy[2];  // at the start and now
} Motion;

static bool watch(void* state, const ChSimulation* s, const ChStepInfo* info) {
  Motion* m = state;
  m->energy[1] = info->kinetic;
  if (info->time < m->next) return true;
  m->next = info->time + 0.05;
  ch_grains_follow(&m->grains, s);
  m->status = ch_pair_correlation_add(m->context, m->room, &m->correlation, &m->grains, &m->window);
  return m->status == CH_OK;
}

static const char method[] =
    "\"method\": {\"name\": \"ansgs\", \"tolerance\": 1e-4, \"max_iterations\": 500, \"time_limit\": 1000}";

static void put_walls(FILE* f, double length, bool lid) {
  static const double normal[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  fputs("{\"name\": \"box\", \"position\": [0, 0], \"fixed\": true, \"shapes\": [", f);
  for (int k = 0; k < (lid ? 4 : 3); ++k)
    fprintf(f, "%s{\"type\": \"halfplane\", \"material\": \"disk\", \"normal\": [%g, %g], \"offset\": %.17g}",
            k > 0 ? ", " : "", normal[k][0], normal[k][1], k < 2 ? 0.0 : -length);
  fputs("]}", f);
}

static void put_disk(FILE* f, int number, double x, double y, const char* velocity) {
  fprintf(f, ",\n{\"name\": \"disk %d\", \"position\": [%.17g, %.17g],%s", number, x, y, velocity);
  fputs(" \"shapes\": [{\"type\": \"disk\", \"material\": \"disk\", \"radius\": 0.5}]}", f);
}

typedef struct Gas {
  int side;
  double length;
  const ChVec3* at;
} Gas;

// Disks without friction that lose nothing when they collide: a gas, with the states of Metropolis.
static void put_gas(FILE* f, const void* state) {
  const Gas* gas = state;
  uint64_t seed = 3;
  fputs("{\"cardhouse\": 1, \"name\": \"gas\", \"description\": \"Disks that lose nothing when they collide.\",", f);
  fputs(" \"dimension\": 2, \"gravity\": [0, 0],\n\"step\": {\"h\": 0.005, \"until\": 1, \"margin\": 0.02},\n", f);
  fputs("\"materials\": {\"disk\": {\"density\": 1, \"friction\": 0, \"restitution\": 1}},\n\"bodies\": [", f);
  put_walls(f, gas->length, true);
  for (int k = 0; k < gas->side * gas->side; ++k) {
    double angle = 2.0 * M_PI * ch_random_unit(&seed);
    char velocity[96];
    snprintf(velocity, sizeof velocity, " \"velocity\": [%.17g, %.17g],", cos(angle), sin(angle));
    put_disk(f, k + 1, gas->at[k].x, gas->at[k].y, velocity);
  }
  fputs("]}\n", f);
}

static ChStatus make_gas(ChItemRun* run, int side, ChScene** out) {
  ChRegion region = ch_hard_disks_region(side, FRACTION, false);
  ChVec3* at = calloc((size_t)(side * side), sizeof *at);
  if (!at) return ch_fail(run->context, CH_ERR_MEMORY, "out of memory");
  ch_hard_disks_lattice(side, &region, at);
  ChStatus status = ch_item_written_scene(run, "disks", put_gas, &(Gas){side, region.high.x, at}, out);
  free(at);
  return status;
}

// Disks that fall into a box and come to rest.
static void put_heap(FILE* f, const void* state) {
  const int count = *(const int*)state, side = (int)lround(sqrt(count));
  uint64_t seed = 4;
  fputs("{\"cardhouse\": 1, \"name\": \"heap\", \"description\": \"Disks that fall into a box.\", \"dimension\": 2,",
        f);
  fputs(" \"gravity\": [0, -9.81],\n\"step\": {\"h\": 0.01, \"until\": 4, \"margin\": 0.15},\n", f);
  fputs("\"materials\": {\"disk\": {\"density\": 1000, \"friction\": 0.3, \"restitution\": 0}},\n\"bodies\": [", f);
  put_walls(f, 1.1 * side, false);
  for (int k = 0; k < count; ++k) {
    double x = (k % side + 0.5) * 1.1 + 0.08 * (ch_random_unit(&seed) - 0.5), y = 0.55 + 1.05 * (k / side);
    put_disk(f, k + 1, x, y, "");
  }
  fprintf(f, "],\n%s}\n", method);
}

static ChStatus make_heap(ChItemRun* run, int count, ChScene** out) {
  return ch_item_written_scene(run, "disks", put_heap, &count, out);
}

static ChStatus play_scene(ChItemRun* run, ChScene* scene, Motion* m, double until, const char* record,
                           const double progress[2]) {
  ChStatus status = ch_world_seal(run->context, scene->world);
  if (status == CH_OK) status = ch_grains_of_world(run->context, m->room, scene->world, "disk", 0.0, &m->grains);
  if (status != CH_OK) return status;
  m->next = m->from;
  ChPlay play = {.until = until, .record = record, .every = 10, .each = watch, .state = m};
  play.progress[0] = progress[0], play.progress[1] = progress[1];
  status = ch_item_play(run, scene, &play, NULL);
  return status == CH_OK ? m->status : status;
}

static ChStatus simulate_gas(ChItemRun* run, ChMeasureRoom* room, const Effort* e, double inset, double reach,
                             Curve* out, double* kept) {
  ChScene* scene;
  ChStatus status = make_gas(run, e->box_side, &scene);
  if (status != CH_OK) return status;
  ChRegion region = ch_hard_disks_region(e->box_side, FRACTION, false);
  Motion m = {
      .context = run->context, .room = room, .window = ch_region_inset(&region, inset), .from = 0.25 * e->gas_time};
  status = ch_pair_correlation_begin(run->context, room, 2, WIDTH, reach, &m.correlation);
  if (status == CH_OK) status = play_scene(run, scene, &m, e->gas_time, NULL, (double[]){0.3, 0.5});
  double start = 0.5 * 0.25 * M_PI * e->box_side * e->box_side;  // of speed 1 and density 1
  *kept = m.energy[1] / start;
  take_curve(&m.correlation, 1.0, true, out);
  ch_scene_destroy(scene);
  return status;
}

static ChStatus simulate_heap(ChItemRun* run, ChMeasureRoom* room, const Effort* e, Curve* out) {
  ChScene* scene;
  ChStatus status = make_heap(run, e->settled, &scene);
  if (status != CH_OK) return status;
  double side = sqrt(e->settled), until = run->quick ? 1.2 : 4.0;
  Motion m = {.context = run->context, .room = room, .from = until - 0.015};
  m.window = (ChRegion){.dimension = 2, .low = {1.0, 1.0, 0.0}, .high = {1.1 * side - 1.0, 0.75 * side, 0.0}};
  status =
      ch_pair_correlation_begin(run->context, room, 2, WIDTH, fmin(REACH, ch_region_width(&m.window)), &m.correlation);
  if (status == CH_OK) status = play_scene(run, scene, &m, until, "heap.h5", (double[]){0.5, 0.6});
  take_curve(&m.correlation, 1.0, false, out);
  ch_scene_destroy(scene);
  return status;
}

// --- the report ------------------------------------------------------------------------------------------------------

static void introduce(ChItemRun* run, const Effort* e) {
  ChReport* report = run->report;
  ch_report_text(
      report,
      "The slide shows a two-point correlation function in the plane, \"2D equilibrium\", over r/D from 1 to 7, "
      "in two curves, \"Metropolis\" and \"reconstructed\", on an ordinate from 0.5 to 3.5. The slide gives neither "
      "density nor number nor method, and the curves are lost. Here: hard disks by Metropolis' moves; points that are "
      "rearranged until they have the same g(r), which is what reconstruction means in the literature of random "
      "media; the same disks as a gas, simulated by time stepping; and, for beds, disks and pebbles that have "
      "settled.");
  if (run->quick) ch_report_text(report, "Quick form: fewer disks and moves; no pebbles.");
  ch_report_choice(report, "density",
                   "Disks cover %g of the plane. Equilibrium theory, g(D) = (1 - 7 eta/16) / (1 - eta)^2, puts the "
                   "largest value between 3 and 3.5, as an axis that ends at 3.5 suggests, for 0.487 < eta < 0.531.",
                   FRACTION);
  ch_report_choice(report, "Metropolis",
                   "%d disks in a periodic square, %ld sweeps, the first quarter not counted; bins of %g D.",
                   e->side * e->side, e->sweeps, WIDTH);
  ch_report_choice(report, "reconstruction", "As many points, %ld moves, annealed (Yeong and Torquato 1998).",
                   e->moves);
  ch_report_choice(report, "gas",
                   "%d disks in a box with walls, e = 1, mu = 0, speed 1 D/s at the start, h = 5 ms, %g s; compared "
                   "with Metropolis in the same box.",
                   e->box_side * e->box_side, e->gas_time);
}

static void judge_equilibrium(ChItemRun* run, const Curve* m, const Curve* again, double miss) {
  ChReport* report = run->report;
  double theory = (1.0 - 7.0 * FRACTION / 16.0) / ((1.0 - FRACTION) * (1.0 - FRACTION)), high = extreme(m, 1.0),
         low = extreme(m, -1.0);
  ch_report_row(report, "range of g(r), r/D = 1 ... 7",
                (ChFacts){.printed = "ordinate 0.5 ... 3.5",
                          .ours = ch_report_say(report, "%.2f ... %.2f, %.2f at contact (eta = %g)", low, high,
                                                m->contact, FRACTION),
                          .run.changed = "the slide prints no density; ours was chosen for the printed ordinate",
                          .rule = "on the ordinate, its largest value in the last interval",
                          .met = low > 0.5 && low < 1.0 && m->contact > 3.0 && m->contact < 3.5,
                          .reason = "an axis from 0.5 to 3.5 would not be chosen for these values"});
  ch_report_row(report, "g at contact, hard disks",
                (ChFacts){.ours = ch_report_say(report, "%.3f by Metropolis (theory, Henderson 1975: %.3f)", m->contact,
                                                theory)});
  double apart = root_mean_square(m, again);
  ch_report_row(
      report, "the reconstructed correlation beside that of Metropolis",
      (ChFacts){.ours = ch_report_say(report,
                                      "points rearranged from disorder have the same g(r) within %.3f (root mean "
                                      "square, r/D 1 to 7; what is left of the annealing's error: %.3f)",
                                      apart, miss),
                .reason = "the slide has both curves, but no number of them, and the curves are lost"});
}

static void chart_curves(ChItemRun* run, const char* caption, int count, const Curve* const* curves,
                         const char* const* names) {
  ChChart* chart = ch_report_chart(run->report, caption, "r / D [1]", "g(r) [1]", 0);
  for (int k = 0; k < count; ++k) {
    if (k == 1)
      ch_chart_points(chart, names[k], curves[k]->count, curves[k]->r, curves[k]->g);
    else
      ch_chart_line(chart, names[k], curves[k]->count, curves[k]->r, curves[k]->g);
  }
}

static ChStatus equilibrium(ChItemRun* run, ChMeasureRoom* room, const Effort* e, Curve* c) {
  ChPairCorrelation target;
  double miss = NAN;
  ChStatus status = metropolis(run, room, e->side, true, 0.0, e->sweeps, REACH, &target);
  if (status != CH_OK) return status;
  take_curve(&target, 1.0, true, &c[0]);
  if (!ch_item_progress(run, 0.15)) return CH_OK;
  status = reconstruct(run, room, &target, e, &c[1], &miss);
  if (status != CH_OK) return status;
  judge_equilibrium(run, &c[0], &c[1], miss);
  chart_curves(run, "Hard disks in the plane, eta = 0.5.", 2, (const Curve* const[]){&c[0], &c[1]},
               (const char* const[]){"Metropolis", "reconstructed"});
  return CH_OK;
}

static ChStatus gas(ChItemRun* run, ChMeasureRoom* room, const Effort* e, Curve* c) {
  const double inset = 2.0, reach = fmin(REACH, 0.9 * (sqrt(0.25 * M_PI / FRACTION) * e->box_side - 2.0 * inset));
  ChPairCorrelation walls;
  ChStatus status = metropolis(run, room, e->box_side, false, inset, e->sweeps, reach, &walls);
  if (status != CH_OK) return status;
  take_curve(&walls, 1.0, true, &c[0]);
  double kept;
  status = simulate_gas(run, room, e, inset, reach, &c[1], &kept);
  if (status != CH_OK) return status;
  double apart = root_mean_square(&c[0], &c[1]);
  ch_report_row(run->report, "a gas of disks by time stepping beside Metropolis in the same box",
                (ChFacts){.ours = ch_report_say(run->report,
                                                "g(r) is the same within %.3f (root mean square, r/D 1 to %.2g); at "
                                                "contact %.2f beside %.2f; energy %.3f of what it was",
                                                apart, reach, c[1].contact, c[0].contact, kept)});
  chart_curves(run, "Disks in a box: a simulated gas beside Metropolis.", 2, (const Curve* const[]){&c[0], &c[1]},
               (const char* const[]){"Metropolis, same box", "gas, time stepping"});
  return CH_OK;
}

static ChStatus settled(ChItemRun* run, ChMeasureRoom* room, const Effort* e, Curve* c) {
  ChStatus status = simulate_heap(run, room, e, &c[0]);
  if (status != CH_OK) return status;
  ch_report_row(run->report, "largest g(r) of disks that have settled",
                (ChFacts){.ours = ch_report_say(run->report, "%.1f, at contact", extreme(&c[0], 1.0)),
                          .reason = "the printed curves are of an equilibrium, as their title says: disks at rest "
                                    "touch, and their g(r) has a peak at contact that grows as bins shrink"});
  const Curve* const curves[] = {&c[0]};
  const char* const names[] = {"settled disks"};
  chart_curves(run, "Disks at rest in a box: peaks at D, sqrt 3 D and 2 D, as in a lattice.", 1, curves, names);
  ch_report_picture(run->report, "heap.h5", run->quick ? 1.2 : 4.0, "The disks that have settled.");
  return CH_OK;
}

static ChStatus pebbles(ChItemRun* run, ChMeasureRoom* room, const Effort* e, Curve* c) {
  ChBedDef d = {.pebbles = e->bed,
                .radius = 0.03,
                .mu = 0.4,
                .h = 2.5e-3,
                .h_circulate = 5e-3,
                .sweeps = 300,
                .load = 0.9,
                .progress = {0.6, 1.0}};
  ChBedRun bed;
  ChStatus status = ch_bed_run(run, room, &d, &bed);
  if (status != CH_OK) return status;
  const ChPairCorrelation* g = &bed.bulk_survey.correlation;
  take_curve(g, 2.0 * d.radius, false, c);
  double near = 0.0, split = 0.0;
  for (int k = 0; k < c->count; ++k) {
    if (fabs(c->r[k] - 2.0) < 0.06) near = fmax(near, c->g[k]);
    if (fabs(c->r[k] - sqrt(3.0)) < 0.06) split = fmax(split, c->g[k]);
  }
  double far = c->g[c->count - 1];
  ch_report_row(run->report, "two-point correlation of a pebble bed",
                (ChFacts){.run = {.steps = bed.loading.steps, .missed = bed.loading.missed, .tolerance = 1e-4},
                          .ours = ch_report_say(
                              run->report,
                              "%d pebbles, solid fraction %.3f: a peak of %.1f at contact; %.2f at sqrt 3 D and "
                              "%.2f at 2 D, between which dense random packings split their second peak; %.2f "
                              "at %.2g D",
                              d.pebbles, bed.settled.packing, c->contact, split, near, far, c->r[c->count - 1]),
                          .reason = "the slide hopes for it and prints nothing"});
  chart_curves(run, "The settled pebble bed, in space, away from its walls.", 1, (const Curve* const[]){c},
               (const char* const[]){"pebbles"});
  return CH_OK;
}

static ChStatus run_item(ChItemRun* run) {
  const Effort* e = run->quick ? &quick : &full;
  ChMeasureRoom* room;
  Curve* c = calloc(CURVES, sizeof *c);
  ChStatus status = ch_measure_room_create(run->context, &room);
  if (!c) status = ch_fail(run->context, CH_ERR_MEMORY, "out of memory");
  if (status == CH_OK) {
    introduce(run, e);
    status = equilibrium(run, room, e, &c[0]);
  }
  if (status == CH_OK && ch_item_progress(run, 0.25)) status = gas(run, room, e, &c[2]);
  if (status == CH_OK && ch_item_progress(run, 0.5)) status = settled(run, room, e, &c[4]);
  if (status == CH_OK && e->bed > 0 && ch_item_progress(run, 0.6)) status = pebbles(run, room, e, &c[5]);
  ch_report_command(run->report, "cardhouse measure heap.h5 --pair-correlation --inset 1 --out statistics");
  free(c);
  ch_measure_room_destroy(room);
  return status;
}

const ChItem ch_item_002_correlation = {
    .name = "002-correlation",
    .title = "Two-point correlation: Metropolis, reconstructed, simulated",
    .source = "002, \"What are we hoping to accomplish\" [H12, L5]",
    .run = run_item,
};
