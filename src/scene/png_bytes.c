// See png_bytes.h.
#include "scene/png_bytes.h"

#include <stdio.h>
#include <string.h>

enum { HEAD = 33, WIDTH = 16, HEIGHT = 20, DEPTH = 24, COLOUR = 25 };  // bytes of the file

static uint32_t big_endian(const unsigned char* b) {
  return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

bool ch_png_head(const ChPngBytes* s, ChPngHead* head) {
  static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  if (s->size < HEAD || memcmp(s->bytes, signature, sizeof signature) != 0 || memcmp(s->bytes + 12, "IHDR", 4) != 0)
    return false;
  *head = (ChPngHead){big_endian(s->bytes + WIDTH), big_endian(s->bytes + HEIGHT), s->bytes[DEPTH], s->bytes[COLOUR]};
  return true;
}

bool ch_png_fits(const ChPngBytes* s, double bits) { return bits / 8 <= 1032.0 * (double)s->size; }

static void read_bytes(png_structp png, png_bytep to, png_size_t count) {
  ChPngBytes* s = png_get_io_ptr(png);
  if (count > s->size - s->at) png_error(png, "the file ends too early");
  memcpy(to, s->bytes + s->at, count);
  s->at += count;
}

static void on_error(png_structp png, png_const_charp text) {
  ChPngBytes* s = png_get_error_ptr(png);
  snprintf(s->message, sizeof s->message, "%s", text);
  longjmp(png_jmpbuf(png), 1);
}

static void on_warning(png_structp png, png_const_charp text) { (void)png, (void)text; }

png_structp ch_png_reader(ChPngBytes* s, int side) {
  snprintf(s->message, sizeof s->message, "out of memory");
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, s, on_error, on_warning);
  if (!png) return NULL;
  png_set_user_limits(png, (png_uint_32)side, (png_uint_32)side);
  png_set_read_fn(png, s, read_bytes);
  return png;
}
