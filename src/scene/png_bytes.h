// A PNG in memory, as libpng reads it: every message is kept, none is printed.
#ifndef CH_SCENE_PNG_BYTES_H
#define CH_SCENE_PNG_BYTES_H

#include <png.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ChPngBytes {
  const unsigned char* bytes;
  size_t size, at;
  char message[120];  // what was wrong
} ChPngBytes;

// What its head says, before anything is unpacked; false where there is no head.
typedef struct ChPngHead {
  uint32_t width, height;
  int depth, colour;
} ChPngHead;
bool ch_png_head(const ChPngBytes* source, ChPngHead* head);

// Whether so few bytes can hold so many bits: deflate makes at most 1032 bytes of one, so a head that promises more
// lies.
bool ch_png_fits(const ChPngBytes* source, double bits);

// A reader of the source, which refuses more than `side` pixels along a side; NULL when out of memory. Errors jump to
// the caller's setjmp(png_jmpbuf(reader)).
png_structp ch_png_reader(ChPngBytes* source, int side);

#endif
