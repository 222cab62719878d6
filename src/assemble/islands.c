// See islands.h. Bodies are joined by disjoint sets; both lists are filled by counting, so that they come out sorted.
#include "assemble/islands.h"

#include <string.h>

#include "assemble/soft_body.h"
#include "base/check.h"
#include "cardhouse/union_find.h"

static void join(const ChWorld* world, const int body[2], int* parent, unsigned char* used) {
  for (int side = 0; side < 2; ++side)
    if (ch_world_moves(world, body[side])) used[body[side]] = 1;
  if (ch_world_moves(world, body[0]) && ch_world_moves(world, body[1])) ch_sets_join(parent, body[0], body[1]);
}

// Lists `count` things by island[thing] (-1: none): start (islands + 1) and list.
static void list_by_island(ChArena* arena, int islands, int count, const int* island, int** start, int** list) {
  int* at = *start = CH_TAKE(arena, islands + 2, int);
  *list = CH_TAKE(arena, count, int);
  for (int k = 0; k < count; ++k)
    if (island[k] >= 0) ++at[island[k] + 2];
  for (int i = 0; i < islands; ++i) at[i + 2] += at[i + 1];
  for (int k = 0; k < count; ++k)
    if (island[k] >= 0) (*list)[at[island[k] + 1]++] = k;
}

static int island_of(const int body[2], const int* of) {
  return body[0] >= 0 && of[body[0]] >= 0 ? of[body[0]] : body[1] >= 0 ? of[body[1]] : -1;
}

// Numbers islands by their first bodies; of[body] = -1 for a body that nothing touches.
static int number_islands(int bodies, int* parent, const unsigned char* used, int* of) {
  int count = 0;
  for (int b = 0; b < bodies; ++b) {
    int root = ch_sets_root(parent, b);  // the first of its set, and used if any of it is
    of[b] = !used[b] ? -1 : root == b ? count++ : of[root];
  }
  return count;
}

static void join_tied(ChArena* arena, int bodies, const int* tie, const unsigned char* used, int* parent) {
  int most = 0;
  for (int b = 0; b < bodies; ++b) most = used[b] && tie[b] >= most ? tie[b] + 1 : most;
  int* first = CH_TAKE(arena, most + 1, int);  // one more than a body
  for (int b = 0; b < bodies; ++b) {
    if (!used[b] || tie[b] < 0) continue;
    if (first[tie[b]] == 0) first[tie[b]] = b + 1;
    ch_sets_join(parent, first[tie[b]] - 1, b);
  }
}

static void place_bodies(ChArena* arena, const ChWorld* world, ChIslands* out) {
  out->place = CH_TAKE(arena, world->body_count, int);
  out->first = CH_TAKE(arena, world->body_count, int);
  for (int b = 0; b < world->body_count; ++b) out->place[b] = -1;
  for (int i = 0; i < out->count; ++i)
    for (int k = out->body_start[i], dof = 0; k < out->body_start[i + 1]; ++k) {
      int body = out->bodies[k];
      out->place[body] = k - out->body_start[i];
      out->first[body] = dof;
      dof += ch_body_freedoms(world, body);
    }
}

void ch_islands_find(ChArena* arena, const ChWorld* world, const ChRows* rows, const ChForceCoupling* couplings,
                     int coupling_count, bool whole, const int* tie, ChIslands* out) {
  CH_ASSERT(world->sealed && coupling_count >= 0);
  int bodies = world->body_count, *parent = CH_TAKE(arena, bodies, int), *of = CH_TAKE(arena, bodies, int);
  int *block_of = CH_TAKE(arena, rows->block_count, int), *coupling_of = CH_TAKE(arena, coupling_count, int);
  unsigned char* used = CH_TAKE(arena, bodies, unsigned char);
  ch_sets_init(bodies, parent);
  for (int b = 0; b < rows->block_count; ++b) join(world, rows->blocks[b].body, parent, used);
  for (int c = 0; c < coupling_count; ++c) join(world, couplings[c].body, parent, used);
  for (int b = 0, first = -1; whole && b < bodies; ++b) {
    if (!used[b]) continue;
    if (first < 0) first = b;
    ch_sets_join(parent, first, b);
  }
  if (tie) join_tied(arena, bodies, tie, used, parent);
  *out = (ChIslands){.count = number_islands(bodies, parent, used, of)};
  for (int b = 0; b < rows->block_count; ++b) block_of[b] = island_of(rows->blocks[b].body, of);
  for (int c = 0; c < coupling_count; ++c) coupling_of[c] = island_of(couplings[c].body, of);
  list_by_island(arena, out->count, bodies, of, &out->body_start, &out->bodies);
  list_by_island(arena, out->count, rows->block_count, block_of, &out->block_start, &out->blocks);
  list_by_island(arena, out->count, coupling_count, coupling_of, &out->coupling_start, &out->couplings);
  place_bodies(arena, world, out);
  CH_ASSERT(out->body_start[out->count] <= bodies && out->block_start[out->count] <= rows->block_count);
}

// Whether these locks hold freedom a of a body; in the plane the third is the turn about z.
static bool locked(const ChWorld* world, unsigned locks, int a) {
  int bit = world->dimension == 2 && a == 2 ? 5 : a;
  return locks >> bit & 1u;
}

int ch_frame_freedoms(const ChWorld* world, int body) {
  if (world->bodies[body].kind != CH_BODY_DYNAMIC) return 0;
  int width = ch_world_width(world), freedoms = width;
  unsigned locks = ch_body_locks(world, body);
  for (int a = 0; a < width && locks != 0; ++a) freedoms -= locked(world, locks, a);
  return freedoms;
}

int ch_body_freedoms(const ChWorld* world, int body) {
  return ch_frame_freedoms(world, body) + ch_body_modes(world, body);
}

// Rotations that are left turn about world axes; with all three left the body's own axes do as well and keep M simple.
int ch_body_basis(const ChWorld* world, int body, const ChBodyState* state, double* basis) {
  CH_ASSERT(body >= 0 && body < world->body_count);
  int width = ch_world_width(world), freedoms = ch_frame_freedoms(world, body), column = 0;
  unsigned locks = ch_body_locks(world, body), turns = locks >> 3;
  memset(basis, 0, (size_t)(width * freedoms) * sizeof *basis);
  for (int a = 0; a < width; ++a) {
    if (locked(world, locks, a)) continue;
    if (a < 3 || turns == 0) {
      basis[a * freedoms + column] = 1.0;
    } else {
      ChVec3 axis = ch_rotate_back(state->orientation, ch_axis(a - 3));
      for (int k = 0; k < 3; ++k) basis[(3 + k) * freedoms + column] = ch_component(axis, k);
    }
    ++column;
  }
  return freedoms;
}
