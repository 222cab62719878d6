// The card house: n levels of leaning pairs, flat cards between the levels.
//
// A leaning card is a thin box. Its lower inner edge stands on what is below; the two cards of a pair touch at the
// inner edges of their upper ends; a flat card lies on the outer upper edges of two neighbouring pairs. Every edge
// gives two contacts, at the card's two ends along y.
#include <math.h>
#include <stdlib.h>

#include "support/families.h"

static const double LENGTH = 0.088, WIDTH = 0.063, THICKNESS = 0.0003, DENSITY = 1000.0;

typedef struct House {
  ChRig* rig;
  double mu, bias;
  double along, up;  // cosine and sine of the leaning angle
  double spacing;    // between the apexes of a level
} House;

static void add_edge(House* h, int a, int b, double x, double z, const double normal[3]) {
  for (int side = -1; side <= 1; side += 2) {
    const double point[3] = {x, side * 0.5 * WIDTH, z};
    const int block = ch_rig_add_contact(h->rig, a, b, point, normal, h->mu);
    ch_rig_add_bias(h->rig, block, 0, h->bias);
  }
}

// One card of a pair: side +1 leans right (and stands left of the apex), -1 leans left.
static int add_leaning(House* h, double apex, double floor, int side) {
  const double axis[3] = {side * h->along, 0.0, h->up};      // along the card, upward
  const double outward[3] = {-side * h->up, 0.0, h->along};  // its outer face
  const double axes[9] = {axis[0], 0, outward[0], 0, 1, 0, axis[2], 0, outward[2]};
  const double foot = apex - side * LENGTH * h->along;
  const double centre[3] = {foot + 0.5 * LENGTH * axis[0] + 0.5 * THICKNESS * outward[0], 0.0,
                            floor + 0.5 * LENGTH * axis[2] + 0.5 * THICKNESS * outward[2]};
  const double size[3] = {LENGTH, WIDTH, THICKNESS};
  return ch_rig_add_box(h->rig, DENSITY, size, axes, centre);
}

// A pair on `below`; returns its left card, the right one follows it.
static int add_pair(House* h, int below, double apex, double floor) {
  static const double up[3] = {0, 0, 1}, right[3] = {1, 0, 0};
  const int left_card = add_leaning(h, apex, floor, +1), right_card = add_leaning(h, apex, floor, -1);
  add_edge(h, below, left_card, apex - LENGTH * h->along, floor, up);
  add_edge(h, below, right_card, apex + LENGTH * h->along, floor, up);
  add_edge(h, left_card, right_card, apex, floor + LENGTH * h->up, right);
  return left_card;
}

// A flat card between the apexes at x and x + spacing, upon the right card of one pair and the left card of the next.
static int add_flat(House* h, double x, double z, int under_left, int under_right) {
  static const double up[3] = {0, 0, 1};
  const double ledge = THICKNESS * h->up, play = 0.3 * THICKNESS;
  const double size[3] = {h->spacing - 2.0 * play, WIDTH, THICKNESS};
  const double centre[3] = {x + 0.5 * h->spacing, 0.0, z + 0.5 * THICKNESS};
  const int card = ch_rig_add_box(h->rig, DENSITY, size, NULL, centre);
  add_edge(h, under_left, card, x + ledge, z, up);
  add_edge(h, under_right, card, x + h->spacing - ledge, z, up);
  return card;
}

ChRig* ch_cards_assemble(const ChRecipe* recipe) {
  const int levels = (int)recipe->n;
  const double angle = recipe->angle * 3.141592653589793 / 180.0;
  House h = {.rig = ch_recipe_rig(recipe, 3),
             .mu = recipe->mu,
             .bias = recipe->gap / recipe->h,
             .along = cos(angle),
             .up = sin(angle)};
  h.spacing = 2.0 * LENGTH * h.along + 3.0 * THICKNESS;
  int* flat = calloc((size_t)levels + 1, sizeof *flat);
  int* pair = calloc((size_t)levels + 1, sizeof *pair);
  if (!flat || !pair) abort();
  double floor = 0.0;
  for (int level = 0; level < levels; ++level) {
    const int pairs = levels - level;
    const double x0 = 0.5 * level * h.spacing;
    const double top = floor + LENGTH * h.up + THICKNESS * h.along;
    for (int j = 0; j < pairs; ++j)
      pair[j] = add_pair(&h, level == 0 ? CH_RIG_GROUND : flat[j], x0 + j * h.spacing, floor);
    for (int j = 0; j + 1 < pairs; ++j) flat[j] = add_flat(&h, x0 + j * h.spacing, top, pair[j] + 1, pair[j + 1]);
    floor = top + THICKNESS;
  }
  free(flat);
  free(pair);
  ch_rig_shake(h.rig, recipe->noise, LENGTH, recipe->seed);
  return h.rig;
}
