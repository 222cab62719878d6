// Deformable bodies in a scene: the key "soft" of a body, and the types of values that only it has.
#include <math.h>
#include <string.h>

#include "cardhouse/text.h"
#include "scene/forms.h"

#define TYPE(name) const ChFieldType ch_type_##name = {read_##name, schema_##name}
#define SOFT(type_name, key, member, text, ...) \
  { key, &ch_type_##type_name, offsetof(ChSceneSoft, member), text, __VA_ARGS__ }

// ---------------------------------------------------------------------------------------------------------------- mesh

enum { SHAPES_MAX = 64 };

// The names of shapes, NULL-terminated.
static const char* const* shape_names(void) {
  static const char* names[SHAPES_MAX + 1];
  int count = ch_tet_shape_count();
  for (int k = 0; k < count && k < SHAPES_MAX; ++k) names[k] = ch_tet_shape_at(k)->name;
  return names;
}

static bool read_tet_shape(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  (void)field;
  int which;
  if (!ch_read_word(r, place, value, shape_names(), &which)) return false;
  *(const char**)out = ch_tet_shape_at(which)->name;
  return true;
}
static json_t* schema_tet_shape(const ChField* field, int dimension) {
  ChField words = *field;
  words.more = shape_names();
  return ch_type_choice.schema(&words, dimension);
}
static const ChFieldType ch_type_tet_shape = {read_tet_shape, schema_tet_shape};

static bool read_grid(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  double cells[3];
  if (!ch_read_numbers(r, place, value, 3, field->range, cells)) return false;
  for (size_t k = 0; k < 3; ++k) {
    ChPlace at = {place, NULL, k};
    if (cells[k] != floor(cells[k])) return ch_reader_wrong(r, &at, "is %g, must be a whole number", cells[k]);
    ((int*)out)[k] = (int)cells[k];
  }
  return true;
}
static json_t* schema_grid(const ChField* field, int dimension) {
  (void)dimension;
  return ch_schema_array(ch_schema_number(field->range, true), 3, 3);
}
static const ChFieldType ch_type_grid = {read_grid, schema_grid};

static const ChField soft_mesh_fields[] = {
    SOFT(tet_shape, "shape", shape.shape, "its name: `cardhouse mesh list` lists them", CH_REQUIRED, CH_ANY, NULL),
    SOFT(vector, "size", shape.size, "size, m; 0 or left out: the shape's own", 0, CH_NOT_NEGATIVE, NULL),
    SOFT(grid, "cells", shape.cells, "number of cells; 0 or left out: the shape's own", 0, CH_GRID, NULL),
    SOFT(number, "amplitude", shape.amplitude, "strand: height of its waves, m; 0: its thickness", 0, CH_ANY, NULL),
    SOFT(number, "period", shape.period, "strand: length of a wave, m; 0: half the strand", 0, CH_NOT_NEGATIVE, NULL),
    SOFT(number, "phase", shape.phase, "strand: phase of its waves at x = 0, radian", 0, CH_ANY, NULL),
    SOFT(number, "round", shape.round, "strand: share by which its edges are thinner than its middle, 0 to 0.9", 0,
         CH_NOT_NEGATIVE, NULL),
};
const ChSceneForm ch_form_soft_mesh = {
    .name = "soft-mesh", .same = true, .count = CH_COUNT(soft_mesh_fields), .fields = soft_mesh_fields};

// A wave and thin edges are a strand's: for another shape they would say nothing.
static bool keys_fit(ChReader* r, const ChPlace* place, const json_t* object, const char* shape) {
  static const char* const strand_keys[] = {"amplitude", "period", "phase", "round"};
  if (strcmp(shape, "strand") == 0) return true;
  for (int k = 0; k < CH_COUNT(strand_keys); ++k) {
    ChPlace at = {place, strand_keys[k], 0};
    if (json_object_get(object, strand_keys[k]))
      return ch_reader_wrong(r, &at, "is for the shape 'strand', and this is a %s: leave it out", shape);
  }
  return true;
}

static bool read_mesh_object(ChReader* r, const ChPlace* place, json_t* object, ChSceneSoft* soft) {
  const char* file = json_string_value(json_object_get(object, "file"));
  if (file) {  // as the key would be called if there were one
    ChPlace at = {place, "file", 0};
    return ch_reader_wrong(r, &at, "is not known; name a file without an object around it: \"mesh\": \"%.100s\"", file);
  }
  return ch_form_read(r, place, object, &ch_form_soft_mesh, soft) && keys_fit(r, place, object, soft->shape.shape);
}

static bool read_soft_mesh(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  ChSceneSoft* soft = out;
  if (json_is_object(value)) return read_mesh_object(r, place, value, soft);
  if (!json_is_string(value))
    return ch_reader_wrong(r, place, "is %s, must be the name of a file, or an object with \"shape\"",
                           ch_json_kind(value));
  return ch_type_text.read(r, place, value, field, &soft->def.file);
}
static json_t* schema_soft_mesh(const ChField* field, int dimension) {
  return ch_schema_either(ch_type_text.schema(field, dimension), ch_schema_reference(&ch_form_soft_mesh, dimension));
}
TYPE(soft_mesh);

// ------------------------------------------------------------------------------------------------------------- damping

typedef struct DampingText {
  double ratio;
  double at[2];  // Hz
} DampingText;

static bool read_two_hertz(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  return ch_read_numbers(r, place, value, 2, field->range, out);
}
static json_t* schema_two_hertz(const ChField* field, int dimension) {
  (void)dimension;
  return ch_schema_array(ch_schema_number(field->range, false), 2, 2);
}
static const ChFieldType ch_type_two_hertz = {read_two_hertz, schema_two_hertz};

static const ChField damping_fields[] = {
    {"ratio", &ch_type_number, offsetof(DampingText, ratio), "share of critical damping at both frequencies",
     CH_REQUIRED, CH_NOT_NEGATIVE, NULL},
    {"at", &ch_type_two_hertz, offsetof(DampingText, at),
     "the two frequencies, Hz; between them the damping is a little less", CH_REQUIRED, CH_POSITIVE, NULL},
};
const ChSceneForm ch_form_damping = {
    .name = "damping", .same = true, .count = CH_COUNT(damping_fields), .fields = damping_fields};

// A mode of angular frequency w has the ratio (alpha / w + beta w) / 2: two of them fix alpha and beta.
static bool read_damping(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  ChSceneSoft* soft = out;
  double numbers[2];
  if (json_is_array(value)) {
    if (!ch_read_numbers(r, place, value, 2, field->range, numbers)) return false;
    soft->def.alpha = numbers[0], soft->def.beta = numbers[1];
    return true;
  }
  if (!json_is_object(value))
    return ch_reader_wrong(r, place, "is %s, must be [alpha, beta], or an object with ratio and at",
                           ch_json_kind(value));
  DampingText text = {0};
  if (!ch_form_read(r, place, value, &ch_form_damping, &text)) return false;
  double a = 2.0 * M_PI * text.at[0], b = 2.0 * M_PI * text.at[1];
  soft->def.alpha = 2.0 * text.ratio * a * b / (a + b);
  soft->def.beta = 2.0 * text.ratio / (a + b);
  return true;
}
static json_t* schema_damping(const ChField* field, int dimension) {
  return ch_schema_either(ch_schema_array(ch_schema_number(field->range, false), 2, 2),
                          ch_schema_reference(&ch_form_damping, dimension));
}
TYPE(damping);

// ------------------------------------------------------------------------------------------------------
// viscoelasticity

typedef struct ArmText {
  double share, modulus, time;
} ArmText;

static const ChField arm_fields[] = {
    {"share", &ch_type_number, offsetof(ArmText, share), "its modulus as a share of young; this or `modulus`", 0,
     CH_POSITIVE, NULL},
    {"modulus", &ch_type_number, offsetof(ArmText, modulus), "its modulus, Pa", 0, CH_POSITIVE, NULL},
    {"time", &ch_type_number, offsetof(ArmText, time), "s in which its stress falls to 1/e", CH_REQUIRED, CH_POSITIVE,
     NULL},
};
const ChSceneForm ch_form_maxwell_arm = {
    .name = "maxwell-arm", .same = true, .count = CH_COUNT(arm_fields), .fields = arm_fields};

static bool read_arm(ChReader* r, const ChPlace* place, json_t* value, ChSceneSoft* soft, size_t k) {
  ArmText text = {0};
  if (!json_is_object(value))
    return ch_reader_wrong(r, place, "is %s, must be an object with share or modulus, and time", ch_json_kind(value));
  if (!ch_form_read(r, place, value, &ch_form_maxwell_arm, &text)) return false;
  if ((text.share > 0.0) == (text.modulus > 0.0))
    return ch_reader_wrong(r, place, "has %s; give one of share (of young) and modulus (Pa)",
                           text.share > 0.0 ? "both share and modulus" : "neither share nor modulus");
  soft->def.arms[k] = (ChMaxwellArm){text.modulus, text.time};
  soft->arm_share[k] = text.share;
  return true;
}

static bool read_arms(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  ChSceneSoft* soft = out;
  size_t count = json_array_size(value);
  if (!json_is_array(value))
    return ch_reader_wrong(r, place, "is %s, must be an array: %s", ch_json_kind(value), field->text);
  if (count > CH_ARMS_MAX)
    return ch_reader_wrong(r, place, "has %zu entries, at most %d are taken", count, CH_ARMS_MAX);
  for (size_t k = 0; k < count; ++k) {
    ChPlace at = {place, NULL, k};
    if (!read_arm(r, &at, json_array_get(value, k), soft, k)) return false;
  }
  soft->def.arm_count = (int)count;
  return true;
}
static json_t* schema_arms(const ChField* field, int dimension) {
  (void)field;
  return ch_schema_array(ch_schema_reference(&ch_form_maxwell_arm, dimension), 0, CH_ARMS_MAX);
}
TYPE(arms);

// ------------------------------------------------------------------------------------------------------------- numbers

static bool read_numbers(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  ChSceneNumbers* numbers = out;
  if (!json_is_array(value))
    return ch_reader_wrong(r, place, "is %s, must be an array of numbers: %s", ch_json_kind(value), field->text);
  size_t count = json_array_size(value);
  double* values = CH_TAKE(r->arena, count, double);
  if (!ch_read_numbers(r, place, value, count, field->range, values)) return false;
  *numbers = (ChSceneNumbers){.count = (int)count, .values = values};
  return true;
}
static json_t* schema_numbers(const ChField* field, int dimension) {
  (void)dimension;
  return ch_schema_array(ch_schema_number(field->range, false), 0, (int)ch_range_bounds(CH_MODES)->highest);
}
TYPE(numbers);

// ---------------------------------------------------------------------------------------------------------------- body

static const char* const models[] = {"modal", "stvk", NULL};

static const ChField soft_fields[] = {
    SOFT(choice, "model", def.kind, "modal: small deformations; stvk: large ones (St. Venant-Kirchhoff)", 0, CH_ANY,
         models),
    {"mesh", &ch_type_soft_mesh, 0, "tetrahedra: a Gmsh or VTK file, relative to the scene's folder, or a named shape",
     CH_REQUIRED, CH_ANY, NULL},
    SOFT(text, "material", material, "name of a material, for density and contact; \"default\" if left out", 0, CH_ANY,
         NULL),
    SOFT(number, "young", def.young, "Young's modulus, Pa", 0, CH_POSITIVE, NULL),
    SOFT(number, "poisson", def.poisson, "Poisson's ratio", 0, CH_POISSON, NULL),
    {"damping", &ch_type_damping, 0, "Rayleigh's: [alpha in 1/s, beta in s], or {ratio, at: [Hz, Hz]}", 0,
     CH_NOT_NEGATIVE, NULL},
    {"viscoelastic", &ch_type_arms, 0,
     "Maxwell arms beside the elastic law: [{share or modulus, time}, ...]; young is what is left in the end", 0,
     CH_ANY, NULL},
    SOFT(whole, "modes", def.modes, "how many", 0, CH_MODES, NULL),
    SOFT(two_points, "clamp", clamp,
         "two corners of a box in the body's frame, m: the part of the mesh inside does not move", 0, CH_ANY, NULL),
    SOFT(flag, "self_contact", def.self_contact, "whether the body touches itself, where it is bent far", 0, CH_ANY,
         NULL),
    SOFT(numbers, "amplitudes", amplitudes, "amplitudes of the modes at the start, kg^1/2 m; missing ones are 0", 0,
         CH_ANY, NULL),
    SOFT(numbers, "rates", rates, "rates of the amplitudes at the start, kg^1/2 m/s; missing ones are 0", 0, CH_ANY,
         NULL),
};
const ChSceneForm ch_form_soft = {.name = "soft", .same = true, .count = CH_COUNT(soft_fields), .fields = soft_fields};
