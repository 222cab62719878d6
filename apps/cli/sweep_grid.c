// Values of a sweep: see sweep_grid.h.
#include "cli/sweep_grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ChExit wrong(const ChCommand* command, const char* item) {
  ch_complain(command, "--param is '%.80s', must be NAME=FROM:TO:COUNT, NAME=A,B,C or NAME=VALUE: mu=0.1:0.8:15", item);
  return CH_EXIT_USAGE;
}

static ChExit take_values(const ChCommand* command, const char* item, double count, ChSweepAxis* axis) {
  if (!(count >= 1.0 && count <= CH_SWEEP_POINTS && count == floor(count))) {
    ch_complain(command, "--param %.80s: %g values, must be 1 to %d", item, count, CH_SWEEP_POINTS);
    return CH_EXIT_USAGE;
  }
  axis->count = (int)count;
  axis->value = calloc((size_t)axis->count, sizeof *axis->value);
  if (axis->value) return CH_EXIT_DONE;
  ch_complain(command, "out of memory for %d values", axis->count);
  return CH_EXIT_FAULT;
}

// FROM:TO:COUNT
static ChExit read_range(const ChCommand* command, const char* item, const char* text, ChSweepAxis* axis) {
  double from, to, count;
  char more;
  if (sscanf(text, "%lf:%lf:%lf%c", &from, &to, &count, &more) != 3 || !isfinite(from) || !isfinite(to))
    return wrong(command, item);
  ChExit taken = take_values(command, item, count, axis);
  for (int k = 0; k < axis->count && taken == CH_EXIT_DONE; ++k) {
    double share = axis->count > 1 ? (double)k / (axis->count - 1) : 0.0;
    snprintf(axis->value[k], CH_SWEEP_TEXT, "%.10g", from + share * (to - from));
  }
  return taken;
}

// A,B,C
static ChExit read_words(const ChCommand* command, const char* item, const char* text, ChSweepAxis* axis) {
  double count = 1.0;
  for (const char* c = text; *c; ++c) count += *c == ',';
  ChExit taken = take_values(command, item, count, axis);
  for (int k = 0; k < axis->count && taken == CH_EXIT_DONE; ++k) {
    size_t length = strcspn(text, ",");
    if (length == 0 || length >= CH_SWEEP_TEXT) return wrong(command, item);
    snprintf(axis->value[k], CH_SWEEP_TEXT, "%.*s", (int)length, text);
    text += length + 1;
  }
  return taken;
}

static ChExit read_axis(const ChCommand* command, const char* item, ChSweepGrid* grid) {
  const char* equals = strchr(item, '=');
  size_t length = equals ? (size_t)(equals - item) : 0;
  if (length == 0 || length >= CH_SWEEP_TEXT || !equals[1]) return wrong(command, item);
  if (grid->axis_count == CH_SWEEP_AXES) {
    ch_complain(command, "--param may be given %d times at most", CH_SWEEP_AXES);
    return CH_EXIT_USAGE;
  }
  ChSweepAxis* axis = &grid->axis[grid->axis_count++];
  snprintf(axis->name, sizeof axis->name, "%.*s", (int)length, item);
  for (int k = 0; k + 1 < grid->axis_count; ++k)
    if (strcmp(grid->axis[k].name, axis->name) == 0) {
      ch_complain(command, "--param %s is given twice", axis->name);
      return CH_EXIT_USAGE;
    }
  const char* text = equals + 1;
  return strchr(text, ':') ? read_range(command, item, text, axis) : read_words(command, item, text, axis);
}

ChExit ch_sweep_grid_read(const ChCommand* command, const ChTextList* param, ChSweepGrid* out) {
  *out = (ChSweepGrid){.point_count = 1};
  for (int k = 0; k < param->count; ++k) {
    ChExit read = read_axis(command, param->item[k], out);
    if (read != CH_EXIT_DONE) return read;
    const int count = out->axis[out->axis_count - 1].count;
    if (out->point_count > CH_SWEEP_POINTS / count) {
      ch_complain(command, "the sweep has more than %d runs", CH_SWEEP_POINTS);
      return CH_EXIT_USAGE;
    }
    out->point_count *= count;
  }
  if (param->count > 0) return CH_EXIT_DONE;
  ch_complain(command, "nothing is varied; add --param NAME=FROM:TO:COUNT, as in --param mu=0.1:0.8:15");
  return CH_EXIT_USAGE;
}

void ch_sweep_grid_reset(ChSweepGrid* grid) {
  for (int k = 0; k < grid->axis_count; ++k) free(grid->axis[k].value);
  *grid = (ChSweepGrid){0};
}

const char* ch_sweep_value(const ChSweepGrid* grid, int point, int axis) {
  for (int k = grid->axis_count - 1; k > axis; --k) point /= grid->axis[k].count;
  return grid->axis[axis].value[point % grid->axis[axis].count];
}
