// Grains in a silo: the pressure at its bottom (Janssen 1895), and the rate at which it empties (Beverloo 1961).
//
// Janssen: walls carry part of the weight. Below a mass M of grains the mass that is still felt is
//
//   m = M_s (1 - exp(-M / M_s)),      M_s = rho A D / (4 mu K)
//
// with the section A, its hydraulic diameter D and K, horizontal over vertical stress. M_s alone is fitted. The law is
// one of means: 25 grains in a section carry more here and less there, and a floor that sinks by a grain or two does
// not change where. So several fillings are averaged, as in experiments.
//
// Beverloo: through a hole of diameter D in a flat floor grains of diameter d leave at the rate, whatever the head,
//
//   W = C rho sqrt(g) (D - k d)^(5/2)
//
// with C = 0.58 and k = 1.4 for spheres and a round hole. Written with the hole's area and hydraulic diameter this is
// C = 0.58 * 4 / pi = 0.74 for a square one of side D.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/contact.h"
#include "cardhouse/random.h"
#include "reproduce/grain_scene.h"

static const double D = 0.01, MU = 0.5, STEP = 5e-4;  // m, 1, s
static const double CLOGS = 3.5;  // side of a hole in grains, below which arches stop the flow: left out of the fit
enum { SLICES = 40, HOLES = 4, FILLINGS = 4 };

// Rough upright walls about [0, side]^2.
static ChGrainScene silo(const char* name, double side, int grains) {
  return (ChGrainScene){
      .name = name,
      .diameter = D,
      .mu = MU,
      .h = STEP,
      .walls = 4,
      .wall = {{{1, 0, 0}, 0, true}, {{-1, 0, 0}, -side, true}, {{0, 1, 0}, 0, true}, {{0, -1, 0}, -side, true}},
      .grains = grains,
      .low = {0, 0, 0},
      .high = {side, side, 0}};
}

// --- Janssen ---------------------------------------------------------------------------------------------------------

// Slice by slice from the floor: mass, and what the walls carry of it, averaged over the steps that were added.
// Slices are counted from the floor, so that fillings may differ by a layer in height.
typedef struct Profile {
  double height;                                  // of a slice
  double mass[SLICES], carried[SLICES], pressed;  // kg, kg, N that walls press on grains, all together
  double floor;                                   // carried by the floor, kg
  int samples;
} Profile;

static int slice_of(const Profile* p, double z) { return (int)fmin(fmax(z / p->height, 0.0), SLICES - 1.0); }

static ChStatus add_profile(ChGrainRun* run, void* state) {
  Profile* p = state;
  double low = ch_simulation_body_at(run->simulation, 1).position.z + D;  // top of the floor
  int count;
  const ChContactView* contacts = ch_simulation_contacts(run->simulation, &count);
  for (int k = 0; k < run->count; ++k) p->mass[slice_of(p, ch_grain_at(run, k).z - low)] += ch_grain_mass(run, k);
  for (int k = 0; k < count; ++k) {
    const ChContactView* c = &contacts[k];
    int other = c->body[0] < run->first ? c->body[0] : c->body[1];
    if (other >= run->first) continue;
    ChVec3 force = c->body[0] == other ? c->force : ch_vec(-c->force.x, -c->force.y, -c->force.z);  // on the grain
    if (other == 1) {
      p->floor += force.z / ch_grain_gravity;
      continue;
    }
    p->carried[slice_of(p, c->point.z - low)] += force.z / ch_grain_gravity;
    p->pressed += hypot(force.x, force.y);
  }
  ++p->samples;
  return CH_OK;
}

typedef struct Janssen {
  double above[SLICES], felt[SLICES];  // mass above a level, and what is felt of it, from the top
  int count;
  double saturation, rms;  // fitted M_s, kg; left over, over M_s
} Janssen;

static double janssen_misfit(const Janssen* j, double saturation) {
  double sum = 0.0;
  for (int k = 0; k < j->count; ++k)
    sum += pow(j->felt[k] - saturation * (1.0 - exp(-j->above[k] / saturation)), 2.0) / j->count;
  return sqrt(sum);
}

