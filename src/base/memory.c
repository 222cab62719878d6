// The hooks of memory.h.
#include "cardhouse/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"

static void* system_allocate(void* user, size_t size, size_t alignment) {
  (void)user;
  return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void system_release(void* user, void* block) {
  (void)user;
  free(block);
}

static const ChAllocator of_system = {.allocate = system_allocate, .release = system_release};
static ChAllocator in_use = {.allocate = system_allocate, .release = system_release};

static struct {
  ChLogFn tell;
  void* user;
} listener;

ChAllocator ch_memory_allocator(void) { return in_use; }

ChStatus ch_memory_set_allocator(ChContext* context, const ChAllocator* allocator) {
  if (allocator && (!allocator->allocate || !allocator->release))
    return ch_fail(context, CH_ERR_ARGUMENT, "an allocator needs both functions, allocate and release");
  ch_arena_trim();
  if (ch_arena_blocks() > 0)
    return ch_fail(context, CH_ERR_ARGUMENT,
                   "%ld blocks of the previous allocator are in use: set an allocator before anything is created",
                   ch_arena_blocks());
  in_use = allocator ? *allocator : of_system;
  return CH_OK;
}

void ch_memory_trim(void) { ch_arena_trim(); }

ChMemoryInfo ch_memory_info(void) {
  ChMemoryInfo info = {.allocations = ch_arena_allocations()};
  ch_arena_bytes(&info.used, &info.most_used, &info.kept);
  return info;
}

void ch_log_set(ChLogFn log, void* user) {
  listener.tell = log;
  listener.user = user;
}

void ch_log(ChLogLevel level, const char* format, ...) {
  if (!listener.tell) return;
  char text[CH_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  listener.tell(listener.user, level, text);
}
