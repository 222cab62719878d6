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

static ChFinding row_finding(const json_t* row) {
  const char* verdict = ch_text_of(row, "verdict");
  bool reproduced = strcmp(verdict, ch_verdict_name(CH_REPRODUCED)) == 0;
  return (ChFinding){.what = ch_text_of(row, "quantity"),
                     .printed = ch_text_of(row, "printed"),
                     .ours = ch_text_of(row, "ours"),
                     .verdict = verdict,
                     .reason = reproduced ? "" : ch_text_of(row, "reason")};
}

static ChFinding claim_finding(const json_t* claim) {
  bool holds = json_is_true(json_object_get(claim, "holds"));
  return (ChFinding){.claim = true,
                     .what = ch_text_of(claim, "claim"),
                     .printed = "",
                     .ours = ch_text_of(claim, "evidence"),
                     .verdict = ch_verdict_name(holds ? CH_REPRODUCED : CH_DIFFERS),
                     .reason = holds ? "" : ch_text_of(claim, "evidence")};
}

static ChFinding broken_finding(const json_t* result) {
  const char* failure = ch_text_of(result, "failure");
  return (ChFinding){.what = "the item itself",
                     .printed = "",
                     .ours = "",
                     .verdict = ch_verdict_name(CH_CANNOT_BE),
                     .reason = *failure ? failure : "it was interrupted; what stands here is what there was"};
}

ChFinding ch_finding_at(const json_t* result, int index) {
  const json_t *rows = list_of(result, "rows"), *claims = list_of(result, "claims");
  size_t k = (size_t)index, row_count = json_array_size(rows);
  if (k < row_count) return row_finding(json_array_get(rows, k));
  if (k - row_count < json_array_size(claims)) return claim_finding(json_array_get(claims, k - row_count));
  return broken_finding(result);
}

void ch_tally_add(ChTally* tally, const json_t* result) {
  for (int k = 0; k < ch_finding_count(result); ++k) {
    const char* verdict = ch_finding_at(result, k).verdict;
    tally->reproduced += strcmp(verdict, ch_verdict_name(CH_REPRODUCED)) == 0;
    tally->differs += strcmp(verdict, ch_verdict_name(CH_DIFFERS)) == 0;
    tally->cannot += strcmp(verdict, ch_verdict_name(CH_CANNOT_BE)) == 0;
  }
}