// From the top down; the fit by golden section, in log M_s.
static Janssen fit_janssen(const Profile* p) {
  Janssen j = {0};
  double above = 0.0, carried = 0.0, total = 0.0;
  for (int k = SLICES - 1; k >= 0; --k) {
    above += p->mass[k] / p->samples;
    carried += p->carried[k] / p->samples;
    if (above > 0.0) j.above[j.count] = above, j.felt[j.count++] = above - carried;
  }
  total = above;
  double low = log(0.02 * total), high = log(50.0 * total), golden = 0.5 * (sqrt(5.0) - 1.0);
  for (int k = 0; k < 60; ++k) {
    double a = high - golden * (high - low), b = low + golden * (high - low);
    if (janssen_misfit(&j, exp(a)) < janssen_misfit(&j, exp(b)))
      high = b;
    else
      low = a;
  }
  j.saturation = exp(0.5 * (low + high));
  j.rms = janssen_misfit(&j, j.saturation) / j.saturation;
  return j;
}

// What was averaged over: the steps of several fillings.
typedef struct Silos {
  Profile all;
  int count;
  double rms[FILLINGS];  // of each filling by itself
  double overlap;        // largest of all
  ChOurRun how;
} Silos;

static const char* each_filling(ChReport* report, const Silos* silos) {
  if (silos->count < 2) return "";
  const char* text = "; each filling by itself";
  for (int k = 0; k < silos->count; ++k)
    text = ch_report_say(report, "%s%s %.1f", text, k ? "," : "", 100.0 * silos->rms[k]);
  return text;
}

static void report_janssen(ChItemRun* run, const Silos* silos, double side) {
  ChReport* report = run->report;
  const Profile* p = &silos->all;
  ChOurRun how = silos->how;
  Janssen j = fit_janssen(p);
  double total = j.above[j.count - 1], law[SLICES], weight = 0.0, bulk;
  int middle = SLICES / 4;  // density of the lower half of the bed, without the layer at the floor
  int full = 0;
  while (full < SLICES && p->mass[full] > 0.5 * p->mass[middle / 2]) ++full;
  for (int k = 2; k < full - 2; ++k) weight += p->mass[k] / p->samples;
  bulk = weight / ((full - 4) * p->height * side * side);
  double ratio = bulk * side * side * side / (4.0 * MU * j.saturation), lost = 0.0;
  for (int k = 0; k < SLICES; ++k) lost += p->carried[k];
  double mobilised = lost * ch_grain_gravity / (MU * p->pressed);
  for (int k = 0; k < j.count; ++k) law[k] = j.saturation * (1.0 - exp(-j.above[k] / j.saturation));
  ChChart* chart = ch_report_chart(report, "Janssen: mass that the floor bears below a mass of grains.",
                                   "mass of the grains above [kg]", "mass that is felt [kg]", 0);
  ch_chart_points(chart, "simulated", j.count, j.above, j.felt);
  ch_chart_line(chart, ch_report_say(report, "M_s (1 - exp(-M / M_s)), M_s = %.3g kg", j.saturation), j.count, j.above,
                law);
  ch_chart_line(chart, "without walls", j.count, j.above, j.above);
  ch_report_row(report, "mass that is felt, over the mass above",
                (ChFacts){.printed = "M_s (1 - exp(-M / M_s))",
                          .ours = ch_report_say(report, "M_s = %.3g kg of %.3g kg; left over %.1f %% of M_s%s",
                                                j.saturation, total, 100.0 * j.rms, each_filling(report, silos)),
                          .run = how,
                          .rule = "left over at most 5 % of M_s, and M_s below 0.7 of all",
                          .met = j.rms < 0.05 && j.saturation < 0.7 * total,
                          .reason = "the profile is another"});
  ch_report_row(report, "K = horizontal over vertical stress, of M_s and the friction of the walls",
                (ChFacts){.printed = "0.4 to 1.0, silos of spheres",
                          .ours = ch_report_say(report, "%.2f; walls carry %.0f %% of what friction could", ratio,
                                                100.0 * mobilised),
                          .run = how,
                          .rule = "in that range",
                          .met = ratio >= 0.4 && ratio <= 1.0,
                          .reason = "friction of the walls is not mobilised in full, or the silo is narrow"});
  ch_report_row(report, "weight on floor and walls, over that of the grains",
                (ChFacts){.printed = "1, while the floor sinks steadily",
                          .ours = ch_report_say(report, "%.3f; largest overlap %.2g %% of a radius",
                                                (lost + p->floor) / p->samples / total, 100.0 * silos->overlap),
                          .run = how,
                          .rule = "within 3 %",
                          .met = fabs((lost + p->floor) / p->samples / total - 1.0) < 0.03,
                          .reason = "grains still fall or rise"});
}

