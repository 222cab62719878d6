// A feed: a simulation that other processes look at while it steps. docs/feed.md describes the file.
//
//   ch_feed_create -> ch_feed_add after every step, ch_feed_show where somebody shall see it -> ch_feed_close
//   ch_feed_reader_open -> ch_feed_reader_look, again and again -> ch_feed_reader_close
//
// One process writes the file and any number of them read it. The writer waits for nobody and keeps only the latest
// state; the figures of the last CH_FEED_STEPS steps stay, so that no step is missed by who looks 60 times a second.
// What a feed says is not trusted: sizes, indices and counts are checked before they are used.
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

// Creates the file, which must not be there, for this user alone, with the state as it is. `scene` is JSON text from
// which ch_scene_parse makes the simulation's bodies and joints, row by row; `file` is where its relative paths begin.
CH_API ChStatus ch_feed_create(ChContext* context, const char* path, const ChSimulation* simulation, const char* scene,
                               const char* file, ChFeed** out);
// The figures of the last step; to be called after each.
CH_API ChStatus ch_feed_add(ChContext* context, ChFeed* feed, const ChSimulation* simulation);
// The state now takes the place of the one before. CH_ERR_UNSUPPORTED where bodies or joints came or went since the
// scene was told.
CH_API ChStatus ch_feed_show(ChContext* context, ChFeed* feed, const ChSimulation* simulation);
// Another scene, for bodies and joints that came or went, or a run that began again.
CH_API ChStatus ch_feed_tell_scene(ChContext* context, ChFeed* feed, const ChSimulation* simulation, const char* scene);
// Seconds, on ch_clock_seconds, at which a state was last shown.
CH_API double ch_feed_shown_at(const ChFeed* feed);
// Tells readers that it is over, closes and frees; the file stays. NULL is fine.
CH_API void ch_feed_close(ChFeed* feed);
// The same in a process that inherited the feed by fork(): the file belongs to the other one and is left alone.
CH_API void ch_feed_abandon(ChFeed* feed);

// --- the looking side ------------------------------------------------------------------------------------------------

// What a step was like.
typedef struct ChFeedStep {
  double time, natural, kinetic, potential;  // s, worst certificate, J
  double contacts, iterations, seconds;      // seconds: that the step took
  double missed, resting;                    // 1 or 0: missed its tolerance; all islands were at rest
} ChFeedStep;

typedef struct ChFeedContact {
  ChVec3 point, normal, force, slip;  // as in ChContactView
  double gap, friction;
  int body[2];  // rows
} ChFeedContact;

// How a joint lies in each of its bodies, as ch_world_joint_frame tells.
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
  const ChFrame* bodies;  // centres of mass and orientations, row by row
  const double* amplitudes;
  const int* islands;  // -1: in none
  const ChFeedContact* contacts;
} ChFeedState;

typedef struct ChFeedReader ChFeedReader;

// CH_ERR_FORMAT where the file is no feed.
CH_API ChStatus ch_feed_reader_open(ChContext* context, const char* path, ChFeedReader** out);
CH_API void ch_feed_reader_close(ChFeedReader* reader);

// What is new since the reader looked last: members are NULL where nothing is. Everything belongs to the reader: scene
// and steps are valid until it looks again, a state until it has handed out the next one.
typedef struct ChFeedNews {
  const ChFeedScene* scene;
  const ChFeedState* state;
  int step_count;
  const ChFeedStep* steps;
  bool over;  // the writer closed it
} ChFeedNews;
// Fails where the file says what cannot be, and where it cannot be read.
CH_API ChStatus ch_feed_reader_look(ChContext* context, ChFeedReader* reader, ChFeedNews* out);

#ifdef __cplusplus
}
#endif
#endif
