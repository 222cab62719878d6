// A trajectory file, read back row by row, for replays, pictures, films and statistics. docs/trajectory.md describes
// the file, record.h writes it.
//
//   ch_scene_of_trajectory -> ch_trajectory_reader_open -> ch_trajectory_reader_row ... -> ch_trajectory_reader_close
//
// The file may be opened while a run is still writing it, or after that run was killed. Its content is not trusted:
// sizes, indices and numbers are checked before they are used.
#ifndef CARDHOUSE_TRAJECTORY_H
#define CARDHOUSE_TRAJECTORY_H

#include <stdbool.h>

#include "cardhouse/api.h"
#include "cardhouse/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ChScene ChScene;  // scene.h

// Reads the scene of a trajectory, with its world sealed. Deformable bodies are as they were recorded, and their meshes
// are not read. Such a world can be looked at, not stepped. A recording does not say where its scene was, so the files
// of rigid shapes are searched for in the working folder, then beside the recording. The caller destroys the scene;
// NULL on failure.
CH_API ChStatus ch_scene_of_trajectory(ChContext* context, const char* path, ChScene** out);

// Says whether a file is a trajectory, complete or not. The file of a run that ended before its first row is one, too;
// reading it then fails with a message that says so.
CH_API bool ch_trajectory_is_one(const char* path);

// Returns the scene's JSON text alone; the caller frees it with free().
CH_API ChStatus ch_trajectory_scene(ChContext* context, const char* path, char** scene);

typedef struct ChTrajectoryReader ChTrajectoryReader;

// Opens a trajectory. `world` is that of its scene, sealed, and must outlive the reader. A file of another world is
// refused.
CH_API ChStatus ch_trajectory_reader_open(ChContext* context, const char* path, const ChWorld* world,
                                          ChTrajectoryReader** out);
// Closes the file and frees the reader; NULL is legal.
CH_API void ch_trajectory_reader_close(ChTrajectoryReader* reader);

// How the run was made; the command line may have overridden the scene.
typedef struct ChTrajectoryHead {
  double h, tolerance;  // tolerance 0 and method "": not recorded
  char method[32];
  char contact[32];  // law of contact: "rigid" or "compliant"
} ChTrajectoryHead;

// Returns the head, which belongs to the reader.
CH_API const ChTrajectoryHead* ch_trajectory_reader_head(const ChTrajectoryReader* reader);

// What a row says about the steps since the row before.
typedef struct ChTrajectoryStep {
  double time;                // s
  double natural;             // the worst certificate since the row before
  double kinetic, potential;  // J
  double seconds;             // spent since the row before
  double penetration;         // m
  long contacts, iterations;
  double overlap;    // largest overlap over the radius of the smaller moving body
  double gain;       // unexplained energy, J
  double uncovered;  // largest motion through another body where a step had looked for no contact, m
  long bounds;       // sum of ChBound; these four are 0 in files of versions that did not record them
} ChTrajectoryStep;

// Returns all rows that the file had when it was opened, *rows of them; the array belongs to the reader.
CH_API const ChTrajectoryStep* ch_trajectory_reader_steps(const ChTrajectoryReader* reader, long* rows);

// Returns the last row that is not later than this time, in seconds; the first if all are later.
CH_API long ch_trajectory_reader_row_at(const ChTrajectoryReader* reader, double time);

// Bodies, modes and contacts of one row, in SI units and the world frame.
typedef struct ChTrajectoryRow {
  const ChBodyView* bodies;  // one for each body of the world, row after row
  // Amplitudes and rates of all deformable bodies: those of body b begin at its first_mode (soft.h).
  const double *amplitudes, *rates;
  int contact_count;
  const ChContactView* contacts;  // the file does not name shapes: each is the first shape of its body, or -1
} ChTrajectoryRow;

// Reads one row. Its arrays belong to the reader and are valid until the next row is read. CH_ERR_RANGE if there is no
// such row.
CH_API ChStatus ch_trajectory_reader_row(ChContext* context, ChTrajectoryReader* reader, long row,
                                         ChTrajectoryRow* out);

#ifdef __cplusplus
}
#endif
#endif
