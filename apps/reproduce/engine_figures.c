// Figures of other engines: see engine_figures.h.
#include "reproduce/engine_figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/disk.h"

enum { COLUMNS = 9, CSV_LIMIT = 16 << 20 };  // scene, case, kind, h, engine, ending, time, steps, figure

// A run of `make bench-engines` on 2026-11-16: MuJoCo 2.2.2, ODE 0.16.2, Bullet 3.24.
static const ChEngineFigure committed[] = {
    {"S1", "MuJoCo", 0.01, 1.6, true, 0.0},
    {"S1", "MuJoCo", 0.001, 0.8, true, 0.0},
    {"S1", "MuJoCo elliptic", 0.01, 10.0, false, 7.95e-3},
    {"S1", "MuJoCo elliptic", 0.001, 4.53, false, 3.92e-3},
    {"S1", "ODE quick", 0.01, 2.6, true, 0.0},
    {"S1", "ODE quick", 0.001, 10.0, false, 28.1e-3},
    {"S1", "ODE quick 200", 0.01, 10.0, false, 13.8e-3},
    {"S1", "ODE quick 200", 0.001, 4.3, false, 1.88e-3},
    {"S1", "ODE Dantzig", 0.01, 0.6, true, 0.0},
    {"S1", "ODE Dantzig", 0.001, 0.6, true, 0.0},
    {"S1", "Bullet", 0.01, 0.8, true, 0.0},
    {"S1", "Bullet", 0.001, 2.4, true, 0.0},
    {"S1", "Bullet 200", 0.01, 10.0, false, 13.2e-3},
    {"S1", "Bullet 200", 0.001, 3.96, false, 223e-6},
    {"S3", "MuJoCo", 0.01, 10.0, false, 16.3e-3},
    {"S3", "MuJoCo", 0.001, 10.0, false, 30.8e-3},
    {"S3", "MuJoCo elliptic", 0.01, 10.0, false, 41.4e-3},
    {"S3", "MuJoCo elliptic", 0.001, 10.0, false, 41.3e-3},
    {"S3", "ODE quick", 0.01, 10.0, true, 0.0},
    {"S3", "ODE quick", 0.001, 10.0, false, 4.88e-3},
    {"S3", "ODE quick 200", 0.01, 10.0, false, 24.6e-3},
    {"S3", "ODE quick 200", 0.001, 3.37, false, 19.9e-3},
    {"S3", "ODE Dantzig", 0.01, 0.6, true, 0.0},
    {"S3", "ODE Dantzig", 0.001, 0.4, true, 0.0},
    {"S3", "Bullet", 0.01, 6.8, true, 0.0},
    {"S3", "Bullet", 0.001, 10.0, false, 1.31e-3},
    {"S3", "Bullet 200", 0.01, 10.0, false, 17.6e-3},
    {"S3", "Bullet 200", 0.001, 4.95, false, 190e-6},
};

// The first fields of a line, cut in place.
static bool split(char* line, char* fields[COLUMNS]) {
  for (int k = 0; k < COLUMNS; ++k) {
    fields[k] = line;
    line = strchr(line, ',');
    if (!line) return false;
    *line++ = '\0';
  }
  return true;
}

static void take_line(char* line, ChEngineFigures* out) {
  char* f[COLUMNS];
  if (!split(line, f) || out->count == CH_ENGINE_FIGURES) return;
  bool ours = strncmp(f[4], "Cardhouse", 9) == 0, wanted = strncmp(f[0], "S1", 2) == 0 || strncmp(f[0], "S3", 2) == 0;
  if (ours || !wanted || strcmp(f[2], "displacement") != 0 || strcmp(f[5], "failed") == 0) return;
  ChEngineFigure* figure = &out->figure[out->count++];
  snprintf(figure->scene, sizeof figure->scene, "%.2s", f[0]);
  snprintf(figure->engine, sizeof figure->engine, "%s", f[4]);
  figure->h = strtod(f[3], NULL);
  figure->time = strtod(f[6], NULL);
  figure->fell = strcmp(f[5], "fell") == 0;
  figure->moved = strtod(f[8], NULL);
}

ChStatus ch_engine_figures_read(ChContext* context, const char* csv, ChEngineFigures* out) {
  *out = (ChEngineFigures){0};
  if (!csv) {
    out->count = sizeof committed / sizeof *committed;
    memcpy(out->figure, committed, sizeof committed);
    out->origin = "figures of a run of `make bench-engines` on 2026-11-16, on one core of a machine with two";
    return CH_OK;
  }
  char *text = NULL, *rest = NULL;
  size_t size = 0;
  ChStatus status = ch_file_load(context, csv, CSV_LIMIT, &text, &size);
  for (char* line = text ? strtok_r(text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest))
    take_line(line, out);
  free(text);
  out->origin = "the table given by --engines-csv, of `make bench-engines`";
  if (status == CH_OK && out->count == 0)
    return ch_fail(context, CH_ERR_FORMAT, "%s: holds no trial of S1 or S3 by another engine", csv);
  return status;
}

int ch_engine_figure_next(const ChEngineFigures* figures, const char* scene, const char* engine, int after) {
  for (int k = after + 1; k < figures->count; ++k)
    if (strcmp(figures->figure[k].scene, scene) == 0 && strncmp(figures->figure[k].engine, engine, strlen(engine)) == 0)
      return k;
  return -1;
}
