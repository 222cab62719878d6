// Deformable bodies from outside: their skins, their modes, and how amplitudes bend them. world.h makes them.
//
//   x(X) = p + R (X + U(X) q)      p, R: the body's frame, origin in the centre of mass; q: amplitudes of the modes
//
// Bodies are counted by their rows (id.h).
#ifndef CARDHOUSE_SOFT_H
#define CARDHOUSE_SOFT_H

#include <stdbool.h>

#include "cardhouse/api.h"
#include "cardhouse/world.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CH_SOFT_MODES_MAX = 58 };  // of one body

// The skin: what is drawn and what touches. Positions in the frame of the centre of mass, metres.
typedef struct ChSoftSkin {
  int vertex_count, triangle_count;
  ChVec3* rest;
  double* shape;   // U at the vertices: vertex_count x 3 x modes, row-major
  int* triangles;  // 3 indices each, outward, closed
  int* across;     // triangle across the edge from corner k to k + 1, 3 each; NULL of a recording
} ChSoftSkin;

// What is known of a deformable body. Arrays belong to the world, and nobody writes to them.
typedef struct ChSoftView {
  ChSoftKind kind;
  int modes;
  bool clamped;             // its frame does not move
  bool recorded;            // of a recording: it is drawn and measured, not stepped
  double mass;              // kg
  const double* frequency;  // of the modes, rad/s
  double alpha, beta;       // Rayleigh damping, 1/s and s
  int first_mode;           // where its amplitudes begin among those of all bodies, row after row
  const ChSoftSkin* skin;   // the same pointer for bodies of equal mesh and material
} ChSoftView;

// False where the body is rigid or not there; `out` may be NULL. `first_mode` is known once the world is sealed.
CH_API bool ch_world_soft(const ChWorld* world, int body, ChSoftView* out);

// Modes of all deformable bodies of a sealed world.
CH_API int ch_world_mode_count(const ChWorld* world);

// A vertex of the skin, in the body's frame, under these amplitudes.
CH_API ChVec3 ch_soft_point(const ChSoftView* soft, int vertex, const double* amplitudes);

// How far the vertex of the skin is from where it rests that is farthest, metres. NaN stays.
CH_API double ch_soft_bent(const ChSoftView* soft, const double* amplitudes);

// Whether the body is turned inside out somewhere; false of rigid and of recorded bodies.
CH_API bool ch_world_soft_is_folded(const ChWorld* world, int body, const double* amplitudes);

// Elastic energy under these amplitudes, in joule; and the least volume somewhere in the body, relative to rest: 1
// unbent, 0 or less where it is turned inside out. NaN of rigid and of recorded bodies.
CH_API double ch_world_soft_energy(const ChWorld* world, int body, const double* amplitudes);
CH_API double ch_world_soft_least_volume(const ChWorld* world, int body, const double* amplitudes);

// Amplitudes and rates with which a deformable body of a sealed world starts, `count` of each from the first mode on;
// either may be NULL. Refuses a body that is not deformable and more numbers than it has modes.
CH_API ChStatus ch_world_set_modes(ChContext* context, ChWorld* world, int body, int amplitude_count,
                                   const double* amplitudes, int rate_count, const double* rates);

// Those with which it starts, as many as it has modes; either may be NULL. Nothing is written of a body that is rigid
// or not there.
CH_API void ch_world_get_modes(const ChWorld* world, int body, double* amplitudes, double* rates);

// --- recordings ------------------------------------------------------------------------------------------------------

// A recording is looked at later and elsewhere. The mesh that a body was made from may have changed by then, or be out
// of reach, and a basis that is found anew need not be the one that the amplitudes belong to. So nothing is made anew:
// skin and modes are those of the run, and mass and inertia follow from the skin, which encloses the whole mesh.
typedef struct ChRecordedSkin {
  int modes;
  double* frequency;  // of the modes, rad/s
  ChSoftSkin skin;
} ChRecordedSkin;

typedef struct ChRecordedSofts {
  int count, skin_count;
  const int* body;   // rows, ascending
  const int* skin;   // that each has
  const ChVec3* at;  // centre of mass in the first row
  const ChRecordedSkin* skins;
  void* memory;  // what holds all this
} ChRecordedSofts;

// The body, which must be dynamic and without shapes, becomes deformable as it was recorded; what is needed is copied.
// Of the definition the mesh is not read. Such a world is not stepped: ch_simulation_create refuses it.
CH_API ChStatus ch_world_add_recorded_soft(ChContext* context, ChWorld* world, ChBodyId body, const ChSoftDef* def,
                                           const ChRecordedSofts* softs, ChShapeId* shape);

#ifdef __cplusplus
}
#endif
#endif