static void add_filling(Silos* silos, const Profile* p, const ChGrainRun* run) {
  Profile* all = &silos->all;
  for (int k = 0; k < SLICES; ++k) all->mass[k] += p->mass[k], all->carried[k] += p->carried[k];
  all->pressed += p->pressed;
  all->floor += p->floor;
  all->samples += p->samples;
  silos->rms[silos->count++] = fit_janssen(p).rms;
  silos->overlap = fmax(silos->overlap, run->overlap);
  ch_grain_count(&silos->how, run);
}

// The floor rests until `still` and then sinks; all but the first 30 % of that time is looked at.
static ChStatus fill_and_sink(ChItemRun* run, ChGrainScene* scene, double still, double sink, const double part[2],
                              Silos* silos) {
  const double middle = part[0] + 0.6 * (part[1] - part[0]);
  Profile profile = {.height = silos->all.height};
  ChGrainRun state;
  ChStatus status = ch_grain_run_begin(run, scene, &state);
  if (status == CH_OK) status = ch_grain_run_until(&state, still + 0.3 * sink, (double[]){part[0], middle}, NULL, NULL);
  if (status == CH_OK)
    status = ch_grain_run_until(&state, still + sink, (double[]){middle, part[1]}, add_profile, &profile);
  if (status == CH_OK && profile.samples > 0) add_filling(silos, &profile, &state);
  ch_grain_run_end(&state);
  return status;
}

static ChStatus run_janssen(ChItemRun* run) {
  const double side = 6.0 * D, still = run->quick ? 0.15 : 0.35, sink = run->quick ? 0.06 : 0.5;
  int grains = run->quick ? 25 * 10 : 25 * 40, fillings = run->quick ? 1 : FILLINGS;
  ChGrainScene scene = silo("silo", side, grains);
  scene.plates = 1;
  scene.plate[0] = (ChGrainPlate){.centre = {0.5 * side, 0.5 * side, -D},
                                  .half = {side, side, D},
                                  .rough = true,
                                  .start = still,
                                  .speed = -0.03,
                                  .way = 0.03 * sink};
  ch_report_text(run->report,
                 "Grains fill a silo with rough walls. Its floor then sinks slowly, so that grains slide along the "
                 "walls. Below a mass M the mass m = M_s (1 - exp(-M / M_s)) is felt; walls carry the rest.");
  ch_report_choice(run->report, "silo",
                   "Square, 6 grains of %g mm wide, %d grains, mu = %g everywhere; the floor sinks by 3 cm/s for %g s, "
                   "of which all but the first 30 %% is averaged over. Fillings averaged: %d.",
                   1e3 * D, grains, MU, sink, fillings);
  Silos silos = {.all.height = 1.1 * D, .how.changed = run->quick ? "fewer grains" : NULL};
  ChStatus status = CH_OK;
  for (int k = 0; k < fillings && status == CH_OK; ++k) {
    scene.filling = k;
    status = fill_and_sink(run, &scene, still, sink, (double[]){(double)k / fillings, (k + 1.0) / fillings}, &silos);
  }
  if (status == CH_OK && silos.count == fillings) report_janssen(run, &silos, side);
  return status;
}

const ChItem ch_item_granular_janssen = {
    .name = "granular-janssen",
    .title = "Pressure in a silo",
    .source = "Janssen 1895, Zeitschrift des Vereins deutscher Ingenieure 39, 1045",
    .run = run_janssen,
};

// --- Beverloo --------------------------------------------------------------------------------------------------------

typedef struct Discharge {
  double side, from;  // of the silo; time from which on it is measured
  double mass;        // that has left since
  uint64_t seed;
} Discharge;

// A grain that has left comes back on top of the others, at rest.
static ChStatus put_back(ChGrainRun* run, int grain, Discharge* d) {
  double room = 0.6 * D, x = room + (d->side - 2.0 * room) * ch_random_unit(&d->seed),
         y = room + (d->side - 2.0 * room) * ch_random_unit(&d->seed), top = 0.0;
  for (int k = 0; k < run->count; ++k) {
    ChVec3 at = ch_grain_at(run, k);
    if (k != grain && hypot(at.x - x, at.y - y) < 1.15 * D) top = fmax(top, at.z + 1.15 * D);
  }
  const ChVec3 still = {0};
  ChContext* context = run->item->context;
  ChBodyId body = ch_world_body_at(ch_simulation_world(run->simulation), run->first + grain);
  ChStatus status = ch_simulation_place(context, run->simulation, body, ch_vec(x, y, top));
  return status == CH_OK ? ch_simulation_set_velocity(context, run->simulation, body, still, still) : status;
}

