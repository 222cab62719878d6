// The table of families and what they share.
#include "support/families.h"

#include <math.h>
#include <string.h>

#include "cardhouse/delassus.h"
#include "problem/contact_problem.h"

static void adjust_cards(ChRecipe* r) { r->n = 4; }
static void adjust_arch(ChRecipe* r) { r->n = 27, r->mu = 0.6; }
static void adjust_pile(ChRecipe* r) { r->n = 10; }
static void adjust_pyramid(ChRecipe* r) { r->n = 5; }
static void adjust_tower(ChRecipe* r) { r->n = 5, r->mu = 0.5; }
static void adjust_wall(ChRecipe* r) { r->n = 5, r->mu = 0.6; }
static void adjust_incline(ChRecipe* r) { r->n = 1, r->mu = 0.5, r->angle = 20; }
static void adjust_chain(ChRecipe* r) { r->n = 8; }
static void adjust_wheels(ChRecipe* r) { r->n = 2, r->mu = 0.5; }
static void adjust_bag(ChRecipe* r) { r->n = 12, r->mu = 0.6; }

static const ChFamily families[] = {
    {"cards", "card house of n levels", adjust_cards, ch_cards_assemble, NULL},
    {"arch", "masonry arch of n voussoirs, semicircle or catenary", adjust_arch, ch_arch_assemble, NULL},
    {"pile", "triangular pile of spheres in a vertical plane, n in the bottom row", adjust_pile, ch_pile_assemble,
     NULL},
    {"pyramid", "square pyramid of spheres, n by n at the bottom", adjust_pyramid, ch_pyramid_assemble, NULL},
    {"rain", "n separate spheres that strike the floor", adjust_pile, ch_rain_assemble, NULL},
    {"tower", "n boxes one upon another, four contacts a face", adjust_tower, ch_tower_assemble, NULL},
    {"wall", "n rows of boxes in running bond, four contacts a face", adjust_wall, ch_wall_assemble, NULL},
    {"disks", "triangular pile of disks in the plane", adjust_pile, ch_disks_assemble, NULL},
    {"planar-wall", "running bond in the plane, two contacts a face", adjust_wall, ch_planar_wall_assemble, NULL},
    {"beads", "pile of spheres with unilateral rows instead of contacts", adjust_pile, ch_beads_assemble, NULL},
    {"incline", "n boxes side by side on a slope, four contacts each", adjust_incline, ch_incline_assemble, NULL},
    {"skates", "n boxes on a floor with elliptic friction", adjust_tower, ch_skates_assemble, NULL},
    {"hexagon", "a hexagonal pyramid on its six corners, n of them side by side", adjust_incline, ch_hexagon_assemble,
     NULL},
    {"chain", "n links on ball joints; the last one drags along the floor", adjust_chain, ch_chain_assemble, NULL},
    {"door", "n flaps on hinges that rest on blocks", adjust_tower, ch_door_assemble, NULL},
    {"wheels", "n wheels on hinges, driven by motors with limits, on the floor", adjust_wheels, ch_wheels_assemble,
     NULL},
    {"bag", "n random contacts with an unsymmetric W (local form only)", adjust_bag, NULL, ch_bag_build},
};

int ch_family_count(void) { return (int)(sizeof families / sizeof families[0]); }
const ChFamily* ch_family_at(int index) { return &families[index]; }

const ChFamily* ch_family_find(const char* name) {
  for (int i = 0; i < ch_family_count(); ++i)
    if (strcmp(families[i].name, name) == 0) return &families[i];
  return NULL;
}

ChRecipe ch_recipe_default(const ChFamily* family) {
#define X(name, value, text) .name = (value),
  ChRecipe recipe = {CH_RECIPE_FIELDS(X)};
#undef X
  if (family->adjust) family->adjust(&recipe);
  return recipe;
}

