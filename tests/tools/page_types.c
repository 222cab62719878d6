// The engine's tables of joints and shapes as the viewer's page sees them: web/src/world_types.ts, on standard output.
#include <stdio.h>
#include <string.h>

#include "cardhouse/world.h"

// Before number `type`, whether another has the same name: "box" is a shape of the plane and of space.
static bool is_known(int type) {
  for (int k = 0; k < type; ++k)
    if (strcmp(ch_shape_info((ChShapeType)k)->name, ch_shape_info((ChShapeType)type)->name) == 0) return true;
  return false;
}

static void write_joints(void) {
  printf("export interface JointKind {\n  axis: boolean; // has one to be drawn\n");
  printf("  freedoms: readonly (\"m\" | \"radian\")[]; // units of its coordinates\n}\n\n");
  printf("export const JOINTS = {\n");
  for (int type = 0; type < CH_JOINT_TYPE_COUNT; ++type) {
    const ChJointInfo* info = ch_joint_info((ChJointType)type);
    const char* quote = strchr(info->name, '-') ? "\"" : "";
    printf("  // leaves %s\n", info->summary);
    printf("  %s%s%s: { axis: %s, freedoms: [", quote, info->name, quote,
           ch_joint_reads(info, offsetof(ChJointDef, axis)) ? "true" : "false");
    for (int k = 0; k < info->freedoms; ++k)
      printf("%s\"%s\"", k ? ", " : "", info->freedom[k] == CH_FREEDOM_RADIAN ? "radian" : "m");
    printf("] },\n");
  }
  printf("} as const satisfies Record<string, JointKind>;\nexport type JointType = keyof typeof JOINTS;\n\n");
}

static void write_shapes(void) {
  printf("export interface ShapeKind {\n  endless: boolean; // fills half of the world\n");
  printf("  named: boolean; // comes as numbers, and the page knows its form; else as a surface\n}\n\n");
  printf("export const SHAPES = {\n");
  for (int type = 0; type < CH_SHAPE_TYPE_COUNT; ++type) {
    const ChShapeInfo* info = ch_shape_info((ChShapeType)type);
    if (is_known(type)) continue;
    printf("  %s: { endless: %s, named: %s }, // %s\n", info->name, info->endless ? "true" : "false",
           info->drawn_by_name ? "true" : "false", info->summary);
  }
  printf("} as const satisfies Record<string, ShapeKind>;\nexport type ShapeType = keyof typeof SHAPES;\n\n");
  printf("// Shapes whose form the page must know: view/forms.ts.\n");
  printf(
      "export type NamedShape = {\n  [K in ShapeType]: (typeof SHAPES)[K] extends { endless: false; named: true } ? "
      "K : never;\n}[ShapeType];\n\n");
}

// Numbers of all named shapes, each key once.
static void write_numbers(void) {
  const char* seen[64];
  int count = 0;
  printf("// What the message of a named shape may hold.\nexport interface ShapeNumbers {\n");
  for (int type = 0; type < CH_SHAPE_TYPE_COUNT; ++type) {
    const ChShapeInfo* info = ch_shape_info((ChShapeType)type);
    for (int k = 0; info->drawn_by_name && k < info->field_count; ++k) {
      const ChDefField* field = &info->fields[k];
      bool number = field->kind == CH_DEF_SIZE || field->kind == CH_DEF_NUMBER, known = false;
      bool vector = field->kind == CH_DEF_SIZES || field->kind == CH_DEF_NORMAL;
      for (int i = 0; i < count; ++i) known |= strcmp(seen[i], field->key) == 0;
      if (known || !(number || vector) || count == 64) continue;
      seen[count++] = field->key;
      printf("  %s?: %s; // %s\n", field->key, number ? "number" : "number[]", field->text);
    }
  }
  printf("}\n");
}

int main(void) {
  printf("// Types of joints and shapes, from the engine's tables. Written by `make tables`: not by hand.\n\n");
  write_joints();
  write_shapes();
  write_numbers();
  return 0;
}
