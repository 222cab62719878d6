// The result of an item: its report and how it came about, kept as FOLDER/items/NAME.json.
//
//   {"cardhouse": version, "build": hash, "engines": hash, "quick": bool, "name", "title", "source", "machine", "date",
//   "seconds",
//    "processor_seconds", "failure": text or null, "interrupted": bool, "report": {...}}
#ifndef CH_REPRODUCE_RESULT_H
#define CH_REPRODUCE_RESULT_H

#include "reproduce/item.h"
#include "reproduce/report_json.h"

// What a kept result must agree with to be taken for this program's own.
typedef struct ChResultKey {
  const char* version;
  char build[24];    // hash of the program's file, or "" where there is none to read: then no result is kept
  char engines[24];  // hash of what `make bench-engines` measured, or "": counts for the items that read it
  bool quick;
} ChResultKey;

ChStatus ch_result_key(ChContext* context, const char* version, bool quick, const char* engines_csv, ChResultKey* out);

// Takes the report's JSON over. `failure` may be NULL.
json_t* ch_result_make(const ChItem* item, const ChResultKey* key, json_t* report, const char* failure);

ChStatus ch_result_write(ChContext* context, const char* folder, const ChItem* item, const json_t* result);
// As it lies there, whole and for this item, whatever its key; NULL otherwise.
json_t* ch_result_read(const char* folder, const ChItem* item);
// Whether it can stand for a new run: same key, ended, no failure.
bool ch_result_fresh(const json_t* result, const ChItem* item, const ChResultKey* key);

bool ch_result_failed(const json_t* result);

// "x86_64, 2 processors (model name)": what times are of.
const char* ch_machine_name(void);
const char* ch_today(void);  // "2026-11-18", UTC

#endif
