// Problems of one law after the other, drawn: 5 to 500 contacts that rest, slide and strike.
#ifndef CH_TESTS_GENERATED_H
#define CH_TESTS_GENERATED_H

#include "cardhouse/problem.h"
#include "support/random.h"

struct ChRecipe;

typedef struct ChDrawnLaw {
  const char* name;
  void (*adjust)(ChRandom* random, struct ChRecipe* recipe);  // the law's own coefficients
  bool in_space;                                              // has no plane problems
} ChDrawnLaw;

int ch_drawn_law_count(void);
const ChDrawnLaw* ch_drawn_law_at(int index);

// The first number of a law's stream; problem `index` draws the next ones.
ChRandom ch_drawn_seed(int law);
int ch_drawn_contacts(const ChProblem* problem);
ChStatus ch_draw_problem(ChContext* context, ChRandom* random, int law, int index, ChProblem** out);

#endif
