// See texture.h. libpng decodes the file under limits, and nothing of it is kept but the answer: browsers and other
// programs decode it again.
#include "scene/texture.h"

#include <stdio.h>
#include <string.h>

#include "base/whole_file.h"
#include "cardhouse/world.h"
#include "scene/document.h"
#include "scene/png_bytes.h"

enum {
  BYTES_MOST = 8 << 20,  // of a file
  ALL_BYTES_MOST = 32 << 20,
  TEXTURES_MOST = 32,
  SIDE_MOST = 4096,      // pixels
  CHUNK_MOST = 1 << 20,  // bytes of a chunk of text or colour profile, unpacked
  CHUNKS_MOST = 100,
  NAME_SHOWN = 60
};

// All rows into the same room: it is enough that they decode.
static bool decodes(ChPngBytes* s, unsigned char* row) {
  png_structp png = ch_png_reader(s, SIDE_MOST);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  bool whole = false;
  if (info && !setjmp(png_jmpbuf(png))) {
    png_set_chunk_malloc_max(png, CHUNK_MOST);
    png_set_chunk_cache_max(png, CHUNKS_MOST);
    png_read_info(png, info);
    const int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    const png_uint_32 height = png_get_image_height(png, info);
    for (int pass = 0; pass < passes; ++pass)
      for (png_uint_32 k = 0; k < height; ++k) png_read_row(png, row, NULL);
    png_read_end(png, NULL);
    whole = true;
  }
  png_destroy_read_struct(&png, &info, NULL);
  return whole;
}

// The head says how large it is, before anything is unpacked.
static ChStatus check_png(ChContext* context, ChArena* arena, const char* path, const ChWholeFile* file,
                          ChTexture* out) {
  ChPngBytes s = {.bytes = (const unsigned char*)file->text, .size = file->size};
  ChPngHead head;
  if (!ch_png_head(&s, &head)) return ch_fail(context, CH_ERR_FORMAT, "%s: is not a PNG; textures are PNG files", path);
  const uint32_t width = head.width, height = head.height;
  if (width < 1 || height < 1 || width > SIDE_MOST || height > SIDE_MOST)
    return ch_fail(context, CH_ERR_SIZE, "%s: has %u x %u pixels, must have 1 to %d along each side", path, width,
                   height, SIDE_MOST);
  if (!ch_png_fits(&s, (double)width * height))  // a pixel has one bit at least
    return ch_fail(context, CH_ERR_FORMAT, "%s: has %zu bytes, too few for %u x %u pixels", path, s.size, width,
                   height);
  unsigned char* row = CH_TAKE(arena, 8 * (size_t)width + 64, unsigned char);  // four channels of 16 bits
  if (!decodes(&s, row))
    return ch_fail(context, CH_ERR_FORMAT, "%s: is not a PNG that can be read: %s", path, s.message);
  *out = (ChTexture){path, (int)width, (int)height, s.size, s.bytes};
  return CH_OK;
}

static int known(const ChWorld* world, const char* path, size_t* bytes) {
  int found = 0;
  *bytes = 0;
  for (int k = 1; k <= ch_world_texture_count(world); ++k) {
    const ChTexture texture = ch_world_texture(world, k);
    *bytes += texture.size;
    if (strcmp(texture.name, path) == 0) found = k;
  }
  return found;
}

static ChStatus take(ChReader* r, const char* path, int* number) {
  size_t bytes;
  ChWholeFile file;
  ChTexture texture;
  *number = known(r->textured, path, &bytes);
  if (*number > 0) return CH_OK;
  if (ch_world_texture_count(r->textured) >= TEXTURES_MOST)
    return ch_fail(r->context, CH_ERR_SIZE, "%s: is one texture too many; a scene may have %d", path, TEXTURES_MOST);
  ChStatus status = ch_whole_file_read_at_most(r->context, path, true, BYTES_MOST, r->arena, &file);
  if (status == CH_OK) status = check_png(r->context, r->arena, path, &file, &texture);
  if (status != CH_OK) return status;
  if (bytes + texture.size > ALL_BYTES_MOST)
    return ch_fail(r->context, CH_ERR_SIZE, "%s: with it the scene's textures have %zu bytes, may have %d", path,
                   bytes + texture.size, ALL_BYTES_MOST);
  return ch_world_add_texture(r->context, r->textured, &texture, number);
}

static bool read_texture(ChReader* r, const ChPlace* place, json_t* value, const ChField* field, void* out) {
  (void)field;
  ChLook* look = out;
  if (!json_is_string(value) || json_string_length(value) == 0)
    return ch_reader_wrong(r, place, "is %s, must be the name of a PNG file: \"oak.png\"",
                           json_is_string(value) ? "empty" : ch_json_kind(value));
  if (!r->textured)
    return ch_reader_wrong(r, place, "is '%.*s'; bodies that are added to a simulation cannot have textures",
                           NAME_SHOWN, json_string_value(value));
  const char* path = ch_path_beside(r->arena, r->document->file, json_string_value(value));
  ChStatus status = take(r, path, &look->texture);
  if (status == CH_ERR_FILE && r->forgiving) {  // a recording is shown without it
    r->context->status = CH_OK;
    r->context->message[0] = '\0';
    return true;
  }
  if (!ch_reader_pass_on(r, place, status)) return false;
  char
      copy[4096];  // the resolved scene names files as the working folder sees them; `path` may be the value's own text
  if (snprintf(copy, sizeof copy, "%s", path) < (int)sizeof copy) json_string_set(value, copy);
  return true;
}

static json_t* schema_texture(const ChField* field, int dimension) {
  (void)field, (void)dimension;
  return json_pack("{s:s, s:i}", "type", "string", "minLength", 1);
}

const ChFieldType ch_type_texture = {read_texture, schema_texture};
