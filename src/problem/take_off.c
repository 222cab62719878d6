// How fast loaded contacts leave each other: the error that a relaxed answer makes (000, section 4.B).
//
//   u_n of contacts with r_n > 0        exact Coulomb: 0        pose relaxed: mu |u_T|, over polygons mu max_j d_j .
//   u_T
//   u_n + c r_n of compliant ones, which the law wants to be 0 in place of u_n
#include <math.h>

#include "base/check.h"
#include "cardhouse/certificate.h"
#include "problem/contact_problem.h"

static const double LOADED = 1e-6;  // of the largest normal reaction: what an iterative method leaves is less

static bool rubs(const ChBlock* block) {
  const ChLawInfo* law = ch_law_info(block->law);
  return law->friction || law->rolls || law->drills;
}

ChTakeOff ch_take_off(const ChProblem* problem, const double* r, const double* u) {
  ChTakeOff out = {0};
  double largest = 0.0, sum = 0.0;
  for (int i = 0; i < problem->block_count; ++i)
    if (rubs(&problem->blocks[i])) largest = ch_max(r[problem->blocks[i].row], largest);
  for (int i = 0; i < problem->block_count; ++i) {
    const ChBlock* block = &problem->blocks[i];
    if (!rubs(block) || !(r[block->row] > LOADED * largest)) continue;
    double speed = ch_positive_part(u[block->row] + ch_block_compliance(block) * r[block->row]);
    ++out.contacts;
    sum += speed;
    out.largest = ch_max(speed, out.largest);
  }
  out.mean = out.contacts ? sum / out.contacts : 0.0;
  return out;
}
