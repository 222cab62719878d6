// See look.h.
#include "model/look.h"

#include "cardhouse/body.h"

ChStatus ch_look_check(ChContext* context, const char* what, const ChLook* look) {
  if (look->coloured && look->colour > 0xffffffu)
    return ch_fail(context, CH_ERR_RANGE, "%s: its colour is 0x%x, must be at most 0xffffff", what, look->colour);
  if (look->sheer && !(look->opacity >= 0.0 && look->opacity <= 1.0))
    return ch_fail(context, CH_ERR_RANGE, "%s: its opacity is %g, must be in [0, 1]", what, look->opacity);
  if ((int)look->pattern < CH_PATTERN_PLAIN || look->pattern > CH_PATTERN_CARD)
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: its pattern is %d, which does not exist", what, (int)look->pattern);
  return CH_OK;
}

ChLook ch_world_look(const ChWorld* world, int body) {
  if (!world || body < 0 || body >= world->body_count) return (ChLook){0};
  const ChBody* b = &world->bodies[body];
  ChLook look = b->look;
  if (b->shape_count == 0) return look;
  const ChLook* other = &world->materials[world->shapes[b->first_shape].material].look;
  if (!look.coloured) look.coloured = other->coloured, look.colour = other->colour;
  if (!look.sheer) look.sheer = other->sheer, look.opacity = other->opacity;
  if (look.pattern == CH_PATTERN_PLAIN) look.pattern = other->pattern;
  return look;
}
