// Properties of a contact problem before it is solved: rank, redundancy, parts, units, and the coupling of contact and
// friction. Limit analysis tells whether an equilibrium exists, how little friction it needs and how much load it
// bears.
#ifndef CARDHOUSE_ANALYSIS_H
#define CARDHOUSE_ANALYSIS_H

#include <stdbool.h>

#include "cardhouse/api.h"
#include "cardhouse/certificate.h"
#include "cardhouse/friction_matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ChAnalysis {
  double asymmetry;       // max |W - W^T| / max |W|; NaN if W was too large to form
  double mass_asymmetry;  // relative asymmetry of M; 0 in the local form
  int components;         // independent parts: no body and no entry of W connects them
  int largest_rows;       // rows of the largest part
  int idle;               // blocks that no reaction can move: trace(W_ii) = 0

  bool rank_known;       // false if a part is too large for a dense factorisation
  int rank;              // number of singular values of W above 1e-9 times the largest
  int redundant;         // rows - rank: how many reactions equilibrium leaves undetermined (hyperstaticity)
  double sigma_highest;  // largest singular value of W, and the smallest one above the threshold
  double sigma_lowest;

  double trace_lowest, trace_highest;  // smallest and largest trace of the blocks W_ii that are not idle
  double rho_lowest, rho_highest;      // dimension / trace(W_ii): the step that makes rows of any unit comparable
  double q_norm, q_highest;            // |q| and |q|_inf; q is the velocity without any reaction

  double mu_lowest, mu_highest;  // smallest and largest friction coefficient; NaN without contacts
  int elliptic;                  // contacts whose two coefficients differ
  int compliant;                 // contacts with a compliance; the other figures ignore it

  // Coupling of contact and friction in the kinetic metric (Kaufman 2009, sections 6.5.5 and 2.8.3).
  double coupling_cosine;     // cosine of the smallest principal angle between the two spaces; NaN if not computed
  double painleve_lowest;     // smallest (W_nn - mu |W_nT|) / W_nn; NaN without contacts
  double critical_mu_lowest;  // smallest W_nn / |W_nT|, infinite if nothing couples; NaN without contacts
  int painleve_contacts;      // contacts whose indicator is not positive
  int painleve_block;         // block with the value painleve_lowest; -1 without contacts

  ChCertificate at_zero;  // of the answer r = 0
} ChAnalysis;

// Fills *out and does not change the problem. Fails if memory runs out. A problem whose parts are too large for dense
// matrices is analysed without rank and coupling. If the context is NULL, no message is written.
CH_API ChStatus ch_problem_analyze(ChContext* context, const ChProblem* problem, ChAnalysis* out);

// Tests every contact for Painlevé's paradox. The indicator is W_nn - mu |W_nT|: if it is not positive, sliding may
// press the contact shut faster than its reaction can open it. The indicator vanishes at the critical mu, W_nn /
// |W_nT|. Both arrays have block_count entries, which are NaN if the block is not a contact or cannot move. Either
// array may be NULL.
CH_API ChStatus ch_problem_painleve(ChContext* context, const ChProblem* problem, double* indicator,
                                    double* critical_mu);

// --- limit analysis: docs/limit_analysis.md. It treats bodies as rigid: compliances count as zero.

typedef struct ChLimitOptions {
  double tolerance;       // relative, of a friction factor found by bisection; default 1e-6
  double highest_factor;  // largest factor on friction that is tried; default 100
  double time_limit;      // seconds for one question; default 60
} ChLimitOptions;

// Returns the defaults named above.
CH_API ChLimitOptions ch_limit_options_default(void);

typedef struct ChLimit {
  bool exists;       // the requested equilibrium, factor, multiplier or self-stress
  double value;      // smallest factor or largest multiplier, which may be infinite; NaN if none exists
  double imbalance;  // sum of the unbalanced load, relative to its largest entry, in the kinetic metric
  double violation;  // relative distance of the mechanism from the round cones; 0 up to round-off
  int programmes;    // linear programmes solved
  int edges;         // number of edges of the cones in the last programme
  double seconds;
} ChLimit;

// Arrays for the answers; any of them may be NULL. The mechanism's largest entry of u is 1.
typedef struct ChLimitState {
  double* r;  // rows: reactions in their cones that balance the load
  double* v;  // dof, global form only: the motion that friction and contact cannot prevent
  double* u;  // rows: the velocity of that motion at the blocks, u_n >= mu |u_T| at contacts
} ChLimitState;

// Decides whether a static equilibrium exists. Global form: H r + f = 0 with r in K. Local form: W r + q = 0. Every
// contact of the problem may carry a force, whatever its gap. If one exists, it is r. If none does, (v, u) is a motion
// on which the load does work and which no reaction can prevent.
CH_API ChStatus ch_equilibrium_find(ChContext* context, const ChProblem* problem, const ChLimitOptions* options,
                                    ChLimitState state, ChLimit* out);

// Finds the smallest factor on all friction coefficients that admits an equilibrium. r is the equilibrium at this
// factor, and (v, u) the motion that begins just below it.
CH_API ChStatus ch_friction_smallest(ChContext* context, const ChProblem* problem, const ChLimitOptions* options,
                                     ChLimitState state, ChLimit* out);

// Finds the largest lambda >= 0 such that an equilibrium exists under f + lambda * load (local form: q + lambda *
// load); load has dof (local: rows) entries. (v, u) is the mechanism that sets the limit.
CH_API ChStatus ch_load_largest(ChContext* context, const ChProblem* problem, const double* load,
                                const ChLimitOptions* options, ChLimitState state, ChLimit* out);

// Decides whether there is a self-stress: reactions in their cones that move nothing, with at least one normal reaction
// above zero. If there is none, the friction cone is pointed (Anitescu and Hart 2004, (9)), and (v, u) is a velocity
// with u_n > mu |u_T| at every contact. With factor 0 on friction this velocity opens every contact (the disassembly
// test).
CH_API ChStatus ch_self_stress_find(ChContext* context, const ChProblem* problem, double factor,
                                    const ChLimitOptions* options, ChLimitState state, ChLimit* out);

#ifdef __cplusplus
}
#endif
#endif
