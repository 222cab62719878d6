// See grain_scene.h.
#include "reproduce/grain_scene.h"

#include <math.h>
#include <stdlib.h>

#include "cardhouse/body.h"
#include "cardhouse/random.h"
#include "reproduce/play.h"

const double ch_grain_density = 2500.0, ch_grain_stiffness = 2e4, ch_grain_tolerance = 1e-6, ch_grain_gravity = 9.81;
static const double SPREAD = 0.1, PITCH = 1.15;  // of the lattice, in mean diameters: the largest grains do not touch

// --- the scene -------------------------------------------------------------------------------------------------------

static uint64_t sizes_of(const ChGrainScene* scene) { return 1 + 2 * (uint64_t)scene->filling; }
static uint64_t places_of(const ChGrainScene* scene) { return 2 + 2 * (uint64_t)scene->filling; }

// Diameters of the grains in order, the same wherever they are asked for.
static double next_radius(const ChGrainScene* scene, uint64_t* seed) {
  return 0.5 * scene->diameter * (1.0 + SPREAD * (2.0 * ch_random_unit(seed) - 1.0));
}

static void put_walls(FILE* f, const ChGrainScene* scene) {
  fputs("{\"name\": \"vessel\", \"fixed\": true, \"shapes\": [", f);
  for (int k = 0; k < scene->walls; ++k) {
    const ChGrainWall* w = &scene->wall[k];
    fprintf(f, "%s{\"type\": \"halfspace\", \"material\": \"%s\", ", k ? ", " : "", w->rough ? "grain" : "smooth");
    fprintf(f, "\"normal\": [%.17g, %.17g, %.17g], \"offset\": %.17g}", w->normal.x, w->normal.y, w->normal.z,
            w->offset);
  }
  for (int k = 0; k < scene->beads[0] * scene->beads[1]; ++k) {
    double d = scene->diameter, x = (k / scene->beads[1] + 0.5) * d, y = (k % scene->beads[1] + 0.5) * d;
    fprintf(f, ", {\"type\": \"sphere\", \"material\": \"grain\", \"radius\": %.17g, ", 0.5 * d);
    fprintf(f, "\"at\": [%.17g, %.17g, %.17g]}", x, y, -0.35 * d);
  }
  fputs("]}", f);
}

static void put_plate(FILE* f, const ChGrainPlate* p, int number) {
  fprintf(f, ",\n{\"name\": \"plate %d\", \"position\": [%.17g, %.17g, %.17g], ", number, p->centre.x, p->centre.y,
          p->centre.z);
  if (p->speed != 0.0)
    fprintf(f, "\"motion\": [0, 0, {\"table\": [[%.17g, 0], [%.17g, %.17g]]}], ", p->start,
            p->start + p->way / fabs(p->speed), copysign(p->way, p->speed));
  else
    fputs("\"fixed\": true, ", f);
  fprintf(f, "\"shapes\": [{\"type\": \"box\", \"material\": \"%s\", \"half\": [%.17g, %.17g, %.17g]}]}",
          p->rough ? "grain" : "smooth", p->half.x, p->half.y, p->half.z);
}

// How many grains of the lattice have room along an axis, and where the first one is.
static int lattice(double low, double high, double pitch, double* first) {
  int count = (int)fmax(1.0, floor((high - low) / pitch));
  *first = 0.5 * (low + high) - 0.5 * pitch * (count - 1);
  return count;
}

static void put_grains(FILE* f, const ChGrainScene* scene) {
  double d = scene->diameter, pitch = PITCH * d, x0, y0;
  int nx = lattice(scene->low.x, scene->high.x, pitch, &x0), ny = lattice(scene->low.y, scene->high.y, pitch, &y0);
  uint64_t size_seed = sizes_of(scene), place_seed = places_of(scene);
  for (int k = 0; k < scene->grains; ++k) {
    int i = k % nx, j = k / nx % ny, layer = k / (nx * ny);
    double shake = 0.04 * d, x = x0 + i * pitch + shake * (ch_random_unit(&place_seed) - 0.5),
           y = y0 + j * pitch + shake * (ch_random_unit(&place_seed) - 0.5);
    fprintf(f, ",\n{\"name\": \"grain %d\", \"position\": [%.17g, %.17g, %.17g], ", k + 1, x, y,
            scene->low.z + (layer + 0.6) * pitch);
    fprintf(f, "\"shapes\": [{\"type\": \"sphere\", \"material\": \"grain\", \"radius\": %.17g}]}",
            next_radius(scene, &size_seed));
  }
}

