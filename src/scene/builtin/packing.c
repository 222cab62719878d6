// Balls dropped and rolled to where they lie (Visscher and Bolsterli 1972).
//
// A ball starts at a random place above the heap and goes the steepest way down that the balls and walls below leave
// it. With unit normals n_i of the contacts that it has, and g the direction of gravity,
//
//   v = g + sum lambda_i n_i,     0 <= lambda_i  _|_  n_i . v >= 0
//
// v = 0: it lies. Otherwise it is led by those with lambda_i > 0, two at most: by none it falls, by a wall it slides,
// by a ball it rolls over the top, by two it goes around their axis. Each way is a line or a circle
//
//   p(t) = m + rho (e1 cos t + e2 sin t)
//
// and all that may end it (another ball or wall, a contact that leads no more, the lowest point) is A cos t + B sin t +
// C = 0. Solid share 0.57 to 0.58 away from walls, six contacts a ball. Its weight is carried where it lies, so that a
// run that starts from here moves by a small part of a radius.
#include "scene/builtin/packing.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/check.h"

static const double ROOM_BETWEEN = 1e-7;  // share of a radius that is left between balls: no overlap by round-off
static const double SLIGHT = 1e-9;        // of unit vectors
static const double BEHIND = 1e-7;        // radian or share of a diameter: what was met by round-off already

static const double LIFT = 1e-3;  // share of a diameter above all that is there, from where it falls

enum { EVENTS_MOST = 200, TRIES_MOST = 1000, LEAD_MOST = 3, NOBODY = -1 };

// What a ball may touch: the balls 0 .. n - 1 and, behind them, the walls.
typedef struct Heap {
  const ChPackRoom* room;
  int n, placed;
  double width;  // of a cell, and the distance of two centres that touch
  double apart;  // of a centre from a wall that it touches
  ChVec3* centre;
  int columns[2], layers;
  double* top;  // of each column: the highest centre in it
  int *first, *next;
  uint64_t random;
} Heap;

// The way that a ball goes, and what leads it.
typedef struct Way {
  int count, lead[LEAD_MOST];
  bool round;
  ChVec3 from, along;     // a line
  ChVec3 middle, e1, e2;  // a circle
  double rho;
} Way;

typedef struct Event {
  double at;
  int what;  // that is met; NOBODY: the way ends by itself
} Event;

static const ChVec3 DOWN = {0.0, 0.0, -1.0};

