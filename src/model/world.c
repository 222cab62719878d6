// A world: arrays that grow in one arena, materials and their pairs, names.
#include "cardhouse/world.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/friction_section.h"
#include "model/friction_curves.h"
#include "model/look.h"
#include "model/world_build.h"

// ------------------------------------------------------------------------------------------------------- construction

ChStatus ch_world_create(ChContext* context, int dimension, ChWorld** out) {
  *out = NULL;
  if (dimension != 2 && dimension != 3)
    return ch_fail(context, CH_ERR_RANGE, "dimension is %d, must be 2 (plane) or 3 (space)", dimension);
  ChArena* arena = ch_arena_create(NULL);
  ChWorld* world = arena ? CH_TAKE(arena, 1, ChWorld) : NULL;
  if (!world) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory for a world");
  }
  world->arena = arena;
  world->dimension = dimension;
  world->tag = ch_world_next_tag();
  *out = world;
  return CH_OK;
}

void ch_world_destroy(ChWorld* world) {
  if (!world) return;
  ch_arena_destroy(world->state_arena);
  ch_arena_destroy(world->arena);
}

ChStatus ch_world_add(ChContext* context, ChWorld* world, const void* def, int* id, ChAddFn* add) {
  if (!world || !def) return ch_fail(context, CH_ERR_ARGUMENT, "a world and a definition are needed, NULL was given");
  if (world->sealed)
    return ch_fail(context, CH_ERR_ARGUMENT, "the world is already simulated; nothing can be added to it");
  jmp_buf landing;
  if (setjmp(landing)) {
    ch_arena_set_landing(world->arena, NULL);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory while building a world of %d bodies", world->body_count);
  }
  ch_arena_set_landing(world->arena, &landing);
  int unused;
  ChStatus status = add(context, world, def, id ? id : &unused);
  ch_arena_set_landing(world->arena, NULL);
  return status;
}

void* ch_world_grow(ChWorld* world, void* array, int count, int* room, size_t size) {
  if (count < *room) return array;
  int larger = *room < 8 ? 16 : 2 * *room;
  void* moved = ch_arena_take(world->arena, (size_t)larger, size);
  if (count > 0) memcpy(moved, array, (size_t)count * size);
  *room = larger;
  return moved;
}

char* ch_world_copy_text(ChWorld* world, const char* text) {
  if (!text) return NULL;
  size_t size = strlen(text) + 1;
  return memcpy(CH_TAKE(world->arena, size, char), text, size);
}

static ChStatus set_gravity(ChContext* context, ChWorld* world, const void* def, int* id) {
  (void)id;
  const ChSignal* gravity = def;
  for (int k = 0; k < 3; ++k) {
    char what[32];
    snprintf(what, sizeof what, "gravity[%d]", k);
    ChStatus status = ch_signal_check(context, &gravity[k], what);
    if (status != CH_OK) return status;
  }
  const ChSignal* z = &gravity[2];
  if (world->dimension == 2 && (z->base != 0.0 || z->rate != 0.0 || z->amplitude != 0.0 || z->table_count > 0))
    return ch_fail(context, CH_ERR_ARGUMENT, "gravity[2] is given; a plane world has x and y only");
  for (int k = 0; k < 3; ++k) world->gravity[k] = ch_signal_copy(world, &gravity[k]);
  return CH_OK;
}

ChStatus ch_world_set_gravity(ChContext* context, ChWorld* world, const ChSignal gravity[3]) {
  return ch_world_add(context, world, gravity, NULL, set_gravity);
}

// -------------------------------------------------------------------------------------------------------------- checks

ChStatus ch_check_number(ChContext* context, const char* what, const char* name, double value, double lowest) {
  if (isfinite(value) && value >= lowest) return CH_OK;
  return ch_fail(context, CH_ERR_RANGE, "%s: %s is %g, must be finite and >= %g", what, name, value, lowest);
}

