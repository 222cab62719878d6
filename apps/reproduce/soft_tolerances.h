// 004, section 7.6, for the validation scenes whose bodies deform: which tolerances their steps reach, and how far a
// run at a coarse one ends from a run at a fine one.
#ifndef CH_REPRODUCE_SOFT_TOLERANCES_H
#define CH_REPRODUCE_SOFT_TOLERANCES_H

#include "reproduce/item.h"

// Rows, choices and claims of the item that runs it; its progress goes from `from` to 1.
ChStatus ch_soft_tolerances(ChItemRun* run, double from);

#endif
