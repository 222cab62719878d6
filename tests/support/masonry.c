// Masonry: the arch of voussoirs, towers and walls of boxes in space and in the plane.
#include <math.h>
#include <stdlib.h>

#include "support/families.h"

static const double PI = 3.141592653589793;
static const double DENSITY = 2000.0;

// --- the arch
// --------------------------------------------------------------------------------------------------------- Joints cut
// the centreline at right angles; a voussoir is the quadrilateral between two joints, extruded along y.

typedef struct Joint {
  double x, z;    // on the centreline
  double nx, nz;  // outward normal of the centreline, which is the direction of the joint
} Joint;

// Semicircle of radius 1 from (-1, 0) over the top to (1, 0).
static Joint semicircle_joint(double share) {
  const double angle = PI * (1.0 - share);
  return (Joint){cos(angle), sin(angle), cos(angle), sin(angle)};
}

// z = c (cosh(1/c) - cosh(x/c)) with feet at x = -1 and 1 and rise 1; `share` is a share of its length.
static Joint catenary_joint(double share) {
  double lo = 0.3, hi = 1.0;  // rise c (cosh(1/c) - 1) falls with c from above 1 to below 1 here
  for (int k = 0; k < 60; ++k) {
    const double c = 0.5 * (lo + hi);
    if (c * (cosh(1.0 / c) - 1.0) > 1.0)
      lo = c;
    else
      hi = c;
  }
  const double c = 0.5 * (lo + hi);
  const double x = c * asinh((2.0 * share - 1.0) * sinh(1.0 / c));
  const double slope = -sinh(x / c), length = sqrt(1.0 + slope * slope);
  return (Joint){x, c * (cosh(1.0 / c) - cosh(x / c)), -slope / length, 1.0 / length};
}

typedef struct Quad {
  double x[4], z[4];
} Quad;

static Quad voussoir(const Joint* a, const Joint* b, double thickness) {
  const double t = 0.5 * thickness;
  return (Quad){{a->x - t * a->nx, a->x + t * a->nx, b->x + t * b->nx, b->x - t * b->nx},
                {a->z - t * a->nz, a->z + t * a->nz, b->z + t * b->nz, b->z - t * b->nz}};
}

// Area, first and second moments of the quadrilateral by the boundary sums of its triangles with the origin.
static int add_voussoir(ChRig* rig, const Quad* quad, double width) {
  double area = 0, sx = 0, sz = 0, sxx = 0, szz = 0, sxz = 0;
  for (int k = 0; k < 4; ++k) {
    const double x = quad->x[k], z = quad->z[k], X = quad->x[(k + 1) % 4], Z = quad->z[(k + 1) % 4];
    const double twice = X * z - x * Z;  // corners go clockwise
    area += twice / 2;
    sx += twice * (x + X) / 6;
    sz += twice * (z + Z) / 6;
    sxx += twice * (x * x + x * X + X * X) / 12;
    szz += twice * (z * z + z * Z + Z * Z) / 12;
    sxz += twice * (2 * x * z + x * Z + X * z + 2 * X * Z) / 24;
  }
  const double cx = sx / area, cz = sz / area, m = DENSITY * area * width;
  const double xx = m * (sxx / area - cx * cx), zz = m * (szz / area - cz * cz), xz = m * (sxz / area - cx * cz);
  const double yy = m * width * width / 12;
  const double inertia[9] = {yy + zz, 0, -xz, 0, xx + zz, 0, -xz, 0, xx + yy};
  const double centre[3] = {cx, 0.0, cz};
  return ch_rig_add_body(rig, m, inertia, centre);
}

static void add_joint(ChRig* rig, int a, int b, const Joint* joint, double thickness, double width, double mu,
                      double bias) {
  const double normal[3] = {joint->nz, 0.0, -joint->nx};  // along the centreline, from left to right
  for (int k = 0; k < 4; ++k) {
    const double t = (k & 1 ? 0.5 : -0.5) * thickness;
    const double point[3] = {joint->x + t * joint->nx, (k & 2 ? 0.5 : -0.5) * width, joint->z + t * joint->nz};
    ch_rig_add_bias(rig, ch_rig_add_contact(rig, a, b, point, normal, mu), 0, bias);
  }
}

ChRig* ch_arch_assemble(const ChRecipe* recipe) {
  const double width = 0.3;
  const int n = (int)recipe->n;
  ChRig* rig = ch_recipe_rig(recipe, 3);
  Joint last = {0};
  for (int j = 0; j <= n; ++j) {
    const double share = (double)j / n;
    const Joint joint = recipe->catenary != 0.0 ? catenary_joint(share) : semicircle_joint(share);
    if (j > 0) {
      const Quad quad = voussoir(&last, &joint, recipe->thickness);
      add_voussoir(rig, &quad, width);
    }
    last = joint;
  }
  for (int j = 0; j <= n; ++j) {
    const double share = (double)j / n;
    const Joint joint = recipe->catenary != 0.0 ? catenary_joint(share) : semicircle_joint(share);
    add_joint(rig, j == 0 ? CH_RIG_GROUND : j - 1, j == n ? CH_RIG_GROUND : j, &joint, recipe->thickness, width,
              recipe->mu, recipe->gap / recipe->h);
  }
  ch_rig_shake(rig, recipe->noise, recipe->thickness, recipe->seed);
  return rig;
}

