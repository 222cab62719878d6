// A step of a bed of pebbles as their number grows: time, sweeps and memory, with the exponents of a fit.
//
// Prints Markdown.
//
//   scale [--threads N] [--steps K] [--skip K] [--tolerance T] [--depth D] [pebbles ...]
//
// Default: one thread; 20 steps are measured after 20 that are not, for the first ones start from no reactions; 1e-4;
// 4,000, 12,000 and 40,000 pebbles. The built-in pebble-bed, packed at random, twice: as it is, as deep as it is wide,
// and 20 pebbles deep (D) whatever its number. Each bed is a process of its own, so that its peak of memory is its own.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cardhouse/clock.h"
#include "cardhouse/scene.h"
#include "cardhouse/shape.h"

enum { NUMBERS_MOST = 16 };

typedef struct Plan {
  int threads, steps, skip, count, numbers[NUMBERS_MOST];
  double tolerance, depth;
} Plan;

// What a child tells its parent.
typedef struct Bed {
  bool good;
  int pebbles, missed, substeps;
  double contacts, sweeps, worst;            // means of a step; the worst natural
  double seconds, collide, assemble, solve;  // processor seconds a step, and the parts of it by the clock
  double built, built_bytes, peak_bytes;     // seconds of the processor until the first step
} Bed;

static double resident_bytes(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * (double)usage.ru_maxrss;
}

// Diameters across, so that the bed is `depth` of them deep: n d^3 / 1.1 pebbles fill a cylinder of that width.
static int across_for(int n, double depth) { return (int)lround(sqrt(1.16 * n / depth)); }

static ChSimulation* open_bed(ChContext* context, const Plan* plan, int n, bool fixed) {
  char number[32], across[32];
  snprintf(number, sizeof number, "%d", n);
  snprintf(across, sizeof across, "%d", fixed ? across_for(n, plan->depth) : 0);
  const char* const parameters[][2] = {{"n", number}, {"packing", "random"}, {"across", across}};
  const ChSceneChoice choice = {.parameter_count = 3, .parameters = parameters};
  ChScene* scene = NULL;
  ChSimulation* simulation = NULL;
  if (ch_scene_open_with(context, "pebble-bed", &choice, &scene) != CH_OK) return NULL;
  scene->options.solve.tolerance = plan->tolerance;
  scene->options.threads = plan->threads;
  if (ch_simulation_create(context, scene->world, &scene->options, &simulation) != CH_OK) simulation = NULL;
  scene->world = NULL;
  ch_scene_destroy(scene);
  return simulation;
}

static bool measure(ChContext* context, const Plan* plan, ChSimulation* s, Bed* bed) {
  double began = 0.0;
  ChStepInfo info;
  for (int k = 0; k < plan->skip + plan->steps; ++k) {
    if (k == plan->skip) began = ch_clock_processor_seconds();
    if (ch_simulation_step(context, s, &info) != CH_OK) return false;
    if (k < plan->skip) continue;
    double share = 1.0 / plan->steps;
    bed->contacts += share * info.contacts;
    bed->sweeps += share * info.iterations;
    bed->collide += share * info.seconds_collide;
    bed->assemble += share * info.seconds_assemble;
    bed->solve += share * info.seconds_solve;
    bed->missed += info.missed;
    bed->substeps += info.substeps + info.rejected;
    if (info.certificate.natural > bed->worst) bed->worst = info.certificate.natural;
  }
  bed->seconds = (ch_clock_processor_seconds() - began) / plan->steps;
  return true;
}

static Bed make_bed(const Plan* plan, int n, bool fixed) {
  ChContext context = {0};
  Bed bed = {.pebbles = n};
  double began = ch_clock_processor_seconds();
  ChSimulation* s = open_bed(&context, plan, n, fixed);
  if (s) {
    bed.built = ch_clock_processor_seconds() - began;
    bed.built_bytes = resident_bytes();
    bed.good = measure(&context, plan, s, &bed);
    bed.peak_bytes = resident_bytes();
  }
  if (!bed.good) fprintf(stderr, "scale: %d pebbles: %s\n", n, context.message);
  ch_simulation_destroy(s);
  return bed;
}

static Bed in_a_child(const Plan* plan, int n, bool fixed) {
  int ends[2];
  Bed bed = {0};
  if (pipe(ends) != 0) return bed;
  pid_t child = fork();
  if (child == 0) {
    bed = make_bed(plan, n, fixed);
    bool told = write(ends[1], &bed, sizeof bed) == (ssize_t)sizeof bed;
    _exit(told ? 0 : 1);
  }
  close(ends[1]);
  if (child < 0 || read(ends[0], &bed, sizeof bed) != (ssize_t)sizeof bed) bed.good = false;
  close(ends[0]);
  if (child > 0) waitpid(child, NULL, 0);
  return bed;
}

