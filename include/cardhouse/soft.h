// Deformable bodies seen from outside: their skins, their modes, and how amplitudes bend them. world.h makes them.
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

// The skin: the surface that is drawn and that touches. Positions in the frame of the centre of mass, metres.
typedef struct ChSoftSkin {
  int vertex_count, triangle_count;
  ChVec3* rest;
  double* shape;   // U at the vertices: vertex_count x 3 x modes, row-major
  int* triangles;  // 3 indices each, outward, closed
  int* across;     // triangle across the edge from corner k to k + 1, 3 each; NULL in a recording
} ChSoftSkin;

// The properties of a deformable body. Arrays belong to the world, which never writes to them.
typedef struct ChSoftView {
  ChSoftKind kind;
  int modes;
  bool clamped;             // its frame does not move
  bool recorded;            // from a recording: the body is drawn and measured, not stepped
  double mass;              // kg
  const double* frequency;  // of the modes, rad/s
  double alpha, beta;       // Rayleigh damping, 1/s and s
  double young, poisson;    // Pa; a ratio
  int first_mode;           // index of its first amplitude among those of all bodies, row after row
  const ChSoftSkin* skin;   // the same pointer for bodies of equal mesh and material
} ChSoftView;

// Writes the properties of a deformable body to `out`, which may be NULL. Returns false if the body is rigid or does
// not exist. `first_mode` is known once the world is sealed.
CH_API bool ch_world_soft(const ChWorld* world, int body, ChSoftView* out);

// Returns the total number of modes of the deformable bodies of a sealed world.
CH_API int ch_world_mode_count(const ChWorld* world);

// Returns a vertex of the skin, in the body's frame, under these amplitudes.
CH_API ChVec3 ch_soft_point(const ChSoftView* soft, int vertex, const double* amplitudes);

// Returns the largest distance of a vertex of the skin from its rest position, metres. NaN stays NaN.
CH_API double ch_soft_bent(const ChSoftView* soft, const double* amplitudes);

// Says whether the body is turned inside out somewhere; false for rigid and recorded bodies.
CH_API bool ch_world_soft_is_folded(const ChWorld* world, int body, const double* amplitudes);

// Return the elastic energy under these amplitudes, in joules, without that in the arms of a viscoelastic body, and the
// least local volume relative to rest: 1 unbent, 0 or less where the body is turned inside out. NaN for rigid and
// recorded bodies.
CH_API double ch_world_soft_energy(const ChWorld* world, int body, const double* amplitudes);
CH_API double ch_world_soft_least_volume(const ChWorld* world, int body, const double* amplitudes);

// Returns von Mises's stress, sqrt(3/2 s : s) of the deviator s, in the unit of the stress: xx yy zz xy yz xz.
CH_API double ch_von_mises(const double stress[6]);

// Sets the amplitudes and rates with which a deformable body of a sealed world starts, `count` of each from the first
// mode on; either may be NULL. Refuses a body that is not deformable and more numbers than it has modes.
CH_API ChStatus ch_world_set_modes(ChContext* context, ChWorld* world, int body, int amplitude_count,
                                   const double* amplitudes, int rate_count, const double* rates);

// Writes the amplitudes and rates with which a body starts, one for each of its modes; either may be NULL. Writes
// nothing for a body that is rigid or does not exist.
CH_API void ch_world_get_modes(const ChWorld* world, int body, double* amplitudes, double* rates);

// --- recordings ------------------------------------------------------------------------------------------------------

// A recording may be read after the mesh of a body has changed or on a machine without it, and a new basis need not
// match the recorded amplitudes. So no basis is computed: skin and modes are those of the run. Mass and inertia follow
// from the skin, which encloses the whole mesh.
typedef struct ChRecordedSkin {
  int modes;
  double* frequency;  // of the modes, rad/s
  ChSoftSkin skin;
} ChRecordedSkin;

typedef struct ChRecordedSofts {
  int count, skin_count;
  const int* body;   // rows, ascending
  const int* skin;   // the skin of each
  const ChVec3* at;  // centre of mass in the first row
  const ChRecordedSkin* skins;
  void* memory;  // memory that holds all this
} ChRecordedSofts;

// Makes a body deformable as it was recorded; it must be dynamic and without shapes. Copies what it needs; the mesh of
// the definition is not read. Such a world is not stepped: ch_simulation_create refuses it.
CH_API ChStatus ch_world_add_recorded_soft(ChContext* context, ChWorld* world, ChBodyId body, const ChSoftDef* def,
                                           const ChRecordedSofts* softs, ChShapeId* shape);

#ifdef __cplusplus
}
#endif
#endif
