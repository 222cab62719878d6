// See generated.h.
#include "support/generated.h"

#include <math.h>
#include <string.h>

#include "support/families.h"

static double draw_size(ChRandom* random, double decades) {
  return pow(10.0, ch_random_uniform(random, -decades, decades));
}

// --- laws ------------------------------------------------------------------------------------------------------------

static void both(ChRandom* random, ChRecipe* r) {
  r->rolling = 0.01 * draw_size(random, 1.5);
  r->drilling = 0.01 * draw_size(random, 1.5);
}
static void rolling(ChRandom* random, ChRecipe* r) { r->rolling = 0.01 * draw_size(random, 1.5); }
static void drilling(ChRandom* random, ChRecipe* r) { r->drilling = 0.01 * draw_size(random, 1.5); }
static void ellipsoidal(ChRandom* random, ChRecipe* r) {
  drilling(random, r);
  r->shared = 1.0;
}
static void cohesive(ChRandom* random, ChRecipe* r) { r->pull = 0.02 * draw_size(random, 1.5); }
static void nothing(ChRandom* random, ChRecipe* r) { (void)random, (void)r; }
static void compliant(ChRandom* random, ChRecipe* r) { r->compliance = 0.01 * draw_size(random, 1.0); }
static void sheared(ChRandom* random, ChRecipe* r) {
  r->compliance = 0.01 * draw_size(random, 1.0);
  r->shear = 0.01 * draw_size(random, 1.0);
}
static void section(ChRandom* random, ChRecipe* r) { r->corners = 3.0 + (double)(ch_random_bits(random) % 8); }

static const ChDrawnLaw laws[] = {
    {"rolling", rolling, false},     {"rolling and drilling", both, false},
    {"drilling", drilling, false},   {"ellipsoidal", ellipsoidal, false},
    {"cohesive", cohesive, false},   {"contact", nothing, false},
    {"compliant", compliant, false}, {"section", section, true},
    {"sheared", sheared, false},
};

int ch_drawn_law_count(void) { return (int)(sizeof laws / sizeof *laws); }
const ChDrawnLaw* ch_drawn_law_at(int index) { return &laws[index]; }
ChRandom ch_drawn_seed(int law) { return ch_random_seeded(63 + (uint64_t)law); }

// --- problems --------------------------------------------------------------------------------------------------------

typedef struct Kind {
  const char* family;
  double least, most;  // of n
} Kind;

static const Kind kinds[] = {{"pile", 3, 18},  {"pyramid", 2, 7}, {"rain", 5, 400}, {"tower", 2, 40},  {"wall", 2, 7},
                             {"disks", 3, 18}, {"cards", 1, 6},   {"arch", 5, 60},  {"incline", 2, 40}};
enum { KINDS = sizeof kinds / sizeof *kinds, PLANE = 5, LEAST = 5, MOST = 500, TRIES = 100 };

int ch_drawn_contacts(const ChProblem* problem) {
  const ChProblemView view = ch_problem_view(problem);
  int count = 0;
  for (int i = 0; i < view.block_count; ++i) count += ch_law_info(view.blocks[i].law)->opens;
  return count;
}

static ChStatus draw(ChContext* context, ChRandom* random, int law, int index, ChProblem** out) {
  const int kind = index % KINDS;
  const Kind* k = &kinds[laws[law].in_space && kind == PLANE ? 0 : kind];
  const double speeds[] = {0.0, 0.3, 3.0};
  const ChFamily* family = ch_family_find(k->family);
  ChRecipe recipe = ch_recipe_default(family);
  recipe.n = floor(ch_random_uniform(random, k->least, k->most + 1.0));
  recipe.mu = ch_random_uniform(random, 0.1, 1.0);
  laws[law].adjust(random, &recipe);
  recipe.angle = strcmp(k->family, "incline") == 0 ? ch_random_uniform(random, 5.0, 50.0) : recipe.angle;
  recipe.noise = speeds[ch_random_bits(random) % 3];
  recipe.seed = index + 1;
  return ch_family_generate(context, family, &recipe, CH_FORM_GLOBAL, out);
}

ChStatus ch_draw_problem(ChContext* context, ChRandom* random, int law, int index, ChProblem** out) {
  for (int tries = 0;; ++tries) {
    const ChStatus status = draw(context, random, law, index, out);
    if (status != CH_OK) return status;
    const int contacts = ch_drawn_contacts(*out);
    if ((contacts >= LEAST && contacts <= MOST) || tries == TRIES) return CH_OK;
    ch_problem_destroy(*out);
  }
}
