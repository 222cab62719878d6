// Small families: slopes, elliptic friction, joints and motors, and random unsymmetric problems.
#include <math.h>
#include <stdlib.h>

#include "support/families.h"
#include "support/random.h"

static const double DENSITY = 1000.0;
static const double UP[3] = {0, 0, 1};

static double radian(double degrees) { return degrees * 3.141592653589793 / 180.0; }

// --- slopes
// ----------------------------------------------------------------------------------------------------------- The slope
// is a tilted gravity: the boxes stand on a level floor, and the closed form reads off at once.

ChRig* ch_incline_assemble(const ChRecipe* recipe) {
  const double tilt = radian(recipe->angle), heading = radian(recipe->heading);
  const double gravity[3] = {recipe->gravity * sin(tilt) * cos(heading), recipe->gravity * sin(tilt) * sin(heading),
                             -recipe->gravity * cos(tilt)};
  ChRig* rig = ch_rig_create(3, recipe->h, gravity);
  const double size[3] = {0.2, 0.2, 0.05};
  for (int i = 0; i < (int)recipe->n; ++i) {
    const double centre[3] = {0.0, 0.5 * i, 0.5 * size[2]};
    const double low[2] = {-0.1, 0.5 * i - 0.1}, high[2] = {0.1, 0.5 * i + 0.1};
    const int box = ch_rig_add_box(rig, DENSITY, size, NULL, centre);
    ch_rig_add_face(rig, CH_RIG_GROUND, box, low, high, 0.0, recipe->mu, recipe->gap / recipe->h);
  }
  ch_rig_shake(rig, recipe->noise, size[0], recipe->seed);
  return rig;
}

// --- elliptic friction
// ------------------------------------------------------------------------------------------------ Boxes that slide
// over a grooved floor, mu along the grooves and mu2 across, each in its own direction.

ChRig* ch_skates_assemble(const ChRecipe* recipe) {
  static const double groove[3] = {1, 0, 0};
  ChRig* rig = ch_recipe_rig(recipe, 3);
  const double size[3] = {0.2, 0.2, 0.04}, mu[2] = {recipe->mu, recipe->mu2};
  for (int i = 0; i < (int)recipe->n; ++i) {
    const double centre[3] = {0.5 * i, 0.0, 0.5 * size[2]}, way = radian(recipe->heading + 30.0 * i);
    const double velocity[6] = {cos(way), sin(way), 0, 0, 0, 0};
    const int box = ch_rig_add_box(rig, DENSITY, size, NULL, centre);
    ch_rig_push(rig, box, velocity);
    for (int k = 0; k < 4; ++k) {
      const double point[3] = {centre[0] + (k & 1 ? 0.1 : -0.1), k & 2 ? 0.1 : -0.1, 0.0};
      const int block = ch_rig_add_elliptic(rig, CH_RIG_GROUND, box, point, UP, groove, mu);
      ch_rig_add_bias(rig, block, 0, recipe->gap / recipe->h);
    }
  }
  ch_rig_shake(rig, recipe->noise, size[0], recipe->seed);
  return rig;
}

// --- joints ----------------------------------------------------------------------------------------------------------

// Links hang one from another at 45 degrees, the first from the ceiling; the last touches the floor at its lower end.
// A pyramid stands on the corners of a regular hexagon (000, figure 1): any three of them that are not next to each
// other carry it alone. Moments of inertia are those of a cone about its centre of mass.
ChRig* ch_hexagon_assemble(const ChRecipe* recipe) {
  ChRig* rig = ch_recipe_rig(recipe, 3);
  const double side = 0.1, height = 0.12, mass = 1.0;
  const double across = mass * (3.0 / 20.0 * side * side + 3.0 / 80.0 * height * height);
  const double inertia[9] = {[0] = across, [4] = across, [8] = 0.3 * mass * side * side};
  for (int i = 0; i < (int)recipe->n; ++i) {
    const double centre[3] = {3.0 * side * i, 0.0, 0.25 * height};
    const int body = ch_rig_add_body(rig, mass, inertia, centre);
    for (int k = 0; k < 6; ++k) {
      const double corner[3] = {centre[0] + side * cos(k * acos(0.5)), side * sin(k * acos(0.5)), 0.0};
      ch_rig_add_bias(rig, ch_rig_add_contact(rig, CH_RIG_GROUND, body, corner, UP, recipe->mu), 0,
                      recipe->gap / recipe->h);
    }
  }
  ch_rig_shake(rig, recipe->noise, side, recipe->seed);
  return rig;
}

