// Grains at one moment: bodies that move freely, as balls of their volume about their centres of mass (plane: discs of
// their area). What the statistics are taken of.
#ifndef CH_MEASURE_GRAINS_H
#define CH_MEASURE_GRAINS_H

#include "base/arena.h"
#include "cardhouse/simulation.h"
#include "measure/region.h"

enum { CH_SPECIES_MAX = 4 };

typedef struct ChGrains {
  int dimension, count;
  int* body;       // of the world
  int* of_body;    // grain of each body of the world, -1 where it is none
  double* radius;  // m
  double* volume;  // m^3 (plane: m^2)
  bool* round;     // the body is one sphere or disk: its radius tells where it touches
  int* species;    // by size, ascending
  int species_count;
  double species_radius[CH_SPECIES_MAX];  // mean
  double mean_radius;
  ChVec3 *at, *velocity;
} ChGrains;

// The moving bodies of a sealed world whose names begin with `prefix` (NULL: all) and that have a volume, of their
// shapes or, where they deform, of their skins at rest; clamped ones do not move. Sizes that differ by more than 1 %
// are species of their own; where that makes more than four, or where `split` > 0 is given, there are two: below and
// above `split` (or the middle of smallest and largest radius). Fails where there is no grain.
ChStatus ch_grains_of_world(ChContext* context, ChArena* arena, const ChWorld* world, const char* prefix, double split,
                            ChGrains* out);
// Points with a common radius, in a region of the plane or of space: for lattices and other bodies of thought.
void ch_grains_of_points(ChArena* arena, int dimension, int count, const ChVec3* at, double radius, ChGrains* out);

// Positions and velocities of this moment; `bodies` one a body of the world.
void ch_grains_place(ChGrains* grains, const ChBodyView* bodies);
void ch_grains_follow(ChGrains* grains, const ChSimulation* simulation);

// Around the surfaces of all.
ChRegion ch_grains_bounds(const ChGrains* grains);

// What the grains fill of a region, 0 ... 1: the volume of their parts inside over the region's.
double ch_grains_packing(const ChGrains* grains, const ChRegion* region);
// Mean of (v - <v>)^2 / dimension over the grains inside, m^2/s^2; 0 where there are none.
double ch_grains_temperature(const ChGrains* grains, const ChRegion* region);
int ch_grains_inside(const ChGrains* grains, const ChRegion* region);

#endif
