// Pebble beds: see pebble_bed.h. The vessel is a cylinder of 24 sides with a cone of 30 degrees below and a flat
// outlet: all half-spaces, for its inside is convex.
#include "reproduce/pebble_bed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cardhouse/clock.h"
#include "cardhouse/random.h"
#include "cardhouse/record.h"
#include "cardhouse/scene.h"
#include "reproduce/play.h"

enum { SIDES = 24, PATH_SIZE = 4096, MOMENTS = 2000, FRAMES = 150, DROPS = 7 };
static const double CONE = M_PI / 6.0, OUTLET = 2.5;  // the outlet's radius, in pebble radii
static const double TOLERANCE = 1e-4, SAMPLE = 0.05;  // s, from moment to moment of the statistics

double ch_bed_width(const ChBedDef* d) { return d->radius * fmax(6.0, cbrt(d->pebbles)); }

// --- the scene -------------------------------------------------------------------------------------------------------

static void put_wall(FILE* f, bool first, ChVec3 inwards, double offset) {
  fprintf(f,
          "%s{\"type\": \"halfspace\", \"material\": \"pebble\", \"normal\": [%.17g, %.17g, %.17g], \"offset\": %.17g}",
          first ? "" : ", ", inwards.x, inwards.y, inwards.z, offset);
}

static void put_vessel(FILE* f, double flat, double outlet) {
  fputs("{\"name\": \"vessel\", \"position\": [0, 0, 0], \"fixed\": true, \"shapes\": [", f);
  for (int k = 0; k < SIDES; ++k) {
    double angle = 2.0 * M_PI * (k + 0.5) / SIDES, c = cos(angle), s = sin(angle);
    put_wall(f, k == 0, ch_vec(-c, -s, 0.0), -flat);
    put_wall(f, false, ch_vec(-sin(CONE) * c, -sin(CONE) * s, cos(CONE)), -sin(CONE) * flat);
  }
  put_wall(f, false, ch_vec(0.0, 0.0, 1.0), -(flat - outlet) * tan(CONE));
  fputs("]}", f);
}

// Pebbles in layers, a tenth of a diameter apart, a little out of order.
static void put_pebbles(FILE* f, const ChBedDef* d, double flat) {
  const double pitch = 2.2 * d->radius, shake = 0.1 * d->radius;
  int m = (int)floor((flat - d->radius) / pitch), done = 0;
  uint64_t seed = 12345;
  for (int layer = 0; done < d->pebbles; ++layer)
    for (int i = -m; i <= m; ++i)
      for (int j = -m; j <= m && done < d->pebbles; ++j) {
        double x = i * pitch + shake * (ch_random_unit(&seed) - 0.5);
        double y = j * pitch + shake * (ch_random_unit(&seed) - 0.5);
        if (hypot(x, y) > flat - d->radius - shake) continue;
        fprintf(f, ",\n{\"name\": \"pebble %d\", \"position\": [%.17g, %.17g, %.17g],", ++done, x, y,
                d->radius + layer * pitch);
        fprintf(f, " \"shapes\": [{\"type\": \"sphere\", \"material\": \"pebble\", \"radius\": %.17g}]}", d->radius);
      }
}

static void put_scene(FILE* f, const void* state) {
  const ChBedDef* d = state;
  double flat = ch_bed_width(d) * cos(M_PI / SIDES);  // from the axis to the middle of a side
  fputs("{\"cardhouse\": 1, \"name\": \"pebble bed\",", f);
  fputs(" \"description\": \"Pebbles loaded into a vessel with a conical bottom.\", \"dimension\": 3,\n", f);
  fputs("\"gravity\": [0, 0, -9.81],\n", f);
  fprintf(f, "\"step\": {\"h\": %.17g, \"until\": %.17g, \"margin\": %.17g},\n", d->h, d->load, 0.2 * d->radius);
  fprintf(f, "\"materials\": {\"pebble\": {\"density\": 1700, \"friction\": %.17g, \"restitution\": 0}},\n", d->mu);
  fputs("\"bodies\": [", f);
  put_vessel(f, flat, OUTLET * d->radius);
  put_pebbles(f, d, flat);
  fprintf(f, "],\n\"method\": {\"name\": \"ansgs\", \"tolerance\": %.17g, \"max_iterations\": %d,", TOLERANCE,
          d->sweeps);
  fprintf(f, " \"time_limit\": 1000, \"pose\": \"%s\"}}\n", d->pose == CH_POSE_RELAXED ? "relaxed" : "coulomb");
}

static ChStatus make_scene(ChItemRun* run, const ChBedDef* d, ChScene** out) {
  return ch_item_written_scene(run, "pebble bed", put_scene, d, out);
}

