// A stage: rows and momenta in, reactions and velocities out. A step is made of one or more of them: impacts, the step
// itself, a projection.
//
// Every island is a contact problem of its own and is solved and graded alone, on as many threads as wanted; what comes
// out does not depend on their number.
#ifndef CH_STEP_STAGE_H
#define CH_STEP_STAGE_H

#include "assemble/islands.h"
#include "cardhouse/simulation.h"

// What is known of how long things take, in seconds of this thread's processor: that others had it says nothing of the
// next step.
typedef struct ChHaste {
  double solve;  // of a row: a solve at least; with less it is not begun
  double over;   // by how much a solve runs over its time
  double brake;  // of a row: braking, where the solve misses
} ChHaste;

// A try at a step.
typedef struct ChTrial {
  double share;  // of the work limit that it has; 0: all of it
  bool rejects;  // whether it is undone where it misses: then nothing has to be safe
  bool nears;    // whether it is undone where contacts are seen from too far away (passing.h)
  bool parts;    // whether it is undone where bodies pass each other (passing.h)
  bool gaps;     // whether it is undone where they end it overlapping (end_gaps.h)
} ChTrial;

typedef struct ChStage {
  const ChMoment* moment;
  const ChRows* rows;
  const ChIslands* islands;
  const ChDynamics* dynamics;
  const ChSimulationOptions* options;
  double deadline;  // on ch_clock_seconds, by which solves shall have ended; 0: none
  ChHaste* haste;   // where there is a deadline; it learns
  bool may_rest;    // v = 0 is put in where it passes the certificate
  ChTrial trial;

  const unsigned char* idle;    // island -> is left as it is: r = 0, velocities are not written; may be NULL
  unsigned char* kept;          // island -> keeps the reactions it starts with and v = 0: it is at rest and its problem
                                // did not change; may be NULL
  ChCertificate* kept_grades;   // their certificates
  double* kept_relaxed;         // and what they were relaxed by
  const unsigned char* unsure;  // body -> for how many steps its island's start is to be better than it need be, and
                                // bits of relax.h; may be NULL
  double* r;                    // rows: in the start, out the reactions
  double* velocities;           // as the reference; bodies in islands are written

  unsigned char* rests;        // island -> ended with v = 0
  unsigned char* unsure_next;  // island -> the same for the next step
  ChCertificate* grades;       // island -> certificate
  double* relaxed;             // island -> see island_run.h
  unsigned char* branch;  // block of `rows` -> ChBranch; NULL where no friction depends on speed. In: of what is kept
  ChCertificate worst;    // figure by figure
  bool missed;
  long iterations;
  double spent;  // by the island that came nearest to its limit: work of its solve, as a share of it
} ChStage;

// `arena` gives `rests` and `grades`.
ChStatus ch_stage_solve(ChContext* context, ChArena* arena, ChStage* stage);

// The larger figure of two certificates, NaN kept.
ChCertificate ch_certificate_worse(ChCertificate a, ChCertificate b);

#endif
