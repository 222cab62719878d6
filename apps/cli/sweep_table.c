// The table of a sweep: see sweep_table.h.
#include "cli/sweep_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/disk.h"
#include "common/json.h"
#include "reproduce/svg.h"

enum { TABLE_BYTES = 1 << 28 };

// --- measures --------------------------------------------------------------------------------------------------------

static const struct {
  const char *name, *path;
  bool grains;
} measures[] = {{"displacement", "displacement.max", false}, {"penetration", "penetration.max", false},
                {"missed", "missed_steps", false},           {"natural", "certificate.natural.max", false},
                {"contacts", "contacts.mean", false},        {"iterations", "iterations.mean", false},
                {"gain", "energy.largest_gain", false},      {"energy", "energy.end", false},
                {"joint_error", "joint_error.max", false},   {"seconds", "seconds.total", false},
                {"packing", "means.packing", true},          {"coordination", "means.touching", true},
                {"pressing", "means.pressing", true},        {"rattlers", "means.rattlers", true},
                {"temperature", "means.temperature", true}};
enum { MEASURES = sizeof measures / sizeof *measures };

// A path with a point in it is looked up in the run's JSON as it stands.
static bool find_measure(const ChCommand* command, const char* word, size_t length, ChMeasure* out) {
  const char* known[MEASURES];
  snprintf(out->path, sizeof out->path, "%.*s", (int)length, word);
  for (int k = 0; k < MEASURES; ++k) {
    known[k] = measures[k].name;
    if (strcmp(out->path, known[k]) != 0) continue;
    out->name = known[k];
    out->grains = measures[k].grains;
    snprintf(out->path, sizeof out->path, "%s", measures[k].path);
    return true;
  }
  out->name = out->path;
  return strchr(out->path, '.') || ch_word_check(command, "measure", out->path, MEASURES, known);
}

static ChExit read_measures(const ChCommand* command, const char* words, ChSweepTable* out) {
  while (*words) {
    size_t length = strcspn(words, ",");
    if (out->measure_count == CH_MEASURES_MAX || length == 0 || length >= CH_SWEEP_TEXT) {
      ch_complain(command, "--measure is '%.80s', must be up to %d names separated by commas", words, CH_MEASURES_MAX);
      return CH_EXIT_USAGE;
    }
    ChMeasure* measure = &out->measure[out->measure_count++];
    if (!find_measure(command, words, length, measure)) return CH_EXIT_USAGE;
    out->grains = out->grains || measure->grains;
    words += length + (words[length] == ',');
  }
  return CH_EXIT_DONE;
}

ChExit ch_sweep_table_create(const ChCommand* command, const ChSweepGrid* grid, const char* words, ChSweepTable* out) {
  *out = (ChSweepTable){.grid = grid, .rows = calloc((size_t)grid->point_count, sizeof *out->rows)};
  if (out->rows) return read_measures(command, words ? words : "displacement,missed", out);
  ch_complain(command, "out of memory for a table of %d rows", grid->point_count);
  return CH_EXIT_FAULT;
}

void ch_sweep_table_reset(ChSweepTable* table) {
  free(table->rows);
  *table = (ChSweepTable){0};
}

// --- filling ---------------------------------------------------------------------------------------------------------

static double look_up(const json_t* object, const char* path) {
  while (object && *path) {
    size_t length = strcspn(path, ".");
    char key[CH_SWEEP_TEXT];
    snprintf(key, sizeof key, "%.*s", (int)length, path);
    object = json_object_get(object, key);
    path += length + (path[length] == '.');
  }
  return json_is_number(object) ? json_number_value(object) : json_is_boolean(object) ? json_is_true(object) : NAN;
}

void ch_sweep_table_fill(ChSweepTable* table, int point, const json_t* run, const json_t* grains) {
  ChSweepRow* row = &table->rows[point];
  row->done = true;
  bool missed = !(look_up(run, "missed_steps") == 0.0);
  snprintf(row->state, sizeof row->state, missed ? "missed" : "certified");
  for (int k = 0; k < table->measure_count; ++k)
    row->value[k] = look_up(table->measure[k].grains ? grains : run, table->measure[k].path);
}

void ch_sweep_table_fail(ChSweepTable* table, int point) {
  ChSweepRow* row = &table->rows[point];
  row->done = true;
  snprintf(row->state, sizeof row->state, "failed");
  for (int k = 0; k < table->measure_count; ++k) row->value[k] = NAN;
}

// --- on disk ---------------------------------------------------------------------------------------------------------

static void put_head(FILE* file, const ChSweepTable* t) {
  for (int k = 0; k < t->grid->axis_count; ++k) fprintf(file, "%s,", t->grid->axis[k].name);
  for (int k = 0; k < t->measure_count; ++k) fprintf(file, "%s,", t->measure[k].name);
  fputs("state\n", file);
}

static void put_place(FILE* file, const ChSweepTable* t, int point) {
  for (int k = 0; k < t->grid->axis_count; ++k) fprintf(file, "%s,", ch_sweep_value(t->grid, point, k));
}

void ch_sweep_table_put(FILE* file, const void* state) {
  const ChSweepTable* t = state;
  put_head(file, t);
  for (int point = 0; point < t->grid->point_count; ++point) {
    const ChSweepRow* row = &t->rows[point];
    if (!row->done) continue;
    put_place(file, t, point);
    for (int k = 0; k < t->measure_count; ++k)
      if (isnan(row->value[k]))
        fputs(",", file);
      else
        fprintf(file, "%.10g,", row->value[k]);
    fprintf(file, "%s\n", row->state);
  }
}

