// See images.h.
#include "collide/images.h"

#include <math.h>

#include "base/check.h"
#include "collide/reserve.h"
#include "collide/shape_box.h"
#include "model/periodic.h"

// A box as the broad phase sees it.
typedef struct Ghost {
  int shape;
  int back[3];  // g
} Ghost;

// A pair of shapes with one of its images.
typedef struct Meeting {
  ChBroadPair pair;
  ChImage image;
} Meeting;

struct ChImages {
  ChArena* arena;
  const ChWorld* world;
  int* home;     // of shapes, along every axis: g at which the origin lies in the cell
  double* base;  // k
  int ghost_count, item_room, ghost_room, meeting_room, pair_room, first_room, image_room;
  ChBroadItem* items;
  Ghost* ghosts;
  Meeting* meetings;
  ChBroadPair* pairs;
  int* first;
  ChImage* image;
  ChBroadPlane* planes;
};

ChImages* ch_images_create(ChArena* arena, const ChWorld* world) {
  ChImages* images = CH_TAKE(arena, 1, ChImages);
  images->arena = arena;
  images->world = world;
  images->home = CH_TAKE(arena, 3 * world->shape_count, int);
  images->base = CH_TAKE(arena, 3 * world->shape_count, double);
  images->planes = CH_TAKE(arena, world->shape_count, ChBroadPlane);
  return images;
}

ChVec3 ch_image_shift(const ChPeriodic* p, const ChImage* image) {
  double shift[3] = {0.0, 0.0, 0.0};
  for (int a = 0; a < 3; ++a)
    if (image->periods[a] != 0) shift[a] = image->periods[a] * ch_periodic_length(p, a);
  return ch_vec(shift[0], shift[1], shift[2]);
}

uint64_t ch_image_key(const ChImage* image, uint64_t key) {
  for (int a = 0; a < 3; ++a)
    if (image->name[a] != 0)
      key ^= ((uint64_t)(uint32_t)image->name[a] + 0x51ed2701u * (uint64_t)(a + 1)) * 0x9e3779b97f4a7c15u;
  return key;
}

// --- ghosts ----------------------------------------------------------------------------------------------------------

static bool stands(const ChWorld* world, int shape, int axis, const ChBox3* box) {
  double width = ch_component(box->high, axis) - ch_component(box->low, axis);
  const ChBody* body = &world->bodies[world->shapes[shape].body];
  if (body->kind == CH_BODY_DYNAMIC) return false;
  if (body->kind == CH_BODY_KINEMATIC) width = 2.0 * world->shapes[shape].bound;  // however it is turned
  return width > 0.5 * ch_periodic_length(&world->periodic, axis);
}

ChPlaced ch_placed(const ChWorld* world, int shape, const ChPosed* posed) {
  ChPlaced placed = {.at = posed->frame.at};
  ChBox3 box = ch_shape_box(posed);
  for (int a = 0; a < 3; ++a) placed.stands[a] = world->periodic.axis[a] && stands(world, shape, a, &box);
  return placed;
}

// Along one axis; returns how many.
static int shifts_along(const ChPeriodic* p, int axis, const ChPlaced* a, const ChPlaced* b, double by[3]) {
  double length = ch_periodic_length(p, axis), x = ch_component(a->at, axis), y = ch_component(b->at, axis);
  by[0] = 0.0;
  if (!p->axis[axis] || (a->stands[axis] && b->stands[axis])) return 1;
  if (a->stands[axis]) by[0] = -length * ch_periodic_period(p, axis, y);
  if (b->stands[axis]) by[0] = length * ch_periodic_period(p, axis, x);
  if (a->stands[axis] || b->stands[axis]) return 1;
  for (int k = 0; k < 3; ++k) by[k] = length * (nearbyint((x - y) / length) + k - 1);
  return 3;
}

