// Siconos 4.4 as a peer: a contact problem in its structures, and its strongest solvers under short names.
//
// Whatever can be done before the clock starts is done before: the conversion, the Delassus matrix of a global
// problem, the spectral radius that the De Saxce fixed point wants, a fresh copy for every call (some solvers write
// into the matrix). A planar problem is also given to the spatial solvers, lifted by a second tangent on which
// nothing acts: its solution has no reaction and no velocity there.
#ifndef CH_BENCH_SICONOS_PEER_H
#define CH_BENCH_SICONOS_PEER_H

#include <stdbool.h>

#include "cardhouse/problem.h"
#include "measure.h"

typedef struct ChPeerProblem ChPeerProblem;

// Which of the problem's forms a peer works on.
typedef enum ChPeerForm { CH_PEER_LOCAL, CH_PEER_PLANAR, CH_PEER_GLOBAL } ChPeerForm;

typedef struct ChPeerInfo {
  const char* name;
  const char* summary;
  ChPeerForm form;
} ChPeerInfo;

int ch_peer_count(void);
ChPeerInfo ch_peer_info(int peer);
int ch_peer_find(const char* name);  // -1 when there is none of that name

// NULL, with the reason in the context, when Siconos has no way to state the problem: it knows contacts with one mu.
// W is the Delassus matrix with its q; for a local problem these are the problem's own.
ChPeerProblem* ch_peer_problem_create(ChContext* context, const ChProblem* problem, const ChSparse* W, const double* q);
void ch_peer_problem_destroy(ChPeerProblem* peers);

bool ch_peer_takes(int peer, const ChPeerProblem* peers);

// One cold call of one solver, the driver alone on the clock; info is what the driver returned. It may crash, exit or
// never end: call it in a child process.
ChCall ch_peer_solve(const ChPeerProblem* peers, int peer, double tolerance, double* r);

#endif
