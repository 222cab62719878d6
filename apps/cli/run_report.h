// What a run says when it ends: text or JSON.
#ifndef CH_CLI_RUN_REPORT_H
#define CH_CLI_RUN_REPORT_H

#include "cardhouse/record.h"
#include "cli/arguments.h"
#include "cli/realtime.h"
#include "cli/together.h"

typedef struct ChRunReport {
  const char* scene;
  const ChSimulation* simulation;
  ChSimulationOptions options;
  const char* cone;
  ChSummary summary;
  double from;                           // simulated seconds at which this run began; 0 unless resumed
  double seconds_total, seconds_record;  // of this run
  bool interrupted;
  const ChRealtime* realtime;
  const ChTogetherCosts* costs;                         // of all processes
  const char *out, *csv, *vtk, *problems, *checkpoint;  // files and folders that were written; NULL: none
} ChRunReport;

ChExit ch_run_print_json(const ChCommand* command, const ChRunReport* report);
void ch_run_print_text(const ChRunReport* report);

#endif
