// One engine with one setting: a row of the table. Every row gets the same scenes and answers the same questions.
#ifndef CH_BENCH_ENGINES_H
#define CH_BENCH_ENGINES_H

#include <stddef.h>

#include "cardhouse/simulation.h"
#include "scenes_bodies.h"

#ifdef __cplusplus
extern "C" {
#endif

// What an engine says of its steps so far. Only ours knows its own error.
typedef struct ChEngineReport {
  int contacts;        // of the last step
  bool graded;         // its steps have certificates: the two below mean something
  double certificate;  // the largest `natural` of all steps; NaN where a step had no number
  long missed;         // steps that missed the tolerance
  long resting_steps;  // steps in which every island was at certified rest
} ChEngineReport;

typedef struct ChEngineRow ChEngineRow;

typedef struct ChEngineInput {
  const ChEngineRow* row;
  const ChSceneBodies* scene;
  double h;
  double tolerance;  // ours: on the certificate of every step
} ChEngineInput;

struct ChEngineRow {
  const char* name;
  const char* settings;
  int variant;                                  // which of its engine's settings; known to the engine's own file
  void* (*create)(const ChEngineInput* input);  // NULL where it cannot
  bool (*step)(void* engine);                   // false where it failed
  void (*read)(void* engine, int body, ChBodyView* view);  // position of the centre of mass, orientation, velocity
  void (*report)(void* engine, ChEngineReport* report);    // fills in what it knows
  void (*destroy)(void* engine);
};

// A row of the file that it stands in, with that file's functions.
#define CH_ENGINE_ROW(NAME, VARIANT, SETTINGS) \
  { NAME, SETTINGS, VARIANT, create, step, read, report, destroy }

// Each engine's rows; its file is left out of the build where the engine is not installed.
const ChEngineRow* ch_engine_rows_ours(int* count);
const ChEngineRow* ch_engine_rows_mujoco(int* count);
const ChEngineRow* ch_engine_rows_ode(int* count);
const ChEngineRow* ch_engine_rows_bullet(int* count);

// The scene as a world of ours: what we simulate and what judges everybody's poses.
ChWorld* ch_engine_world(ChContext* context, const ChSceneBodies* scene);

#ifdef __cplusplus
}
#endif
#endif