int ch_images_near(const ChPeriodic* p, const ChPlaced* a, const ChPlaced* b, ChVec3 shifts[CH_NEAR_IMAGES]) {
  double by[3][3];
  int count[3], found = 0;
  for (int axis = 0; axis < 3; ++axis) count[axis] = shifts_along(p, axis, a, b, by[axis]);
  for (int i = 0; i < count[0]; ++i)
    for (int j = 0; j < count[1]; ++j)
      for (int k = 0; k < count[2]; ++k) shifts[found++] = ch_vec(by[0][i], by[1][j], by[2][k]);
  return found;
}

static ChVec3 shifted(ChVec3 x, int axis, double by) {
  return ch_vec(x.x + (axis == 0 ? by : 0.0), x.y + (axis == 1 ? by : 0.0), x.z + (axis == 2 ? by : 0.0));
}

static void add_ghost(ChImages* m, const ChBroadItem* item, Ghost ghost) {
  CH_RESERVE(m->arena, m->items, m->ghost_count, m->ghost_count + 1, m->item_room);
  CH_RESERVE(m->arena, m->ghosts, m->ghost_count, m->ghost_count + 1, m->ghost_room);
  m->items[m->ghost_count] = *item;
  m->ghosts[m->ghost_count++] = ghost;
}

// The box and its ghosts along this axis and those after it.
static bool spread(ChImages* m, ChBroadItem item, Ghost ghost, int axis) {
  const ChPeriodic* p = &m->world->periodic;
  if (axis == 3) {
    add_ghost(m, &item, ghost);
    return true;
  }
  if (!spread(m, item, ghost, axis + 1)) return false;
  if (!p->axis[axis] || m->home[3 * ghost.shape + axis] < 0) return true;
  double length = ch_periodic_length(p, axis), low = ch_periodic_low(p, axis);
  for (;;) {
    item.box.low = shifted(item.box.low, axis, -length);
    item.box.high = shifted(item.box.high, axis, -length);
    if (!(ch_component(item.box.high, axis) >= low)) return true;
    if (++ghost.back[axis] > CH_IMAGES_MOST) return false;
    if (!spread(m, item, ghost, axis + 1)) return false;
  }
}

// Into the cell by its low corner; what stands stays, marked by a home of -1.
static bool place(ChImages* m, int shape, ChBroadItem item, ChVec3 at) {
  const ChPeriodic* p = &m->world->periodic;
  for (int a = 0; a < 3; ++a) {
    int k = 3 * shape + a;
    m->base[k] = 0.0;
    m->home[k] = 0;
    if (!p->axis[a]) continue;
    if (item.plane || stands(m->world, shape, a, &item.box)) {
      m->home[k] = -1;
      continue;
    }
    double low = ch_component(item.box.low, a), length = ch_periodic_length(p, a);
    m->base[k] = ch_periodic_period(p, a, low);
    double home = ch_periodic_period(p, a, ch_component(at, a)) - m->base[k];
    if (!(fabs(m->base[k]) < 1e9 && home <= CH_IMAGES_MOST)) return false;
    m->home[k] = home > 0.0 ? (int)home : 0;
    item.box.low = shifted(item.box.low, a, -m->base[k] * length);
    item.box.high = shifted(item.box.high, a, -m->base[k] * length);
  }
  if (item.plane) {
    add_ghost(m, &item, (Ghost){.shape = shape});
    return true;
  }
  return spread(m, item, (Ghost){.shape = shape}, 0);
}

// --- pairs -----------------------------------------------------------------------------------------------------------

