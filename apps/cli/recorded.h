// What replay and render show: a trajectory file, or a scene that is run for the purpose.
#ifndef CH_CLI_RECORDED_H
#define CH_CLI_RECORDED_H

#include "cli/arguments.h"
#include "cli/scene_choice.h"
#include "serve/recording.h"

typedef struct ChRecorded {
  ChRecording* recording;
  char folder[256];  // of the run that was made for it, or ""
} ChRecorded;

typedef struct ChRecordedRun {
  double until;                 // seconds that a scene is run; negative: as it says itself
  double rate;                  // rows a second of simulated time
  const ChSceneChoice* choice;  // law of contact and parameters of a scene
} ChRecordedRun;

// Whether it names a file that HDF5 knows, which is then taken for a trajectory; any other is a scene.
bool ch_recorded_is_file(const char* name);

// `name`: a trajectory, or whatever `cardhouse run` takes. Complains by itself; every open is followed by a close.
ChExit ch_recorded_open(const ChCommand* self, const char* name, const ChRecordedRun* run, ChRecorded* out);
void ch_recorded_close(ChRecorded* recorded);

#endif
