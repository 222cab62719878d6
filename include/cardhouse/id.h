// Ids: small values that name the things in a world. An id is returned when a thing is added, stays valid for as long
// as the thing exists, whatever else is added or removed, and is refused with a message afterwards. A zero-initialised
// id names nothing ("none").
//
// Rows are different: the k-th body of a world, counted from 0 without gaps, is row k of every array of bodies (states,
// trajectories, islands, contacts). ch_world_body_at and ch_world_body_row translate.
#ifndef CARDHOUSE_ID_H
#define CARDHOUSE_ID_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The type of an id, and three functions:
//   verb_id(k)            the k-th that was added to a world, counted from 0, if none was removed since
//   verb_id_is_none(id)   whether it names nothing
//   verb_id_equal(a, b)   whether two name the same thing of one world
// `world` is the world's tag, so that another world refuses the id; 0 passes in any.
#define CH_ID(Type, verb)                                                  \
  typedef struct Type {                                                    \
    uint32_t index1; /* place + 1; 0: none */                              \
    uint16_t generation, world;                                            \
  } Type;                                                                  \
  static inline Type verb##_id(int k) {                                    \
    Type id = {(uint32_t)(k + 1), 0, 0};                                   \
    return id;                                                             \
  }                                                                        \
  static inline bool verb##_id_is_none(Type id) { return id.index1 == 0; } \
  static inline bool verb##_id_equal(Type a, Type b) {                     \
    return a.index1 == b.index1 && a.generation == b.generation &&         \
           (a.world == b.world || a.world == 0 || b.world == 0);           \
  }

CH_ID(ChBodyId, ch_body)
CH_ID(ChShapeId, ch_shape)
CH_ID(ChMaterialId, ch_material)
CH_ID(ChJointId, ch_joint)
CH_ID(ChForceId, ch_force)

static const ChBodyId CH_GROUND = {UINT32_MAX, 0, 0};  // the inertial frame, in place of a body

#ifdef __cplusplus
}
#endif
#endif
