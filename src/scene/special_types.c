// Types of values that belong to worlds: signals in time, orientations, friction, points, locks, freedoms of joints.
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "cardhouse/height_map.h"
#include "scene/forms.h"

static const double DEGREE = 3.141592653589793 / 180.0;

#define TYPE(name) const ChFieldType ch_type_##name = {read_##name, schema_##name}

// ------------------------------------------------------------------------------------------------------------- signals

static bool signal_of(ChReader* r, const ChPlace* place, json_t* value, ChSignal* out) {
  *out = (ChSignal){0};
  if (json_is_object(value)) return ch_form_read(r, place, value, &ch_form_signal, out);
  if (!json_is_number(value))
    return ch_reader_wrong(r, place, "is %s, must be a number, or an object that describes its change in time",
                           ch_json_kind(value));
  return ch_read_number(r, place, value, CH_ANY, &out->base);
}

static json_t* signal_schema(int dimension) {
  return ch_schema_either(ch_schema_number(CH_ANY, false), ch_schema_reference(&ch_form_signal, dimension));
}

static bool read_signal(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  (void)field;
  return signal_of(r, place, value, out);
}
static json_t* schema_signal(const ChField* field, int dimension) {
  (void)field;
  return signal_schema(dimension);
}
TYPE(signal);

static bool signals_of(ChReader* r, const ChPlace* place, json_t* value, size_t count, ChSignal* out) {
  if (!json_is_array(value) || json_array_size(value) != count)
    return ch_reader_wrong(r, place, "is %s%s, must be an array of %zu numbers (or signals)", ch_json_kind(value),
                           json_is_array(value) ? " of another length" : "", count);
  for (size_t k = 0; k < count; ++k) {
    ChPlace at = {place, NULL, k};
    if (!signal_of(r, &at, json_array_get(value, k), &out[k])) return false;
  }
  return true;
}

static bool read_signals(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  (void)field;
  memset(out, 0, 3 * sizeof(ChSignal));
  return signals_of(r, place, value, (size_t)r->dimension, out);
}
static json_t* schema_signals(const ChField* field, int dimension) {
  (void)field;
  return ch_schema_array(signal_schema(dimension), dimension, dimension);
}
TYPE(signals);

static bool read_spin_signals(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  ChSignal* signals = out;
  return r->dimension == 2 ? signal_of(r, place, value, &signals[2]) : read_signals(r, place, value, field, out);
}
static json_t* schema_spin_signals(const ChField* field, int dimension) {
  return dimension == 2 ? signal_schema(dimension) : schema_signals(field, dimension);
}
TYPE(spin_signals);

static bool read_signal_table(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  ChSignal* signal = out;
  size_t count = json_array_size(value);
  if (count == 0) return ch_reader_wrong(r, place, "must be an array of rows: %s", field->text);
  double* table = CH_TAKE(r->arena, 2 * count, double);
  for (size_t k = 0; k < count; ++k) {
    ChPlace at = {place, NULL, k};
    if (!ch_read_numbers(r, &at, json_array_get(value, k), 2, CH_ANY, &table[2 * k])) return false;
    if (k > 0 && !(table[2 * k] > table[2 * k - 2]))
      return ch_reader_wrong(r, &at, "has the time %g after %g; times must ascend", table[2 * k], table[2 * k - 2]);
  }
  signal->table = table;
  signal->table_count = (int)count;
  return true;
}
static json_t* schema_signal_table(const ChField* field, int dimension) {
  (void)field, (void)dimension;
  return ch_schema_array(ch_schema_array(ch_schema_number(CH_ANY, false), 2, 2), 1, -1);
}
TYPE(signal_table);

// -------------------------------------------------------------------------------------------------------- orientations

static bool read_spin(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  if (r->dimension == 3) return ch_type_vector.read(r, place, value, field, out);
  ChVec3* spin = out;
  return ch_read_number(r, place, value, CH_ANY, &spin->z);
}
static json_t* schema_spin(const ChField* field, int dimension) {
  return dimension == 3 ? ch_type_vector.schema(field, dimension) : ch_schema_number(CH_ANY, false);
}
TYPE(spin);