// The line at *at as a text of its own; *at goes behind it. Only whole lines count.
static bool take_line(char** at, char** line) {
  char* end = strchr(*at, '\n');
  if (!end) return false;
  *line = *at;
  *end = '\0';
  *at = end + 1;
  return true;
}

// Values and state behind the place of a row.
static bool read_row(const ChSweepTable* t, char* text, ChSweepRow* row) {
  for (int k = 0; k < t->measure_count; ++k) {
    char* end;
    row->value[k] = *text == ',' ? NAN : strtod(text, &end);
    if (*text == ',') end = text;
    if (*end != ',') return false;
    text = end + 1;
  }
  row->done = strlen(text) < sizeof row->state;
  snprintf(row->state, sizeof row->state, "%s", text);
  return row->done && strcmp(text, "failed") != 0;  // a run that failed is tried again
}

static bool same_head(const ChSweepTable* t, const char* line) {
  char* text = NULL;
  size_t size = 0;
  FILE* file = open_memstream(&text, &size);
  if (!file) return false;
  put_head(file, t);
  bool same = fclose(file) == 0 && strncmp(text, line, size - 1) == 0 && line[size - 1] == '\0';
  free(text);
  return same;
}

static size_t place_length(const ChSweepTable* t, int point, const char* line) {
  size_t length = 0;
  for (int k = 0; k < t->grid->axis_count; ++k) {
    const char* value = ch_sweep_value(t->grid, point, k);
    size_t size = strlen(value);
    if (strncmp(line + length, value, size) != 0 || line[length + size] != ',') return 0;
    length += size + 1;
  }
  return length;
}

// Rows stand in the order of the grid, with gaps where runs were not done.
ChStatus ch_sweep_table_take(ChContext* context, const char* path, ChSweepTable* t) {
  char *bytes, *at, *line;
  size_t size;
  ChStatus status = ch_file_load(context, path, TABLE_BYTES, &bytes, &size);
  if (status != CH_OK) return status;
  at = bytes;
  if (!take_line(&at, &line) || !same_head(t, line))
    status = ch_fail(context, CH_ERR_FORMAT, "%s: has different columns from this sweep; name a different file", path);
  int point = 0;
  while (status == CH_OK && take_line(&at, &line)) {
    size_t length = 0;
    while (point < t->grid->point_count && (length = place_length(t, point, line)) == 0) ++point;
    if (point == t->grid->point_count) {
      status =
          ch_fail(context, CH_ERR_FORMAT, "%s: '%.80s' is not a run of this sweep; name a different file", path, line);
    } else {
      ChSweepRow row = {0};
      if (read_row(t, line + length, &row)) t->rows[point] = row;
      ++point;
    }
  }
  free(bytes);
  return status;
}

// --- drawing ---------------------------------------------------------------------------------------------------------

static json_t* curve(const ChSweepTable* t, int first, int stride) {
  json_t *x = json_array(), *y = json_array();
  char name[CH_SWEEP_AXES * CH_SWEEP_TEXT] = "";
  for (int k = 1; k < t->grid->axis_count; ++k)
    if (t->grid->axis[k].count > 1) {
      size_t used = strlen(name);
      snprintf(name + used, sizeof name - used, "%s%s %s", used ? ", " : "", t->grid->axis[k].name,
               ch_sweep_value(t->grid, first, k));
    }
  for (int k = 0; k < t->grid->axis[0].count; ++k) {
    const ChSweepRow* row = &t->rows[first + k * stride];
    if (!row->done || isnan(row->value[0])) continue;
    json_array_append_new(x, json_real(strtod(t->grid->axis[0].value[k], NULL)));
    json_array_append_new(y, json_real(row->value[0]));
  }
  return json_pack("{s:s, s:s, s:o, s:o}", "name", name[0] ? name : t->measure[0].name, "kind", "line", "x", x, "y", y);
}

static json_t* upright(const ChSweepTable* t, double at) {
  double low = INFINITY, high = -INFINITY;
  for (int k = 0; k < t->grid->point_count; ++k)
    if (t->rows[k].done && !isnan(t->rows[k].value[0])) {
      low = fmin(low, t->rows[k].value[0]);
      high = fmax(high, t->rows[k].value[0]);
    }
  char name[CH_SWEEP_TEXT];
  snprintf(name, sizeof name, "%.6g", at);
  return low <= high
             ? json_pack("{s:s, s:s, s:[ff], s:[ff]}", "name", name, "kind", "line", "x", at, at, "y", low, high)
             : NULL;
}

void ch_sweep_chart_put(FILE* file, const void* state) {
  const ChSweepChart* c = state;
  const ChSweepTable* t = c->table;
  int stride = t->grid->point_count / t->grid->axis[0].count;
  json_t* series = json_array();
  for (int first = 0; first < stride; ++first) json_array_append_new(series, curve(t, first, stride));
  if (!isnan(c->mark)) json_array_append_new(series, upright(t, c->mark));
  json_t* chart = json_pack("{s:s, s:s, s:s, s:b, s:b, s:b, s:o}", "caption", c->caption, "x", t->grid->axis[0].name,
                            "y", t->measure[0].name, "log_x", 0, "log_y", 0, "equal", 0, "series", series);
  if (chart) ch_svg_chart_file(file, chart);
  json_decref(chart);
}
