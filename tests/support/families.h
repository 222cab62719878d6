// Families of contact problems that tests generate, and the recipe that picks one problem of a family.
#ifndef CH_TESTS_FAMILIES_H
#define CH_TESTS_FAMILIES_H

#include "cardhouse/problem.h"
#include "support/rig.h"

// name, value unless the family says otherwise, meaning. `make_problems FAMILY --name value` reads the same rows.
#define CH_RECIPE_FIELDS(X)                                                                        \
  X(n, 4, "size: levels, blocks, spheres in the bottom row")                                       \
  X(mu, 0.8, "friction coefficient")                                                               \
  X(mu2, 0.3, "second friction coefficient, where friction is elliptic")                           \
  X(angle, 67, "degrees: of a card from the floor, of an incline")                                 \
  X(heading, 0, "degrees: direction of motion or slope in the plane of contact")                   \
  X(thickness, 0.2, "of an arch, relative to its radius")                                          \
  X(catenary, 0, "1: the arch follows a catenary, 0: a semicircle")                                \
  X(mass_ratio, 1, "mass of the top body over what its size says")                                 \
  X(asymmetry, 0.001, "largest unsymmetric part of W relative to its diagonal, where W is random") \
  X(gap, 0, "metres of air in every contact")                                                      \
  X(compliance, 0, "of contacts, relative to trace(W_ii) / dimension; 0: rigid")                   \
  X(rolling, 0, "metres: coefficient of a rolling moment of contacts")                             \
  X(drilling, 0, "metres: coefficient of a drilling moment of contacts in space")                  \
  X(shear, 0, "of contacts along their tangents, likewise")                                        \
  X(pull, 0, "newton seconds: how hard contacts may be pulled")                                    \
  X(shared, 0, "1: friction and drilling share one limit")                                         \
  X(falls, 0, "share of mu that what slips has; 0: friction does not depend on speed")             \
  X(over, 0, "metres per second over which it falls to that share; 0: at once")                    \
  X(spring, 0, "compliance of springs in place of motors, 1/kg or 1/(kg m2); 0: motors")           \
  X(corners, 0, "of a section of friction that is no circle, for contacts in space; 0: a circle")  \
  X(noise, 0, "metres per second of random velocity")                                              \
  X(seed, 1, "of the random numbers")                                                              \
  X(h, 0.001, "time step in seconds")                                                              \
  X(gravity, 9.81, "metres per second squared")

typedef struct ChRecipe {
#define X(name, value, text) double name;
  CH_RECIPE_FIELDS(X)
#undef X
} ChRecipe;

typedef struct ChFamily {
  const char* name;
  const char* summary;
  void (*adjust)(ChRecipe* recipe);                                                // the family's own defaults, or NULL
  ChRig* (*assemble)(const ChRecipe* recipe);                                      // a rig, or
  ChStatus (*build)(ChContext* context, const ChRecipe* recipe, ChProblem** out);  // a local problem directly
} ChFamily;

int ch_family_count(void);
const ChFamily* ch_family_at(int index);
const ChFamily* ch_family_find(const char* name);  // NULL when there is none

ChRecipe ch_recipe_default(const ChFamily* family);
// Sets one field by its name; false when there is no such field.
bool ch_recipe_set(ChRecipe* recipe, const char* name, double value);

// Generates the problem. A family that builds a local problem directly has no global form: CH_ERR_UNSUPPORTED.
ChStatus ch_family_generate(ChContext* context, const ChFamily* family, const ChRecipe* recipe, ChForm form,
                            ChProblem** out);

// A rig with the recipe's step and gravity along -z (plane: -y).
ChRig* ch_recipe_rig(const ChRecipe* recipe, int dimension);

// Four contacts on the rectangle between (x0, y0) and (x1, y1) at height z, between a below and b above.
void ch_rig_add_face(ChRig* rig, int a, int b, const double low[2], const double high[2], double z, double mu,
                     double bias);

// The generators, one file a kind.
ChRig* ch_cards_assemble(const ChRecipe* recipe);
ChRig* ch_arch_assemble(const ChRecipe* recipe);
ChRig* ch_pile_assemble(const ChRecipe* recipe);
ChRig* ch_disks_assemble(const ChRecipe* recipe);
ChRig* ch_beads_assemble(const ChRecipe* recipe);
ChRig* ch_pyramid_assemble(const ChRecipe* recipe);
ChRig* ch_rain_assemble(const ChRecipe* recipe);
ChRig* ch_tower_assemble(const ChRecipe* recipe);
ChRig* ch_wall_assemble(const ChRecipe* recipe);
ChRig* ch_planar_wall_assemble(const ChRecipe* recipe);
ChRig* ch_incline_assemble(const ChRecipe* recipe);
ChRig* ch_skates_assemble(const ChRecipe* recipe);
ChRig* ch_hexagon_assemble(const ChRecipe* recipe);
ChRig* ch_chain_assemble(const ChRecipe* recipe);
ChRig* ch_door_assemble(const ChRecipe* recipe);
ChRig* ch_wheels_assemble(const ChRecipe* recipe);
ChStatus ch_bag_build(ChContext* context, const ChRecipe* recipe, ChProblem** out);

#endif
