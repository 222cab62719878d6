// See joint_heap.h.
#include "step/joint_heap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact_sum.h"
#include "problem/grader.h"
#include "solve/contact/sphere_bundles.h"
#include "solve/contact/sphere_sweep.h"

enum {
  COLORS = 63,    // bits of a mask
  SWEEPS = 1500,  // that a heap may take
  LOOK = 50,      // sweeps between two looks at the error where the change asks for none
  BITS = 38       // of the unit that sums are counted in, below the last change
};
#define LARGEST_BETA 0.97  // as in ansgs

// A contact of one or two balls, in the units of the problem.
typedef struct Touch {
  int row, ball[2];  // -1: a side that does not move
  int color;         // -1: none yet
  uint64_t priority;
  int shape[2], order;
  uint64_t key;
  ChVec3 axes[3];
  double arm[2], normal, tangent;  // diagonals of W, with compliance
  const ChBlock* law;
} Touch;

typedef struct Heap {
  ChContext* context;
  ChSimulation* s;
  const ChPeers* peers;
  ChStage* stage;
  int island, contacts, balls, borders;  // island -1: this process has no part in it
  const int* body;                       // of balls
  const int* border;                     // bodies
  const unsigned char* leads;            // border -> whether this process counts it
  ChProblem* problem;
  ChGrader* grader;
  Touch* touch;
  uint64_t *taken, *top, *value;        // of balls, of balls, of borders
  uint64_t *own_colors, *other_colors;  // of borders
  int colors;
  ChSphereBundles bundles;
  ChSphereSweep* sweep;
  double *r, *swap;                    // rows; 6 a border
  double (*impulse)[6], (*change)[6];  // of balls: of their reactions, and the velocity that these give
  int* border_of;                      // ball -> border, -1
  ChCertificate grade;
  double theta, unit;
} Heap;

static int ball_of(const Heap* h, int body) { return body < 0 ? -1 : h->stage->islands->place[body]; }

// --- what there is ---------------------------------------------------------------------------------------------------

