// See together.h.
#include "cli/together.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/output.h"

static double per(double sum, long count) { return count > 0 ? sum / (double)count : 0.0; }

// Largest over mean.
static double uneven(const ChTogetherCosts* costs) {
  double sum = 0.0, most = 0.0;
  for (int k = 0; k < costs->count; ++k) {
    sum += costs->each[k].busy;
    if (costs->each[k].busy > most) most = costs->each[k].busy;
  }
  return sum > 0.0 ? most * costs->count / sum : 1.0;
}

void ch_together_costs_print(const ChTogetherCosts* costs) {
  if (costs->count == 0) return;
  printf("processes     %d; the busiest has %.2f times the mean\n", costs->count, uneven(costs));
  for (int k = 0; k < costs->count; ++k) {
    const ChDistributedCost* c = &costs->each[k];
    printf(
        "  %-3d         %.3g ms of processor a step, %.0f bodies and %.0f copies, %.0f contacts, %.1f messages of %.3g "
        "kB together\n",
        k, 1e3 * per(c->busy, c->steps), per(c->bodies, c->tries), per(c->ghosts, c->tries), per(c->contacts, c->tries),
        per(c->messages, c->steps), 1e-3 * per(c->bytes, c->steps));
  }
}

json_t* ch_together_costs_json(const ChTogetherCosts* costs) {
  json_t* list = json_array();
  for (int k = 0; k < costs->count; ++k) {
    const ChDistributedCost* c = &costs->each[k];
    const struct {
      const char* name;
      double value;
    } fields[] = {{"busy", c->busy},
                  {"waiting", c->waiting},
                  {"bodies", per(c->bodies, c->tries)},
                  {"ghosts", per(c->ghosts, c->tries)},
                  {"contacts", per(c->contacts, c->tries)},
                  {"moved", per(c->moved, c->tries)},
                  {"together", per(c->together, c->tries)},
                  {"sweeps", c->sweeps},
                  {"messages", c->messages},
                  {"bytes", c->bytes},
                  {"balances", c->balances},
                  {"changed_over", c->moves}};
    json_t* one = json_pack("{s:I, s:I}", "steps", (json_int_t)c->steps, "tries", (json_int_t)c->tries);
    for (size_t f = 0; f < sizeof fields / sizeof *fields; ++f)
      json_object_set_new(one, fields[f].name, ch_json_real(fields[f].value));
    json_array_append_new(list, one);
  }
  return list;
}

#ifdef CH_DISTRIBUTED

ChStatus ch_together_begin(ChContext* context, double patience, int together, ChDistributed** out) {
  ChDistributedOptions options = ch_distributed_options_default();
  if (patience > 0.0) options.patience = patience;
  if (together > 0) options.together = together;
  return ch_distributed_begin(context, &options, out);
}

void ch_together_end(ChDistributed* together) { ch_distributed_end(together); }

bool ch_together_speaks(const ChDistributed* together) { return !together || ch_distributed_rank(together) == 0; }

ChStatus ch_together_agree(ChContext* context, ChDistributed* together, ChStatus own) {
  return together ? ch_distributed_agree(context, together, own) : own;
}

ChStatus ch_together_any(ChContext* context, ChDistributed* together, bool* flag) {
  return together ? ch_distributed_any(context, together, flag) : CH_OK;
}

ChStatus ch_together_share(ChContext* context, ChDistributed* together, ChSimulation* simulation) {
  return together ? ch_distributed_share(context, together, simulation) : CH_OK;
}

ChStatus ch_together_step(ChContext* context, ChDistributed* together, ChSimulation* simulation, ChStepInfo* info) {
  return together ? ch_distributed_step(context, together, info) : ch_simulation_step(context, simulation, info);
}

ChStatus ch_together_gather(ChContext* context, ChDistributed* together, ChSummary* summary) {
  if (!together) return CH_OK;
  ChStatus status = ch_distributed_summarize(context, together, summary);
  return status == CH_OK ? ch_distributed_gather(context, together) : status;
}

ChStatus ch_together_costs(ChContext* context, ChDistributed* together, ChTogetherCosts* out) {
  *out = (ChTogetherCosts){0};
  if (!together) return CH_OK;
  bool speaks = ch_together_speaks(together);
  ChStatus status = CH_OK;
  if (speaks) out->each = calloc((size_t)ch_distributed_size(together), sizeof *out->each);
  if (speaks && !out->each) status = ch_fail(context, CH_ERR_MEMORY, "out of memory for the costs of all processes");
  status = ch_distributed_agree(context, together, status);
  if (status == CH_OK) status = ch_distributed_costs(context, together, out->each);
  if (status == CH_OK && speaks) out->count = ch_distributed_size(together);
  return status;
}

#else

ChStatus ch_together_begin(ChContext* context, double patience, int together, ChDistributed** out) {
  (void)patience, (void)together;
  *out = NULL;
  return ch_fail(context, CH_ERR_UNSUPPORTED,
                 "--distributed: this program was built without MPI; install libopenmpi-dev, openmpi-bin and "
                 "libtrilinos-zoltan-dev (tools/install-packages distributed) and build it again");
}

void ch_together_end(ChDistributed* together) { (void)together; }

bool ch_together_speaks(const ChDistributed* together) {
  (void)together;
  return true;
}

ChStatus ch_together_agree(ChContext* context, ChDistributed* together, ChStatus own) {
  (void)context, (void)together;
  return own;
}

ChStatus ch_together_any(ChContext* context, ChDistributed* together, bool* flag) {
  (void)context, (void)together, (void)flag;
  return CH_OK;
}

ChStatus ch_together_share(ChContext* context, ChDistributed* together, ChSimulation* simulation) {
  (void)context, (void)together, (void)simulation;
  return CH_OK;
}

ChStatus ch_together_step(ChContext* context, ChDistributed* together, ChSimulation* simulation, ChStepInfo* info) {
  (void)together;
  return ch_simulation_step(context, simulation, info);
}

ChStatus ch_together_gather(ChContext* context, ChDistributed* together, ChSummary* summary) {
  (void)context, (void)together, (void)summary;
  return CH_OK;
}

ChStatus ch_together_costs(ChContext* context, ChDistributed* together, ChTogetherCosts* out) {
  (void)context, (void)together;
  *out = (ChTogetherCosts){0};
  return CH_OK;
}

#endif
