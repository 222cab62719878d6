// Where the library's memory comes from, giving back what it keeps, and who hears of what it does.
//
// What is set here is the whole program's: set it once, before anything else of the library is called and before there
// are other threads that call it. docs/library.md lists all that is kept from call to call.
#ifndef CARDHOUSE_MEMORY_H
#define CARDHOUSE_MEMORY_H

#include <stddef.h>

#include "cardhouse/api.h"
#include "cardhouse/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Where arenas take their blocks from: nearly all that solves, steps and readers of files use. Not: small objects with
// a life of their own (malloc), and what BLAS, SuiteSparse, qhull, HDF5 and others take for themselves.
typedef struct ChAllocator {
  // `size` bytes at a multiple of `alignment`, a power of two of at most 64; NULL: there is no memory, and the call at
  // hand fails with CH_ERR_MEMORY. Called from any thread that calls the library.
  void* (*allocate)(void* user, size_t size, size_t alignment);
  void (*release)(void* user, void* block);
  void* user;  // handed to both
} ChAllocator;

// Copies the allocator; NULL: the system's. CH_ERR_ARGUMENT, and nothing is changed, where a function is missing or
// blocks of the allocator before are still in use.
CH_API ChStatus ch_memory_set_allocator(ChContext* context, const ChAllocator* allocator);
// The allocator in use.
CH_API ChAllocator ch_memory_allocator(void);

// Arenas leave their blocks to later ones, so that a steady state allocates nothing: up to as many bytes as were in use
// at once, and 256 MB besides. This gives back what is not in use now. Safe at any time, from any thread.
CH_API void ch_memory_trim(void);

// Blocks of arenas, in bytes.
typedef struct ChMemoryInfo {
  size_t used, most_used;  // now, and at most since the last ch_memory_trim
  size_t kept;             // for later
  long allocations;        // made of the allocator since the program began
} ChMemoryInfo;
CH_API ChMemoryInfo ch_memory_info(void);  // what arenas hold at this moment

typedef enum ChLogLevel { CH_LOG_INFO, CH_LOG_ERROR } ChLogLevel;
typedef void (*ChLogFn)(void* user, ChLogLevel level, const char* text);

// Who is told of notices that no context's `notice` takes (CH_LOG_INFO), and of a broken invariant of the library's own
// before it calls abort (CH_LOG_ERROR). NULL, the default: nobody. Called from any thread that calls the library.
CH_API void ch_log_set(ChLogFn log, void* user);
// Tells it, a line of at most 511 characters; nothing where nobody listens.
CH_API void ch_log(ChLogLevel level, const char* format, ...) __attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif
#endif
