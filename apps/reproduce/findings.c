// Findings of a result: see findings.h.
#include "reproduce/findings.h"

#include <string.h>

#include "reproduce/report_json.h"
#include "reproduce/result.h"

static const json_t* list_of(const json_t* result, const char* name) {
  return json_object_get(json_object_get(result, "report"), name);
}

static bool broke(const json_t* result) {
  return ch_result_failed(result) || json_is_true(json_object_get(result, "interrupted"));
}

const char* ch_text_of(const json_t* object, const char* key) {
  const char* text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

int ch_finding_count(const json_t* result) {
  return (int)(json_array_size(list_of(result, "rows")) + json_array_size(list_of(result, "claims"))) + broke(result);
}

static ChFinding finding_of(const json_t* entry, bool claim) {
  const char* printed = json_string_value(json_object_get(entry, "printed"));
  return (ChFinding){.claim = claim,
                     .what = ch_text_of(entry, "what"),
                     .printed = claim     ? "a claim"
                                : printed ? printed
                                          : "not printed",
                     .ours = ch_text_of(entry, "ours"),
                     .verdict = ch_text_of(entry, "verdict"),
                     .basis = ch_text_of(entry, "basis"),
                     .reason = ch_text_of(entry, "reason")};
}

static ChFinding broken_finding(const json_t* result) {
  const char* failure = ch_text_of(result, "failure");
  return (ChFinding){.what = "the item itself",
                     .printed = "",
                     .ours = "",
                     .verdict = ch_verdict_name(CH_NOT_RUN),
                     .basis = "",
                     .reason = *failure ? failure : "it was interrupted; this report has the results up to then"};
}

ChFinding ch_finding_at(const json_t* result, int index) {
  const json_t *rows = list_of(result, "rows"), *claims = list_of(result, "claims");
  size_t k = (size_t)index, row_count = json_array_size(rows);
  if (k < row_count) return finding_of(json_array_get(rows, k), false);
  if (k - row_count < json_array_size(claims)) return finding_of(json_array_get(claims, k - row_count), true);
  return broken_finding(result);
}

bool ch_finding_is(const ChFinding* finding, ChVerdict verdict) {
  return strcmp(finding->verdict, ch_verdict_name(verdict)) == 0;
}

void ch_tally_add(ChTally* tally, const json_t* result) {
  for (int k = 0; k < ch_finding_count(result); ++k) {
    ChFinding finding = ch_finding_at(result, k);
    for (int v = 0; v < CH_VERDICTS; ++v) tally->count[v] += ch_finding_is(&finding, (ChVerdict)v);
    ++tally->all;
  }
}

void ch_tally_put(FILE* f, const ChTally* tally) {
  fprintf(f, "%d reproduced, %d differ, %d are ours alone, %d not run", tally->count[CH_REPRODUCED],
          tally->count[CH_DIFFERS], tally->count[CH_OURS_ALONE], tally->count[CH_NOT_RUN]);
}