// splitmix64 (Steele, Lea and Flood 2014), to (0, 1)
static double draw(Heap* heap) {
  uint64_t z = heap->random += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return ((double)((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

// --- cells -----------------------------------------------------------------------------------------------------------

static int cell_along(double x, double low, double width, int count) {
  double cell = floor((x - low) / width);
  return cell < 0.0 ? 0 : cell >= count ? count - 1 : (int)cell;
}

static int column_of(const Heap* heap, double x, int axis) {
  return cell_along(x, heap->room->low[axis], heap->width, heap->columns[axis]);
}

static int layer_of(const Heap* heap, double z) { return cell_along(z, heap->room->bottom, heap->width, heap->layers); }

static long cell_at(const Heap* heap, int x, int y, int z) {
  return ((long)y * heap->columns[0] + x) * heap->layers + z;
}

static void add(Heap* heap, ChVec3 at) {
  int x = column_of(heap, at.x, 0), y = column_of(heap, at.y, 1), ball = heap->placed++;
  long cell = cell_at(heap, x, y, layer_of(heap, at.z));
  double* top = &heap->top[(long)y * heap->columns[0] + x];
  heap->centre[ball] = at;
  heap->next[ball] = heap->first[cell];
  heap->first[cell] = ball;
  if (at.z > *top) *top = at.z;
}

// --- where it goes ---------------------------------------------------------------------------------------------------

static ChVec3 normal_of(const Heap* heap, int what, ChVec3 at) {
  if (what >= heap->n) return heap->room->walls[what - heap->n].normal;
  return ch_scale(1.0 / heap->width, ch_sub(at, heap->centre[what]));
}

// Whether these lead, and where to: v as above with lambda_i from the others' absence.
static bool leads(int count, const ChVec3* n, unsigned set, ChVec3* v) {
  double a[3][4] = {{0}};
  int list[3], size = 0;
  for (int i = 0; i < count; ++i)
    if (set >> i & 1u) list[size++] = i;
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) a[i][j] = ch_dot(n[list[i]], n[list[j]]);
    a[i][3] = -ch_dot(n[list[i]], DOWN);
  }
  for (int k = 0; k < size; ++k) {
    if (!(a[k][k] > SLIGHT)) return false;
    for (int i = 0; i < size; ++i) {
      double share = i == k ? 0.0 : a[i][k] / a[k][k];
      for (int j = 0; j < 4 && i != k; ++j) a[i][j] -= share * a[k][j];
    }
  }
  *v = DOWN;
  for (int i = 0; i < size; ++i) {
    double lambda = a[i][3] / a[i][i];
    if (!(lambda >= -SLIGHT)) return false;
    *v = ch_along(*v, lambda, n[list[i]]);
  }
  for (int i = 0; i < count; ++i)
    if (!(set >> i & 1u) && !(ch_dot(n[i], *v) >= -SLIGHT)) return false;
  return true;
}

// Fewest first. Returns false where it lies.
static bool choose_leaders(const Heap* heap, ChVec3 at, Way* way, ChVec3* v) {
  static const unsigned sets[] = {0, 1, 2, 4, 3, 5, 6, 7};
  ChVec3 n[LEAD_MOST];
  int touched[LEAD_MOST], count = way->count;
  for (int i = 0; i < count; ++i) n[i] = normal_of(heap, touched[i] = way->lead[i], at);
  for (int k = 0; k < 8; ++k) {
    if (sets[k] >> count != 0 || !leads(count, n, sets[k], v)) continue;
    way->count = 0;
    for (int i = 0; i < count; ++i)
      if (sets[k] >> i & 1u) way->lead[way->count++] = touched[i];
    return ch_norm(*v) > SLIGHT && way->count < 3;
  }
  return false;
}

static void set_circle(Way* way, ChVec3 at, ChVec3 middle, ChVec3 v) {
  ChVec3 arm = ch_sub(at, middle);
  way->round = true;
  way->middle = middle;
  way->rho = ch_norm(arm);
  way->e1 = ch_unit(arm);
  way->e2 = ch_unit(ch_along(v, -ch_dot(v, way->e1), way->e1));
}

// A ball on the very top of another one rolls anywhere.
static ChVec3 any_way_down(Heap* heap, ChVec3 v, int lead) {
  if (ch_norm(v) > 1e-6 || lead >= heap->n) return v;
  double angle = 6.283185307179586 * draw(heap);
  return ch_vec(cos(angle), sin(angle), 0.0);
}

static void set_way(Heap* heap, ChVec3 at, ChVec3 v, Way* way) {
  const int *lead = way->lead, n = heap->n;
  way->round = false;
  way->from = at;
  way->along = ch_unit(v);
  if (way->count == 1 && lead[0] < n) set_circle(way, at, heap->centre[lead[0]], any_way_down(heap, v, lead[0]));
  if (way->count != 2 || (lead[0] >= n && lead[1] >= n)) return;
  if (lead[0] < n && lead[1] < n) {
    set_circle(way, at, ch_scale(0.5, ch_add(heap->centre[lead[0]], heap->centre[lead[1]])), v);
    return;
  }
  int ball = lead[0] < n ? lead[0] : lead[1], wall = lead[0] < n ? lead[1] : lead[0];
  ChVec3 normal = heap->room->walls[wall - n].normal;
  double away = ch_dot(normal, ch_sub(at, heap->centre[ball]));
  set_circle(way, at, ch_along(heap->centre[ball], away, normal), v);
}

static ChVec3 place_on(const Way* way, double t) {
  if (!way->round) return ch_along(way->from, t, way->along);
  return ch_along(ch_along(way->middle, way->rho * cos(t), way->e1), way->rho * sin(t), way->e2);
}

// --- what ends it ----------------------------------------------------------------------------------------------------

// Where A cos t + B sin t + C falls through 0; infinite: never.
static double falls(double a, double b, double c) {
  double r = sqrt(a * a + b * b);
  if (!(fabs(c) <= r) || r == 0.0) return INFINITY;
  double t = atan2(b, a) + acos(-c / r);
  if (t < -BEHIND) t += 6.283185307179586;
  return t > 0.0 ? t : 0.0;
}

static void note(Event* event, double t, int what) {
  if (t < event->at) *event = (Event){t, what};
}

static bool is_leader(const Way* way, int what) {
  for (int i = 0; i < way->count; ++i)
    if (way->lead[i] == what) return true;
  return false;
}

static void meet_wall(const Heap* heap, const Way* way, int k, Event* event) {
  const ChPackWall* wall = &heap->room->walls[k];
  ChVec3 n = wall->normal;
  double offset = wall->offset + heap->apart;
  if (way->round) {
    double middle = ch_dot(n, way->middle) - offset;
    if (middle <= way->rho)
      note(event, falls(way->rho * ch_dot(n, way->e1), way->rho * ch_dot(n, way->e2), middle), heap->n + k);
    return;
  }
  double speed = ch_dot(n, way->along), gap = ch_dot(n, way->from) - offset;
  if (speed < -SLIGHT) note(event, fmax(-gap / speed, 0.0), heap->n + k);
}

static void meet_ball(const Heap* heap, const Way* way, int ball, Event* event) {
  if (way->round) {
    ChVec3 arm = ch_sub(way->middle, heap->centre[ball]);
    double reach = way->rho + heap->width, square = ch_dot(arm, arm);
    if (square > reach * reach) return;
    note(event,
         falls(2.0 * way->rho * ch_dot(arm, way->e1), 2.0 * way->rho * ch_dot(arm, way->e2),
               square + way->rho * way->rho - heap->width * heap->width),
         ball);
    return;
  }
  ChVec3 arm = ch_sub(way->from, heap->centre[ball]);
  double b = ch_dot(arm, way->along), c = ch_dot(arm, arm) - heap->width * heap->width, root = b * b - c;
  if (b >= 0.0 || root <= 0.0) return;
  double t = -b - sqrt(root);
  if (t >= -BEHIND * heap->width) note(event, fmax(t, 0.0), ball);
}

static void meet_layer(const Heap* heap, const Way* way, const int low[2], const int high[2], int layer, Event* event) {
  for (int y = low[1]; y <= high[1]; ++y)
    for (int x = low[0]; x <= high[0]; ++x)
      for (int k = heap->first[cell_at(heap, x, y, layer)]; k >= 0; k = heap->next[k])
        if (!is_leader(way, k)) meet_ball(heap, way, k, event);
}

// Layers from above: on a line nothing that is below what was met is met before it.
static void meet_balls(const Heap* heap, const Way* way, Event* event) {
  ChVec3 middle = way->round ? way->middle : way->from;
  double aside = heap->width + (way->round ? way->rho : 0.0), up = aside;
  if (!way->round && way->count > 0) {  // a slope: as far as the next cells, again and again
    double step = heap->width;
    note(event, step, NOBODY);
    aside += step, up += step;
  }
  int low[2], high[2];
  for (int k = 0; k < 2; ++k) {
    low[k] = column_of(heap, ch_component(middle, k) - aside, k);
    high[k] = column_of(heap, ch_component(middle, k) + aside, k);
  }
  bool falls_free = !way->round && way->count == 0;
  int bottom = falls_free ? 0 : layer_of(heap, middle.z - up);
  for (int layer = layer_of(heap, middle.z + up); layer >= bottom; --layer) {
    double ceiling = heap->room->bottom + (layer + 1) * heap->width;
    if (falls_free && middle.z - event->at > ceiling + heap->width) break;
    meet_layer(heap, way, low, high, layer, event);
  }
}

// A leader ceases to lead where its lambda is 0; lambda is in proportion to -(n_i - c n_j) . g, with c = n_i . n_j, or
// to -n_i . g of one alone. The lowest point of a circle is an end, too.
static void let_go(const Heap* heap, const Way* way, ChVec3 at, Event* event) {
  if (!way->round) return;
  note(event, falls(ch_dot(DOWN, way->e2), -ch_dot(DOWN, way->e1), 0.0), NOBODY);
  for (int i = 0; i < way->count; ++i) {
    double cosine = 0.0, a = 0.0, b = 0.0, c = 0.0;
    if (way->count == 2) {
      cosine = ch_dot(normal_of(heap, way->lead[0], at), normal_of(heap, way->lead[1], at));
    }
    for (int j = 0; j < way->count; ++j) {
      double share = j == i ? 1.0 : -cosine;
      int what = way->lead[j];
      if (what >= heap->n) {
        c -= share * ch_dot(DOWN, heap->room->walls[what - heap->n].normal);
        continue;
      }
      double unit = share / heap->width;
      a -= unit * way->rho * ch_dot(DOWN, way->e1);
      b -= unit * way->rho * ch_dot(DOWN, way->e2);
      c -= unit * ch_dot(DOWN, ch_sub(way->middle, heap->centre[what]));
    }
    note(event, falls(a, b, c), NOBODY);
  }
}

// From where it is to the next event; false: it lies.
static bool roll(Heap* heap, Way* way, ChVec3* at) {
  ChVec3 v;
  if (!choose_leaders(heap, *at, way, &v)) return false;
  set_way(heap, *at, v, way);
  Event event = {INFINITY, NOBODY};
  for (int k = 0; k < heap->room->count; ++k)
    if (!is_leader(way, heap->n + k)) meet_wall(heap, way, k, &event);
  let_go(heap, way, *at, &event);
  meet_balls(heap, way, &event);
  if (!isfinite(event.at)) return false;
  *at = place_on(way, event.at);
  if (event.what != NOBODY) way->lead[way->count++] = event.what;
  return true;
}

// --- all -------------------------------------------------------------------------------------------------------------

// A place above all that is there.
static bool start(Heap* heap, ChVec3* at) {
  const ChPackRoom* room = heap->room;
  for (int k = 0; k < TRIES_MOST; ++k) {
    at->x = room->low[0] + (room->high[0] - room->low[0]) * draw(heap);
    at->y = room->low[1] + (room->high[1] - room->low[1]) * draw(heap);
    double top = room->bottom;
    int x = column_of(heap, at->x, 0), y = column_of(heap, at->y, 1);
    for (int j = y > 0 ? y - 1 : 0; j <= y + 1 && j < heap->columns[1]; ++j)
      for (int i = x > 0 ? x - 1 : 0; i <= x + 1 && i < heap->columns[0]; ++i)
        top = fmax(top, heap->top[(long)j * heap->columns[0] + i]);
    at->z = top + heap->width * (1.0 + LIFT);
    bool inside = true;
    for (int w = 0; w < room->count && inside; ++w) {
      double gap = ch_dot(room->walls[w].normal, *at) - room->walls[w].offset - heap->apart,
             up = room->walls[w].normal.z;
      if (gap < 0.0 && up > SLIGHT) at->z -= gap / up * (1.0 + SLIGHT), gap = 0.0;
      inside = gap >= 0.0;
    }
    if (inside) return true;
  }
  return false;
}

// Whether it overlaps nobody by more than round-off.
static bool is_free(const Heap* heap, ChVec3 at) {
  const double least = -SLIGHT * heap->width;
  for (int w = 0; w < heap->room->count; ++w)
    if (ch_dot(heap->room->walls[w].normal, at) - heap->room->walls[w].offset - heap->apart < least) return false;
  int low[3], high[3];
  for (int k = 0; k < 2; ++k) {
    low[k] = column_of(heap, ch_component(at, k) - heap->width, k);
    high[k] = column_of(heap, ch_component(at, k) + heap->width, k);
  }
  low[2] = layer_of(heap, at.z - heap->width), high[2] = layer_of(heap, at.z + heap->width);
  for (int y = low[1]; y <= high[1]; ++y)
    for (int x = low[0]; x <= high[0]; ++x)
      for (int z = low[2]; z <= high[2]; ++z)
        for (int k = heap->first[cell_at(heap, x, y, z)]; k >= 0; k = heap->next[k])
          if (ch_norm(ch_sub(at, heap->centre[k])) - heap->width < least) return false;
  return true;
}

// Two contacts that take turns in leading, neither of which is more than round-off, go round in circles: one ball in
// 400,000. It is thrown in anew.
static bool place_one(Heap* heap) {
  for (int tries = 0; tries < TRIES_MOST; ++tries) {
    ChVec3 at;
    Way way = {.count = 0};
    int events = 0;
    if (!start(heap, &at)) return false;
    while (events < EVENTS_MOST && roll(heap, &way, &at)) ++events;
    if (events == EVENTS_MOST || !is_free(heap, at)) continue;
    add(heap, at);
    return true;
  }
  return false;
}

bool ch_pack_random(int n, double radius, const ChPackRoom* room, ChVec3* centre) {
  CH_ASSERT(n >= 0 && radius > 0.0);
  Heap heap = {.room = room, .n = n, .centre = centre, .random = 12345};
  heap.width = 2.0 * radius * (1.0 + ROOM_BETWEEN);
  heap.apart = radius * (1.0 + ROOM_BETWEEN);
  double area = 1.0;
  for (int k = 0; k < 2; ++k) {
    area *= room->high[k] - room->low[k];
    heap.columns[k] = (int)ceil((room->high[k] - room->low[k]) / heap.width) + 1;
  }
  double depth = 4.0 * n * heap.width * heap.width * heap.width / area + (room->high[0] - room->low[0]);
  heap.layers = (int)fmin(ceil(depth / heap.width) + 4.0, 1e6);
  size_t columns = (size_t)heap.columns[0] * (size_t)heap.columns[1], cells = columns * (size_t)heap.layers;
  heap.top = malloc(columns * sizeof *heap.top);
  heap.first = malloc(cells * sizeof *heap.first);
  heap.next = malloc(((size_t)n + 1) * sizeof *heap.next);
  bool good = heap.top && heap.first && heap.next;
  for (size_t k = 0; k < columns && good; ++k) heap.top[k] = room->bottom;
  for (size_t k = 0; k < cells && good; ++k) heap.first[k] = -1;
  while (good && heap.placed < n) good = place_one(&heap);
  free(heap.top);
  free(heap.first);
  free(heap.next);
  return good;
}
