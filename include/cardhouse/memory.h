// Where the library's memory comes from, how to free what it keeps, and who receives its notices.
//
// These settings are for the whole program: set them once, before any other call of the library and before other
// threads call it. docs/library.md lists everything that is kept from call to call.
#ifndef CARDHOUSE_MEMORY_H
#define CARDHOUSE_MEMORY_H

#include <stddef.h>

#include "cardhouse/api.h"
#include "cardhouse/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Where arenas take their blocks from: nearly all memory of solves, steps and readers of files. Exceptions are small
// objects that malloc makes, and the memory of BLAS, SuiteSparse, qhull, HDF5 and other libraries.
typedef struct ChAllocator {
  // Returns `size` bytes at a multiple of `alignment`, a power of two of at most 64. If it returns NULL, the current
  // call fails with CH_ERR_MEMORY. Called from any thread that calls the library.
  void* (*allocate)(void* user, size_t size, size_t alignment);
  void (*release)(void* user, void* block);
  void* user;  // passed to both
} ChAllocator;

// Copies the allocator; NULL: the system's. Returns CH_ERR_ARGUMENT, and changes nothing, if a function is missing or
// blocks of the previous allocator are still in use.
CH_API ChStatus ch_memory_set_allocator(ChContext* context, const ChAllocator* allocator);
// Returns the allocator in use.
CH_API ChAllocator ch_memory_allocator(void);

// Frees all memory that is not in use. Arenas pass their blocks on to later arenas, so that a steady state allocates
// nothing. They keep at most as many bytes as were in use at once, plus 256 MB. Safe at any time, from any thread.
CH_API void ch_memory_trim(void);

// Blocks of arenas, in bytes.
typedef struct ChMemoryInfo {
  size_t used, most_used;  // bytes in use now, and the most since the last ch_memory_trim
  size_t kept;             // for later
  long allocations;        // number of blocks taken from the allocator since the program began
} ChMemoryInfo;
CH_API ChMemoryInfo ch_memory_info(void);  // returns the figures of this moment

typedef enum ChLogLevel { CH_LOG_INFO, CH_LOG_ERROR } ChLogLevel;
typedef void (*ChLogFn)(void* user, ChLogLevel level, const char* text);

// Sets the function that receives the notices (CH_LOG_INFO) for which no context has a `notice`. It also receives a
// report of a broken invariant of the library before the library calls abort (CH_LOG_ERROR). NULL, the default: none.
// It is called from any thread that calls the library.
CH_API void ch_log_set(ChLogFn log, void* user);
// Passes a line of at most 511 characters to that function; does nothing if none is set.
CH_API void ch_log(ChLogLevel level, const char* format, ...) __attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif
#endif
