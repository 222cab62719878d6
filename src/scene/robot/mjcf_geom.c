// Geoms of MJCF: what bodies are made of, what they weigh, and what rubs. See mjcf.h.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/robot/mjcf.h"

static const char* const types[] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                    "cylinder", "box",    "mesh",   NULL};
enum { PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH };

// What a geom says of itself, before it is a shape.
typedef struct Geom {
  int type, body;
  int size_count;
  double size[3];
  double mass, density;  // mass < 0: by density
  const char* mesh;
  ChRobotMaterial rubs;
  unsigned contype, conaffinity;
} Geom;

// -------------------------------------------------------------------------------------------------------------- assets

ChXmlNode* ch_mjcf_asset(const ChMjcf* m, const char* tag, const char* name) {
  CH_XML_EACH(assets, m->root, "asset")
  CH_XML_EACH(asset, assets, tag) {
    ChXmlView view = ch_xml_view(m->robot->reader, asset);
    const char *its = ch_xml_text(&view, "name"), *file = its ? NULL : ch_xml_text(&view, "file");
    const char* base = file && strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    if (its && strcmp(its, name) == 0) return asset;
    if (base && strlen(name) == strcspn(base, ".") && strncmp(base, name, strlen(name)) == 0) return asset;
  }
  return NULL;
}

// Corners that the file lists itself.
static bool own_points(ChMjcf* m, ChXmlView* view, const double scale[3], ChShapeDef* def) {
  ChReader* r = m->robot->reader;
  const char* text = ch_xml_text(view, "vertex");
  int most = (int)(strlen(text) / 2) + 1, count;
  double* x = CH_TAKE(r->arena, most + 3, double);
  if (!ch_xml_some_numbers(view, "vertex", 12, most, x, &count)) return false;
  if (count % 3 != 0)
    return ch_xml_wrong(r, view->node, "vertex has %d numbers, must have three for each corner", count);
  ChVec3* points = CH_TAKE(r->arena, count / 3, ChVec3);
  for (int k = 0; k < count / 3; ++k)
    points[k] = ch_vec(scale[0] * x[3 * k], scale[1] * x[3 * k + 1], scale[2] * x[3 * k + 2]);
  def->type = CH_SHAPE_HULL;
  def->points = points;
  def->point_count = count / 3;
  return true;
}

static bool read_mesh(ChMjcf* m, ChXmlNode* node, const char* name, ChShapeDef* def) {
  ChXmlNode* asset = ch_mjcf_asset(m, "mesh", name);
  if (!asset) return ch_xml_wrong(m->robot->reader, node, "there is no mesh '%.80s' among the assets", name);
  ChXmlView view = ch_mjcf_view(m, asset);
  double scale[3] = {1.0, 1.0, 1.0};
  const char *text, *file;
  if (!ch_xml_numbers(&view, "scale", 3, scale)) return false;
  if (ch_xml_text(&view, "vertex")) return own_points(m, &view, scale, def);
  return ch_xml_needed(&view, "file", &text) && ch_robot_mesh_file(m->robot, asset, m->mesh_folder, text, &file) &&
         ch_robot_mesh_shape(m->robot, asset, file, scale, def);
}

// ---------------------------------------------------------------------------------------------------------------- form

// Two ends instead of a place and a length: z points from the second to the first.
static bool read_ends(ChMjcf* m, ChXmlView* view, Geom* g, ChFrame* frame) {
  double ends[6];
  int there;
  if (!ch_xml_some_numbers(view, "fromto", 6, 6, ends, &there)) return false;
  if (there == 0) return true;
  if (g->type != CAPSULE && g->type != CYLINDER && g->type != BOX && g->type != ELLIPSOID)
    return ch_xml_wrong(m->robot->reader, view->node, "fromto is for capsules, cylinders, boxes and ellipsoids");
  ChVec3 from = ch_vec(ends[0], ends[1], ends[2]), to = ch_vec(ends[3], ends[4], ends[5]), d = ch_sub(from, to);
  double length = ch_norm(d);
  if (!(length > 0.0)) return ch_xml_wrong(m->robot->reader, view->node, "fromto has two equal ends");
  frame->at = ch_scale(0.5, ch_add(from, to));
  frame->orientation = ch_quat_from_z(ch_unit(d));
  const bool round = g->type == CAPSULE || g->type == CYLINDER;
  if (!round) g->size[1] = g->size[0];
  g->size[round ? 1 : 2] = 0.5 * length;
  g->size_count = g->size_count > 0 ? (round ? 2 : 3) : 0;
  return true;
}

static bool check_size(ChMjcf* m, ChXmlView* view, const Geom* g, int needed) {
  for (int k = 0; k < needed; ++k)
    if (k >= g->size_count || !(g->size[k] > 0.0))
      return ch_xml_wrong(m->robot->reader, view->node,
                          "size must have %d number%s above 0 for this type, or fewer with "
                          "fromto",
                          needed, needed == 1 ? "" : "s");
  return true;
}

