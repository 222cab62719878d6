// The forms as JSON Schema (draft 2020-12). Vectors and shapes differ in the plane and in space, so most forms are
// stated twice; "dimension" chooses. What a schema cannot say is left to the reader: names that must exist, bodies that
// overlap, formulas, mesh files.
#include <math.h>

#include "cardhouse/scene.h"
#include "scene/forms.h"
#include "scene/json_text.h"

static void add_field(json_t* properties, json_t* required, const ChField* field, int dimension) {
  if (!ch_flags_fit(field->flags, dimension)) return;
  json_t* schema = field->type->schema(field, dimension);
  json_object_set_new(schema, "description", json_string(field->text));
  json_object_set_new(properties, field->key, schema);
  if (field->flags & CH_REQUIRED) json_array_append_new(required, json_string(field->key));
}

// One object: the common fields, and those of a variant.
static json_t* object_schema(const ChSceneForm* form, const ChVariant* variant, int dimension) {
  json_t *properties = json_object(), *required = json_array();
  if (variant) {
    json_object_set_new(properties, "type", json_pack("{s:s}", "const", variant->name));
    json_array_append_new(required, json_string("type"));
  }
  for (int k = 0; k < form->count; ++k) add_field(properties, required, &form->fields[k], dimension);
  for (int k = 0; variant && k < variant->count; ++k) {
    const ChField field = ch_variant_field(variant, k);
    add_field(properties, required, &field, dimension);
  }
  json_t* schema = json_pack("{s:s, s:o, s:b}", "type", "object", "properties", properties, "additionalProperties", 0);
  if (json_array_size(required) > 0)
    json_object_set_new(schema, "required", required);
  else
    json_decref(required);
  return schema;
}

static json_t* form_schema(const ChSceneForm* form, int dimension) {
  if (!form->variant) return object_schema(form, NULL, dimension);
  json_t* variants = json_array();
  ChVariant variant;
  for (int k = 0; form->variant(k, &variant); ++k)
    if (ch_flags_fit(variant.flags, dimension))
      json_array_append_new(variants, object_schema(form, &variant, dimension));
  return json_pack("{s:o}", "oneOf", variants);
}

json_t* ch_scene_schema(void) {
  static const ChSceneForm* const forms[] = {
      &ch_form_scene,    &ch_form_step,      &ch_form_stabilization, &ch_form_contact,    &ch_form_adaptive,
      &ch_form_bounds,   &ch_form_method,    &ch_form_material,      &ch_form_pair,       &ch_form_friction,
      &ch_form_body,     &ch_form_shape,     &ch_form_joint,         &ch_form_force,      &ch_form_joint_axis,
      &ch_form_signal,   &ch_form_mesh,      &ch_form_soft,          &ch_form_soft_mesh,  &ch_form_damping,
      &ch_form_look,     &ch_form_body_look, &ch_form_camera,        &ch_form_camera_key, &ch_form_section,
      &ch_form_stiction, &ch_form_stribeck,  &ch_form_recirculation, &ch_form_own_law,    &ch_form_maxwell_arm};
  json_t* definitions = json_object();
  for (int dimension = 2; dimension <= 3; ++dimension)
    for (int k = 0; k < CH_COUNT(forms); ++k) {
      char name[64];
      ch_schema_name(forms[k], dimension, name, sizeof name);
      json_object_set_new(definitions, name, form_schema(forms[k], dimension));
    }
  return json_pack(
      "{s:s, s:s, s:s, s:{s:{s:{s:i}}, s:[s]}, s:o, s:o, s:o}", "$schema",
      "https://json-schema.org/draft/2020-12/schema", "title", "Cardhouse scene", "description",
      "Written by `cardhouse scene schema` from the tables with which scenes are read; docs/scene.md explains it.",
      "if", "properties", "dimension", "const", 2, "required", "dimension", "then",
      ch_schema_reference(&ch_form_scene, 2), "else", ch_schema_reference(&ch_form_scene, 3), "$defs", definitions);
}

char* ch_scene_schema_text(void) {
  json_t* schema = ch_scene_schema();
  char* text = schema ? ch_json_text(schema) : NULL;
  json_decref(schema);
  return text;
}
