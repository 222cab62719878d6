// Which version of the library is linked.
#include "cardhouse/version.h"

const char* ch_version(void) { return CH_VERSION; }
