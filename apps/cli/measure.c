// `cardhouse measure`: granular statistics of a recorded run.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/disk.h"
#include "cardhouse/scene.h"
#include "cardhouse/trajectory.h"
#include "cli/commands.h"
#include "cli/measure_forces.h"
#include "cli/measure_table.h"
#include "cli/output.h"
#include "common/printable.h"

#define MEASURE_OPTIONS(X)                                                                                            \
  X(FLAG, pair_correlation, false, NULL, 0, 0, "two-point correlation g(r)")                                          \
  X(FLAG, packing, false, NULL, 0, 0, "solid fraction of the region")                                                 \
  X(FLAG, coordination, false, NULL, 0, 0, "number of neighbours that touch a grain and that press on it")            \
  X(FLAG, forces, false, NULL, 0, 0, "histograms of contact force and mobilised friction, stress and fabric tensors") \
  X(TEXT, discharge, NULL, "AXIS=AT", 0, 0,                                                                           \
    "number of grains that pass below a plane, such as z=0.1, over time; needs --from")                               \
  X(LIST, profile, {0}, "x|y|z|r", 0, 0, "solid fraction, velocity and temperature along an axis; may be repeated")   \
  X(TEXT, segregation, NULL, "x|y|z", 0, 0, "segregation of large grains above small ones along an axis")             \
  X(REAL, from, -1.0, "T", 0.0, 1e12,                                                                                 \
    "first time of the rows to use, seconds (without --from and --to: the last row)")                                 \
  X(REAL, to, -1.0, "T", 0.0, 1e12, "last time of the rows to use, seconds")                                          \
  X(COUNT, every, 1, "K", 1, 1e9, "uses every K-th of these rows (1)")                                                \
  X(TEXT, region, NULL, "NUMBERS", 0, 0,                                                                              \
    "x0,x1,y0,y1,z0,z1 or x,y,radius,z0,z1, m; plane: x0,x1,y0,y1 or x,y,radius (a box around the grains)")           \
  X(REAL, inset, 0.0, "D", 0.0, 1e6, "distance by which the region's faces move inwards, in mean diameters (0)")      \
  X(TEXT, bodies, NULL, "NAME", 0, 0, "only bodies whose names begin with this")                                      \
  X(REAL, split, 0.0, "R", 1e-300, 1e300, "radius that separates small grains from large ones, m")                    \
  X(REAL, touch, 1e-3, "G", 0.0, 1.0, "largest gap between grains that touch, in mean diameters (0.001)")             \
  X(REAL, reach, 7.0, "R", 0.1, 1e6, "largest distance of g(r), in mean diameters (7)")                               \
  X(REAL, resolution, 0.05, "W", 1e-4, 10.0, "width of the bins of g(r), in mean diameters (0.05)")                   \
  X(TEXT, unit, "D", "D|m", 0, 0, "unit of the distances of g(r): mean diameters or metres (D)")                      \
  X(COUNT, bins, 20, "N", 1, 10000, "of a profile (20)")                                                              \
  X(TEXT, out, NULL, "DIR", 0, 0, "folder for tables (CSV) and charts (SVG)")                                         \
  X(FLAG, json, false, NULL, 0, 0, "one JSON object instead of text")                                                 \
  X(FLAG, quiet, false, NULL, 0, 0, "no text")

typedef struct Arguments {
  MEASURE_OPTIONS(CH_ARG_MEMBER)
} Arguments;

static const ChArgRow rows[] = {MEASURE_OPTIONS(CH_ARG_ROW)};

typedef struct Work {
  const ChCommand* self;
  const Arguments* a;
  const char* path;
  ChMeasureRoom* room;
  ChScene* scene;
  ChTrajectoryReader* reader;
  long first, last;  // rows
  bool around;       // the region is that around the grains
  ChSurveyOptions options;
  ChGrains grains;
  ChSurvey survey;
} Work;

// --- what was asked for ----------------------------------------------------------------------------------------------

