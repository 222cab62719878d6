// A report as JSON, inside: what the runner starts with and the page is written from.
//
//   {"text": [...], "choices": [[what, text]], "commands": [...], "rows": [{quantity, printed, ours, verdict, reason}],
//    "claims": [{claim, holds, evidence}], "figures": [{"type": "text" | "chart" | "map" | "picture", ...}]}
//
// "text" is what was said before the first figure; "figures" keeps the order in which the item called.
#ifndef CH_REPRODUCE_REPORT_JSON_H
#define CH_REPRODUCE_REPORT_JSON_H

#include <jansson.h>

#include "reproduce/report.h"

ChReport* ch_report_create(void);  // NULL when out of memory
void ch_report_destroy(ChReport* report);

// Borrowed.
json_t* ch_report_json(ChReport* report);
// What is wrong with the report itself (a reason that is missing, memory that ran out), or NULL.
const char* ch_report_fault(const ChReport* report);

// "reproduced", "differs", "cannot be"
const char* ch_verdict_name(ChVerdict verdict);

#endif
