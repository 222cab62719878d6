// What a trajectory file holds: its head, and its columns as a table. docs/trajectory.md describes it.
#ifndef CH_RECORD_TRAJECTORY_FILE_H
#define CH_RECORD_TRAJECTORY_FILE_H

#include "cardhouse/record.h"
#include "model/world.h"
#include "record/column.h"

// In the order in which a file should be read: first what the lengths of others follow from.
typedef enum ChTrajectoryColumn {
  CH_COLUMN_TIME,
  CH_COLUMN_POSITION,
  CH_COLUMN_ORIENTATION,
  CH_COLUMN_VELOCITY,
  CH_COLUMN_OMEGA,
  CH_COLUMN_AMPLITUDES,  // this and the next: where a body is deformable
  CH_COLUMN_RATES,
  CH_COLUMN_CONTACTS,
  CH_COLUMN_ITERATIONS,
  CH_COLUMN_SECONDS,
  CH_COLUMN_PENETRATION,
  CH_COLUMN_KINETIC,
  CH_COLUMN_POTENTIAL,
  CH_COLUMN_MOMENTUM,  // this and the next: not in files that were written before there were any
  CH_COLUMN_ANGULAR_MOMENTUM,
  CH_COLUMN_CERTIFICATE,  // six of them, as in CH_CERTIFICATE_FIELDS
  CH_COLUMN_OFFSET = CH_COLUMN_CERTIFICATE + 6,
  CH_COLUMN_BODIES,
  CH_COLUMN_POINT,
  CH_COLUMN_NORMAL,
  CH_COLUMN_GAP,
  CH_COLUMN_FORCE,
  CH_COLUMN_SLIP,
  CH_TRAJECTORY_COLUMNS
} ChTrajectoryColumn;

// Attributes of the root and the names of the bodies.
bool ch_trajectory_put_head(hid_t file, const ChSimulation* simulation, const char* scene);
// Refuses a file that is no trajectory.
ChStatus ch_trajectory_check_format(ChContext* context, const char* path, hid_t file);
// Refuses a trajectory of another world.
ChStatus ch_trajectory_check_world(ChContext* context, const char* path, hid_t file, const ChWorld* world);
// False when they are not there. The caller frees the text.
bool ch_trajectory_get_scene(hid_t file, char** scene);
bool ch_trajectory_get_numbers(hid_t file, double* h, double* tolerance, char* method, size_t size);

const char* ch_trajectory_column_name(ChTrajectoryColumn column);  // "body/position"
// Whether this file of this world should have it.
bool ch_trajectory_column_is_there(hid_t file, const ChWorld* world, ChTrajectoryColumn column);
bool ch_trajectory_columns_create(hid_t file, const ChWorld* world, ChColumn* columns);
bool ch_trajectory_columns_open(hid_t file, const ChWorld* world, ChColumn* columns);

// How many rows every column has that are not later than `time`, and how many contacts these tell of.
bool ch_trajectory_rows_until(const ChColumn* columns, double time, hsize_t* rows, long* contacts);
bool ch_trajectory_columns_are(const ChColumn* columns, hsize_t rows, long contacts);

// Replaces the file by a copy that ends after these rows. False, with errno, when that could not be done.
bool ch_trajectory_cut_copy(const char* path, const ChWorld* world, hsize_t rows, long contacts);

#endif
