// One world simulated by many processes, which talk by MPI (docs/scale.md). The functions are in libcardhouse-dist,
// which is built where MPI and Zoltan are installed.
//
// Every process opens the same scene, makes the same simulation and calls these functions in the same order. The world
// then is shared out: each process moves the bodies whose centres lie in its part of space. Process 0 can gather what
// there is, and write it as a simulation by itself would.
#ifndef CARDHOUSE_DISTRIBUTED_H
#define CARDHOUSE_DISTRIBUTED_H

#include <stdbool.h>

#include "cardhouse/api.h"
#include "cardhouse/record.h"
#include "cardhouse/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ChDistributed ChDistributed;

typedef struct ChDistributedOptions {
  double patience;  // seconds that a process waits for others before it ends the run with status 3; positive
  int together;     // an island of more balls is solved by all processes that have contacts of it; 1 or more
} ChDistributedOptions;
// Returns 300 s and 2,000 balls.
CH_API ChDistributedOptions ch_distributed_options_default(void);

// Starts MPI. To be called once, from the program's first thread.
CH_API ChStatus ch_distributed_begin(ChContext* context, const ChDistributedOptions* options, ChDistributed** out);
// Ends MPI, together with all others, and frees; NULL is legal. The simulation stays the caller's, and is not stepped
// any more.
CH_API void ch_distributed_end(ChDistributed* distributed);

// Returns which process this is, from 0.
CH_API int ch_distributed_rank(const ChDistributed* distributed);
// Returns how many there are.
CH_API int ch_distributed_size(const ChDistributed* distributed);

// Returns the first failure of any process, with its message, or CH_OK if there is none.
CH_API ChStatus ch_distributed_agree(ChContext* context, ChDistributed* distributed, ChStatus own);
// Sets the flag if it is set in any process.
CH_API ChStatus ch_distributed_any(ChContext* context, ChDistributed* distributed, bool* flag);

// Shares a simulation out, at its start or after a checkpoint was read. All processes must have made and read the same.
// CH_ERR_UNSUPPORTED names what of the scene or the options cannot be distributed.
CH_API ChStatus ch_distributed_share(ChContext* context, ChDistributed* distributed, ChSimulation* simulation);
// Makes one step, as ch_simulation_step does.
CH_API ChStatus ch_distributed_step(ChContext* context, ChDistributed* distributed, ChStepInfo* info);
// Makes the simulation of process 0 complete: states, contacts, reactions, until the next step.
CH_API ChStatus ch_distributed_gather(ChContext* context, ChDistributed* distributed);
// Makes the displacement of a summary that of all bodies.
CH_API ChStatus ch_distributed_summarize(ChContext* context, ChDistributed* distributed, ChSummary* summary);

// What the steps so far have cost. Numbers of process `rank`, of which each knows its own.
typedef struct ChDistributedCost {
  long steps, tries;
  double busy;             // seconds of its processor, waiting left out
  double waiting;          // seconds on the clock in which it waited for others, or their messages
  double bodies, ghosts;   // sums over tries: bodies of its own, and copies of others
  double contacts, moved;  // sums over tries: contacts that it looked for, and those that it gave to others
  double together;         // sums over tries: contacts of islands that several processes solve together
  double sweeps;           // of these
  double messages, bytes;  // that it sent
  double balances, moves;  // how often space was shared out anew; bodies that went to others
} ChDistributedCost;
// Writes the costs of all processes, as many as there are, into `costs` of process 0; NULL elsewhere.
CH_API ChStatus ch_distributed_costs(ChContext* context, ChDistributed* distributed, ChDistributedCost* costs);

#ifdef __cplusplus
}
#endif
#endif