// A number made of a contact's name; no two are the same but by a chance of one in 2^64.
static uint64_t scramble(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static uint64_t priority_of(const Touch* t) {
  uint64_t name = ((uint64_t)(uint32_t)t->shape[0] << 32) | (uint32_t)t->shape[1];
  return scramble(scramble(name) + scramble(t->key + 0x9e3779b97f4a7c15u) + (uint64_t)t->order) | 1u;
}

static void read_arms(const Heap* h, const ChGap* gap, const int body[2], Touch* t) {
  const ChWorld* world = h->s->world;
  t->normal = t->tangent = 0.0;
  for (int side = 0; side < 2; ++side) {
    t->ball[side] = ball_of(h, body[side]);
    t->arm[side] = 0.0;
    if (t->ball[side] < 0) continue;
    const ChBody* b = &world->bodies[body[side]];
    double along = ch_dot(ch_sub(gap->point, h->stage->moment->states[body[side]].position), t->axes[0]);
    t->arm[side] = side == 0 ? along : -along;
    t->normal += 1.0 / b->mass;
    t->tangent += 1.0 / b->mass + t->arm[side] * t->arm[side] / b->inertia.m[0][0];
  }
}

// False: some contact is none of balls.
static bool read_touches(Heap* h) {
  const ChRows* rows = h->stage->rows;
  const int* list = h->stage->islands->blocks + h->stage->islands->block_start[h->island];
  bool fits = true;
  for (int k = 0; k < h->contacts; ++k) {
    const ChRowBlock* block = &rows->blocks[list[k]];
    Touch* t = &h->touch[k];
    *t = (Touch){.color = -1, .row = h->problem->blocks[k].row, .law = &h->problem->blocks[k]};
    if (block->gap < 0 || block->law.dimension != 3 || block->law.mu[0] != block->law.mu[1] || block->law.shear > 0.0) {
      fits = false;
      continue;
    }
    const ChGap* gap = &h->stage->moment->gaps[block->gap];
    const Touch* before = k > 0 ? &h->touch[k - 1] : NULL;
    memcpy(t->shape, gap->shape, sizeof t->shape);
    t->key = gap->key;
    bool same = before && memcmp(before->shape, t->shape, sizeof t->shape) == 0 && before->key == t->key;
    t->order = same ? before->order + 1 : 0;
    for (int a = 0; a < 3; ++a) t->axes[a] = rows->rows[block->law.row + a].force[1];
    read_arms(h, gap, block->body, t);
    t->normal += block->law.compliance;
    t->priority = priority_of(t);
  }
  return fits;
}

static ChStatus open_part(Heap* h) {
  ChStage* stage = h->stage;
  const ChIslands* islands = stage->islands;
  ChStatus status = ch_island_problem(h->context, h->s->scratch, stage->moment, stage->rows, islands, h->island,
                                      stage->dynamics, &h->problem);
  if (status != CH_OK) return status;
  return ch_grader_create(h->context, h->s->scratch, h->problem, stage->options->solve.pose, &h->grader);
}

static void take_rooms(Heap* h) {
  ChArena* arena = h->s->scratch;
  const ChIslands* islands = h->stage->islands;
  if (h->island >= 0) {
    h->contacts = islands->block_start[h->island + 1] - islands->block_start[h->island];
    h->balls = islands->body_start[h->island + 1] - islands->body_start[h->island];
    h->body = islands->bodies + islands->body_start[h->island];
  }
  h->touch = CH_TAKE(arena, h->contacts + 1, Touch);
  h->taken = CH_TAKE(arena, h->balls + 1, uint64_t);
  h->top = CH_TAKE(arena, h->balls + 1, uint64_t);
  h->value = CH_TAKE(arena, h->borders + 1, uint64_t);
  h->own_colors = CH_TAKE(arena, h->borders + 1, uint64_t);
  h->other_colors = CH_TAKE(arena, h->borders + 1, uint64_t);
  h->r = CH_TAKE(arena, 3L * h->contacts + 3, double);
  h->swap = CH_TAKE(arena, 6L * h->borders + 6, double);
  h->impulse = (double(*)[6])CH_TAKE(arena, 6L * h->balls + 6, double);
  h->change = (double(*)[6])CH_TAKE(arena, 6L * h->balls + 6, double);
  h->border_of = CH_TAKE(arena, h->balls + 1, int);
  for (int k = 0; k < h->balls; ++k) h->border_of[k] = -1;
  for (int k = 0; k < h->borders; ++k) h->border_of[ball_of(h, h->border[k])] = k;
}

// --- colours ---------------------------------------------------------------------------------------------------------

static ChStatus mix(Heap* h, bool bits, uint64_t* of_balls) {
  for (int k = 0; k < h->borders; ++k) h->value[k] = of_balls[ball_of(h, h->border[k])];
  ChStatus status = h->peers->mix(h->peers->self, h->context, bits, h->value);
  for (int k = 0; k < h->borders; ++k) of_balls[ball_of(h, h->border[k])] = h->value[k];
  return status;
}

// Whether the contact comes next on all its balls; then it takes the first colour that is free there.
static bool paint(Heap* h, Touch* t) {
  uint64_t taken = 0;
  for (int side = 0; side < 2; ++side) {
    if (t->ball[side] < 0) continue;
    if (h->top[t->ball[side]] != t->priority) return false;
    taken |= h->taken[t->ball[side]];
  }
  int color = 0;
  while (color < COLORS && (taken >> color & 1)) ++color;
  t->color = color;
  for (int side = 0; side < 2; ++side)
    if (t->ball[side] >= 0 && color < COLORS) h->taken[t->ball[side]] |= (uint64_t)1 << color;
  return true;
}

// Greedy in the order of the contacts' numbers, all that have no larger neighbour at once.
static ChStatus find_colors(Heap* h) {
  int* uncoloured = CH_TAKE(h->s->scratch, h->contacts + 1, int);
  int count = h->contacts;
  for (int k = 0; k < count; ++k) uncoloured[k] = k;
  double left = 1.0, most = 0.0;
  while (left > 0.0) {
    memset(h->top, 0, (size_t)h->balls * sizeof *h->top);
    for (int k = 0; k < count; ++k)
      for (int side = 0; side < 2; ++side) {
        int ball = h->touch[uncoloured[k]].ball[side];
        if (ball >= 0 && h->touch[uncoloured[k]].priority > h->top[ball])
          h->top[ball] = h->touch[uncoloured[k]].priority;
      }
    ChStatus status = mix(h, false, h->top);
    int kept = 0;
    for (int k = 0; k < count; ++k)
      if (!paint(h, &h->touch[uncoloured[k]])) uncoloured[kept++] = uncoloured[k];
    count = kept;
    left = count;
    if (status == CH_OK) status = mix(h, true, h->taken);
    if (status == CH_OK) status = ch_peers_reduce(h->context, h->s, &left, 1, NULL, 0);
    if (status != CH_OK) return status;
  }
  for (int k = 0; k < h->contacts; ++k) most = fmax(most, h->touch[k].color + 1);
  ChStatus status = ch_peers_reduce(h->context, h->s, NULL, 0, &most, 1);
  h->colors = (int)most;
  for (int k = 0; k < h->contacts; ++k)
    for (int side = 0; side < 2; ++side) {
      int border = h->touch[k].ball[side] < 0 ? -1 : h->border_of[h->touch[k].ball[side]];
      if (border >= 0) h->own_colors[border] |= (uint64_t)1 << h->touch[k].color;
    }
  return status;
}

// --- bundles ---------------------------------------------------------------------------------------------------------

static void pack_vector(ChVec3 v, int lane, ChLanes out[3]) {
  out[0][lane] = v.x, out[1][lane] = v.y, out[2][lane] = v.z;
}

static void pack(const Heap* h, int contact, int lane, ChBundle* k) {
  const Touch* t = &h->touch[contact];
  const double *q = ch_grader_free(h->grader) + t->row, *r = h->r + t->row;
  ChVec3 drive = ch_vec(0.0, 0.0, 0.0), tangent = drive;
  for (int a = 0; a < 3; ++a) drive = ch_along(drive, q[a], t->axes[a]);
  for (int a = 1; a < 3; ++a) tangent = ch_along(tangent, r[a], t->axes[a]);
  pack_vector(t->axes[0], lane, k->normal);
  pack_vector(drive, lane, k->q);
  for (int e = 0; e < 2; ++e) {
    k->ball[e][lane] = t->ball[e];
    k->arm[e][lane] = t->arm[e];
    pack_vector(tangent, lane, k->r[e]);
    k->r[e][3][lane] = r[0];
  }
  k->g[lane] = 1.0;
  k->normal_inverse[lane] = 1.0 / t->normal;
  k->tangent_inverse[lane] = 1.0 / t->tangent;
  k->mu[lane] = t->law->mu[0];
  k->compliance[lane] = t->law->compliance;
}

static void sort_by_color(Heap* h) {
  ChSphereBundles* b = &h->bundles;
  ChArena* arena = h->s->scratch;
  int *filled = CH_TAKE(arena, h->colors + 1, int), *many = CH_TAKE(arena, h->colors + 1, int);
  for (int k = 0; k < h->contacts; ++k) ++many[h->touch[k].color];
  b->colors = h->colors;
  b->color_start = CH_TAKE(arena, h->colors + 1, int);
  for (int c = 0; c < h->colors; ++c) b->color_start[c + 1] = b->color_start[c] + (many[c] + CH_LANES - 1) / CH_LANES;
  b->count = b->color_start[h->colors];
  b->contact = CH_TAKE(arena, (long)CH_LANES * b->count + 1, int);
  for (int k = 0; k < CH_LANES * b->count; ++k) b->contact[k] = -1;
  for (int k = 0; k < h->contacts; ++k) {
    int c = h->touch[k].color;
    b->contact[CH_LANES * b->color_start[c] + filled[c]++] = k;
  }
}

// A lane without a contact, and a side that does not move, have a ball of the bundle's own that nothing moves.
static void fill_bundles(Heap* h) {
  ChSphereBundles* b = &h->bundles;
  sort_by_color(h);
  b->bundle = CH_TAKE(h->s->scratch, b->count + 1, ChBundle);
  b->balls = h->balls;
  for (int i = 0; i < b->count; ++i) {
    bool lacks = false;
    memset(b->bundle[i].ball, -1, sizeof b->bundle[i].ball);
    for (int l = 0; l < CH_LANES; ++l)
      if (b->contact[CH_LANES * i + l] >= 0) pack(h, b->contact[CH_LANES * i + l], l, &b->bundle[i]);
    for (int e = 0; e < 2; ++e)
      for (int l = 0; l < CH_LANES; ++l)
        if (b->bundle[i].ball[e][l] < 0) b->bundle[i].ball[e][l] = b->balls, lacks = true;
    b->balls += lacks;
  }
  b->ball = CH_TAKE(h->s->scratch, b->balls + 1, ChRoller);
  for (int k = 0; k < h->balls; ++k) {
    const ChBody* body = &h->s->world->bodies[h->body[k]];
    b->ball[k].velocity[3] = 1.0 / body->mass;
    b->ball[k].spin[3] = 1.0 / body->inertia.m[0][0];
  }
}

// --- velocities from reactions ---------------------------------------------------------------------------------------

static int compare_impulses(const void* a, const void* b) {
  const ChBorderImpulse *x = a, *y = b;
  if (x->body != y->body) return x->body < y->body ? -1 : 1;
  for (int k = 0; k < 2; ++k)
    if (x->shape[k] != y->shape[k]) return x->shape[k] < y->shape[k] ? -1 : 1;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return (x->order > y->order) - (x->order < y->order);
}

static void add_six(double* to, const double* x) {
  for (int a = 0; a < 6; ++a) to[a] += x[a];
}

// H r of one contact on one of its bodies.
static void impulse_of(const Heap* h, const Touch* t, int block, int side, double out[6]) {
  const ChRows* rows = h->stage->rows;
  const ChRow* row = &rows->rows[rows->blocks[block].law.row];
  ChVec3 force = ch_vec(0.0, 0.0, 0.0), torque = force;
  for (int a = 0; a < 3; ++a) {
    force = ch_along(force, h->r[t->row + a], row[a].force[side]);
    torque = ch_along(torque, h->r[t->row + a], row[a].torque[side]);
  }
  const double all[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
  memcpy(out, all, sizeof all);
}

// On each body the contacts' impulses are added in the order of their names, wherever they are.
static ChStatus find_impulses(Heap* h) {
  const int* list = h->island < 0 ? NULL : h->stage->islands->blocks + h->stage->islands->block_start[h->island];
  ChBorderImpulse* own = CH_TAKE(h->s->scratch, 2L * h->contacts + 1, ChBorderImpulse);
  int count = 0;
  memset(h->impulse, 0, (size_t)h->balls * sizeof *h->impulse);
  for (int k = 0; k < h->contacts; ++k)
    for (int side = 0; side < 2; ++side) {
      const Touch* t = &h->touch[k];
      if (t->ball[side] < 0) continue;
      double x[6];
      impulse_of(h, t, list[k], side, x);
      if (h->border_of[t->ball[side]] < 0) {
        add_six(h->impulse[t->ball[side]], x);
        continue;
      }
      ChBorderImpulse* one = &own[count++];
      *one = (ChBorderImpulse){.body = h->body[t->ball[side]], .order = t->order, .key = t->key};
      memcpy(one->shape, t->shape, sizeof one->shape);
      memcpy(one->impulse, x, sizeof x);
    }
  const ChBorderImpulse* others;
  int other_count;
  ChStatus status = h->peers->collect(h->peers->self, h->context, count, own, &others, &other_count);
  if (status != CH_OK) return status;
  ChBorderImpulse* all = CH_TAKE_RAW(h->s->scratch, (long)count + other_count + 1, ChBorderImpulse);
  memcpy(all, own, (size_t)count * sizeof *all);
  if (other_count > 0) memcpy(all + count, others, (size_t)other_count * sizeof *all);
  qsort(all, (size_t)(count + other_count), sizeof *all, compare_impulses);
  for (int k = 0; k < count + other_count; ++k) add_six(h->impulse[ball_of(h, all[k].body)], all[k].impulse);
  return CH_OK;
}

static void find_changes(Heap* h) {
  for (int k = 0; k < h->balls; ++k) {
    const ChBody* body = &h->s->world->bodies[h->body[k]];
    for (int a = 0; a < 6; ++a) h->change[k][a] = h->impulse[k][a] / (a < 3 ? body->mass : body->inertia.m[0][0]);
  }
}

static void put_balls(Heap* h) {
  for (int k = 0; k < h->balls; ++k) {
    const double* v = h->change[k];
    ChQuat turn = h->stage->moment->states[h->body[k]].orientation;
    ch_sphere_sweep_correct(h->sweep, k, ch_vec(v[0], v[1], v[2]), ch_rotate(turn, ch_vec(v[3], v[4], v[5])));
  }
}

static void velocity_at(const Heap* h, const Touch* t, int block, double u[3]) {
  const ChRows* rows = h->stage->rows;
  const ChRow* row = &rows->rows[rows->blocks[block].law.row];
  for (int a = 0; a < 3; ++a) {
    u[a] = ch_grader_free(h->grader)[t->row + a];
    for (int side = 0; side < 2; ++side) {
      if (t->ball[side] < 0) continue;
      const double* v = h->change[t->ball[side]];
      u[a] +=
          ch_dot(row[a].force[side], ch_vec(v[0], v[1], v[2])) + ch_dot(row[a].torque[side], ch_vec(v[3], v[4], v[5]));
    }
  }
}

// --- the certificate -------------------------------------------------------------------------------------------------

enum { REST = CH_PART_SUMS, APPLIED, SUMS };  // of momentum, and what it is compared with

static void add_parts(Heap* h, ChExactSum sums[SUMS], double most[CH_PART_EXTREMES]) {
  const int* list = h->island < 0 ? NULL : h->stage->islands->blocks + h->stage->islands->block_start[h->island];
  for (int k = 0; k < h->contacts; ++k) {
    double u[3];
    ChGradePart part;
    velocity_at(h, &h->touch[k], list[k], u);
    ch_grader_part(h->grader, k, h->r + h->touch[k].row, u, &part);
    for (int j = 0; j < CH_PART_SUMS; ++j) ch_exact_add(&sums[j], part.sum[j]);
    for (int j = 0; j < CH_PART_EXTREMES; ++j)
      if (!(part.most[j] <= most[j])) most[j] = part.most[j];
  }
  for (int k = 0; k < h->balls; ++k) {
    if (h->border_of[k] >= 0 && !h->leads[h->border_of[k]]) continue;
    const ChBody* body = &h->s->world->bodies[h->body[k]];
    for (int a = 0; a < 6; ++a) {
      double mass = a < 3 ? body->mass : body->inertia.m[0][0], rest = mass * h->change[k][a] - h->impulse[k][a];
      ch_exact_add(&sums[REST], rest * rest / mass);
      ch_exact_add(&sums[APPLIED], h->impulse[k][a] * h->impulse[k][a] / mass);
    }
  }
}

static ChStatus find_grade(Heap* h) {
  ChExactSum sums[SUMS];
  double most[CH_PART_EXTREMES] = {0.0}, numbers[SUMS * CH_EXACT_DIGITS], compliant = 0.0;
  memset(sums, 0, sizeof sums);
  add_parts(h, sums, most);
  for (int k = 0; k < SUMS; ++k) ch_exact_write(&sums[k], numbers + (long)k * CH_EXACT_DIGITS);
  for (int k = 0; k < h->contacts; ++k) compliant = fmax(compliant, h->touch[k].law->compliance);
  ChStatus status = ch_peers_reduce(h->context, h->s, numbers, SUMS * CH_EXACT_DIGITS, most, CH_PART_EXTREMES);
  if (status == CH_OK) status = ch_peers_reduce(h->context, h->s, NULL, 0, &compliant, 1);
  ChGradePart all;
  for (int k = 0; k < SUMS; ++k) {
    ch_exact_read(numbers + (long)k * CH_EXACT_DIGITS, &sums[k]);
    if (k < CH_PART_SUMS) all.sum[k] = ch_exact_value(&sums[k]);
  }
  memcpy(all.most, most, sizeof most);
  double rest = ch_exact_value(&sums[REST]), applied = ch_exact_value(&sums[APPLIED]);
  h->grade = ch_grade_whole(&all, compliant > 0.0, rest > 0.0 ? sqrt(rest / applied) : rest);
  return status;
}

// --- sweeps ----------------------------------------------------------------------------------------------------------

static void read_reactions(Heap* h) {
  int turn = ch_sphere_sweep_turn(h->sweep);
  for (int i = 0; i < h->bundles.count; ++i)
    for (int l = 0; l < CH_LANES; ++l) {
      int contact = h->bundles.contact[CH_LANES * i + l];
      if (contact < 0) continue;
      const ChLanes* x = h->bundles.bundle[i].r[turn];
      const Touch* t = &h->touch[contact];
      const ChVec3 tangent = ch_vec(x[0][l], x[1][l], x[2][l]);
      h->r[t->row] = x[3][l];
      for (int a = 1; a < 3; ++a) h->r[t->row + a] = ch_dot(t->axes[a], tangent);
    }
}

static void put_border(Heap* h, int color, bool in) {
  const uint64_t* colors = in ? h->other_colors : h->own_colors;
  for (int k = 0; k < h->borders; ++k) {
    if (!(colors[k] >> color & 1)) continue;
    ChRoller* ball = &h->bundles.ball[ball_of(h, h->border[k])];
    double* v = h->swap + 6L * k;
    for (int a = 0; a < 3; ++a) {
      if (in) ball->velocity[a] = v[a], ball->spin[a] = v[3 + a];
      if (!in) v[a] = ball->velocity[a], v[3 + a] = ball->spin[a];
    }
  }
}

// One sweep with so much momentum; |x+ - y|^2 and (x+ - y) . (x - x before).
static ChStatus sweep(Heap* h, double beta, double sums[2]) {
  ChStatus status = CH_OK;
  sums[0] = sums[1] = 0.0;
  ch_sphere_sweep_begin(h->sweep, beta);
  for (int c = 0; c < h->colors && status == CH_OK; ++c) {
    ch_sphere_sweep_color(h->sweep, c, beta, h->unit, sums);
    put_border(h, c, false);
    status = h->peers->swap(h->peers->self, h->context, c, h->swap);
    put_border(h, c, true);
  }
  ch_sphere_sweep_close(h->sweep);
  if (status == CH_OK) status = ch_peers_reduce(h->context, h->s, sums, 2, NULL, 0);
  sums[0] /= h->unit;
  sums[1] /= h->unit;
  if (sums[0] > 0.0) h->unit = ldexp(1.0, BITS - ilogb(sums[0]));
  return status;
}

static ChStatus look(Heap* h) {
  read_reactions(h);
  ChArenaMark mark = ch_arena_mark(h->s->scratch);
  ChStatus status = find_impulses(h);
  ch_arena_release(h->s->scratch, mark);
  if (status != CH_OK) return status;
  find_changes(h);
  put_balls(h);
  return find_grade(h);
}

static double next_beta(Heap* h, double along) {
  if (along < 0.0) h->theta = 1.0;
  double t = h->theta * h->theta, following = 0.5 * (-t + h->theta * sqrt(t + 4.0));
  double beta = fmin(h->theta * (1.0 - h->theta) / (t + following), LARGEST_BETA);
  h->theta = following;
  return beta;
}

// A unit for the first sweep: of what the free motion would take to be stopped at once.
static ChStatus first_unit(Heap* h) {
  ChExactSum sum;
  double numbers[CH_EXACT_DIGITS];
  memset(&sum, 0, sizeof sum);
  for (int k = 0; k < h->contacts; ++k) {
    double stop = ch_grader_free(h->grader)[h->touch[k].row] / h->touch[k].normal;
    ch_exact_add(&sum, stop * stop);
  }
  ch_exact_write(&sum, numbers);
  ChStatus status = ch_peers_reduce(h->context, h->s, numbers, CH_EXACT_DIGITS, NULL, 0);
  ch_exact_read(numbers, &sum);
  double size = ch_exact_value(&sum);
  h->unit = size > 0.0 && isfinite(size) ? ldexp(1.0, BITS - ilogb(size)) : 1.0;
  return status;
}

static ChStatus sweep_until_met(Heap* h, long* sweeps, bool* met) {
  const double tolerance = h->stage->options->solve.tolerance;
  double beta = 0.0, ask = 0.0, sums[2];
  h->theta = 1.0;
  ChStatus status = look(h);
  *met = status == CH_OK && ch_certificate_met(&h->grade, tolerance);
  for (*sweeps = 0; status == CH_OK && !*met && *sweeps < SWEEPS;) {
    status = sweep(h, beta, sums);
    if (status != CH_OK || !isfinite(sums[0])) break;
    double change = sqrt(sums[0]);
    beta = next_beta(h, sums[1]);
    ++*sweeps;
    if (*sweeps % LOOK != 0 && *sweeps != LOOK / 5 && !(change <= ask)) continue;
    status = look(h);
    *met = status == CH_OK && ch_certificate_met(&h->grade, tolerance);
    bool stops = h->s->options.solve.stop && h->s->options.solve.stop(h->s->options.solve.stop_user);
    if (status == CH_OK) status = ch_peers_any(h->context, h->s, &stops);
    if (stops && status == CH_OK) return CH_STOPPED;
    ask = change * fmin(0.9, 0.9 * tolerance / h->grade.natural);
  }
  return status;
}

// --- a heap from beginning to end ------------------------------------------------------------------------------------

static void write_answer(Heap* h) {
  ChStage* stage = h->stage;
  const int* list = stage->islands->blocks + stage->islands->block_start[h->island];
  for (int k = 0; k < h->contacts; ++k)
    memcpy(stage->r + stage->rows->blocks[list[k]].law.row, h->r + h->touch[k].row, 3 * sizeof(double));
  for (int k = 0; k < h->balls; ++k)
    for (int a = 0; a < 6; ++a) {
      long at = 6L * h->body[k] + a;
      stage->velocities[at] = stage->dynamics->reference[at] + h->change[k][a];
    }
  stage->grades[h->island] = h->grade;
}

static void warm_start(Heap* h) {
  const int* list = h->stage->islands->blocks + h->stage->islands->block_start[h->island];
  for (int k = 0; k < h->contacts; ++k) {
    double* r = h->r + h->touch[k].row;
    memcpy(r, h->stage->r + h->stage->rows->blocks[list[k]].law.row, 3 * sizeof *r);
    double most = h->touch[k].law->mu[0] * fmax(r[0], 0.0), size = hypot(r[1], r[2]);
    r[0] = fmax(r[0], 0.0);
    for (int a = 1; a < 3; ++a) r[a] = size > most ? r[a] * (most / size) : r[a];
  }
}

static ChStatus prepare(Heap* h, bool* fits) {
  ChStatus status = CH_OK;
  take_rooms(h);
  if (h->island >= 0) status = open_part(h);
  status = ch_peers_agree(h->context, h->s, status);
  if (status != CH_OK) return status;
  bool odd = h->island >= 0 && !read_touches(h);
  status = ch_peers_any(h->context, h->s, &odd);
  if (status == CH_OK && !odd) status = find_colors(h);
  *fits = !odd && h->colors <= COLORS;
  if (status != CH_OK || !*fits) return status;
  status = h->peers->route(h->peers->self, h->context, h->own_colors, h->other_colors);
  if (status == CH_OK) status = first_unit(h);
  if (h->island >= 0) warm_start(h);
  fill_bundles(h);
  h->sweep = ch_sphere_sweep_of(h->s->scratch, &h->bundles);
  return status;
}

static ChStatus solve_heap(ChContext* context, ChSimulation* s, ChStage* stage, int which, int island, bool* missed) {
  Heap h = {.context = context, .s = s, .peers = s->peers, .stage = stage, .island = island};
  h.borders = s->peers->border(s->peers->self, which, &h.border, &h.leads);
  bool fits = false, met = false;
  long sweeps = 0;
  ChStatus status = prepare(&h, &fits);
  if (status == CH_OK && fits) status = sweep_until_met(&h, &sweeps, &met);
  if (status == CH_OK && met && island >= 0) write_answer(&h);
  ch_problem_destroy(h.problem);
  if (status != CH_OK) return status;
  stage->worst = ch_certificate_worse(stage->worst, h.grade);
  stage->spent = fmax(stage->spent, (double)sweeps / SWEEPS);
  if (s->peers->first) stage->iterations += sweeps;
  *missed = *missed || !met;
  s->peers->ended(s->peers->self, h.contacts, sweeps, !met);
  return CH_OK;
}

// The island of this process that is a part of heap `which`; -1: it has none.
static int part_of(const ChSimulation* s, const ChIslands* islands, int which) {
  for (int i = 0; i < islands->count; ++i)
    if (s->peers->heap[islands->bodies[islands->body_start[i]]] == which) return i;
  return -1;
}

const unsigned char* ch_joint_heaps_mark(ChSimulation* s, const ChIslands* islands) {
  if (s->peers->heap_count == 0) return NULL;
  unsigned char* idle = CH_TAKE(s->scratch, islands->count, unsigned char);
  for (int i = 0; i < islands->count; ++i) idle[i] = s->peers->heap[islands->bodies[islands->body_start[i]]] >= 0;
  return idle;
}

ChStatus ch_joint_heaps_solve(ChContext* context, ChSimulation* s, ChStage* stage) {
  bool missed = false;
  ChStatus status = CH_OK;
  for (int k = 0; k < s->peers->heap_count && status == CH_OK; ++k)
    status = solve_heap(context, s, stage, k, part_of(s, stage->islands, k), &missed);
  return status == CH_OK && missed ? CH_MAX_ITER : status;
}

int ch_joint_heaps_counted(const ChSimulation* s, const ChStage* stage) {
  if (!s->peers) return 0;
  int parts = 0;
  for (int i = 0; stage->idle && i < stage->islands->count; ++i) parts += stage->idle[i];
  return (s->peers->first ? s->peers->heap_count : 0) - parts;
}
