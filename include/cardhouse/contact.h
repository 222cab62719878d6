// Contacts of the last step, as plain rows.
#ifndef CARDHOUSE_CONTACT_H
#define CARDHOUSE_CONTACT_H

#include <stdint.h>

#include "cardhouse/api.h"
#include "cardhouse/friction_curve.h"
#include "cardhouse/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ChSimulation ChSimulation;

typedef struct ChContactView {
  int body[2], shape[2];  // rows, see id.h
  ChVec3 point, normal;   // metres, world frame; the normal points from the first body to the second
  double gap;             // metres at the beginning of the step, negative for overlaps
  ChVec3 force;           // on the second body, newtons
  ChVec3 slip;            // velocity of the second body's point relative to the first's, metres a second
  ChVec3 moment;          // on the second body besides the force at the point, N m; zero without rolling and drilling
  ChVec3 spin;            // angular velocity of the second body relative to the first if there is a moment, rad/s
  ChBranch branch;        // known if the friction of some material depends on the speed of slip
} ChContactView;

// Returns all contacts of the last step, sorted by shapes; the simulation owns them, and they are valid until the next
// step or change of the world. NULL or any pointer with *count = 0 before the first step.
CH_API const ChContactView* ch_simulation_contacts(const ChSimulation* simulation, int* count);

// Which features touch, and the axes in which the step's problem has the rows of a contact: what you need to warm-start
// a solver of your own. Equal shapes and key in two steps mean the same contact.
typedef struct ChContactFeature {
  int shape[2];  // rows
  uint64_t key;
  ChVec3 axis[3];  // normal and tangents, world frame
} ChContactFeature;

// Writes the features of the last step's contacts, sorted by shapes and key, in the order of the contacts of
// ch_simulation_problem; at most `room` of them. Returns how many there are.
CH_API int ch_simulation_contact_features(const ChSimulation* simulation, int room, ChContactFeature* out);

#ifdef __cplusplus
}
#endif
#endif
