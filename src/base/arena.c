// Arena: see arena.h. Chunks form a stack; a release keeps the freed chunks for later, and a destroyed arena leaves
// its chunks to the next one, so that a steady state allocates nothing and touches no fresh page.
#include "base/arena.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/check.h"
#include "cardhouse/memory.h"

enum { ALIGNMENT = 64, FIRST_CHUNK = 1 << 16, LARGEST_CHUNK = 1 << 26, POOL_BYTES = 1 << 28, POOL_ARENAS = 64 };

typedef struct Chunk {
  struct Chunk* below;
  size_t size, used;
  unsigned char* data;
} Chunk;

typedef struct Defer {
  struct Defer* below;
  void (*free_fn)(void*);
  void* object;
} Defer;

struct ChArena {
  Chunk* top;
  Chunk* spare;  // chunks given back by a release
  Defer* defers;
  jmp_buf* landing;
};

static atomic_long allocations;
static atomic_long fail_after;

long ch_arena_allocations(void) { return atomic_load(&allocations); }
void ch_arena_fail_after(long n) { atomic_store(&fail_after, n); }

static atomic_long blocks;  // of the allocator, in arenas and in the pool
long ch_arena_blocks(void) { return atomic_load(&blocks); }

static void* counted_alloc(size_t size) {
  atomic_fetch_add(&allocations, 1);
  if (atomic_load(&fail_after) > 0 && atomic_fetch_sub(&fail_after, 1) == 1) return NULL;
  ChAllocator allocator = ch_memory_allocator();
  void* block = allocator.allocate(allocator.user, size, ALIGNMENT);
  if (block) atomic_fetch_add(&blocks, 1);
  return block;
}

static void give_back(void* block) {
  ChAllocator allocator = ch_memory_allocator();
  allocator.release(allocator.user, block);
  atomic_fetch_sub(&blocks, 1);
}

void ch_arena_set_landing(ChArena* arena, jmp_buf* landing) { arena->landing = landing; }

