// Registering a law: cardhouse/own_law.h. A copy of it, and the row made of it, live as long as the program.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problem/laws/own.h"

enum { NAME = 32, STATEMENT = 160 };

// A law with its texts, in memory that stays.
typedef struct Kept {
  ChOwnLaw law;
  ChLawRow row;
  char name[NAME], plural[NAME + 2], statement[STATEMENT], parameter[CH_BLOCK_MORE][NAME];
} Kept;

static Kept kept_laws[CH_OWN_LAWS_MAX];

static bool is_word(const char* text) {
  size_t length = 0;
  for (; text && text[length] != '\0' && length < NAME; ++length)
    if (!islower((unsigned char)text[length]) && !isdigit((unsigned char)text[length]) && !strchr("-_", text[length]))
      return false;
  return length > 0 && length < NAME;
}

static ChStatus check_parameters(ChContext* context, const ChOwnLaw* law) {
  if (law->parameter_count < 0 || law->parameter_count > CH_BLOCK_MORE)
    return ch_fail(context, CH_ERR_SIZE, "law '%s': has %d parameters, must have 0 to %d", law->name,
                   law->parameter_count, CH_BLOCK_MORE);
  for (int k = 0; k < law->parameter_count; ++k) {
    const ChOwnParameter* p = &law->parameter[k];
    if (!is_word(p->name))
      return ch_fail(context, CH_ERR_ARGUMENT,
                     "law '%s': name of parameter %d must be a word of lower-case letters, digits, - and _", law->name,
                     k);
    if (!(p->lowest < p->highest))
      return ch_fail(context, CH_ERR_RANGE, "law '%s': parameter %s is legal from %g to %g, must be ascending",
                     law->name, p->name, p->lowest, p->highest);
  }
  return CH_OK;
}

static ChStatus check_row(ChContext* context, const ChOwnLaw* law) {
  if (!law || !is_word(law->name))
    return ch_fail(context, CH_ERR_ARGUMENT,
                   "law: name must be a word of lower-case letters, digits, - and _, up to %d", NAME - 1);
  const int lowest = law->section ? 2 : 1;
  if (law->dimension < lowest || law->dimension > CH_BLOCK_MAX)
    return ch_fail(context, CH_ERR_SIZE, "law '%s': dimension is %d, must be %d to %d", law->name, law->dimension,
                   lowest, CH_BLOCK_MAX);
  if (!law->project) return ch_fail(context, CH_ERR_ARGUMENT, "law '%s': project is missing", law->name);
  if (law->section != (law->support != NULL))
    return ch_fail(context, CH_ERR_ARGUMENT, "law '%s': %s", law->name,
                   law->section ? "support is missing, a section needs it" : "support is for sections, a set has none");
  return check_parameters(context, law);
}

// Texts may go out of scope.
static void keep(Kept* kept, const ChOwnLaw* law) {
  *kept = (Kept){.law = *law};
  snprintf(kept->name, sizeof kept->name, "%s", law->name);
  if (law->plural)
    snprintf(kept->plural, sizeof kept->plural, "%s", law->plural);
  else
    snprintf(kept->plural, sizeof kept->plural, "%ss", law->name);
  snprintf(kept->statement, sizeof kept->statement, "%s", law->statement ? law->statement : "own law");
  kept->law.name = kept->name, kept->law.plural = kept->plural, kept->law.statement = kept->statement;
  for (int k = 0; k < law->parameter_count; ++k) {
    snprintf(kept->parameter[k], NAME, "%s", law->parameter[k].name);
    kept->law.parameter[k].name = kept->parameter[k];
  }
  kept->row = ch_own_row(&kept->law);
}

static ChStatus register_checked(ChContext* context, const ChOwnLaw* law, ChLaw* out) {
  const ChLaw number = (ChLaw)ch_law_count();
  if (number == CH_LAW_END)
    return ch_fail(context, CH_ERR_SIZE, "law '%s': %d laws are registered, the largest number", law->name,
                   CH_OWN_LAWS_MAX);
  if (ch_law_find(law->name) != CH_LAW_NONE)
    return ch_fail(context, CH_ERR_ARGUMENT, "law '%s': a law of this name exists already", law->name);
  Kept* kept = &kept_laws[number - CH_LAW_OWN];
  keep(kept, law);
  ch_law_place(number, &kept->row);
  const ChStatus status = ch_own_try(context, &kept->row, number);
  if (status != CH_OK) return status;
  ch_law_publish(number);
  if (out) *out = number;
  return CH_OK;
}

ChStatus ch_law_register(ChContext* context, const ChOwnLaw* law, ChLaw* out) {
  if (out) *out = CH_LAW_NONE;
  ChStatus status = check_row(context, law);
  if (status != CH_OK) return status;
  ch_law_lock();
  status = register_checked(context, law, out);
  ch_law_unlock();
  return status;
}
