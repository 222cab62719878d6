// One thread on one core: see machine.h.
#include "machine.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Thread counts are read when the libraries are loaded, so the program starts itself again with them set.
void ch_machine_single_thread(char** argv) {
  const char* set = getenv("OPENBLAS_NUM_THREADS");
  if (set && !strcmp(set, "1")) return;
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  setenv("OMP_NUM_THREADS", "1", 1);
  execv("/proc/self/exe", argv);  // where that fails, the run goes on with the threads it has
}

void ch_machine_pin(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((size_t)(core >= 0 ? core : (int)sysconf(_SC_NPROCESSORS_ONLN) - 1), &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0)
    fprintf(stderr, "not pinned to one core (%s): expect more noise\n", strerror(errno));
}
