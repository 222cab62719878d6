// URDF: links and the joints between them. wiki.ros.org/urdf/XML; docs/robots.md says what of it is read.
//
// A link's frame is that of the joint that leads to it, so that a joint's axis and origin are its child's own.
#include <math.h>
#include <string.h>

#include "cardhouse/text.h"
#include "cardhouse/world.h"
#include "scene/robot/robot.h"

enum { NAME_LONGEST = 100 };

typedef struct Colour {
  const char* name;
  double value[4];
} Colour;

typedef struct Ends {
  int parent, child;  // links
} Ends;

typedef struct Urdf {
  ChRobot* robot;
  ChXmlNode* root;
  int link_count, joint_count, colour_count;
  ChXmlNode** links;
  const char** names;
  ChXmlNode** joints;
  Ends* ends;  // of joints
  Colour* colours;
} Urdf;

// --- what many elements have

static bool read_name(Urdf* u, ChXmlNode* node, const char** out) {
  ChXmlView view = ch_xml_view(u->robot->reader, node);
  if (!ch_xml_needed(&view, "name", out)) return false;
  return strlen(*out) <= NAME_LONGEST ||
         ch_xml_wrong(u->robot->reader, node, "name has more than %d letters", (int)NAME_LONGEST);
}

// Roll, pitch and yaw turn about the fixed x, y and z, in this order.
static bool read_origin(Urdf* u, ChXmlNode* parent, ChFrame* out) {
  *out = ch_robot_frame_identity();
  ChXmlNode* node = ch_xml_child(parent, "origin");
  if (!node) return true;
  ChXmlView view = ch_xml_view(u->robot->reader, node);
  double xyz[3] = {0}, rpy[3] = {0};
  if (!ch_xml_numbers(&view, "xyz", 3, xyz) || !ch_xml_numbers(&view, "rpy", 3, rpy)) return false;
  ChQuat roll = ch_quat_about(ch_axis(0), rpy[0]), pitch = ch_quat_about(ch_axis(1), rpy[1]),
         yaw = ch_quat_about(ch_axis(2), rpy[2]);
  *out = (ChFrame){ch_vec(xyz[0], xyz[1], xyz[2]), ch_quat_product(yaw, ch_quat_product(pitch, roll))};
  return true;
}

static bool read_positive(Urdf* u, ChXmlView* view, const char* name, double* out) {
  const char* text;
  *out = 0.0;
  if (!ch_xml_needed(view, name, &text) || !ch_xml_numbers(view, name, 1, out)) return false;
  return *out > 0.0 || ch_xml_wrong(u->robot->reader, view->node, "%s is %g, must be > 0", name, *out);
}

// --- links

static bool read_inertial(Urdf* u, ChXmlNode* link, ChRobotBody* body) {
  ChXmlNode* node = ch_xml_child(link, "inertial");
  ChFrame frame;
  if (!node) return true;
  ChReader* r = u->robot->reader;
  ChXmlNode *mass = ch_xml_child(node, "mass"), *inertia = ch_xml_child(node, "inertia");
  if (!mass || !inertia) return ch_xml_wrong(r, node, "<%s> is missing", mass ? "inertia" : "mass");
  ChXmlView of_mass = ch_xml_view(r, mass), of_inertia = ch_xml_view(r, inertia);
  static const char* const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  double j[6] = {0}, kilograms = 0.0;
  const char* text;
  if (!read_origin(u, node, &frame) || !ch_xml_needed(&of_mass, "value", &text) ||
      !ch_xml_numbers(&of_mass, "value", 1, &kilograms))
    return false;
  for (int k = 0; k < 6; ++k)
    if (!ch_xml_numbers(&of_inertia, names[k], 1, &j[k])) return false;
  if (!(kilograms >= 0.0)) return ch_xml_wrong(r, mass, "value is %g, must be >= 0", kilograms);
  body->weighed = true;
  const ChVec3 zero = {0};
  ChRobotMass own = {kilograms, zero, {{{j[0], j[3], j[4]}, {j[3], j[1], j[5]}, {j[4], j[5], j[2]}}}};
  body->mass = ch_robot_mass_placed(frame, own);
  return true;
}

