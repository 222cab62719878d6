// Statistics of granular matter: packing, coordination, forces, stress, fabric, pair correlation, profiles,
// segregation, discharge. docs/measure.md has their definitions. Lengths in metres; volumes are areas in the plane.
#ifndef CARDHOUSE_MEASURE_H
#define CARDHOUSE_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

#include "cardhouse/api.h"
#include "cardhouse/periodic.h"
#include "cardhouse/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

// Holds the arrays of all statistics below until it is destroyed. One thread at a time may use it. Functions that take
// a room fail with CH_ERR_MEMORY if memory runs out.
typedef struct ChMeasureRoom ChMeasureRoom;
// Creates a room, which the caller destroys.
CH_API ChStatus ch_measure_room_create(ChContext* context, ChMeasureRoom** out);
// Destroys a room; NULL is legal.
CH_API void ch_measure_room_destroy(ChMeasureRoom* room);
// Returns a zeroed array for the caller; NULL if memory runs out.
CH_API void* ch_measure_room_take(ChMeasureRoom* room, size_t count, size_t size);

// --- regions ---------------------------------------------------------------------------------------------------------

// A box along the axes, or an upright cylinder (plane: a rectangle or a disc).
typedef enum ChRegionKind { CH_REGION_BOX, CH_REGION_CYLINDER } ChRegionKind;

typedef struct ChRegion {
  ChRegionKind kind;
  int dimension;
  bool periodic;     // the region is a box that is periodic along all axes
  bool wraps[3];     // the region is a box that is periodic along these axes
  ChVec3 low, high;  // corners of the box; a cylinder uses z only
  double x, y;       // the cylinder's axis (the disc's centre)
  double radius;
} ChRegion;

// Reads "x0,x1,y0,y1,z0,z1" or "x,y,radius,z0,z1" (plane: "x0,x1,y0,y1" or "x,y,radius"). Messages call the text
// `what`.
CH_API ChStatus ch_region_read(ChContext* context, const char* what, const char* text, int dimension, ChRegion* out);

// Return the volume, m^3 (plane: m^2), and whether a point lies inside.
CH_API double ch_region_volume(const ChRegion* region);
CH_API bool ch_region_holds(const ChRegion* region, ChVec3 point);
// Returns the smallest extent, which is the largest distance that can be measured in every direction.
CH_API double ch_region_width(const ChRegion* region);
// Moves all faces inwards. The volume is 0 if nothing is left.
CH_API ChRegion ch_region_inset(const ChRegion* region, double distance);

// Makes a box periodic along each axis on which it is as long as the cell of a periodic world.
CH_API void ch_region_join(ChRegion* region, const ChPeriodic* periodic);

// Returns the volume of a ball, the area of a disc in the plane.
CH_API double ch_ball_volume(int dimension, double radius);

// --- grains ----------------------------------------------------------------------------------------------------------

// Freely moving bodies at one moment. The statistics treat each as a ball of its volume about its centre of mass
// (plane: a disc of its area).
enum { CH_SPECIES_MAX = 4 };

typedef struct ChGrains {
  int dimension, count;
  int* body;       // of the world
  int* of_body;    // grain of each body of the world; -1 if the body is not a grain
  double* radius;  // m
  double* volume;  // m^3 (plane: m^2)
  bool* round;     // the body is a single sphere or disk, which touches at its radius
  int* species;    // by size, ascending
  int species_count;
  double species_radius[CH_SPECIES_MAX];  // mean
  double mean_radius;
  double* mass;  // kg; 0 for points without a world
  ChVec3 *at, *velocity;
  ChPeriodic periodic;  // cell of the world; `at` lies in this cell
} ChGrains;

// Collects the moving bodies of a sealed world that have a volume and whose names begin with `prefix` (NULL: all). A
// deformable body has the volume of its skin at rest; a clamped one does not move. Sizes that differ by more than 1 %
// are separate species. If that makes more than four species, or if `split` > 0, there are two: grains with radii below
// and above `split`. If `split` is not given, it is the mean of the smallest and the largest radius. Fails if there is
// no grain.
CH_API ChStatus ch_grains_of_world(ChContext* context, ChMeasureRoom* room, const ChWorld* world, const char* prefix,
                                   double split, ChGrains* out);