ChStatus ch_check_vector(ChContext* context, const ChWorld* world, const char* what, const char* name, ChVec3 value) {
  if (!ch_vec_finite(value))
    return ch_fail(context, CH_ERR_RANGE, "%s: %s is (%g, %g, %g), must be finite", what, name, value.x, value.y,
                   value.z);
  if (world->dimension == 2 && value.z != 0.0)
    return ch_fail(context, CH_ERR_RANGE, "%s: %s has z = %g, must be 0 in a plane world", what, name, value.z);
  return CH_OK;
}

ChStatus ch_check_axis(ChContext* context, const ChWorld* world, const char* what, const char* name, ChVec3* value) {
  ChStatus status = ch_check_vector(context, world, what, name, *value);
  if (status != CH_OK) return status;
  if (!(ch_norm(*value) > 0.0))
    return ch_fail(context, CH_ERR_RANGE, "%s: %s is zero, must be a direction", what, name);
  *value = ch_unit(*value);
  return CH_OK;
}

const char* ch_world_label(const ChWorld* world, int body) {
  return body < 0 ? "the ground" : world->bodies[body].name;
}

ChStatus ch_world_check_bodies(ChContext* context, const ChWorld* world, const ChBodyId id[2], const char* what,
                               int body[2]) {
  for (int k = 0; k < 2; ++k) {
    char which[CH_WHAT_SIZE + 20];
    snprintf(which, sizeof which, "%s: body[%d]", what, k);
    ChStatus status = ch_body_or_ground_find(context, world, id[k], which, &body[k]);
    if (status != CH_OK) return status;
  }
  if (body[0] == body[1])
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: both ends are on %s", what, ch_world_label(world, body[0]));
  if (!ch_body_is_dynamic(world, body[0]) && !ch_body_is_dynamic(world, body[1]))
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: neither %s nor %s is a dynamic body", what,
                   ch_world_label(world, body[0]), ch_world_label(world, body[1]));
  return CH_OK;
}

// ----------------------------------------------------------------------------------------------------------- materials

static ChStatus check_friction(ChContext* context, const ChWorld* world, const char* what, const double friction[2]) {
  if (world->dimension == 2 && friction[0] != friction[1])
    return ch_fail(context, CH_ERR_RANGE, "%s: friction is %g along and %g across; in the plane both must be equal",
                   what, friction[0], friction[1]);
  return CH_OK;
}

static ChStatus check_elasticity(ChContext* context, const char* what, const ChMaterialDef* def) {
  ChStatus status = ch_check_number(context, what, "young", def->young, 0.0);
  if (status == CH_OK) status = ch_check_number(context, what, "stiffness", def->stiffness, 0.0);
  if (status == CH_OK && !(def->poisson > -1.0 && def->poisson <= 0.5))
    status = ch_fail(context, CH_ERR_RANGE, "%s: poisson is %g, must be above -1 and at most 0.5", what, def->poisson);
  if (status == CH_OK && !isfinite(def->damping))
    status = ch_fail(context, CH_ERR_RANGE, "%s: damping is %g, must be finite; negative: from restitution", what,
                     def->damping);
  return status;
}

// Friction along an axis has a section of its own, which goes together with no moment.
static ChStatus check_moments(ChContext* context, const char* what, const ChMaterialDef* def) {
  ChStatus status = ch_check_number(context, what, "rolling", def->rolling, 0.0);
  if (status == CH_OK) status = ch_check_number(context, what, "cohesion", def->cohesion, 0.0);
  if (status == CH_OK) status = ch_check_number(context, what, "drilling", def->drilling, 0.0);
  if (status == CH_OK) status = ch_check_number(context, what, "shear_stiffness", def->shear_stiffness, 0.0);
  if (status == CH_OK) status = ch_check_number(context, what, "shear_damping", def->shear_damping, 0.0);
  if (status == CH_OK && def->shear_damping > 0.0 && !(def->shear_stiffness > 0.0))
    status = ch_fail(context, CH_ERR_ARGUMENT, "%s: shear_damping is %g without a shear_stiffness", what,
                     def->shear_damping);
  if (status == CH_OK && (def->rolling > 0.0 || def->drilling > 0.0) && def->friction[0] != def->friction[1])
    status = ch_fail(context, CH_ERR_RANGE,
                     "%s: friction is %g along and %g across; with rolling or drilling both must be equal", what,
                     def->friction[0], def->friction[1]);
  return status;
}

