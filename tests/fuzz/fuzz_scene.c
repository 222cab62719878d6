// Fuzz target: any text at all, read as a scene. `fuzz_scene --seeds FOLDER` writes a corpus to start from.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/scene.h"

int LLVMFuzzerInitialize(int* argc, char*** argv);
// A list of all faults has one where there is one, and none that a scene without faults has.
static void tell_all(const char* text, bool good) {
  static ChSceneFaults faults;
  ChContext context = {0};
  ChScene* scene = NULL;
  ChStatus status = ch_scene_parse_telling(&context, text, "/nowhere/fuzz.json", &faults, &scene);
  if ((status == CH_OK) != good || (scene != NULL) != good) abort();
  if (good ? faults.count > 0 : faults.count == 0 && status != CH_ERR_MEMORY) abort();
  if (!good && faults.count > 0 && strcmp(faults.text[0], context.message) != 0) abort();
  ch_scene_destroy(scene);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// Small built-in scenes, and what none of them has.
static const char* const builtins[][3] = {{"cards", "levels", "1"},      {"arch", "n", "3"},
                                          {"stack", "n", "2"},           {"pile", "plane", "1"},
                                          {"pendulum", "links", "2"},    {"slider-crank", "speed", "1"},
                                          {"incline", "mu", "0.1"},      {"painleve-rod", "mu", "1"},
                                          {"spinning-top", "spin", "1"}, {"hourglass", "n", "1"}};
static const char* const texts[] = {
    "{\"cardhouse\":1,\"parameters\":{\"a\":2,\"b\":\"=a^2\"},\"bodies\":[{\"mass\":\"=sqrt(b)*-(a-3)\",\"inertia\":[1,"
    "1,1],"
    "\"omega\":[0,0,1]},{\"name\":\"k\",\"motion\":[{\"base\":1,\"rate\":2},0,{\"table\":[[0,0],[1,1]]}],\"turn\":1,"
    "\"axis\":"
    "[0,1,0],\"shapes\":[{\"type\":\"ellipsoid\",\"half\":[1,2,3]},{\"type\":\"mesh\",\"points\":[[0,0,0],[1,0,0],[0,1,"
    "0]],"
    "\"triangles\":[[0,1,2]]}]}]}",
    "{\"cardhouse\":1,\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"position\":[0,3],\"orientation\":{\"radians\":1},"
    "\"lock\":"
    "[\"x\",\"rz\"],\"shapes\":[{\"type\":\"ellipse\",\"half\":[1,2]},{\"type\":\"polygon\",\"points\":[[0,0],[1,0],[0,"
    "1]]}]},"
    "{\"name\":\"c\",\"fixed\":true,\"shapes\":[{\"type\":\"chain\",\"points\":[[1,0],[0,0],[-1,0]]}]}],\"joints\":[{"
    "\"type\":"
    "\"slider\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0],\"axis\":[1,0],\"axes\":[{\"lower\":-1,\"drive\":"
    "\"velocity\","
    "\"target\":1}]}],\"forces\":[{\"type\":\"wrench\",\"body\":\"a\",\"force\":[1,0],\"torque\":2}]}",
    "{\"cardhouse\":1,\"step\":{\"stabilization\":{\"mode\":\"off\"},\"adaptive\":{\"gap_tolerance\":1}},\"method\":{"
    "\"name\":"
    "\"nsgs\",\"cone\":\"polygon:8\",\"settings\":{\"nsgs.anderson\":1}},\"materials\":{\"m\":{\"friction\":{\"along\":"
    "1,"
    "\"across\":2}}},\"pairs\":[{\"materials\":[\"m\",\"default\"],\"friction\":[1,2]}],\"ignore\":[]}",
};

static void write_seed(const char* folder, int number, const char* text) {
  char name[4096];
  snprintf(name, sizeof name, "%s/seed-%d.json", folder, number);
  FILE* file = fopen(name, "w");
  if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
    perror(name);
    exit(1);
  }
}

static void write_seeds(const char* folder) {
  int number = 0;
  for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) write_seed(folder, number++, texts[k]);
  for (size_t k = 0; k < sizeof builtins / sizeof *builtins; ++k) {
    const char* const parameters[][2] = {{builtins[k][1], builtins[k][2]}};
    ChContext context = {0};
    char* text;
    if (ch_scene_builtin(&context, builtins[k][0], 1, parameters, &text) == CH_OK) write_seed(folder, number++, text);
    free(text);
  }
}

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc != 3 || strcmp((*argv)[1], "--seeds") != 0) return 0;
  write_seeds((*argv)[2]);
  exit(0);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  char* text = malloc(size + 1);  // exactly as long as the text, so that a read beyond it is seen
  if (!text) return 0;
  if (size > 0) memcpy(text, data, size);
  text[size] = '\0';
  ChContext context = {0};
  ChScene* scene = NULL;
  ChStatus status = ch_scene_parse(&context, text, "/nowhere/fuzz.json", &scene);
  // A refusal says why; a success gives a scene whose own text is a scene again.
  if ((status == CH_OK) != (scene != NULL) || (status != CH_OK && context.message[0] == '\0')) abort();
  if (scene) {
    ChScene* again = NULL;
    if (ch_scene_parse(&context, scene->text, NULL, &again) != CH_OK) abort();
    ch_scene_destroy(again);
  }
  tell_all(text, scene != NULL);
  ch_scene_destroy(scene);
  free(text);
  return 0;
}
