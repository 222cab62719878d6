// What one step leaves for the next: warm starts, islands at rest, and the contacts as the caller sees them.
//
// Rest: an island that ended with v = 0, certified, and whose problem comes again bit for bit has the same answer with
// the same certificate. Rows, right-hand sides, references and impulses are compared, nothing is assumed.
#include <stdlib.h>
#include <string.h>

#include "assemble/soft_body.h"
#include "base/check.h"
#include "step/remember.h"
#include "step/state.h"
#include "step/states.h"
#include "step/warm.h"

static bool same_laws(const ChRowBlock* a, const ChRowBlock* b) {
  return a->law.law == b->law.law && a->law.curve == b->law.curve && a->law.dimension == b->law.dimension &&
         a->law.mu[0] == b->law.mu[0] && a->law.mu[1] == b->law.mu[1] && a->law.lo == b->law.lo &&
         a->law.hi == b->law.hi && a->law.compliance == b->law.compliance && a->law.shear == b->law.shear &&
         a->law.section == b->law.section && memcmp(a->law.more, b->law.more, sizeof a->law.more) == 0 &&
         a->body[0] == b->body[0] && a->body[1] == b->body[1];
}

static bool same_touches(const ChRows* a, int x, const ChRows* b, int y) {
  for (int side = 0; side < 2; ++side) {
    const ChSkinTouch *old = ch_row_touch(a, x, side), *new = ch_row_touch(b, y, side);
    if (!old != !new || (old && memcmp(old, new, sizeof *old) != 0)) return false;
  }
  return true;
}

static bool same_bends(const ChWorld* world, const ChRows* a, int i, const ChRows* b, int j, const ChRowBlock* block) {
  for (int k = 0; k < block->law.dimension && a->bends && b->bends; ++k)
    for (int side = 0; side < 2; ++side) {
      const double *x = ch_row_bend(a, i + k, side), *y = ch_row_bend(b, j + k, side);
      if (!x != !y) return false;
      const size_t modes = x ? (size_t)ch_body_modes(world, block->body[side]) : 0;
      if (x && memcmp(x, y, modes * sizeof *x) != 0) return false;
    }
  return !a->bends == !b->bends;
}

static bool same_block(const ChWorld* world, const ChRows* a, int i, const ChRows* b, int j) {
  const ChRowBlock *x = &a->blocks[i], *y = &b->blocks[j];
  if (!same_laws(x, y)) return false;
  size_t n = (size_t)x->law.dimension;
  return memcmp(a->rows + x->law.row, b->rows + y->law.row, n * sizeof *a->rows) == 0 &&
         memcmp(a->w + x->law.row, b->w + y->law.row, n * sizeof *a->w) == 0 && same_touches(a, i, b, j) &&
         same_bends(world, a, x->law.row, b, y->law.row, x);
}

static bool same_soft(const ChWorld* world, const ChDynamics* a, const ChDynamics* b, int body) {
  size_t modes = (size_t)ch_body_modes(world, body), square = (6 + modes) * (6 + modes);
  long first = ch_modes_at(world, body);
  return modes == 0 || (memcmp(a->reference + first, b->reference + first, modes * sizeof(double)) == 0 &&
                        memcmp(a->impulse + first, b->impulse + first, modes * sizeof(double)) == 0 &&
                        memcmp(a->soft[body], b->soft[body], square * sizeof(double)) == 0);
}

static bool same_island(const ChSimulation* s, const ChRestMemory* old, int was, const ChStage* now, int i) {
  const ChIslands *a = &old->islands, *b = now->islands;
  int bodies = b->body_start[i + 1] - b->body_start[i], blocks = b->block_start[i + 1] - b->block_start[i];
  if (a->body_start[was + 1] - a->body_start[was] != bodies) return false;
  if (a->block_start[was + 1] - a->block_start[was] != blocks) return false;
  if (b->coupling_start[i + 1] > b->coupling_start[i]) return false;
  size_t bytes = (size_t)ch_world_width(s->world) * sizeof(double);
  long width = ch_world_width(s->world);
  for (int k = 0; k < bodies; ++k) {
    int body = b->bodies[b->body_start[i] + k];
    if (a->bodies[a->body_start[was] + k] != body) return false;
    const ChDynamics *then = &old->dynamics, *next = now->dynamics;
    if (memcmp(then->reference + body * width, next->reference + body * width, bytes) != 0) return false;
    if (memcmp(then->impulse + body * width, next->impulse + body * width, bytes) != 0) return false;
    if (!same_soft(s->world, then, next, body)) return false;
  }
  for (int k = 0; k < blocks; ++k) {
    int x = a->blocks[a->block_start[was] + k], y = b->blocks[b->block_start[i] + k];
    if (!same_block(s->world, &old->rows, x, now->rows, y)) return false;
  }
  return true;
}

static void keep(const ChRestMemory* old, int was, ChStage* now, int i) {
  const ChIslands *a = &old->islands, *b = now->islands;
  for (int k = b->block_start[i]; k < b->block_start[i + 1]; ++k) {
    const ChBlock* x = &old->rows.blocks[a->blocks[a->block_start[was] + k - b->block_start[i]]].law;
    const ChBlock* y = &now->rows->blocks[b->blocks[k]].law;
    memcpy(now->r + y->row, old->r + x->row, (size_t)y->dimension * sizeof *now->r);
    if (now->branch) now->branch[b->blocks[k]] = old->branch[a->blocks[a->block_start[was] + k - b->block_start[i]]];
  }
  now->kept[i] = 1;
  now->kept_grades[i] = old->grades[was];
  now->kept_relaxed[i] = old->relaxed[was];
}