// Makes points with a common radius, in a region of the plane or of space: for lattices and other tests.
CH_API ChStatus ch_grains_of_points(ChContext* context, ChMeasureRoom* room, int dimension, int count, const ChVec3* at,
                                    double radius, ChGrains* out);

// Read positions and velocities of this moment: from `bodies`, one entry for each body of the world, or from a
// simulation.
CH_API void ch_grains_place(ChGrains* grains, const ChBodyView* bodies);
CH_API void ch_grains_follow(ChGrains* grains, const ChSimulation* simulation);

// Returns the box around all surfaces; along periodic axes it is the cell.
CH_API ChRegion ch_grains_bounds(const ChGrains* grains);

// Returns the share of a region that grains fill, 0 ... 1: the volume of their parts inside over the region's.
CH_API double ch_grains_packing(const ChGrains* grains, const ChRegion* region);
// Returns the mean of (v - <v>)^2 / dimension over the grains inside, m^2/s^2; 0 if there are none.
CH_API double ch_grains_temperature(const ChGrains* grains, const ChRegion* region);
// Returns how many grains have their centres inside.
CH_API int ch_grains_inside(const ChGrains* grains, const ChRegion* region);

// --- neighbours ------------------------------------------------------------------------------------------------------

enum { CH_COORDINATION_MAX = 24 };  // larger numbers of neighbours count as this one

typedef struct ChCoordination {
  long grains;                              // counted, over all moments
  long by_number[CH_COORDINATION_MAX + 1];  // grains by the number of grains that touch them
  long touching;                            // sum over grains of the number of other grains that touch them
  long loaded, loaded_walls;                // grains, and walls, that touch a grain with a force; sums over grains
  long rattlers;                            // grains held by fewer than two pressing neighbours, walls included
  long forced;  // grains counted at moments with known forces; the three counts above refer to these
} ChCoordination;

// Returns the mean number of grains that touch a grain.
CH_API double ch_coordination_mean(const ChCoordination* c);
// Returns the mean number of pressing neighbours, including walls. This function and the next return NaN if forces are
// not known.
CH_API double ch_coordination_loaded(const ChCoordination* c);
CH_API double ch_coordination_rattlers(const ChCoordination* c);  // their share

// --- forces and stress -----------------------------------------------------------------------------------------------

// Forces at contacts, over all moments. A contact counts if it carries a force and one of its grains has its centre in
// the region.
//
//   stress  = - 1/V sum over grains in the region and their contacts of (x_c - x_g) (force on the grain)^T
//   fabric  = mean over the contacts between grains of n n^T
//
// (Love 1927; Weber 1966; Satake 1982). Compression is positive. The weight of a grain acts at its centre and adds
// nothing, so the stress also holds under gravity if grains hardly accelerate. Contacts with walls count for the stress
// and for the histograms, but not for the fabric.
enum { CH_FORCE_BINS = 32, CH_MOBILISED_BINS = 20 };
#define CH_FORCE_BIN_WIDTH 0.25  // of a moment's mean normal force

typedef struct ChForces {
  int dimension;
  long moments, contacts;
  double stress[9];  // stress summed over the moments, row by row; Pa (plane: N/m)
  double fabric[9],
      between;             // sum over contacts between grains, one term for each grain in the region; number of terms
  double normal, largest;  // sum of the normal forces, and the largest, N
  long by_force[CH_FORCE_BINS +
                1];  // contacts by normal force over the mean of its moment; the last bin holds all larger forces
  long by_mobilised[CH_MOBILISED_BINS];  // |tangential| / (mu normal), 0 to 1
  long rubbing, sliding;                 // contacts with friction; those at the limit of friction, to 0.1 %
  double mobilised;                      // sum of the mobilised share over contacts with friction
} ChForces;

