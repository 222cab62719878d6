// Small worlds for tests: one line a body.
#ifndef CH_TESTS_WORLDS_H
#define CH_TESTS_WORLDS_H

#include "cardhouse/simulation.h"

// A world with gravity g along -z (plane: -y) and one material of the given friction and restitution.
ChWorld* ch_test_world(int dimension, double g, double mu, double restitution);

int ch_test_floor(ChWorld* world);  // half-space z <= 0 (plane: half-plane y <= 0)
int ch_test_ball(ChWorld* world, ChVec3 at, double radius, ChVec3 velocity);  // sphere or disk, density 1000
int ch_test_box(ChWorld* world, ChVec3 at, ChVec3 half);                      // box or rectangle
int ch_test_point(ChWorld* world, ChVec3 at, ChVec3 velocity, double mass);   // given mass, unit inertia, no shape

// Any other, by its definition. Bodies are told by their rows: ch_body_id(row) is the id, as tests remove none.
int ch_test_body(ChWorld* world, const ChBodyDef* body, const ChShapeDef* shape);  // shape may be NULL
void ch_test_shape(ChWorld* world, int body, const ChShapeDef* shape);
ChJointId ch_test_joint(ChWorld* world, const ChJointDef* joint);
// Between rows a (below 0: the ground) and b, turning about y; a second axis along z, a second place near the first.
ChJointDef ch_test_joint_def(ChJointType type, int a, int b, ChVec3 at);
ChForceId ch_test_force(ChWorld* world, const ChForceDef* force);
ChMaterialId ch_test_material(ChWorld* world, const ChMaterialDef* material);

// Steps of h, solved to 1e-12.
ChSimulationOptions ch_test_exact_options(const char* integrator, double h);

// Takes the world over; fails the test where it cannot.
ChSimulation* ch_test_start(ChWorld* world, const ChSimulationOptions* options);
void ch_test_set_options(ChSimulation* simulation, const ChSimulationOptions* options);
ChStepInfo ch_test_step(ChSimulation* simulation);  // one step; fails the test on an error
// Steps until the time; fails the test on an error or a missed step. Returns the last step's info.
ChStepInfo ch_test_run(ChSimulation* simulation, double until);

#endif
