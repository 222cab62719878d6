// A run that many processes share. NULL stands for a process by itself: then each of these does what it says alone.
// In a program that was built without MPI there is nothing else.
#ifndef CH_CLI_TOGETHER_H
#define CH_CLI_TOGETHER_H

#include <jansson.h>

#include "cardhouse/distributed.h"
#include "cli/arguments.h"

// Numbers that are 0 leave the defaults. CH_ERR_UNSUPPORTED where the program was built without MPI.
ChStatus ch_together_begin(ChContext* context, double patience, int together, ChDistributed** out);
void ch_together_end(ChDistributed* together);
// Whether it is the process that writes and speaks.
bool ch_together_speaks(const ChDistributed* together);

ChStatus ch_together_agree(ChContext* context, ChDistributed* together, ChStatus own);
ChStatus ch_together_any(ChContext* context, ChDistributed* together, bool* flag);
ChStatus ch_together_share(ChContext* context, ChDistributed* together, ChSimulation* simulation);
ChStatus ch_together_step(ChContext* context, ChDistributed* together, ChSimulation* simulation, ChStepInfo* info);
// The process that speaks has the whole simulation, and the summary is of all bodies.
ChStatus ch_together_gather(ChContext* context, ChDistributed* together, ChSummary* summary);

// What the run has cost each process, for the one that speaks; empty elsewhere, and by itself.
typedef struct ChTogetherCosts {
  int count;
  ChDistributedCost* each;
} ChTogetherCosts;
ChStatus ch_together_costs(ChContext* context, ChDistributed* together, ChTogetherCosts* out);
void ch_together_costs_print(const ChTogetherCosts* costs);
json_t* ch_together_costs_json(const ChTogetherCosts* costs);

#endif
