// What can be asked for its signed distance at a point: a distance field, a polytope, a half-space, a triangle surface,
// a round shape, the skin of a deformable body.
#ifndef CH_COLLIDE_MESH_DISTANCE_PROBE_H
#define CH_COLLIDE_MESH_DISTANCE_PROBE_H

#include "collide/pairs.h"
#include "collide/skin/skin.h"
#include "model/mesh/distance_field.h"

typedef struct ChProbe ChProbe;

typedef struct ChProbeFoot {
  double distance;
  ChVec3 normal;
  int cell;  // skin: the triangle; else -1
} ChProbeFoot;

// Balls outside of a skin that it does not enter, as searches leave them behind: what is well inside of one need not be
// searched for. The oldest is forgotten first.
enum { CH_EMPTY_BALLS = 8 };
typedef struct ChEmptyBalls {
  int count;
  double bent;  // radii are those of an earlier form: nothing of the skin has moved by more since
  ChVec3 centre[CH_EMPTY_BALLS];
  double radius[CH_EMPTY_BALLS];
} ChEmptyBalls;

struct ChProbe {
  const ChPosed* posed;
  // Distance and outward normal at a point of the shape's frame; false when the distance is above `within`. `outward`,
  // unit or zero: where the shape faces that asks, there. Skins and surfaces tell by it through which side it came.
  bool (*at)(const ChProbe* probe, ChVec3 point, ChVec3 outward, double within, ChProbeFoot* out);
  // Whether anything nearer than `radius` to the point may have a distance of `within` or less; not of skins, which
  // have skin_front.h.
  bool (*may_reach)(const ChProbe* probe, ChVec3 point, double radius, double within);
  ChBox3 box;     // that holds the shape, in its frame
  bool convex;    // so is the distance along any line
  bool flat;      // a half-space, or as good as one: what touches it first is a corner
  ChVec3 normal;  // flat: n . x - offset is the distance
  double offset;
  ChVec3 centre;           // surface: the middle of what is asked about; triangles seen from behind by it do not count
  double deepest;          // surface: so far behind it a point is not found any more
  int* last;               // skin: the triangle found last, where the next search begins; the caller's, or NULL
  ChEmptyBalls* empty;     // skin: the caller's, or NULL
  const ChSkinNear* near;  // skin: of what is asked about now; the caller's, or NULL
};

// Whether the shape is one plane for all that is nearer than `radius` to x: distance normal . point - offset.
typedef struct ChProbePlane {
  ChVec3 normal;
  double offset;
} ChProbePlane;
bool ch_probe_is_plane(const ChProbe* probe, ChVec3 x, double radius, ChProbePlane* plane);

// Of a ball that a skin does not enter: whether it is known to be outside; whether it is inside.
bool ch_probe_is_outside(const ChProbe* probe, ChVec3 x, double radius);
bool ch_probe_holds(const ChProbe* probe, ChVec3 x, double radius);

// `size`: of what is asked about; `centre`: its middle, in the world.
ChProbe ch_probe(const ChPosed* target, ChVec3 centre, double size);

// Where every point of a box (the probe's frame) has its foot inside one and the same face of a polytope, the probe
// becomes flat: for whoever asks about no other points the floor's edges are not there.
void ch_probe_flatten(ChProbe* probe, ChBox3 box);

#endif
