// See look.h.
#include "model/look.h"

#include <math.h>
#include <string.h>

#include "cardhouse/body.h"
#include "model/world_build.h"

ChStatus ch_look_check(ChContext* context, const char* what, const ChLook* look) {
  if (look->coloured && look->colour > 0xffffffu)
    return ch_fail(context, CH_ERR_RANGE, "%s: its colour is 0x%x, must be at most 0xffffff", what, look->colour);
  if (look->sheer && !(look->opacity >= 0.0 && look->opacity <= 1.0))
    return ch_fail(context, CH_ERR_RANGE, "%s: its opacity is %g, must be in [0, 1]", what, look->opacity);
  if ((int)look->pattern < CH_PATTERN_PLAIN || look->pattern > CH_PATTERN_CARD)
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: its pattern is %d, which does not exist", what, (int)look->pattern);
  if (look->texture < 0)
    return ch_fail(context, CH_ERR_RANGE, "%s: its texture is %d, must be 0 or more", what, look->texture);
  if (!(look->texture_size >= 0.0 && isfinite(look->texture_size)))
    return ch_fail(context, CH_ERR_RANGE, "%s: its texture_size is %g, must be finite and >= 0", what,
                   look->texture_size);
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
  if (look.texture == 0) look.texture = other->texture;
  if (look.texture_size == 0.0) look.texture_size = other->texture_size;
  return look;
}

static ChStatus add_texture(ChContext* context, ChWorld* world, const void* argument, int* number) {
  const ChTexture* texture = argument;
  if (!texture->bytes || texture->size == 0 || texture->width < 1 || texture->height < 1)
    return ch_fail(context, CH_ERR_ARGUMENT, "a texture of %d x %d pixels in %zu bytes, must have some of each",
                   texture->width, texture->height, texture->size);
  CH_GROW(world, textures, texture_count, texture_room);
  ChTexture* own = &world->textures[world->texture_count];
  *own = *texture;
  own->name = ch_world_copy_text(world, texture->name);
  own->bytes = memcpy(CH_TAKE(world->arena, texture->size, unsigned char), texture->bytes, texture->size);
  *number = ++world->texture_count;
  return CH_OK;
}

ChStatus ch_world_add_texture(ChContext* context, ChWorld* world, const ChTexture* texture, int* number) {
  int own;
  ChStatus status = ch_world_add(context, world, texture, &own, add_texture);
  if (status == CH_OK && number) *number = own;
  return status;
}

int ch_world_texture_count(const ChWorld* world) { return world ? world->texture_count : 0; }

ChTexture ch_world_texture(const ChWorld* world, int number) {
  if (!world || number < 1 || number > world->texture_count) return (ChTexture){0};
  return world->textures[number - 1];
}
