// Tables of a survey: see measure_table.h.
#include "cli/measure_table.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cardhouse/disk.h"
#include "common/json.h"
#include "reproduce/svg.h"

enum { PATH_SIZE = 4096 };

// --- making them -----------------------------------------------------------------------------------------------------

static int add_column(ChTableOf* t, const char* format, ...) __attribute__((format(printf, 2, 3)));
static int add_column(ChTableOf* t, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(t->head[t->columns], CH_TABLE_NAME, format, arguments);
  va_end(arguments);
  return t->columns++;
}

static void add_chart(ChTableOf* t, const char* name, const char* caption, const char* label, int first, int count) {
  t->charts[t->chart_count++] = (ChTableChart){name, caption, label, first, count};
}

// No rows where memory runs out.
static void take_rows(ChMeasureRoom* room, ChTableOf* t, int rows) {
  t->values = ch_measure_room_take(room, (size_t)rows * (size_t)t->columns, sizeof *t->values);
  t->rows = t->values ? rows : 0;
}

static void set(ChTableOf* t, int row, int column, double value) { t->values[row * t->columns + column] = value; }

static void make_series(ChMeasureRoom* room, const ChSurvey* s, ChTableOf* t) {
  *t = (ChTableOf){.name = "series", .x_label = "time [s]"};
  add_column(t, "time");
  add_column(t, "grains");
  int packing = add_column(t, "packing"), temperature = add_column(t, "temperature");
  int coordination = add_column(t, "touching"), segregation;
  add_column(t, "pressing");
  add_column(t, "rattlers");
  segregation = add_column(t, "segregation");
  const bool forces = s->options.forces != NULL, discharge = s->options.discharge;
  int pressure = forces ? add_column(t, "pressure") : 0;
  if (forces) add_column(t, "normal_force");
  int mobilised = forces ? add_column(t, "mobilised") : 0;
  int passed = discharge ? add_column(t, "passed") : 0;
  if (discharge) add_column(t, "passed_mass");
  take_rows(room, t, s->count);
  for (int k = 0; k < s->count; ++k) {
    const ChInstant* m = &s->moments[k];
    const double row[] = {m->time,         m->grains, m->packing,  m->temperature,
                          m->coordination, m->loaded, m->rattlers, m->segregation};
    for (int c = 0; c <= segregation; ++c) set(t, k, c, row[c]);
    const double pressed[] = {m->pressure, m->normal, m->mobilised}, gone[] = {m->passed, m->passed_mass};
    for (int c = 0; forces && c < 3; ++c) set(t, k, pressure + c, pressed[c]);
    for (int c = 0; discharge && c < 2; ++c) set(t, k, passed + c, gone[c]);
  }
  if (s->count < 2) return;
  if (s->options.packing) add_chart(t, "packing", "Packing fraction", "solid fraction [1]", packing, 1);
  add_chart(t, "temperature", "Granular temperature", "mean (v - <v>)^2 / d [m^2/s^2]", temperature, 1);
  if (s->options.coordination)
    add_chart(t, "coordination_in_time", "Coordination number", "neighbours of a grain [1]", coordination, 2);
  if (s->options.segregation >= 0)
    add_chart(t, "segregation", "Segregation: 1 = large grains on top", "index [1]", segregation, 1);
  if (forces) add_chart(t, "pressure", "Pressure in the grains", "pressure [Pa]", pressure, 1);
  if (forces) add_chart(t, "mobilised_in_time", "Mobilised friction", "share of the friction [1]", mobilised, 1);
  if (discharge) add_chart(t, "discharge", "Grains below the plane", "grains [1]", passed, 1);
}

static void make_forces(ChMeasureRoom* room, const ChForces* f, ChTableOf* t) {
  *t = (ChTableOf){.name = "normal_forces", .x_label = "normal force over its mean [1]"};
  add_column(t, "force_over_mean");
  add_column(t, "density");
  int rows = CH_FORCE_BINS;
  while (rows > 1 && f->by_force[rows - 1] == 0) --rows;
  take_rows(room, t, rows);
  for (int k = 0; k < rows; ++k) {
    set(t, k, 0, (k + 0.5) * CH_FORCE_BIN_WIDTH);
    set(t, k, 1, ch_forces_density(f, k));
  }
  add_chart(t, "normal_forces", "Normal forces of contacts", "density [1]", 1, 1);
}

