// See blas_threads.h.
#include "linalg/blas_threads.h"

#include <cblas.h>
#include <pthread.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int holders, before;  // as OpenBLAS's own number, these are the whole program's

void ch_blas_threads_hold(void) {
  pthread_mutex_lock(&guard);
  if (holders++ == 0) {
    before = openblas_get_num_threads();
    openblas_set_num_threads(1);
  }
  pthread_mutex_unlock(&guard);
}

void ch_blas_threads_release(void) {
  pthread_mutex_lock(&guard);
  if (--holders == 0) openblas_set_num_threads(before);
  pthread_mutex_unlock(&guard);
}
