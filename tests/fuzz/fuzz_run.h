// A small run, for the fuzz targets of recordings and checkpoints: two balls on a floor, and a soft bar where asked
// for.
#ifndef FUZZ_RUN_H
#define FUZZ_RUN_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "cardhouse/record.h"
#include "cardhouse/scene.h"

static const char* const fuzz_scenes[] = {
    "{\"cardhouse\":1,\"dimension\":3,\"gravity\":[0,0,-9.81],\"step\":{\"h\":0.01,\"until\":1},\"materials\":{\"m\":{"
    "\"density\":1000,\"friction\":0.5}},\"bodies\":[{\"name\":\"floor\",\"fixed\":true,\"shapes\":[{\"type\":"
    "\"halfspace\",\"material\":\"m\"}]},{\"name\":\"a\",\"position\":[0,0,0.1],\"shapes\":[{\"type\":\"sphere\","
    "\"radius\":0.1,\"material\":\"m\"}]},{\"name\":\"b\",\"position\":[1,0,0.1],\"shapes\":[{\"type\":\"sphere\","
    "\"radius\":0.1,\"material\":\"m\"}]}],\"joints\":[{\"type\":\"ball\",\"bodies\":[\"a\",\"b\"],\"at\":[0.5,0,0.1]}]"
    "}",
    "{\"cardhouse\":1,\"dimension\":2,\"gravity\":[0,-9.81],\"step\":{\"h\":0.01,\"until\":1},\"materials\":{\"m\":{"
    "\"density\":1000,\"friction\":0.5}},\"bodies\":[{\"name\":\"floor\",\"fixed\":true,\"shapes\":[{\"type\":"
    "\"halfplane\",\"normal\":[0,1],\"material\":\"m\"}]},{\"name\":\"a\",\"position\":[0,0.1],\"shapes\":[{\"type\":"
    "\"disk\",\"radius\":0.1,\"material\":\"m\"}]}]}",
    "{\"cardhouse\":1,\"dimension\":3,\"gravity\":[0,0,-9.81],\"step\":{\"h\":0.01,\"until\":1},\"materials\":{\"m\":{"
    "\"density\":1000,\"friction\":0.5}},\"bodies\":[{\"name\":\"floor\",\"fixed\":true,\"shapes\":[{\"type\":"
    "\"halfspace\",\"material\":\"m\"}]},{\"name\":\"bar\",\"position\":[0,0,0.05],\"soft\":{\"mesh\":{\"shape\":"
    "\"bar\","
    "\"size\":[0.3,0.06,0.06],\"cells\":[2,1,1]},\"young\":4e5,\"modes\":3,\"material\":\"m\"}}]}"};
enum { FUZZ_SCENES = 3 };

static inline void fuzz_must(ChStatus status, const ChContext* context) {
  if (status == CH_OK) return;
  fprintf(stderr, "%s\n", context->message);
  exit(1);
}

static inline ChSimulation* fuzz_simulation(int scene) {
  ChContext context = {0};
  ChScene* read = NULL;
  ChSimulation* simulation = NULL;
  fuzz_must(ch_scene_parse(&context, fuzz_scenes[scene], "/nowhere/fuzz.json", &read), &context);
  ChWorld* world = read->world;
  read->world = NULL;
  read->options.solve.max_iterations = 50;
  fuzz_must(ch_simulation_create(&context, world, &read->options, &simulation), &context);
  ch_scene_destroy(read);
  return simulation;
}

// A few steps into a recording, a checkpoint or both; NULL: none.
static inline void fuzz_record(int scene, const char* recording, const char* checkpoint) {
  ChContext context = {0};
  ChSimulation* simulation = fuzz_simulation(scene);
  ChTrajectory* trajectory = NULL;
  ChRecordState records = {.summary = ch_summary_begin(simulation), .every = 1};
  if (recording)
    fuzz_must(ch_trajectory_create(&context, recording, simulation, fuzz_scenes[scene], 1, false, &trajectory),
              &context);
  for (int k = 0; k < 4; ++k) {
    fuzz_must(ch_simulation_step(&context, simulation, NULL), &context);
    if (recording) fuzz_must(ch_trajectory_add(&context, trajectory, simulation), &context);
    ch_summary_add(&records.summary, simulation);
  }
  fuzz_must(ch_trajectory_close(&context, trajectory), &context);
  if (checkpoint)
    fuzz_must(ch_checkpoint_write(&context, checkpoint, simulation, fuzz_scenes[scene], &records), &context);
  ch_simulation_destroy(simulation);
}

#endif