// --- boxes -----------------------------------------------------------------------------------------------------------

ChRig* ch_tower_assemble(const ChRecipe* recipe) {
  ChRig* rig = ch_recipe_rig(recipe, 3);
  const double size[3] = {0.2, 0.2, 0.1}, low[2] = {-0.1, -0.1}, high[2] = {0.1, 0.1};
  const double mass = DENSITY * size[0] * size[1] * size[2];
  const int n = (int)recipe->n;
  for (int i = 0; i < n; ++i) {
    const double centre[3] = {0.0, 0.0, (i + 0.5) * size[2]};
    const double share = i == n - 1 ? recipe->mass_ratio : 1.0;
    const int box = ch_rig_add_box_of_mass(rig, mass * share, size, NULL, centre);
    ch_rig_add_face(rig, i == 0 ? CH_RIG_GROUND : box - 1, box, low, high, i * size[2], recipe->mu,
                    recipe->gap / recipe->h);
  }
  ch_rig_shake(rig, recipe->noise, size[0], recipe->seed);
  return rig;
}

// Running bond: rows of n boxes, every second row shifted by half a box and closed by half boxes at both ends.
static int bond_count(int n, int row) { return row % 2 ? n + 1 : n; }

// Left end of box j of a row, in box lengths; j = bond_count gives the right end of the row.
static double bond_cut(int n, int row, int j) {
  if (row % 2 == 0) return j;
  return j == 0 ? 0.0 : j == n + 1 ? n : j - 0.5;
}

// `face` joins box a below and box b above between x0 and x1.
typedef void (*FaceFn)(ChRig* rig, const ChRecipe* recipe, int a, int b, double x0, double x1, double height);

static void join_rows(ChRig* rig, const ChRecipe* recipe, int row, int below, double length, double z, FaceFn face) {
  const int n = (int)recipe->n, first = below + bond_count(n, row - 1);
  for (int i = 0, j = 0; i < bond_count(n, row - 1) && j < bond_count(n, row);) {
    const double a0 = bond_cut(n, row - 1, i), a1 = bond_cut(n, row - 1, i + 1);
    const double b0 = bond_cut(n, row, j), b1 = bond_cut(n, row, j + 1);
    const double x0 = a0 > b0 ? a0 : b0, x1 = a1 < b1 ? a1 : b1;
    if (x1 > x0) face(rig, recipe, below + i, first + j, x0 * length, x1 * length, z);
    if (a1 <= b1) ++i;
    if (b1 <= a1) ++j;
  }
}

static void build_bond(ChRig* rig, const ChRecipe* recipe, const double size[3], FaceFn face) {
  const int n = (int)recipe->n, up = size[2] > 0.0 ? 2 : 1;
  const double length = size[0], height = size[up];
  int below = CH_RIG_GROUND;
  for (int row = 0; row < n; ++row) {
    const int first = ch_rig_body_count(rig);
    for (int j = 0; j < bond_count(n, row); ++j) {
      const double x0 = bond_cut(n, row, j), x1 = bond_cut(n, row, j + 1);
      const double piece[3] = {(x1 - x0) * length, size[1], size[2]};
      double centre[3] = {0.5 * (x0 + x1) * length, 0.0, 0.0};
      centre[up] = (row + 0.5) * height;
      const int box = ch_rig_add_box(rig, DENSITY, piece, NULL, centre);
      if (row == 0) face(rig, recipe, CH_RIG_GROUND, box, x0 * length, x1 * length, 0.0);
    }
    if (row > 0) join_rows(rig, recipe, row, below, length, row * height, face);
    below = first;
  }
}

static void face_in_space(ChRig* rig, const ChRecipe* recipe, int a, int b, double x0, double x1, double z) {
  const double low[2] = {x0, -0.05}, high[2] = {x1, 0.05};
  ch_rig_add_face(rig, a, b, low, high, z, recipe->mu, recipe->gap / recipe->h);
}

static void face_in_plane(ChRig* rig, const ChRecipe* recipe, int a, int b, double x0, double x1, double y) {
  static const double up[3] = {0, 1, 0};
  const double ends[2][3] = {{x0, y, 0}, {x1, y, 0}};
  for (int k = 0; k < 2; ++k) {
    const int block = ch_rig_add_contact(rig, a, b, ends[k], up, recipe->mu);
    ch_rig_add_bias(rig, block, 0, recipe->gap / recipe->h);
  }
}

ChRig* ch_wall_assemble(const ChRecipe* recipe) {
  ChRig* rig = ch_recipe_rig(recipe, 3);
  const double size[3] = {0.2, 0.1, 0.08};
  build_bond(rig, recipe, size, face_in_space);
  ch_rig_shake(rig, recipe->noise, size[0], recipe->seed);
  return rig;
}

ChRig* ch_planar_wall_assemble(const ChRecipe* recipe) {
  ChRig* rig = ch_recipe_rig(recipe, 2);
  const double size[3] = {0.2, 0.08, 0.0};
  build_bond(rig, recipe, size, face_in_plane);
  ch_rig_shake(rig, recipe->noise, size[0], recipe->seed);
  return rig;
}