// Of a law that the program registers nothing else is known here.
static ChStatus check_law(ChContext* context, const char* what, const ChMaterialDef* def) {
  if (!def->law) return CH_OK;
  if (!ch_all_finite(def->law_parameter, CH_MATERIAL_LAW_PARAMETERS))
    return ch_fail(context, CH_ERR_RANGE, "%s: a parameter of its law is not finite", what);
  if (def->section || def->curve.count > 0 || def->rolling > 0.0 || def->drilling > 0.0 || def->cohesion > 0.0 ||
      def->shear_stiffness > 0.0)
    return ch_fail(context, CH_ERR_ARGUMENT,
                   "%s: law '%.50s' excludes a section, a curve, rolling, drilling, cohesion and shear stiffness", what,
                   def->law);
  return CH_OK;
}

static ChStatus check_section(ChContext* context, const ChWorld* world, const char* what, const ChMaterialDef* def) {
  if (!def->section) return CH_OK;
  if (world->dimension == 2)
    return ch_fail(context, CH_ERR_RANGE, "%s: a section of friction is for worlds in space, this one is plane", what);
  if (def->rolling > 0.0 || def->drilling > 0.0 || def->cohesion > 0.0)
    return ch_fail(context, CH_ERR_RANGE, "%s: a section of friction excludes rolling, drilling and cohesion", what);
  return ch_friction_section_check(context, what, def->section);
}

// As it is, or seen in a frame whose first tangent is turned back: what the other of two bodies feels.
static const ChFrictionSection* keep_section(ChWorld* world, const ChFrictionSection* section, bool mirrored) {
  if (!section) return NULL;
  ChFrictionSection* copy = CH_TAKE(world->arena, 1, ChFrictionSection);
  copy->count = section->count;
  for (int k = 0; k < section->count; ++k) {
    const double* corner = section->corner[mirrored ? section->count - 1 - k : k];
    copy->corner[k][0] = mirrored ? -corner[0] : corner[0], copy->corner[k][1] = corner[1];
  }
  return copy;
}