// Adds a moment. `world` supplies the coefficients of friction (those along the axis if they depend on the direction);
// if it is NULL, no statistics of friction are collected.
CH_API void ch_forces_add(ChForces* forces, const ChGrains* grains, const ChRegion* region, const ChWorld* world,
                          int contact_count, const ChContactView* contacts);
// Return means over the moments: the tensors, row by row; NaN if there were no contacts.
CH_API void ch_forces_stress(const ChForces* forces, double out[9]);
CH_API void ch_forces_fabric(const ChForces* forces, double out[9]);
CH_API double ch_forces_pressure(const ChForces* forces);  // trace of the stress divided by the dimension

// Return the share of contacts in a bin, divided by the width of the bin: the density of normal force over its mean,
// and that of mobilised friction.
CH_API double ch_forces_density(const ChForces* forces, int bin);
CH_API double ch_forces_mobilised_density(const ChForces* forces, int bin);

// --- pair correlation ------------------------------------------------------------------------------------------------

// The two-point correlation function of grains in a region W of volume V, edges corrected by translation (Ohser 1983):
//
//   g(r) = sum over ordered pairs at distance r of  1 / |W n (W + x_j - x_i)|  /  (N (N - 1) / V^2 * shell(r))
//
// It is 1 for points without any order, whatever the shape of W. The integral of rho g over a ball of radius R is the
// mean number of neighbours within R. Bins are centred on multiples of their width. If D is such a multiple, grains
// that touch, at r = D, fall into the middle of a bin.
typedef struct ChPairCorrelation {
  int dimension, bins;
  double width;     // of a bin, m
  double* weight;   // sum of 1 / |W n (W + shift)| over pairs
  double expected;  // sum of N (N - 1) / V^2 over the moments
  double density;   // sum of N / V over the moments
  long moments;
} ChPairCorrelation;

// Begins a correlation up to the distance `reach`; width and reach are in metres.
CH_API ChStatus ch_pair_correlation_begin(ChContext* context, ChMeasureRoom* room, int dimension, double width,
                                          double reach, ChPairCorrelation* out);
// Adds the grains whose centres lie in the region. At distances beyond ch_region_width(region) the correlation comes
// out too small.
CH_API ChStatus ch_pair_correlation_add(ChContext* context, ChMeasureRoom* room, ChPairCorrelation* c,
                                        const ChGrains* grains, const ChRegion* region);

CH_API double ch_pair_correlation_distance(const ChPairCorrelation* c, int bin);  // middle of the bin, m
// Returns g of a bin.
CH_API double ch_pair_correlation_value(const ChPairCorrelation* c, int bin);
// Returns the mean number of neighbours up to the end of the bin.
CH_API double ch_pair_correlation_neighbours(const ChPairCorrelation* c, int bin);
// Returns the bin of the largest value.
CH_API int ch_pair_correlation_peak(const ChPairCorrelation* c);

// --- profiles --------------------------------------------------------------------------------------------------------

// Profiles: statistics of the grains in slices of a region along an axis, or in shells of a cylinder.
typedef enum ChProfileAxis { CH_PROFILE_X, CH_PROFILE_Y, CH_PROFILE_Z, CH_PROFILE_R } ChProfileAxis;

// Sums over the moments. A grain belongs to the bin of its centre, except that its volume is divided among the bins it
// reaches into.
typedef struct ChProfileBin {
  double solid[CH_SPECIES_MAX];  // fraction of the bin's volume that a species fills
  long grains;
  ChVec3 velocity;     // sum over grains
  double fluctuation;  // sum over grains of (v - <v>)^2 / dimension, <v> the bin's mean at that moment
} ChProfileBin;

typedef struct ChProfile {
  ChProfileAxis axis;
  int dimension, species_count, bins;
  double low, high;  // range of the profile along its axis; r: 0 and the radius
  ChProfileBin* bin;
  long moments;
} ChProfile;

