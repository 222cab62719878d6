// Images: in a periodic world a shape may meet another through the border of the cell.
//
// A box is put into the cell by its low corner, k whole periods from where it is, and g periods further back as long as
// it still reaches into the cell: g = 0 for all, g = 1 for what pokes over the border. Two boxes under (g_i, g_j) are
// the same two as under (g_i - 1, g_j - 1), so that every image of a pair is found once where
//
//   min(g_i, g_j) = 0  along every axis;     b lies shifted by  (k_i + g_i) - (k_j + g_j)  periods as a sees it.
//
// A shape that does not move and is wider than half the cell along an axis stands where it is and has no images along
// that axis: what it meets is, of another shape, the image whose origin lies in the cell.
#ifndef CH_COLLIDE_IMAGES_H
#define CH_COLLIDE_IMAGES_H

#include "collide/broad.h"
#include "collide/pairs.h"
#include "model/world.h"

enum { CH_IMAGES_MOST = 8 };  // periods that one box, swept over a step, may reach through

// By how many periods the second shape of a pair lies from where it is, seen from the first.
typedef struct ChImage {
  int periods[3];
  int name[3];  // the same, but 0 along axes on which one of them stands: it does not change as the other goes round
} ChImage;

// Pairs of shapes, sorted, each once; the images of pair k are image[first[k]] to image[first[k + 1] - 1], sorted, too.
typedef struct ChImagePairs {
  int count;
  const ChBroadPair* pairs;
  const int* first;
  const ChImage* image;
} ChImagePairs;

typedef struct ChImages ChImages;

// Lives in the arena.
ChImages* ch_images_create(ChArena* arena, const ChWorld* world);

// `items`: of the shapes, with the boxes that they have where they are; `at`: their origins. False where a shape goes
// through more periods than are looked at in one step: *shape says which.
bool ch_images_find(ChImages* images, ChBroad* broad, const ChBroadItem* items, const ChVec3* at, int plane_count,
                    const ChBroadPlane* planes, ChImagePairs* out, int* shape);

// Something at a place: a shape, or a point that is none.
typedef struct ChPlaced {
  ChVec3 at;
  bool stands[3];  // along the axes
} ChPlaced;
// Not for half-spaces, which are the same in every image.
ChPlaced ch_placed(const ChWorld* world, int shape, const ChPosed* posed);

// Shifts under which b may be near a, and where one of them stands the one that brings the other into the cell; returns
// how many, 1 where nothing repeats.
enum { CH_NEAR_IMAGES = 27 };
int ch_images_near(const ChPeriodic* periodic, const ChPlaced* a, const ChPlaced* b, ChVec3 shifts[CH_NEAR_IMAGES]);

ChVec3 ch_image_shift(const ChPeriodic* periodic, const ChImage* image);

// A key for the same features of this image: itself where its name is 0.
uint64_t ch_image_key(const ChImage* image, uint64_t key);

#endif
