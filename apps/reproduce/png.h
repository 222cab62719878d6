// A small picture of palette colours as a PNG file, in base64: what a map is drawn with.
#ifndef CH_REPRODUCE_PNG_H
#define CH_REPRODUCE_PNG_H

#include <stdio.h>

enum { CH_PNG_COLOURS = 256, CH_PNG_CLEAR = 255 };  // the last colour is transparent

// `cells` row by row from the top. Nothing is written when memory runs out.
void ch_png_write(FILE* file, int width, int height, const unsigned char* cells,
                  const unsigned char colours[CH_PNG_COLOURS][3]);

#endif
