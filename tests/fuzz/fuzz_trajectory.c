// Fuzz target: any bytes at all, read as a recording, as `view`, `replay`, `render` and `measure` read it. HDF5 breaks
// down on some; that happens in the child process, and is no finding. `fuzz_trajectory --seeds FOLDER` writes a corpus.
#include "fuzz_hdf5.h"
#include "fuzz_read.h"

int LLVMFuzzerInitialize(int* argc, char*** argv);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t room, unsigned seed);

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc != 3 || strcmp((*argv)[1], "--seeds") != 0) return 0;
  for (int k = 0; k < FUZZ_SCENES; ++k) {
    char name[4096];
    snprintf(name, sizeof name, "%s/seed-%d.h5", (*argv)[2], k);
    fuzz_record(k, name, NULL);
  }
  exit(0);
}

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t room, unsigned seed) {
  return fuzz_overwrite(data, size, room, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const char* path = fuzz_file(data, size);
  if (path) fuzz_read(path);
  return 0;
}
