#include "core.h"
int core_init_handles(PyObject* module) {
  (void)module;
  return 0;
}
