// A recorded run as other programs want it: surfaces, and the frames in which bodies move.
#ifndef CH_EXPORT_MOTION_H
#define CH_EXPORT_MOTION_H

#include <stdio.h>

#include "cardhouse/scene.h"
#include "cardhouse/shape.h"
#include "cardhouse/soft.h"
#include "cardhouse/trajectory.h"

// Which rows of a recording are taken.
typedef struct ChExportChoice {
  double from, to;  // seconds
  double rate;      // frames a second of simulated time, at most; 0: every row
} ChExportChoice;

typedef struct ChExport {
  const char* path;
  ChScene* scene;
  const ChWorld* world;
  ChTrajectoryReader* reader;
  const ChTrajectoryStep* steps;
  long frame_count;
  long* frames;  // rows of the recording
  int body_count, shape_count;
  int patch_count;     // surfaces that differ, or whose material does
  ChPatches* patches;  // a surface each
  int* patch_of;       // shape -> patch
  int* shape_of;       // patch -> the first shape that has it
} ChExport;

ChStatus ch_export_open(ChContext* context, const char* path, const ChExportChoice* choice, ChExport* out);
void ch_export_close(ChExport* motion);  // an empty one is fine

double ch_export_time(const ChExport* motion, long frame);
ChStatus ch_export_row(ChContext* context, const ChExport* motion, long frame, ChTrajectoryRow* out);

// Whether the body's frame may change from row to row.
bool ch_export_moves(const ChExport* motion, int body);
const char* ch_export_name(const ChExport* motion, int body);

// Where point k of a shape's surface is, world frame: of a body in this place, under these amplitudes of all modes.
ChVec3 ch_export_point(const ChExport* motion, int shape, int k, ChFrame body, const double* amplitudes);

// The whole motion in memory, for formats that tell it body by body.
typedef struct ChExportTracks {
  const ChExport* motion;
  int modes;
  ChFrame* places;     // frame after frame, a body each
  double* amplitudes;  // frame after frame, of all modes
} ChExportTracks;
ChStatus ch_export_tracks(ChContext* context, const ChExport* motion, ChExportTracks* out);
void ch_export_tracks_free(ChExportTracks* tracks);
static inline ChFrame ch_track_place(const ChExportTracks* t, long frame, int body) {
  return t->places[frame * t->motion->body_count + body];
}
static inline const double* ch_track_amplitudes(const ChExportTracks* t, long frame) {
  return t->amplitudes + frame * t->modes;
}

// Red, green, blue from 0 to 1: what the scene says, white below a texture, or by material; fixed bodies are grey.
void ch_export_colour(const ChExport* motion, int shape, double colour[3]);

// The picture on a shape, a number of the world's textures, 0 for none, and its size.
int ch_export_texture(const ChExport* motion, int shape, double* size);

// The worst certificate of the rows that are taken, and what was asked.
typedef struct ChExportWorth {
  double natural, tolerance;
} ChExportWorth;
ChExportWorth ch_export_worth(const ChExport* motion);

#endif
