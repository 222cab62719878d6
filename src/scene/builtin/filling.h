// What built-in scenes of many grains have in common: their law of contact, vessels, fillings.
#ifndef CH_SCENE_BUILTIN_FILLING_H
#define CH_SCENE_BUILTIN_FILLING_H

#include <stdint.h>

#include "scene/builtin/builtin.h"

typedef struct ChGrainStep {
  double h, margin;  // margin 0: the default
} ChGrainStep;

// Grains in motion have compliant contact, with steps at which every step is certified. Asked for an overlap of 0.1 %
// of a radius, a few contacts reach nearly 0.3 %. Rigid contact has steps of its own.
void ch_grains_law(ChBuild* build, const char* law, double until, ChGrainStep compliant, ChGrainStep rigid);

// Small displacements that break the symmetry of a grid: uniform in (-0.5, 0.5), the same on every machine.
double ch_grains_jitter(uint32_t* state);

enum { CH_VESSEL_SIDES = 32 };

typedef struct ChVesselCorner {
  double r, z;
} ChVesselCorner;

// A surface of revolution about z, from its bottom to its rim; normals point to the inside. It begins on the axis, or
// with the rim of an opening.
void ch_grains_vessel(ChBuild* build, const char* name, int count, const ChVesselCorner* profile, const char* material);

// Spheres of one name and a number each, at these centres.
void ch_grains_put(ChBuild* build, const char* name, int n, const ChVec3* centre, double radius, const char* material);

// n of them in layers from z0 upwards inside a circle of radius `room`; returns where the last layer ends.
double ch_grains_column(ChBuild* build, const char* name, int n, double radius, double room, double z0,
                        const char* material);

// Centres of n spheres that lie in the vessel of this profile, which is convex (packing.h); where it has an opening,
// on a floor there. NULL: no memory. The caller frees them.
ChVec3* ch_grains_packed(int n, double radius, int count, const ChVesselCorner* profile);

#endif
