// Robots as scenes: see robot.h. Here: which format it is, what the user chose, what is told, and where things come
// from.
#include "scene/robot/robot.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/plain_numbers.h"
#include "cardhouse/scene.h"
#include "cardhouse/text.h"

// --------------------------------------------------------------------------------------------------------------- notes

void ch_robot_note(ChRobot* robot, const ChXmlNode* node, const char* format, ...) {
  if (robot->noted + CH_MESSAGE_SIZE >= CH_ROBOT_NOTES) return;
  char* at = robot->notes + robot->noted;
  int used = snprintf(at, CH_MESSAGE_SIZE, "%sline %ld: ", robot->noted ? "\n" : "", node->line);
  va_list arguments;
  va_start(arguments, format);
  int more = vsnprintf(at + used, CH_MESSAGE_SIZE - (size_t)used, format, arguments);
  va_end(arguments);
  size_t size = (size_t)used + (size_t)(more > 0 ? more : 0);
  robot->noted += size < CH_MESSAGE_SIZE ? size : CH_MESSAGE_SIZE - 1;
}

static const char* all_notes(ChRobot* robot, ChXmlNode* root) {
  const char* unread = ch_xml_unread(robot->reader, root);
  if (!unread) return robot->noted > 0 ? robot->notes : NULL;
  size_t size = strlen(unread) + robot->noted + 2;
  char* both = CH_TAKE(robot->reader->arena, size, char);
  snprintf(both, size, "%s%s%s", robot->notes, robot->noted ? "\n" : "", unread);
  return both;
}

// -------------------------------------------------------------------------------------------------------------- choice

// A parameter of every robot: two words, the first of which is the default, or a number.
typedef struct Parameter {
  const char *name, *first, *second;
  size_t place;
} Parameter;

static const Parameter parameters[] = {
    {"base", "fixed", "free", offsetof(ChRobotChoice, free)},
    {"mesh", "hull", "exact", offsetof(ChRobotChoice, exact)},
    {"self", "touch", "pass", offsetof(ChRobotChoice, alone)},
    {"coupled", "refuse", "free", offsetof(ChRobotChoice, uncoupled)},
    {"floor", NULL, NULL, offsetof(ChRobotChoice, has_floor)},
};

static bool wrong_choice(ChReader* r, const char* format, const char* name, const char* value) {
  char text[CH_MESSAGE_SIZE];
  snprintf(text, sizeof text, format, name, value);
  r->status = ch_fail(r->context, CH_ERR_ARGUMENT, "%s: %s", r->document->file, text);
  return false;
}

static bool choose(ChReader* r, const char* name, const char* value, ChRobotChoice* out) {
  const char* known[CH_COUNT(parameters)];
  for (int k = 0; k < CH_COUNT(parameters); ++k) {
    const Parameter* p = &parameters[k];
    bool* place = (bool*)((char*)out + p->place);
    known[k] = p->name;
    if (strcmp(name, p->name) != 0) continue;
    if (!p->first) {
      char* end;
      out->floor = ch_number_parse(value, &end);
      *place = true;
      if (end != value && !*end && isfinite(out->floor)) return true;
      return wrong_choice(r, "the parameter '%s' is '%.60s', must be a height in metres", name, value);
    }
    *place = strcmp(value, p->second) == 0;
    if (*place || strcmp(value, p->first) == 0) return true;
    char right[80];
    snprintf(right, sizeof right, "the parameter '%%s' is '%%.60s', must be %s or %s", p->first, p->second);
    return wrong_choice(r, right, name, value);
  }
  const char* near = ch_word_nearest(name, CH_COUNT(parameters), known);
  return wrong_choice(r,
                      near ? "a robot has no parameter '%.60s'; did you mean '%s'? There are: base, mesh, self, "
                             "coupled, floor"
                           : "a robot has no parameter '%.60s'%s; there are: base, mesh, self, coupled, floor",
                      name, near ? near : "");
}

// The values were for this document.
static bool read_choice(ChReader* r, ChRobotChoice* out) {
  const ChSceneChoice* choice = r->choice;
  r->choice = NULL;
  for (int k = 0; choice && k < choice->parameter_count; ++k)
    if (!choose(r, choice->parameters[k][0], choice->parameters[k][1], out)) return false;
  return true;
}

// ------------------------------------------------------------------------------------------------------------- origins

// The element that a place of the scene comes from: $.bodies[3].shapes[0].file -> <mesh>.
static const ChXmlNode* origin_of(const ChRobotOrigins* o, const ChPlace* place) {
  const ChPlace* chain[8] = {NULL};
  int depth = 0;
  for (const ChPlace* p = place; p && p->above; p = p->above) ++depth;
  for (const ChPlace* p = place; p && p->above; p = p->above)
    if (--depth < 8) chain[depth] = p;
  if (!chain[0] || !chain[0]->key || !chain[1] || chain[1]->key) return NULL;
  size_t k = chain[1]->index;
  if (strcmp(chain[0]->key, "joints") == 0) return k < (size_t)o->joint_count ? o->joint[k] : NULL;
  if (strcmp(chain[0]->key, "bodies") != 0 || k >= (size_t)o->body_count) return NULL;
  bool shape = chain[2] && chain[2]->key && strcmp(chain[2]->key, "shapes") == 0 && chain[3] && !chain[3]->key;
  return shape && chain[3]->index < (size_t)o->shape_count[k] ? o->shape[k][chain[3]->index] : o->body[k];
}

static void locate(const ChDocument* document, const ChPlace* place, long* line, long* column) {
  const ChXmlNode* node = origin_of(document->origins, place);
  *line = node ? node->line : 1;
  *column = node ? node->column : 1;
}

// ----------------------------------------------------------------------------------------------------------------- all

static const struct {
  const char* tag;
  bool (*read)(ChRobot* robot, ChXmlNode* root);
} formats[] = {{"robot", ch_urdf_read}, {"mujoco", ch_mjcf_read}};

bool ch_robot_read(ChReader* r, ChDocument* document) {
  r->document = document;
  ChRobot robot = {.reader = r, .gravity = {0.0, 0.0, -9.81}};
  robot.notes = CH_TAKE(r->arena, CH_ROBOT_NOTES, char);
  if (!read_choice(r, &robot.choice)) return false;
  ChXmlNode* root = ch_xml_read(r, document->text, document->size);
  if (!root) return false;
  int k = 0;
  while (k < CH_COUNT(formats) && strcmp(formats[k].tag, root->tag) != 0) ++k;
  if (k == CH_COUNT(formats))
    return ch_xml_wrong(r, root, "is not known; URDF begins with <robot>, MJCF with <mujoco>, and a scene is JSON");
  root->read = true;
  if (!formats[k].read(&robot, root)) return false;
  ChRobotOrigins* origins = CH_TAKE(r->arena, 1, ChRobotOrigins);
  document->root = ch_robot_scene(&robot, root, origins);
  if (!document->root) return false;
  document->origins = origins;
  document->locate = locate;
  document->notes = all_notes(&robot, root);
  return true;
}
