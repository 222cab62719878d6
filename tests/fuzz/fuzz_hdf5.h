// What the fuzz targets of HDF5 files share: a file for the bytes, and mutations that a web of offsets survives.
#ifndef FUZZ_HDF5_H
#define FUZZ_HDF5_H

#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t room);

// ----------------------------------------------------------------------------------------------------------- the file

static char fuzz_path[4096];
static void fuzz_remove(void) { unlink(fuzz_path); }

// The library reads HDF5 in a child process because libhdf5 breaks down on some files. A child that does is no finding,
// and must not record one; its report goes where ASAN_OPTIONS=log_path says, and run.sh looks whether the fault was
// ours.
static void fuzz_disown(void) { __sanitizer_set_death_callback(NULL); }

// The file that is read, made at the first call, with these bytes in it; the signature is put back, since without it
// HDF5 is never asked. NULL when it cannot be written.
static inline const char* fuzz_file(const uint8_t* data, size_t size) {
  static const char signature[8] = "\x89HDF\r\n\x1a\n";
  static int fd = -1;
  if (fd < 0) {
    const char* folder = getenv("TMPDIR");
    snprintf(fuzz_path, sizeof fuzz_path, "%s/fuzz-hdf5-XXXXXX", folder ? folder : "/tmp");
    fd = mkstemp(fuzz_path);
    if (fd < 0) {
      perror(fuzz_path);
      exit(1);
    }
    atexit(fuzz_remove);
    pthread_atfork(NULL, NULL, fuzz_disown);
  }
  bool done = ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size &&
              (size < sizeof signature || pwrite(fd, signature, sizeof signature, 0) == (ssize_t)sizeof signature);
  return done ? fuzz_path : NULL;
}

// ---------------------------------------------------------------------------------------------------------- checksums

static inline uint32_t fuzz_turn(uint32_t x, int k) { return (x << k) | (x >> (32 - k)); }

// HDF5's checksum of metadata: Jenkins' lookup3.
static inline uint32_t fuzz_checksum(const uint8_t* text, size_t size) {
  static const int stir[6] = {4, 6, 8, 16, 19, 4}, end[7] = {14, 11, 25, 16, 4, 14, 24};
  uint32_t x[3] = {0xdeadbeef + (uint32_t)size, 0xdeadbeef + (uint32_t)size, 0xdeadbeef + (uint32_t)size}, word[3];
  for (;; text += 12, size -= 12) {
    memset(word, 0, sizeof word);
    memcpy(word, text, size < 12 ? size : 12);
    for (int i = 0; i < 3; ++i) x[i] += word[i];
    if (size <= 12) break;
    for (int i = 0; i < 6; ++i) {
      uint32_t *a = &x[i % 3], *b = &x[(i + 1) % 3], *c = &x[(i + 2) % 3];
      *a -= *c, *a ^= fuzz_turn(*c, stir[i]), *c += *b;
    }
  }
  for (int i = 0; i < 7; ++i) {
    uint32_t *c = &x[(i + 2) % 3], *b = &x[(i + 1) % 3];
    *c ^= *b, *c -= fuzz_turn(*b, end[i]);
  }
  return x[2];
}

typedef struct FuzzPart {
  size_t at, size;  // size 0: no checksum covers the place
} FuzzPart;

// The part of the structure that holds a place and ends with a checksum which is right so far.
static inline FuzzPart fuzz_part_of(const uint8_t* data, size_t size, size_t place) {
  static const char names[][5] = {"OHDR", "OCHK", "EAHD", "EAIB", "EADB", "EASB",   "BTHD",
                                  "BTLF", "FRHP", "FADB", "FAHD", "FHDB", "\x89HDF"};
  size_t low = place > 600 ? place - 600 : 0;
  for (size_t at = place + 1; at-- > low;)
    for (size_t k = 0; at + 4 <= size && k < sizeof names / sizeof *names; ++k) {
      if (memcmp(data + at, names[k], 4) != 0) continue;
      for (size_t length = place - at + 1; length < 800 && at + length + 4 <= size; ++length) {
        uint32_t stored;
        memcpy(&stored, data + at + length, sizeof stored);
        if (stored == fuzz_checksum(data + at, length)) return (FuzzPart){at, length};
      }
      return (FuzzPart){0, 0};
    }
  return (FuzzPart){0, 0};
}

// ---------------------------------------------------------------------------------------------------------- mutations

static inline uint64_t fuzz_value(uint64_t value) {
  static const uint64_t values[] = {0,
                                    1,
                                    2,
                                    3,
                                    7,
                                    8,
                                    0x7f,
                                    0x80,
                                    0xff,
                                    0x7fff,
                                    0xffff,
                                    INT32_MAX,
                                    UINT32_MAX,
                                    UINT64_C(1) << 40,
                                    INT64_MAX,
                                    UINT64_MAX,
                                    UINT64_C(0x7ff8000000000000)};
  switch (rand() % 4) {
    case 0:
      return values[(size_t)rand() % (sizeof values / sizeof *values)];
    case 1:
      return value + (uint64_t)(rand() % 33 - 16);
    case 2:
      return value ^ UINT64_C(1) << rand() % 64;
    default:
      return (uint64_t)rand();
  }
}

// HDF5 is a web of offsets: a byte put in or taken out breaks all of them at once and teaches nothing. Most mutations
// therefore overwrite a number in place, and the checksum over it is mended, or HDF5 would look no further.
static inline size_t fuzz_overwrite(uint8_t* data, size_t size, size_t room, unsigned seed) {
  srand(seed);
  if (size < 16 || rand() % 8 == 0) return LLVMFuzzerMutate(data, size, room);
  for (int times = 1 + rand() % 3; times > 0; --times) {
    size_t width = (size_t)1 << rand() % 4, at = ((size_t)rand() << 8 ^ (size_t)rand()) % (size - width);
    uint64_t value = 0;
    memcpy(&value, data + at, sizeof value > size - at ? size - at : sizeof value);
    FuzzPart part = fuzz_part_of(data, size, at);
    value = fuzz_value(value);
    memcpy(data + at, &value, width);
    if (part.size == 0) continue;
    uint32_t sum = fuzz_checksum(data + part.at, part.size);
    memcpy(data + part.at + part.size, &sum, sizeof sum);
  }
  return size;
}

#endif