// --- steps -----------------------------------------------------------------------------------------------------------

typedef struct Bed {
  ChItemRun* run;
  ChMeasureRoom* room;
  const ChBedDef* def;
  ChBedRun* out;
  ChSimulation* simulation;
  ChTrajectory* trajectory;
  int drops;       // so far, since circulation began
  double sampled;  // time of the last moment
  bool stopped;
} Bed;

static void tell_progress(Bed* bed) {
  const ChBedDef* d = bed->def;
  double whole = d->load + d->circulate, part = ch_simulation_time(bed->simulation) / whole;
  bed->stopped = !ch_item_progress(bed->run, d->progress[0] + part * (d->progress[1] - d->progress[0]));
}

static ChStatus step(Bed* bed, ChBedPhase* phase) {
  ChStepInfo info;
  double before = ch_clock_processor_seconds();
  ChStatus status = ch_simulation_step(bed->run->context, bed->simulation, &info);
  phase->seconds += ch_clock_processor_seconds() - before;
  if (status == CH_OK && bed->trajectory)
    status = ch_trajectory_add(bed->run->context, bed->trajectory, bed->simulation);
  ++phase->steps;
  phase->missed += info.missed;
  phase->natural += (info.certificate.natural - phase->natural) / (double)phase->steps;
  phase->contacts += (info.contacts - phase->contacts) / (double)phase->steps;
  phase->natural_max = fmax(phase->natural_max, info.certificate.natural);
  phase->penetration = fmax(phase->penetration, info.penetration);
  tell_progress(bed);
  return status;
}

// The lowest pebble leaves, and is put back where the next of seven places on top is free.
static ChStatus recirculate(Bed* bed) {
  const ChGrains* g = &bed->out->grains;
  const double r = bed->def->radius, ring = 0.5 * bed->out->wide, angle = 2.0 * M_PI * bed->drops / DROPS;
  ChVec3 at =
      bed->drops % DROPS == 0 ? ch_vec(0.0, 0.0, -INFINITY) : ch_vec(ring * cos(angle), ring * sin(angle), -INFINITY);
  ch_grains_follow(&bed->out->grains, bed->simulation);
  int lowest = 0;
  for (int k = 1; k < g->count; ++k)
    if (g->at[k].z < g->at[lowest].z) lowest = k;
  for (int k = 0; k < g->count; ++k)
    if (k != lowest && hypot(g->at[k].x - at.x, g->at[k].y - at.y) < 2.2 * r) at.z = fmax(at.z, g->at[k].z + 2.2 * r);
  if (!isfinite(at.z)) at.z = bed->out->top;
  const ChVec3 still = {0};
  ++bed->drops;
  ++bed->out->taken;
  ChBodyId ball = ch_world_body_at(ch_simulation_world(bed->simulation), g->body[lowest]);
  ChStatus status = ch_simulation_place(bed->run->context, bed->simulation, ball, at);
  if (status == CH_OK) status = ch_simulation_set_velocity(bed->run->context, bed->simulation, ball, still, still);
  return status;
}

// --- statistics ------------------------------------------------------------------------------------------------------

// The height below which nine tenths of the pebbles above the cone lie, and what is left: the surface is uneven.
static double bed_top(Bed* bed) {
  const ChGrains* g = &bed->out->grains;
  double low = 0.0, high = 0.0;
  for (int k = 0; k < g->count; ++k) high = fmax(high, g->at[k].z);
  for (int round = 0; round < 50; ++round) {
    double middle = 0.5 * (low + high);
    int above = 0;
    for (int k = 0; k < g->count; ++k) above += g->at[k].z > middle;
    if (above * 20 > g->count)
      low = middle;
    else
      high = middle;
  }
  return high + bed->def->radius;
}

static ChStatus begin_statistics(Bed* bed) {
  ChBedRun* out = bed->out;
  const double D = 2.0 * bed->def->radius, wall = out->wide * cos(M_PI / SIDES);
  ch_grains_follow(&out->grains, bed->simulation);
  out->top = bed_top(bed);
  double room = fmin(2.0 * D, 0.2 * fmin(wall, out->top));
  out->bulk = (ChRegion){.kind = CH_REGION_CYLINDER,
                         .dimension = 3,
                         .radius = wall - room,
                         .low = {0.0, 0.0, 0.0},
                         .high = {0.0, 0.0, out->top - room}};
  out->cylinder = out->bulk;
  out->cylinder.radius = wall;
  ChSurveyOptions options = {.packing = true,
                             .coordination = true,
                             .pair_correlation = true,
                             .segregation = -1,
                             .bins = 12,
                             .resolution = 0.05 * D,
                             .touch = 1e-3 * D,
                             .region = out->bulk,
                             .window = out->bulk};
  options.reach = fmin(7.0 * D, ch_region_width(&out->bulk));
  ChStatus status = ch_survey_begin(bed->run->context, bed->room, &out->grains, &options, MOMENTS, &out->bulk_survey);
  options.pair_correlation = options.coordination = options.packing = false;
  options.profile[CH_PROFILE_R] = options.profile[CH_PROFILE_Z] = true;
  options.bins = 60;
  options.region = out->cylinder;
  if (status == CH_OK)
    status = ch_survey_begin(bed->run->context, bed->room, &out->grains, &options, MOMENTS, &out->wall_survey);
  return status;
}