// Slope of log y over log n, by least squares.
static double exponent(int count, const Bed* beds, double (*of)(const Bed* bed)) {
  double n = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
  for (int k = 0; k < count; ++k) {
    if (!beds[k].good) continue;
    double a = log(beds[k].pebbles), b = log(of(&beds[k]));
    n += 1.0, x += a, y += b, xx += a * a, xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

static double seconds_of(const Bed* bed) { return bed->seconds; }
static double sweeps_of(const Bed* bed) { return bed->sweeps; }
static double sweep_of(const Bed* bed) { return bed->seconds / bed->sweeps; }
static double memory_of(const Bed* bed) { return bed->peak_bytes; }

static bool print_beds(const Plan* plan, bool fixed) {
  Bed beds[NUMBERS_MOST];
  bool good = true;
  if (fixed)
    printf("\nFixed depth, %g pebbles:\n\n", plan->depth);
  else
    printf("\nAs deep as wide:\n\n");
  printf(
      "| pebbles | contacts a pebble | sweeps a step | processor s a step | collide, assemble, solve %% | ns a contact "
      "and "
      "sweep | missed | worst natural | tries a step | peak MB | kB a pebble | s to build |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (int k = 0; k < plan->count; ++k) {
    const Bed b = beds[k] = in_a_child(plan, plan->numbers[k], fixed);
    good = good && b.good;
    double all = b.collide + b.assemble + b.solve;
    printf("| %d | %.2f | %.0f | %.3g | %.0f, %.0f, %.0f | %.1f | %d of %d | %.1e | %.2f | %.0f | %.1f | %.2g |\n",
           b.pebbles, b.contacts / b.pebbles, b.sweeps, b.seconds, 100.0 * b.collide / all, 100.0 * b.assemble / all,
           100.0 * b.solve / all, 1e9 * b.seconds / (b.sweeps * b.contacts), b.missed, plan->steps, b.worst,
           (double)b.substeps / plan->steps, 1e-6 * b.peak_bytes, 1e-3 * b.peak_bytes / b.pebbles, b.built);
    fflush(stdout);
  }
  printf("\nExponents of n: a step %.2f (sweeps %.2f, a sweep %.2f), memory %.2f.\n",
         exponent(plan->count, beds, seconds_of), exponent(plan->count, beds, sweeps_of),
         exponent(plan->count, beds, sweep_of), exponent(plan->count, beds, memory_of));
  return good;
}

static bool read_plan(int argc, char** argv, Plan* plan) {
  const struct {
    const char* name;
    int* whole;
    double* number;
  } rows[] = {{"--threads", &plan->threads, NULL},
              {"--steps", &plan->steps, NULL},
              {"--skip", &plan->skip, NULL},
              {"--tolerance", NULL, &plan->tolerance},
              {"--depth", NULL, &plan->depth}};
  for (int k = 1; k < argc; ++k) {
    bool known = false;
    for (size_t j = 0; j < sizeof rows / sizeof *rows && !known; ++j) {
      if (strcmp(argv[k], rows[j].name) != 0 || k + 1 == argc) continue;
      known = true;
      ++k;
      if (rows[j].whole) *rows[j].whole = atoi(argv[k]);
      if (rows[j].number) *rows[j].number = atof(argv[k]);
    }
    if (known) continue;
    if (plan->count == NUMBERS_MOST || atoi(argv[k]) < 1) return false;
    plan->numbers[plan->count++] = atoi(argv[k]);
  }
  return plan->threads >= 1 && plan->steps >= 1 && plan->skip >= 0 && plan->tolerance > 0.0 && plan->depth >= 1.0;
}

int main(int argc, char** argv) {
  Plan plan = {.threads = 1, .steps = 20, .skip = 20, .tolerance = 1e-4, .depth = 20.0};
  if (!read_plan(argc, argv, &plan)) {
    fprintf(stderr, "usage: scale [--threads N] [--steps K] [--skip K] [--tolerance T] [--depth D] [pebbles ...]\n");
    return 2;
  }
  if (plan.count == 0) {
    static const int usual[] = {4000, 12000, 40000};
    plan.count = 3;
    memcpy(plan.numbers, usual, sizeof usual);
  }
  printf("`pebble-bed --packing random`, tolerance %g, %d thread%s, %d steps after %d.\n", plan.tolerance, plan.threads,
         plan.threads > 1 ? "s" : "", plan.steps, plan.skip);
  bool good = print_beds(&plan, false);
  return print_beds(&plan, true) && good ? 0 : 1;
}
