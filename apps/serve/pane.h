// A pane: one simulation as it is shown. In compare mode there are two, of the same scene, each with its own method.
#ifndef CH_SERVE_PANE_H
#define CH_SERVE_PANE_H

#include <jansson.h>

#include "cardhouse/scene.h"
#include "serve/exchange.h"

enum { CH_SHOTS_MAX = 64 };

// A block that was shot into the scene.
typedef struct ChShot {
  ChVec3 origin, velocity;
  double mass, size;  // size: edge of the cube (plane: square)
} ChShot;

// What differs from the scene's own text. Settings are as in ChSimulationOptions; friction < 0 is the scene's own.
typedef struct ChPaneSetup {
  const char* text;  // the scene as JSON
  const char* file;  // where its relative paths begin
  ChSimulationOptions options;
  double friction;
  bool gravity_given;
  ChVec3 gravity;
  int shot_count;
  ChShot shots[CH_SHOTS_MAX];
} ChPaneSetup;

typedef struct ChPane {
  ChSimulation* simulation;
  int* islands;  // as far as they were known last
  int body_count;
} ChPane;

// The scene's text with the setup's shots as bodies; the caller frees it. NULL if memory runs out.
char* ch_pane_text(const ChPaneSetup* setup);
// Builds the scene's world with the setup's shots in it. `from` (may be NULL): the simulation that this one goes on
// from.
ChStatus ch_pane_create(ChContext* context, const ChPaneSetup* setup, const ChSimulation* from, ChPane* out);
void ch_pane_destroy(ChPane* pane);

// One step, told to the exchange.
ChStatus ch_pane_step(ChContext* context, ChPane* pane, ChExchange* exchange, int number, double* seconds);
void ch_pane_tell_start(const ChPane* pane, ChExchange* exchange, int number);
// The present state as a snapshot for all who watch; nothing when out of memory.
void ch_pane_show(ChPane* pane, ChExchange* exchange, int number, unsigned generation, bool running);

// Answers to `inspect`.
json_t* ch_pane_body(const ChPane* pane, int number, int body);
json_t* ch_pane_contact(const ChPane* pane, int number, int contact);

// Largest distance between centres of the same bodies.
double ch_pane_distance(const ChPane* a, const ChPane* b);

#endif