// Whether these two ghosts stand for an image of their pair, and which, seen from the first.
static bool image_of(const ChImages* m, const Ghost* a, const Ghost* b, ChImage* out) {
  for (int axis = 0; axis < 3; ++axis) {
    int home[2] = {m->home[3 * a->shape + axis], m->home[3 * b->shape + axis]};
    out->periods[axis] = out->name[axis] = 0;
    if (!m->world->periodic.axis[axis]) continue;
    double k[2] = {m->base[3 * a->shape + axis] + a->back[axis], m->base[3 * b->shape + axis] + b->back[axis]};
    if (home[0] < 0 && home[1] < 0) continue;
    if (home[0] < 0 || home[1] < 0) {
      if (home[0] < 0 ? b->back[axis] != home[1] : a->back[axis] != home[0]) return false;
    } else if (a->back[axis] > 0 && b->back[axis] > 0) {
      return false;
    }
    out->periods[axis] = (int)(k[0] - k[1]);
    if (home[0] >= 0 && home[1] >= 0) out->name[axis] = out->periods[axis];
  }
  return true;
}

static int compare(const Meeting* a, const Meeting* b) {
  for (int k = 0; k < 2; ++k)
    if (a->pair.item[k] != b->pair.item[k]) return a->pair.item[k] < b->pair.item[k] ? -1 : 1;
  for (int k = 0; k < 3; ++k)
    if (a->image.periods[k] != b->image.periods[k]) return a->image.periods[k] < b->image.periods[k] ? -1 : 1;
  return 0;
}

// Ghosts follow each other as their shapes do, so that only what one shape meets is out of order, and little.
static int list_meetings(ChImages* m, int pair_count, const ChBroadPair* pairs) {
  int count = 0;
  CH_RESERVE(m->arena, m->meetings, 0, pair_count, m->meeting_room);
  for (int k = 0; k < pair_count; ++k) {
    const Ghost *a = &m->ghosts[pairs[k].item[0]], *b = &m->ghosts[pairs[k].item[1]];
    Meeting meeting = {.pair = {{a->shape, b->shape}}};
    CH_ASSERT(a->shape <= b->shape);
    if (a->shape == b->shape || !image_of(m, a, b, &meeting.image)) continue;
    int at = count++;
    for (; at > 0 && compare(&m->meetings[at - 1], &meeting) > 0; --at) m->meetings[at] = m->meetings[at - 1];
    m->meetings[at] = meeting;
  }
  return count;
}

// Meetings, sorted, to pairs with their images. Along axes on which a side stands two ghosts may mean one image.
static void gather(ChImages* m, int count, ChImagePairs* out) {
  int pairs = 0, images = 0;
  CH_RESERVE(m->arena, m->pairs, 0, count, m->pair_room);
  CH_RESERVE(m->arena, m->first, 0, count + 1, m->first_room);
  CH_RESERVE(m->arena, m->image, 0, count, m->image_room);
  for (int k = 0; k < count; ++k) {
    const Meeting *now = &m->meetings[k], *last = &m->meetings[k > 0 ? k - 1 : 0];
    if (k > 0 && compare(now, last) == 0) continue;
    bool same = k > 0 && now->pair.item[0] == last->pair.item[0] && now->pair.item[1] == last->pair.item[1];
    if (!same) {
      m->first[pairs] = images;
      m->pairs[pairs++] = now->pair;
    }
    m->image[images++] = now->image;
  }
  m->first[pairs] = images;
  *out = (ChImagePairs){pairs, m->pairs, m->first, m->image};
}

bool ch_images_find(ChImages* m, ChBroad* broad, const ChBroadItem* items, const ChVec3* at, int plane_count,
                    const ChBroadPlane* planes, ChImagePairs* out, int* shape) {
  CH_ASSERT(ch_periodic_any(&m->world->periodic));
  m->ghost_count = 0;
  int next = 0;
  for (int k = 0; k < m->world->shape_count; ++k) {
    if (items[k].plane) {
      CH_ASSERT(next < plane_count && planes[next].item == k);
      m->planes[next] = planes[next];
      m->planes[next++].item = m->ghost_count;
    }
    if (place(m, k, items[k], at[k])) continue;
    *shape = k;
    return false;
  }
  const ChBroadPair* pairs;
  int count = ch_broad_find(broad, m->ghost_count, m->items, plane_count, m->planes, &pairs);
  gather(m, list_meetings(m, count, pairs), out);
  return true;
}
