// A bed of pebbles: loaded from above, then kept in motion. What leaves at the bottom comes back on top, as in the
// reactor.
#ifndef CH_REPRODUCE_PEBBLE_BED_H
#define CH_REPRODUCE_PEBBLE_BED_H

#include "cardhouse/measure.h"
#include "reproduce/item.h"

typedef struct ChBedDef {
  int pebbles;
  double radius;  // of a pebble, m
  double mu;
  double h, h_circulate;  // time steps, s
  int sweeps;             // of ansgs in a step, at most
  ChPose pose;
  double load;         // seconds in which the bed is loaded and settles
  double circulate;    // seconds in which it is kept in motion
  double interval;     // from pebble to pebble that is taken out at the bottom, s
  const char* record;  // file of the trajectory in the item's folder, or NULL
  double progress[2];
} ChBedDef;

typedef struct ChBedPhase {
  long steps, missed;
  double seconds;               // of processor
  double natural, natural_max;  // mean and worst
  double penetration;           // worst, m
  double contacts;              // mean
} ChBedPhase;

typedef struct ChBedRun {
  double wide;     // radius of the vessel, m
  double top;      // of the settled bed, m above the foot of the cylinder
  double kinetic;  // J, at the end of loading
  ChBedPhase loading, circulation;
  long taken;                         // pebbles taken out and put back
  ChRegion bulk;                      // where walls and surface are two diameters away
  ChRegion cylinder;                  // from wall to wall
  ChInstant settled;                  // in the bulk, at the end of loading
  ChGrains grains;                    // as they lie in the end
  ChSurvey bulk_survey, wall_survey;  // over the moments of circulation, or the end of loading without it
} ChBedRun;

double ch_bed_width(const ChBedDef* def);

// Arrays of the result live in the room. Ends early, with CH_OK, when the item is asked to stop.
ChStatus ch_bed_run(ChItemRun* run, ChMeasureRoom* room, const ChBedDef* def, ChBedRun* out);

#endif