// "z=0.1"
static bool read_discharge(const ChCommand* self, const char* word, ChSurveyOptions* o) {
  if (!word) return true;
  char* end = NULL;
  o->discharge = true;
  o->discharge_axis = word[0] - 'x';
  if (word[0] >= 'x' && word[0] <= 'z' && word[1] == '=') o->discharge_at = strtod(word + 2, &end);
  if (end && end != word + 2 && *end == '\0' && isfinite(o->discharge_at)) return true;
  ch_complain(self, "--discharge is '%s', must be an axis and a place on it, m: z=0.1", word);
  return false;
}

static bool read_words(const ChCommand* self, const Arguments* a, ChSurveyOptions* o) {
  static const char* const axes[] = {"x", "y", "z", "r"};
  static const char* const units[] = {"D", "m"};
  o->segregation = -1;
  if (!ch_word_check(self, "unit", a->unit, 2, units)) return false;
  if (a->segregation && !ch_word_check(self, "axis", a->segregation, 3, axes)) return false;
  if (a->segregation) o->segregation = a->segregation[0] - 'x';
  for (int k = 0; k < a->profile.count; ++k) {
    if (!ch_word_check(self, "axis", a->profile.item[k], CH_PROFILE_AXES, axes)) return false;
    for (int axis = 0; axis < CH_PROFILE_AXES; ++axis)
      o->profile[axis] = o->profile[axis] || strcmp(a->profile.item[k], axes[axis]) == 0;
  }
  if (!read_discharge(self, a->discharge, o)) return false;
  bool any = a->packing || a->forces || a->discharge || a->coordination || a->pair_correlation || a->segregation ||
             a->profile.count > 0;
  o->packing = a->packing || !any;
  o->coordination = a->coordination || !any;
  o->pair_correlation = a->pair_correlation || !any;
  o->bins = (int)a->bins;
  return true;
}

static ChStatus choose_rows(ChContext* context, Work* w) {
  long count;
  const ChTrajectoryStep* steps = ch_trajectory_reader_steps(w->reader, &count);
  w->first = w->last = count - 1;
  if (w->a->from < 0.0 && w->a->to < 0.0) return CH_OK;
  double to = w->a->to < 0.0 ? HUGE_VAL : w->a->to, slack = 1e-9 * (1.0 + fabs(steps[count - 1].time));
  for (w->first = 0; w->first < count && steps[w->first].time < w->a->from - slack;) ++w->first;
  for (w->last = count - 1; w->last >= 0 && steps[w->last].time > to + slack;) --w->last;
  if (w->first <= w->last) return CH_OK;
  return ch_fail(context, CH_ERR_RANGE,
                 "%s: no row lies between --from %g and --to %g; the recording is from %g to %g s", w->path,
                 fmax(0.0, w->a->from), to, steps[0].time, steps[count - 1].time);
}

// Where nothing was said, the region is the box around the grains at the end, and the centres of the correlation's
// grains lie at least a mean radius inside of it: no centre can be nearer to a wall.
static ChStatus choose_region(ChContext* context, Work* w) {
  ChSurveyOptions* o = &w->options;
  const double radius = w->grains.mean_radius, inset = 2.0 * radius * w->a->inset;
  ChStatus status = CH_OK;
  w->around = !w->a->region;
  if (w->around)
    o->region = ch_grains_bounds(&w->grains);
  else
    status = ch_region_read(context, "--region", w->a->region, w->grains.dimension, &o->region);
  if (status != CH_OK) return status;
  ch_region_join(&o->region, &w->grains.periodic);
  o->region = ch_region_inset(&o->region, inset);
  o->window = ch_region_inset(&o->region, w->around && inset < radius ? radius : 0.0);
  if (!(ch_region_volume(&o->region) > 0.0) || (o->pair_correlation && !(ch_region_volume(&o->window) > 0.0)))
    return ch_fail(context, CH_ERR_RANGE,
                   "%s: the inset leaves nothing of the region %s; give --region or a smaller --inset", w->path,
                   w->around ? "around the grains" : "");
  o->touch = 2.0 * radius * w->a->touch;
  o->resolution = 2.0 * radius * w->a->resolution;
  o->reach = fmin(2.0 * radius * w->a->reach, ch_region_width(&o->window));
  return CH_OK;
}

// --- measuring -------------------------------------------------------------------------------------------------------

