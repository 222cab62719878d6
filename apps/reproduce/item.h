// An experiment of the documents that `cardhouse reproduce` can run: one per figure or table, registered in items.c.
#ifndef CH_REPRODUCE_ITEM_H
#define CH_REPRODUCE_ITEM_H

#include "cardhouse/status.h"
#include "reproduce/report.h"

typedef struct ChItemRun {
  ChContext* context;
  ChReport* report;
  bool quick;                 // a smaller form that ends within seconds; says what is smaller
  const char* folder;         // the item's own folder, exists; trajectories and tables go here
  const char* engines_csv;    // what `make bench-engines` measured, or NULL
  struct ChItemChild* child;  // how the item tells its progress; NULL: to nobody
} ChItemRun;

typedef struct ChItem {
  const char* name;    // "000-table1": document, then figure, table or slide
  const char* title;   // one line
  const char* source;  // "000 s4.B, Table 1 [H4, J1]"
  ChStatus (*run)(ChItemRun* run);
  bool same_when_quick;  // the quick form is the full one
  bool reads_engines;    // engines_csv is part of what it says
} ChItem;

// How far the item is, 0 ... 1; false when it should stop (Ctrl-C): return CH_OK soon with what there is.
bool ch_item_progress(ChItemRun* run, double fraction);

int ch_item_count(void);
const ChItem* ch_item_at(int index);

#endif
