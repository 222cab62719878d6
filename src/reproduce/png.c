// PNG with stored (uncompressed) deflate blocks: see png.h, RFC 1950, RFC 1951 and the PNG specification.
#include "reproduce/png.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"

enum { STORED_MOST = 65535, CHUNK_EXTRA = 12, HEAD = 8 };

typedef struct Bytes {
  unsigned char* data;
  size_t used;
} Bytes;

static void put(Bytes* out, const void* data, size_t size) {
  memcpy(out->data + out->used, data, size);
  out->used += size;
}

static void put_big(Bytes* out, uint32_t value) {
  put(out, (unsigned char[]){value >> 24 & 255, value >> 16 & 255, value >> 8 & 255, value & 255}, 4);
}

static uint32_t crc(const unsigned char* data, size_t size) {
  uint32_t sum = 0xFFFFFFFFu;
  for (size_t k = 0; k < size; ++k) {
    sum ^= data[k];
    for (int bit = 0; bit < 8; ++bit) sum = sum & 1 ? sum >> 1 ^ 0xEDB88320u : sum >> 1;
  }
  return ~sum;
}

static uint32_t adler(const unsigned char* data, size_t size) {
  uint32_t a = 1, b = 0;
  for (size_t k = 0; k < size; ++k) {
    a = (a + data[k]) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

static void put_chunk(Bytes* out, const char* type, const unsigned char* data, size_t size) {
  put_big(out, (uint32_t)size);
  size_t start = out->used;
  put(out, type, 4);
  if (size > 0) put(out, data, size);
  put_big(out, crc(out->data + start, size + 4));
}

// The rows, each behind a byte that says "not filtered", as zlib stores them.
static void put_rows(Bytes* out, const unsigned char* rows, size_t size) {
  put(out, (unsigned char[]){0x78, 0x01}, 2);
  for (size_t at = 0; at < size; at += STORED_MOST) {
    size_t part = size - at < STORED_MOST ? size - at : STORED_MOST;
    put(out, (unsigned char[]){at + part == size, part & 255, part >> 8, ~part & 255, ~part >> 8 & 255}, 5);
    put(out, rows + at, part);
  }
  put_big(out, adler(rows, size));
}

void ch_png_write(FILE* file, int width, int height, const unsigned char* cells,
                  const unsigned char colours[CH_PNG_COLOURS][3]) {
  size_t row = (size_t)width + 1, size = row * (size_t)height, packed = size + 5 * (size / STORED_MOST + 1) + 6;
  Bytes rows = {malloc(size), 0}, zipped = {malloc(packed), 0};
  Bytes out = {malloc(HEAD + 5 * CHUNK_EXTRA + 13 + 4 * CH_PNG_COLOURS + packed), 0};
  if (rows.data && zipped.data && out.data) {
    for (int y = 0; y < height; ++y) {
      put(&rows, "", 1);
      put(&rows, cells + (size_t)y * (size_t)width, (size_t)width);
    }
    put_rows(&zipped, rows.data, rows.used);
    Bytes head = {(unsigned char[13]){0}, 0};
    put_big(&head, (uint32_t)width);
    put_big(&head, (uint32_t)height);
    put(&head, (unsigned char[]){8, 3, 0, 0, 0}, 5);  // eight bits, palette
    unsigned char clear[CH_PNG_COLOURS];
    memset(clear, 255, sizeof clear);
    clear[CH_PNG_CLEAR] = 0;
    put(&out, "\x89PNG\r\n\x1a\n", HEAD);
    put_chunk(&out, "IHDR", head.data, head.used);
    put_chunk(&out, "PLTE", colours[0], 3 * CH_PNG_COLOURS);
    put_chunk(&out, "tRNS", clear, sizeof clear);
    put_chunk(&out, "IDAT", zipped.data, zipped.used);
    put_chunk(&out, "IEND", NULL, 0);
    ch_base64_write(file, out.data, out.used);
  }
  free(rows.data);
  free(zipped.data);
  free(out.data);
}
