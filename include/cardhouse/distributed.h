// One world simulated by many processes, which talk by MPI (docs/scale.md). The functions are in libcardhouse-dist,
// which is built if MPI and Zoltan are installed.
//
// Every process opens the same scene, makes the same simulation and calls these functions in the same order. The world
// is then divided: each process moves the bodies whose centres lie in its part of space. Process 0 can gather all
// states and write the same files as a run in one process.
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
  int together;  // an island with more balls than this is solved by all processes that hold some of its contacts; 1 or
                 // more
} ChDistributedOptions;
// Returns 300 s and 2,000 balls.
CH_API ChDistributedOptions ch_distributed_options_default(void);

// Starts MPI. Call it once, from the program's first thread.
CH_API ChStatus ch_distributed_begin(ChContext* context, const ChDistributedOptions* options, ChDistributed** out);
// Ends MPI, together with all other processes, and frees the object; NULL is legal. The caller still owns the
// simulation and must not step it any more.
CH_API void ch_distributed_end(ChDistributed* distributed);

// Returns the number of this process, from 0.
CH_API int ch_distributed_rank(const ChDistributed* distributed);
// Returns how many processes there are.
CH_API int ch_distributed_size(const ChDistributed* distributed);

// Returns the first failure of any process, with its message, or CH_OK if there is none.
CH_API ChStatus ch_distributed_agree(ChContext* context, ChDistributed* distributed, ChStatus own);
// Sets the flag if it is set in any process.
CH_API ChStatus ch_distributed_any(ChContext* context, ChDistributed* distributed, bool* flag);

// Divides a simulation among the processes, at its start or after a checkpoint was read. All processes must have made
// the same simulation and read the same checkpoint. With CH_ERR_UNSUPPORTED the message names the part of the scene or
// the option that cannot be distributed.
CH_API ChStatus ch_distributed_share(ChContext* context, ChDistributed* distributed, ChSimulation* simulation);
// Makes one step, as ch_simulation_step does.
CH_API ChStatus ch_distributed_step(ChContext* context, ChDistributed* distributed, ChStepInfo* info);
// Makes the simulation of process 0 complete: states, contacts, reactions, until the next step.
CH_API ChStatus ch_distributed_gather(ChContext* context, ChDistributed* distributed);
// Extends the displacement in a summary to the bodies of all processes.
CH_API ChStatus ch_distributed_summarize(ChContext* context, ChDistributed* distributed, ChSummary* summary);

// The cost of the steps so far in one process. A process knows only its own figures.
typedef struct ChDistributedCost {
  long steps, tries;
  double busy;             // seconds of processor time of this process, without waiting
  double waiting;          // seconds on the clock in which the process waited for others or for their messages
  double bodies, ghosts;   // sums over tries: its own bodies, and copies of other processes' bodies
  double contacts, moved;  // sums over tries: contacts that it searched for, and those that it gave to others
  double together;         // sums over tries: contacts of islands that several processes solve together
  double sweeps;           // over these
  double messages, bytes;  // that it sent
  double balances, moves;  // how often space was divided anew; bodies that moved to other processes
} ChDistributedCost;
// Writes the costs of all processes, one entry each, to `costs` in process 0. In the other processes `costs` is NULL.
CH_API ChStatus ch_distributed_costs(ChContext* context, ChDistributed* distributed, ChDistributedCost* costs);

#ifdef __cplusplus
}
#endif
#endif