// Bodies and shapes keep their orientation and, behind it, the angle of the plane.
typedef struct Turn {
  ChQuat orientation;
  double angle;
} Turn;
_Static_assert(offsetof(ChBodyDef, angle) - offsetof(ChBodyDef, orientation) == offsetof(Turn, angle), "body's turn");
_Static_assert(offsetof(ChShapeDef, angle) - offsetof(ChShapeDef, orientation) == offsetof(Turn, angle),
               "shape's turn");

typedef struct TurnText {
  ChVec3 axis;
  double degrees, radians;
} TurnText;

#define TURN(type_name, key, flags) \
  { #key, &ch_type_##type_name, offsetof(TurnText, key), "turn of a frame", flags, CH_ANY, NULL }
static const ChField degree_fields[] = {TURN(vector, axis, CH_REQUIRED | CH_SPACE), TURN(number, degrees, CH_REQUIRED)};
static const ChField radian_fields[] = {TURN(vector, axis, CH_REQUIRED | CH_SPACE), TURN(number, radians, CH_REQUIRED)};
static const ChSceneForm degree_form = {
    .name = "orientation: axis and degrees (in the plane: degrees)", .count = 2, .fields = degree_fields};
static const ChSceneForm radian_form = {
    .name = "orientation: axis and radians (in the plane: radians)", .count = 2, .fields = radian_fields};

static bool read_quaternion(ChReader* r, const ChPlace* place, const json_t* value, ChQuat* out) {
  double q[4];
  if (!ch_read_numbers(r, place, value, 4, CH_ANY, q)) return false;
  double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(fabs(norm - 1.0) <= 1e-6))
    return ch_reader_wrong(r, place, "has the norm %g, must be a unit quaternion [w, x, y, z]", norm);
  *out = (ChQuat){q[0], q[1], q[2], q[3]};
  return true;
}

static bool read_turn(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  (void)field;
  Turn* turn = out;
  if (json_is_array(value) && r->dimension == 3) return read_quaternion(r, place, value, &turn->orientation);
  TurnText text = {0};
  bool radians = json_object_get(value, "radians") != NULL;
  if (!ch_form_read(r, place, value, radians ? &radian_form : &degree_form, &text)) return false;
  double angle = radians ? text.radians : text.degrees * DEGREE;
  if (r->dimension == 2) {
    turn->angle = angle;
    return true;
  }
  ChPlace at = {place, "axis", 0};
  if (!(ch_norm(text.axis) > 0.0)) return ch_reader_wrong(r, &at, "is zero, must be a direction");
  turn->orientation = ch_quat_about(ch_unit(text.axis), angle);
  return true;
}

static json_t* turn_object(const char* unit, int dimension) {
  json_t* schema = json_pack("{s:s, s:{s:o}, s:[s], s:b}", "type", "object", "properties", unit,
                             ch_schema_number(CH_ANY, false), "required", unit, "additionalProperties", 0);
  if (dimension == 2) return schema;
  json_object_set_new(json_object_get(schema, "properties"), "axis",
                      ch_schema_array(ch_schema_number(CH_ANY, false), 3, 3));
  json_array_append_new(json_object_get(schema, "required"), json_string("axis"));
  return schema;
}

static json_t* schema_turn(const ChField* field, int dimension) {
  (void)field;
  json_t* objects = ch_schema_either(turn_object("degrees", dimension), turn_object("radians", dimension));
  return dimension == 2 ? objects : ch_schema_either(objects, ch_schema_array(ch_schema_number(CH_ANY, false), 4, 4));
}
TYPE(turn);

// ------------------------------------------------------------------------------------------------------------ friction