ChRig* ch_chain_assemble(const ChRecipe* recipe) {
  ChRig* rig = ch_recipe_rig(recipe, 3);
  const int n = (int)recipe->n;
  const double length = 0.1, slant = sqrt(0.5), size[3] = {length, 0.02, 0.02};
  const double axes[9] = {slant, 0, slant, 0, 1, 0, -slant, 0, slant};
  const double mass = DENSITY * size[0] * size[1] * size[2];
  double end[3] = {0.0, 0.0, n * length * slant};
  for (int i = 0; i < n; ++i) {
    const double step = length * slant;
    const double centre[3] = {end[0] + 0.5 * step, 0.0, end[2] - 0.5 * step};
    const double share = i == n - 1 ? recipe->mass_ratio : 1.0;
    const int link = ch_rig_add_box_of_mass(rig, mass * share, size, axes, centre);
    ch_rig_add_ball(rig, i == 0 ? CH_RIG_GROUND : link - 1, link, end);
    end[0] += step, end[2] -= step;
  }
  const int block = ch_rig_add_contact(rig, CH_RIG_GROUND, n - 1, end, UP, recipe->mu);
  ch_rig_add_bias(rig, block, 0, recipe->gap / recipe->h);
  ch_rig_shake(rig, recipe->noise, length, recipe->seed);
  return rig;
}

// A flap turns about a hinge at its near edge and rests, at its far edge, on a block that stands on the floor.
ChRig* ch_door_assemble(const ChRecipe* recipe) {
  static const double axis[3] = {0, 1, 0};
  ChRig* rig = ch_recipe_rig(recipe, 3);
  const double flap[3] = {0.4, 0.2, 0.02}, block[3] = {0.1, 0.2, 0.2};
  const double bias = recipe->gap / recipe->h;
  for (int i = 0; i < (int)recipe->n; ++i) {
    const double y = 0.5 * i;
    const double block_centre[3] = {0.4, y, 0.1}, flap_centre[3] = {0.2, y, 0.21}, hinge[3] = {0.0, y, 0.21};
    const double low[2] = {0.35, y - 0.1}, high[2] = {0.45, y + 0.1}, edge[2] = {0.4, y + 0.1};
    const int stand = ch_rig_add_box(rig, DENSITY, block, NULL, block_centre);
    const int door = ch_rig_add_box(rig, DENSITY, flap, NULL, flap_centre);
    ch_rig_add_face(rig, CH_RIG_GROUND, stand, low, high, 0.0, recipe->mu, bias);
    ch_rig_add_face(rig, stand, door, low, edge, 0.2, recipe->mu, bias);
    ch_rig_add_hinge(rig, CH_RIG_GROUND, door, hinge, axis);
  }
  ch_rig_shake(rig, recipe->noise, 0.2, recipe->seed);
  return rig;
}

