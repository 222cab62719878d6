// Shapes: a definition is checked, and becomes a shape of its body. What differs from type to type is in the rows.
#include <math.h>
#include <stdio.h>

#include "model/def_check.h"
#include "model/ids.h"
#include "model/mesh/solid_mesh.h"
#include "model/shapes/shape_kind.h"

// -------------------------------------------------------------------------------------------------------------- checks

static ChStatus check_points(ChContext* context, const ChWorld* world, const ChShapeInfo* info, const ChShapeDef* def,
                             const char* what) {
  if (def->file) {
    if (!ch_shape_reads(info, CH_DEF_FILE))
      return ch_fail(context, CH_ERR_ARGUMENT, "%s: only hulls and meshes can come from files", what);
    if (def->points || def->triangles)
      return ch_fail(context, CH_ERR_ARGUMENT, "%s: a file and points are given; give only one of them", what);
    return CH_OK;
  }
  if (def->point_count < 1 || !def->points)
    return ch_fail(context, CH_ERR_SIZE, "%s: point_count is %d; points (or a file) must be given", what,
                   def->points ? def->point_count : 0);
  if (ch_shape_reads(info, CH_DEF_TRIANGLES) && (def->triangle_count < 1 || !def->triangles))
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

static ChStatus check_shape(ChContext* context, const ChWorld* world, int body, const ChShapeInfo* info,
                            ChShapeDef* def, const char* what) {
  if (info->dimension != world->dimension)
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: is a shape of %s", what,
                   world->dimension == 2 ? "space, not of the plane" : "the plane, not of space");
  if (world->bodies[body].soft)
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: the body is deformable; its skin is its only shape", what);
  if (info->still && world->bodies[body].kind == CH_BODY_DYNAMIC)
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: can be on fixed and kinematic bodies only", what);
  int material;
  ChStatus status = ch_material_find(context, world, def->material, what, &material);
  if (status == CH_OK) status = check_frame(context, world, def, what);
  if (status == CH_OK) status = ch_def_check(context, world, def, info->field_count, info->fields, what);
  if (status == CH_OK && ch_shape_reads(info, CH_DEF_POINTS)) status = check_points(context, world, info, def, what);
  return status;
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
  return shape;
}

ChShapeDef ch_shape_def(const ChShape* shape) {
  return (ChShapeDef){.type = shape->type,
                      .material = {0},
                      .at = shape->local.at,
                      .orientation = shape->local.orientation,
                      .radius = shape->radius,
                      .half_length = shape->half_length,
                      .half = shape->half,
                      .normal = shape->normal,
                      .offset = shape->offset};
}

static bool takes_scale(const ChShapeInfo* info) {
  return ch_shape_reads(info, CH_DEF_POINTS) && ch_shape_reads(info, CH_DEF_FILE);
}

// A copy, since points given are the caller's and those of a file may be another shape's.
static void scale_points(ChWorld* world, ChShapeDef* def) {
  ChVec3* points = CH_TAKE(world->arena, def->point_count, ChVec3);
  for (int k = 0; k < def->point_count; ++k) points[k] = ch_scale(def->scale, def->points[k]);
  def->points = points;
}

// A file that many bodies name at one scale is read once.
static ChStatus read_points(ChContext* context, ChWorld* world, ChShapeDef* def) {
  const ChMesh* known = ch_world_file_mesh(world, def->file, def->scale);
  if (known) {
    def->point_count = known->vertex_count, def->points = known->vertices;
    def->triangle_count = known->cell_count, def->triangles = known->cells;
    def->uv = known->uv;
    return CH_OK;
  }
  ChVec3* points;
  int* triangles;
  double* uv;
  ChStatus status =
      ch_mesh_read(context, world->arena, def->file, &def->point_count, &points, &def->triangle_count, &triangles, &uv);
  if (status != CH_OK) return status;
  def->points = points, def->triangles = triangles, def->uv = uv;
  if (def->scale != 0.0 && def->scale != 1.0) scale_points(world, def);
  return CH_OK;
}

static ChStatus add_shape(ChContext* context, ChWorld* world, const void* argument, int* id) {
  const Request* request = argument;
  ChShapeDef def = *request->def;
  int body;
  ChStatus status = ch_body_find(context, world, request->body, "shape", &body);
  if (status != CH_OK) return status;
  const ChShapeInfo* info = ch_shape_info(def.type);
  if (!info || info->skin)
    return ch_fail(context, CH_ERR_ARGUMENT, "shape: type is %d, which does not exist", (int)def.type);
  char what[CH_WHAT_SIZE];
  snprintf(what, sizeof what, "body '%.100s': %s", world->bodies[body].name, info->label);
  status = check_shape(context, world, body, info, &def, what);
  if (status != CH_OK) return status;
  if (def.file && ch_shape_reads(info, CH_DEF_POINTS))
    status = read_points(context, world, &def);
  else if (takes_scale(info) && def.scale != 0.0 && def.scale != 1.0)
    scale_points(world, &def);
  if (status != CH_OK) return status;
  ChShape shape = shape_of(world, body, &def);
  status = ch_shape_kind(&shape)->make(context, world, &def, &shape);
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