// Shares of the coefficient of what sticks, or a failure that names the place.
static bool set_curve(ChReader* r, const ChPlace* place, const ChSceneCurve* given, double friction[2],
                      ChFrictionCurve* curve) {
  const int count = given->speed.count;
  if (count > CH_CURVE_POINTS)
    return ch_reader_wrong(r, place, "has %d speeds, at most %d are allowed", count, CH_CURVE_POINTS);
  if (count != given->mu.count || count == 0)
    return ch_reader_wrong(r, place, "has %d speeds and %d coefficients, must have the same number of both", count,
                           given->mu.count);
  const double sticks = given->sticks < 0.0 ? given->mu.values[0] : given->sticks;
  *curve = (ChFrictionCurve){.count = count};
  friction[0] = friction[1] = sticks;
  for (int k = 0; k < count; ++k) {
    const double mu = given->mu.values[k];
    if (sticks == 0.0 && mu > 0.0)
      return ch_reader_wrong(r, place, "has no friction while sticking, but %g while slipping", mu);
    curve->speed[k] = given->speed.values[k];
    curve->share[k] = mu == sticks ? 1.0 : mu / sticks;
  }
  return ch_reader_pass_on(r, place, ch_friction_curve_check(r->context, "friction", curve));
}

static bool has_either(const json_t* object, const char* a, const char* b) {
  return json_object_get(object, a) || json_object_get(object, b);
}

// {"static", "dynamic"}, or {"speed", "mu"} with a "static" of its own or without.
static bool read_curve(ChReader* r, const ChPlace* place, json_t* value, double friction[2], ChFrictionCurve* curve) {
  ChSceneCurve given = {.sticks = -1.0};
  if (has_either(value, "speed", "mu"))
    return ch_form_read(r, place, value, &ch_form_stribeck, &given) && set_curve(r, place, &given, friction, curve);
  if (!ch_form_read(r, place, value, &ch_form_stiction, &given)) return false;
  given.speed = (ChSceneNumbers){1, (const double[]){0.0}};
  given.mu = (ChSceneNumbers){1, &given.slips};
  return set_curve(r, place, &given, friction, curve);
}

static json_t* schema_curve(json_t* other, int dimension) {
  return ch_schema_either(ch_schema_either(other, ch_schema_reference(&ch_form_stiction, dimension)),
                          ch_schema_reference(&ch_form_stribeck, dimension));
}

static bool read_section(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  ChMaterialDef* def = out;
  const size_t count = json_array_size(value);
  if (r->dimension == 2) return ch_reader_wrong(r, place, "is for scenes in space, this one is plane");
  if (count < 3 || count > CH_FRICTION_CORNERS_MAX)
    return ch_reader_wrong(r, place, "must be an array of 3 to %d %s", CH_FRICTION_CORNERS_MAX, field->text);
  double point[CH_FRICTION_CORNERS_MAX][2];
  for (size_t k = 0; k < count; ++k) {
    ChPlace at = {place, NULL, k};
    if (!ch_read_numbers(r, &at, json_array_get(value, k), 2, CH_ANY, point[k])) return false;
  }
  ChFrictionSection* section = CH_TAKE(r->arena, 1, ChFrictionSection);
  def->section = section;
  return ch_reader_pass_on(
      r, place, ch_friction_section_make(r->context, "friction", (int)count, (const double(*)[2])point, section));
}
static json_t* schema_section(const ChField* field, int dimension) {
  (void)field, (void)dimension;
  return ch_schema_array(ch_schema_array(ch_schema_number(CH_ANY, false), 2, 2), 3, CH_FRICTION_CORNERS_MAX);
}
TYPE(section);

static bool read_law_parameters(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  ChMaterialDef* def = out;
  const size_t count = json_array_size(value);
  if (!json_is_array(value) || count > CH_MATERIAL_LAW_PARAMETERS)
    return ch_reader_wrong(r, place, "must be an array of at most %d numbers, %s", CH_MATERIAL_LAW_PARAMETERS,
                           field->text);
  for (size_t k = 0; k < count; ++k) {
    const ChPlace at = {place, NULL, k};
    if (!ch_read_number(r, &at, json_array_get(value, k), CH_ANY, &def->law_parameter[k])) return false;
  }
  return true;
}
static json_t* schema_law_parameters(const ChField* field, int dimension) {
  (void)field, (void)dimension;
  return ch_schema_array(ch_schema_number(CH_ANY, false), 0, CH_MATERIAL_LAW_PARAMETERS);
}
TYPE(law_parameters);

