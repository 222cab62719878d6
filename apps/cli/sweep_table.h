// The table of a sweep: a row a run, in the order of the grid; kept on disk while it grows, taken up again, drawn.
#ifndef CH_CLI_SWEEP_TABLE_H
#define CH_CLI_SWEEP_TABLE_H

#include <jansson.h>
#include <stdio.h>

#include "cardhouse/status.h"
#include "cli/sweep_grid.h"

enum { CH_MEASURES_MAX = 16 };

// A figure of a run: a path in the JSON of `cardhouse run`, or of `cardhouse measure` on its last moment.
typedef struct ChMeasure {
  const char* name;
  char path[CH_SWEEP_TEXT];
  bool grains;  // of `cardhouse measure`
} ChMeasure;

typedef struct ChSweepRow {
  bool done;
  char state[16];                 // certified, missed, failed
  double value[CH_MEASURES_MAX];  // NaN: there is none
} ChSweepRow;

typedef struct ChSweepTable {
  const ChSweepGrid* grid;
  int measure_count;
  ChMeasure measure[CH_MEASURES_MAX];
  bool grains;  // some measure is of `cardhouse measure`
  ChSweepRow* rows;
} ChSweepTable;

// `words`: names with commas between, or NULL for displacement and missed steps. Complains by itself.
ChExit ch_sweep_table_create(const ChCommand* command, const ChSweepGrid* grid, const char* words, ChSweepTable* out);
void ch_sweep_table_reset(ChSweepTable* table);

// What a run and `cardhouse measure` printed; `grains` may be NULL.
void ch_sweep_table_fill(ChSweepTable* table, int point, const json_t* run, const json_t* grains);
void ch_sweep_table_fail(ChSweepTable* table, int point);

// The rows that are done, below a head; a ch_whole_file_print function.
void ch_sweep_table_put(FILE* file, const void* table);
// Takes the rows that a table on disk has. CH_ERR_FORMAT where its columns are others.
ChStatus ch_sweep_table_take(ChContext* context, const char* path, ChSweepTable* table);

// The first measure over the first axis, a line for each combination of the others; `mark` draws an upright line there.
typedef struct ChSweepChart {
  const ChSweepTable* table;
  const char* caption;
  double mark;  // NaN: none
} ChSweepChart;
void ch_sweep_chart_put(FILE* file, const void* chart);

#endif
