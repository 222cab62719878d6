// Bodies and joints that come and go while a world is simulated. Rows stay dense: what follows a removed row moves up
// by one, in the same order; ids do not change.
#ifndef CH_MODEL_POPULATION_H
#define CH_MODEL_POPULATION_H

#include "model/world.h"

// One more body, the last row, with its shapes, the last shapes. A refused one leaves the world as it was.
ChStatus ch_world_extend_body(ChContext* context, ChWorld* world, const ChBodyDef* def, int shape_count,
                              const ChShapeDef* shapes, ChBodyId* id);
// One more joint, the last row; its points and axes are in the world with bodies as `states` have them.
ChStatus ch_world_extend_joint(ChContext* context, ChWorld* world, ChBodyState* states, const ChJointDef* def,
                               ChJointId* id);
// One more force, the last row, between bodies as `states` have them.
ChStatus ch_world_extend_force(ChContext* context, ChWorld* world, ChBodyState* states, const ChForceDef* def,
                               ChForceId* id);

// Room for a wrench on every body.
ChStatus ch_wrenches_reserve(ChContext* context, ChWorld* world);

// A body goes with its shapes, joints and forces.
void ch_world_remove_body(ChWorld* world, int body);
void ch_world_remove_joint(ChWorld* world, int joint);
void ch_world_remove_force(ChWorld* world, int force);

// An array of states, as it is laid out in memory, without one of its bodies: for arrays besides the world's own,
// before the body is removed.
void ch_states_remove(const ChWorld* world, ChBodyState* states, int body);

#endif
