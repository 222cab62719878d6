// The file of `solve --diagnostics`: one line per staggered iteration, columns as in cardhouse/diagnostics.h.
#ifndef CH_CLI_DIAGNOSTICS_H
#define CH_CLI_DIAGNOSTICS_H

#include <stdio.h>

#include "cardhouse/diagnostics.h"
#include "cli/arguments.h"

// NULL for no path; also NULL, with a complaint and *failed set, when the file cannot be opened.
FILE* ch_diagnostics_open(const ChCommand* command, const char* path, bool* failed);

// A ChStaggeredFn; user is the FILE.
void ch_diagnostics_write(void* user, const ChStaggeredStep* step);

// CH_EXIT_FAULT, with a complaint, when the file did not arrive whole. file may be NULL.
ChExit ch_diagnostics_close(const ChCommand* command, const char* path, FILE* file);

#endif
