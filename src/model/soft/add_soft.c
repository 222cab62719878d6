// Making a body of a world deformable: checks, sharing, mass and shape.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/blas_threads.h"
#include "model/soft/soft_build.h"
#include "model/world_build.h"

enum { DEFAULT_MODES = 12 };

// -------------------------------------------------------------------------------------------------------------- checks

static ChStatus check_body(ChContext* context, const ChWorld* world, int id, const ChSoftDef* def, const char* what) {
  const ChBody* body = &world->bodies[id];
  if (world->dimension != 3)
    return ch_fail(context, CH_ERR_UNSUPPORTED, "%s: deformable bodies live in space, this world is a plane", what);
  if (body->kind != CH_BODY_DYNAMIC)
    return ch_fail(context, CH_ERR_ARGUMENT,
                   "%s: the body is %s, must be dynamic (a clamp holds parts of a deformable body)", what,
                   body->kind == CH_BODY_FIXED ? "fixed" : "kinematic");
  if (body->soft) return ch_fail(context, CH_ERR_ARGUMENT, "%s: the body is deformable already", what);
  for (int s = 0; s < world->shape_count; ++s)
    if (world->shapes[s].body == id)
      return ch_fail(context, CH_ERR_ARGUMENT, "%s: the body has shapes; the skin of its mesh must be its only one",
                     what);
  if (body->mass > 0.0)
    return ch_fail(context, CH_ERR_ARGUMENT,
                   "%s: the body has a mass of %g; the mass of a deformable body follows from mesh and density", what,
                   body->mass);
  for (int k = 0; k < 2; ++k) {
    for (int j = 0; j < world->joint_count; ++j)
      if (world->joints[j].body[k] == id)
        return ch_fail(context, CH_ERR_UNSUPPORTED,
                       "%s: joint '%.100s' is on the body; it must be deformable before it gets joints", what,
                       world->joints[j].name);
    for (int f = 0; f < world->force_count; ++f)
      if (world->forces[f].body[k] == id)
        return ch_fail(context, CH_ERR_UNSUPPORTED,
                       "%s: force '%.100s' is on the body; it must be deformable before it gets forces", what,
                       world->forces[f].def.name);
  }
  const ChBodyState* state = &world->states[id];
  if (def->clamped && !(ch_vec_is_zero(state->velocity) && ch_vec_is_zero(state->omega)))
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: velocity or omega is given, but the body is clamped", what);
  return CH_OK;
}

static ChStatus check_clamp(ChContext* context, const ChSoftDef* def, const char* what) {
  const ChVec3 *low = &def->clamp_low, *high = &def->clamp_high;
  if (!def->clamped) return CH_OK;
  if (low->x <= high->x && low->y <= high->y && low->z <= high->z) return CH_OK;  // infinite is fine, NaN is not
  return ch_fail(context, CH_ERR_RANGE, "%s: clamp_low (%g, %g, %g) must be below clamp_high (%g, %g, %g)", what,
                 low->x, low->y, low->z, high->x, high->y, high->z);
}

static ChStatus check_arms(ChContext* context, const ChSoftDef* def, const char* what) {
  if (def->arm_count < 0 || def->arm_count > CH_ARMS_MAX)
    return ch_fail(context, CH_ERR_SIZE, "%s: %d viscoelastic arms are given, at most %d are taken", what,
                   def->arm_count, CH_ARMS_MAX);
  for (int k = 0; k < def->arm_count; ++k) {
    const ChMaxwellArm* arm = &def->arms[k];
    if (!(isfinite(arm->modulus) && arm->modulus >= 0.0 && isfinite(arm->time) && arm->time > 0.0))
      return ch_fail(context, CH_ERR_RANGE,
                     "%s: viscoelastic arm %d has modulus %g and time %g; both must be finite, the modulus >= 0, the "
                     "time > 0",
                     what, k + 1, arm->modulus, arm->time);
  }
  return CH_OK;
}

