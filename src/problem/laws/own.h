// What a registered law is as a row of the table, and what is tried before it becomes one.
#ifndef CH_PROBLEM_LAWS_OWN_H
#define CH_PROBLEM_LAWS_OWN_H

#include "cardhouse/own_law.h"
#include "problem/laws/law.h"

// The law must stay where it is.
ChLawRow ch_own_row(const ChOwnLaw* law);

// Draws parameters and points and tries what cardhouse/own_law.h promises of the functions; see own_trial.c.
// `number`: where the row is placed.
ChStatus ch_own_try(ChContext* context, const ChLawRow* row, ChLaw number);

#endif
