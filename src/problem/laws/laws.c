// The table of laws: see law.h and cardhouse/law.h.
#include "problem/laws/law.h"

#include <math.h>
#include <string.h>

#define CH_LAW_ROW(NAME, name) [CH_LAW_##NAME] = &ch_law_##name,
const ChLawRow* const ch_law_rows[CH_LAW_COUNT] = {CH_LAWS(CH_LAW_ROW)};

#define CH_LAW_GRADE(NAME, name) [CH_LAW_##NAME] = &ch_law_##name.grade,
const ChLawGrade* const ch_law_grades[CH_LAW_COUNT] = {CH_LAWS(CH_LAW_GRADE)};

const ChLawInfo* ch_law_info(ChLaw law) { return (unsigned)law < CH_LAW_COUNT ? &ch_law_rows[law]->info : NULL; }

ChLaw ch_law_find(const char* name) {
  int law = 0;
  while (name && law < CH_LAW_COUNT && strcmp(ch_law_rows[law]->info.name, name) != 0) ++law;
  return name ? (ChLaw)law : CH_LAW_COUNT;
}

static const ChLawParameter* parameter_of(const ChBlock* block, int k) {
  const ChLawInfo* info = ch_law_info(block->law);
  return info && k >= 0 && k < info->parameter_count ? &info->parameter[k] : NULL;
}

double ch_block_parameter(const ChBlock* block, int k) {
  const ChLawParameter* parameter = parameter_of(block, k);
  double value = NAN;
  if (parameter) memcpy(&value, (const char*)block + parameter->offset, sizeof value);
  return value;
}

double ch_block_compliance(const ChBlock* block) {
  const ChLawInfo* info = ch_law_info(block->law);
  double value = 0.0;
  if (info && info->compliance > 0) memcpy(&value, (const char*)block + info->compliance, sizeof value);
  return value;
}

void ch_block_set_parameter(ChBlock* block, int k, double value) {
  const ChLawParameter* parameter = parameter_of(block, k);
  if (parameter) memcpy((char*)block + parameter->offset, &value, sizeof value);
}
