// How far structures that can stand moved in other engines: from the table that `make bench-engines` writes, or
// those of one such run that are kept here.
#ifndef CH_REPRODUCE_ENGINE_FIGURES_H
#define CH_REPRODUCE_ENGINE_FIGURES_H

#include <stdbool.h>

#include "cardhouse/status.h"

enum { CH_ENGINE_FIGURES = 128, CH_ENGINE_NAME = 32 };

typedef struct ChEngineFigure {
  char scene[4];  // "S1" cards of four levels, "S3" stack of 20
  char engine[CH_ENGINE_NAME];
  double h, time;  // seconds; `time` is when it fell or the trial ended
  bool fell;
  double moved;  // metres
} ChEngineFigure;

typedef struct ChEngineFigures {
  int count;
  ChEngineFigure figure[CH_ENGINE_FIGURES];
  const char* origin;  // where they are from, for the reader
} ChEngineFigures;

// csv = NULL: the committed ones. CH_ERR_FORMAT where the table has no such rows.
ChStatus ch_engine_figures_read(ChContext* context, const char* csv, ChEngineFigures* out);

// The figures of one scene whose engine's name begins so; -1 when there is none. Start with after = -1.
int ch_engine_figure_next(const ChEngineFigures* figures, const char* scene, const char* engine, int after);

#endif
