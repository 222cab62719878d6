// Shapes: what each type needs, and the geometry made from it.
#include <math.h>
#include <stdio.h>

#include "model/mesh/mesh.h"
#include "model/mesh/solid_mesh.h"
#include "model/world_build.h"

enum { RADIUS = 1, LENGTH = 2, HALF2 = 4, HALF3 = 8, NORMAL = 16, POINTS = 32, STILL = 64 };

// What a type is called, in which worlds it lives, what it needs; STILL: it cannot be on a dynamic body.
static const struct {
  const char* name;
  int dimension;
  unsigned needs;
} types[] = {
    [CH_SHAPE_SPHERE] = {"sphere", 3, RADIUS},
    [CH_SHAPE_BOX] = {"box", 3, HALF3},
    [CH_SHAPE_CAPSULE] = {"capsule", 3, RADIUS | LENGTH},
    [CH_SHAPE_CYLINDER] = {"cylinder", 3, RADIUS | LENGTH},
    [CH_SHAPE_ELLIPSOID] = {"ellipsoid", 3, HALF3},
    [CH_SHAPE_HALFSPACE] = {"half-space", 3, NORMAL | STILL},
    [CH_SHAPE_HULL] = {"hull", 3, POINTS},
    [CH_SHAPE_MESH] = {"mesh", 3, POINTS},
    [CH_SHAPE_DISK] = {"disk", 2, RADIUS},
    [CH_SHAPE_ELLIPSE] = {"ellipse", 2, HALF2},
    [CH_SHAPE_RECTANGLE] = {"rectangle", 2, HALF2},
    [CH_SHAPE_POLYGON] = {"polygon", 2, POINTS},
    [CH_SHAPE_HALFPLANE] = {"half-plane", 2, NORMAL | STILL},
    [CH_SHAPE_CHAIN] = {"chain", 2, POINTS | STILL},
};

// -------------------------------------------------------------------------------------------------------------- checks

static ChStatus check_size(ChContext* context, const char* what, const char* name, double value) {
  if (isfinite(value) && value > 0.0) return CH_OK;
  return ch_fail(context, CH_ERR_RANGE, "%s: %s is %g, must be finite and > 0", what, name, value);
}

static ChStatus check_sizes(ChContext* context, const ChShapeDef* def, unsigned needs, const char* what) {
  ChStatus status = needs & RADIUS ? check_size(context, what, "radius", def->radius) : CH_OK;
  if (status == CH_OK && needs & LENGTH) status = check_size(context, what, "half_length", def->half_length);
  if (status == CH_OK && needs & (HALF2 | HALF3)) status = check_size(context, what, "half.x", def->half.x);
  if (status == CH_OK && needs & (HALF2 | HALF3)) status = check_size(context, what, "half.y", def->half.y);
  if (status == CH_OK && needs & HALF3) status = check_size(context, what, "half.z", def->half.z);
  return status;
}

static ChStatus check_points(ChContext* context, const ChWorld* world, const ChShapeDef* def, const char* what) {
  if (def->file) {
    if (def->type != CH_SHAPE_HULL && def->type != CH_SHAPE_MESH)
      return ch_fail(context, CH_ERR_ARGUMENT, "%s: only hulls and meshes come from files", what);
    if (def->points || def->triangles)
      return ch_fail(context, CH_ERR_ARGUMENT, "%s: a file and points are given; one must do", what);
    return CH_OK;
  }
  if (def->point_count < 1 || !def->points)
    return ch_fail(context, CH_ERR_SIZE, "%s: point_count is %d; points (or a file) must be given", what,
                   def->points ? def->point_count : 0);
  if (def->type == CH_SHAPE_MESH && (def->triangle_count < 1 || !def->triangles))
    return ch_fail(context, CH_ERR_SIZE, "%s: triangle_count is %d; triangles must be given", what,
                   def->triangles ? def->triangle_count : 0);
  for (int k = 0; k < def->point_count; ++k) {
    char name[32];
    snprintf(name, sizeof name, "point %d", k);
    ChStatus status = ch_check_vector(context, world, what, name, def->points[k]);
    if (status != CH_OK) return status;
  }
  return CH_OK;
}

static ChStatus check_frame(ChContext* context, const ChWorld* world, const ChShapeDef* def, const char* what) {
  ChStatus status = ch_check_vector(context, world, what, "at", def->at);
  if (status != CH_OK) return status;
  const ChQuat q = def->orientation;
  double norm = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  if (!(isfinite(norm) && norm > 0.0))
    return ch_fail(context, CH_ERR_RANGE, "%s: orientation is (%g, %g, %g, %g), must be a unit quaternion (w, x, y, z)",
                   what, q.w, q.x, q.y, q.z);
  bool turned = q.x != 0.0 || q.y != 0.0 || q.z != 0.0;
  if (!isfinite(def->angle) || (world->dimension == 3 && def->angle != 0.0))
    return ch_fail(context, CH_ERR_RANGE, "%s: angle is %g, must be finite, and 0 in space (use orientation)", what,
                   def->angle);
  if (world->dimension == 2 && turned)
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: orientation is given; in the plane a shape is turned by `angle`",
                   what);
  return CH_OK;
}

