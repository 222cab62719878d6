// Some blocks of a system: see subsystem.h.
#include "system/subsystem.h"
#include "base/check.h"

#include <string.h>

static void copy_rows(const ChSystem* s, const int* members, ChSystem* part) {
  for (int k = 0; k < part->n; ++k) {
    int i = members[k];
    part->dim[k] = s->dim[i];
    part->row[k + 1] = part->row[k] + s->dim[i];
    part->block[k] = s->block[i];
    part->diagonal_at[k + 1] = part->diagonal_at[k] + s->dim[i] * s->dim[i];
  }
  part->rows = part->row[part->n];
}

static void share_bodies(ChArena* arena, const ChSystem* s, const int* members, ChSystem* part) {
  const ChBodies* whole = s->bodies;
  ChBodies* b = part->bodies = CH_TAKE(arena, 1, ChBodies);
  *b = *whole;
  b->start = CH_TAKE(arena, part->n + 1, int);
  for (int k = 0; k < part->n; ++k)
    b->start[k + 1] = b->start[k] + whole->start[members[k] + 1] - whole->start[members[k]];
  b->body = CH_TAKE_RAW(arena, b->start[part->n], int);
  b->jacobian = CH_TAKE_RAW(arena, b->start[part->n], long);
  for (int k = 0; k < part->n; ++k)
    for (int from = whole->start[members[k]], to = b->start[k]; to < b->start[k + 1]; ++from, ++to) {
      b->body[to] = whole->body[from];
      b->jacobian[to] = whole->jacobian[from];
    }
}

static void copy_blocks(ChArena* arena, const ChSystem* s, const int* members, ChSystem* part) {
  int* place = CH_TAKE(arena, s->n, int);  // of a member, counted from 1
  for (int k = 0; k < part->n; ++k) place[members[k]] = k + 1;
  ChBlockCsr* W = &part->W;
  *W = (ChBlockCsr){.n = part->n, .dim = part->dim, .row = part->row, .start = CH_TAKE(arena, part->n + 1, int)};
  for (int k = 0; k < part->n; ++k) {
    W->start[k + 1] = W->start[k];
    for (int e = s->W.start[members[k]]; e < s->W.start[members[k] + 1]; ++e)
      W->start[k + 1] += place[s->W.column[e]] > 0;
  }
  W->column = CH_TAKE(arena, W->start[part->n], int);
  for (int k = 0, to = 0; k < part->n; ++k)
    for (int e = s->W.start[members[k]]; e < s->W.start[members[k] + 1]; ++e)
      if (place[s->W.column[e]] > 0) W->column[to++] = place[s->W.column[e]] - 1;
  ch_block_csr_layout(arena, W);
  for (int k = 0, to = 0; k < part->n; ++k)
    for (int e = s->W.start[members[k]]; e < s->W.start[members[k] + 1]; ++e) {
      if (place[s->W.column[e]] == 0) continue;
      size_t size = (size_t)(s->dim[members[k]] * s->dim[s->W.column[e]]) * sizeof(double);
      memcpy(W->value + W->offset[to++], s->W.value + s->W.offset[e], size);
    }
}

ChSystem ch_subsystem(ChArena* arena, const ChSystem* s, const int* members, int count) {
  ChSystem part = *s;
  part.n = count;
  part.dim = CH_TAKE(arena, count, int);
  part.row = CH_TAKE(arena, count + 1, int);
  part.block = CH_TAKE_RAW(arena, count, ChScaledBlock);
  part.diagonal_at = CH_TAKE(arena, count + 1, int);
  copy_rows(s, members, &part);
  part.q = CH_TAKE_RAW(arena, part.rows, double);
  ch_subsystem_gather(s, members, count, s->q, part.q);
  part.diagonal = CH_TAKE_RAW(arena, part.diagonal_at[count], double);
  for (int k = 0; k < count; ++k)
    memcpy(part.diagonal + part.diagonal_at[k], s->diagonal + s->diagonal_at[members[k]],
           (size_t)(part.dim[k] * part.dim[k]) * sizeof(double));
  part.formed = part.due = false;
  if (s->bodies) {
    share_bodies(arena, s, members, &part);
  } else {
    copy_blocks(arena, s, members, &part);
    part.formed = true;
  }
  return part;
}

void ch_subsystem_gather(const ChSystem* s, const int* members, int count, const double* x, double* part) {
  CH_ASSERT(count >= 0 && count <= s->n);
  for (int k = 0; k < count; part += s->dim[members[k++]])
    memcpy(part, x + s->row[members[k]], (size_t)s->dim[members[k]] * sizeof *part);
}

void ch_subsystem_scatter(const ChSystem* s, const int* members, int count, const double* part, double* x) {
  CH_ASSERT(count >= 0 && count <= s->n);
  for (int k = 0; k < count; part += s->dim[members[k++]])
    memcpy(x + s->row[members[k]], part, (size_t)s->dim[members[k]] * sizeof *part);
}