static bool read_mesh(Urdf* u, ChXmlNode* node, ChShapeDef* def) {
  ChXmlView view = ch_xml_view(u->robot->reader, node);
  const char *name, *file;
  double scale[3] = {1.0, 1.0, 1.0};
  return ch_xml_needed(&view, "filename", &name) && ch_xml_numbers(&view, "scale", 3, scale) &&
         ch_robot_mesh_file(u->robot, node, NULL, name, &file) && ch_robot_mesh_shape(u->robot, node, file, scale, def);
}

static bool read_box(Urdf* u, ChXmlNode* node, ChShapeDef* def) {
  ChXmlView view = ch_xml_view(u->robot->reader, node);
  const char* text;
  double size[3] = {0};
  if (!ch_xml_needed(&view, "size", &text) || !ch_xml_numbers(&view, "size", 3, size)) return false;
  def->type = CH_SHAPE_BOX;
  def->half = ch_vec(0.5 * size[0], 0.5 * size[1], 0.5 * size[2]);
  return (size[0] > 0.0 && size[1] > 0.0 && size[2] > 0.0) ||
         ch_xml_wrong(u->robot->reader, node, "size is %g %g %g, every number must be > 0", size[0], size[1], size[2]);
}

// A cylinder or a capsule, along z.
static bool read_round(Urdf* u, ChXmlNode* node, ChShapeType type, ChShapeDef* def) {
  ChXmlView view = ch_xml_view(u->robot->reader, node);
  double length = 0.0;
  def->type = type;
  if (!read_positive(u, &view, "radius", &def->radius)) return false;
  if (type == CH_SHAPE_SPHERE) return true;
  if (!read_positive(u, &view, "length", &length)) return false;
  def->half_length = 0.5 * length;
  return true;
}

static bool read_geometry(Urdf* u, ChXmlNode* collision, ChShapeDef* def) {
  ChXmlNode *geometry = ch_xml_child(collision, "geometry"), *node;
  *def = ch_shape_def_default();
  if (!geometry || !geometry->first)
    return ch_xml_wrong(u->robot->reader, geometry ? geometry : collision, "%s is missing",
                        geometry ? "<box>, <cylinder>, <sphere>, <capsule> or <mesh>" : "<geometry>");
  if ((node = ch_xml_child(geometry, "box"))) return read_box(u, node, def);
  if ((node = ch_xml_child(geometry, "sphere"))) return read_round(u, node, CH_SHAPE_SPHERE, def);
  if ((node = ch_xml_child(geometry, "cylinder"))) return read_round(u, node, CH_SHAPE_CYLINDER, def);
  if ((node = ch_xml_child(geometry, "capsule"))) return read_round(u, node, CH_SHAPE_CAPSULE, def);
  if ((node = ch_xml_child(geometry, "mesh"))) return read_mesh(u, node, def);
  return ch_xml_wrong(u->robot->reader, geometry->first,
                      "is not known; there are <box>, <cylinder>, <sphere>, <capsule> and <mesh>");
}

static bool read_collisions(Urdf* u, ChXmlNode* link, ChRobotBody* body) {
  int count = 0;
  for (ChXmlNode* c = link->first; c; c = c->next) count += strcmp(c->tag, "collision") == 0;
  body->shapes = CH_TAKE(u->robot->reader->arena, count + 1, ChRobotShape);
  CH_XML_EACH(collision, link, "collision") {
    ChRobotShape* shape = &body->shapes[body->shape_count++];
    *shape = (ChRobotShape){.node = collision, .material = -1};
    if (!read_origin(u, collision, &shape->frame) || !read_geometry(u, collision, &shape->def)) return false;
  }
  return true;
}

// --- colours: what a link looks like is the first of its materials

static bool read_rgba(Urdf* u, ChXmlNode* material, double out[4], bool* given) {
  ChXmlNode* node = ch_xml_child(material, "color");
  *given = node != NULL;
  if (!node) return true;
  ChXmlView view = ch_xml_view(u->robot->reader, node);
  const char* text;
  return ch_xml_needed(&view, "rgba", &text) && ch_xml_numbers(&view, "rgba", 4, out);
}

