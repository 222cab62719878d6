// A trajectory file, read back row by row: what replay, pictures and films are made of. docs/trajectory.md describes
// the file.
//
// The file is opened as any reader would: also while a run is still writing it, or after that run was killed. What it
// says is not trusted: sizes, indices and numbers are checked before they are used.
#ifndef CH_RECORD_TRAJECTORY_READ_H
#define CH_RECORD_TRAJECTORY_READ_H

#include "base/whole_file.h"
#include "cardhouse/simulation.h"
#include "model/soft/soft_recorded.h"

// A run stretches its file before it fills it, and HDF5's head, with the signature, comes last: a file that begins with
// zeros is what a run left that ended before, on a full disk for one.
bool ch_trajectory_is_headless(const ChWholeFile* file);

// The scene's JSON text that a trajectory carries, from which its world can be built; the caller frees it.
ChStatus ch_trajectory_scene(ChContext* context, const char* path, char** scene);
// Its deformable bodies, which belong into that world; the caller destroys them.
ChStatus ch_trajectory_softs(ChContext* context, const char* path, ChRecordedSofts** softs);

// What a row says of the steps since the row before.
typedef struct ChTrajectoryStep {
  double time;                // s
  double natural;             // the worst certificate since the row before
  double kinetic, potential;  // J
  double seconds;             // spent since the row before
  double penetration;         // m
  long contacts, iterations;
} ChTrajectoryStep;

typedef struct ChTrajectoryReader ChTrajectoryReader;

// `world` is that of the scene, sealed, and must outlive the reader.
ChStatus ch_trajectory_reader_open(ChContext* context, const char* path, const ChWorld* world,
                                   ChTrajectoryReader** out);
void ch_trajectory_reader_close(ChTrajectoryReader* reader);

// How the run was made, which the command line may have chosen otherwise than the scene.
typedef struct ChTrajectoryHead {
  double h, tolerance;  // tolerance 0 and method "": not told
  char method[32];
} ChTrajectoryHead;

const ChTrajectoryHead* ch_trajectory_reader_head(const ChTrajectoryReader* reader);
const ChTrajectoryStep* ch_trajectory_reader_steps(const ChTrajectoryReader* reader, long* rows);
long ch_trajectory_reader_row_at(const ChTrajectoryReader* reader, double time);  // the last that is not later

typedef struct ChTrajectoryRow {
  const ChBodyView* bodies;  // one a body of the world
  // Amplitudes and rates of all deformable bodies: those of body b begin at bodies[b].first_mode of the world.
  const double *amplitudes, *rates;
  int contact_count;
  const ChContactView* contacts;  // the file does not tell shapes: the first of each body, or -1, stands for them
} ChTrajectoryRow;

// Arrays of the row belong to the reader and are valid until it reads the next.
ChStatus ch_trajectory_reader_row(ChContext* context, ChTrajectoryReader* reader, long row, ChTrajectoryRow* out);

#endif
