// Status codes, and the context that carries the message of the last failure.
//
// A function that can fail returns a ChStatus. On failure it also writes a message to the caller's context. The message
// names the thing, its value and what would be right. A NULL context is legal everywhere; then only the status is
// returned. The library never prints and never exits. It aborts only if one of its own invariants is broken, and tells
// the log before it does (memory.h).
#ifndef CARDHOUSE_STATUS_H
#define CARDHOUSE_STATUS_H

#include "cardhouse/api.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CH_STATUS_LIST(X)                                          \
  X(CH_OK, "ok")                                                   \
  X(CH_MAX_ITER, "iteration limit reached")                        \
  X(CH_MAX_TIME, "time limit reached")                             \
  X(CH_STATIONARY, "stationary point that is not a solution")      \
  X(CH_STOPPED, "stopped at the caller's request")                 \
  X(CH_ERR_ARGUMENT, "argument not understood")                    \
  X(CH_ERR_RANGE, "value out of range")                            \
  X(CH_ERR_SIZE, "sizes do not fit together")                      \
  X(CH_ERR_FORMAT, "file is not of the expected format")           \
  X(CH_ERR_FILE, "file could not be opened or written")            \
  X(CH_ERR_DEVICE, "disk full or failing, or no descriptors left") \
  X(CH_ERR_UNSUPPORTED, "method cannot take this problem")         \
  X(CH_ERR_NUMERIC, "numerical breakdown")                         \
  X(CH_ERR_MEMORY, "out of memory")

typedef enum ChStatus {
#define X(name, text) name,
  CH_STATUS_LIST(X)
#undef X
} ChStatus;

enum { CH_MESSAGE_SIZE = 512 };

// One per thread of the caller; zero-initialise it.
typedef struct ChContext {
  ChStatus status;
  char message[CH_MESSAGE_SIZE];
  void (*notice)(void* user, const char* text);  // receives a line when long work begins; NULL: nobody is told
  void* user;                                    // passed to it
} ChContext;

// Returns the short text of a status, never NULL.
CH_API const char* ch_status_text(ChStatus status);

// Records a failure and returns its status, so that `return ch_fail(...)` reads as one step.
CH_API ChStatus ch_fail(ChContext* context, ChStatus status, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// Tells the context's `notice`, or else the log, what the library is doing, so that the user sees progress.
CH_API void ch_notice(ChContext* context, const char* format, ...) __attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif
#endif
