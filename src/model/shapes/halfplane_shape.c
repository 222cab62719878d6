// Half of the plane:  normal . x <= offset
#include "model/shapes/shape_kind.h"

static const ChDefField fields[] = {CH_SHAPE_NORMAL, CH_SHAPE_OFFSET};

const ChShapeKind ch_shape_kind_halfplane = {.info = {.name = "halfplane",
                                                      .label = "half-plane",
                                                      .summary = "everything below a line",
                                                      .dimension = 2,
                                                      .still = true,
                                                      .endless = true,
                                                      .drawn_by_name = true,
                                                      CH_SHAPE_FIELDS(fields)},
                                             .make = ch_shape_make_halfspace,
                                             .surface = ch_patches_halfspace,
                                             .ray = ch_shape_ray_halfspace};