static void make_friction(ChMeasureRoom* room, const ChForces* f, ChTableOf* t) {
  *t = (ChTableOf){.name = "mobilised_friction", .x_label = "|tangential| / (mu normal) [1]"};
  add_column(t, "mobilised");
  add_column(t, "density");
  take_rows(room, t, CH_MOBILISED_BINS);
  for (int k = 0; k < CH_MOBILISED_BINS; ++k) {
    set(t, k, 0, (k + 0.5) / CH_MOBILISED_BINS);
    set(t, k, 1, ch_forces_mobilised_density(f, k));
  }
  add_chart(t, "mobilised_friction", "Mobilised friction of contacts", "density [1]", 1, 1);
}

static void make_coordination(ChMeasureRoom* room, const ChCoordination* c, ChTableOf* t) {
  *t = (ChTableOf){.name = "coordination", .x_label = "touching neighbours [1]"};
  add_column(t, "neighbours");
  add_column(t, "share");
  int rows = CH_COORDINATION_MAX + 1;
  while (rows > 1 && c->by_number[rows - 1] == 0) --rows;
  take_rows(room, t, rows);
  for (int k = 0; k < rows; ++k) {
    set(t, k, 0, k);
    set(t, k, 1, c->grains > 0 ? (double)c->by_number[k] / (double)c->grains : NAN);
  }
  add_chart(t, "coordination", "Coordination number", "share of the grains [1]", 1, 1);
}

static void make_correlation(ChMeasureRoom* room, const ChPairCorrelation* c, double unit, const char* unit_name,
                             ChTableOf* t) {
  *t = (ChTableOf){.name = "pair_correlation"};
  t->x_label = strcmp(unit_name, "D") == 0 ? "r / D [1]" : "r [m]";
  add_column(t, "r_%s", unit_name);
  add_column(t, "g");
  add_column(t, "neighbours_within");
  take_rows(room, t, c->bins);
  for (int k = 0; k < c->bins; ++k) {
    set(t, k, 0, ch_pair_correlation_distance(c, k) / unit);
    set(t, k, 1, ch_pair_correlation_value(c, k));
    set(t, k, 2, ch_pair_correlation_neighbours(c, k));
  }
  add_chart(t, "pair_correlation", "Two-point correlation", "g(r) [1]", 1, 1);
}

static void make_profile(ChMeasureRoom* room, const ChProfile* p, const ChGrains* grains, ChTableOf* t) {
  static const char* const labels[] = {"x [m]", "y [m]", "z [m]", "distance from the axis [m]"};
  static const char* const solid_names[] = {"profile_x", "profile_y", "profile_z", "profile_r"};
  static const char* const velocity_names[] = {"profile_x_velocity", "profile_y_velocity", "profile_z_velocity",
                                               "profile_r_velocity"};
  static const char* const temperature_names[] = {"profile_x_temperature", "profile_y_temperature",
                                                  "profile_z_temperature", "profile_r_temperature"};
  *t = (ChTableOf){.x_label = labels[p->axis]};
  snprintf(t->name, sizeof t->name, "%s", solid_names[p->axis]);
  add_column(t, "%s", ch_profile_axis_name(p->axis));
  int solid = add_column(t, "solid"), species = p->species_count > 1 ? p->species_count : 0;
  for (int s = 0; s < species; ++s) add_column(t, "solid_D_%.4g", 2.0 * grains->species_radius[s]);
  add_column(t, "grains");
  int velocity = add_column(t, "vx");
  add_column(t, "vy");
  if (p->dimension == 3) add_column(t, "vz");
  int temperature = add_column(t, "temperature");
  take_rows(room, t, p->bins);
  for (int k = 0; k < p->bins; ++k) {
    ChVec3 v = ch_profile_velocity(p, k);
    set(t, k, 0, ch_profile_middle(p, k));
    set(t, k, solid, ch_profile_solid(p, k));
    for (int s = 0; s < species; ++s) set(t, k, solid + 1 + s, ch_profile_species(p, k, s));
    set(t, k, velocity - 1, ch_profile_grains(p, k));
    set(t, k, velocity, v.x);
    set(t, k, velocity + 1, v.y);
    if (p->dimension == 3) set(t, k, velocity + 2, v.z);
    set(t, k, temperature, ch_profile_temperature(p, k));
  }
  add_chart(t, solid_names[p->axis], "Solid fraction", "solid fraction [1]", solid, 1 + species);
  add_chart(t, velocity_names[p->axis], "Mean velocity", "velocity [m/s]", velocity, p->dimension);
  add_chart(t, temperature_names[p->axis], "Granular temperature", "mean (v - <v>)^2 / d [m^2/s^2]", temperature, 1);
}

