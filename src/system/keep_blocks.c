// Which blocks of a problem take part, with which rows, on which scale: see system.h.
#include <math.h>

#include "system/preparation.h"

// Whether nothing moves this row and it moves nothing: u = q = 0 there whatever the reactions are. So it is across a
// contact between bodies that are held to a plane, where Coulomb's cone has two sides.
static bool is_immovable(const ChPreparation* p, const double* diagonal, int row) {
  const ChSparse* A = p->by_bodies ? &p->problem->H : &p->W;
  if (diagonal[row] != 0.0 || p->q[row] != 0.0 || (!p->by_bodies && p->problem->asymmetry > 0.0)) return false;
  for (int k = A->start[row]; k < A->start[row + 1]; ++k)
    if (A->value[k] != 0.0) return false;
  return true;
}

// What the law's row wants to know.
static ChKeepFacts facts_of(const ChPreparation* p, const ChBlock* block, const double* diagonal, double trace) {
  ChKeepFacts facts = {.pose = p->pose, .diagonal = diagonal + block->row, .d = sqrt(block->dimension / trace)};
  for (int a = 1; ch_law_row(block)->together && !(ch_block_shear(block) > 0.0) && a < block->dimension; ++a)
    facts.immovable[a] = is_immovable(p, diagonal, block->row + a);
  return facts;
}

void ch_prepare_keep(ChPreparation* p, const unsigned char* skip, const double* diagonal) {
  const ChProblem* problem = p->problem;
  p->kept = CH_TAKE_RAW(p->arena, problem->block_count, ChKeptBlock);
  p->block_of = CH_TAKE_RAW(p->arena, problem->rows, int);
  p->slot_of = CH_TAKE_RAW(p->arena, problem->rows, int);
  for (int row = 0; row < problem->rows; ++row) p->block_of[row] = -1;
  for (int i = 0; i < problem->block_count; ++i) {
    const ChBlock* block = &problem->blocks[i];
    double trace = 0.0;
    for (int a = 0; a < block->dimension; ++a) trace += diagonal[block->row + a];
    if (!(trace > 0.0) || (skip && skip[i])) continue;
    const double compliance = ch_block_compliance(block), shear = ch_block_shear(block);
    const ChKeepFacts facts =
        facts_of(p, block, diagonal, trace + compliance + (shear > 0.0 ? (block->dimension - 1) * shear : 0.0));
    ChKeptBlock* kept = &p->kept[p->kept_count];
    *kept = (ChKeptBlock){.source = i, .block.law = ch_law_row(block)};
    kept->block.law->keep(block, &facts, kept);
    kept->block.compliance = kept->g[0] * compliance * kept->g[0];
    for (int a = 1; shear > 0.0 && a < kept->block.dim; ++a) kept->block.shear[a - 1] = kept->g[a] * shear * kept->g[a];
    for (int a = 0; a < kept->block.dim; ++a) {
      p->block_of[kept->rows[a]] = p->kept_count;
      p->slot_of[kept->rows[a]] = a;
    }
    if (kept->block.sides > 0 && !p->corners[kept->block.sides]) {
      double* corners = CH_TAKE(p->arena, 2 * kept->block.sides, double);
      ch_polygon_corners(kept->block.sides, corners);
      p->corners[kept->block.sides] = corners;
    }
    ++p->kept_count;
  }
}

bool ch_prepare_acts(const ChPreparation* p, const ChKeptBlock* kept, int entry) {
  int d = p->problem->blocks[kept->source].dimension, size = ch_mass_size(p->mass, p->jacobians.body[entry]);
  const double* H = p->jacobians.H + p->jacobians.at[entry];
  if (kept->block.dim == d) return true;
  for (int a = 0; a < kept->block.dim; ++a) {
    int row = kept->rows[a] - p->problem->blocks[kept->source].row;
    const double* source = ch_jacobian_source(&p->jacobians, p->problem, entry, row);
    for (int x = 0; x < size; ++x)
      if ((source ? source[x] : H[x * d + row]) != 0.0) return true;
  }
  return false;
}
