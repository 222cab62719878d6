// What can be said of a contact problem before solving it: rank, redundancy, parts, units.
#ifndef CARDHOUSE_ANALYSIS_H
#define CARDHOUSE_ANALYSIS_H

#include <stdbool.h>

#include "cardhouse/certificate.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ChAnalysis {
  double asymmetry;       // max |W - W^T| / max |W|; NaN where W was too large to form
  double mass_asymmetry;  // the same of M; 0 in the local form
  int components;         // parts that no body and no entry of W connects
  int largest_rows;       // rows of the largest part
  int idle;               // blocks that no reaction can move: trace(W_ii) = 0

  bool rank_known;       // false when a part is too large for a dense factorisation
  int rank;              // singular values of W above 1e-9 of the largest
  int redundant;         // rows - rank: how many reactions equilibrium leaves undetermined (hyperstaticity)
  double sigma_highest;  // largest singular value of W, and the smallest that counts
  double sigma_lowest;

  double trace_lowest, trace_highest;  // of the blocks W_ii that are not idle
  double rho_lowest, rho_highest;      // dimension / trace(W_ii): the step that makes rows of any unit comparable
  double q_norm, q_highest;            // |q| and |q|_inf, q = velocity with no reaction at all

  double mu_lowest, mu_highest;  // friction over all contacts and tangents; NaN without contacts
  int elliptic;                  // contacts whose two coefficients differ

  ChCertificate at_zero;  // what doing nothing scores
} ChAnalysis;

ChStatus ch_problem_analyze(ChContext* context, const ChProblem* problem, ChAnalysis* out);

#ifdef __cplusplus
}
#endif
#endif
