// Arena: scratch and long-lived arrays taken from chunks, given back all at once.
//
// Between a mark and its release everything taken is scratch. A failed allocation jumps to the arena's landing, so
// that numerical code need not test every array; objects of other libraries are tied to the arena with ch_arena_defer
// and are freed in reverse order on release, on destroy and on a failure alike.
#ifndef CH_BASE_ARENA_H
#define CH_BASE_ARENA_H

#include <setjmp.h>
#include <stddef.h>

typedef struct ChArena ChArena;
typedef struct ChArenaMark {
  void* chunk;
  size_t used;
  void* defers;
} ChArenaMark;

// NULL when out of memory. `landing` (may be NULL) is where a later failed allocation jumps to; with no landing the
// take returns NULL instead.
ChArena* ch_arena_create(jmp_buf* landing);
void ch_arena_destroy(ChArena* arena);
void ch_arena_set_landing(ChArena* arena, jmp_buf* landing);

// Zeroed, aligned to 64 bytes. Never NULL when the arena has a landing.
void* ch_arena_take(ChArena* arena, size_t count, size_t size);
#define CH_TAKE(arena, count, type) ((type*)ch_arena_take((arena), (size_t)(count), sizeof(type)))

// The same with whatever was there before: for large arrays that are written before they are read.
void* ch_arena_take_raw(ChArena* arena, size_t count, size_t size);
#define CH_TAKE_RAW(arena, count, type) ((type*)ch_arena_take_raw((arena), (size_t)(count), sizeof(type)))

ChArenaMark ch_arena_mark(ChArena* arena);
void ch_arena_release(ChArena* arena, ChArenaMark mark);

// Runs free_fn(object) when the arena is released past this point or destroyed.
void ch_arena_defer(ChArena* arena, void (*free_fn)(void*), void* object);

// Fails as if memory had run out: for wrappers of libraries that allocate by themselves.
void ch_arena_fail(ChArena* arena);

// For a child of fork with one thread that will not live long: from now on arenas neither take from what destroyed ones
// left nor lock it.
void ch_arena_leave_pool(void);

// Gives back to the system what destroyed arenas left for later ones.
void ch_arena_trim(void);

// Blocks of the allocator that arenas and the pool hold; bytes of chunks in arenas, now and at most since the last
// trim, and in the pool.
long ch_arena_blocks(void);
void ch_arena_bytes(size_t* used, size_t* most_used, size_t* kept);

// Counts every heap allocation made by arenas since the program began: a test expects it to stand still.
long ch_arena_allocations(void);
// Makes the n-th heap allocation from now fail (0 = never): failure injection for tests.
void ch_arena_fail_after(long n);

#endif
