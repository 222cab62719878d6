// See soft_cache.h.
#include "model/soft/soft_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/whole_file.h"

enum { BASIS_VERSION = 4 };  // to be raised whenever the same choices give other numbers

static const char MAGIC[16] = "cardhouse-basis";

typedef struct Head {
  char magic[16];
  uint64_t version, count;
  ChSoftKey key, sum;
} Head;

// ---------------------------------------------------------------------------------------------------------- checksums

static uint64_t mix(uint64_t z) {  // splitmix64
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// Two chains of 64 bits over words of eight bytes.
static void take_up(ChSoftKey* key, const void* data, size_t size) {
  const char* bytes = data;
  for (size_t at = 0; at < size; at += 8) {
    uint64_t word = 0;
    memcpy(&word, bytes + at, size - at < 8 ? size - at : 8);
    key->part[0] = mix(key->part[0] + 0x9E3779B97F4A7C15u + word);
    key->part[1] = mix((key->part[1] ^ word) * 0xD1342543DE82EF95u + 1);
  }
}

ChSoftKey ch_soft_key(const ChSoftDef* def, double density, const ChTetMesh* mesh) {
  ChSoftKey key = {{0, 1}};
  const int64_t choices[] = {BASIS_VERSION, def->kind, def->modes, def->clamped, mesh->vertex_count, mesh->tet_count};
  const double numbers[] = {density, def->young, def->poisson};
  take_up(&key, choices, sizeof choices);
  take_up(&key, numbers, sizeof numbers);
  if (def->clamped) {
    take_up(&key, &def->clamp_low, sizeof def->clamp_low);
    take_up(&key, &def->clamp_high, sizeof def->clamp_high);
  }
  take_up(&key, mesh->vertices, (size_t)mesh->vertex_count * sizeof *mesh->vertices);
  take_up(&key, mesh->tets, 4 * (size_t)mesh->tet_count * sizeof *mesh->tets);
  return key;
}

static Head head_of(ChSoftKey key, long count, const double* numbers) {
  Head head = {.version = BASIS_VERSION, .count = (uint64_t)count, .key = key, .sum = key};
  memcpy(head.magic, MAGIC, sizeof MAGIC);
  take_up(&head.sum, numbers, (size_t)count * sizeof *numbers);
  return head;
}

// -------------------------------------------------------------------------------------------------------------- files

void ch_soft_cache_name(ChSoftKey key, char name[CH_SOFT_CACHE_NAME]) {
  snprintf(name, CH_SOFT_CACHE_NAME, "%016" PRIx64 "%016" PRIx64 ".basis", key.part[0], key.part[1]);
}

static char* path_of(ChArena* arena, const char* folder, ChSoftKey key) {
  char name[CH_SOFT_CACHE_NAME];
  size_t room = strlen(folder) + CH_SOFT_CACHE_NAME + 1;
  char* path = CH_TAKE(arena, room, char);
  ch_soft_cache_name(key, name);
  snprintf(path, room, "%s/%s", folder, name);
  return path;
}

// Whether there is a plain file of this size, and it is read whole. A pipe in its place neither holds up its opening,
// for which O_NONBLOCK is there, nor is it read.
static bool read_plain(const char* path, size_t size, char* out) {
  struct stat info;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  bool good = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && (size_t)info.st_size == size;
  for (size_t done = 0; good && done < size;) {
    ssize_t got = read(fd, out + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    good = got > 0;
    done += good ? (size_t)got : 0;
  }
  close(fd);
  return good;
}

bool ch_soft_cache_read(ChArena* arena, const char* folder, ChSoftKey key, long count, double* numbers) {
  ChArenaMark mark = ch_arena_mark(arena);
  const char* path = path_of(arena, folder, key);
  size_t bytes = (size_t)count * sizeof *numbers, size = sizeof(Head) + bytes;
  char* text = CH_TAKE_RAW(arena, size, char);
  bool good = read_plain(path, size, text);
  if (good) {
    memcpy(numbers, text + sizeof(Head), bytes);
    Head expected = head_of(key, count, numbers);
    good = memcmp(text, &expected, sizeof expected) == 0 && ch_all_finite(numbers, count);
    if (!good) memset(numbers, 0, bytes);
  }
  ch_arena_release(arena, mark);
  return good;
}

// The folder beside a scene is one like any other. Where those above it are missing, too, it is the user's own (XDG
// base directories), and all that are made are for nobody else.
static void make_folder(ChArena* arena, const char* folder) {
  if (mkdir(folder, 0777) == 0 || errno != ENOENT) return;
  size_t room = strlen(folder) + 1;
  char* part = CH_TAKE(arena, room, char);
  memcpy(part, folder, room);
  for (char* slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(part, 0700);  // those that are there already stay
    *slash = '/';
  }
  mkdir(folder, 0700);
}

// What is no plain file is not ours to replace, and writing into a pipe would wait for its reader.
static bool is_replaceable(const char* path) {
  struct stat info;
  return stat(path, &info) != 0 || S_ISREG(info.st_mode);
}

void ch_soft_cache_write(ChArena* arena, const char* folder, ChSoftKey key, long count, const double* numbers) {
  ChArenaMark mark = ch_arena_mark(arena);
  size_t bytes = (size_t)count * sizeof *numbers;
  char* text = CH_TAKE(arena, sizeof(Head) + bytes, char);
  Head head = head_of(key, count, numbers);
  memcpy(text, &head, sizeof head);
  memcpy(text + sizeof head, numbers, bytes);
  make_folder(arena, folder);
  const char* path = path_of(arena, folder, key);
  if (is_replaceable(path)) ch_whole_file_write(NULL, path, text, sizeof head + bytes);
  ch_arena_release(arena, mark);
}
