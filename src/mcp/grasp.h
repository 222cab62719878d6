// Two SCARA arms hold a cube: contact accelerations a = W c + b of two contacts, from seeded data. See docs/mcp.md.
#ifndef CH_MCP_GRASP_H
#define CH_MCP_GRASP_H

#include <stdbool.h>

#include "cardhouse/mcp.h"

enum { CH_GRASP_ROWS = 3 * CH_GRASP_CONTACTS };

// Rows are (normal, tangent t, tangent o) of contact 1, then of contact 2.
typedef struct ChGrasp {
  double W[CH_GRASP_ROWS][CH_GRASP_ROWS];
  double b[CH_GRASP_ROWS];
  double mu;
  double heading[CH_GRASP_CONTACTS];  // of the slip, for sliding contacts: angle from t to o
} ChGrasp;

ChGrasp ch_grasp_make(int seed);

typedef enum ChTransition { CH_ROLLS, CH_SLIDES, CH_BREAKS } ChTransition;

// What a solution says of one contact.
typedef struct ChGraspContact {
  double force[3], acceleration[3];
  ChTransition transition;
  bool opposed;  // force and slip acceleration point opposite ways, wherever there is a slip under load
  bool outside;  // the force lies outside of the Coulomb cone by more than 1e-3 N
} ChGraspContact;

// From the forces c (6). Accelerations and forces count as zero below 1e-5 (m/s^2 and N; data are of order 1 to 10).
void ch_grasp_judge(const ChGrasp* grasp, const double* c, ChGraspContact out[CH_GRASP_CONTACTS]);

// Forces from the unknowns of the rolling problems.
void ch_grasp_coulomb_forces(const double* x, double* c);
void ch_grasp_pyramid_forces(const ChGrasp* grasp, const double* x, double* c);

#endif