// "x", "y", "z", "r"
CH_API const char* ch_profile_axis_name(ChProfileAxis axis);
// Return, of a bin: its middle, m; the share of its volume that all grains fill, and that one species fills; the mean
// number of grains.
CH_API double ch_profile_middle(const ChProfile* profile, int bin);
CH_API double ch_profile_solid(const ChProfile* profile, int bin);  // of all species
CH_API double ch_profile_species(const ChProfile* profile, int bin, int species);
CH_API double ch_profile_grains(const ChProfile* profile, int bin);  // mean of the moments
// Returns the mean velocity in a bin; NaN if no grain was ever there.
CH_API ChVec3 ch_profile_velocity(const ChProfile* profile, int bin);
CH_API double ch_profile_temperature(const ChProfile* profile, int bin);  // m^2/s^2

// --- segregation -----------------------------------------------------------------------------------------------------

// How far large grains lie above small ones: -1 if all are below, 0 if they are mixed, 1 if all are above.
//
// Grains are ordered along the axis. For each grain, c in (0, 1) is the share of the solid volume below it, including
// half its own. The index is twice the difference between the mean c of large and small grains, both weighted by
// volume: if one kind lies wholly above the other, the means are 1/2 apart, whatever their amounts. The last species
// counts as large. `axis` 0, 1, 2. NaN if there is only one species.
CH_API ChStatus ch_segregation_index(ChContext* context, ChMeasureRoom* room, const ChGrains* grains, int axis,
                                     double* out);

// --- all at once -----------------------------------------------------------------------------------------------------

// A survey: all requested statistics of the grains in a region, moment after moment.
enum { CH_PROFILE_AXES = 4 };

typedef struct ChSurveyOptions {
  bool packing, coordination, pair_correlation;
  const ChWorld* forces;          // world of the grains, if forces, stress and fabric are measured; otherwise NULL
  bool discharge;                 // counts the grains below a plane
  int discharge_axis;             // axis across the plane: 0, 1 or 2
  double discharge_at;            // m
  bool profile[CH_PROFILE_AXES];  // by axis
  int segregation;                // axis 0, 1, 2; -1: none
  int bins;                       // of a profile
  double reach, resolution;       // of the correlation, m
  double touch;                   // largest gap between grains that touch, m
  ChRegion region;                // region of all statistics except the correlation
  ChRegion window;                // region of the grains' centres for the correlation
} ChSurveyOptions;

// Figures of one moment; NaN if they were not requested or are not known.
typedef struct ChInstant {
  double time;
  int grains;  // number of grains with their centres in the region
  double packing, temperature, coordination, loaded, rattlers, segregation;
  double pressure, normal,
      mobilised;  // trace of the stress divided by the dimension, Pa; mean normal force, N; mean share of friction in
                  // use
  double passed, passed_mass;  // grains and kg that have passed the plane of the discharge: those below it now, plus
                               // one for each return
} ChInstant;

typedef struct ChSurvey {
  ChSurveyOptions options;
  int count, room;
  ChInstant* moments;
  ChCoordination coordination;
  ChForces forces;
  ChPairCorrelation correlation;
  ChProfile profile[CH_PROFILE_AXES];
  double returned, returned_mass;  // grains and kg that passed and were put back above (recirculation.h)
  double* before;                  // where each grain was at the last moment, along the axis of the discharge
  double stays, residence;  // returns of grains that had returned before, and the sum of the times between two returns
  double* since;            // when each grain last came back; NaN: never
} ChSurvey;

// Allocates room for a number of moments. Fails if a profile has an axis that the region does not have.
CH_API ChStatus ch_survey_begin(ChContext* context, ChMeasureRoom* room, const ChGrains* grains,
                                const ChSurveyOptions* options, int moments, ChSurvey* out);
// Adds the grains at their present places. `contacts` are the contacts of the moment; without them, the distances of
// round grains are used.
CH_API ChStatus ch_survey_add(ChContext* context, ChMeasureRoom* room, ChSurvey* survey, const ChGrains* grains,
                              double time, int contact_count, const ChContactView* contacts);

#ifdef __cplusplus
}
#endif
#endif