static ChStatus sample(Bed* bed) {
  ChBedRun* out = bed->out;
  int count;
  const ChContactView* contacts = ch_simulation_contacts(bed->simulation, &count);
  bed->sampled = ch_simulation_time(bed->simulation);
  ch_grains_follow(&out->grains, bed->simulation);
  ChStatus status = CH_OK;
  ChSurvey* const surveys[2] = {&out->bulk_survey, &out->wall_survey};
  for (int k = 0; k < 2 && status == CH_OK; ++k)
    status = ch_survey_add(bed->run->context, bed->room, surveys[k], &out->grains, bed->sampled, count, contacts);
  return status;
}

// --- the run ---------------------------------------------------------------------------------------------------------

static ChStatus load(Bed* bed) {
  ChStatus status = CH_OK;
  while (status == CH_OK && !bed->stopped && ch_simulation_time(bed->simulation) < bed->def->load - 0.01 * bed->def->h)
    status = step(bed, &bed->out->loading);
  bed->out->kinetic = ch_simulation_info(bed->simulation).kinetic;
  return status;
}

static ChStatus circulate(Bed* bed) {
  const ChBedDef* d = bed->def;
  double start = ch_simulation_time(bed->simulation);
  ChSimulationOptions options = *ch_simulation_options(bed->simulation);
  options.margin = 0.1 * d->radius;  // nothing is fast any more
  options.h = d->h_circulate;
  ChStatus status = ch_simulation_set_options(bed->run->context, bed->simulation, &options);
  while (status == CH_OK && !bed->stopped) {
    double now = ch_simulation_time(bed->simulation) - start;
    if (now >= d->circulate - 0.01 * d->h_circulate) break;
    if (now + 0.01 * d->h_circulate >= bed->drops * d->interval) status = recirculate(bed);
    if (status == CH_OK) status = step(bed, &bed->out->circulation);
    if (status == CH_OK && start + now - bed->sampled >= SAMPLE) status = sample(bed);
  }
  return status;
}

static ChStatus run_bed(Bed* bed) {
  ChBedRun* out = bed->out;
  ChContext* context = bed->run->context;
  ChStatus status =
      ch_grains_of_world(context, bed->room, ch_simulation_world(bed->simulation), "pebble", 0.0, &out->grains);
  if (status == CH_OK) status = load(bed);
  if (status == CH_OK) status = begin_statistics(bed);
  if (status == CH_OK) status = sample(bed);
  if (status != CH_OK) return status;
  out->settled = out->bulk_survey.moments[0];
  return bed->def->circulate > 0.0 ? circulate(bed) : CH_OK;
}

ChStatus ch_bed_run(ChItemRun* run, ChMeasureRoom* room, const ChBedDef* def, ChBedRun* out) {
  *out = (ChBedRun){.wide = ch_bed_width(def)};
  Bed bed = {.run = run, .room = room, .def = def, .out = out};
  ChScene* scene;
  ChStatus status = make_scene(run, def, &scene);
  if (status != CH_OK) return status;
  ChWorld* world = scene->world;
  scene->world = NULL;
  status = ch_simulation_create(run->context, world, &scene->options, &bed.simulation);
  if (status == CH_OK && def->record) {
    char path[PATH_SIZE];
    int every = (int)fmax(1.0, floor((def->load / def->h + def->circulate / def->h_circulate) / FRAMES));
    snprintf(path, sizeof path, "%s/%s", run->folder, def->record);
    status = ch_trajectory_create(run->context, path, bed.simulation, scene->text, every, false, &bed.trajectory);
  }
  if (status == CH_OK) status = run_bed(&bed);
  ChContext closing = {0};
  ChStatus closed = ch_trajectory_close(&closing, bed.trajectory);
  if (status == CH_OK && closed != CH_OK) *run->context = closing, status = closed;
  ch_simulation_destroy(bed.simulation);
  ch_scene_destroy(scene);
  return status;
}
