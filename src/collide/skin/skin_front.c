// See skin_front.h.
#include "collide/skin/skin_front.h"

enum { STACK = 64 };

ChSkinPart ch_skin_front_start(ChSkinFront* front, const ChSkin* skin) {
  ChBall room;
  front->skin = skin;
  front->nodes[0] = 0;
  return (ChSkinPart){.count = 1, .swing = ch_skin_ball(skin, 0, &room)->swing, .radius = INFINITY, .sifted = INFINITY};
}

static bool is_ball_near(const ChBall* ball, ChVec3 x, double within) {
  ChVec3 apart = ch_sub(x, ball->centre);
  double most = within + ball->swing + ball->radius;
  return ch_dot(apart, apart) <= most * most;
}

static bool is_box_near(const ChSkin* skin, int leaf, ChVec3 x, double within) {
  ChBox3 room;
  return ch_box_distance2(ch_skin_box(skin, leaf, &room), x) <= within * within;
}

// One node of the old list, or what is near of it. False where there is no room.
static bool add(ChSkinFront* front, int node, ChVec3 x, double within, double size, ChSkinPart* out) {
  int stack[STACK], depth = 0;
  stack[depth++] = node;
  while (depth > 0) {
    int index = stack[--depth];
    ChBall room;
    const ChBall* ball = ch_skin_ball(front->skin, index, &room);
    if (!is_ball_near(ball, x, within)) continue;
    const ChSkinNode* at = &front->skin->tree->nodes[index];
    if (at->count > 0 && !is_box_near(front->skin, index, x, within + ball->swing)) continue;
    if (at->count == 0 && ball->radius > size && depth + 2 <= STACK) {
      stack[depth++] = at->first + 1, stack[depth++] = at->first;
      continue;
    }
    if (out->first + out->count == CH_FRONT_ROOM) return false;
    front->nodes[out->first + out->count++] = index;
    if (ball->swing > out->swing) out->swing = ball->swing;
  }
  return true;
}

ChSkinPart ch_skin_front_narrow(ChSkinFront* front, const ChSkinPart* part, int free, ChVec3 x, double within,
                                double size) {
  ChSkinPart out = {.first = free, .at = x, .radius = within, .sifted = INFINITY};
  for (int k = 0; k < part->count; ++k)
    if (!add(front, front->nodes[part->first + k], x, within, size, &out)) {
      ChSkinPart same = *part;
      same.borrowed = true;
      return same;
    }
  return out;
}

static double apart(double low, double high, double from, double to) {
  double below = from - high, above = low - to, gap = below > above ? below : above;
  return gap > 0.0 ? gap : 0.0;
}

static double boxes_distance2(const ChBox3* a, const ChBox3* b) {
  double x = apart(a->low.x, a->high.x, b->low.x, b->high.x), y = apart(a->low.y, a->high.y, b->low.y, b->high.y);
  double z = apart(a->low.z, a->high.z, b->low.z, b->high.z);
  return x * x + y * y + z * z;
}

bool ch_skin_front_is_fine(const ChSkinFront* front, const ChSkinPart* part) {
  for (int k = part->first; k < part->first + part->count; ++k)
    if (front->skin->tree->nodes[front->nodes[k]].count == 0) return false;
  return true;
}

static bool meets(const ChSkin* skin, int leaf, const ChBox3* box, double within) {
  ChBox3 room;
  return boxes_distance2(ch_skin_box(skin, leaf, &room), box) <= within * within;
}

bool ch_skin_front_meets(const ChSkinFront* front, const ChSkinPart* part, const ChBox3* box, double within) {
  for (int k = part->first; k < part->first + part->count; ++k)
    if (meets(front->skin, front->nodes[k], box, within)) return true;
  return false;
}

bool ch_skin_front_sift(ChSkinFront* front, ChSkinPart* part, const ChBox3* box, double within) {
  const ChSkin* skin = front->skin;
  ChSkinPart out = *part;
  if (part->borrowed || !ch_skin_front_is_fine(front, part)) return false;
  out.count = 0;
  out.sifted = within;
  for (int k = 0; k < part->count; ++k) {
    int node = front->nodes[part->first + k];
    if (meets(skin, node, box, within)) front->nodes[out.first + out.count++] = node;
  }
  *part = out;
  return true;
}

bool ch_skin_front_touches(const ChSkinFront* front, const ChSkinPart* part, ChVec3 x, double within, double aside,
                           double* empty) {
  const ChSkin* skin = front->skin;
  double nearest2 = INFINITY;
  for (int k = 0; k < part->count; ++k) {
    int node = front->nodes[part->first + k];
    if (skin->tree->nodes[node].count == 0) return true;
    ChBall ball_room;
    ChBox3 box_room;
    double most = within + ch_skin_ball(skin, node, &ball_room)->swing;
    double apart2 = ch_box_distance2(ch_skin_box(skin, node, &box_room), x);
    if (apart2 <= most * most) {
      ChSkinLeaf room;
      double nearest = ch_skin_leaf_nearest(ch_skin_leaf(skin, node, &room), x);
      if (nearest <= most) return true;
      apart2 = nearest * nearest;
    }
    if (apart2 < nearest2) nearest2 = apart2;
  }
  *empty = fmin(sqrt(nearest2), fmin(part->sifted - aside, part->radius - ch_norm(ch_sub(x, part->at))));
  return false;
}