static ChStatus add_material(ChContext* context, ChWorld* world, const void* argument, int* id) {
  const ChMaterialDef* def = argument;
  char what[CH_WHAT_SIZE];
  snprintf(what, sizeof what, "material '%.100s'", def->name ? def->name : "");
  ChStatus status = ch_check_number(context, what, "density", def->density, 0.0);
  for (int k = 0; k < 2 && status == CH_OK; ++k)
    status = ch_check_number(context, what, "friction", def->friction[k], 0.0);
  if (status == CH_OK) status = check_friction(context, world, what, def->friction);
  if (status == CH_OK && !(def->restitution >= 0.0 && def->restitution <= 1.0))
    status = ch_fail(context, CH_ERR_RANGE, "%s: restitution is %g, must be in [0, 1]", what, def->restitution);
  if (status == CH_OK) status = ch_friction_curve_check(context, what, &def->curve);
  if (status == CH_OK) status = check_elasticity(context, what, def);
  if (status == CH_OK) status = check_moments(context, what, def);
  if (status == CH_OK) status = check_section(context, world, what, def);
  if (status == CH_OK && def->section && def->curve.count > 0)
    status = ch_fail(context, CH_ERR_ARGUMENT,
                     "%s: has a section of friction and a curve over speed, must have only one of them", what);
  if (status == CH_OK) status = check_law(context, what, def);
  if (status == CH_OK) status = ch_look_check(context, what, &def->look);
  bool anisotropic = def->friction[0] != def->friction[1];
  ChVec3 axis = def->axis;
  const bool lies = def->law && world->dimension == 3;  // along its axis
  if (status == CH_OK && (anisotropic || def->section || lies))
    status = ch_check_axis(context, world, what, "axis", &axis);
  if (status != CH_OK) return status;

  CH_GROW(world, materials, material_count, material_room);
  world->materials[world->material_count] = (ChMaterial){.name = ch_world_copy_text(world, def->name),
                                                         .density = def->density,
                                                         .friction = {def->friction[0], def->friction[1]},
                                                         .restitution = def->restitution,
                                                         .young = def->young,
                                                         .poisson = def->poisson,
                                                         .stiffness = def->stiffness,
                                                         .damping = def->damping,
                                                         .rolling = def->rolling,
                                                         .drilling = def->drilling,
                                                         .cohesion = def->cohesion,
                                                         .shear_stiffness = def->shear_stiffness,
                                                         .shear_damping = def->shear_damping,
                                                         .heals = def->heals,
                                                         .axis = ch_unit(axis),
                                                         .anisotropic = anisotropic,
                                                         .ellipsoidal = def->ellipsoidal,
                                                         .law = def->law ? ch_world_copy_text(world, def->law) : NULL,
                                                         .look = def->look,
                                                         .curve = ch_world_keep_curve(world, &def->curve)};
  for (int side = 0; side < 2; ++side)
    world->materials[world->material_count].section[side] = keep_section(world, def->section, side == 1);
  memcpy(world->materials[world->material_count].law_parameter, def->law_parameter, sizeof def->law_parameter);
  *id = world->material_count++;
  return CH_OK;
}

ChMaterialDef ch_material_def_default(void) {
  return (ChMaterialDef){.density = 1000.0,
                         .friction = {0.5, 0.5},
                         .axis = {1.0, 0.0, 0.0},
                         .poisson = 0.3,
                         .damping = -1.0,
                         .heals = true};
}

ChStatus ch_world_add_material(ChContext* context, ChWorld* world, const ChMaterialDef* def, ChMaterialId* id) {
  int row;
  ChStatus status = ch_world_add(context, world, def, &row, add_material);
  if (status == CH_OK && id) *id = ch_material_id_of(world, row);
  return status;
}

static bool same_pair(const int a[2], int x, int y) { return (a[0] == x && a[1] == y) || (a[0] == y && a[1] == x); }

