// Grains (cardhouse/measure.h) in an arena.
#ifndef CH_MEASURE_GRAINS_H
#define CH_MEASURE_GRAINS_H

#include "base/arena.h"
#include "cardhouse/measure.h"

// The moving bodies of a sealed world whose names begin with `prefix` (NULL: all) and that have a volume, of their
// shapes or, where they deform, of their skins at rest; clamped ones do not move. Sizes that differ by more than 1 %
// are species of their own; where that makes more than four, or where `split` > 0 is given, there are two: below and
// above `split` (or the middle of smallest and largest radius). Fails where there is no grain.
ChStatus ch_grains_of_world_in(ChContext* context, ChArena* arena, const ChWorld* world, const char* prefix,
                               double split, ChGrains* out);
// Points with a common radius, in a region of the plane or of space: for lattices and other bodies of thought.
void ch_grains_of_points_in(ChArena* arena, int dimension, int count, const ChVec3* at, double radius, ChGrains* out);

// Where a grain is, and its images that reach into the cell; returns how many.
enum { CH_GRAIN_IMAGES = 8 };
int ch_grain_images(const ChGrains* grains, int grain, ChVec3 at[CH_GRAIN_IMAGES]);

#endif
