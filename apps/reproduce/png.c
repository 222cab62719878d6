// PNG by libpng: see png.h.
#include "reproduce/png.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/text.h"

void ch_png_write(FILE* file, int width, int height, const unsigned char* cells,
                  const unsigned char colours[CH_PNG_COLOURS][3]) {
  png_image image = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)width,
                     .height = (png_uint_32)height,
                     .format = PNG_FORMAT_RGBA_COLORMAP,
                     .colormap_entries = CH_PNG_COLOURS};
  png_byte palette[CH_PNG_COLOURS][4];
  for (int k = 0; k < CH_PNG_COLOURS; ++k) {
    memcpy(palette[k], colours[k], 3);
    palette[k][3] = k == CH_PNG_CLEAR ? 0 : 255;
  }
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  void* bytes = malloc(size);
  if (bytes && png_image_write_to_memory(&image, bytes, &size, 0, cells, 0, palette))
    ch_base64_write(file, bytes, size);
  free(bytes);
}
