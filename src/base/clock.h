// The clock under the name that the inner layers know: cardhouse/clock.h.
#ifndef CH_BASE_CLOCK_H
#define CH_BASE_CLOCK_H

#include "cardhouse/clock.h"

#endif
