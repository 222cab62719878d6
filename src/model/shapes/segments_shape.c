// Straight edges between points: a rope, a wire frame; round about its edges, or bare.
#include "model/shapes/net_parts.h"

// Without a list, from each point to the next.
static ChStatus make(ChContext* context, ChWorld* world, const ChShapeDef* def, ChShape* shape) {
  int count = def->segments ? def->segment_count : def->point_count - 1;
  if (count < 1)
    return ch_fail(context, CH_ERR_SIZE, "segments: there are %d; give two points or more, or a list of pairs", count);
  int* chain = NULL;
  if (!def->segments) {
    chain = CH_TAKE(world->arena, 2 * count, int);
    for (int k = 0; k < 2 * count; ++k) chain[k] = (k + 1) / 2;
  }
  return ch_net_make(context, world, def, count, def->segments ? def->segments : chain, def->line_density, shape);
}

static const ChDefField fields[] = {
    CH_SHAPE_POINTS(CH_DEF_REQUIRED),
    CH_SHAPE_FIELD(CH_DEF_SEGMENTS, 0, segments, "two indices into points each; if left out, each point to the next"),
    CH_SHAPE_FIELD(CH_DEF_NUMBER, 0, radius, "radius of the capsule about each edge, m; 0: bare edges"),
    CH_SHAPE_FIELD(CH_DEF_SIZE, 0, line_density, "kg/m; if left out, from radius and density"),
};

const ChShapeKind ch_shape_kind_segments = {.info = {.name = "segments",
                                                     .label = "segments",
                                                     .summary = "straight edges between points",
                                                     .dimension = 3,
                                                     CH_SHAPE_FIELDS(fields)},
                                            .make = make,
                                            .mass = ch_net_mass,
                                            .reach = ch_net_reach,
                                            .surface = ch_net_surface,
                                            .ray = ch_net_ray,
                                            .net = true};
