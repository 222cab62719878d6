// Messages between processes, all at once: each puts what it has for whom, then all exchange.
//
// What a process waits for others is timed and watched: where nothing comes for longer than its patience, another
// thread says so and ends the process with status 3, and the launcher ends the rest. So nothing hangs for ever, whether
// somebody died, was stopped, or is only too slow.
#ifndef CH_DIST_POST_H
#define CH_DIST_POST_H

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "cardhouse/status.h"

typedef struct ChBox {
  unsigned char* data;
  size_t used, room, read;
} ChBox;

typedef struct ChPost {
  MPI_Comm comm;
  int rank, size;
  ChBox *out, *in;  // of ranks
  int *sizes_out, *sizes_in;
  MPI_Request* requests;
  bool failed;  // no memory for what was put
  double messages, bytes, waiting, busy_from;
  double waited_processor;  // seconds of the processor while it waited
  // The watch.
  pthread_t watch;
  pthread_mutex_t lock;
  pthread_cond_t over;
  bool watched, ends;
  double patience;
  _Atomic(double) since;  // on the clock; 0: it does not wait
  _Atomic(const char*) what;
  atomic_long step;
} ChPost;

ChStatus ch_post_create(ChContext* context, double patience, ChPost* out);
void ch_post_destroy(ChPost* post);

void ch_post_put(ChPost* post, int to, const void* bytes, size_t size);
// Sends all that was put. `what` names it where others do not answer.
ChStatus ch_post_exchange(ChContext* context, ChPost* post, const char* what);
// The next bytes from a rank; false: there are no more.
bool ch_post_get(ChPost* post, int from, void* bytes, size_t size);

// Sums and extremes over all processes, the sums in the order of ranks.
void ch_post_reduce(ChPost* post, double* sums, int sum_count, double* most, int most_count);
// All processes' `count` numbers, by rank.
void ch_post_share(ChPost* post, const double* own, int count, double* all);
// From one to all.
void ch_post_tell(ChPost* post, int from, void* bytes, int size);

// What is in between is waiting.
void ch_post_wait(ChPost* post, const char* what);
void ch_post_waited(ChPost* post);

#endif
