// Samples of one shape against the distance of another.
//
//   gap = d(x),  normal = grad d(x)   for every sample x of one shape with d(x) <= margin, d the other's distance
//
// Corners are asked where they are. Along a straight edge, parameter s and direction t, d changes at the rate n . t, so
// a place where it is least lies between two samples at which the rate goes from falling to rising; it is found by
// halving, so that two edges that cross touch in the point where they do, however far the samples are apart. Where the
// edge lies along a flat part of the other, rates are equal and gaps on one line: only the ends of such a stretch are
// listed, since forces on the points between them are sums of forces on these.
//
// Behind a ridge of the other shape the distance has a crease: the nearest side changes while the edge passes under it.
// The normal there is the mean of both sides', across the edge, and the gap is counted along it. Where the two sides
// face each other (the edge pierces a plate) there is none.
#ifndef CH_COLLIDE_MESH_SAMPLING_H
#define CH_COLLIDE_MESH_SAMPLING_H

#include "collide/mesh/distance_probe.h"

#define CH_SAME_NORMAL 1e-6  // radian: normals that differ by less are the same

// Kinds of points, for keys. CORNER also stands for a vertex of a deformable skin, FACE for a point inside one of its
// triangles.
enum { CH_SAMPLE_CORNER, CH_SAMPLE_STRETCH, CH_SAMPLE_LOWEST, CH_SAMPLE_FACE };

typedef struct ChSampling {
  ChProbe probe;
  ChMat3 turn;  // from the frame of the sampled shape to that of the probe
  ChVec3 shift;
  double margin, size;
  uint64_t side;  // 0: the sampled shape is the pair's first
  ChManifold* out;
} ChSampling;

// What a sample is called, and what of the sampled skin it is (as ChGap.skin; -1 on a rigid shape).
typedef struct ChSampleName {
  int id, skin;
} ChSampleName;

// `centre`: of what is sampled, in the world.
ChSampling ch_sampling(const ChPosed* sampled, const ChPosed* target, ChVec3 centre, double margin, bool second,
                       ChManifold* out);

// From the frame of the sampled shape to the probe's.
static inline ChVec3 ch_sampling_place(const ChSampling* s, ChVec3 local) {
  return ch_add(s->shift, ch_mat_apply(&s->turn, local));
}

// Lists a point x of the probe's frame with its foot.
void ch_sampling_add(const ChSampling* s, ChVec3 x, const ChProbeFoot* foot, int kind, int ordinal,
                     const ChSampleName* name);

// `outward`, unit or zero: where the sampled shape faces there, in its frame.
void ch_sampling_corner(const ChSampling* s, ChVec3 local, ChVec3 outward, ChSampleName name);
// Follows an edge of the sampled shape in this many steps; its ends are corners and listed as such.
void ch_sampling_edge(const ChSampling* s, ChVec3 from, ChVec3 to, ChVec3 outward, int steps, ChSampleName name);

// The same by hand, for those who know the distances at the ends already.
typedef struct ChSampleLine {
  ChVec3 from, along;  // in the probe's frame; along is unit
  ChVec3 outward;
  double length;
  ChSampleName name;
} ChSampleLine;
typedef struct ChSampleStop {
  double s;
  bool near;  // within the margin
  bool known;
  ChProbeFoot foot;
} ChSampleStop;
ChSampleLine ch_sampling_line(const ChSampling* s, ChVec3 from, ChVec3 to, ChVec3 outward, ChSampleName name);
// Lists the place of least distance between two stops where the first falls and the second rises; false where they do
// not.
bool ch_sampling_lowest(const ChSampling* s, const ChSampleLine* line, ChSampleStop low, ChSampleStop high,
                        int ordinal);

#endif
