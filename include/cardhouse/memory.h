// Memory that the library keeps for later.
#ifndef CARDHOUSE_MEMORY_H
#define CARDHOUSE_MEMORY_H

#include "cardhouse/api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Gives back to the system what solves, steps and worlds that are over left for the next ones: 256 MB and as much as was
// in use at once, at most. Legal at any time, from any thread; what is in use stays. The next solves and steps allocate
// anew.
CH_API void ch_memory_trim(void);

#ifdef __cplusplus
}
#endif
#endif
