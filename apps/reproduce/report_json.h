// A report as JSON, inside: what the runner starts with and the page is written from.
//
//   {"text": [...], "choices": [[what, text]], "commands": [...], "rows": [finding], "claims": [finding],
//    "figures": [{"type": "text" | "chart" | "map" | "picture", ...}]}
//
// A finding is {what, printed, ours, verdict, basis, reason}; "printed" is null where the document prints nothing.
// "text" is what was said before the first figure; "figures" keeps the order in which the item called.
#ifndef CH_REPRODUCE_REPORT_JSON_H
#define CH_REPRODUCE_REPORT_JSON_H

#include <jansson.h>

#include "reproduce/report.h"

// `smaller`: the form is smaller than the documents' experiments, which then is a fact of every finding that does not
// say it was run in full. NULL when out of memory.
ChReport* ch_report_create(bool smaller);
void ch_report_destroy(ChReport* report);

// Borrowed.
json_t* ch_report_json(ChReport* report);
// What is wrong with the report itself (a reason that is missing, memory that ran out), or NULL.
const char* ch_report_fault(const ChReport* report);

#endif
