// What a trajectory file holds: its head, and its columns as a table. docs/trajectory.md describes it.
#ifndef CH_RECORD_TRAJECTORY_FILE_H
#define CH_RECORD_TRAJECTORY_FILE_H

#include "cardhouse/record.h"
#include "cardhouse/soft.h"
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
  CH_COLUMN_JOINT_POSITION,  // this and the next two: if some joint has a freedom with a coordinate
  CH_COLUMN_JOINT_SPEED,
  CH_COLUMN_JOINT_FORCE,
  CH_COLUMN_CONTACTS,
  CH_COLUMN_ITERATIONS,
  CH_COLUMN_SECONDS,
  CH_COLUMN_PENETRATION,
  CH_COLUMN_KINETIC,
  CH_COLUMN_POTENTIAL,
  CH_COLUMN_MOMENTUM,  // this, the next and the certificate's `rigid`: not in files from before there were any
  CH_COLUMN_ANGULAR_MOMENTUM,
  CH_COLUMN_OVERLAP,  // so are these four
  CH_COLUMN_GAIN,
  CH_COLUMN_UNCOVERED,
  CH_COLUMN_BOUNDS,
  CH_COLUMN_CERTIFICATE,  // seven of them, as in CH_CERTIFICATE_FIELDS
  CH_COLUMN_OFFSET = CH_COLUMN_CERTIFICATE + 7,
  CH_COLUMN_BODIES,
  CH_COLUMN_POINT,
  CH_COLUMN_NORMAL,
  CH_COLUMN_GAP,
  CH_COLUMN_FORCE,
  CH_COLUMN_SLIP,
  CH_COLUMN_MOMENT,  // this and the next: where some material rolls or drills
  CH_COLUMN_SPIN,
  CH_COLUMN_BRANCH,  // where some friction depends on the speed of slip
  CH_TRAJECTORY_COLUMNS
} ChTrajectoryColumn;

// How a run was made, as its file tells.
typedef struct ChTrajectoryMade {
  double h, tolerance;  // tolerance 0 and method "": not told
  const char *method, *scene;
  const char* contact;  // the law of contact: "rigid" where it is not told
} ChTrajectoryMade;

// Attributes of the root, the names of the bodies and what deforms them.
bool ch_trajectory_put_head(hid_t file, const ChWorld* world, const ChTrajectoryMade* made);
// The status of the file tells of a failure: one that is no trajectory is refused, and one of another world. Texts
// belong to the file's arena.
void ch_trajectory_check_format(ChHdf5* file);
void ch_trajectory_check_world(ChHdf5* file, const ChWorld* world);
void ch_trajectory_get_made(ChHdf5* file, ChTrajectoryMade* made);

const char* ch_trajectory_column_name(ChTrajectoryColumn column);  // "body/position"
// What a row of it is, in files of this world.
ChHdf5Rows ch_trajectory_row(ChTrajectoryColumn column, const ChWorld* world);
// Whether this file of this world should have it.
bool ch_trajectory_column_is_there(ChHdf5* file, const ChWorld* world, ChTrajectoryColumn column);
// All that a file of this world has; with `there` those only of which it is true.
bool ch_trajectory_columns_create(hid_t file, const ChWorld* world, const bool* there, ChColumn* columns);
// How many rows it has in a file of so many rows and contacts.
long ch_trajectory_length(ChTrajectoryColumn column, long rows, long contacts);

#endif
