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
  ChVec3 moment;    // moment on the second body besides the force at the point, N m; zero without rolling and drilling
  ChVec3 spin;      // angular velocity of the second body relative to the first, rad/s; only if there is a moment
  ChBranch branch;  // known only if the friction of some material depends on the speed of slip
} ChContactView;

// Returns all contacts of the last step, sorted by shapes; the simulation owns them, and they are valid until the next
// step or change of the world. Before the first step *count is 0, and the pointer may be NULL.
CH_API const ChContactView* ch_simulation_contacts(const ChSimulation* simulation, int* count);

// The features that touch, and the axes of a contact's rows in the step's problem. With these you can warm-start a
// solver of your own: equal shapes and keys in two steps mean the same contact.
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
