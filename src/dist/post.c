// See post.h.
#include "dist/post.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cardhouse/clock.h"

enum { LOST = 3 };       // exit status: a fault of the machine
#define LOOKS_EVERY 0.2  // seconds

static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// --- the watch -------------------------------------------------------------------------------------------------------

static _Noreturn void give_up(const ChPost* post, double waited) {
  const char* what = post->what;
  fprintf(stderr,
          "cardhouse: process %d of %d has waited %.0f s for the others (%s, step %ld): one of them has died, was "
          "stopped or is too slow; the run ends here, its last checkpoint is good\n",
          post->rank, post->size, waited, what ? what : "start", (long)post->step);
  fflush(stderr);
  _exit(LOST);
}

static void* look_after(void* user) {
  ChPost* post = user;
  pthread_mutex_lock(&post->lock);
  while (!post->ends) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(1e9 * LOOKS_EVERY);
    if (until.tv_nsec >= 1000000000L) ++until.tv_sec, until.tv_nsec -= 1000000000L;
    if (pthread_cond_timedwait(&post->over, &post->lock, &until) != ETIMEDOUT) continue;
    double since = post->since, waited = ch_clock_seconds() - since;
    if (since > 0.0 && waited > post->patience) give_up(post, waited);
  }
  pthread_mutex_unlock(&post->lock);
  return NULL;
}

void ch_post_wait(ChPost* post, const char* what) {
  post->waited_processor -= processor_seconds();
  post->what = what;
  post->since = ch_clock_seconds();
}

void ch_post_waited(ChPost* post) {
  post->waiting += ch_clock_seconds() - post->since;
  post->since = 0.0;
  post->waited_processor += processor_seconds();
}

// --- life ------------------------------------------------------------------------------------------------------------

static bool take_rooms(ChPost* post) {
  size_t n = (size_t)post->size;
  post->out = calloc(n, sizeof *post->out);
  post->in = calloc(n, sizeof *post->in);
  post->sizes_out = calloc(n, sizeof(int));
  post->sizes_in = calloc(n, sizeof(int));
  post->requests = calloc(2 * n, sizeof(MPI_Request));
  return post->out && post->in && post->sizes_out && post->sizes_in && post->requests;
}

ChStatus ch_post_create(ChContext* context, double patience, ChPost* out) {
  *out = (ChPost){.patience = patience, .lock = PTHREAD_MUTEX_INITIALIZER, .over = PTHREAD_COND_INITIALIZER};
  MPI_Comm_dup(MPI_COMM_WORLD, &out->comm);
  MPI_Comm_rank(out->comm, &out->rank);
  MPI_Comm_size(out->comm, &out->size);
  if (!take_rooms(out)) return ch_fail(context, CH_ERR_MEMORY, "out of memory for %d processes", out->size);
  out->busy_from = processor_seconds();
  out->watched = pthread_create(&out->watch, NULL, look_after, out) == 0;
  return out->watched ? CH_OK : ch_fail(context, CH_ERR_MEMORY, "no thread to watch the other processes");
}

void ch_post_destroy(ChPost* post) {
  if (post->watched) {
    pthread_mutex_lock(&post->lock);
    post->ends = true;
    pthread_cond_signal(&post->over);
    pthread_mutex_unlock(&post->lock);
    pthread_join(post->watch, NULL);
  }
  for (int r = 0; r < post->size; ++r) {
    if (post->out) free(post->out[r].data);
    if (post->in) free(post->in[r].data);
  }
  free(post->out);
  free(post->in);
  free(post->sizes_out);
  free(post->sizes_in);
  free(post->requests);
}

// --- messages --------------------------------------------------------------------------------------------------------

static bool make_room(ChBox* box, size_t size) {
  if (size <= box->room) return true;
  size_t room = 2 * size;
  unsigned char* larger = realloc(box->data, room);
  if (!larger) return false;
  box->data = larger;
  box->room = room;
  return true;
}

void ch_post_put(ChPost* post, int to, const void* bytes, size_t size) {
  ChBox* box = &post->out[to];
  if (!make_room(box, box->used + size)) {
    post->failed = true;
    return;
  }
  memcpy(box->data + box->used, bytes, size);
  box->used += size;
}

