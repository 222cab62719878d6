// Warm starts: reactions of the last step, found again by shapes and features (contacts) or by row (joints).
//
// Both lists of contacts are sorted by (shape, shape, key), so one walk through both finds all pairs. Where the frame
// of the contact turned, the impulse is turned back into it; where it did not, the reaction comes back bit for bit.
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "step/bonds.h"
#include "step/shear.h"
#include "step/state.h"
#include "step/warm.h"

bool ch_memory_holds(const void* past, int shape_a, int shape_b, uint64_t key) {
  const ChMemory* memory = past;
  const ChGap wanted = {.shape = {shape_a, shape_b}, .key = key};
  int low = 0, high = memory->contact_count;
  while (low < high) {
    int middle = low + (high - low) / 2, order = ch_memory_compare(&memory->contacts[middle], &wanted);
    if (order == 0) return true;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

static bool same(ChVec3 a, ChVec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static ChVec3 kept_direction(const ChContactMemory* m, int space, int dimension, int a) {
  const int axis = ch_contact_row_axis(space, dimension, a);
  return axis == CH_AXIS_OUT ? ch_axis(2) : m->axis[axis];
}

// The rows from `first` on, which are all forces or all moments.
static void turn(const ChContactMemory* m, const ChRow* rows, int space, int dimension, int first, int end,
                 double scale, double* r) {
  ChVec3 impulse = {0.0, 0.0, 0.0};
  for (int a = first; a < end; ++a) impulse = ch_along(impulse, m->r[a], kept_direction(m, space, dimension, a));
  for (int a = first; a < end; ++a) r[a] = scale * ch_dot(impulse, ch_contact_row_direction(rows, space, dimension, a));
}

static void recall_contact(const ChContactMemory* m, const ChRow* rows, int space, int dimension, double scale,
                           double* r) {
  bool unturned = same(m->axis[0], rows[0].force[1]) && same(m->axis[1], rows[1].force[1]);
  if (unturned) {
    for (int a = 0; a < dimension; ++a) r[a] = scale * m->r[a];
    return;
  }
  const int forces = dimension < space ? dimension : space;
  turn(m, rows, space, dimension, 0, forces, scale, r);
  turn(m, rows, space, dimension, forces, dimension, scale, r);
}

static void recall(const ChSimulation* s, const ChRows* rows, const ChGap* gaps, double h, double* r) {
  const ChMemory* memory = &s->memory;
  double scale = memory->h > 0.0 ? h / memory->h : 0.0;
  int at = 0;
  for (int b = 0; b < rows->block_count; ++b) {
    const ChRowBlock* block = &rows->blocks[b];
    double* out = r + block->law.row;
    if (block->joint >= 0) {
      const double* kept = memory->joints + (long)block->joint * CH_JOINT_ROWS_MAX + block->joint_row;
      for (int a = 0; a < block->law.dimension; ++a) out[a] = scale * kept[a];
      continue;
    }
    CH_ASSERT(block->gap >= 0);
    const ChGap* gap = &gaps[block->gap];
    while (at < memory->contact_count && ch_memory_compare(&memory->contacts[at], gap) < 0) ++at;
    if (at == memory->contact_count || ch_memory_compare(&memory->contacts[at], gap) != 0) continue;
    recall_contact(&memory->contacts[at], rows->rows + block->law.row, s->world->dimension, block->law.dimension, scale,
                   out);
  }
}

// No step starts from what is not finite, whatever was loaded or scaled: it starts from nothing then.
void ch_memory_recall(const ChSimulation* s, const ChRows* rows, const ChGap* gaps, double h, double* r) {
  CH_ASSERT(h > 0.0);
  recall(s, rows, gaps, h, r);
  if (!ch_all_finite(r, rows->row_count)) memset(r, 0, (size_t)rows->row_count * sizeof *r);
}

ChStatus ch_memory_reserve(ChContext* context, ChSimulation* s, int count) {
  ChMemory* memory = &s->memory;
  if (count <= memory->contact_room) return CH_OK;
  const int room = count + count / 4 + 64;  // of a large heap: memory is dear, and its contacts are never twice as many
  ChContactMemory* larger = realloc(memory->contacts, (size_t)room * sizeof *larger);
  if (!larger) return ch_fail(context, CH_ERR_MEMORY, "out of memory for the reactions of %d contacts", count);
  memory->contacts = larger;
  memory->contact_room = room;
  return CH_OK;
}

static inline bool is_sorted(const ChMemory* memory) {
  for (int k = 1; k < memory->contact_count; ++k) {
    const ChContactMemory* last = &memory->contacts[k - 1];
    const ChGap gap = {.shape = {memory->contacts[k].shape[0], memory->contacts[k].shape[1]},
                       .key = memory->contacts[k].key};
    if (ch_memory_compare(last, &gap) > 0) return false;
  }
  return true;
}

ChStatus ch_memory_store(ChContext* context, ChSimulation* s, const ChRows* rows, const ChGap* gaps, double h,
                         const double* r) {
  ChMemory* memory = &s->memory;
  ChStatus status = ch_memory_reserve(context, s, rows->block_count);
  if (status != CH_OK) return status;
  const bool cohesive = ch_world_is_cohesive(s->world);
  memory->contact_count = 0;
  memory->h = h;
  memset(memory->joints, 0, (size_t)s->world->joint_count * CH_JOINT_ROWS_MAX * sizeof *memory->joints);
  for (int b = 0; b < rows->block_count; ++b) {
    const ChRowBlock* block = &rows->blocks[b];
    const double* from = r + block->law.row;
    if (block->joint >= 0) {
      double* kept = memory->joints + (long)block->joint * CH_JOINT_ROWS_MAX + block->joint_row;
      memcpy(kept, from, (size_t)block->law.dimension * sizeof *kept);
      continue;
    }
    CH_ASSERT(block->gap >= 0 && memory->contact_count < memory->contact_room);
    const ChGap* gap = &gaps[block->gap];
    ChContactMemory* kept = &memory->contacts[memory->contact_count++];
    *kept = (ChContactMemory){.shape = {gap->shape[0], gap->shape[1]}, .key = gap->key};
    if (cohesive) kept->bonded = ch_bond_holds(s, block, gap, &s->contacts[memory->contact_count - 1], from[0], h);
    if (rows->shears) kept->stretch = ch_shear_after(s, rows, b, gap, from, h);
    for (int a = 0; a < block->law.dimension; ++a) {
      kept->r[a] = from[a];
      if (a < s->world->dimension) kept->axis[a] = rows->rows[block->law.row + a].force[1];
    }
  }
  CH_ASSERT_SLOW(is_sorted(memory));  // as gaps are; of a checkpoint's nobody knows
  return CH_OK;
}