int ch_survey_tables(ChMeasureRoom* room, const ChSurvey* s, const ChGrains* grains, double unit, const char* unit_name,
                     ChTableOf tables[CH_TABLES_MAX]) {
  int count = 0;
  make_series(room, s, &tables[count++]);
  if (s->options.coordination) make_coordination(room, &s->coordination, &tables[count++]);
  if (s->options.forces) make_forces(room, &s->forces, &tables[count++]);
  if (s->options.forces) make_friction(room, &s->forces, &tables[count++]);
  if (s->options.pair_correlation) make_correlation(room, &s->correlation, unit, unit_name, &tables[count++]);
  for (int axis = 0; axis < CH_PROFILE_AXES; ++axis)
    if (s->options.profile[axis]) make_profile(room, &s->profile[axis], grains, &tables[count++]);
  for (int k = 0; k < count; ++k)
    if (!tables[k].values) return 0;
  return count;
}

// --- giving them -----------------------------------------------------------------------------------------------------

static json_t* column_json(const ChTableOf* t, int column) {
  json_t* list = json_array();
  for (int row = 0; row < t->rows; ++row)
    json_array_append_new(list, ch_json_real(t->values[row * t->columns + column]));
  return list;
}

json_t* ch_table_json(const ChTableOf* t) {
  json_t* object = json_object();
  for (int c = 0; c < t->columns; ++c) json_object_set_new(object, t->head[c], column_json(t, c));
  return object;
}

static ChStatus cannot_write(ChContext* context, const char* path) {
  return ch_fail(context, ch_file_status(errno), "%s: cannot be written: %s", path, strerror(errno));
}

static ChStatus end_file(ChContext* context, FILE* file, const char* path) {
  bool whole = !ferror(file);
  return fclose(file) == 0 && whole ? CH_OK : cannot_write(context, path);
}

ChStatus ch_table_write_csv(ChContext* context, const char* folder, const ChTableOf* t) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/%s.csv", folder, t->name);
  FILE* file = fopen(path, "w");
  if (!file) return cannot_write(context, path);
  for (int c = 0; c < t->columns; ++c) fprintf(file, "%s%s", c ? "," : "", t->head[c]);
  for (int row = 0; row < t->rows; ++row)
    for (int c = 0; c < t->columns; ++c) {
      double value = t->values[row * t->columns + c];
      fputs(c ? "," : "\n", file);
      if (isfinite(value)) fprintf(file, "%.10g", value);
    }
  fputs("\n", file);
  return end_file(context, file, path);
}

static json_t* chart_json(const ChTableOf* t, const ChTableChart* chart) {
  json_t* series = json_array();
  for (int c = chart->first; c < chart->first + chart->count; ++c)
    json_array_append_new(series, json_pack("{s:s, s:s, s:o, s:o}", "name", t->head[c], "kind", "line", "x",
                                            column_json(t, 0), "y", column_json(t, c)));
  return json_pack("{s:s, s:s, s:s, s:b, s:b, s:b, s:o}", "caption", chart->caption, "x", t->x_label, "y", chart->label,
                   "log_x", 0, "log_y", 0, "equal", 0, "series", series);
}

ChStatus ch_table_write_charts(ChContext* context, const char* folder, const ChTableOf* t) {
  ChStatus status = CH_OK;
  for (int k = 0; k < t->chart_count && status == CH_OK; ++k) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s.svg", folder, t->charts[k].name);
    json_t* chart = chart_json(t, &t->charts[k]);
    if (!chart) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
    FILE* file = fopen(path, "w");
    if (file) ch_svg_chart_file(file, chart);
    status = file ? end_file(context, file, path) : cannot_write(context, path);
    json_decref(chart);
  }
  return status;
}