void ch_rest_recall(ChSimulation* s, ChStage* now) {
  CH_ASSERT(now->islands && now->rows && now->r);
  const ChRestMemory* old = &s->rest;
  if (!old->filled) return;
  ChArena* arena = s->scratch;
  int count = now->islands->count, *of = CH_TAKE(arena, s->world->body_count, int);
  now->kept = CH_TAKE(arena, count, unsigned char);
  now->kept_grades = CH_TAKE(arena, count, ChCertificate);
  now->kept_relaxed = CH_TAKE(arena, count, double);
  if (old->branch) now->branch = CH_TAKE(arena, now->rows->block_count, unsigned char);
  for (int b = 0; b < s->world->body_count; ++b) of[b] = -1;
  for (int i = 0; i < old->islands.count; ++i) of[old->islands.bodies[old->islands.body_start[i]]] = i;
  for (int i = 0; i < count; ++i) {
    int was = of[now->islands->bodies[now->islands->body_start[i]]];
    if (was >= 0 && old->rests[was] && same_island(s, old, was, now, i)) keep(old, was, now, i);
  }
}

// What the new rates of deformable bodies add to the speeds of a contact's rows.
static void add_modal_speeds(const ChSimulation* s, const ChRows* rows, int block, double speed[3]) {
  for (int side = 0; side < 2; ++side) {
    const ChSkinTouch* touch = ch_row_touch(rows, block, side);
    int body = rows->blocks[block].body[side];
    if (!touch || body < 0) continue;
    ChVec3 v = ch_skin_velocity(s->world, body, &touch->point, s->velocities + ch_modes_at(s->world, body));
    for (int a = 0; a < 3; ++a) speed[a] += ch_dot(touch->along[a], v);
  }
}

// A row that is a moment.
static void add_turning(const ChSimulation* s, const ChRows* rows, const ChRowBlock* block, int a, double moment,
                        const ChBodyState ends[2], ChContactView* view) {
  const ChRow* first = &rows->rows[block->law.row];
  const ChVec3 axis = ch_contact_row_direction(first, s->world->dimension, block->law.dimension, a);
  view->moment = ch_along(view->moment, moment, axis);
  view->spin = ch_along(view->spin, ch_row_speed(&first[a], (int[2]){0, 1}, ends), axis);
}

static ChStatus list_contacts(ChContext* context, ChSimulation* s, const ChStage* stage, double h) {
  const ChRows* rows = stage->rows;
  const ChGap* gaps = stage->moment->gaps;
  if (stage->moment->gap_count > s->contact_room) {
    int room = stage->moment->gap_count + stage->moment->gap_count / 4 + 64;
    ChContactView* larger = realloc(s->contacts, (size_t)room * sizeof *larger);
    if (!larger) return ch_fail(context, CH_ERR_MEMORY, "out of memory for %d contacts", room);
    s->contacts = larger;
    s->contact_room = room;
  }
  s->contact_count = 0;
  int width = ch_world_width(s->world);
  for (int b = 0; b < rows->block_count; ++b) {
    const ChRowBlock* block = &rows->blocks[b];
    if (block->gap < 0) continue;
    const ChGap* g = &gaps[block->gap];
    ChContactView view = {.body = {g->body[0], g->body[1]},
                          .shape = {g->shape[0], g->shape[1]},
                          .point = g->point,
                          .normal = g->normal,
                          .gap = g->gap,
                          .branch = stage->branch ? (ChBranch)stage->branch[b] : CH_BRANCH_NONE};
    ChBodyState ends[2];
    for (int side = 0; side < 2; ++side) {
      ends[side] = s->states[g->body[side]];
      if (block->body[side] >= 0) ch_state_write(s->world, s->velocities + (long)g->body[side] * width, &ends[side]);
    }
    double modal[3] = {0.0};
    if (rows->touches) add_modal_speeds(s, rows, b, modal);
    for (int a = 0; a < block->law.dimension; ++a) {
      const ChRow* row = &rows->rows[block->law.row + a];
      if (a >= s->world->dimension) {
        add_turning(s, rows, block, a, stage->r[block->law.row + a] / h, ends, &view);
        continue;
      }
      view.force = ch_along(view.force, stage->r[block->law.row + a] / h, row->force[1]);
      double slip = ch_row_speed(row, (int[2]){0, 1}, ends);
      if (rows->touches) slip += modal[a];
      view.slip = ch_along(view.slip, slip, row->force[1]);
    }
    s->contacts[s->contact_count++] = view;
  }
  return CH_OK;
}

static void remember_unsure(ChSimulation* s, const ChStage* stage) {
  const ChIslands* islands = stage->islands;
  memset(s->memory.unsure, 0, (size_t)s->world->body_count);
  for (int i = 0; i < islands->count; ++i)
    for (int k = islands->body_start[i]; k < islands->body_start[i + 1]; ++k)
      s->memory.unsure[islands->bodies[k]] = stage->unsure_next[i];
}

ChStatus ch_step_remember(ChContext* context, ChSimulation* s, const ChStage* stage, double h) {
  ChStatus status = list_contacts(context, s, stage, h);
  if (status == CH_OK) status = ch_memory_store(context, s, stage->rows, stage->moment->gaps, h, stage->r);
  remember_unsure(s, stage);
  s->rest = (ChRestMemory){.filled = status == CH_OK,
                           .rows = *stage->rows,
                           .islands = *stage->islands,
                           .dynamics = *stage->dynamics,
                           .r = stage->r,
                           .rests = stage->rests,
                           .branch = stage->branch,
                           .grades = stage->grades,
                           .relaxed = stage->relaxed};
  return status;
}