static ChStatus recirculate(ChGrainRun* run, void* state) {
  Discharge* d = state;
  ChStatus status = CH_OK;
  for (int k = 0; k < run->count && status == CH_OK; ++k) {
    if (ch_grain_at(run, k).z > -4.0 * D) continue;
    if (ch_simulation_time(run->simulation) > d->from) d->mass += ch_grain_mass(run, k);
    status = put_back(run, k, d);
  }
  return status;
}

// A floor of four plates about a square hole, and a lid in it that falls away.
static void put_floor(ChGrainScene* scene, double side, double hole, double opens) {
  double rest = 0.25 * (side - hole) + 0.5 * D, middle = 0.5 * side;  // half width of a plate, reaching into the walls
  double off = 0.5 * hole + rest;
  scene->plates = 5;
  for (int k = 0; k < 4; ++k) {
    double sign = k % 2 ? -1.0 : 1.0;
    bool along = k < 2;  // the first two reach from wall to wall
    scene->plate[k] =
        (ChGrainPlate){.centre = {middle + (along ? 0.0 : sign * off), middle + (along ? sign * off : 0.0), -0.5 * D},
                       .half = {along ? 0.5 * side + D : rest, along ? rest : 0.5 * hole, 0.5 * D},
                       .rough = true};
  }
  scene->plate[4] = (ChGrainPlate){.centre = {middle, middle, -0.5 * D},
                                   .half = {0.5 * hole, 0.5 * hole, 0.5 * D},
                                   .start = opens,
                                   .speed = -5.0,
                                   .way = 1.0};
}

// Density of the grains at rest, between a diameter above the floor and two below the surface.
static double bulk_density(const ChGrainRun* run, double side) {
  double top = 0.0, mass = 0.0;
  for (int k = 0; k < run->count; ++k) top = fmax(top, ch_grain_at(run, k).z);
  double low = D, high = top - 2.0 * D;
  for (int k = 0; k < run->count; ++k) {
    double z = ch_grain_at(run, k).z;
    if (z > low && z < high) mass += ch_grain_mass(run, k);
  }
  return mass / ((high - low) * side * side);
}

static ChStatus discharge(ChItemRun* item, double hole, const double part[2], ChOurRun* how, double* rate,
                          double* density) {
  const double side = (item->quick ? 8.0 : 11.0) * D, still = item->quick ? 0.1 : 0.2, start = 0.1,
               flow = item->quick ? 0.1 : 0.5;
  const double pitch = 1.15;
  int across = (int)floor(side / D / pitch);
  ChGrainScene scene = silo("silo with a hole", side, across * across * (item->quick ? 5 : 10));
  put_floor(&scene, side, hole, still);
  Discharge d = {.side = side, .from = still + start, .seed = 3};
  ChGrainRun run;
  double middle = part[0] + 0.3 * (part[1] - part[0]);
  ChStatus status = ch_grain_run_begin(item, &scene, &run);
  if (status == CH_OK) status = ch_grain_run_until(&run, still, (double[]){part[0], middle}, NULL, NULL);
  if (status == CH_OK) *density = bulk_density(&run, side);
  if (status == CH_OK) status = ch_grain_run_until(&run, d.from + flow, (double[]){middle, part[1]}, recirculate, &d);
  if (status == CH_OK) ch_grain_count(how, &run);
  *rate = d.mass / flow;
  ch_grain_run_end(&run);
  return status;
}

