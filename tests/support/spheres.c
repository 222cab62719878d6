// Spheres and disks: triangular piles, beads, square pyramids, rain.
#include <math.h>

#include "support/families.h"

static const double RADIUS = 0.1, DENSITY = 2000.0;

// --- triangular piles
// ------------------------------------------------------------------------------------------------- Level k has n - k
// spheres, each in the hollow between two of the level below; neighbours in a level touch.

typedef int (*JoinFn)(ChRig* rig, const ChRecipe* recipe, int a, int b, const double point[3], const double normal[3]);

static int join_contact(ChRig* rig, const ChRecipe* recipe, int a, int b, const double point[3],
                        const double normal[3]) {
  return ch_rig_add_contact(rig, a, b, point, normal, recipe->mu);
}

static int join_unilateral(ChRig* rig, const ChRecipe* recipe, int a, int b, const double point[3],
                           const double normal[3]) {
  (void)recipe;
  return ch_rig_add_unilateral(rig, a, b, point, normal);
}

static void touch(ChRig* rig, const ChRecipe* recipe, int a, int b, JoinFn join) {
  const double *xa = ch_rig_position(rig, a), *xb = ch_rig_position(rig, b);
  double point[3], normal[3];
  for (int i = 0; i < 3; ++i) {
    point[i] = 0.5 * (xa[i] + xb[i]);
    normal[i] = xb[i] - xa[i];
  }
  ch_rig_add_bias(rig, join(rig, recipe, a, b, point, normal), 0, recipe->gap / recipe->h);
}

static void touch_floor(ChRig* rig, const ChRecipe* recipe, int b, int up, JoinFn join) {
  double normal[3] = {0, 0, 0}, point[3];
  normal[up] = 1.0;
  for (int i = 0; i < 3; ++i) point[i] = ch_rig_position(rig, b)[i] - RADIUS * normal[i];
  ch_rig_add_bias(rig, join(rig, recipe, CH_RIG_GROUND, b, point, normal), 0, recipe->gap / recipe->h);
}

static ChRig* triangular_pile(const ChRecipe* recipe, int dimension, JoinFn join) {
  ChRig* rig = ch_recipe_rig(recipe, dimension);
  const int n = (int)recipe->n, up = dimension - 1;
  int below = 0;
  for (int level = 0; level < n; ++level) {
    const int first = ch_rig_body_count(rig);
    const double weight = level == n - 1 ? recipe->mass_ratio : 1.0;
    for (int j = 0; j < n - level; ++j) {
      double centre[3] = {RADIUS * (2 * j + level), 0.0, 0.0};
      centre[up] = RADIUS * (1.0 + sqrt(3.0) * level);
      const int b = ch_rig_add_sphere(rig, weight * DENSITY, RADIUS, centre);
      if (level == 0) touch_floor(rig, recipe, b, up, join);
      for (int k = 0; level > 0 && k < 2; ++k) touch(rig, recipe, below + j + k, b, join);
      if (j > 0) touch(rig, recipe, b - 1, b, join);
    }
    below = first;
  }
  ch_rig_shake(rig, recipe->noise, RADIUS, recipe->seed);
  return rig;
}

ChRig* ch_pile_assemble(const ChRecipe* recipe) { return triangular_pile(recipe, 3, join_contact); }
ChRig* ch_disks_assemble(const ChRecipe* recipe) { return triangular_pile(recipe, 2, join_contact); }
ChRig* ch_beads_assemble(const ChRecipe* recipe) { return triangular_pile(recipe, 3, join_unilateral); }

// --- the square pyramid
// ----------------------------------------------------------------------------------------------- Level k has (n - k)^2
// spheres, each upon four of the level below.

ChRig* ch_pyramid_assemble(const ChRecipe* recipe) {
  ChRig* rig = ch_recipe_rig(recipe, 3);
  const int n = (int)recipe->n;
  int below = 0;
  for (int level = 0; level < n; ++level) {
    const int first = ch_rig_body_count(rig), side = n - level;
    const double weight = level == n - 1 ? recipe->mass_ratio : 1.0;
    for (int k = 0; k < side * side; ++k) {
      const int i = k / side, j = k % side;
      const double centre[3] = {RADIUS * (2 * i + level), RADIUS * (2 * j + level), RADIUS * (1.0 + sqrt(2.0) * level)};
      const int b = ch_rig_add_sphere(rig, weight * DENSITY, RADIUS, centre);
      if (level == 0) touch_floor(rig, recipe, b, 2, join_contact);
      for (int c = 0; level > 0 && c < 4; ++c)
        touch(rig, recipe, below + (i + c / 2) * (side + 1) + j + c % 2, b, join_contact);
      if (j > 0) touch(rig, recipe, b - 1, b, join_contact);
      if (i > 0) touch(rig, recipe, b - side, b, join_contact);
    }
    below = first;
  }
  ch_rig_shake(rig, recipe->noise, RADIUS, recipe->seed);
  return rig;
}

// --- rain ------------------------------------------------------------------------------------------------------------
// Separate spheres that strike the floor: one contact each, and W_nT = 0, so that every one has its closed form.

ChRig* ch_rain_assemble(const ChRecipe* recipe) {
  ChRig* rig = ch_recipe_rig(recipe, 3);
  for (int i = 0; i < (int)recipe->n; ++i) {
    const double centre[3] = {3.0 * RADIUS * i, 0.0, RADIUS}, fall[6] = {0.3 * i, 0.0, -1.0, 0.0, 0.0, 0.0};
    const int b = ch_rig_add_sphere(rig, DENSITY, RADIUS, centre);
    ch_rig_push(rig, b, fall);
    touch_floor(rig, recipe, b, 2, join_contact);
  }
  ch_rig_shake(rig, recipe->noise, RADIUS, recipe->seed);
  return rig;
}
