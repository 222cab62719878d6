// `cardhouse types`: the joints and shapes that a scene may hold.
#include <stdio.h>

#include "cardhouse/world.h"
#include "cli/commands.h"

#define TYPES_OPTIONS(X) X(COUNT, dimension, 3, "N", 2, 3, "of the worlds that have them: 2 in the plane, 3 in space")

typedef struct Arguments {
  TYPES_OPTIONS(CH_ARG_MEMBER)
} Arguments;

static const ChArgRow rows[] = {TYPES_OPTIONS(CH_ARG_ROW)};

static ChExit types_run(const ChCommand* self, int count, char** words) {
  Arguments arguments = {TYPES_OPTIONS(CH_ARG_DEFAULT)};
  ChParsed parsed = ch_arguments_parse(self, count, words, &arguments, NULL);
  if (parsed != CH_PARSED_RUN) return parsed == CH_PARSED_HELP ? CH_EXIT_DONE : CH_EXIT_USAGE;
  for (int k = 0; k < CH_SHAPE_TYPE_COUNT; ++k) {
    const ChShapeInfo* shape = ch_shape_info((ChShapeType)k);
    if (shape->dimension == arguments.dimension) printf("shape  %-14s %s\n", shape->name, shape->summary);
  }
  for (int k = 0; k < CH_JOINT_TYPE_COUNT; ++k) {
    const ChJointInfo* joint = ch_joint_info((ChJointType)k);
    if (joint->plane || arguments.dimension == 3) printf("joint  %-14s leaves %s\n", joint->name, joint->summary);
  }
  return CH_EXIT_DONE;
}

const ChCommand ch_command_types = {
    .name = "types",
    .summary = "lists the joints and shapes that a scene may hold",
    .examples = "  cardhouse types\n  cardhouse types --dimension 2\n",
    .row_count = sizeof rows / sizeof *rows,
    .rows = rows,
    .run = types_run,
};
