// A feed: a simulation that other processes look at while it steps. docs/feed.md describes the file.
//
//   ch_feed_create -> ch_feed_add after every step, ch_feed_show for each state to be seen -> ch_feed_close
//   ch_feed_reader_open -> ch_feed_reader_look, again and again -> ch_feed_reader_close
//
// One process writes the file and any number of processes read it. The writer never waits and keeps only the latest
// state. The figures of the last CH_FEED_STEPS steps stay, so a reader that looks 60 times a second misses no step. A
// feed is not trusted: sizes, indices and counts are checked before they are used.
#ifndef CARDHOUSE_FEED_H
#define CARDHOUSE_FEED_H

#include <stdbool.h>

#include "cardhouse/api.h"
#include "cardhouse/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CH_FEED_STEPS = 8192 };

// --- the simulating side ---------------------------------------------------------------------------------------------

typedef struct ChFeed ChFeed;

// Creates the file, which must not exist and which only this user may read, and writes the present state to it. `scene`
// is JSON text from which ch_scene_parse makes the simulation's bodies and joints, row by row; its relative paths start
// at `file`.
CH_API ChStatus ch_feed_create(ChContext* context, const char* path, const ChSimulation* simulation, const char* scene,
                               const char* file, ChFeed** out);
// Adds the figures of the last step; call it after every step.
CH_API ChStatus ch_feed_add(ChContext* context, ChFeed* feed, const ChSimulation* simulation);
// Replaces the last state by the present one. CH_ERR_UNSUPPORTED if bodies or joints were added or removed since the
// scene was written.
CH_API ChStatus ch_feed_show(ChContext* context, ChFeed* feed, const ChSimulation* simulation);
// Writes a new scene after bodies or joints were added or removed, or if a run began again.
CH_API ChStatus ch_feed_tell_scene(ChContext* context, ChFeed* feed, const ChSimulation* simulation, const char* scene);
// Returns the time, in seconds of ch_clock_seconds, at which a state was last shown.
CH_API double ch_feed_shown_at(const ChFeed* feed);
// Tells readers that the feed has ended, closes it and frees the memory; the file stays. NULL is legal.
CH_API void ch_feed_close(ChFeed* feed);
// Frees a feed that this process inherited by fork(). The file belongs to the other process and is left alone.
CH_API void ch_feed_abandon(ChFeed* feed);

// --- the looking side ------------------------------------------------------------------------------------------------

// The figures of a step.
typedef struct ChFeedStep {
  double time, natural, kinetic, potential;  // s, worst certificate, J
  double contacts, iterations, seconds;      // seconds: duration of the step
  double missed, resting;                    // 1 or 0: missed its tolerance; all islands were at rest
} ChFeedStep;

typedef struct ChFeedContact {
  ChVec3 point, normal, force, slip;  // as in ChContactView
  double gap, friction;
  int body[2];  // rows
} ChFeedContact;

// The frame of a joint in each of its bodies, as ch_world_joint_frame returns it.
typedef struct ChFeedJoint {
  ChFrame side[2];
} ChFeedJoint;

typedef struct ChFeedScene {
  long number;              // counts up
  double h, tolerance;      // s
  const char *text, *file;  // as they were given
  const char *method, *contact;
  int joint_count;
  const ChFeedJoint* joints;
} ChFeedScene;

typedef struct ChFeedState {
  long number;  // counts up
  long scene;   // the number of its scene
  double time, h;
  long step;
  int body_count, mode_count, contact_count;
  const ChFrame* bodies;  // centre of mass and orientation of every body, row by row
  const double* amplitudes;
  const int* islands;  // -1: in none
  const ChFeedContact* contacts;
} ChFeedState;

typedef struct ChFeedReader ChFeedReader;

// Opens a feed. CH_ERR_FORMAT if the file is not a feed.
CH_API ChStatus ch_feed_reader_open(ChContext* context, const char* path, ChFeedReader** out);
CH_API void ch_feed_reader_close(ChFeedReader* reader);

// The changes since the reader last looked; members without a change are NULL. All of them belong to the reader: scene
// and steps are valid until it looks again, a state until the reader returns the next one.
typedef struct ChFeedNews {
  const ChFeedScene* scene;
  const ChFeedState* state;
  int step_count;
  const ChFeedStep* steps;
  bool over;  // the writer has closed the feed
} ChFeedNews;
// Looks for news. Fails if the file cannot be read or has impossible values.
CH_API ChStatus ch_feed_reader_look(ChContext* context, ChFeedReader* reader, ChFeedNews* out);

#ifdef __cplusplus
}
#endif
#endif
