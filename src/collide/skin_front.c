// See skin_front.h.
#include "collide/skin_front.h"

enum { STACK = 64 };

ChSkinPart ch_skin_front_start(ChSkinFront* front, const ChSkin* skin) {
  front->skin = skin;
  front->nodes[0] = 0;
  return (ChSkinPart){.count = 1, .swing = ch_skin_ball(skin, 0).swing, .radius = INFINITY};
}

static bool is_ball_near(const ChBall* ball, ChVec3 x, double within) {
  ChVec3 apart = ch_sub(x, ball->centre);
  double most = within + ball->swing + ball->radius;
  return ch_dot(apart, apart) <= most * most;
}

// One node of the old list, or what is near of it. False where there is no room.
static bool add(ChSkinFront* front, int node, ChVec3 x, double within, double size, ChSkinPart* out) {
  int stack[STACK], depth = 0;
  stack[depth++] = node;
  while (depth > 0) {
    int index = stack[--depth];
    ChBall ball = ch_skin_ball(front->skin, index);
    if (!is_ball_near(&ball, x, within)) continue;
    const ChSkinNode* at = &front->skin->tree->nodes[index];
    if (at->count == 0 && ball.radius > size && depth + 2 <= STACK) {
      stack[depth++] = at->first + 1, stack[depth++] = at->first;
      continue;
    }
    if (out->first + out->count == CH_FRONT_ROOM) return false;
    front->nodes[out->first + out->count++] = index;
    if (ball.swing > out->swing) out->swing = ball.swing;
  }
  return true;
}

ChSkinPart ch_skin_front_narrow(ChSkinFront* front, const ChSkinPart* part, int free, ChVec3 x, double within,
                                double size) {
  ChSkinPart out = {.first = free, .at = x, .radius = within};
  for (int k = 0; k < part->count; ++k)
    if (!add(front, front->nodes[part->first + k], x, within, size, &out)) return *part;
  return out;
}

bool ch_skin_front_touches(const ChSkinFront* front, const ChSkinPart* part, ChVec3 x, double within, double* empty) {
  const ChSkin* skin = front->skin;
  double nearest2 = INFINITY;
  for (int k = 0; k < part->count; ++k) {
    int node = front->nodes[part->first + k];
    if (skin->tree->nodes[node].count == 0) return true;
    ChSkinLeaf room;
    double most = within + ch_skin_ball(skin, node).swing;
    const ChSkinLeaf* leaf = ch_skin_leaf(skin, node, &room);
    double apart2 = ch_box_distance2(&leaf->box, x);
    if (apart2 <= most * most) {
      double nearest = ch_skin_leaf_nearest(leaf, x);
      if (nearest <= most) return true;
      apart2 = nearest * nearest;
    }
    if (apart2 < nearest2) nearest2 = apart2;
  }
  *empty = fmin(sqrt(nearest2), part->radius - ch_norm(ch_sub(x, part->at)));
  return false;
}
