// Height maps: grids of heights from files, for shapes of type CH_SHAPE_HEIGHTFIELD.
#ifndef CARDHOUSE_HEIGHT_MAP_H
#define CARDHOUSE_HEIGHT_MAP_H

#include "cardhouse/api.h"
#include "cardhouse/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// The largest number of columns or rows.
#define CH_HEIGHTS_MOST 32768

// Row by row, the first row at the lowest y. The northern row, which is the first of a map, is therefore the last one
// here.
typedef struct ChHeightMap {
  int columns, rows;
  double* heights;  // as in the file; of a PNG from 0 (black) to 1 (white)
  double cell;      // edge of a cell as the file states it, m; 0: not stated
} ChHeightMap;

// Reads a grey PNG of 8 or 16 bits, an ESRI ASCII grid (ncols, nrows, xllcorner, yllcorner, cellsize, NODATA_value,
// then rows from north to south) or a plain text of rows of numbers. The caller frees it with ch_height_map_free. Any
// other file, or one whose sizes do not fit, is refused with a message that says what is wrong and where.
CH_API ChStatus ch_height_map_read(ChContext* context, const char* path, ChHeightMap* out);
// Frees the heights and empties the struct; an empty one is legal.
CH_API void ch_height_map_free(ChHeightMap* map);

#ifdef __cplusplus
}
#endif
#endif
