// The group /joint of a trajectory: which joints there are, and where the freedoms of each are among its columns.
#ifndef CH_RECORD_JOINT_GROUP_H
#define CH_RECORD_JOINT_GROUP_H

#include <hdf5.h>
#include <stdbool.h>

#include "cardhouse/joint.h"
#include "cardhouse/simulation.h"

// How many freedoms with a coordinate all joints have.
int ch_joint_group_freedoms(const ChWorld* world);
// Names of the joints, and where the freedoms of each begin; nothing if there are none.
bool ch_joint_group_put(hid_t file, const ChWorld* world);
// Coordinate, speed and force of every freedom; the force is that of the drive, the limits and the friction together.
void ch_joint_group_row(const ChSimulation* simulation, double* position, double* speed, double* force);

#endif
