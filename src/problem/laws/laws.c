// The table of laws: see law.h and cardhouse/law.h.
#include "problem/laws/law.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define CH_LAW_ROW(NAME, name) [CH_LAW_##NAME] = &ch_law_##name,
const ChLawRow* ch_law_rows[CH_LAW_END] = {CH_LAWS(CH_LAW_ROW)};

#define CH_LAW_GRADE(NAME, name) [CH_LAW_##NAME] = &ch_law_##name.grade,
const ChLawGrade* ch_law_grades[CH_LAW_END] = {CH_LAWS(CH_LAW_GRADE)};

// How many rows may be read: raised only once the row is written.
static atomic_int count = CH_LAW_COUNT;
static atomic_flag adding = ATOMIC_FLAG_INIT;

int ch_law_count(void) { return atomic_load_explicit(&count, memory_order_acquire); }

void ch_law_lock(void) {
  while (atomic_flag_test_and_set_explicit(&adding, memory_order_acquire)) {
  }
}

void ch_law_unlock(void) { atomic_flag_clear_explicit(&adding, memory_order_release); }

void ch_law_place(ChLaw law, const ChLawRow* row) {
  ch_law_rows[law] = row;
  ch_law_grades[law] = &row->grade;
}

void ch_law_publish(ChLaw law) { atomic_store_explicit(&count, (int)law + 1, memory_order_release); }

const ChLawInfo* ch_law_info(ChLaw law) {
  return (unsigned)law < (unsigned)ch_law_count() ? &ch_law_rows[law]->info : NULL;
}

bool ch_law_rubs(ChLaw law) {
  const ChLawInfo* info = ch_law_info(law);
  for (int k = 0; info && k < info->parameter_count; ++k)
    if (info->parameter[k].offset == offsetof(ChBlock, mu)) return true;
  return false;
}

ChLaw ch_law_find(const char* name) {
  for (int law = 0; name && law < ch_law_count(); ++law)
    if (strcmp(ch_law_rows[law]->info.name, name) == 0) return (ChLaw)law;
  return CH_LAW_NONE;
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

static double number_at(const ChBlock* block, size_t offset) {
  double value = 0.0;
  if (offset > 0) memcpy(&value, (const char*)block + offset, sizeof value);
  return value;
}

double ch_block_compliance(const ChBlock* block) {
  const ChLawInfo* info = ch_law_info(block->law);
  return info ? number_at(block, info->compliance) : 0.0;
}

double ch_block_shear(const ChBlock* block) {
  const ChLawInfo* info = ch_law_info(block->law);
  return info ? number_at(block, info->shear) : 0.0;
}

void ch_block_set_parameter(ChBlock* block, int k, double value) {
  const ChLawParameter* parameter = parameter_of(block, k);
  if (parameter) memcpy((char*)block + parameter->offset, &value, sizeof value);
}
