// Bodies of edges and points: segments between points, or points alone, each with a radius that may be zero.
#ifndef CH_MODEL_SHAPES_NET_H
#define CH_MODEL_SHAPES_NET_H

#include "base/vector.h"

typedef struct ChNet {
  int point_count, segment_count;
  const ChVec3* points;
  const int* segments;   // two points each; NULL: the points themselves are the parts
  double radius;         // m; 0: bare
  double drawn;          // and as pictures and rays know it, never 0
  struct ChMesh* lines;  // where it is bare: the same as a mesh, for what meets triangles
  double weight;         // of a segment kg/m, of a point kg; 0: by radius and density
} ChNet;

static inline int ch_net_parts(const ChNet* net) { return net->segments ? net->segment_count : net->point_count; }

// The ends of a part, the same twice for a point.
static inline void ch_net_ends(const ChNet* net, int part, ChVec3 ends[2]) {
  for (int k = 0; k < 2; ++k) ends[k] = net->points[net->segments ? net->segments[2 * part + k] : part];
}

#endif