static bool form(ChMjcf* m, ChXmlView* view, const Geom* g, ChShapeDef* def) {
  static const int needed[] = {[SPHERE] = 1, [CAPSULE] = 2, [ELLIPSOID] = 3, [CYLINDER] = 2, [BOX] = 3, [MESH] = 0};
  static const ChShapeType shapes[] = {[SPHERE] = CH_SHAPE_SPHERE,
                                       [CAPSULE] = CH_SHAPE_CAPSULE,
                                       [ELLIPSOID] = CH_SHAPE_ELLIPSOID,
                                       [CYLINDER] = CH_SHAPE_CYLINDER,
                                       [BOX] = CH_SHAPE_BOX};
  *def = ch_shape_def_default();
  if (g->mesh && g->type != MESH)
    return ch_xml_wrong(m->robot->reader, view->node, "has a mesh and type '%s'; primitives are not fitted to meshes",
                        types[g->type]);
  if (g->type == MESH && !g->mesh) return ch_xml_wrong(m->robot->reader, view->node, "mesh is missing");
  if (g->type == MESH) return read_mesh(m, view->node, g->mesh, def);
  if (g->type == PLANE && g->body >= 0)
    return ch_xml_wrong(m->robot->reader, view->node, "is a plane on a body; planes belong to <worldbody>");
  if (g->type == HFIELD)
    return ch_xml_wrong(m->robot->reader, view->node,
                        "is a height field, which is not read from MJCF; use \"heightfield\" in a scene");
  if (g->type == PLANE) {
    def->type = CH_SHAPE_HALFSPACE;
    return true;
  }
  if (!check_size(m, view, g, needed[g->type])) return false;
  def->type = shapes[g->type];
  if (g->type == BOX || g->type == ELLIPSOID)
    def->half = ch_vec(g->size[0], g->size[1], g->size[2]);
  else
    def->radius = g->size[0];
  if (g->type == CAPSULE || g->type == CYLINDER) def->half_length = g->size[1];
  return true;
}

// ------------------------------------------------------------------------------------------------- masses and friction

// A plane weighs nothing. The mass of a mesh is that of its surface, where it has one; else of its hull.
static bool weigh(ChMjcf* m, ChXmlView* view, const Geom* g, const ChShapeDef* def, ChFrame frame, ChRobotMass* sum) {
  ChRobotMass one;
  if (g->type == PLANE || g->body < 0 || g->mass == 0.0 || (g->mass < 0.0 && g->density == 0.0)) return true;
  ChShapeDef surface = *def;
  surface.type = CH_SHAPE_MESH;
  bool solid = def->type == CH_SHAPE_HULL && def->file && ch_robot_try_weigh(m->robot, &surface, &one);
  if (!solid && !ch_robot_weigh(m->robot, view->node, def, &one)) return false;
  double factor = g->mass >= 0.0 ? g->mass / one.mass : g->density;
  *sum = ch_robot_mass_sum(*sum, ch_robot_mass_placed(frame, ch_robot_mass_scaled(factor, one)));
  return true;
}

static bool read_friction(ChMjcf* m, ChXmlView* view, Geom* g) {
  double contact = 3.0, priority = 0.0, bits[2] = {1.0, 1.0}, f[3] = {1.0, 0.005, 0.0001};
  int there;
  if (!ch_xml_some_numbers(view, "friction", 1, 3, f, &there) || !ch_xml_numbers(view, "condim", 1, &contact) ||
      !ch_xml_numbers(view, "priority", 1, &priority) || !ch_xml_numbers(view, "contype", 1, &bits[0]) ||
      !ch_xml_numbers(view, "conaffinity", 1, &bits[1]))
    return false;
  if (!(f[0] >= 0.0 && f[1] >= 0.0 && f[2] >= 0.0))
    return ch_xml_wrong(m->robot->reader, view->node, "friction is %g %g %g, must be >= 0", f[0], f[1], f[2]);
  if (contact != 1.0 && contact != 3.0 && contact != 4.0 && contact != 6.0)
    return ch_xml_wrong(m->robot->reader, view->node, "condim is %g, must be 1, 3, 4 or 6", contact);
  for (int k = 0; k < 2; ++k)
    if (!(bits[k] >= 0.0 && bits[k] <= 4294967295.0))
      return ch_xml_wrong(m->robot->reader, view->node, "contype or conaffinity is %g, must be 0 to 4294967295",
                          bits[k]);
  if (!(fabs(priority) <= 1e6))
    return ch_xml_wrong(m->robot->reader, view->node, "priority is %g, too large", priority);
  g->rubs = (ChRobotMaterial){.friction = {f[0], f[1], f[2]}, .contact = (int)contact, .priority = (int)priority};
  g->contype = (unsigned)bits[0], g->conaffinity = (unsigned)bits[1];
  return true;
}

