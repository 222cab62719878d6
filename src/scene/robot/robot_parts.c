// What the readers of URDF and MJCF share: frames, and the files of meshes.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cardhouse/shape.h"
#include "scene/robot/robot.h"

ChFrame ch_robot_frame_identity(void) { return (ChFrame){{0}, ch_quat_identity()}; }

char* ch_robot_keep(ChRobot* robot, const char* text) {
  size_t size = strlen(text) + 1;
  return memcpy(CH_TAKE_RAW(robot->reader->arena, size, char), text, size);
}

// ------------------------------------------------------------------------------------------------------ files of
// meshes

static bool leads_out(const char* name) {
  if (name[0] == '/' || strchr(name, '\\')) return true;
  for (const char* part = name; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
    if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) return true;
  return false;
}

static bool is_there(const ChRobot* robot, const char* name) {
  return access(ch_path_beside(robot->reader->arena, robot->reader->document->file, name), R_OK) == 0;
}

// A package's folder is the one of the robot's file, or lies in it: package://NAME/meshes/arm.stl is
// NAME/meshes/arm.stl or meshes/arm.stl beside the file.
bool ch_robot_mesh_file(ChRobot* robot, const ChXmlNode* node, const char* folder, const char* name, const char** out) {
  static const char package[] = "package://";
  bool packed = strncmp(name, package, sizeof package - 1) == 0;
  const char* place = packed ? name + sizeof package - 1 : name;
  if (strstr(place, "://") || leads_out(place) || (folder && leads_out(folder)))
    return ch_xml_wrong(robot->reader, node,
                        "the file '%.100s' is not read; name one in the folder of the robot's file or below it", name);
  size_t size = strlen(place) + (folder ? strlen(folder) : 0) + 2;
  char* path = CH_TAKE(robot->reader->arena, size, char);
  bool joint = folder && folder[0];
  snprintf(path, size, "%s%s%s", joint ? folder : "", joint && folder[strlen(folder) - 1] != '/' ? "/" : "", place);
  const char* inside = packed ? strchr(path, '/') : NULL;
  *out = path;
  if (inside && !is_there(robot, path)) *out = inside + 1;
  if (is_there(robot, *out)) return true;
  return ch_xml_wrong(robot->reader, node, "there is no file '%.200s' that can be read",
                      ch_path_beside(robot->reader->arena, robot->reader->document->file, *out));
}

static void free_world(void* world) { ch_world_destroy(world); }

static ChStatus hull_alone(ChContext* context, ChWorld* world, const ChShapeDef* hull) {
  ChMaterialDef material = ch_material_def_default();
  ChBodyDef body = ch_body_def_default();
  ChBodyId id;
  ChStatus status = ch_world_add_material(context, world, &material, NULL);
  if (status == CH_OK) status = ch_world_add_body(context, world, &body, &id);
  return status == CH_OK ? ch_world_add_shape(context, world, id, hull, NULL) : status;
}

// The corners of the hull of a file, each axis by its own factor.
static bool stretch(ChRobot* robot, const ChXmlNode* node, const double scale[3], ChShapeDef* def) {
  ChReader* r = robot->reader;
  ChWorld* world;
  ChShapeDef hull = *def;
  hull.file = ch_path_beside(r->arena, r->document->file, def->file);
  ChStatus status = ch_world_create(r->context, 3, &world);
  if (status != CH_OK) {
    r->status = status;
    return false;
  }
  ch_arena_defer(r->arena, free_world, world);
  status = hull_alone(r->context, world, &hull);
  if (status != CH_OK) {
    char why[CH_MESSAGE_SIZE];
    snprintf(why, sizeof why, "%s", r->context ? r->context->message : "");
    return ch_xml_wrong(r, node, "%s", why);
  }
  ChShapeView view = ch_world_shape(world, 0);
  ChVec3* points = CH_TAKE(r->arena, view.point_count + 1, ChVec3);
  for (int k = 0; k < view.point_count; ++k) {
    ChVec3 p = ch_frame_point(view.local, view.points[k]);
    points[k] = ch_vec(scale[0] * p.x, scale[1] * p.y, scale[2] * p.z);
  }
  def->file = NULL;
  def->points = points;
  def->point_count = view.point_count;
  return true;
}

bool ch_robot_mesh_shape(ChRobot* robot, const ChXmlNode* node, const char* file, const double scale[3],
                         ChShapeDef* out) {
  *out = ch_shape_def_default();
  out->type = robot->choice.exact ? CH_SHAPE_MESH : CH_SHAPE_HULL;
  out->file = file;
  for (int k = 0; k < 3; ++k)
    if (scale[k] == 0.0) return ch_xml_wrong(robot->reader, node, "scale has a 0; no factor may be 0");
  if (scale[0] == scale[1] && scale[1] == scale[2] && scale[0] > 0.0) {
    out->scale = scale[0] == 1.0 ? 0.0 : scale[0];
    return true;
  }
  if (robot->choice.exact)
    return ch_xml_wrong(robot->reader, node,
                        "scale is %g %g %g; a mesh's surface has one factor for all axes (its convex hull may have "
                        "three: --param mesh=hull)",
                        scale[0], scale[1], scale[2]);
  return stretch(robot, node, scale, out);
}