static bool read_materials(Urdf* u) {
  u->colours = CH_TAKE(u->robot->reader->arena, ch_xml_count(u->root, "material") + 1, Colour);
  CH_XML_EACH(material, u->root, "material") {
    Colour* colour = &u->colours[u->colour_count];
    bool given;
    if (!read_name(u, material, &colour->name) || !read_rgba(u, material, colour->value, &given)) return false;
    u->colour_count += given;
  }
  return true;
}

static bool read_colour(Urdf* u, ChXmlNode* link, ChRobotBody* body) {
  CH_XML_EACH(visual, link, "visual") {
    ChXmlNode* material = ch_xml_child(visual, "material");
    if (!material || body->coloured) continue;
    ChXmlView view = ch_xml_view(u->robot->reader, material);
    const char* name = ch_xml_text(&view, "name");
    if (!read_rgba(u, material, body->colour, &body->coloured)) return false;
    for (int k = 0; k < u->colour_count && !body->coloured; ++k) {
      if (!name || strcmp(name, u->colours[k].name) != 0) continue;
      memcpy(body->colour, u->colours[k].value, sizeof body->colour);
      body->coloured = true;
    }
  }
  return true;
}

// --- joints

static const char* const joint_types[] = {"revolute", "continuous", "prismatic", "fixed", "floating", "planar", NULL};
enum { REVOLUTE, CONTINUOUS, PRISMATIC, FIXED, FLOATING, PLANAR };

static bool read_axis(Urdf* u, ChXmlNode* node, ChRobotJoint* joint) {
  double axis[3] = {1.0, 0.0, 0.0};
  ChXmlNode* child = ch_xml_child(node, "axis");
  if (child) {
    ChXmlView view = ch_xml_view(u->robot->reader, child);
    const char* text;
    if (!ch_xml_needed(&view, "xyz", &text) || !ch_xml_numbers(&view, "xyz", 3, axis)) return false;
  }
  joint->axis = ch_unit(ch_vec(axis[0], axis[1], axis[2]));
  return ch_norm(joint->axis) > 0.5 || ch_xml_wrong(u->robot->reader, child, "xyz has no direction");
}

static bool read_limit(Urdf* u, ChXmlNode* node, int type, ChRobotJoint* joint) {
  ChXmlNode* child = ch_xml_child(node, "limit");
  bool needed = type == REVOLUTE || type == PRISMATIC;
  if (!child)
    return !needed || ch_xml_wrong(u->robot->reader, node, "<limit> is missing; a joint without limits is %s",
                                   type == REVOLUTE ? "continuous" : "prismatic with wide ones");
  ChXmlView view = ch_xml_view(u->robot->reader, child);
  if (!ch_xml_numbers(&view, "effort", 1, &joint->strength)) return false;
  if (joint->strength < 0.0)
    return ch_xml_wrong(u->robot->reader, child, "effort is %g, must be >= 0", joint->strength);
  if (!needed) return true;
  if (!ch_xml_numbers(&view, "lower", 1, &joint->lower) || !ch_xml_numbers(&view, "upper", 1, &joint->upper))
    return false;
  joint->limited = true;
  return joint->lower < joint->upper ||
         ch_xml_wrong(u->robot->reader, child, "lower is %g and upper %g, must ascend", joint->lower, joint->upper);
}

static bool read_dynamics(Urdf* u, ChXmlNode* node, ChRobotJoint* joint) {
  ChXmlNode* child = ch_xml_child(node, "dynamics");
  if (!child) return true;
  ChXmlView view = ch_xml_view(u->robot->reader, child);
  if (!ch_xml_numbers(&view, "damping", 1, &joint->damping) || !ch_xml_numbers(&view, "friction", 1, &joint->friction))
    return false;
  return (joint->damping >= 0.0 && joint->friction >= 0.0) ||
         ch_xml_wrong(u->robot->reader, child, "damping is %g and friction %g, must be >= 0", joint->damping,
                      joint->friction);
}

