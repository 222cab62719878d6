// A rig: rigid bodies and constraints from which one step's contact problem is assembled, for tests.
//
//   M v = H r + f,  f = M v0 + h m g        u = H^T v + w
//
// Space (dimension 3): z is up, a body has six unknowns, velocity of the centre and angular velocity, both in the world
// frame. Plane (dimension 2): y is up, three unknowns; vectors still have three entries, the third is not read.
// Body CH_RIG_GROUND does not move. A constraint's u is the velocity of b's point relative to a's; normals point from a
// to b. Memory that runs out ends the program: this is for tests, not for the library.
#ifndef CH_TESTS_RIG_H
#define CH_TESTS_RIG_H

#include "cardhouse/problem.h"

typedef struct ChRig ChRig;

enum { CH_RIG_GROUND = -1 };

ChRig* ch_rig_create(int dimension, double h, const double gravity[3]);
void ch_rig_destroy(ChRig* rig);

// `inertia` is 3 x 3 in the world frame; in the plane only its last entry is read.
int ch_rig_add_body(ChRig* rig, double mass, const double inertia[9], const double position[3]);
int ch_rig_add_sphere(ChRig* rig, double density, double radius, const double position[3]);
// A box with edges `size` along the columns of the rotation `axes` (NULL: the world's).
int ch_rig_add_box(ChRig* rig, double density, const double size[3], const double axes[9], const double position[3]);
// The box of given mass instead of density.
int ch_rig_add_box_of_mass(ChRig* rig, double mass, const double size[3], const double axes[9],
                           const double position[3]);

// Coefficients in metres of the rolling and drilling moments that round contacts have from now on; `shared`: friction
// and drilling share one limit. 0: none.
void ch_rig_set_moments(ChRig* rig, double rolling, double drilling, bool shared);

int ch_rig_body_count(const ChRig* rig);
int ch_rig_block_count(const ChRig* rig);
const double* ch_rig_position(const ChRig* rig, int body);

// Adds to a body's velocity before the step: dof entries as above.
void ch_rig_push(ChRig* rig, int body, const double* velocity);
// Gives every body a random velocity: `noise` metres per second, and noise over `length` radian per second.
void ch_rig_shake(ChRig* rig, double noise, double length, double seed);

// Constraints; each returns the number of its block.
int ch_rig_add_contact(ChRig* rig, int a, int b, const double point[3], const double normal[3], double mu);
// Elliptic friction: mu[0] along `tangent` (made orthogonal to the normal), mu[1] across it.
int ch_rig_add_elliptic(ChRig* rig, int a, int b, const double point[3], const double normal[3],
                        const double tangent[3], const double mu[2]);
int ch_rig_add_unilateral(ChRig* rig, int a, int b, const double point[3], const double normal[3]);
int ch_rig_add_ball(ChRig* rig, int a, int b, const double point[3]);  // bilateral, dimension 3 (plane: 2)
int ch_rig_add_hinge(ChRig* rig, int a, int b, const double point[3], const double axis[3]);  // bilateral, dimension 5
// A motor about the axis that wants relative speed `speed` and has at most the impulse `limit` for it.
int ch_rig_add_motor(ChRig* rig, int a, int b, const double axis[3], double speed, double limit);

// Adds to the bias w of one row of a block, e.g. gap / h to a contact's first.
void ch_rig_add_bias(ChRig* rig, int block, int row, double bias);

ChStatus ch_rig_build(ChContext* context, const ChRig* rig, ChForm form, ChProblem** out);

#endif