static ChStatus check_shape(ChContext* context, const ChWorld* world, int body, const ChShapeDef* def,
                            const char* what) {
  unsigned needs = types[def->type].needs;
  if (types[def->type].dimension != world->dimension)
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: is a shape of %s", what,
                   world->dimension == 2 ? "space, not of the plane" : "the plane, not of space");
  if (world->bodies[body].soft)
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: the body is deformable; its skin is its only shape", what);
  if (needs & STILL && world->bodies[body].kind == CH_BODY_DYNAMIC)
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: can be on fixed and kinematic bodies only", what);
  int material;
  ChStatus status = ch_material_find(context, world, def->material, what, &material);
  if (status == CH_OK) status = check_frame(context, world, def, what);
  if (status == CH_OK) status = check_sizes(context, def, needs, what);
  if (status == CH_OK && needs & POINTS) status = check_points(context, world, def, what);
  if (status == CH_OK && needs & NORMAL) {
    ChVec3 normal = def->normal;
    status = ch_check_axis(context, world, what, "normal", &normal);
    if (status == CH_OK && !isfinite(def->offset))
      status = ch_fail(context, CH_ERR_RANGE, "%s: offset is %g, must be finite", what, def->offset);
  }
  return status;
}

// ------------------------------------------------------------------------------------------------------------ geometry

// Consecutive points; a chain that ends where it began is closed.
static ChStatus make_chain(ChContext* context, ChArena* arena, const ChShapeDef* def, ChMesh** out) {
  int count = def->point_count;
  const ChVec3 *first = &def->points[0], *last = &def->points[count - 1];
  bool loop = count > 3 && first->x == last->x && first->y == last->y;
  int* cells = CH_TAKE(arena, 2 * count, int);
  for (int k = 0; k + 1 < count; ++k) {
    cells[2 * k] = k;
    cells[2 * k + 1] = loop && k + 2 == count ? 0 : k + 1;
  }
  return ch_mesh_create(context, arena, loop ? count - 1 : count, def->points, count - 1, cells, 2, out);
}

static double reach(int count, const ChVec3* points) {
  double most = 0.0;
  for (int k = 0; k < count; ++k) most = fmax(most, ch_norm(points[k]));
  return most;
}

static ChStatus make_chain_or_mesh(ChContext* context, ChWorld* world, const ChShapeDef* def, const ChShape* shape,
                                   const ChMesh** out) {
  if (def->type == CH_SHAPE_MESH)
    return ch_world_mesh(context, world, def, world->bodies[shape->body].kind == CH_BODY_DYNAMIC, out);
  ChMesh* chain = NULL;
  ChStatus status = make_chain(context, world->arena, def, &chain);
  *out = chain;
  return status;
}

static ChStatus make_from_points(ChContext* context, ChWorld* world, const ChShapeDef* def, ChShape* shape) {
  ChArena* arena = world->arena;
  ChPolytope* polytope = NULL;
  const ChMesh* mesh = NULL;
  ChStatus status;
  if (def->type == CH_SHAPE_HULL)
    status = ch_polytope_hull(context, arena, def->point_count, def->points, &polytope);
  else if (def->type == CH_SHAPE_POLYGON)
    status = ch_polytope_polygon(context, arena, def->point_count, def->points, &polytope);
  else
    status = make_chain_or_mesh(context, world, def, shape, &mesh);
  if (status != CH_OK) return status;
  shape->polytope = polytope;
  shape->mesh = mesh;
  shape->bound = polytope ? polytope->radius : reach(mesh->vertex_count, mesh->vertices);
  return CH_OK;
}