static bool same(const ChRobotMaterial* a, const ChRobotMaterial* b) {
  return a->friction[0] == b->friction[0] && a->friction[1] == b->friction[1] && a->friction[2] == b->friction[2] &&
         a->contact == b->contact && a->priority == b->priority;
}

// Equal geoms share a material, unless a <pair> speaks of one of them.
static int material_of(ChMjcf* m, const ChXmlNode* node, const ChRobotMaterial* rubs, bool own) {
  ChRobot* robot = m->robot;
  for (int k = 0; k < robot->material_count && !own; ++k)
    if (!robot->materials[k].own && same(&robot->materials[k], rubs)) return k;
  if (robot->material_count == CH_ROBOT_MATERIALS) {
    ch_xml_wrong(robot->reader, node, "has a friction of its own, and there are %d kinds already; no more are read",
                 (int)CH_ROBOT_MATERIALS);
    return 0;
  }
  robot->materials[robot->material_count] = *rubs;
  robot->materials[robot->material_count].own = own;
  return robot->material_count++;
}

static bool in_a_pair(const ChMjcf* m, const char* name) {
  if (!name) return false;
  CH_XML_EACH(contact, m->root, "contact")
  CH_XML_EACH(pair, contact, "pair") {
    ChXmlView view = ch_xml_view(m->robot->reader, pair);
    const char *a = ch_xml_text(&view, "geom1"), *b = ch_xml_text(&view, "geom2");
    if ((a && strcmp(a, name) == 0) || (b && strcmp(b, name) == 0)) return true;
  }
  return false;
}

// ----------------------------------------------------------------------------------------------------------------- all

static bool read_look(ChMjcf* m, ChXmlView* view, ChRobotBody* body) {
  const char* material = ch_xml_text(view, "material");
  double colour[4] = {0.5, 0.5, 0.5, 1.0};
  int there;
  ChXmlNode* asset = material ? ch_mjcf_asset(m, "material", material) : NULL;
  if (!ch_xml_some_numbers(view, "rgba", 4, 4, colour, &there)) return false;
  if (there == 0 && asset) {
    ChXmlView of = ch_mjcf_view(m, asset);
    if (!ch_xml_some_numbers(&of, "rgba", 4, 4, colour, &there)) return false;
  }
  if (there == 0 || body->coloured) return true;
  memcpy(body->colour, colour, sizeof body->colour);
  return body->coloured = true;
}

static bool read_geom(ChMjcf* m, ChXmlNode* node, int index, ChRobotBody* body, ChRobotMass* mass) {
  ChXmlView view = ch_mjcf_view(m, node);
  Geom g = {.type = SPHERE, .body = index, .mass = -1.0, .density = 1000.0};
  const char* name;
  double at[3] = {0};
  ChShapeDef def;
  ChFrame frame = ch_robot_frame_identity();
  if (!ch_mjcf_name(m, &view, &name) || !ch_xml_word(&view, "type", types, &g.type) ||
      !ch_xml_some_numbers(&view, "size", 1, 3, g.size, &g.size_count) || !ch_xml_numbers(&view, "pos", 3, at) ||
      !ch_mjcf_orientation(m, &view, &frame.orientation) || !ch_xml_numbers(&view, "mass", 1, &g.mass) ||
      !ch_xml_numbers(&view, "density", 1, &g.density) || !read_friction(m, &view, &g) || !read_look(m, &view, body))
    return false;
  ch_xml_text(&view, "group");
  g.mesh = ch_xml_text(&view, "mesh");
  frame.at = ch_vec(at[0], at[1], at[2]);
  if (!(g.density >= 0.0)) return ch_xml_wrong(m->robot->reader, node, "density is %g, must be >= 0", g.density);
  if (!read_ends(m, &view, &g, &frame) || !form(m, &view, &g, &def) || !weigh(m, &view, &g, &def, frame, mass))
    return false;
  bool paired = in_a_pair(m, name);
  if (g.contype == 0 && g.conaffinity == 0 && !paired) return true;  // to be looked at only
  int material = material_of(m, node, &g.rubs, paired);
  if (m->robot->reader->status != CH_OK) return false;
  m->masked = m->masked || g.contype != 1 || g.conaffinity != 1;
  m->geoms[m->geom_count++] = (ChMjcfGeom){name, node, index, material, g.contype, g.conaffinity};
  body->shapes[body->shape_count++] = (ChRobotShape){node, def, frame, material};
  return true;
}

bool ch_mjcf_read_geoms(ChMjcf* m, ChXmlNode* node, int index, ChRobotBody* body, ChRobotMass* mass) {
  int count = 0;
  for (ChXmlNode* c = node->first; c; c = c->next) count += strcmp(c->tag, "geom") == 0;
  body->shapes = CH_TAKE(m->robot->reader->arena, count + 1, ChRobotShape);
  CH_XML_EACH(geom, node, "geom") {
    if (!read_geom(m, geom, index, body, mass)) return false;
  }
  return true;
}
