// Fuzz target: any bytes at all, resumed from as a checkpoint. Its sum is put right, so that what is wrong inside is
// met; what loads must step. `fuzz_checkpoint --seeds FOLDER` writes a corpus to start from.
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "fuzz_hdf5.h"
#include "fuzz_run.h"
#include "record/choices.h"

int LLVMFuzzerInitialize(int* argc, char*** argv);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t room, unsigned seed);

enum { HEAD = 64, SUM = 56 };  // as record/checkpoint.c has them

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc != 3 || strcmp((*argv)[1], "--seeds") != 0) return 0;
  for (int k = 0; k < FUZZ_SCENES; ++k) {
    char name[4096];
    snprintf(name, sizeof name, "%s/seed-%d.check", (*argv)[2], k);
    fuzz_record(k, NULL, name);
  }
  exit(0);
}

static void mend(uint8_t* data, size_t size) {
  if (size < HEAD) return;
  uint64_t sum = ch_sum_bytes(CH_SUM_START, data + HEAD, size - HEAD);
  memcpy(data + SUM, &sum, sizeof sum);
}

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t room, unsigned seed) {
  size = fuzz_overwrite(data, size, room, seed);
  if (seed % 16 != 0) mend(data, size);
  return size;
}

static void resume(const char* path, int scene) {
  ChContext context = {0};
  ChSimulation* simulation = fuzz_simulation(scene);
  ChRecordState records;
  char* changes = NULL;
  ChStatus status = ch_checkpoint_read(&context, path, simulation, fuzz_scenes[scene], &records);
  if (status != CH_OK && context.message[0] == '\0') abort();
  if (status == CH_OK) {
    ch_checkpoint_changes(&context, path, simulation, &changes);
    if (ch_simulation_step(&context, simulation, NULL) == CH_OK) ch_summary_add(&records.summary, simulation);
  }
  free(changes);
  ch_simulation_destroy(simulation);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ChContext context = {0};
  char* text = NULL;
  static char path[4096];
  const char* folder = getenv("TMPDIR");
  snprintf(path, sizeof path, "%s/fuzz-checkpoint-%ld", folder ? folder : "/tmp", (long)getpid());
  FILE* file = fopen(path, "wb");
  if (!file) return 0;
  fwrite(data, 1, size, file);
  fclose(file);
  if (ch_checkpoint_scene(&context, path, &text) == CH_OK)
    for (int k = 0; k < FUZZ_SCENES; ++k)
      if (strcmp(text, fuzz_scenes[k]) == 0) resume(path, k);
  free(text);
  unlink(path);
  return 0;
}