// Destroyed arenas and their chunks, for all threads; no more than POOL_ARENAS are kept, and no more bytes than were in
// use at once and POOL_BYTES besides: a large world will need its chunks again in the next step.
static struct {
  pthread_mutex_t lock;
  Chunk* chunks;
  size_t bytes, out, most_out;  // in the pool; in arenas, now and at most
  ChArena* arenas[POOL_ARENAS];
  int arena_count;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

// A host that forks while one of its threads is in here gets a child whose pool is whole and not locked.
static void pool_lock(void) { pthread_mutex_lock(&pool.lock); }
static void pool_unlock(void) { pthread_mutex_unlock(&pool.lock); }
__attribute__((constructor)) static void pool_survives_fork(void) {
  pthread_atfork(pool_lock, pool_unlock, pool_unlock);
}

static bool left_pool;  // a child of fork that needs no lock: its arenas live on the heap alone

void ch_arena_leave_pool(void) { left_pool = true; }

static bool pool_give_arena(ChArena* arena) {
  if (left_pool) return false;
  pthread_mutex_lock(&pool.lock);
  bool kept = pool.arena_count < POOL_ARENAS;
  if (kept) pool.arenas[pool.arena_count++] = arena;
  pthread_mutex_unlock(&pool.lock);
  return kept;
}

static ChArena* pool_take_arena(void) {
  if (left_pool) return NULL;
  pthread_mutex_lock(&pool.lock);
  ChArena* arena = pool.arena_count > 0 ? pool.arenas[--pool.arena_count] : NULL;
  pthread_mutex_unlock(&pool.lock);
  return arena;
}

ChArena* ch_arena_create(jmp_buf* landing) {
  ChArena* arena = atomic_load(&fail_after) > 0 ? NULL : pool_take_arena();  // injected failures must reach the heap
  if (!arena) arena = counted_alloc(sizeof *arena);
  if (!arena) return NULL;
  *arena = (ChArena){.landing = landing};
  return arena;
}

static bool pool_keep(Chunk* chunk) {
  if (left_pool) return false;
  pthread_mutex_lock(&pool.lock);
  CH_ASSERT(pool.out >= chunk->size);
  pool.out -= chunk->size;
  bool kept = pool.bytes + pool.out + chunk->size <= pool.most_out + POOL_BYTES;
  if (kept) {
    chunk->below = pool.chunks;
    pool.chunks = chunk;
    pool.bytes += chunk->size;
  }
  pthread_mutex_unlock(&pool.lock);
  return kept;
}

static void pool_give(Chunk* chunk) {
  if (pool_keep(chunk)) return;
  give_back(chunk->data);
  give_back(chunk);
}

static void pool_count_out(size_t size) {
  if (left_pool) return;
  pthread_mutex_lock(&pool.lock);
  pool.out += size;
  if (pool.out > pool.most_out) pool.most_out = pool.out;
  pthread_mutex_unlock(&pool.lock);
}

// The smallest kept chunk that holds `bytes`, or NULL.
static Chunk* pool_take(size_t bytes) {
  if (left_pool) return NULL;
  pthread_mutex_lock(&pool.lock);
  Chunk** best = NULL;
  for (Chunk** link = &pool.chunks; *link; link = &(*link)->below)
    if ((*link)->size >= bytes && (!best || (*link)->size < (*best)->size)) best = link;
  Chunk* chunk = best ? *best : NULL;
  if (chunk) {
    *best = chunk->below;
    pool.bytes -= chunk->size;
  }
  pthread_mutex_unlock(&pool.lock);
  return chunk;
}

void ch_arena_bytes(size_t* used, size_t* most_used, size_t* kept) {
  pthread_mutex_lock(&pool.lock);
  *used = pool.out;
  *most_used = pool.most_out;
  *kept = pool.bytes;
  pthread_mutex_unlock(&pool.lock);
}

void ch_arena_trim(void) {
  for (Chunk* chunk = pool_take(0); chunk; chunk = pool_take(0)) {
    give_back(chunk->data);
    give_back(chunk);
  }
  pthread_mutex_lock(&pool.lock);
  pool.most_out = pool.out;
  pthread_mutex_unlock(&pool.lock);
  for (ChArena* arena = pool_take_arena(); arena; arena = pool_take_arena()) give_back(arena);
}

static void free_chunks(Chunk* chunk) {
  while (chunk) {
    Chunk* below = chunk->below;
    pool_give(chunk);
    chunk = below;
  }
}

static void run_defers(ChArena* arena, const void* until) {
  while (arena->defers != until) {
    Defer* defer = arena->defers;
    arena->defers = defer->below;
    defer->free_fn(defer->object);
  }
}

void ch_arena_destroy(ChArena* arena) {
  if (!arena) return;
  run_defers(arena, NULL);
  free_chunks(arena->top);
  free_chunks(arena->spare);
  if (!pool_give_arena(arena)) give_back(arena);
}

void ch_arena_fail(ChArena* arena) {
  if (arena->landing) longjmp(*arena->landing, 1);
}

// A spare chunk that is large enough, or a new one, at least twice the last: few chunks however much is taken.
static Chunk* next_chunk(ChArena* arena, size_t bytes) {
  for (Chunk** link = &arena->spare; *link; link = &(*link)->below) {
    Chunk* chunk = *link;
    if (chunk->size < bytes) continue;
    *link = chunk->below;
    return chunk;
  }
  size_t size = arena->top ? 2 * arena->top->size : FIRST_CHUNK;
  if (size > LARGEST_CHUNK) size = LARGEST_CHUNK;
  if (size < bytes) size = bytes;
  Chunk* chunk = atomic_load(&fail_after) > 0 ? NULL : pool_take(size);  // injected failures must reach the heap
  if (chunk) {
    pool_count_out(chunk->size);
    return chunk;
  }
  chunk = counted_alloc(sizeof *chunk);
  if (!chunk) return NULL;
  *chunk = (Chunk){.size = size, .data = counted_alloc(size)};
  if (chunk->data) {
    pool_count_out(size);
    return chunk;
  }
  give_back(chunk);
  return NULL;
}

void* ch_arena_take_raw(ChArena* arena, size_t count, size_t size) {
  if (size && count > (SIZE_MAX / 4) / size) {
    ch_arena_fail(arena);
    return NULL;
  }
  size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (bytes == 0) bytes = ALIGNMENT;
  if (!arena->top || arena->top->size - arena->top->used < bytes) {
    Chunk* chunk = next_chunk(arena, bytes);
    if (!chunk) {
      ch_arena_fail(arena);
      return NULL;
    }
    chunk->used = 0;
    chunk->below = arena->top;
    arena->top = chunk;
  }
  void* taken = arena->top->data + arena->top->used;
  arena->top->used += bytes;
  return taken;
}

void* ch_arena_take(ChArena* arena, size_t count, size_t size) {
  void* taken = ch_arena_take_raw(arena, count, size);
  return taken ? memset(taken, 0, count * size) : NULL;
}

ChArenaMark ch_arena_mark(ChArena* arena) {
  return (ChArenaMark){.chunk = arena->top, .used = arena->top ? arena->top->used : 0, .defers = arena->defers};
}

void ch_arena_release(ChArena* arena, ChArenaMark mark) {
  run_defers(arena, mark.defers);
  while (arena->top != mark.chunk) {
    CH_ASSERT(arena->top);  // the mark was this arena's
    Chunk* chunk = arena->top;
    arena->top = chunk->below;
    chunk->below = arena->spare;
    arena->spare = chunk;
  }
  if (arena->top) arena->top->used = mark.used;
}

void ch_arena_defer(ChArena* arena, void (*free_fn)(void*), void* object) {
  jmp_buf* landing = arena->landing;  // the object must not be lost if its record cannot be had
  arena->landing = NULL;
  Defer* defer = CH_TAKE(arena, 1, Defer);
  arena->landing = landing;
  if (!defer) {
    free_fn(object);
    ch_arena_fail(arena);
    return;
  }
  *defer = (Defer){.below = arena->defers, .free_fn = free_fn, .object = object};
  arena->defers = defer;
}