static ChStatus add_pair(ChContext* context, ChWorld* world, const void* argument, int* id) {
  const ChPairDef* def = argument;
  int material[2];
  for (int k = 0; k < 2; ++k) {
    ChStatus status = ch_material_find(context, world, def->material[k], "pair", &material[k]);
    if (status != CH_OK) return status;
  }
  char what[CH_WHAT_SIZE];
  snprintf(what, sizeof what, "pair of materials %d and %d", material[0], material[1]);
  for (int k = 0; k < world->pair_count; ++k)
    if (same_pair(world->pairs[k].material, material[0], material[1]))
      return ch_fail(context, CH_ERR_ARGUMENT, "%s: is given twice", what);
  for (int k = 0; k < 2; ++k)
    if (!isfinite(def->friction[k]) || (def->friction[k] < 0.0) != (def->friction[0] < 0.0))
      return ch_fail(context, CH_ERR_RANGE, "%s: friction is (%g, %g), must be finite and >= 0, or both negative", what,
                     def->friction[0], def->friction[1]);
  if (!(def->restitution <= 1.0) || isinf(def->restitution))
    return ch_fail(context, CH_ERR_RANGE, "%s: restitution is %g, must be in [0, 1], or negative", what,
                   def->restitution);
  if (!isfinite(def->stiffness) || !isfinite(def->damping))
    return ch_fail(context, CH_ERR_RANGE, "%s: stiffness is %g and damping %g, must be finite", what, def->stiffness,
                   def->damping);
  if (!isfinite(def->rolling) || !isfinite(def->drilling) || !isfinite(def->cohesion))
    return ch_fail(context, CH_ERR_RANGE, "%s: rolling is %g, drilling %g and cohesion %g, must be finite", what,
                   def->rolling, def->drilling, def->cohesion);
  if (!isfinite(def->shear_stiffness) || !isfinite(def->shear_damping))
    return ch_fail(context, CH_ERR_RANGE, "%s: shear_stiffness is %g and shear_damping %g, must be finite", what,
                   def->shear_stiffness, def->shear_damping);
  ChStatus status = def->friction[0] < 0.0 ? CH_OK : check_friction(context, world, what, def->friction);
  if (status == CH_OK) status = ch_friction_curve_check(context, what, &def->curve);
  if (status == CH_OK && def->friction[0] < 0.0 && def->curve.count > 0)
    status = ch_fail(context, CH_ERR_ARGUMENT, "%s: friction over speed is given without friction", what);
  ChVec3 axis = world->materials[material[0]].axis;
  if (status == CH_OK && def->friction[0] >= 0.0 && def->friction[0] != def->friction[1])
    status = ch_check_axis(context, world, what, "axis of the first material", &axis);
  if (status != CH_OK) return status;
  CH_GROW(world, pairs, pair_count, pair_room);
  world->pairs[world->pair_count] = (ChMaterialPair){.material = {material[0], material[1]},
                                                     .friction = {def->friction[0], def->friction[1]},
                                                     .restitution = def->restitution,
                                                     .stiffness = def->stiffness,
                                                     .damping = def->damping,
                                                     .rolling = def->rolling,
                                                     .drilling = def->drilling,
                                                     .cohesion = def->cohesion,
                                                     .shear_stiffness = def->shear_stiffness,
                                                     .shear_damping = def->shear_damping,
                                                     .curve = ch_world_keep_curve(world, &def->curve)};
  *id = world->pair_count++;
  return CH_OK;
}

ChPairDef ch_pair_def_default(void) {
  return (ChPairDef){.friction = {-1.0, -1.0},
                     .restitution = -1.0,
                     .stiffness = -1.0,
                     .damping = -1.0,
                     .rolling = -1.0,
                     .drilling = -1.0,
                     .cohesion = -1.0,
                     .shear_stiffness = -1.0,
                     .shear_damping = -1.0};
}

ChStatus ch_world_add_pair(ChContext* context, ChWorld* world, const ChPairDef* def) {
  return ch_world_add(context, world, def, NULL, add_pair);
}

static ChStatus ignore_pair(ChContext* context, ChWorld* world, const void* argument, int* id) {
  const ChBodyId* ids = argument;
  int body[2];
  for (int k = 0; k < 2; ++k) {
    ChStatus status = ch_body_find(context, world, ids[k], "pair to ignore", &body[k]);
    if (status != CH_OK) return status;
  }
  CH_GROW(world, ignored, ignored_count, ignored_room);
  int* entry = world->ignored[world->ignored_count++];
  entry[0] = body[0] < body[1] ? body[0] : body[1];
  entry[1] = body[0] < body[1] ? body[1] : body[0];
  CH_GROW(world, parted, parted_count, parted_room);
  memcpy(world->parted[world->parted_count++], entry, sizeof *world->parted);
  *id = 0;
  return CH_OK;
}

ChStatus ch_world_ignore_pair(ChContext* context, ChWorld* world, ChBodyId a, ChBodyId b) {
  const ChBodyId body[2] = {a, b};
  return ch_world_add(context, world, body, NULL, ignore_pair);
}

// ------------------------------------------------------------------------------------------------------------ surfaces

