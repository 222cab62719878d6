// Profiles: a region cut into slices along an axis, or a cylinder into shells, and what the grains do in each.
#ifndef CH_MEASURE_PROFILE_H
#define CH_MEASURE_PROFILE_H

#include "measure/grains.h"

typedef enum ChProfileAxis { CH_PROFILE_X, CH_PROFILE_Y, CH_PROFILE_Z, CH_PROFILE_R } ChProfileAxis;

// Sums over the moments; everything but the volumes counts a grain where its centre is.
typedef struct ChProfileBin {
  double solid[CH_SPECIES_MAX];  // fraction of the bin's volume that a species fills
  long grains;
  ChVec3 velocity;     // sum over grains
  double fluctuation;  // sum over grains of (v - <v>)^2 / dimension, <v> the bin's mean at that moment
} ChProfileBin;

typedef struct ChProfile {
  ChProfileAxis axis;
  int dimension, species_count, bins;
  double low, high;  // of the axis; r: 0 and the radius
  ChProfileBin* bin;
  long moments;
} ChProfile;

const char* ch_profile_axis_name(ChProfileAxis axis);  // "x", "y", "z", "r"
// Refuses an axis that the region does not have: r in a box, x and y in a cylinder, z in the plane.
ChStatus ch_profile_begin(ChContext* context, ChArena* arena, const ChGrains* grains, const ChRegion* region,
                          ChProfileAxis axis, int bins, ChProfile* out);
void ch_profile_add(ChArena* arena, ChProfile* profile, const ChGrains* grains, const ChRegion* region);

double ch_profile_middle(const ChProfile* profile, int bin);
double ch_profile_solid(const ChProfile* profile, int bin);  // of all species
double ch_profile_species(const ChProfile* profile, int bin, int species);
double ch_profile_grains(const ChProfile* profile, int bin);  // mean of the moments
// NaN where no grain ever was.
ChVec3 ch_profile_velocity(const ChProfile* profile, int bin);
double ch_profile_temperature(const ChProfile* profile, int bin);  // m^2/s^2

#endif
