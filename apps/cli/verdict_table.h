// The table at the end of `cardhouse reproduce`: item, printed, ours, verdict.
#ifndef CH_CLI_VERDICT_TABLE_H
#define CH_CLI_VERDICT_TABLE_H

#include <jansson.h>

// `results` may hold NULL where memory ran out.
void ch_verdict_table_print(int count, json_t* const* results);

#endif