static bool read_friction(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  ChMaterialDef* def = out;
  def->curve.count = 0;
  if (json_is_object(value) && (has_either(value, "static", "dynamic") || has_either(value, "speed", "mu")))
    return read_curve(r, place, value, def->friction, &def->curve);
  if (json_object_get(value, "law")) return ch_form_read(r, place, value, &ch_form_own_law, def);
  if (json_object_get(value, "section")) return ch_form_read(r, place, value, &ch_form_section, def);
  if (json_is_object(value)) return ch_form_read(r, place, value, field->more, def);
  if (!json_is_number(value))
    return ch_reader_wrong(r, place,
                           "is %s, must be a number, or an object with along and across, with a section, with static "
                           "and dynamic, or with speed and mu",
                           ch_json_kind(value));
  if (!ch_read_number(r, place, value, field->range, &def->friction[0])) return false;
  def->friction[1] = def->friction[0];
  return true;
}
static json_t* schema_friction(const ChField* field, int dimension) {
  json_t* along = ch_schema_either(ch_schema_number(field->range, false), ch_schema_reference(field->more, dimension));
  along = ch_schema_either(along, ch_schema_reference(&ch_form_own_law, dimension));
  if (dimension == 3) along = ch_schema_either(along, ch_schema_reference(&ch_form_section, dimension));
  return schema_curve(along, dimension);
}
TYPE(friction);

static bool read_pair_friction(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  ChPairDef* def = out;
  double* friction = def->friction;
  def->curve.count = 0;
  if (json_is_object(value)) return read_curve(r, place, value, friction, &def->curve);
  if (json_is_array(value)) return ch_read_numbers(r, place, value, 2, field->range, friction);
  if (!ch_read_number(r, place, value, field->range, &friction[0])) return false;
  friction[1] = friction[0];
  return true;
}
static json_t* schema_pair_friction(const ChField* field, int dimension) {
  return schema_curve(ch_schema_either(ch_schema_number(field->range, false),
                                       ch_schema_array(ch_schema_number(field->range, false), 2, 2)),
                      dimension);
}
TYPE(pair_friction);

static bool read_periodic(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  static const char* const words[2][4] = {{"x", "y", NULL}, {"x", "y", "z", NULL}};
  if (!json_is_object(value))
    return ch_reader_wrong(r, place, "is %s, must be an object: %s", ch_json_kind(value), field->text);
  double ends[3][2] = {{0.0}};
  ChPeriodic* periodic = out;
  const char* key;
  json_t* entry;
  json_object_foreach(value, key, entry) {
    ChPlace at = {place, key, 0};
    json_t* word = json_string(key);
    int axis = 0;
    bool good = ch_read_word(r, &at, word, words[r->dimension - 2], &axis) &&
                ch_read_numbers(r, &at, entry, 2, CH_ANY, ends[axis]);
    json_decref(word);
    if (!good) return false;
    if (!(ends[axis][1] > ends[axis][0]))
      return ch_reader_wrong(r, &at, "is from %g to %g, must be ascending", ends[axis][0], ends[axis][1]);
    periodic->axis[axis] = true;
  }
  periodic->low = ch_vec(ends[0][0], ends[1][0], ends[2][0]);
  periodic->high = ch_vec(ends[0][1], ends[1][1], ends[2][1]);
  return true;
}
static json_t* schema_periodic(const ChField* field, int dimension) {
  static const char* const names[] = {"x", "y", "z"};
  json_t* properties = json_object();
  for (int a = 0; a < dimension; ++a)
    json_object_set_new(properties, names[a], ch_schema_array(ch_schema_number(field->range, false), 2, 2));
  return json_pack("{s:s, s:o, s:b}", "type", "object", "properties", properties, "additionalProperties", 0);
}
TYPE(periodic);

// ----------------------------------------------------------------------------------------------- what bodies are given

static const char* const space_axes[] = {"x", "y", "z", "rx", "ry", "rz", NULL};
static const char* const plane_axes[] = {"x", "y", "rz", NULL};
static const unsigned plane_bits[] = {CH_LOCK_X, CH_LOCK_Y, CH_LOCK_RZ};