// NULL where the rule holds. Binary search: pairs are sorted once the world is sealed.
static const ChMaterialPair* find_pair(const ChWorld* world, int a, int b) {
  int low = 0, high = world->pair_count, x = a < b ? a : b, y = a < b ? b : a;
  while (low < high) {
    int middle = low + (high - low) / 2;
    const int* m = world->pairs[middle].material;
    int u = m[0] < m[1] ? m[0] : m[1], v = m[0] < m[1] ? m[1] : m[0];
    if (u == x && v == y) return &world->pairs[middle];
    if (u < x || (u == x && v < y))
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

// How far a material is from being the same in every direction.
static double anisotropy(const ChMaterial* m) {
  double low = fmin(m->friction[0], m->friction[1]), high = fmax(m->friction[0], m->friction[1]);
  return !m->anisotropic ? 1.0 : low > 0.0 ? high / low : INFINITY;
}

static void set_axis(const ChWorld* world, int shape, ChSurface* out) {
  out->axis_body = world->shapes[shape].body;
  out->axis = world->materials[world->shapes[shape].material].axis;
}

// Friction by the rule: component by component along the axis of the more anisotropic of the two; the other counts with
// its geometric mean.
static void rule_friction(const ChWorld* world, int lead, int other, ChSurface* out) {
  const ChMaterial* a = &world->materials[world->shapes[lead].material];
  const ChMaterial* b = &world->materials[world->shapes[other].material];
  double plain = b->anisotropic ? sqrt(b->friction[0] * b->friction[1]) : b->friction[0];
  for (int k = 0; k < 2; ++k)
    out->friction[k] = a->friction[k] == plain ? plain : sqrt(a->friction[k] * plain);  // equal ones: to the last bit
  if (a->anisotropic) set_axis(world, lead, out);
}

void ch_world_make_isotropic(ChWorld* world) {
  for (int m = 0; m < world->material_count; ++m) {
    world->materials[m].friction[1] = world->materials[m].friction[0];
    world->materials[m].anisotropic = false;
  }
  for (int p = 0; p < world->pair_count; ++p) world->pairs[p].friction[1] = world->pairs[p].friction[0];
}

double ch_world_friction(const ChWorld* world, int a, int b) {
  bool there = a >= 0 && b >= 0 && a < world->shape_count && b < world->shape_count;
  return there ? ch_world_surface(world, a, b).friction[0] : 0.0;
}

bool ch_world_is_elliptic(const ChWorld* world) {
  for (int m = 0; m < world->material_count; ++m)
    if (world->materials[m].friction[0] != world->materials[m].friction[1]) return true;
  for (int p = 0; p < world->pair_count; ++p)
    if (world->pairs[p].friction[0] != world->pairs[p].friction[1]) return true;
  return false;
}

// Two that yield one behind the other, each with half of what two of its kind yield: the harmonic mean. Where one is
// not given it counts as rigid for Hertz, and the other's stiffness holds.
static double joint_stiffness(double a, double b) {
  if (!(a > 0.0 && b > 0.0)) return fmax(a, b);
  return a == b ? a : 2.0 / (1.0 / a + 1.0 / b);
}

static double hertz_modulus(const ChMaterial* a, const ChMaterial* b) {
  double yields = 0.0;
  if (a->young > 0.0) yields += (1.0 - a->poisson * a->poisson) / a->young;
  if (b->young > 0.0) yields += (1.0 - b->poisson * b->poisson) / b->young;
  return yields > 0.0 ? 1.0 / yields : 0.0;
}

static void set_elasticity(const ChMaterial* a, const ChMaterial* b, const ChMaterialPair* pair, ChSurface* out) {
  out->stiffness = joint_stiffness(a->stiffness, b->stiffness);
  out->modulus = hertz_modulus(a, b);
  out->damping = fmax(a->damping, b->damping);
  if (pair && pair->stiffness > 0.0) out->stiffness = pair->stiffness;
  if (pair && pair->damping >= 0.0) out->damping = pair->damping;
}

// Some shape of this material, or -1.
static int shape_of(const ChWorld* world, int material) {
  int k = 0;
  while (k < world->shape_count && world->shapes[k].material != material) ++k;
  return k < world->shape_count ? k : -1;
}

// The one that gives way more sets the moment.
static void set_moments(const ChWorld* world, const ChMaterial* a, const ChMaterial* b, const ChMaterialPair* pair,
                        ChSurface* out) {
  out->rolling = pair && pair->rolling >= 0.0 ? pair->rolling : fmax(a->rolling, b->rolling);
  out->drilling = pair && pair->drilling >= 0.0 ? pair->drilling : fmax(a->drilling, b->drilling);
  if (world->dimension == 2) out->drilling = 0.0;
  out->ellipsoidal = a->ellipsoidal || b->ellipsoidal;
}

// The bond is as strong as the weaker of the two.
static void set_cohesion(const ChMaterial* a, const ChMaterial* b, const ChMaterialPair* pair, ChSurface* out) {
  out->cohesion = pair && pair->cohesion >= 0.0 ? pair->cohesion : fmin(a->cohesion, b->cohesion);
  out->heals = a->heals && b->heals;
}

// Two springs one behind the other, as along the normal; the larger of the dampers.
static void set_shear(const ChMaterial* a, const ChMaterial* b, const ChMaterialPair* pair, ChSurface* out) {
  const bool given = pair && pair->shear_stiffness >= 0.0;
  out->shear_stiffness = given ? pair->shear_stiffness : joint_stiffness(a->shear_stiffness, b->shear_stiffness);
  if (!(out->shear_stiffness > 0.0)) return;
  const bool damped = pair && pair->shear_damping >= 0.0;
  out->shear_damping = damped ? pair->shear_damping : fmax(a->shear_damping, b->shear_damping);
}

bool ch_world_is_sheared(const ChWorld* world) {
  for (int m = 0; m < world->material_count; ++m)
    if (world->materials[m].shear_stiffness > 0.0) return true;
  for (int p = 0; p < world->pair_count; ++p)
    if (world->pairs[p].shear_stiffness > 0.0) return true;
  return false;
}

bool ch_world_is_cohesive(const ChWorld* world) {
  for (int m = 0; m < world->material_count; ++m)
    if (world->materials[m].cohesion > 0.0) return true;
  for (int p = 0; p < world->pair_count; ++p)
    if (world->pairs[p].cohesion > 0.0) return true;
  return false;
}

bool ch_world_has_moments(const ChWorld* world) {
  for (int m = 0; m < world->material_count; ++m)
    if (world->materials[m].rolling > 0.0 || world->materials[m].drilling > 0.0) return true;
  for (int p = 0; p < world->pair_count; ++p)
    if (world->pairs[p].rolling > 0.0 || world->pairs[p].drilling > 0.0) return true;
  return false;
}

// Friction has a section, as a polygon or by the functions of a law.
static bool is_shaped(const ChMaterial* material) { return material->section[0] || material->law; }

// A section holds as it is, at any speed, whatever the other side's coefficient.
static void set_section(const ChWorld* world, int shape, ChSurface* out) {
  const ChMaterial* material = &world->materials[world->shapes[shape].material];
  if (!is_shaped(material)) return;
  memcpy(out->section, material->section, sizeof out->section);
  out->law = material->law_number;
  out->law_parameter = material->law_parameter;
  out->law_body = world->shapes[shape].body;
  out->curve = 0;
  set_axis(world, shape, out);
}

ChSurface ch_world_surface(const ChWorld* world, int shape_a, int shape_b) {
  if (world->shapes[shape_a].body > world->shapes[shape_b].body) {  // the answer does not depend on the order
    int swap = shape_a;
    shape_a = shape_b, shape_b = swap;
  }
  int material[2] = {world->shapes[shape_a].material, world->shapes[shape_b].material};
  const ChMaterial *a = &world->materials[material[0]], *b = &world->materials[material[1]];
  ChSurface surface = {.axis_body = -1, .restitution = fmax(a->restitution, b->restitution)};
  const ChMaterialPair* pair = find_pair(world, material[0], material[1]);
  if (pair && pair->restitution >= 0.0) surface.restitution = pair->restitution;
  set_elasticity(a, b, pair, &surface);
  set_moments(world, a, b, pair, &surface);
  set_cohesion(a, b, pair, &surface);
  set_shear(a, b, pair, &surface);
  if (world->curve_count > 0) surface.curve = ch_world_curve_of(world, a, b, pair);
  if (!pair || pair->friction[0] < 0.0) {
    bool second = anisotropy(b) > anisotropy(a);
    rule_friction(world, second ? shape_b : shape_a, second ? shape_a : shape_b, &surface);
    set_section(world, is_shaped(a) ? shape_a : shape_b, &surface);
    return surface;
  }
  surface.friction[0] = pair->friction[0], surface.friction[1] = pair->friction[1];
  if (pair->friction[0] != pair->friction[1])
    set_axis(world, material[0] == pair->material[0] ? shape_a : shape_b, &surface);
  return surface;
}

// Two sections of two materials make no third.
static ChStatus check_sections(ChContext* context, const ChWorld* world) {
  for (int a = 0; a < world->material_count; ++a)
    for (int b = 0; b < a; ++b) {
      const ChMaterialPair* pair = find_pair(world, a, b);
      if (!is_shaped(&world->materials[a]) || !is_shaped(&world->materials[b]) || (pair && pair->friction[0] >= 0.0))
        continue;
      return ch_fail(context, CH_ERR_RANGE,
                     "materials '%s' and '%s': both have a section of friction; give the pair one friction",
                     world->materials[b].name, world->materials[a].name);
    }
  return CH_OK;
}

static bool has_sections(const ChWorld* world) {
  for (int m = 0; m < world->material_count; ++m)
    if (is_shaped(&world->materials[m])) return true;
  return false;
}

static ChStatus check_moments_between(ChContext* context, const ChWorld* world) {
  if (!has_sections(world) &&
      (!ch_world_has_moments(world) ||
       (!ch_world_is_elliptic(world) && !ch_world_is_cohesive(world) && !ch_world_is_sheared(world))))
    return CH_OK;
  for (int a = 0; a < world->shape_count; ++a)
    for (int b = 0; b < world->material_count; ++b) {
      const int shapes[2] = {a, shape_of(world, b)};
      if (shapes[1] < 0) continue;
      const ChSurface surface = ch_world_surface(world, shapes[0], shapes[1]);
      const bool moments = surface.rolling > 0.0 || surface.drilling > 0.0;
      if (moments && surface.cohesion > 0.0)
        return ch_fail(context, CH_ERR_RANGE,
                       "materials '%s' and '%s': cohesion excludes rolling and drilling; give the pair one of them",
                       world->materials[world->shapes[a].material].name, world->materials[b].name);
      const bool shaped = surface.section[0] || surface.law_parameter;
      if (shaped && surface.cohesion > 0.0)
        return ch_fail(context, CH_ERR_RANGE,
                       "materials '%s' and '%s': a section of friction excludes cohesion; give the pair one of them",
                       world->materials[world->shapes[a].material].name, world->materials[b].name);
      if ((moments || shaped) && surface.shear_stiffness > 0.0)
        return ch_fail(context, CH_ERR_RANGE,
                       "materials '%s' and '%s': a shear stiffness excludes rolling, drilling and a section of "
                       "friction; give the pair one of them",
                       world->materials[world->shapes[a].material].name, world->materials[b].name);
      if (moments && (surface.axis_body >= 0 || shaped))
        return ch_fail(context, CH_ERR_RANGE,
                       "materials '%s' and '%s': friction along an axis excludes rolling and drilling; give the pair "
                       "one coefficient, or no moments",
                       world->materials[world->shapes[a].material].name, world->materials[b].name);
    }
  return CH_OK;
}

ChStatus ch_world_check_surfaces(ChContext* context, const ChWorld* world) {
  const ChStatus status = has_sections(world) ? check_sections(context, world) : CH_OK;
  return status == CH_OK ? check_moments_between(context, world) : status;
}