static ChStatus make_geometry(ChContext* context, ChWorld* world, const ChShapeDef* def, ChShape* shape) {
  ChArena* arena = world->arena;
  ChVec3 half = def->half;
  switch (def->type) {
    case CH_SHAPE_SPHERE:
    case CH_SHAPE_DISK:
      shape->bound = def->radius;
      return CH_OK;
    case CH_SHAPE_CAPSULE:
      shape->bound = def->radius + def->half_length;
      return CH_OK;
    case CH_SHAPE_CYLINDER:
      shape->bound = hypot(def->radius, def->half_length);
      return CH_OK;
    case CH_SHAPE_ELLIPSOID:
      shape->bound = fmax(half.x, fmax(half.y, half.z));
      return CH_OK;
    case CH_SHAPE_ELLIPSE:
      shape->bound = fmax(half.x, half.y);
      return CH_OK;
    case CH_SHAPE_HALFSPACE:
    case CH_SHAPE_HALFPLANE:
      shape->bound = INFINITY;
      return CH_OK;
    case CH_SHAPE_BOX:
      shape->polytope = ch_polytope_box(arena, half);
      break;
    case CH_SHAPE_RECTANGLE:
      shape->polytope = ch_polytope_rectangle(arena, half.x, half.y);
      break;
    default:
      return make_from_points(context, world, def, shape);
  }
  shape->bound = shape->polytope->radius;
  return CH_OK;
}

// ----------------------------------------------------------------------------------------------------------------- add

typedef struct Request {
  ChBodyId body;
  const ChShapeDef* def;
} Request;

static ChShape shape_of(const ChWorld* world, int body, const ChShapeDef* def) {
  ChShape shape = {.type = def->type, .body = body, .material = ch_material_row(def->material)};
  shape.local.at = def->at;
  shape.local.orientation =
      world->dimension == 2 ? ch_quat_about(ch_axis(2), def->angle) : ch_quat_unit(def->orientation);
  unsigned needs = types[def->type].needs;
  if (needs & RADIUS) shape.radius = def->radius;
  if (needs & LENGTH) shape.half_length = def->half_length;
  if (needs & (HALF2 | HALF3)) shape.half = ch_vec(def->half.x, def->half.y, needs & HALF3 ? def->half.z : 0.0);
  if (needs & NORMAL) {
    shape.normal = ch_unit(def->normal);
    shape.offset = def->offset / ch_norm(def->normal);
  }
  return shape;
}

// A file that many bodies name is read once.
static ChStatus read_points(ChContext* context, ChWorld* world, ChShapeDef* def) {
  const ChMesh* known = ch_world_file_mesh(world, def->file);
  if (known) {
    def->point_count = known->vertex_count, def->points = known->vertices;
    def->triangle_count = known->cell_count, def->triangles = known->cells;
    return CH_OK;
  }
  ChVec3* points;
  int* triangles;
  ChStatus status =
      ch_mesh_read(context, world->arena, def->file, &def->point_count, &points, &def->triangle_count, &triangles);
  if (status == CH_OK) def->points = points, def->triangles = triangles;
  return status;
}

static ChStatus add_shape(ChContext* context, ChWorld* world, const void* argument, int* id) {
  const Request* request = argument;
  ChShapeDef def = *request->def;
  int body;
  ChStatus status = ch_body_find(context, world, request->body, "shape", &body);
  if (status != CH_OK) return status;
  if ((unsigned)def.type >= sizeof types / sizeof *types)
    return ch_fail(context, CH_ERR_ARGUMENT, "shape: type is %d, which is none", (int)def.type);
  char what[CH_WHAT_SIZE];
  snprintf(what, sizeof what, "body '%.100s': %s", world->bodies[body].name, types[def.type].name);
  status = check_shape(context, world, body, &def, what);
  if (status != CH_OK) return status;
  if (def.file) status = read_points(context, world, &def);
  if (status != CH_OK) return status;
  ChShape shape = shape_of(world, body, &def);
  status = make_geometry(context, world, &def, &shape);
  if (status != CH_OK) {  // what is wrong with the points is known; add whose they are
    char text[CH_MESSAGE_SIZE];
    snprintf(text, sizeof text, "%s", context ? context->message : "");
    return def.file ? ch_fail(context, status, "body '%.100s': %.100s: %s", world->bodies[body].name, def.file, text)
                    : ch_fail(context, status, "body '%.100s': %s", world->bodies[body].name, text);
  }
  CH_GROW(world, shapes, shape_count, shape_room);
  shape.slot = ch_slot_take(world, &world->shape_slots, world->shape_count);
  world->shapes[world->shape_count] = shape;
  *id = world->shape_count++;
  return CH_OK;
}

ChShapeDef ch_shape_def_default(void) {
  return (ChShapeDef){.orientation = {1.0, 0.0, 0.0, 0.0}, .normal = {0.0, 0.0, 1.0}};
}

ChStatus ch_world_add_shape(ChContext* context, ChWorld* world, ChBodyId body, const ChShapeDef* def, ChShapeId* id) {
  Request request = {body, def};
  int row;
  ChStatus status = ch_world_add(context, world, def ? &request : NULL, &row, add_shape);
  if (status == CH_OK && id) *id = ch_shape_id_of(world, row);
  return status;
}
