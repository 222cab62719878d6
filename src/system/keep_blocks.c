// Which blocks of a problem take part, with which rows, on which scale: see system.h.
#include <math.h>

#include "system/preparation.h"

// Rows of a bilateral block may differ in unit, so each has its own scale; one that no reaction moves drops out.
static void keep_bilateral(ChKeptBlock* kept, const ChBlock* block, const double* diagonal) {
  for (int a = 0; a < block->dimension; ++a) {
    if (!(diagonal[block->row + a] > 0.0)) continue;
    kept->rows[kept->dim] = block->row + a;
    kept->g[kept->dim++] = 1.0 / sqrt(diagonal[block->row + a]);
  }
}

static void keep_row(ChKeptBlock* kept, const ChBlock* block, double d) {
  kept->rows[0] = block->row;
  kept->g[0] = d;
  kept->dim = 1;
  kept->set = block->law == CH_LAW_LIMIT ? CH_SET_BOX : CH_SET_HALF;
}

// Whether nothing moves this row and it moves nothing: u = q = 0 there whatever the reactions are. So it is across a
// contact between bodies that are held to a plane, where Coulomb's cone has two sides.
static bool is_immovable(const ChPreparation* p, const double* diagonal, int row) {
  const ChSparse* A = p->by_bodies ? &p->problem->H : &p->W;
  if (diagonal[row] != 0.0 || p->q[row] != 0.0 || (!p->by_bodies && p->problem->asymmetry > 0.0)) return false;
  for (int k = A->start[row]; k < A->start[row + 1]; ++k)
    if (A->value[k] != 0.0) return false;
  return true;
}

static void keep_contact(const ChPreparation* p, ChKeptBlock* kept, const ChBlock* block, const double* diagonal,
                         double d) {
  double mu1 = p->pose == CH_POSE_FRICTIONLESS ? 0.0 : block->mu[0];
  double mu2 = p->pose == CH_POSE_FRICTIONLESS || block->dimension == 2 ? 0.0 : block->mu[1];
  if (is_immovable(p, diagonal, block->row + 1)) mu1 = 0.0;
  if (mu2 > 0.0 && is_immovable(p, diagonal, block->row + 2)) mu2 = 0.0;
  kept->rows[0] = block->row;
  kept->g[0] = d;
  kept->dim = 1;
  kept->set = mu1 > 0.0 || mu2 > 0.0 ? CH_SET_CONE : CH_SET_HALF;
  double mean = mu1 == mu2 ? mu1 : mu1 > 0.0 && mu2 > 0.0 ? sqrt(mu1) * sqrt(mu2) : mu1 + mu2;
  kept->mu = kept->set == CH_SET_CONE ? mean : 0.0;
  for (int t = 0; t < 2; ++t) {  // a direction without friction or motion carries no reaction and drops out
    double mu = t == 0 ? mu1 : mu2;
    if (!(mu > 0.0)) continue;
    kept->rows[kept->dim] = block->row + 1 + t;
    kept->g[kept->dim++] = mu == mean ? d : d * (mu / mean);
  }
  kept->sides = kept->dim == 3 ? block->sides : 0;
  if (kept->dim == 2 && kept->rows[1] == block->row + 2 && block->sides % 4 == 2)
    kept->mu *= cos(acos(-1.0) / block->sides);  // such a polygon has no corner on the second axis
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
    double d = sqrt(block->dimension / trace);
    ChKeptBlock* kept = &p->kept[p->kept_count];
    *kept = (ChKeptBlock){.source = i, .set = CH_SET_FREE};
    if (block->law == CH_LAW_BILATERAL)
      keep_bilateral(kept, block, diagonal);
    else if (block->law == CH_LAW_CONTACT)
      keep_contact(p, kept, block, diagonal, d);
    else
      keep_row(kept, block, d);
    for (int a = 0; a < kept->dim; ++a) {
      p->block_of[kept->rows[a]] = p->kept_count;
      p->slot_of[kept->rows[a]] = a;
    }
    if (kept->sides > 0 && !p->corners[kept->sides]) {
      double* corners = CH_TAKE(p->arena, 2 * kept->sides, double);
      ch_polygon_corners(kept->sides, corners);
      p->corners[kept->sides] = corners;
    }
    ++p->kept_count;
  }
}

bool ch_prepare_acts(const ChPreparation* p, const ChKeptBlock* kept, int entry) {
  int d = p->problem->blocks[kept->source].dimension, size = ch_mass_size(p->mass, p->jacobians.body[entry]);
  const double* H = p->jacobians.H + p->jacobians.at[entry];
  if (kept->dim == d) return true;
  for (int a = 0; a < kept->dim; ++a) {
    int row = kept->rows[a] - p->problem->blocks[kept->source].row;
    const double* source = ch_jacobian_source(&p->jacobians, p->problem, entry, row);
    for (int x = 0; x < size; ++x)
      if ((source ? source[x] : H[x * d + row]) != 0.0) return true;
  }
  return false;
}
