// The parts of a deformed skin that something can touch, narrowed down while whoever asks goes down a tree of its own:
// what the whole of it cannot touch no part of it can.
//
// A part is a list of nodes of the skin's tree. It is made of an older one, whose nodes are left out or split, and
// comes to lie behind it; lists are given up from the end.
#ifndef CH_COLLIDE_SKIN_SKIN_FRONT_H
#define CH_COLLIDE_SKIN_SKIN_FRONT_H

#include "collide/skin/skin.h"

enum { CH_FRONT_ROOM = 2048 };

typedef struct ChSkinPart {
  int first, count;
  double swing;  // the largest of its nodes'
  ChVec3 at;     // everything nearer than `radius` to this place is in the list
  double radius;
  double sifted;  // for those whom it was sifted for last: everything nearer than this is, too
  bool borrowed;  // the list is that of the older part, whom others may still ask
} ChSkinPart;

typedef struct ChSkinFront {
  const ChSkin* skin;
  int nodes[CH_FRONT_ROOM];
} ChSkinFront;

// The whole skin; `front` belongs to one who asks.
ChSkinPart ch_skin_front_start(ChSkinFront* front, const ChSkin* skin);

// What of a part may come nearer to x than `within` and its own swing. `free`: where the new list may begin. Nodes
// larger than `size` are split. Where there is no room for more the part stays as it is, unless nothing is near at all.
ChSkinPart ch_skin_front_narrow(ChSkinFront* front, const ChSkinPart* part, int free, ChVec3 x, double within,
                                double size);

// Whether all nodes of a part are leaves.
bool ch_skin_front_is_fine(const ChSkinFront* front, const ChSkinPart* part);

// What of a part is nearer to a box than `within`, in the place of the part; false where it has nodes that are no
// leaves, or a list that is not its own, and stays as it is.
bool ch_skin_front_sift(ChSkinFront* front, ChSkinPart* part, const ChBox3* box, double within);

// Whether any node of a part, all of which are leaves, is nearer to a box.
bool ch_skin_front_meets(const ChSkinFront* front, const ChSkinPart* part, const ChBox3* box, double within);

// Whether any leaf of a part may come as near; nodes that are none do. If not, nothing of the skin is nearer to x than
// `empty`, which is not above what the part knows of. `aside`: how far x is from those whom the part was sifted for.
bool ch_skin_front_touches(const ChSkinFront* front, const ChSkinPart* part, ChVec3 x, double within, double aside,
                           double* empty);

#endif