// A carriage on wheels: hinges, motors that may be too weak for the wanted speed, elliptic tyres, and a stop (a
// unilateral row) in front: every law in one problem.
ChRig* ch_wheels_assemble(const ChRecipe* recipe) {
  static const double axle[3] = {0, 1, 0}, back[3] = {-1, 0, 0}, forward[3] = {1, 0, 0};
  ChRig* rig = ch_recipe_rig(recipe, 3);
  const int n = (int)recipe->n;
  const double radius = 0.1, size[3] = {0.4 * n, 0.3, 0.1}, mu[2] = {recipe->mu, recipe->mu2};
  const double centre[3] = {0.2 * (n - 1), 0.0, 0.2};
  const int carriage = ch_rig_add_box(rig, DENSITY, size, NULL, centre);
  for (int i = 0; i < 2 * n; ++i) {
    const double hub[3] = {0.4 * (i / 2), i % 2 ? 0.2 : -0.2, radius};
    const double ground[3] = {hub[0], hub[1], 0.0};
    const int wheel = ch_rig_add_sphere(rig, DENSITY, radius, hub);
    ch_rig_add_hinge(rig, carriage, wheel, hub, axle);
    ch_rig_add_motor(rig, carriage, wheel, axle, 5.0, (i + 1) * 1e-4);
    const int tyre = ch_rig_add_elliptic(rig, CH_RIG_GROUND, wheel, ground, UP, forward, mu);
    ch_rig_add_bias(rig, tyre, 0, recipe->gap / recipe->h);
  }
  const double stop[3] = {centre[0] + 0.5 * size[0], 0.0, 0.2};
  const int block = ch_rig_add_unilateral(rig, CH_RIG_GROUND, carriage, stop, back);
  ch_rig_add_bias(rig, block, 0, recipe->gap / recipe->h);
  ch_rig_shake(rig, recipe->noise, size[1], recipe->seed);
  return rig;
}

// --- random, unsymmetric
// ---------------------------------------------------------------------------------------------- W = A A^T + a skew
// part: positive definite in its symmetric part (A has more columns than rows), so a solution exists.

typedef struct Dense {
  int rows;
  double* value;
} Dense;

static Dense random_matrix(ChRandom* random, int rows, double asymmetry) {
  const int columns = rows + 6;
  double* A = calloc((size_t)rows * (size_t)columns, sizeof *A);
  Dense W = {rows, calloc((size_t)rows * (size_t)rows, sizeof(double))};
  if (!A || !W.value) abort();
  for (int k = 0; k < rows * columns; ++k) A[k] = ch_random_normal(random);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < rows; ++j)
      for (int k = 0; k < columns; ++k) W.value[i * rows + j] += A[i * columns + k] * A[j * columns + k] / columns;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < i; ++j) {
      const double skew = asymmetry * ch_random_uniform(random, -0.5, 0.5);
      W.value[i * rows + j] += skew;
      W.value[j * rows + i] -= skew;
    }
  free(A);
  return W;
}

ChStatus ch_bag_build(ChContext* context, const ChRecipe* recipe, ChProblem** out) {
  const int contacts = (int)recipe->n, rows = 3 * contacts;
  ChRandom random = ch_random_seeded(recipe->seed);
  Dense W = random_matrix(&random, rows, recipe->asymmetry);
  ChBlock* blocks = calloc((size_t)contacts, sizeof *blocks);
  int* index = calloc(2 * (size_t)rows * (size_t)rows, sizeof *index);
  double* q = calloc((size_t)rows, sizeof *q);
  if (!blocks || !index || !q) abort();
  int *row = index, *column = index + rows * rows;
  for (int k = 0; k < rows * rows; ++k) row[k] = k / rows, column[k] = k % rows;
  for (int i = 0; i < contacts; ++i) {
    blocks[i] = (ChBlock){.law = CH_LAW_CONTACT, .dimension = 3, .mu = {recipe->mu, recipe->mu}};
    q[3 * i] = ch_random_uniform(&random, -1.5, 0.5);
    for (int k = 1; k < 3; ++k) q[3 * i + k] = ch_random_normal(&random);
  }
  const ChProblemDef def = {.form = CH_FORM_LOCAL,
                            .dimension = 3,
                            .block_count = contacts,
                            .blocks = blocks,
                            .W = {rows, rows, (long)rows * rows, row, column, W.value},
                            .w = q};
  const ChStatus status = ch_problem_build(context, &def, out);
  free(W.value);
  free(blocks);
  free(index);
  free(q);
  return status;
}
