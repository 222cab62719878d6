// The largest W that is formed, as this test wants it: the linker puts this in place of the library's (--wrap).
#ifndef CH_SUPPORT_LARGEST_W_H
#define CH_SUPPORT_LARGEST_W_H

#include <stdbool.h>

static bool large;  // every problem is treated like one whose W is too large to be formed

double __real_ch_delassus_largest(void);
double __wrap_ch_delassus_largest(void);
double __wrap_ch_delassus_largest(void) { return large ? -1.0 : __real_ch_delassus_largest(); }

#endif
