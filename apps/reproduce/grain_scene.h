// Grains in a vessel of plane walls and plates, compliant where they touch: what the items on granular matter run.
#ifndef CH_REPRODUCE_GRAIN_SCENE_H
#define CH_REPRODUCE_GRAIN_SCENE_H

#include <stdint.h>

#include "cardhouse/body.h"
#include "cardhouse/scene.h"
#include "cardhouse/simulation.h"
#include "reproduce/item.h"

enum { CH_GRAIN_WALLS = 6, CH_GRAIN_PLATES = 5 };

typedef struct ChGrainWall {  // a half-space
  ChVec3 normal;
  double offset;
  bool rough;  // as rough as the grains; otherwise without friction
} ChGrainWall;

typedef struct ChGrainPlate {  // a box
  ChVec3 centre, half;
  bool rough;
  double start, speed, way;  // moves along z from the time `start` on until it has gone `way`, up where speed > 0
} ChGrainPlate;

typedef struct ChGrainScene {
  const char* name;
  double diameter;     // mean, m; diameters spread evenly by 10 % about it, so that nothing crystallises
  double mu, rolling;  // rolling: of grains among each other and on beads, metres
  double h;
  int walls, plates, grains;
  int filling;  // others have other sizes in other places: 0, 1, 2, ...
  ChGrainWall wall[CH_GRAIN_WALLS];
  ChGrainPlate plate[CH_GRAIN_PLATES];
  int beads[2];  // the floor is a lattice of so many beads of the grains' size along x and y, from 0, that never move;
                 // their centres lie at -0.35 diameters; {0, 0}: none
  ChVec3 low, high;  // grains start on a loose lattice in this box, from below; as high as it takes
} ChGrainScene;

// What holds of all of them: kg/m^3, N/m, tolerance of the steps, m/s^2.
extern const double ch_grain_density, ch_grain_stiffness, ch_grain_tolerance, ch_grain_gravity;

// A run under way. Body rows: the vessel 0, then the plates, then `count` grains from row `first` on.
typedef struct ChGrainRun {
  ChItemRun* item;
  ChSimulation* simulation;
  int first, count;
  double* radius;  // of each grain
  long steps, missed;
  double overlap;  // largest so far, over the mean radius
  double natural;  // worst certificate
  double mean_radius;
  bool stopped;  // the item was asked to stop
} ChGrainRun;

ChStatus ch_grain_run_begin(ChItemRun* item, const ChGrainScene* scene, ChGrainRun* out);
// Steps to a simulated time, with the item's progress from part[0] to part[1]. `each`, or NULL, is called after a step.
ChStatus ch_grain_run_until(ChGrainRun* run, double time, const double part[2],
                            ChStatus (*each)(ChGrainRun* run, void* state), void* state);
void ch_grain_run_end(ChGrainRun* run);

static inline ChVec3 ch_grain_at(const ChGrainRun* run, int grain) {
  return ch_simulation_body_at(run->simulation, run->first + grain).position;
}
double ch_grain_mass(const ChGrainRun* run, int grain);

// Adds the steps of a run to what a finding is judged by.
void ch_grain_count(ChOurRun* how, const ChGrainRun* run);

// Least squares y = a + b x: coefficients, and the root mean square of what is left over.
typedef struct ChLineFit {
  double a, b, rms;
} ChLineFit;
ChLineFit ch_line_fit(int count, const double* x, const double* y);

#endif