static bool read_locks(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  if (!json_is_array(value))
    return ch_reader_wrong(r, place, "is %s, must be an array: %s", ch_json_kind(value), field->text);
  unsigned* locks = out;
  for (size_t k = 0; k < json_array_size(value); ++k) {
    ChPlace at = {place, NULL, k};
    int axis;
    const char* const* words = r->dimension == 2 ? plane_axes : space_axes;
    if (!ch_read_word(r, &at, json_array_get(value, k), words, &axis)) return false;
    *locks |= r->dimension == 2 ? plane_bits[axis] : 1u << axis;
  }
  return true;
}
static json_t* schema_locks(const ChField* field, int dimension) {
  ChField words = *field;
  words.more = dimension == 2 ? (const void*)plane_axes : (const void*)space_axes;
  return ch_schema_array(ch_type_choice.schema(&words, dimension), 0, -1);
}
TYPE(locks);

static bool read_inertia(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  (void)field;
  double* inertia = out;
  if (r->dimension == 2) return ch_read_number(r, place, value, CH_POSITIVE, &inertia[2]);
  return ch_read_numbers(r, place, value, json_array_size(value) == 6 ? 6 : 3, CH_ANY, inertia);
}
static json_t* schema_inertia(const ChField* field, int dimension) {
  (void)field;
  if (dimension == 2) return ch_schema_number(CH_POSITIVE, false);
  return ch_schema_either(ch_schema_array(ch_schema_number(CH_ANY, false), 3, 3),
                          ch_schema_array(ch_schema_number(CH_ANY, false), 6, 6));
}
TYPE(inertia);

static bool read_points(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  ChSceneShape* shape = out;
  size_t count = json_array_size(value);
  if (count == 0) return ch_reader_wrong(r, place, "must be an array of points: %s", field->text);
  ChVec3* points = CH_TAKE(r->arena, count, ChVec3);
  for (size_t k = 0; k < count; ++k) {
    ChPlace at = {place, NULL, k};
    if (!ch_type_vector.read(r, &at, json_array_get(value, k), field, &points[k])) return false;
  }
  shape->def.points = points;
  shape->def.point_count = (int)count;
  return true;
}
static json_t* schema_points(const ChField* field, int dimension) {
  return ch_schema_array(ch_type_vector.schema(field, dimension), 1, -1);
}
TYPE(points);

// Rows of numbers, all of one length.
static bool read_heights(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  ChShapeDef* def = &((ChSceneShape*)out)->def;
  size_t rows = json_array_size(value), columns = json_array_size(json_array_get(value, 0));
  if (rows < 2 || columns < 2 || rows > CH_HEIGHTS_MOST || columns > CH_HEIGHTS_MOST)
    return ch_reader_wrong(r, place, "must be at least two rows of two numbers, and at most %d of each: %s",
                           CH_HEIGHTS_MOST, field->text);
  double* heights = CH_TAKE(r->arena, rows * columns, double);
  for (size_t k = 0; k < rows; ++k) {
    ChPlace at = {place, NULL, k};
    if (!ch_read_numbers(r, &at, json_array_get(value, k), columns, CH_ANY, heights + k * columns)) return false;
  }
  def->columns = (int)columns;
  def->rows = (int)rows;
  def->heights = heights;
  return true;
}
static json_t* schema_heights(const ChField* field, int dimension) {
  (void)field, (void)dimension;
  return ch_schema_array(ch_schema_array(ch_schema_number(CH_ANY, false), 2, -1), 2, -1);
}
TYPE(heights);

