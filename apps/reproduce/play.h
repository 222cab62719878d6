// A scene run by an item: stepped to its end, recorded, watched.
#ifndef CH_REPRODUCE_PLAY_H
#define CH_REPRODUCE_PLAY_H

#include <stdio.h>

#include "cardhouse/record.h"
#include "cardhouse/scene.h"
#include "reproduce/item.h"

// As ch_scene_parse. Steps are as long as the item says, however they are solved.
ChStatus ch_item_parse(ChItemRun* run, const char* text, const char* name, ChScene** out);
// A built-in scene; parameters are pairs of name and value as text. The caller destroys it.
ChStatus ch_item_scene(ChItemRun* run, const char* name, int count, const char* const (*parameters)[2], ChScene** out);

// A scene that the item writes itself: the JSON text that `put` prints. `name` stands in messages.
ChStatus ch_item_written_scene(ChItemRun* run, const char* name, void (*put)(FILE* file, const void* state),
                               const void* state, ChScene** out);

typedef struct ChPlay {
  double until;        // simulated seconds; 0: as the scene says
  const char* record;  // file of the trajectory in the item's folder, or NULL
  int every;           // steps from row to row; 0: 1
  double progress[2];  // which part of the item's progress this is; {0, 0}: none is told
  bool (*each)(void* state, const ChSimulation* simulation,
               const ChStepInfo* info);  // after a step; false ends; or NULL
  void* state;
} ChPlay;

// Takes the scene's world. Ends early, with CH_OK, when the item is asked to stop. `summary` may be NULL.
ChStatus ch_item_play(ChItemRun* run, ChScene* scene, const ChPlay* play, ChSummary* summary);
// The same; destroys the scene and tells the processor time that it took.
ChStatus ch_item_play_timed(ChItemRun* run, ChScene* scene, const ChPlay* play, ChSummary* summary, double* seconds);

#endif