static void put_scene(FILE* f, const void* state) {
  const ChGrainScene* scene = state;
  fprintf(f, "{\"cardhouse\": 1, \"name\": \"%s\", \"gravity\": [0, 0, %.17g],\n", scene->name, -ch_grain_gravity);
  fprintf(f, "\"step\": {\"h\": %.17g, \"until\": 1, \"margin\": %.17g},\n", scene->h, 0.1 * scene->diameter);
  fprintf(f, "\"contact\": \"compliant\", \"method\": {\"tolerance\": %.17g, \"work_limit\": 2e10},\n",
          ch_grain_tolerance);
  fprintf(f, "\"materials\": {\"grain\": {\"density\": %.17g, \"friction\": %.17g, \"stiffness\": %.17g",
          ch_grain_density, scene->mu, ch_grain_stiffness);
  if (scene->rolling > 0.0) fprintf(f, ", \"rolling\": %.17g", scene->rolling);
  fprintf(f, "},\n\"smooth\": {\"friction\": 0, \"stiffness\": %.17g}},\n", ch_grain_stiffness);
  if (scene->rolling > 0.0) fputs("\"pairs\": [{\"materials\": [\"grain\", \"smooth\"], \"rolling\": 0}],\n", f);
  fputs("\"bodies\": [", f);
  put_walls(f, scene);
  for (int k = 0; k < scene->plates; ++k) put_plate(f, &scene->plate[k], k + 1);
  put_grains(f, scene);
  fputs("]}\n", f);
}

// --- the run ---------------------------------------------------------------------------------------------------------

ChStatus ch_grain_run_begin(ChItemRun* item, const ChGrainScene* scene, ChGrainRun* out) {
  *out = (ChGrainRun){.item = item,
                      .first = 1 + scene->plates,
                      .count = scene->grains,
                      .mean_radius = 0.5 * scene->diameter,
                      .radius = malloc((size_t)scene->grains * sizeof(double))};
  if (!out->radius) return ch_fail(item->context, CH_ERR_MEMORY, "out of memory for %d grains", scene->grains);
  uint64_t seed = sizes_of(scene);
  for (int k = 0; k < scene->grains; ++k) out->radius[k] = next_radius(scene, &seed);
  ChScene* made;
  ChStatus status = ch_item_written_scene(item, scene->name, put_scene, scene, &made);
  if (status != CH_OK) return status;
  ChWorld* world = made->world;
  made->world = NULL;
  status = ch_simulation_create(item->context, world, &made->options, &out->simulation);
  ch_scene_destroy(made);
  return status;
}

ChStatus ch_grain_run_until(ChGrainRun* run, double time, const double part[2],
                            ChStatus (*each)(ChGrainRun* run, void* state), void* state) {
  double start = ch_simulation_time(run->simulation), h = ch_simulation_options(run->simulation)->h;
  ChStatus status = CH_OK;
  while (status == CH_OK && !run->stopped && ch_simulation_time(run->simulation) < time - 0.01 * h) {
    ChStepInfo info;
    status = ch_simulation_step(run->item->context, run->simulation, &info);
    if (status != CH_OK) break;
    ++run->steps;
    run->missed += info.missed;
    run->overlap = fmax(run->overlap, info.penetration / run->mean_radius);
    run->natural = fmax(run->natural, info.certificate.natural);
    double share = (ch_simulation_time(run->simulation) - start) / (time - start);
    run->stopped = !ch_item_progress(run->item, part[0] + share * (part[1] - part[0]));
    if (each) status = each(run, state);
  }
  return status;
}

void ch_grain_run_end(ChGrainRun* run) {
  ch_simulation_destroy(run->simulation);
  free(run->radius);
  *run = (ChGrainRun){0};
}

double ch_grain_mass(const ChGrainRun* run, int grain) {
  return ch_grain_density * 4.0 / 3.0 * M_PI * pow(run->radius[grain], 3.0);
}

void ch_grain_count(ChOurRun* how, const ChGrainRun* run) {
  how->tolerance = ch_grain_tolerance;
  how->steps += run->steps;
  how->missed += run->missed;
}

ChLineFit ch_line_fit(int count, const double* x, const double* y) {
  double mx = 0.0, my = 0.0, xx = 0.0, xy = 0.0, left = 0.0;
  for (int k = 0; k < count; ++k) mx += x[k] / count, my += y[k] / count;
  for (int k = 0; k < count; ++k) xx += (x[k] - mx) * (x[k] - mx), xy += (x[k] - mx) * (y[k] - my);
  ChLineFit fit = {.b = xy / xx};
  fit.a = my - fit.b * mx;
  for (int k = 0; k < count; ++k) left += pow(y[k] - fit.a - fit.b * x[k], 2.0) / count;
  fit.rms = sqrt(left);
  return fit;
}