// Lists of `each` indices.
static int* read_indices(ChReader* r, const ChPlace* place, const json_t* value, const ChField* field, size_t each) {
  size_t count = json_array_size(value);
  if (count == 0) {
    ch_reader_wrong(r, place, "must be an array of lists of %zu indices: %s", each, field->text);
    return NULL;
  }
  int* indices = CH_TAKE(r->arena, each * count, int);
  for (size_t k = 0; k < count; ++k) {
    ChPlace at = {place, NULL, k};
    double corners[3];
    if (!ch_read_numbers(r, &at, json_array_get(value, k), each, CH_WHOLE_0, corners)) return NULL;
    for (size_t j = 0; j < each; ++j) {
      ChPlace corner = {&at, NULL, j};
      if (corners[j] != floor(corners[j]) || corners[j] > 2147483647.0) {
        ch_reader_wrong(r, &corner, "is %g, must be an index", corners[j]);
        return NULL;
      }
      indices[each * k + j] = (int)corners[j];
    }
  }
  return indices;
}

static bool read_segments(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  ChSceneShape* shape = out;
  shape->def.segments = read_indices(r, place, value, field, 2);
  shape->def.segment_count = (int)json_array_size(value);
  return shape->def.segments != NULL;
}
static json_t* schema_segments(const ChField* field, int dimension) {
  (void)field, (void)dimension;
  return ch_schema_array(ch_schema_array(ch_schema_number(CH_WHOLE_0, true), 2, 2), 1, -1);
}
TYPE(segments);

static bool read_triangles(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  ChSceneShape* shape = out;
  shape->def.triangles = read_indices(r, place, value, field, 3);
  shape->def.triangle_count = (int)json_array_size(value);
  return shape->def.triangles != NULL;
}
static json_t* schema_triangles(const ChField* field, int dimension) {
  (void)field, (void)dimension;
  return ch_schema_array(ch_schema_array(ch_schema_number(CH_WHOLE_0, true), 3, 3), 1, -1);
}
TYPE(triangles);

// ------------------------------------------------------------------------------------------------- joints and forces

static bool read_two_points(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  ChVec3* points = out;
  if (json_array_size(value) != 2) return ch_reader_wrong(r, place, "must be an array of two points: %s", field->text);
  for (size_t k = 0; k < 2; ++k) {
    ChPlace at = {place, NULL, k};
    if (!ch_type_vector.read(r, &at, json_array_get(value, k), field, &points[k])) return false;
  }
  return true;
}
static json_t* schema_two_points(const ChField* field, int dimension) {
  return ch_schema_array(ch_type_vector.schema(field, dimension), 2, 2);
}
TYPE(two_points);

static bool read_two_texts(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  if (json_array_size(value) != 2) return ch_reader_wrong(r, place, "must be an array of two names: %s", field->text);
  return ch_type_texts.read(r, place, value, field, out);
}
static json_t* schema_two_texts(const ChField* field, int dimension) {
  return ch_schema_array(ch_type_text.schema(field, dimension), 2, 2);
}
TYPE(two_texts);

static bool read_text_pairs(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  if (!ch_type_list.read(r, place, value, field, out)) return false;
  for (size_t k = 0; k < json_array_size(value); ++k) {
    ChPlace at = {place, NULL, k};
    json_t* unused;
    if (read_two_texts(r, &at, json_array_get(value, k), field, &unused)) continue;
    *(json_t**)out = NULL;
    return false;
  }
  return true;
}
static json_t* schema_text_pairs(const ChField* field, int dimension) {
  return ch_schema_array(schema_two_texts(field, dimension), 0, -1);
}
TYPE(text_pairs);

static bool read_joint_axes(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  ChJointAxis* axes = out;
  if (!json_is_array(value) || json_array_size(value) > 3)
    return ch_reader_wrong(r, place, "must be an array of at most three objects: %s", field->text);
  for (size_t k = 0; k < json_array_size(value); ++k) {
    ChPlace at = {place, NULL, k};
    json_t* object = json_array_get(value, k);
    axes[k] = (ChJointAxis){.lower = -INFINITY, .upper = INFINITY};
    if (!ch_form_read(r, &at, object, &ch_form_joint_axis, &axes[k])) return false;
    axes[k].limited = json_object_get(object, "lower") || json_object_get(object, "upper");
  }
  return true;
}
static json_t* schema_joint_axes(const ChField* field, int dimension) {
  (void)field;
  return ch_schema_array(ch_schema_reference(&ch_form_joint_axis, dimension), 0, 3);
}
TYPE(joint_axes);