bool ch_recipe_set(ChRecipe* recipe, const char* name, double value) {
#define X(field, unless, text) \
  if (strcmp(name, #field) == 0) return recipe->field = value, true;
  CH_RECIPE_FIELDS(X)
#undef X
  return false;
}

static ChStatus generate_rigid(ChContext* context, const ChFamily* family, const ChRecipe* recipe, ChForm form,
                               ChProblem** out) {
  if (!family->assemble) {
    if (form == CH_FORM_LOCAL) return family->build(context, recipe, out);
    return ch_fail(context, CH_ERR_UNSUPPORTED, "family %s has no global form", family->name);
  }
  ChRig* rig = family->assemble(recipe);
  const ChStatus status = ch_rig_build(context, rig, form, out);
  ch_rig_destroy(rig);
  return status;
}

static ChStatus make_cohesive(ChContext* context, double pull, ChProblem* problem) {
  const ChProblemView view = ch_problem_view(problem);
  ChStatus status = CH_OK;
  for (int i = 0; i < view.block_count && status == CH_OK; ++i) {
    ChBlock block = view.blocks[i];
    if (!ch_law_info(block.law)->friction) continue;
    block.law = CH_LAW_COHESIVE;
    block.more[0] = pull;
    status = ch_problem_set_block(context, problem, i, &block);
  }
  return status;
}

static void make_friction_fall(const ChRecipe* recipe, ChProblem* problem) {
  const ChFrictionCurve at_once = {.count = 1, .share = {recipe->falls}};
  const ChFrictionCurve slowly = {.count = 2, .speed = {0.0, recipe->over}, .share = {1.0, recipe->falls}};
  ch_problem_set_curves(problem, 1, recipe->over > 0.0 ? &slowly : &at_once);
  for (int i = 0; i < problem->block_count; ++i)
    problem->blocks[i].curve = ch_law_info(problem->blocks[i].law)->friction;
}

// Longer forwards than back, and not as wide as long.
static ChStatus make_sections(ChContext* context, const ChRecipe* recipe, ChProblem* problem) {
  const ChProblemView view = ch_problem_view(problem);
  ChFrictionSection section = {.count = (int)recipe->corners};
  ChStatus status = CH_OK;
  for (int k = 0; k < section.count && section.count <= CH_FRICTION_CORNERS_MAX; ++k) {
    const double angle = 2.0 * acos(-1.0) * (k + 0.3) / section.count;
    section.corner[k][0] = recipe->mu * (0.2 + 0.8 * cos(angle)), section.corner[k][1] = recipe->mu * 0.5 * sin(angle);
  }
  for (int i = 0; i < view.block_count && status == CH_OK; ++i) {
    ChBlock block = view.blocks[i];
    if (block.law != CH_LAW_CONTACT || block.dimension != 3) continue;
    block.law = CH_LAW_SECTION, block.section = &section;
    status = ch_problem_set_block(context, problem, i, &block);
  }
  return status;
}

// Compliances along normals, and along tangents; the former first, so that both are relative to the same.
static ChStatus make_compliant(ChContext* context, const ChRecipe* recipe, ChProblem* problem) {
  ChStatus status = ch_problem_set_compliance(context, problem, recipe->shear);
  for (int i = 0; i < problem->block_count; ++i)
    if (ch_block_compliance(&problem->blocks[i]) > 0.0) problem->blocks[i].shear = problem->blocks[i].compliance;
  return status == CH_OK ? ch_problem_set_compliance(context, problem, recipe->compliance) : status;
}

static ChStatus make_springs(ChContext* context, double compliance, ChProblem* problem) {
  const ChProblemView view = ch_problem_view(problem);
  ChStatus status = CH_OK;
  for (int i = 0; i < view.block_count && status == CH_OK; ++i) {
    const ChLawInfo* law = ch_law_info(view.blocks[i].law);
    if (law->opens || law->equation) continue;
    const ChBlock block = {.law = CH_LAW_ELASTIC, .dimension = 1, .compliance = compliance};
    status = ch_problem_set_block(context, problem, i, &block);
  }
  return status;
}

ChStatus ch_family_generate(ChContext* context, const ChFamily* family, const ChRecipe* recipe, ChForm form,
                            ChProblem** out) {
  ChStatus status = generate_rigid(context, family, recipe, form, out);
  if (status == CH_OK && recipe->pull > 0.0) status = make_cohesive(context, recipe->pull, *out);
  if (status == CH_OK && recipe->falls > 0.0) make_friction_fall(recipe, *out);
  if (status == CH_OK && recipe->spring > 0.0) status = make_springs(context, recipe->spring, *out);
  if (status == CH_OK && recipe->corners > 0.0) status = make_sections(context, recipe, *out);
  if (status != CH_OK || (recipe->compliance == 0.0 && recipe->shear == 0.0)) return status;
  return make_compliant(context, recipe, *out);
}

ChRig* ch_recipe_rig(const ChRecipe* recipe, int dimension) {
  double gravity[3] = {0.0, 0.0, 0.0};
  gravity[dimension - 1] = -recipe->gravity;
  ChRig* rig = ch_rig_create(dimension, recipe->h, gravity);
  ch_rig_set_moments(rig, recipe->rolling, recipe->drilling, recipe->shared > 0.0);
  return rig;
}

void ch_rig_add_face(ChRig* rig, int a, int b, const double low[2], const double high[2], double z, double mu,
                     double bias) {
  static const double up[3] = {0, 0, 1};
  for (int k = 0; k < 4; ++k) {
    const double point[3] = {k & 1 ? high[0] : low[0], k & 2 ? high[1] : low[1], z};
    const int block = ch_rig_add_contact(rig, a, b, point, up, mu);
    ch_rig_add_bias(rig, block, 0, bias);
  }
}
