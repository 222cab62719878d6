#include "core.h"
int core_init_queries(PyObject* module) {
  (void)module;
  return 0;
}
