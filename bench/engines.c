// Cardhouse beside MuJoCo, ODE and Bullet on six scenes that turn on friction: who stands, who creeps, at what price.
//
// Every trial runs alone in a child process on one core. Processor time is counted, in steps only; what moved and what
// overlaps is judged from the poses, by the same code for everybody.
#include "engines.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engines_table.h"
#include "engines_trial.h"
#include "machine.h"
#include "measure.h"

enum { CASES_MOST = 64, STEPS_MOST = 4 };

typedef struct Options {
  const char* scenes;  // names between commas, NULL = all
  const char* engines;
  const char* csv;
  double until, cap, tolerance;
  double h[STEPS_MOST];
  int h_count, core;
  bool quick, list;
} Options;

// --- what is run -----------------------------------------------------------------------------------------------------

static void case_add(ChEngineResults* all, const ChTrialCase* what) {
  if (all->case_count < CASES_MOST) all->cases[all->case_count++] = *what;
}

static void standing_add(ChEngineResults* all, const Options* o, const char* scene) {
  for (int i = 0; i < o->h_count; ++i) {
    ChTrialCase what = {.scene = scene, .kind = CH_TRIAL_REST, .until = o->until, .h = o->h[i]};
    what.tolerance = o->tolerance;
    what.bodies = scene[1] == '1' ? ch_scene_cards(4) : scene[1] == '2' ? ch_scene_arch() : ch_scene_stack(20);
    snprintf(what.name, sizeof what.name, "moved");
    case_add(all, &what);
  }
}

static void incline_add(ChEngineResults* all, const Options* o) {
  static const double shares[] = {0.95, 1.05}, headings[] = {0.0, 22.5, 45.0};
  for (int i = 0; i < o->h_count; ++i)
    for (int s = 0; s < 2; ++s)
      for (int k = 0; k < 3; ++k) {
        ChTrialCase what = {.scene = "S4 incline", .h = o->h[i], .tolerance = o->tolerance};
        what.kind = s ? CH_TRIAL_SLIDE : CH_TRIAL_CREEP;
        what.until = s ? 2.0 : fmax(o->until, 2.0);
        what.exact = ch_scene_incline_acceleration(shares[s]);
        what.bodies = ch_scene_incline(shares[s], headings[k]);
        snprintf(what.name, sizeof what.name, "%s %g", s ? "error of a" : "creep", headings[k]);
        case_add(all, &what);
      }
}

// Smallest mu with an equilibrium: 0.560.
static void triangle_add(ChEngineResults* all, const Options* o) {
  static const double mus[] = {0.8, 0.57, 0.55, 0.2};
  for (int i = 0; i < o->h_count; ++i)
    for (int k = 0; k < 4; ++k) {
      ChTrialCase what = {.scene = "S5 pile of 210", .kind = CH_TRIAL_REST, .until = o->until, .h = o->h[i]};
      what.tolerance = o->tolerance;
      what.bodies = ch_scene_triangle(20, mus[k]);
      snprintf(what.name, sizeof what.name, "mu %g%s", mus[k], mus[k] < 0.56 ? " (must fall)" : "");
      case_add(all, &what);
    }
}

static void spheres_add(ChEngineResults* all, const Options* o, const char* scene, int count) {
  ChTrialCase what = {.scene = scene, .kind = CH_TRIAL_SETTLE, .h = 0.001, .tolerance = 1e-6};  // as box-of-spheres
  what.until = o->quick ? 0.6 : fmin(o->until, 3.0);  // half a second to fall, the rest to settle
  what.patience = o->quick ? 3.0 : (double)count / 50.0;
  what.bodies = ch_scene_box_of_spheres(count);
  snprintf(what.name, sizeof what.name, "settled");
  case_add(all, &what);
}

// Whether a list between commas holds a word that `name` begins with, or is where `whole`; no list holds everything.
static bool listed_as(const char* list, const char* name, bool whole) {
  for (const char* word = list; word && *word;) {
    size_t length = strcspn(word, ",");
    if (length > 0 && !strncasecmp(word, name, length) && (!whole || !name[length])) return true;
    word += length + (word[length] == ',');
  }
  return !list;
}

static bool listed(const char* list, const char* name) { return listed_as(list, name, false); }

static bool cases_choose(ChEngineResults* all, const Options* o) {
  static const char* const standing[] = {"S1 cards", "S2 arch", "S3 stack of 20"};
  all->cases = calloc(CASES_MOST, sizeof *all->cases);
  if (!all->cases) return false;
  for (int i = 0; i < 3; ++i)
    if (listed(o->scenes, standing[i])) standing_add(all, o, standing[i]);
  if (listed(o->scenes, "S4")) incline_add(all, o);
  if (listed(o->scenes, "S5")) triangle_add(all, o);
  if (listed(o->scenes, "S6")) spheres_add(all, o, "S6 1000 spheres", 1000);
  if (listed(o->scenes, "S6") && !o->quick) spheres_add(all, o, "S6 5000 spheres", 5000);
  for (int c = 0; c < all->case_count; ++c)
    if (all->cases[c].bodies.lost) return false;
  return true;
}

