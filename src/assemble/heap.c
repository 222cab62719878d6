// See heap.h. Bodies count as balls about their centres of mass.
//
// pressure   M g / A, A the box about all that moves, across gravity (the axis nearest to it)
// energy     v0^2 / 2 + g fall, the largest of a body. It falls until it is on another one, or on what does not move;
//            or, where that is further, until all that is under it lies packed:
//
//              fall = ground - V / (PACKED A),    V the volume of the balls lower than it, ground its height above what
//                                                 does not move
//
//            A loose column has small gaps from body to body, but its top comes down by the sum of them, and more: the
//            column collapses from its foot, and every layer that joins what lies already is faster than the one
//            before. Across the front the pressure jumps by rho v^2 f PACKED / (PACKED - f), rho the bodies' density,
//            f the share of space that they fill as they arrive: for f = 0.4, 1.2 rho v^2, some 2 m v^2 / (2 R) on the
//            area (2 R)^2 of a body. spring.c takes twice that, as of the weight: forces in a heap are not equal.
//
// Who is below is found in columns, squares across gravity as wide as the largest body: those of the nine columns
// around a body.
#include "assemble/heap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "model/shapes/shape_ray.h"

#define PACKED 0.6  // share of space that balls fill that were poured; in the plane PACKED_PLANE
#define PACKED_PLANE 0.8

typedef struct Ball {
  double across[2], up, radius;
  long column[2];
  int body;
} Ball;

typedef struct Pile {
  const ChWorld* world;
  ChVec3 down;     // unit
  int upright;     // the axis nearest to it
  double largest;  // radius
  int count;
  Ball* balls;  // by column, and upwards in each
  double area;  // of the ground
  int ground_count;
  int* ground;  // shapes that do not move: what falls may land on them
} Pile;

static int compare_columns(const Ball* a, const Ball* b) {
  for (int k = 0; k < 2; ++k)
    if (a->column[k] != b->column[k]) return a->column[k] < b->column[k] ? -1 : 1;
  return 0;
}

static int compare_heights(const void* x, const void* y) {
  const Ball *a = x, *b = y;
  return a->up != b->up ? (a->up < b->up ? -1 : 1) : a->body - b->body;
}

static int compare(const void* x, const void* y) {
  int columns = compare_columns(x, y);
  return columns != 0 ? columns : compare_heights(x, y);
}

static void list_balls(ChArena* arena, Pile* pile) {
  const ChWorld* world = pile->world;
  pile->balls = CH_TAKE(arena, world->body_count, Ball);
  for (int b = 0; b < world->body_count; ++b) {
    if (!ch_world_moves(world, b)) continue;
    ChVec3 at = world->states[b].position;
    Ball* ball = &pile->balls[pile->count++];
    *ball = (Ball){.up = -ch_dot(at, pile->down), .radius = ch_world_reach(world, b), .body = b};
    for (int k = 0; k < 2; ++k) ball->across[k] = ch_component(at, (pile->upright + 1 + k) % 3);
    pile->largest = fmax(pile->largest, ball->radius);
  }
  double width = 2.0 * pile->largest;
  for (int k = 0; k < pile->count; ++k)
    for (int a = 0; a < 2 && width > 0.0; ++a) {
      double column = floor(pile->balls[k].across[a] / width);
      pile->balls[k].column[a] = fabs(column) < 1e15 ? (long)column : 0;
    }
  qsort(pile->balls, (size_t)pile->count, sizeof *pile->balls, compare);
}

