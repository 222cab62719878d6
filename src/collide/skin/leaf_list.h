// Leaves of a skin that were near another shape, kept while nothing else can have come near.
//
// A list is made with everything that is nearer than `covered`, which is more than is asked for. Points of the skin, in
// the other shape's frame x = s + T (X + U q), have moved since by no more than
//
//   |s - s0| + |T - T0| |X + U q0| + sum_a |q_a - q0_a| max |U_a|     and those of the other, if it is a skin, by the
//   like of the last sum:
//
// as long as that and the margin together are not above `covered`, no other leaf is within the margin. What comes of a
// list is therefore the same, whenever it was made.
#ifndef CH_COLLIDE_SKIN_LEAF_LIST_H
#define CH_COLLIDE_SKIN_LEAF_LIST_H

#include "collide/closing_speed.h"
#include "collide/mesh/sampling.h"
#include "collide/skin/skin.h"

typedef struct ChNearLeaf {
  int node;
  int first, count;  // nodes of the other skin that are near
  bool inside;       // of the other skin, and far from all of it
} ChNearLeaf;

typedef struct ChLeafList {
  double covered;  // 0: there is no list
  double moved;    // since, at most, as it was asked for last
  ChMat3 turn;
  ChVec3 shift;
  double bound;                       // of the skin
  double form[2][CH_SOFT_MODES_MAX];  // amplitudes of the skin, and of the other
  ChEmptyBalls empty;  // of the other, if it is a skin: what is empty stays so as long as it hardly bends
  int count, room, other_count, other_room;
  ChNearLeaf* leaves;
  int* others;
  // Two triangle surfaces (mesh/exact_pair.h): leaves of their trees that are near each other, and how these moved. Of
  // the above only `covered`, `turn` and `shift` are used.
  ChVec3 step, spin;
  double least, margin;
  int pair_count, pair_room;
  int (*pairs)[2];
} ChLeafList;

// Whether the list still holds all that is within the margin.
bool ch_leaf_list_covers(ChLeafList* list, const ChSampling* sampling, const ChSkin* skin, double margin);

// A new list, of what will be added; false where none is worth it: things move too fast. `closing`: how fast.
bool ch_leaf_list_begin(ChLeafList* list, const ChSampling* sampling, const ChSkin* skin, const ChClosing* closing);
// Where memory is short there is no list any more.
void ch_leaf_list_add(ChLeafList* list, const ChNearLeaf* leaf, const int* others);

void ch_leaf_list_add_pair(ChLeafList* list, int first, int second);

void ch_leaf_list_free(ChLeafList* list);

#endif
