// Points, directions and rotations, as the caller gives and gets them. SI units, z up in space; a plane world uses x, y
// and angles about z.
#ifndef CARDHOUSE_GEOMETRY_H
#define CARDHOUSE_GEOMETRY_H

typedef struct ChVec3 {
  double x, y, z;
} ChVec3;

// Unit quaternion.
typedef struct ChQuat {
  double w, x, y, z;
} ChQuat;

// x_world = at + orientation x_local
typedef struct ChFrame {
  ChVec3 at;
  ChQuat orientation;
} ChFrame;

#endif