static bool read_mimic(Urdf* u, ChXmlNode* node) {
  ChXmlNode* child = ch_xml_child(node, "mimic");
  if (!child) return true;
  ChXmlView view = ch_xml_view(u->robot->reader, child);
  const char* other = ch_xml_text(&view, "joint");
  if (!u->robot->choice.uncoupled)
    return ch_xml_wrong(u->robot->reader, child,
                        "the joint should follow '%.80s', but there are no gears; --param coupled=free lets it move on "
                        "its own",
                        other ? other : "");
  ch_robot_note(u->robot, child, "the joint does not follow '%.80s': it moves on its own", other ? other : "");
  for (int k = 0; k < child->attribute_count; ++k) child->attributes[k].asked = true;
  return true;
}

// The joint that leads to a link; a fixed one makes the link a part of its parent.
static bool read_joint(Urdf* u, ChXmlNode* node, ChRobotBody* body) {
  ChReader* r = u->robot->reader;
  ChXmlView view = ch_xml_view(r, node);
  const char* text;
  int type = 0;
  ChRobotJoint* joint = CH_TAKE(r->arena, 1, ChRobotJoint);
  joint->node = node;
  if (!read_name(u, node, &joint->name) || !ch_xml_needed(&view, "type", &text) ||
      !ch_xml_word(&view, "type", joint_types, &type) || !read_origin(u, node, &body->frame))
    return false;
  if (type == FIXED) return read_mimic(u, node);
  static const ChRobotMotion motions[] = {CH_ROBOT_HINGE, CH_ROBOT_HINGE, CH_ROBOT_SLIDE,
                                          CH_ROBOT_FREE,  CH_ROBOT_FREE,  CH_ROBOT_PLANAR};
  joint->motion = motions[type];
  body->joints = joint;
  body->joint_count = 1;
  return read_axis(u, node, joint) && read_limit(u, node, type, joint) && read_dynamics(u, node, joint) &&
         read_mimic(u, node);
}

// --- the tree

static int link_named(const Urdf* u, const char* name) {
  for (int k = 0; k < u->link_count; ++k)
    if (strcmp(u->names[k], name) == 0) return k;
  return -1;
}

static bool read_end(Urdf* u, ChXmlNode* joint, const char* tag, int* out) {
  ChXmlNode* node = ch_xml_child(joint, tag);
  const char* name;
  if (!node) return ch_xml_wrong(u->robot->reader, joint, "<%s> is missing", tag);
  ChXmlView view = ch_xml_view(u->robot->reader, node);
  if (!ch_xml_needed(&view, "link", &name)) return false;
  *out = link_named(u, name);
  if (*out >= 0) return true;
  const char* near = ch_word_nearest(name, u->link_count, u->names);
  return ch_xml_wrong(u->robot->reader, node, "there is no link '%.80s'%s%.80s%s", name, near ? "; did you mean '" : "",
                      near ? near : "", near ? "'?" : "");
}

static bool list_all(Urdf* u) {
  ChArena* arena = u->robot->reader->arena;
  int links = ch_xml_count(u->root, "link"), joints = ch_xml_count(u->root, "joint");
  if (links > CH_ROBOT_BODIES || joints > CH_ROBOT_BODIES)
    return ch_xml_wrong(u->robot->reader, u->root, "has %d links and %d joints, at most %d are read", links, joints,
                        (int)CH_ROBOT_BODIES);
  u->links = CH_TAKE(arena, links + 1, ChXmlNode*);
  u->names = CH_TAKE(arena, links + 1, const char*);
  u->joints = CH_TAKE(arena, joints + 1, ChXmlNode*);
  u->ends = CH_TAKE(arena, joints + 1, Ends);
  CH_XML_EACH(link, u->root, "link") {
    const char* name;
    if (!read_name(u, link, &name)) return false;
    if (link_named(u, name) >= 0) return ch_xml_wrong(u->robot->reader, link, "another link is called '%.80s'", name);
    u->names[u->link_count] = name;
    u->links[u->link_count++] = link;
  }
  if (u->link_count == 0) return ch_xml_wrong(u->robot->reader, u->root, "has no <link>");
  CH_XML_EACH(joint, u->root, "joint") {
    Ends* ends = &u->ends[u->joint_count];
    if (!read_end(u, joint, "parent", &ends->parent) || !read_end(u, joint, "child", &ends->child)) return false;
    u->joints[u->joint_count++] = joint;
  }
  return true;
}

