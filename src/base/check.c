// See check.h.
#include "base/check.h"

#include <stdlib.h>

#include "cardhouse/memory.h"

_Noreturn void ch_assert_failed(const char* function, const char* condition) {
  ch_log(CH_LOG_ERROR, "%s: '%s' does not hold, which is a fault of Cardhouse", function, condition);
  abort();
}