// Ours are always among them: ratios are to it.
static void rows_choose(ChEngineResults* all, const Options* o) {
  static const ChEngineRow* (*const engines[])(int*) = {
      ch_engine_rows_ours,
#ifdef CH_WITH_MUJOCO
      ch_engine_rows_mujoco,
#endif
#ifdef CH_WITH_ODE
      ch_engine_rows_ode,
#endif
#ifdef CH_WITH_BULLET
      ch_engine_rows_bullet,
#endif
  };
  for (size_t e = 0; e < sizeof engines / sizeof *engines; ++e) {
    int count = 0;
    const ChEngineRow* rows = engines[e](&count);
    bool whole = false;  // a row's whole name means that row alone, a beginning all that begin so
    for (int i = 0; i < count && o->engines; ++i) whole |= listed_as(o->engines, rows[i].name, true);
    for (int i = 0; i < count; ++i)
      if ((e == 0 || listed_as(o->engines, rows[i].name, whole)) && all->row_count < CH_ROWS_MOST)
        all->rows[all->row_count++] = &rows[i];
  }
}

// --- command line ----------------------------------------------------------------------------------------------------

static const char USAGE[] =
    "usage: engines [--quick] [--list] [--scenes S1,S4,...] [--engines NAME,...] [--until SECONDS] [--h H,...]\n"
    "               [--tolerance T] [--cap SECONDS] [--core N] [--csv FILE]\n"
    "Runs the scenes S1 ... S6 with us and with every engine that was found. --list names engines and settings.\n";

static bool steps_read(Options* o, const char* text) {
  o->h_count = 0;
  for (const char* word = text; *word;) {
    char number[32];
    size_t length = strcspn(word, ",");
    snprintf(number, sizeof number, "%.*s", (int)length, word);
    if (o->h_count == STEPS_MOST || !ch_measure_number(number, 1e-6, 1.0, &o->h[o->h_count++])) return false;
    word += length + (word[length] == ',');
  }
  return o->h_count > 0;
}

static bool option_set(Options* o, const char* name, const char* value) {
  double number = 0.0;
  if (!strcmp(name, "--scenes")) return (o->scenes = value) != NULL;
  if (!strcmp(name, "--engines")) return (o->engines = value) != NULL;
  if (!strcmp(name, "--csv")) return (o->csv = value) != NULL;
  if (!strcmp(name, "--h")) return steps_read(o, value);
  if (!strcmp(name, "--until")) return ch_measure_number(value, 0.01, 1e6, &o->until);
  if (!strcmp(name, "--tolerance")) return ch_measure_number(value, 1e-15, 1.0, &o->tolerance);
  if (!strcmp(name, "--cap")) return ch_measure_number(value, 0.01, 1e6, &o->cap);
  if (strcmp(name, "--core") != 0 || !ch_measure_number(value, 0, 1e4, &number)) return false;
  o->core = (int)number;
  return true;
}

static int options_read(Options* o, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "--help")) {
      printf("%s", USAGE);
      exit(0);
    } else if (!strcmp(argv[i], "--list")) {
      o->list = true;
    } else if (!strcmp(argv[i], "--quick")) {
      o->quick = true;
      o->until = 2.0;
      o->cap = 3.0;
      o->h_count = 1;
    } else if (i + 1 == argc || !option_set(o, argv[i], argv[i + 1])) {
      fprintf(stderr, "engines: cannot understand '%s'\n%s", argv[i], USAGE);
      return 2;
    } else {
      ++i;
    }
  }
  return 0;
}

static int rows_list(const ChEngineResults* all) {
  for (int i = 0; i < all->row_count; ++i) printf("%-16s %s\n", all->rows[i]->name, all->rows[i]->settings);
  return 0;
}

static void run_all(ChEngineResults* all, const Options* o) {
  for (int first = 0; first < all->case_count;) {
    int end = ch_engine_scene_end(all, first);
    fprintf(stderr, "%s", all->cases[first].scene);
    for (int row = 0; row < all->row_count; ++row) {
      fprintf(stderr, " %s:", all->rows[row]->name);
      for (int c = first; c < end; ++c) {
        ChTrialResult* result = ch_engine_result(all, c, row);
        *result = ch_trial_run(&all->cases[c], all->rows[row], o->cap);
        fprintf(stderr, "%c", "-+vTX"[result->ending]);
      }
    }
    fprintf(stderr, "\n");
    ch_engine_table(all, first, stdout);
    first = end;
  }
}

int main(int argc, char** argv) {
  Options options = {.until = 10.0, .cap = 10.0, .tolerance = 1e-8, .h = {1e-2, 1e-3}, .h_count = 2, .core = -1};
  static ChEngineResults all;
  ch_machine_single_thread(argv);
  int status = options_read(&options, argc, argv);
  if (status) return status;
  rows_choose(&all, &options);
  if (options.list) return rows_list(&all);
  ch_machine_pin(options.core);
  if (!cases_choose(&all, &options)) return 3;
  all.results = calloc((size_t)all.case_count * (size_t)all.row_count + 1, sizeof *all.results);
  if (!all.results) return 3;
  printf(
      "`ratio`: time to that of Cardhouse's row; none where the scene fell or failed, or where ours or the row "
      "missed the tolerance (%g, in S6 1e-6) in any step that `missed` counts.\n",
      options.tolerance);
  run_all(&all, &options);
  if (options.csv && !ch_engine_csv(&all, options.csv)) {
    fprintf(stderr, "engines: cannot write '%s': %s\n", options.csv, strerror(errno));
    return 3;
  }
  return 0;
}
