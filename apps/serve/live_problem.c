// The present step's contact problem as an FCLIB file, for whoever asks over HTTP.
//
// The file is written where files are meant to go and come, and is gone before the answer is on its way.
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cardhouse/disk.h"
#include "cardhouse/record.h"
#include "serve/live_state.h"

static ChStatus make_scratch(ChContext* context, ChLive* live) {
  if (live->has_scratch) return CH_OK;
  const char* place = getenv("TMPDIR");
  snprintf(live->scratch, sizeof live->scratch, "%s/cardhouse-XXXXXX", place && *place ? place : "/tmp");
  if (!mkdtemp(live->scratch)) return ch_fail(context, CH_ERR_FILE, "no folder could be made for the problem's file");
  live->has_scratch = true;
  return CH_OK;
}

static int remove_entry(const char* path, const struct stat* info, int kind, struct FTW* walk) {
  (void)info, (void)kind, (void)walk;
  remove(path);
  return 0;
}

void ch_live_remove_files(ChLive* live) {
  if (live && live->has_scratch) nftw(live->scratch, remove_entry, 4, FTW_DEPTH | FTW_PHYS);
}

static ChStatus problem_bytes(ChContext* context, ChLive* live, int pane, unsigned char** bytes, size_t* size) {
  if (pane >= live->pane_count) return ch_fail(context, CH_ERR_RANGE, "there is no pane %d", pane);
  const ChSimulation* s = live->panes[pane].simulation;
  ChStatus status = make_scratch(context, live);
  if (status != CH_OK) return status;
  char path[sizeof live->scratch + 64];
  snprintf(path, sizeof path, "%s/step-%08ld.hdf5", live->scratch, ch_simulation_step_count(s));
  char* file = NULL;
  status = ch_problem_record(context, live->scratch, s);
  if (status == CH_OK) status = ch_file_load(context, path, SIZE_MAX, &file, size);
  *bytes = (unsigned char*)file;
  unlink(path);
  return status;
}

void ch_live_serve_problem(ChLive* live) {
  unsigned ticket;
  int pane;
  if (!ch_exchange_problem_wanted(live->exchange, &ticket, &pane)) return;
  ChContext context = {0};
  unsigned char* bytes = NULL;
  size_t size = 0;
  ChStatus status = problem_bytes(&context, live, pane, &bytes, &size);
  if (status != CH_OK) {
    bytes = (unsigned char*)strdup(context.message);
    size = bytes ? strlen(context.message) : 0;
  }
  ch_exchange_deliver_problem(live->exchange, ticket, status != CH_OK, bytes, size);
}
