// The certificate: how exactly (r, v) meets the contact problem, computed from the problem and the answer alone.
// docs/certificate.md explains every field and the pitfall of units.
#ifndef CARDHOUSE_CERTIFICATE_H
#define CARDHOUSE_CERTIFICATE_H

#include "cardhouse/api.h"
#include "cardhouse/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CH_CERTIFICATE_FIELDS(X)                                                                   \
  X(natural, "unit-invariant natural map, relative to doing nothing; the tolerance applies to it") \
  X(siconos, "the same map as Siconos 4.4 grades it (rho = 1, mixes units)")                       \
  X(cone, "largest distance of a reaction from its cone, relative to the largest reaction")        \
  X(signorini, "largest |min(W_nn r_n, u_n)|, relative to |q|_inf")                                \
  X(dissipation, "largest gap mu r_n |u_T| + r_T . u_T, in joule; zero is maximal dissipation")    \
  X(balance, "norm of M (v - vp) - H r, relative")                                                 \
  X(rigid, "natural of the same reactions as if contacts were rigid; natural itself where they are")

// The figures of one answer. All of them are zero if the answer is exact.
typedef struct ChCertificate {
#define X(name, text) double name;
  CH_CERTIFICATE_FIELDS(X)
#undef X
} ChCertificate;

// Grades r (rows, in the problem's units). In the global form v (dof) is the velocity that belongs to r; if v is NULL,
// the velocity is computed from r. CH_ERR_MEMORY if memory runs out; the context may be NULL.
CH_API ChStatus ch_certify(ChContext* context, const ChProblem* problem, ChPose pose, const double* r, const double* v,
                           ChCertificate* out);

// Returns true if natural, siconos and balance are at or below tolerance and cone is below 1e-10. NaN never passes.
CH_API bool ch_certificate_met(const ChCertificate* certificate, double tolerance);

// How fast loaded contacts open, in the problem's unit of velocity. Under exact Coulomb friction they do not open. In
// pose relaxed a sliding contact takes off at mu |u_T|; this pose breaks no other part of the law.
typedef struct ChTakeOff {
  double mean, largest;
  int contacts;  // number of loaded contacts: r_n above 1e-6 of the largest
} ChTakeOff;

// Computes the take-off from reactions r and velocities u, one entry of each for every row. Never fails; all zero if no
// contact carries a load.
CH_API ChTakeOff ch_take_off(const ChProblem* problem, const double* r, const double* u);

#ifdef __cplusplus
}
#endif
#endif