// The first ball that is not before this one.
static int find_from(const Pile* pile, const Ball* ball) {
  int low = 0, high = pile->count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (compare(&pile->balls[middle], ball) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// How far it falls past a column until it is on a ball there, that is until their centres are as far apart as the sum
// of their radii; at most `least`.
static double fall_in(const Pile* pile, const Ball* ball, long x, long y, double least) {
  Ball top = *ball;
  top.column[0] = x, top.column[1] = y;
  for (int k = find_from(pile, &top) - 1; k >= 0 && compare_columns(&pile->balls[k], &top) == 0; --k) {
    const Ball* other = &pile->balls[k];
    double sum = ball->radius + other->radius, drop = ball->up - other->up;
    if (drop > least + 2.0 * pile->largest) break;
    double aside = hypot(ball->across[0] - other->across[0], ball->across[1] - other->across[1]);
    if (aside < sum) least = fmin(least, fmax(drop - sqrt(sum * sum - aside * aside), 0.0));
  }
  return least;
}

// They are few; looking for them anew for every ball took 70 s with 100,000 balls.
static void list_ground(ChArena* arena, Pile* pile) {
  const ChWorld* world = pile->world;
  for (int pass = 0; pass < 2; ++pass) {
    if (pass == 1) pile->ground = CH_TAKE(arena, pile->ground_count, int);
    pile->ground_count = 0;
    for (int k = 0; k < world->shape_count; ++k) {
      if (ch_world_moves(world, world->shapes[k].body) || world->shapes[k].soft) continue;
      if (pass == 1) pile->ground[pile->ground_count] = k;
      ++pile->ground_count;
    }
  }
}

// Down to what does not move; 0 where there is nothing below.
static double fall_to_ground(const Pile* pile, const Ball* ball) {
  const ChWorld* world = pile->world;
  ChRay ray = {.from = world->states[ball->body].position, .along = pile->down, .reach = INFINITY};
  for (int k = 0; k < pile->ground_count; ++k) {
    const ChShape* shape = &world->shapes[pile->ground[k]];
    ChRayTouch touch;
    if (ch_ray_meet(&ray, shape, ch_shape_frame(shape, &world->states[shape->body]), &touch))
      ray.reach = touch.distance;
  }
  return isfinite(ray.reach) ? fmax(ray.reach - ball->radius, 0.0) : 0.0;
}

// Until it is on another one.
static double fall_alone(const Pile* pile, const Ball* ball, double ground) {
  double least = INFINITY;
  for (long x = -1; x <= 1; ++x)
    for (long y = -1; y <= 1; ++y) least = fall_in(pile, ball, ball->column[0] + x, ball->column[1] + y, least);
  return least <= 2.0 * ball->radius ? least : fmin(least, ground);
}

static double ground_area(const Pile* pile) {
  double area = 1.0;
  for (int a = 0; a < 2; ++a) {
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < pile->count; ++k) {
      low = fmin(low, pile->balls[k].across[a] - pile->balls[k].radius);
      high = fmax(high, pile->balls[k].across[a] + pile->balls[k].radius);
    }
    bool counts = pile->world->dimension == 3 || (pile->upright + 1 + a) % 3 != 2;
    if (counts) area *= high - low;
  }
  return area;
}

// Space that it takes where it lies, its share of what is between included.
static double packed_volume(const Pile* pile, double radius) {
  return pile->world->dimension == 3 ? 4.0 / 3.0 * M_PI * radius * radius * radius / PACKED
                                     : M_PI * radius * radius / PACKED_PLANE;
}

// The largest v0^2 / 2 + g fall.
static double largest_energy(ChArena* arena, const Pile* pile, double g) {
  Ball* rising = CH_TAKE(arena, pile->count, Ball);
  memcpy(rising, pile->balls, (size_t)pile->count * sizeof *rising);
  qsort(rising, (size_t)pile->count, sizeof *rising, compare_heights);
  double most = 0.0, below = 0.0;
  for (int k = 0; k < pile->count; ++k) {
    const Ball* ball = &rising[k];
    ChVec3 v = pile->world->states[ball->body].velocity;
    double fall = 0.0;
    if (g > 0.0) {
      double ground = fall_to_ground(pile, ball);
      fall = fall_alone(pile, ball, ground);
      if (pile->area > 0.0) fall = fmax(fall, ground - below / pile->area);
    }
    most = fmax(most, 0.5 * ch_dot(v, v) + g * fall);
    below += packed_volume(pile, ball->radius);
  }
  return most;
}

ChHeap ch_world_heap(ChArena* scratch, const ChWorld* world, double overlap, double h) {
  CH_ASSERT(world->sealed && overlap > 0.0);
  ChHeap heap = {.overlap = overlap, .h = h};
  ChArenaMark mark = ch_arena_mark(scratch);
  ChVec3 gravity = ch_world_gravity(world, 0.0);
  double mass = 0.0, g = ch_norm(gravity);
  Pile pile = {.world = world, .down = g > 0.0 ? ch_scale(1.0 / g, gravity) : ch_vec(0.0, 0.0, -1.0)};
  for (int a = 1; a < world->dimension; ++a)
    if (fabs(ch_component(pile.down, a)) > fabs(ch_component(pile.down, pile.upright))) pile.upright = a;
  list_balls(scratch, &pile);
  list_ground(scratch, &pile);
  for (int k = 0; k < pile.count; ++k) mass += world->bodies[pile.balls[k].body].mass;
  pile.area = mass > 0.0 ? ground_area(&pile) : 0.0;
  heap.energy = largest_energy(scratch, &pile, g);
  if (pile.area > 0.0) heap.pressure = mass * g / pile.area;
  ch_arena_release(scratch, mark);
  return heap;
}