static ChStatus open_run(ChContext* context, Work* w) {
  ChStatus status = ch_scene_of_trajectory(context, w->path, &w->scene);
  if (status == CH_OK) status = ch_trajectory_reader_open(context, w->path, w->scene->world, &w->reader);
  if (status == CH_OK) status = choose_rows(context, w);
  return status;
}

static ChStatus read_row(ChContext* context, Work* w, long number, ChTrajectoryRow* row) {
  ChStatus status = ch_trajectory_reader_row(context, w->reader, number, row);
  if (status == CH_OK) ch_grains_place(&w->grains, row->bodies);
  return status;
}

static ChStatus measure(ChContext* context, Work* w) {
  ChTrajectoryRow row;
  ChStatus status = ch_measure_room_create(context, &w->room);
  if (status == CH_OK) status = open_run(context, w);
  if (status == CH_OK)
    status = ch_grains_of_world(context, w->room, w->scene->world, w->a->bodies, w->a->split, &w->grains);
  if (w->a->forces && status == CH_OK) w->options.forces = w->scene->world;
  if (status == CH_OK) status = read_row(context, w, w->last, &row);
  if (status == CH_OK) status = choose_region(context, w);
  long count = (w->last - w->first) / w->a->every + 1;
  if (status == CH_OK) status = ch_survey_begin(context, w->room, &w->grains, &w->options, (int)count, &w->survey);
  const ChTrajectoryStep* steps = status == CH_OK ? ch_trajectory_reader_steps(w->reader, &(long){0}) : NULL;
  for (long k = w->first; status == CH_OK && k <= w->last; k += w->a->every) {
    status = read_row(context, w, k, &row);
    if (status == CH_OK)
      status = ch_survey_add(context, w->room, &w->survey, &w->grains, steps[k].time, row.contact_count, row.contacts);
  }
  return status;
}

// --- telling ---------------------------------------------------------------------------------------------------------

static double mean_of(const ChSurvey* s, size_t offset) {
  double sum = 0.0;
  int count = 0;
  for (int k = 0; k < s->count; ++k) {
    double value = *(const double*)((const char*)&s->moments[k] + offset);
    if (isnan(value)) continue;
    sum += value;
    ++count;
  }
  return count > 0 ? sum / count : NAN;
}
#define MEAN_OF(survey, member) mean_of((survey), offsetof(ChInstant, member))

static void describe_region(const ChRegion* r, char* text, size_t size) {
  int used = r->kind == CH_REGION_CYLINDER
                 ? snprintf(text, size, "radius %.4g about (%.4g, %.4g)", r->radius, r->x, r->y)
                 : snprintf(text, size, "x %.4g ... %.4g, y %.4g ... %.4g", r->low.x, r->high.x, r->low.y, r->high.y);
  if (r->dimension == 3) snprintf(text + used, size - (size_t)used, ", z %.4g ... %.4g", r->low.z, r->high.z);
}

static void print_profile(const ChProfile* p, const ChGrains* grains) {
  printf("\nprofile along %s\n%12s %9s", ch_profile_axis_name(p->axis), ch_profile_axis_name(p->axis), "solid");
  for (int s = 0; p->species_count > 1 && s < p->species_count; ++s)
    printf("  D=%-7.3g", 2.0 * grains->species_radius[s]);
  printf(" %9s %10s %10s %s %12s\n", "grains", "vx", "vy", p->dimension == 3 ? "        vz" : "", "temperature");
  for (int k = 0; k < p->bins; ++k) {
    ChVec3 v = ch_profile_velocity(p, k);
    printf("%12.5g %9.4f", ch_profile_middle(p, k), ch_profile_solid(p, k));
    for (int s = 0; p->species_count > 1 && s < p->species_count; ++s) printf(" %9.4f ", ch_profile_species(p, k, s));
    printf(" %9.4g %10.3g %10.3g ", ch_profile_grains(p, k), ch_plain_nan(v.x), ch_plain_nan(v.y));
    if (p->dimension == 3) printf("%10.3g", ch_plain_nan(v.z));
    printf(" %12.3g\n", ch_plain_nan(ch_profile_temperature(p, k)));
  }
}