static bool read_link(Urdf* u, int link, int joint, int parent) {
  ChRobot* robot = u->robot;
  ChRobotBody* body = &robot->bodies[robot->body_count++];
  *body = (ChRobotBody){
      .node = u->links[link], .name = u->names[link], .parent = parent, .frame = ch_robot_frame_identity()};
  return (joint < 0 || read_joint(u, u->joints[joint], body)) && read_inertial(u, u->links[link], body) &&
         read_collisions(u, u->links[link], body) && read_colour(u, u->links[link], body);
}

// The link that is no child.
static bool find_root(const Urdf* u, int* parents, int* out) {
  *out = -1;
  for (int k = 0; k < u->link_count; ++k) parents[k] = -1;
  for (int j = 0; j < u->joint_count; ++j) {
    int child = u->ends[j].child;
    if (parents[child] >= 0)
      return ch_xml_wrong(u->robot->reader, u->joints[j], "'%.80s' is already the child of the joint at line %ld",
                          u->names[child], u->joints[parents[child]]->line);
    parents[child] = j;
  }
  for (int k = 0; k < u->link_count; ++k) {
    if (parents[k] >= 0) continue;
    if (*out >= 0)
      return ch_xml_wrong(u->robot->reader, u->links[k],
                          "'%.80s' has no joint to the rest, but '%.80s' is already the root", u->names[k],
                          u->names[*out]);
    *out = k;
  }
  return *out >= 0 || ch_xml_wrong(u->robot->reader, u->root, "has no root: every link is the child of a joint");
}

// From the root on, so that a parent stands before its children. What is in a circle is never reached.
static bool read_tree(Urdf* u, const int* parents, int root) {
  ChRobot* robot = u->robot;
  ChArena* arena = robot->reader->arena;
  int* order = CH_TAKE(arena, u->link_count, int);
  int* place = CH_TAKE(arena, u->link_count, int);
  int count = 0;
  for (int k = 0; k < u->link_count; ++k) place[k] = -1;
  order[count++] = root;
  for (int at = 0; at < count; ++at) {
    int link = order[at], joint = parents[link];
    place[link] = at;
    if (!read_link(u, link, joint, joint < 0 ? -1 : place[u->ends[joint].parent])) return false;
    for (int j = 0; j < u->joint_count; ++j)
      if (u->ends[j].parent == link) order[count++] = u->ends[j].child;
  }
  for (int k = 0; k < u->link_count; ++k)
    if (place[k] < 0)
      return ch_xml_wrong(robot->reader, u->links[k], "'%.80s' hangs on itself: its joints form a loop", u->names[k]);
  return true;
}

bool ch_urdf_read(ChRobot* robot, ChXmlNode* node) {
  Urdf u = {.robot = robot, .root = node};
  ChArena* arena = robot->reader->arena;
  int root;
  if (!read_name(&u, node, &robot->name) || !list_all(&u) || !read_materials(&u)) return false;
  int* parents = CH_TAKE(arena, u.link_count, int);
  robot->bodies = CH_TAKE(arena, u.link_count, ChRobotBody);
  if (!find_root(&u, parents, &root) || !read_tree(&u, parents, root)) return false;
  robot->ground = robot->bodies[0].name;
  if (!robot->choice.free) return true;
  ChRobotJoint* joint = CH_TAKE(arena, 1, ChRobotJoint);
  *joint = (ChRobotJoint){.node = robot->bodies[0].node, .name = "base", .motion = CH_ROBOT_FREE};
  robot->bodies[0].joints = joint;
  robot->bodies[0].joint_count = 1;
  return true;
}