bool ch_post_get(ChPost* post, int from, void* bytes, size_t size) {
  ChBox* box = &post->in[from];
  if (box->used - box->read < size) return false;
  memcpy(bytes, box->data + box->read, size);
  box->read += size;
  return true;
}

// Sizes first; false: too large, or no memory for what comes.
static bool find_sizes(ChPost* post) {
  bool fits = !post->failed;
  for (int r = 0; r < post->size; ++r) {
    fits = fits && post->out[r].used <= INT_MAX;
    post->sizes_out[r] = fits ? (int)post->out[r].used : 0;
  }
  MPI_Alltoall(post->sizes_out, 1, MPI_INT, post->sizes_in, 1, MPI_INT, post->comm);
  for (int r = 0; r < post->size; ++r) {
    ChBox* in = &post->in[r];
    in->used = in->read = 0;
    if (!make_room(in, (size_t)post->sizes_in[r])) return false;
    in->used = (size_t)post->sizes_in[r];
  }
  return fits;
}

ChStatus ch_post_exchange(ChContext* context, ChPost* post, const char* what) {
  enum { TAG = 1 };
  int count = 0;
  ch_post_wait(post, what);
  bool fits = find_sizes(post);
  // Whoever lacks memory cannot take what others send: all of them end with it.
  if (!fits) {
    fprintf(stderr, "cardhouse: process %d of %d: out of memory for messages (%s)\n", post->rank, post->size, what);
    _exit(LOST);
  }
  for (int r = 0; r < post->size; ++r) {
    ChBox *in = &post->in[r], *out = &post->out[r];
    if (r == post->rank) {
      if (out->used > 0) memcpy(in->data, out->data, out->used);
      continue;
    }
    if (in->used > 0) MPI_Irecv(in->data, (int)in->used, MPI_BYTE, r, TAG, post->comm, &post->requests[count++]);
    if (out->used == 0) continue;
    MPI_Isend(out->data, (int)out->used, MPI_BYTE, r, TAG, post->comm, &post->requests[count++]);
    post->messages += 1.0;
    post->bytes += (double)out->used;
  }
  int done = MPI_Waitall(count, post->requests, MPI_STATUSES_IGNORE);
  ch_post_waited(post);
  for (int r = 0; r < post->size; ++r) post->out[r].used = 0;
  return done == MPI_SUCCESS ? CH_OK : ch_fail(context, CH_ERR_DEVICE, "messages between processes failed (%s)", what);
}

void ch_post_reduce(ChPost* post, double* sums, int sum_count, double* most, int most_count) {
  ch_post_wait(post, "comparing figures");
  // Gathered and added up in the order of ranks: what MPI adds up itself may depend on who comes first.
  int count = sum_count + most_count;
  double* all = malloc((size_t)count * (size_t)(post->size + 1) * sizeof *all);
  double* own = all + (long)count * post->size;
  for (int k = 0; k < sum_count && all; ++k) own[k] = sums[k];
  for (int k = 0; k < most_count && all; ++k) own[sum_count + k] = most[k];
  if (!all) {
    fprintf(stderr, "cardhouse: process %d of %d: out of memory for figures\n", post->rank, post->size);
    _exit(LOST);
  }
  MPI_Allgather(own, count, MPI_DOUBLE, all, count, MPI_DOUBLE, post->comm);
  for (int k = 0; k < sum_count; ++k) {
    sums[k] = all[k];
    for (int r = 1; r < post->size; ++r) sums[k] += all[r * count + k];
  }
  for (int k = 0; k < most_count; ++k)
    for (int r = 0; r < post->size; ++r)
      if (!(all[r * count + sum_count + k] <= most[k])) most[k] = all[r * count + sum_count + k];
  free(all);
  ch_post_waited(post);
}

void ch_post_share(ChPost* post, const double* own, int count, double* all) {
  ch_post_wait(post, "sharing the places of bodies");
  MPI_Allgather(own, count, MPI_DOUBLE, all, count, MPI_DOUBLE, post->comm);
  ch_post_waited(post);
}

void ch_post_tell(ChPost* post, int from, void* bytes, int size) {
  ch_post_wait(post, "hearing from another process");
  MPI_Bcast(bytes, size, MPI_BYTE, from, post->comm);
  ch_post_waited(post);
}
