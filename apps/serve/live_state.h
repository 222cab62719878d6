// The live session from inside: what its files share.
#ifndef CH_SERVE_LIVE_STATE_H
#define CH_SERVE_LIVE_STATE_H

#include "cardhouse/record.h"
#include "common/loop_meter.h"
#include "common/pace.h"
#include "serve/live.h"
#include "serve/pane.h"

// A scene as it was asked for.
typedef struct ChLiveScene {
  char* name;          // what it calls itself
  char* word;          // by which it is loaded
  char *text, *file;   // as in ChPaneSetup
  char* look;          // as in ChScene
  json_t* parameters;  // that were given
  ChSimulationOptions options;
  ChSetting* settings;  // of options.solve
  double until;
} ChLiveScene;

// By which one sees that a file changed.
typedef struct ChFileMark {
  long long seconds, nanoseconds, size;
  unsigned long long node;  // 0: nothing was seen yet
} ChFileMark;

// The trajectory of the session; its owner is the thread of the session.
typedef struct ChLiveRecord {
  const char* path;  // NULL: nothing is recorded
  ChTrajectory* file;
  unsigned generation;  // of the world in the file
  int count;            // files begun
} ChLiveRecord;

struct ChLive {
  ChExchange* exchange;
  char* first;           // the scene of the command line, which may be a file
  ChSceneChoice choice;  // of contact and parameters in it; the caller's
  char* first_text;      // of a pipe, which can be read once; else NULL
  ChLiveScene scene;
  ChPaneSetup setup;  // what was changed since it was loaded; its text and file are those of `scene`
  int pane_count;
  const char* methods[CH_PANES_MAX];  // NULL: as in the setup
  ChPane panes[CH_PANES_MAX];
  unsigned generation;

  bool running;
  double speed;
  ChOrder drag;        // client 0: nobody drags
  bool fluent;         // steps keep to the clock, if need be with less than they were asked for; else they are solved
  double limit_given;  // seconds, of a step; 0: the pace's own
  ChPace pace;
  ChLoopMeter meter;
  bool changed;  // since it was last shown
  double shown_at;
  double looked_at;                 // at the file of the command line,
  ChFileMark file_seen, file_read;  // as it was then, and when it was last read

  ChLiveRecord record;

  char scratch[4096];       // a folder for problems' files,
  atomic_bool has_scratch;  // once it was made
};

// The scene by its name, from built-ins or the first one; nothing of `live` is changed.
ChStatus ch_live_scene_open(ChContext* context, const ChLive* live, const char* word, int count,
                            const char (*parameters)[2][CH_ORDER_WORD], ChLiveScene* out);
void ch_live_scene_clear(ChLiveScene* scene);
// Takes the scene over and starts it with these methods; on failure all stays as it was, and the scene is the
// caller's.
ChStatus ch_live_start(ChContext* context, ChLive* live, ChLiveScene* scene, int method_count,
                       const char* const* methods);
// The same panes with the setup's shots, going on where they are.
ChStatus ch_live_rebuild(ChContext* context, ChLive* live);
// A method of its own for a pane. One that stands for game engines gets as many sweeps a step as they take by default,
// unless the scene says how many.
void ch_live_use_method(ChSimulationOptions* options, const char* method);

ChSimulationOptions ch_live_options(const ChLive* live, int pane);

// Carries the order out and answers it.
void ch_live_obey(ChLive* live, const ChOrder* order);
// Loads the file of the command line again where it has changed, and tells all where it is wrong.
void ch_live_look_at_file(ChLive* live);
// Makes the contact problem that somebody wishes for, if anybody does: one.
void ch_live_serve_problem(ChLive* live);
// Begins the trajectory of the present world, unless it is begun, or there is none to write. Before the world's first
// step; and after every step.
ChStatus ch_live_record_begin(ChContext* context, ChLive* live);
ChStatus ch_live_record_add(ChContext* context, ChLive* live);
void ch_live_record_give_up(ChLive* live, const char* message);
void ch_live_record_end(ChLive* live);

// One step of all panes; a failure ends the run and is told to all.
void ch_live_step(ChLive* live);
// After a change of what it depends on: scene, speed, h, limit. The clock begins anew.
void ch_live_set_pace(ChLive* live);
void ch_live_restart_clock(ChLive* live);

void ch_live_tell_hello(ChLive* live);
void ch_live_tell_scenes(ChLive* live);
void ch_live_tell_state(ChLive* live);
void ch_live_tell_loop(ChLive* live);
void ch_live_tell_error(ChLive* live, unsigned client, const char* text);

#endif