static void print_head(const Work* w) {
  const ChGrains* g = &w->grains;
  const ChSurvey* s = &w->survey;
  char region[200];
  describe_region(&w->options.region, region, sizeof region);
  printf("grains        %d %s, mean diameter D = %.5g m", g->count, g->dimension == 2 ? "in the plane" : "in space",
         2.0 * g->mean_radius);
  for (int k = 0; g->species_count > 1 && k < g->species_count; ++k) {
    int count = 0;
    for (int i = 0; i < g->count; ++i) count += g->species[i] == k;
    printf("%s %d of %.4g m", k ? "," : ":", count, 2.0 * g->species_radius[k]);
  }
  printf("\nmoments       %d, t = %g", s->count, s->moments[0].time);
  if (s->count > 1) printf(" ... %g", s->moments[s->count - 1].time);
  printf(" s%s\nregion        %s m%s; %.4g grains inside\n", s->count > 1 ? "; means follow" : "", region,
         w->around ? " (around the grains at the end)" : "", (double)s->moments[s->count - 1].grains);
  printf("contact       %s\n", CH_SHOWN(ch_trajectory_reader_head(w->reader)->contact));
}

static void print_text(const Work* w) {
  const ChSurvey* s = &w->survey;
  const ChSurveyOptions* o = &w->options;
  print_head(w);
  if (o->packing) printf("packing       %.5f of the region is solid\n", MEAN_OF(s, packing));
  printf("temperature   %.4g m^2/s^2\n", MEAN_OF(s, temperature));
  if (o->coordination) {
    printf("coordination  %.4f grains touch a grain (gaps up to %.3g m)", ch_coordination_mean(&s->coordination),
           o->touch);
    if (s->coordination.forced > 0)
      printf("; %.4f press it, walls included; %.2f %% rattle", ch_coordination_loaded(&s->coordination),
             100.0 * ch_coordination_rattlers(&s->coordination));
    printf("\n");
  }
  if (o->forces) ch_forces_print(&s->forces);
  if (o->discharge) ch_discharge_print(s);
  if (o->segregation >= 0)
    printf("segregation   %.4f along %s (1: large grains on top, 0: mixed)\n", ch_plain_nan(MEAN_OF(s, segregation)),
           w->a->segregation);
  if (o->pair_correlation) {
    const ChPairCorrelation* c = &s->correlation;
    int peak = ch_pair_correlation_peak(c);
    printf("correlation   largest g = %.4f at r = %.4g D, measured up to %.4g D; --out or --json writes all of it\n",
           ch_pair_correlation_value(c, peak), ch_pair_correlation_distance(c, peak) / (2.0 * w->grains.mean_radius),
           o->reach / (2.0 * w->grains.mean_radius));
  }
  for (int axis = 0; axis < CH_PROFILE_AXES; ++axis)
    if (o->profile[axis]) print_profile(&s->profile[axis], &w->grains);
}

static json_t* vector_json(ChVec3 v, int dimension) {
  return dimension == 3 ? json_pack("[f,f,f]", v.x, v.y, v.z) : json_pack("[f,f]", v.x, v.y);
}

static json_t* region_json(const ChRegion* r) {
  if (r->kind == CH_REGION_BOX)
    return json_pack("{s:s, s:o, s:o}", "type", "box", "low", vector_json(r->low, r->dimension), "high",
                     vector_json(r->high, r->dimension));
  json_t* object = json_pack("{s:s, s:[f,f], s:f}", "type", "cylinder", "axis", r->x, r->y, "radius", r->radius);
  if (r->dimension == 3) json_object_set_new(object, "z", json_pack("[f,f]", r->low.z, r->high.z));
  return object;
}

