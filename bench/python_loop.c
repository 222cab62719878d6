// A loop over a scene's steps in C: what bench/python_speed.py compares Python's loop with.
//
//   python_loop SCENE STEPS        prints the processor seconds of a step, in microseconds
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cardhouse/cardhouse.h"

int main(int argc, char** argv) {
  ChContext context = {0};
  ChScene* scene = NULL;
  ChSimulation* simulation = NULL;
  long steps = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
  if (steps <= 0) {
    fputs("python_loop SCENE STEPS\n", stderr);
    return 2;
  }
  ChStatus status = ch_scene_open(&context, argv[1], &scene);
  if (status == CH_OK) {
    status = ch_simulation_create(&context, scene->world, &scene->options, &simulation);
    scene->world = NULL;
  }
  clock_t start = clock();
  for (long k = 0; status == CH_OK && k < steps; ++k) status = ch_simulation_step(&context, simulation, NULL);
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  if (status != CH_OK) fprintf(stderr, "python_loop: %s\n", context.message);
  if (status == CH_OK) printf("%.17g\n", 1e6 * seconds / (double)steps);
  ch_simulation_destroy(simulation);
  ch_scene_destroy(scene);
  return status == CH_OK ? 0 : 1;
}