static ChStatus check_numbers(ChContext* context, const ChWorld* world, const ChSoftDef* def, const char* what) {
  if ((unsigned)def->kind > CH_SOFT_STVK)
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: kind is %d, which does not exist", what, (int)def->kind);
  int row;
  ChStatus status = ch_material_find(context, world, def->material, what, &row);
  if (status != CH_OK) return status;
  const ChMaterial* material = &world->materials[row];
  if (!(material->density > 0.0))
    return ch_fail(context, CH_ERR_RANGE, "%s: the density of its material is %g, must be > 0", what,
                   material->density);
  if (!(isfinite(def->young) && def->young > 0.0))
    return ch_fail(context, CH_ERR_RANGE, "%s: young is %g, must be finite and > 0", what, def->young);
  if (!(def->poisson > -1.0 && def->poisson < 0.5))
    return ch_fail(context, CH_ERR_RANGE, "%s: poisson is %g, must be above -1 and below 0.5 (0.5 is incompressible)",
                   what, def->poisson);
  status = ch_check_number(context, what, "alpha", def->alpha, 0.0);
  if (status == CH_OK) status = ch_check_number(context, what, "beta", def->beta, 0.0);
  if (status == CH_OK) status = check_arms(context, def, what);
  if (status == CH_OK && (def->modes < 1 || def->modes > CH_SOFT_MODES_MAX))
    status = ch_fail(context, CH_ERR_RANGE, "%s: modes is %d, must be 1 to %d", what, def->modes, CH_SOFT_MODES_MAX);
  return status == CH_OK ? check_clamp(context, def, what) : status;
}

static ChStatus check_source(ChContext* context, const ChSoftDef* def, const char* what) {
  if (def->file && (def->vertices || def->tets))
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: a file and a mesh are given; give only one of them", what);
  if (!def->file && (!def->vertices || !def->tets || def->vertex_count < 4 || def->tet_count < 1))
    return ch_fail(context, CH_ERR_SIZE, "%s: a mesh must be given: %d vertices and %d tetrahedra are not a mesh", what,
                   def->vertices ? def->vertex_count : 0, def->tets ? def->tet_count : 0);
  return CH_OK;
}

// ------------------------------------------------------------------------------------------------------------- sharing

static bool same_arms(const ChSoftDef* a, const ChSoftDef* b) {
  bool same = a->arm_count == b->arm_count;
  for (int k = 0; k < a->arm_count && same; ++k)
    same = a->arms[k].modulus == b->arms[k].modulus && a->arms[k].time == b->arms[k].time;
  return same;
}

