// What `cardhouse measure` found, as tables: one source of its CSV files, JSON and charts.
#ifndef CH_CLI_MEASURE_TABLE_H
#define CH_CLI_MEASURE_TABLE_H

#include <jansson.h>

#include "cardhouse/measure.h"

enum { CH_TABLE_COLUMNS = 16, CH_TABLE_CHARTS = 8, CH_TABLE_NAME = 48 };

// Columns first ... first + count - 1 over the first column.
typedef struct ChTableChart {
  const char *name, *caption, *label;
  int first, count;
} ChTableChart;

typedef struct ChTableOf {
  char name[CH_TABLE_NAME];  // of the file and in JSON
  const char* x_label;
  int columns, rows;
  char head[CH_TABLE_COLUMNS][CH_TABLE_NAME];
  double* values;  // row by row; NaN: nothing
  int chart_count;
  ChTableChart charts[CH_TABLE_CHARTS];
} ChTableOf;

enum { CH_TABLES_MAX = 5 + CH_PROFILE_AXES };

// Tables of what was asked for, in the room; returns how many, 0 when out of memory. Distances of the correlation in
// units of `unit` metres, which is called `unit_name`.
int ch_survey_tables(ChMeasureRoom* room, const ChSurvey* survey, const ChGrains* grains, double unit,
                     const char* unit_name, ChTableOf tables[CH_TABLES_MAX]);

json_t* ch_table_json(const ChTableOf* table);  // column by column
// FOLDER/name.csv and FOLDER/chart.svg.
ChStatus ch_table_write_csv(ChContext* context, const char* folder, const ChTableOf* table);
ChStatus ch_table_write_charts(ChContext* context, const char* folder, const ChTableOf* table);

#endif