static ChExit print_json(const Work* w, int count, const ChTableOf* tables) {
  const ChSurvey* s = &w->survey;
  json_t* object = json_pack("{s:o, s:i, s:i, s:f, s:i, s:o, s:o}", "file", ch_json_path(w->path), "dimension",
                             w->grains.dimension, "grains", w->grains.count, "diameter", 2.0 * w->grains.mean_radius,
                             "moments", s->count, "region", region_json(&w->options.region), "means", json_object());
  json_object_set_new(object, "contact", ch_json_path(ch_trajectory_reader_head(w->reader)->contact));
  json_t* means = json_object_get(object, "means");
  json_object_set_new(means, "packing", ch_json_real(MEAN_OF(s, packing)));
  json_object_set_new(means, "temperature", ch_json_real(MEAN_OF(s, temperature)));
  json_object_set_new(means, "touching", ch_json_real(MEAN_OF(s, coordination)));
  json_object_set_new(means, "pressing", ch_json_real(MEAN_OF(s, loaded)));
  json_object_set_new(means, "rattlers", ch_json_real(MEAN_OF(s, rattlers)));
  json_object_set_new(means, "segregation", ch_json_real(MEAN_OF(s, segregation)));
  if (s->options.forces) json_object_set_new(object, "forces", ch_forces_json(&s->forces));
  if (s->options.discharge) json_object_set_new(object, "discharge", ch_discharge_json(s));
  for (int k = 0; k < count; ++k) json_object_set_new(object, tables[k].name, ch_table_json(&tables[k]));
  return ch_json_print(w->self, object);
}

static ChStatus write_files(ChContext* context, const char* folder, int count, const ChTableOf* tables) {
  ChStatus status = ch_folder_make(context, folder);
  for (int k = 0; k < count && status == CH_OK; ++k) {
    status = ch_table_write_csv(context, folder, &tables[k]);
    if (status == CH_OK) status = ch_table_write_charts(context, folder, &tables[k]);
  }
  return status;
}

static ChExit tell(ChContext* context, const Work* w) {
  ChTableOf tables[CH_TABLES_MAX];
  bool metres = strcmp(w->a->unit, "m") == 0;
  int count =
      ch_survey_tables(w->room, &w->survey, &w->grains, metres ? 1.0 : 2.0 * w->grains.mean_radius, w->a->unit, tables);
  if (count == 0)
    return ch_failure_exit(w->self, context, ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", w->path));
  if (w->a->out) {
    ChStatus status = write_files(context, w->a->out, count, tables);
    if (status != CH_OK) return ch_failure_exit(w->self, context, status);
  }
  if (w->a->json) return print_json(w, count, tables);
  if (!w->a->quiet) print_text(w);
  return CH_EXIT_DONE;
}

static ChExit measure_run(const ChCommand* self, int count, char** words) {
  Arguments arguments = {MEASURE_OPTIONS(CH_ARG_DEFAULT)};
  const char* path = NULL;
  ChParsed parsed = ch_arguments_parse(self, count, words, &arguments, &path);
  if (parsed != CH_PARSED_RUN) return parsed == CH_PARSED_HELP ? CH_EXIT_DONE : CH_EXIT_USAGE;
  Work work = {.self = self, .a = &arguments, .path = path};
  if (!read_words(self, &arguments, &work.options)) return CH_EXIT_USAGE;
  ChContext context = {0};
  ChStatus status = measure(&context, &work);
  ChExit result = status == CH_OK ? tell(&context, &work) : ch_failure_exit(self, &context, status);
  ch_trajectory_reader_close(work.reader);
  if (work.scene) ch_scene_destroy(work.scene);
  ch_measure_room_destroy(work.room);
  return result;
}

const ChCommand ch_command_measure = {
    .name = "measure",
    .summary =
        "measures the grains of a recorded run: packing, coordination, forces, stress, pair correlation, profiles",
    .operand = "RUN.h5",
    .examples =
        "  cardhouse measure run.h5\n"
        "  cardhouse measure run.h5 --pair-correlation --profile z --out statistics\n"
        "  cardhouse measure run.h5 --packing --region 0,0,0.3,0.1,0.6 --profile r\n"
        "  cardhouse measure run.h5 --forces --inset 1 --out statistics\n"
        "  cardhouse measure hopper.h5 --discharge z=0.05 --from 0.5\n"
        "  cardhouse measure run.h5 --segregation z --from 0 --every 10 --json\n",
    .row_count = sizeof rows / sizeof *rows,
    .rows = rows,
    .run = measure_run,
};
