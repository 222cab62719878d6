// What a run of the engines found: one table a scene, with ratios to ours, and a CSV file of every trial.
#ifndef CH_BENCH_ENGINES_TABLE_H
#define CH_BENCH_ENGINES_TABLE_H

#include <stdio.h>

#include "engines_trial.h"

enum { CH_ROWS_MOST = 16 };

typedef struct ChEngineResults {
  int case_count, row_count;
  ChTrialCase* cases;                     // those of one scene stand together, the larger step first
  const ChEngineRow* rows[CH_ROWS_MOST];  // ours first: ratios are to it
  ChTrialResult* results;                 // row_count for every case
} ChEngineResults;

ChTrialResult* ch_engine_result(const ChEngineResults* all, int what, int row);

// Cases [first, end) are those of one scene.
int ch_engine_scene_end(const ChEngineResults* all, int first);
void ch_engine_table(const ChEngineResults* all, int first, FILE* out);
bool ch_engine_csv(const ChEngineResults* all, const char* path);

#endif