static void report_beverloo(ChItemRun* run, int all, const double* hole, const double* rate, double density,
                            const ChOurRun* how) {
  ChReport* report = run->report;
  double x[HOLES], y[HOLES], lx[HOLES], ly[HOLES], law[HOLES], left = 0.0, grams[HOLES];
  int count = 0;
  for (int k = 0; k < all; ++k) {
    if (hole[k] < CLOGS * D) continue;
    x[count] = hole[k] / D;
    y[count] = pow(rate[k] / (density * sqrt(ch_grain_gravity)), 0.4) / D;
    lx[count] = log(x[count] - 1.4);
    ly[count] = log(rate[k]);
    grams[count++] = 1e3 * rate[k];
  }
  ChLineFit line = ch_line_fit(count, x, y), power = ch_line_fit(count, lx, ly);
  double C = pow(line.b, 2.5), k0 = -line.a / line.b;
  for (int k = 0; k < count; ++k) {
    law[k] = 1e3 * C * density * sqrt(ch_grain_gravity) * pow(D * (x[k] - k0), 2.5);
    left = fmax(left, fabs(grams[k] / law[k] - 1.0));
  }
  ChChart* chart = ch_report_chart(report, "Beverloo: mass that leaves in a second, over the side of the hole.",
                                   "side of the hole [grains]", "rate [g/s]", 0);
  ch_chart_points(chart, "simulated", count, x, grams);
  ch_chart_line(chart, ch_report_say(report, "C = %.2f, k = %.2f, fitted", C, k0), count, x, law);
  if (hole[0] < CLOGS * D)
    ch_report_row(
        report, "a hole of 3 grains",
        (ChFacts){.ours = ch_report_say(report, "%.3g g/s, where the fit over the others has %.3g g/s", 1e3 * rate[0],
                                        1e3 * C * density * sqrt(ch_grain_gravity) * pow(hole[0] - k0 * D, 2.5)),
                  .run = *how,
                  .reason = "the law is for holes that do not clog; arches are known up to some 5 grains"});
  ch_report_row(report, "W over the side of the hole",
                (ChFacts){.printed = "C rho sqrt(g) (D - k d)^(5/2)",
                          .ours = ch_report_say(report, "every rate within %.1f %% of the fit, C = %.2f, k = %.2f",
                                                100.0 * left, C, k0),
                          .run = *how,
                          .rule = "within 10 %, C and k fitted",
                          .met = left < 0.1,
                          .reason = "grains pass one by one: the rate of a short time scatters"});
  ch_report_row(report, "exponent of D - 1.4 d",
                (ChFacts){.printed = "5/2",
                          .ours = ch_report_say(report, "%.2f, fitted; left over %.1f %%", power.b, 100.0 * power.rms),
                          .run = *how,
                          .rule = "within 0.25",
                          .met = fabs(power.b - 2.5) < 0.25,
                          .reason = "few holes, and a k that may differ from 1.4"});
  ch_report_row(report, "C of a square hole",
                (ChFacts){.printed = "0.74 (0.58 of a round one)",
                          .ours = ch_report_say(report, "%.2f", C),
                          .run = *how,
                          .value = {0.74, C},
                          .factor = 1.25,
                          .reason = "C depends on friction, and k on how it is fitted with C"});
  ch_report_row(report, "k",
                (ChFacts){.printed = "1.4, spheres (1 to 2 in general)",
                          .ours = ch_report_say(report, "%.2f", k0),
                          .run = *how,
                          .rule = "1 to 2",
                          .met = k0 >= 1.0 && k0 <= 2.0,
                          .reason = "C and k are fitted together over few holes"});
}

static ChStatus run_beverloo(ChItemRun* run) {
  const double grains[HOLES] = {3.0, 4.0, 5.0, 6.0};
  double hole[HOLES], rate[HOLES], density[HOLES], mean = 0.0;
  int count = run->quick ? 2 : HOLES;
  ChOurRun how = {
      .changed = run->quick ? "two holes, fewer grains, shorter" : NULL,
      .fitted = run->quick ? NULL : "the hole of 3 grains, which arches stop at times, is left out of the fit"};
  ch_report_text(run->report,
                 "Grains leave a silo through a hole in its flat floor, and come back on top: the head stays. The "
                 "rate is W = C rho sqrt(g) (D - k d)^(5/2), whatever the head.");
  ch_report_choice(
      run->report, "silo",
      "Square, %d grains of %g mm wide, filled about as high; a square hole of side D; mu = %g "
      "everywhere. The rate is that of half a second, from 0.1 s after the hole was opened. rho is the density "
      "of the grains at rest.",
      run->quick ? 8 : 11, 1e3 * D, MU);
  for (int k = 0; k < count; ++k) {
    const double part[2] = {(double)k / count, (k + 1.0) / count};
    hole[k] = grains[run->quick ? k + 1 : k] * D;
    ChStatus status = discharge(run, hole[k], part, &how, &rate[k], &density[k]);
    if (status != CH_OK || !ch_item_progress(run, part[1])) return status;
    mean += density[k] / count;
  }
  report_beverloo(run, count, hole, rate, mean, &how);
  return CH_OK;
}

const ChItem ch_item_granular_beverloo = {
    .name = "granular-beverloo",
    .title = "Rate of discharge",
    .source = "Beverloo, Leniger and van de Velde 1961, Chemical Engineering Science 15, 260",
    .run = run_beverloo,
};