static bool same_vector(ChVec3 a, ChVec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static bool same_choices(const ChSharedSoft* s, const ChSoftDef* def, double density) {
  const ChSoftDef* d = &s->def;
  return s->density == density && same_arms(d, def) && d->kind == def->kind && d->young == def->young &&
         d->poisson == def->poisson && d->alpha == def->alpha && d->beta == def->beta && d->modes == def->modes &&
         d->clamped == def->clamped &&
         (!d->clamped || (same_vector(d->clamp_low, def->clamp_low) && same_vector(d->clamp_high, def->clamp_high)));
}

static bool same_mesh(const ChTetMesh* a, const ChTetMesh* b) {
  return a == b || (a->vertex_count == b->vertex_count && a->tet_count == b->tet_count &&
                    memcmp(a->vertices, b->vertices, (size_t)a->vertex_count * sizeof *a->vertices) == 0 &&
                    memcmp(a->tets, b->tets, 4 * (size_t)a->tet_count * sizeof *a->tets) == 0);
}

static bool is_from(const ChSharedSoft* s, const ChSoftDef* def) {
  if (def->file) return s->file && strcmp(s->file, def->file) == 0;
  const ChTetMesh given = {.vertex_count = def->vertex_count,
                           .vertices = (ChVec3*)def->vertices,
                           .tet_count = def->tet_count,
                           .tets = (int*)def->tets};
  return same_mesh(s->mesh, &given);
}

// The world's own copy, checked; a mesh that many bodies have is read, checked and kept once.
static ChStatus find_mesh(ChContext* context, ChWorld* world, const ChSoftDef* def, const char* what,
                          const ChTetMesh** out) {
  for (int k = 0; k < world->soft_count; ++k)
    if (is_from(&world->softs[k], def)) {
      *out = world->softs[k].mesh;
      return CH_OK;
    }
  ChTetMesh* mesh = CH_TAKE(world->arena, 1, ChTetMesh);
  *out = mesh;
  if (def->file) {
    ChStatus status = ch_tet_mesh_read(context, world->arena, def->file, mesh);
    if (status == CH_OK || !context) return status;
    char text[CH_MESSAGE_SIZE];  // what is wrong with the file is known; add whose it is
    snprintf(text, sizeof text, "%s", context->message);
    return ch_fail(context, status, "%s: %.*s", what, CH_MESSAGE_SIZE - CH_WHAT_SIZE - 3, text);
  }
  *mesh = (ChTetMesh){.vertex_count = def->vertex_count, .tet_count = def->tet_count};
  mesh->vertices = CH_TAKE(world->arena, def->vertex_count, ChVec3);
  mesh->tets = CH_TAKE(world->arena, 4L * def->tet_count, int);
  memcpy(mesh->vertices, def->vertices, (size_t)def->vertex_count * sizeof *def->vertices);
  memcpy(mesh->tets, def->tets, 4 * (size_t)def->tet_count * sizeof *def->tets);
  return ch_tet_mesh_check(context, world->arena, what, mesh);
}

static ChStatus find_soft(ChContext* context, ChWorld* world, const ChSoftDef* def, const char* what,
                          const ChSoft** out) {
  const ChTetMesh* mesh;
  ChStatus status = find_mesh(context, world, def, what, &mesh);
  if (status != CH_OK) return status;
  double density = world->materials[ch_material_row(def->material)].density;
  for (int k = 0; k < world->soft_count; ++k)
    if (same_choices(&world->softs[k], def, density) && same_mesh(world->softs[k].mesh, mesh)) {
      *out = world->softs[k].soft;
      return CH_OK;
    }
  status = ch_soft_create(context, world->arena, what, def, density, mesh, out);
  if (status != CH_OK) return status;
  CH_GROW(world, softs, soft_count, soft_room);
  world->softs[world->soft_count++] = (ChSharedSoft){
      .soft = *out, .mesh = mesh, .file = ch_world_copy_text(world, def->file), .density = density, .def = *def};
  return CH_OK;
}

// Bodies that shared a skin when they were recorded share it again.
static ChStatus find_recorded(ChContext* context, ChWorld* world, const ChSoftDef* def, const char* what,
                              const ChRecordedSkin* skin, const ChSoft** out) {
  for (int k = 0; k < world->soft_count; ++k)
    if (world->softs[k].recorded == skin) {
      *out = world->softs[k].soft;
      return CH_OK;
    }
  double density = world->materials[ch_material_row(def->material)].density;
  ChStatus status = ch_soft_from_recorded(context, world->arena, what, def, density, skin, out);
  if (status != CH_OK) return status;
  CH_GROW(world, softs, soft_count, soft_room);
  world->softs[world->soft_count++] = (ChSharedSoft){.soft = *out, .recorded = skin, .density = density, .def = *def};
  return CH_OK;
}

// ----------------------------------------------------------------------------------------------------------------- add

typedef struct Request {
  ChBodyId body;
  const ChSoftDef* def;
  const ChRecordedSofts* recorded;  // NULL: from the definition's mesh
} Request;

// The body gets `soft`; its centre of mass in the frame that the user gave is `centre`.
static int attach(ChWorld* world, int id, const ChSoft* soft, ChVec3 centre, const ChSoftDef* def) {
  ChBody* body = &world->bodies[id];
  body->soft = soft;
  body->mass = soft->mass;
  body->inertia = soft->inertia;
  body->origin = ch_neg(centre);
  body->spread = false;
  ChShape shape = {.type = CH_SHAPE_SOFT,
                   .body = id,
                   .material = ch_material_row(def->material),
                   .local = {centre, ch_quat_identity()},
                   .soft = soft,
                   .touches_itself = def->self_contact};
  for (int v = 0; v < soft->skin.vertex_count; ++v) shape.bound = fmax(shape.bound, ch_norm(soft->skin.rest[v]));
  CH_GROW(world, shapes, shape_count, shape_room);
  shape.slot = ch_slot_take(world, &world->shape_slots, world->shape_count);
  world->shapes[world->shape_count] = shape;
  return world->shape_count++;
}

// A recording does not tell the centre in the user's frame, but where it was in the world: the start is put there.
static ChStatus add_recorded(ChContext* context, ChWorld* world, int body, const ChSoftDef* def, const char* what,
                             const ChRecordedSofts* softs, int* id) {
  int s = 0;
  while (s < softs->count && softs->body[s] != body) ++s;
  if (s == softs->count)
    return ch_fail(context, CH_ERR_FORMAT, "%s: the body is deformable, but its skin was not recorded", what);
  const ChSoft* soft;
  ChStatus status = find_recorded(context, world, def, what, &softs->skins[softs->skin[s]], &soft);
  if (status != CH_OK) return status;
  const ChBodyState* state = &world->states[body];
  ChVec3 centre = ch_rotate_back(state->orientation, ch_sub(softs->at[s], state->position));
  *id = attach(world, body, soft, centre, def);
  return CH_OK;
}

static ChStatus add_meshed(ChContext* context, ChWorld* world, int body, const ChSoftDef* def, const char* what,
                           int* id) {
  const ChSoft* soft = NULL;
  ChStatus status = check_source(context, def, what);
  if (status == CH_OK) status = find_soft(context, world, def, what, &soft);
  if (status == CH_OK) *id = attach(world, body, soft, soft->centre, def);
  return status;
}

static ChStatus add_soft(ChContext* context, ChWorld* world, const void* argument, int* id) {
  const Request* request = argument;
  ChSoftDef def = *request->def;
  if (def.modes == 0) def.modes = DEFAULT_MODES;
  int body;
  ChStatus status = ch_body_find(context, world, request->body, "deformable body", &body);
  if (status != CH_OK) return status;
  char what[CH_WHAT_SIZE];
  snprintf(what, sizeof what, "body '%.100s'", world->bodies[body].name);
  status = check_body(context, world, body, &def, what);
  if (status == CH_OK) status = check_numbers(context, world, &def, what);
  if (status != CH_OK) return status;
  return request->recorded ? add_recorded(context, world, body, &def, what, request->recorded, id)
                           : add_meshed(context, world, body, &def, what, id);
}

ChSoftDef ch_soft_def_default(void) { return (ChSoftDef){.young = 1e6, .poisson = 0.3, .modes = DEFAULT_MODES}; }

// The skin is the body's only shape.
static ChStatus request_soft(ChContext* context, ChWorld* world, const Request* request, ChShapeId* shape) {
  int row;
  ChStatus status = ch_world_add(context, world, request->def ? request : NULL, &row, add_soft);
  if (status == CH_OK && shape) *shape = ch_shape_id_of(world, row);
  return status;
}

ChStatus ch_world_add_soft(ChContext* context, ChWorld* world, ChBodyId body, const ChSoftDef* def, ChShapeId* shape) {
  Request request = {body, def, NULL};
  ch_blas_threads_hold();  // the same basis for any number of threads
  ChStatus status = request_soft(context, world, &request, shape);
  ch_blas_threads_release();
  return status;
}

ChStatus ch_world_add_recorded_soft(ChContext* context, ChWorld* world, ChBodyId body, const ChSoftDef* def,
                                    const ChRecordedSofts* softs, ChShapeId* shape) {
  Request request = {body, def, softs};
  return request_soft(context, world, &request, shape);
}
