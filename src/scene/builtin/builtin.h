// Built-in scenes: functions from parameters to JSON, and the small words they are written in.
#ifndef CH_SCENE_BUILTIN_BUILTIN_H
#define CH_SCENE_BUILTIN_BUILTIN_H

#include <jansson.h>
#include <stdbool.h>

#include "base/vector.h"
#include "cardhouse/scene.h"

enum { CH_BUILTIN_VALUES = 12 };

// A scene under construction.
typedef struct ChBuild {
  double number[CH_BUILTIN_VALUES];     // values of the parameters, in the order of their table
  const char* word[CH_BUILTIN_VALUES];  // of those that are words
  char why[256];                        // what is wrong with the parameters together
  int dimension;
  json_t *root, *bodies;
  bool failed;  // out of memory
} ChBuild;

typedef struct ChBuiltin {
  const char* name;
  const char* summary;
  const ChSceneParameter* parameters;  // ends with a parameter without a name
  void (*make)(ChBuild* build);
} ChBuiltin;

#define CH_NUMBER(name, value, low, high, text) \
  { name, value, text, low, high, false, NULL }
#define CH_WHOLE(name, value, low, high, text) \
  { name, value, text, low, high, true, NULL }
#define CH_WORD(name, value, words, text) \
  { name, value, text, 0, 0, false, words }
#define CH_CONTACT_WORD CH_WORD("contact", "compliant", "compliant|rigid", "law of contact: docs/granular.md")
#define CH_PARAMETERS_END \
  { NULL, NULL, NULL, 0, 0, false, NULL }

void ch_build_begin(ChBuild* build, const char* name, const char* description, int dimension);
// `margin` 0: the default.
void ch_build_step(ChBuild* build, double h, double until, double margin);
// Of the solves; left alone it is the library's.
void ch_build_tolerance(ChBuild* build, double tolerance);
// Compliant contact with this overlap, and the tolerance that is certified with it.
void ch_build_compliant(ChBuild* build, double overlap);
void ch_build_gravity(ChBuild* build, ChVec3 gravity);
void ch_build_material(ChBuild* build, const char* name, double density, double friction, double restitution);

// The body stays the scene's; it is changed until the next one begins.
json_t* ch_build_body(ChBuild* build, const char* name, ChVec3 at);
json_t* ch_build_numbered(ChBuild* build, const char* name, int number, ChVec3 at);  // "card 3"
// Bodies "name 1", "name 2", ... at the places of a flat list of coordinates, which it takes over.
json_t* ch_build_copied(ChBuild* build, const char* name, json_t* places);
void ch_build_fixed(ChBuild* build, json_t* body);
void ch_build_turned(ChBuild* build, json_t* object, ChVec3 axis, double degrees);
void ch_build_velocity(ChBuild* build, json_t* body, ChVec3 velocity);
void ch_build_locked(ChBuild* build, json_t* body);  // to the plane y = constant
json_t* ch_build_shape(ChBuild* build, json_t* body, const char* type, const char* material);
json_t* ch_build_box(ChBuild* build, json_t* body, ChVec3 half, const char* material);
json_t* ch_build_round(ChBuild* build, json_t* body, const char* type, double radius, const char* material);
void ch_build_hull(ChBuild* build, json_t* body, int count, const ChVec3* points, const char* material);

// What makes a body deformable; its mesh is a named shape (model/tet/tet_shapes.h).
typedef struct ChBuildSoft {
  const char *model, *shape, *material;
  ChVec3 size;   // 0: the shape's own
  int cells[3];  // likewise
  double young, poisson;
  double damping[2];  // Rayleigh's: 1/s and s
  int modes;
} ChBuildSoft;
void ch_build_soft(ChBuild* build, json_t* body, const ChBuildSoft* soft);

// Where two stones of an arch meet: a point of the centreline and the outward normal there.
typedef struct ChArchJoint {
  ChVec3 at, normal;
} ChArchJoint;
// The stone between two joints: corners at half the thickness to both sides of the centreline, and half of `depth` to
// both sides of the arch's plane.
void ch_build_voussoir(ChBuild* build, int number, const ChArchJoint joint[2], double thickness, ChVec3 depth,
                       const char* material);

// Fixed box of half extents (20, 20, 0.5) whose top is at z = 0 (plane: y = 0).
void ch_build_floor(ChBuild* build, const char* material);

// A cube that hangs in the air until its time, held by a force equal to its weight, and is then let go; with a velocity
// it is thrown: a push of 20 ms gives it that.
typedef struct ChLooseBlock {
  int number;
  ChVec3 at, velocity;
  double edge, density;
  double time;  // seconds
} ChLooseBlock;
void ch_build_block(ChBuild* build, const ChLooseBlock* block, const char* material);

// Adds an object to one of the scene's lists, "joints" or "forces".
json_t* ch_build_entry(ChBuild* build, const char* list, const char* type);
void ch_build_set(ChBuild* build, json_t* object, const char* key, json_t* value);  // takes value over
json_t* ch_build_vector(const ChBuild* build, ChVec3 v);

// In the order of `cardhouse scene list`.
// clang-format off
#define CH_BUILTIN_LIST(X)                                                                                 \
  X(cards) X(arch) X(stack) X(incline) X(pile) X(box_of_spheres) X(cannonball) X(pendulum) X(slider_crank)  \
  X(painleve_rod) X(spinning_top) X(newtons_cradle) X(domino) X(hourglass) X(hopper) X(pebble_bed) X(drop) X(log_house)  \
  X(soft_bar) X(chairs) X(dinosaurs) X(bunnies_arches) X(haptic) X(composite) X(thrown_composite) X(jamming) \
  X(periodic_cell) X(terrain) X(screw) X(chain_net) X(bike_chain) X(anchor) X(wrecking_ball) \
  X(stick_slip)
// clang-format on
#define X(name) extern const ChBuiltin ch_builtin_##name;
CH_BUILTIN_LIST(X)
#undef X

#endif
