// See packed_page.h.
#include "serve/packed_page.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "serve/viewer_page.h"

enum { GZIP_WINDOW = 15 + 16, MEMORY = 8 };  // a header of gzip's around deflate's largest window

unsigned char* ch_page_pack(size_t* size) {
  size_t whole = (size_t)(ch_page_end - ch_page_begin);
  z_stream stream = {0};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
    return NULL;
  size_t room = deflateBound(&stream, whole);
  unsigned char* packed = malloc(room);
  stream.next_in = (unsigned char*)ch_page_begin;
  stream.avail_in = (uInt)whole;
  stream.next_out = packed;
  stream.avail_out = (uInt)room;
  int result = packed ? deflate(&stream, Z_FINISH) : Z_MEM_ERROR;
  *size = stream.total_out;
  deflateEnd(&stream);
  if (result == Z_STREAM_END) return packed;
  free(packed);
  return NULL;
}

int ch_encoding_takes_gzip(const char* accepted) {
  const char* at = strstr(accepted, "gzip");
  if (!at || (at != accepted && (isalnum((unsigned char)at[-1]) || at[-1] == '-'))) return 0;
  for (at += 4; *at == ' '; ++at) continue;
  if (*at == '\0' || *at == ',') return 1;
  if (*at != ';') return 0;
  const char* weight = strstr(at, "q=");
  const char* next = strchr(at, ',');
  return !weight || (next && weight > next) || strtod(weight + 2, NULL) > 0.0;
}
